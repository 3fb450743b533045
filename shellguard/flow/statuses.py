"""Which `$?` doesn't hold the status that it is read for?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shellguard.flow.expansions import StatusRead, StatusSet, expansion_events
from shellguard.flow.options import Toggle
from shellguard.flow.roles import Role
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticFor,
    Assignment,
    Command,
    CommandSubstitution,
    ForLoop,
    FunctionDefinition,
    IfBranch,
    IfClause,
    List,
    Node,
    ParameterExpansion,
    Pipeline,
    SimpleCommand,
    WhileLoop,
)
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


@dataclass(frozen=True, slots=True, eq=False)
class ClobberedRead:
    """A `$?` that a substitution of the same command has replaced.

    `culprit` is what the substitution runs, `meant` the work before (None where there is none), `all_reads` every `$?`
    of the command that a capture before it would replace.
    """

    command: Command
    node: ParameterExpansion
    substitution: CommandSubstitution
    on_some_paths: bool
    culprit: str
    meant: SimpleCommand | None
    all_reads: tuple[ParameterExpansion, ...]


def clobbered_reads(facts: Facts) -> Iterator[ClobberedRead]:
    """Yield the status reads that see a substitution's status although another command's is meant."""
    readers: dict[Command, None] = {}
    for node in facts.structure.nodes(ParameterExpansion):
        if node.name == "?":
            command = facts.structure.enclosing_command(node)
            if command is not None and command in facts.situations:
                readers[command] = None
    for command in readers:
        yield from _command_reads(facts, command)


def _command_reads(facts: Facts, command: Command) -> Iterator[ClobberedRead]:
    """Yield the clobbered reads of one command."""
    events = list(expansion_events(command))
    reads = tuple(event.node for event in events if isinstance(event, StatusRead))
    if not reads or len(reads) == len(events):
        return
    last: StatusSet | None = None
    for event in events:
        if isinstance(event, StatusSet):
            last = event
        elif last is not None and not _is_meant(facts, command, event.node, last.node):
            yield ClobberedRead(
                command,
                event.node,
                last.node,
                last.on_some_paths or event.on_some_paths,
                _culprit(facts, last.node),
                _meant(facts, command),
                reads,
            )


def _is_meant(facts: Facts, command: Command, read: ParameterExpansion, substitution: CommandSubstitution) -> bool:
    """Whether the author wants the substitution's own status: that tells something, and no job ran just before.

    `out=$(job) rc=$?` and `$(git diff --quiet)$?` always mean it, whatever came before.
    """
    if not any(_tells(facts, node) for node in walk(substitution.body) if isinstance(node, SimpleCommand)):
        return False
    if read.start == substitution.end:
        return True
    assignment = facts.structure.parents.get(read)
    while assignment is not None and not isinstance(assignment, (Assignment, Command)):
        assignment = facts.structure.parents.get(assignment)
    if isinstance(assignment, Assignment) and not any(node is substitution for node in walk(assignment)):
        return True
    before = _before(facts, command)
    return before is None or not any(_is_work(facts, node) for node in walk(before) if isinstance(node, SimpleCommand))


def _tells(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a command's status means something: it is work, or an answer."""
    return _is_work(facts, command) or (
        bool(command.words) and facts.commands.classify(command).role in (Role.PROBE, Role.THREE_STATE)
    )


def _is_work(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a command's failure is somebody's concern."""
    return bool(command.words) and facts.commands.classify(command).role in (Role.JOB, Role.LAUNCHER, Role.CHORE)


def _before(facts: Facts, command: Command) -> Command | None:
    """The command that runs just before a command, in its list or in what is around it; None where it isn't known."""
    current: Node | None = command
    while current is not None:
        parent = facts.structure.parents.get(current)
        earlier, _ = facts.structure.siblings(current)
        if earlier is not None:
            return earlier
        match parent:
            case Pipeline() if parent.commands[0] is not current:
                return None
            case AndOrList() if parent.commands[0] is not current:
                return parent.commands[parent.commands.index(current) - 1]
            case IfBranch() | IfClause() | WhileLoop():
                condition = _condition_before(current, parent)
                if condition is not None:
                    return condition.commands[-1] if condition.commands else None
            case FunctionDefinition() | ForLoop() | ArithmeticFor():
                return None
            case _:
                pass
        current = parent
    return None


def _condition_before(current: Node, parent: IfBranch | IfClause | WhileLoop) -> List | None:
    """The condition that was tested just before a part of an `if` or loop runs; None before the first one."""
    if isinstance(parent, IfClause):
        if current is parent.else_body:
            return parent.branches[-1].condition
        place = next(index for index, branch in enumerate(parent.branches) if branch is current)
        return parent.branches[place - 1].condition if place else None
    return parent.condition if current is parent.body else None


def _culprit(facts: Facts, substitution: CommandSubstitution) -> str:
    """What a substitution runs last, by name."""
    commands = [node for node in walk(substitution.body) if isinstance(node, SimpleCommand)]
    name = facts.commands.shown_name(commands[-1]) if commands else ""
    return name or "the substitution"


def _meant(facts: Facts, command: Command) -> SimpleCommand | None:
    """The command whose status the author wants; of a pipeline that hides its jobs', there is none to be had."""
    before = _before(facts, command)
    if isinstance(before, AndOrList):
        before = before.commands[-1]
    if isinstance(before, Pipeline) and len(before.commands) > 1:
        situation = facts.situations.get(before)
        is_shown = situation is not None and situation.options.pipefail is Toggle.ON
        before = before if is_shown else before.commands[-1]
    if before is None:
        return None
    commands = [node for node in walk(before) if isinstance(node, SimpleCommand) and _is_work(facts, node)]
    return commands[-1] if commands else None
