"""Which `$?` can only hold the status of a message or another helper, although a job ran just before that?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.expansions import StatusRead, StatusSet, expansion_events
from shellguard.flow.fallible import may_report_failure
from shellguard.flow.options import Toggle
from shellguard.flow.reaching import Reached, Side
from shellguard.flow.roles import Role
from shellguard.syntax.nodes import (
    ArithmeticCommand,
    Command,
    CommandSubstitution,
    ConditionalCommand,
    ParameterExpansion,
    SimpleCommand,
)
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_HELPERS: Final = (Role.PRINTER, Role.BOOKKEEPING, Role.INFALLIBLE)
_WORK: Final = (Role.JOB, Role.LAUNCHER, Role.CHORE, Role.THREE_STATE)
_MAX_HELPERS: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class OverwrittenRead:
    """A command whose `$?` (`nodes`) holds `helper`'s status instead of `job`'s.

    `first` is the helper that runs right after the job, None where several ways lead from the job to the read;
    `on_the_way` are the reads of that helper and the ones after it.
    """

    command: Command
    nodes: tuple[ParameterExpansion, ...]
    on_the_way: tuple[ParameterExpansion, ...]
    helper: Command
    job: SimpleCommand
    first: Command | None


def overwritten_reads(facts: Facts) -> Iterator[OverwrittenRead]:
    """Yield the commands that read a helper's status where a job's is meant."""
    readers: set[Command] = set()
    for command, nodes in incoming_reads(facts):
        found = _overwritten(facts, command, nodes)
        if found is not None:
            readers.add(command)
            if found.helper not in readers:  # whose own `$?` has been replaced already: one defect, told once
                yield found


def incoming_reads(facts: Facts) -> Iterator[tuple[Command, tuple[ParameterExpansion, ...]]]:
    """Yield the commands that read the `$?` they begin with, and these reads."""
    readers: dict[Command, None] = {}
    for node in facts.structure.nodes(ParameterExpansion):
        if node.name == "?":
            command = facts.structure.enclosing_command(node)
            if command is not None and command in facts.situations:
                readers[command] = None
    for command in readers:
        nodes: list[ParameterExpansion] = []
        for event in expansion_events(command):
            if isinstance(event, StatusSet):
                break
            nodes.append(event.node)
        if nodes:
            yield command, tuple(nodes)


def _overwritten(facts: Facts, command: Command, nodes: tuple[ParameterExpansion, ...]) -> OverwrittenRead | None:
    reached = facts.reaching.before(command)
    if not reached or not all(_is_no_jobs(facts, item) for item in reached):
        return None
    helpers = [item.command for item in reached if is_helper(facts, item.command)]
    for helper in helpers:
        job = _job_before(facts, helper)
        if (
            job is not None
            and facts.consumers.stops(job) is not Toggle.ON
            and not _is_named_after(facts, command, helper)
            and not _is_ritual(facts, command, helper, job)
        ):
            first, reads = _way(facts, command) if len(reached) == 1 else (None, ())
            return OverwrittenRead(command, nodes, reads, helper, job, first)
    return None


def _is_no_jobs(facts: Facts, item: Reached) -> bool:
    """Whether a status that reaches tells nothing of a job's failure: a helper's, or one that is 0 for certain."""
    return item.side is Side.SUCCESS or is_helper(facts, item.command)


def _is_named_after(facts: Facts, command: Command, helper: Command) -> bool:
    """Whether the helper's own status is meant: `sleep 1; sleep_state=$?`."""
    if not isinstance(command, SimpleCommand) or command.words:
        return False
    name = facts.commands.last_name(helper)
    return bool(name) and any(name in assignment.name for assignment in command.assignments)


def _is_ritual(facts: Facts, command: Command, helper: Command, job: SimpleCommand) -> bool:
    """Whether `exit $?` is but how a script or function ends, and the job isn't the one thing that it is about.

    It is about the job where that stands beside it, and where the script has looked at the status before.
    """
    if not isinstance(command, SimpleCommand) or not command.words:
        return False
    if command.words[0].literal not in {"exit", "return"}:
        return False
    body = facts.structure.parents.get(command)
    holder = facts.structure.parents.get(body) if body is not None else None
    function = facts.structure.enclosing_function(command)
    if holder is not (function.body if function is not None else facts.script) or _reads_status(helper):
        return False
    found = facts.commands.classify(job)
    is_the_work = found.role is Role.JOB and found.inner_name not in {"wait", *facts.structure.functions}
    return not is_the_work or all(outer is not body for outer in facts.structure.ancestors(job))


def is_helper(facts: Facts, command: Command) -> bool:
    """Whether nobody means to test a command: a message, an assignment, or a test of the very `$?`."""
    if isinstance(command, (ConditionalCommand, ArithmeticCommand)):
        return _reads_status(command)
    if not isinstance(command, SimpleCommand):
        return False
    if not command.words:
        return all(_never_fails(facts, node) for node in walk(command) if isinstance(node, CommandSubstitution))
    if command.words[0].literal in {"[", "test"}:
        return _reads_status(command)
    if any(isinstance(node, CommandSubstitution) for word in command.words for node in walk(word)) and _declares(
        command
    ):
        return False
    if not is_shown(command):
        return False  # `echo mem > /sys/power/state` does something
    return _has_nothing_to_report(facts, command)


def _never_fails(facts: Facts, substitution: CommandSubstitution) -> bool:
    """Whether a substitution only holds what practically never fails: `now=$(date)`."""
    commands = (node for node in walk(substitution.body) if isinstance(node, SimpleCommand))
    return all(_has_nothing_to_report(facts, node) for node in commands)


def _has_nothing_to_report(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a command's status means nothing to anybody: a message, bookkeeping, a function of such."""
    found = facts.commands.classify(command)
    if found.inner_name in facts.structure.functions and may_report_failure(facts, command):
        return False
    return found.role in _HELPERS


def is_shown(command: SimpleCommand) -> bool:
    """Whether a command's output goes where people see it: `>&2`, `> /dev/stderr`, `> /dev/tty`."""
    targets = [item.target.literal for item in command.redirections if item.operator.startswith((">", "&>"))]
    return all(target is not None and (target in {"1", "2"} or target.startswith("/dev/")) for target in targets)


def _declares(command: SimpleCommand) -> bool:
    """Whether a builtin gives variables values: what is in the substitution is another rule's matter."""
    return command.words[0].literal in {"local", "declare", "typeset", "export", "readonly"}


def _reads_status(command: Command) -> bool:
    return any(isinstance(event, StatusRead) for event in expansion_events(command))


def _job_before(facts: Facts, helper: Command) -> SimpleCommand | None:
    """The job that ran before a helper, other helpers in between; None where there is none, or where it isn't known."""
    current: Command = helper
    for _ in range(_MAX_HELPERS):
        reached = facts.reaching.before(current)
        if not reached:
            return None
        for item in reached:
            if isinstance(item.command, SimpleCommand) and is_work(facts, item.command):
                return item.command
        if len(reached) > 1 or not is_helper(facts, reached[0].command):
            return None
        current = reached[0].command
    return None


def is_work(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a command's failure, or its answer, is somebody's concern; what a sourced file does isn't known."""
    if not command.words or command.words[0].literal in {".", "source"}:
        return False
    return facts.commands.classify(command).role in _WORK


def _way(facts: Facts, command: Command) -> tuple[Command | None, tuple[ParameterExpansion, ...]]:
    """The helper right after the job, and the reads of the helpers on the way, where there is only one way."""
    current = command
    reads: tuple[ParameterExpansion, ...] = ()
    for _ in range(_MAX_HELPERS):
        reached = facts.reaching.before(current)
        if not reached or len(reached) > 1:
            return None, ()
        before = reached[0].command
        if not is_helper(facts, before):
            return current, reads
        events = expansion_events(before)
        reads = (*(event.node for event in events if isinstance(event, StatusRead)), *reads)
        current = before
    return None, ()
