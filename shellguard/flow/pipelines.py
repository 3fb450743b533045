"""Which pipelines hide the failure of a job?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.commands import simple_commands
from shellguard.flow.consumers import Consumer, Look
from shellguard.flow.options import Toggle
from shellguard.flow.paths import is_file, is_output
from shellguard.flow.roles import Role
from shellguard.flow.situations import always_exits
from shellguard.flow.streams import early_closing_reader, is_pure_copier
from shellguard.flow.values import Value
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticExpression,
    Assignment,
    BackgroundCommand,
    BraceGroup,
    Command,
    CommandSubstitution,
    CompoundCommand,
    ForLoop,
    FunctionDefinition,
    IfClause,
    List,
    Literal,
    Node,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    Redirection,
    SimpleCommand,
    Subshell,
    WhileLoop,
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
            return any(_names_pipestatus(node) for node in walk(following))
        parent = facts.structure.parents.get(current)
        if not isinstance(parent, (Command, List)):
            return False
        current = parent


def _names_pipestatus(node: Node) -> bool:
    """Whether a node uses PIPESTATUS; arithmetic needs no `$` for it."""
    match node:
        case ParameterExpansion():
            return node.name == "PIPESTATUS"
        case ArithmeticExpression():
            return any(isinstance(part, Literal) and "PIPESTATUS" in part.value for part in node.parts)
        case _:
            return False


def _closes_early(facts: Facts, command: Command) -> bool:
    """Whether a reader may leave before its input ends, so that pipefail would report SIGPIPE."""
    match command:
        case SimpleCommand():
            return early_closing_reader(facts.commands.argv(command))
        case BraceGroup() | Subshell():
            return all(_closes_early(facts, part) for part in command.body.commands)
        case AndOrList():
            return all(_closes_early(facts, part) for part in command.commands)
        case Pipeline():
            return _closes_early(facts, command.commands[0])
        case WhileLoop() | ForLoop():
            return any(_leaves_content(item) for item in simple_commands(command))
        case _:
            return False


def _leaves_content(command: SimpleCommand) -> bool:
    """Whether a command leaves a loop although nothing has failed: `break`, `exit 0`."""
    words = [word.literal for word in command.words[:2]]
    return words[:1] == ["break"] or (words[:1] in (["exit"], ["return"]) and words[1:] == ["0"])


def _masked(facts: Facts, pipeline: Pipeline) -> Iterator[SimpleCommand]:
    """Yield the jobs whose status would be the pipeline's if nothing came after them, or that end their part of it."""
    for part in pipeline.commands[:-1]:
        for job in facts.commands.jobs(part):
            if facts.consumers.of(job).look is Look.MASKED or _fails_part(facts, job, part):
                yield job


def _fails_part(facts: Facts, job: SimpleCommand, part: Command) -> bool:
    """Whether a job's failure leads to an `exit` (`job || exit 1`) that ends this part of the pipeline and no more."""
    current: Node = job
    leads_out = False
    while current is not part:
        outer = facts.structure.parents[current]
        match outer:
            case AndOrList():
                place = outer.commands.index(current)
                fallbacks = zip(outer.operators[place:], outer.commands[place + 1 :], strict=True)
                leads_out |= any(mark == "||" and _exits_badly(facts, command) for mark, command in fallbacks)
            case IfClause() if current is outer.branches[0]:
                leads_out |= _exits_badly(facts, outer)
            case Pipeline() if len(outer.commands) > 1:
                return False
            case Subshell() | BackgroundCommand() | FunctionDefinition() if outer is not part:
                return False
            case _:
                pass
        current = outer
    return leads_out


def _exits_badly(facts: Facts, command: Command) -> bool:
    """Whether an `exit` in a command may give the shell another status than 0; functions that end with one count."""
    for item in simple_commands(command):
        words = [word.literal for word in item.words[:2]]
        if words[:1] == ["exit"] and words[1:] != ["0"]:
            return True
        definition = facts.structure.functions.get(words[0] or "") if words else None
        if definition is not None and always_exits(definition.body) and _exits_badly(facts, definition):
            return True
    return False


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


def is_statement(facts: Facts, pipeline: Pipeline) -> bool:
    """Whether a pipeline is a statement of the script itself, so that `|| exit` after it would end the script."""
    return facts.structure.parents.get(pipeline) is facts.script.body and not pipeline.negated


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
