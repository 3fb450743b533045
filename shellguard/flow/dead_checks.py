"""Which tests of `$?` can never see a failure, because errexit would have ended the script before?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.options import Toggle
from shellguard.flow.overwritten import incoming_reads, is_work
from shellguard.flow.reaching import Reached, Side
from shellguard.flow.roles import Role
from shellguard.syntax.nodes import (
    ArithmeticCommand,
    CaseClause,
    Command,
    ConditionalCommand,
    ParameterExpansion,
    SimpleCommand,
    Word,
)

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_TESTS: Final = frozenset({"[", "test"})


@dataclass(frozen=True, slots=True, eq=False)
class DeadCheck:
    """`command` tests the `$?` (`read`) of `job`, or keeps it in `variable`, which is tested later."""

    command: Command
    read: ParameterExpansion
    job: SimpleCommand
    variable: str = ""


def dead_checks(facts: Facts) -> Iterator[DeadCheck]:
    """Yield the checks that errexit makes useless."""
    for command, nodes in incoming_reads(facts):
        variable = _kept_in(facts, command)
        if not variable and not _tests(command):
            continue
        reached = facts.reaching.before(command) or ()
        jobs = [
            item.command for item in reached if isinstance(item.command, SimpleCommand) and _would_stop(facts, item)
        ]
        if jobs and len(jobs) == len(reached):
            yield DeadCheck(command, nodes[0], jobs[0], variable)


def _tests(command: Command) -> bool:
    if isinstance(command, (ConditionalCommand, ArithmeticCommand, CaseClause)):
        return True
    return isinstance(command, SimpleCommand) and bool(command.words) and command.words[0].literal in _TESTS


def _kept_in(facts: Facts, command: Command) -> str:
    """The variable of `rc=$?`, if something looks at it later."""
    if not isinstance(command, SimpleCommand) or command.words or len(command.assignments) != 1:
        return ""
    assignment = command.assignments[0]
    parts = assignment.value.parts if isinstance(assignment.value, Word) else ()
    is_status = len(parts) == 1 and isinstance(parts[0], ParameterExpansion) and parts[0].name == "?"
    return assignment.name if is_status and facts.consumers.is_examined(assignment.name) else ""


def _would_stop(facts: Facts, item: Reached) -> bool:
    """Whether the script ends when a command fails."""
    command = item.command
    if item.side is not Side.ANY or not isinstance(command, SimpleCommand):
        return False
    if not (is_work(facts, command) or facts.commands.classify(command).role is Role.THREE_STATE):
        return False
    return facts.consumers.stops(command) is Toggle.ON
