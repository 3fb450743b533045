"""Which pipelines hide the failure of a job?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shellguard.flow.commands import simple_commands
from shellguard.flow.consumers import Consumer, Look
from shellguard.flow.demanding import demands_all
from shellguard.flow.fallible import may_report_failure
from shellguard.flow.options import Toggle
from shellguard.flow.recorded import is_compared
from shellguard.flow.relevance import Examinations, is_known_work, matters
from shellguard.flow.roles import Role
from shellguard.flow.situations import always_exits
from shellguard.flow.streams import early_closing_reader, is_pure_copier, reads_stdin_to_end
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticExpression,
    BackgroundCommand,
    BraceGroup,
    Command,
    ForLoop,
    FunctionDefinition,
    IfClause,
    List,
    Literal,
    Node,
    ParameterExpansion,
    Pipeline,
    SimpleCommand,
    Subshell,
    WhileLoop,
)
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


@dataclass(frozen=True, slots=True, eq=False)
class MaskedJob:
    """A job whose status a later command of its pipeline replaces; `consumer` looks at the pipeline's status."""

    pipeline: Pipeline
    job: SimpleCommand
    last: Command
    consumer: Consumer


def masked_jobs(facts: Facts) -> Iterator[MaskedJob]:
    """Yield the first masked job of each pipeline in which the loss of its status matters.

    pipefail is certainly off, nothing reads PIPESTATUS next, no reader leaves early; the rest is in `matters`.
    """
    if is_compared(facts):
        return
    examinations = Examinations(facts)
    for node in facts.structure.nodes(Pipeline):
        if len(node.commands) > 1 and not _is_guarded(facts, node):
            job = next(_masked(facts, node), None)
            consumer = facts.consumers.of(node)
            if job is not None and matters(facts, node, job, consumer, examinations):
                yield MaskedJob(node, job, node.commands[-1], consumer)


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
        case IfClause():
            return all(_closes_early(facts, part) for part in simple_commands(command))
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
            consumer = facts.consumers.of(job)
            is_masked = consumer.look is Look.MASKED and consumer.node is pipeline.commands[-1]
            if (
                (is_masked or _fails_part(facts, job, part))
                and is_known_work(facts, job)
                and may_report_failure(facts, job)
            ):
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


def reads_everything(facts: Facts, pipeline: Pipeline) -> bool:
    """Whether every reader takes all that the job prints, and none is a decoder that may stop at what it knows."""
    return all(_reads_on(facts, part) for part in pipeline.commands[1:])


def _reads_on(facts: Facts, reader: Command) -> bool:
    """Whether a command reads its input to the end, as a `while read` without `break` does."""
    match reader:
        case SimpleCommand():
            return reads_stdin_to_end(facts.commands.argv(reader)) and not demands_all(facts, reader)
        case WhileLoop():
            asks = simple_commands(reader.condition.commands[0]) if len(reader.condition.commands) == 1 else []
            names = [word.literal for command in asks for word in command.words[:1]]
            return names == ["read"] and not _closes_early(facts, reader)
        case _:
            return False


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
