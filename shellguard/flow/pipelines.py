"""Which pipelines hide the failure of a job?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.consumers import Consumer, Look
from shellguard.flow.options import Toggle
from shellguard.flow.paths import is_file, is_output
from shellguard.flow.roles import Role
from shellguard.flow.streams import early_closing_reader, is_pure_copier
from shellguard.flow.values import Value
from shellguard.syntax.nodes import (
    Assignment,
    Command,
    CommandSubstitution,
    CompoundCommand,
    FunctionDefinition,
    List,
    Node,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    Redirection,
    SimpleCommand,
)
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


# Filters that pass everything on, to a log, a terminal or a smaller file: what they get is meant to be kept.
_RECORDERS: Final = frozenset(
    {"cat", "tee", "ts", "logger", "systemd-cat", "pv", "dd", "split", "rotatelogs", "multilog", "svlogd"}
    | {"gzip", "pigz", "bzip2", "pbzip2", "xz", "zstd", "lz4", "lzop", "compress", "gpg", "openssl"}
)


@dataclass(frozen=True, slots=True, eq=False)
class MaskedJob:
    """A job whose status a later command of its pipeline replaces; `consumer` looks at the pipeline's status."""

    pipeline: Pipeline
    job: SimpleCommand
    last: Command
    consumer: Consumer


def masked_jobs(facts: Facts) -> Iterator[MaskedJob]:
    """Yield the first masked job of each pipeline in which the loss of its status matters.

    pipefail is certainly off, nothing reads PIPESTATUS next, no reader leaves early. Where somebody looks at the
    pipeline's status, the loss matters, unless an answer is wanted (`if job | grep x`). Where nobody does, it
    matters where the job's output is kept or worked on: not where it is only shown, nor where it is a value.
    """
    for node in facts.structure.nodes(Pipeline):
        if len(node.commands) > 1 and not _is_guarded(facts, node):
            job = next(_masked(facts, node), None)
            consumer = facts.consumers.of(node)
            if job is not None and _matters(facts, node, consumer):
                yield MaskedJob(node, job, node.commands[-1], consumer)


def _matters(facts: Facts, pipeline: Pipeline, consumer: Consumer) -> bool:
    """Whether the loss of a job's status in this pipeline is one that somebody would want to know of."""
    if consumer.look is Look.TESTED and _may_answer(facts, pipeline.commands[-1]):
        return False
    if consumer.look is Look.STOPS and _is_value(facts, pipeline) and _is_examined(facts, pipeline):
        return False
    if consumer.look in (Look.TESTED, Look.STOPS, Look.RETURNED):
        return True
    return not _is_value(facts, pipeline) and _keeps(facts, pipeline)


def _may_answer(facts: Facts, command: Command) -> bool:
    """Whether a command's status may be an answer about its input, which is then what the test is for."""
    if not isinstance(command, SimpleCommand):
        return False
    found = facts.commands.classify(command)
    return found.role in (Role.THREE_STATE, Role.PROBE) or found.inner_name in (None, *facts.structure.functions)


def _is_examined(facts: Facts, pipeline: Pipeline) -> bool:
    """Whether the variable that takes a pipeline's output is tested somewhere (`[ -n "$x" ]`, `case`, `${x:?}`)."""
    outer = next((node for node in facts.structure.ancestors(pipeline) if isinstance(node, Assignment)), None)
    return outer is not None and facts.consumers.is_examined(outer.name)


def _keeps(facts: Facts, pipeline: Pipeline) -> bool:
    """Whether what a pipeline's jobs print is kept in a file, or handed to a command that works on it."""
    last = pipeline.commands[-1]
    if any(is_output(item) and is_file(target) for item, target in _outputs(facts, last)):
        return True
    if not isinstance(last, SimpleCommand):
        return False
    name = facts.commands.classify(last).inner_name
    return name not in facts.structure.functions and (
        name in _RECORDERS or facts.commands.classify(last).role is Role.JOB
    )


def _outputs(facts: Facts, command: Command) -> Iterator[tuple[Redirection, Value]]:
    """Yield a command's redirections and the values of their targets."""
    situation = facts.situations.get(command)
    if situation is not None and isinstance(command, SimpleCommand | CompoundCommand):
        yield from zip(command.redirections, situation.targets, strict=True)


def _is_value(facts: Facts, node: Node) -> bool:
    """Whether a command's output is wanted as a value: it stands in `$(…)`, or in a function called only there."""
    for outer in facts.structure.ancestors(node):
        if isinstance(outer, (CommandSubstitution, ProcessSubstitution)):
            return True
        if isinstance(outer, FunctionDefinition):
            calls = facts.structure.calls.get(outer.name, ())
            return bool(calls) and all(_in_substitution(facts, call) for call in calls)
    return False


def _in_substitution(facts: Facts, node: Node) -> bool:
    """Whether a node stands in a substitution."""
    outer = facts.structure.ancestors(node)
    return any(isinstance(item, (CommandSubstitution, ProcessSubstitution)) for item in outer)


def _is_guarded(facts: Facts, pipeline: Pipeline) -> bool:
    """Whether pipefail may be on, PIPESTATUS is read next, or a reader may end the pipeline early."""
    situation = facts.situations.get(pipeline)
    if situation is None or situation.options.pipefail is not Toggle.OFF:
        return True
    if any(_closes_early(facts, command) for command in pipeline.commands[1:]):
        return True
    return reads_pipestatus_next(facts, pipeline)


def reads_pipestatus_next(facts: Facts, pipeline: Pipeline) -> bool:
    """Whether the command after a pipeline (or after the list it ends) reads PIPESTATUS."""
    current: Node = pipeline
    while True:
        _, following = facts.structure.siblings(current)
        if following is not None:
            return any(isinstance(node, ParameterExpansion) and node.name == "PIPESTATUS" for node in walk(following))
        parent = facts.structure.parents.get(current)
        if not isinstance(parent, (Command, List)):
            return False
        current = parent


def _closes_early(facts: Facts, command: Command) -> bool:
    """Whether a reader may leave before its input ends, so that pipefail would report SIGPIPE."""
    return isinstance(command, SimpleCommand) and early_closing_reader(facts.commands.argv(command))


def _masked(facts: Facts, pipeline: Pipeline) -> Iterator[SimpleCommand]:
    """Yield the jobs whose status would be the pipeline's if nothing came after them."""
    for part in pipeline.commands[:-1]:
        for job in facts.commands.jobs(part):
            if facts.consumers.of(job).look is Look.MASKED:
                yield job


def copies_only(facts: Facts, pipeline: Pipeline) -> bool:
    """Whether a pipeline is one command piped into `cat`."""
    last = pipeline.commands[-1]
    return (
        len(pipeline.commands) == 2
        and isinstance(last, SimpleCommand)
        and not last.redirections
        and not last.assignments
        and pipeline.operators == ("|",)
        and is_pure_copier(facts.commands.argv(last))
        and last.words[0].literal == "cat"
    )


def changes_nothing_elsewhere(facts: Facts, flagged: set[Pipeline]) -> bool:
    """Whether pipefail for the whole script would change no pipeline but the flagged ones."""
    for node in facts.structure.nodes(Pipeline):
        if len(node.commands) > 1 and node not in flagged:
            if any(not _never_fails(facts, part) for part in node.commands[:-1]):
                return False
            if any(_closes_early(facts, part) for part in node.commands[1:]):
                return False
    return True


def _never_fails(facts: Facts, command: Command) -> bool:
    """Whether a command practically always succeeds."""
    return isinstance(command, SimpleCommand) and facts.commands.classify(command).role in (
        Role.PRINTER,
        Role.INFALLIBLE,
        Role.BOOKKEEPING,
    )
