"""Which `exit` or `return` without a status hands on that of a message about a failure?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.consumers import Look
from shellguard.flow.overwritten import is_helper, is_work
from shellguard.flow.reaching import Reached, Side
from shellguard.flow.recorded import is_compared
from shellguard.flow.roles import Role
from shellguard.flow.trap_ends import chooses_status
from shellguard.syntax.nodes import Command, Pipeline, SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

# What a message about a failure says. "Usage" and "skipping" are no failures.
_FAILURE: Final = re.compile(
    r"\b(?:err(?:or)?|fail(?:ed|ure|s)?|fatal|abort(?:ed|ing)?|panic|cannot|can't|can not|could(?: not|n't)|unable"
    r"|invalid|missing|not found|no such|denied|unexpected|refus(?:ed|ing)|broken|corrupt(?:ed)?"
    r"|does(?: not|n't) exist|must be run|must be root)\b",
    re.IGNORECASE,
)
_NO_FAILURE: Final = re.compile(r"\b(?:skip|warn|ignor|already|nothing|usage|succe)", re.IGNORECASE)
_MAX_MESSAGES: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class SilencedExit:
    """An `exit` or `return` that hands on the 0 of `message`, which tells of a failure; `job` failed, where known."""

    command: SimpleCommand
    message: SimpleCommand
    job: SimpleCommand | None


def silenced_exits(facts: Facts) -> Iterator[SilencedExit]:
    """Yield the bare exits that end with a message's status on the way of a failure."""
    if is_compared(facts):
        return
    names = ("return",) if chooses_status(facts) else ("exit", "return")
    for command in facts.structure.named(*names):
        if len(command.words) == 1 and command in facts.situations and _counts(facts, command):
            found = _silenced(facts, command)
            if found is not None:
                yield found


def _counts(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a status matters: the script's own does, a function's where a caller looks at it."""
    function = facts.structure.enclosing_function(command)
    if function is None or command.words[0].literal == "exit":
        return True
    looks = {facts.consumers.of(call).look for call in facts.structure.calls.get(function.name, ())}
    return not looks.isdisjoint((Look.TESTED, Look.STOPS)) or looks == {Look.RETURNED}


def _silenced(facts: Facts, command: SimpleCommand) -> SilencedExit | None:
    reached = facts.reaching.before(command)
    if not reached or not all(_is_message(facts, item.command) for item in reached):
        return None
    messages, before = _messages(facts, reached)
    if _goes_to_stderr(messages[-1]) and not _goes_to_stderr(messages[0]):
        return None  # an answer all the same, after a message
    if any(_NO_FAILURE.search(facts.text[message.start : message.end]) for message in messages):
        return None
    job = next((item.command for item in before if _has_failed(facts, item)), None)
    told = next((message for message in messages if tells_failure(facts, message)), None)
    if told is None and (job is None or not any(_goes_to_stderr(message) for message in messages)):
        return None
    return SilencedExit(command, told or messages[0], job if isinstance(job, SimpleCommand) else None)


def _messages(facts: Facts, reached: tuple[Reached, ...]) -> tuple[list[SimpleCommand], tuple[Reached, ...]]:
    """The messages in a row before an exit, last first, and what reaches the first of them."""
    found: list[SimpleCommand] = []
    for _ in range(_MAX_MESSAGES):
        if not reached or not all(_is_message(facts, item.command) for item in reached):
            break
        found += [item.command for item in reached if isinstance(item.command, SimpleCommand)]
        if len(reached) > 1:
            return found, ()
        reached = facts.reaching.before(reached[0].command) or ()
    return found, reached


def _is_message(facts: Facts, command: Command) -> bool:
    """Whether a command prints something for people."""
    if not isinstance(command, SimpleCommand) or not command.words or not is_helper(facts, command):
        return False
    return facts.commands.classify(command).role is Role.PRINTER


def tells_failure(facts: Facts, message: SimpleCommand) -> bool:
    """Whether the words of a message, or its name, speak of a failure."""
    text = facts.text[message.start : message.end].replace("_", " ")
    return _FAILURE.search(text) is not None


def _goes_to_stderr(message: SimpleCommand) -> bool:
    return any(item.operator == ">&" and item.target.literal == "2" for item in message.redirections)


def _has_failed(facts: Facts, item: Reached) -> bool:
    """Whether work has failed on the way: `job ||`, `if ! job`, the `else` of `if job`."""
    command = item.command
    if isinstance(command, Pipeline) and command.negated:
        last = command.commands[-1]
        return item.side is Side.SUCCESS and isinstance(last, SimpleCommand) and is_work(facts, last)
    return item.side is Side.FAILURE and isinstance(command, SimpleCommand) and is_work(facts, command)
