"""How a script ends although a command of it has failed, in the words of a message."""

from __future__ import annotations

from shellguard.flow.facts import Facts
from shellguard.syntax.nodes import SimpleCommand

_MOST_COMMANDS = 4_000
"""Of longer scripts, messages don't tell how they end: that takes longer than all rules together."""


def is_seen(facts: Facts, command: SimpleCommand) -> bool:
    """Whether the script certainly ends with another status than 0 because the command fails: no finding then."""
    return _fate(facts, command) in {"stops", "returned"}


def ends_well(facts: Facts, command: SimpleCommand) -> bool:
    """Whether the script certainly ends with 0 although the command fails, and all others succeed.

    What other scripts read doesn't end with anything of its own.
    """
    return not facts.is_part and _fate(facts, command) in {"lost", "logged", "handled", "ignored"}


def _fate(facts: Facts, command: SimpleCommand) -> str:
    """The name of a command's fate; empty where it has none, or the script is too long."""
    fate = facts.fate(command) if len(facts.structure.simple_commands) <= _MOST_COMMANDS else None
    return "" if fate is None else fate.value
