"""How a script ends although a command of it has failed, in the words of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shellguard.flow.facts import Facts
from shellguard.syntax.nodes import SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.fates.table import Fate


def is_seen(facts: Facts, command: SimpleCommand) -> bool:
    """Whether the script certainly ends with another status than 0 because the command fails: no finding then."""
    return _named(facts.fate(command)) in {"stops", "returned"}


def ends_well(facts: Facts, command: SimpleCommand) -> bool:
    """Whether the script certainly ends with 0 although the command fails, and all others succeed."""
    return _named(facts.fate(command)) in {"lost", "logged", "handled", "ignored"}


def _named(fate: Fate | None) -> str:
    return "" if fate is None else fate.value
