"""Where can a command be put so that it runs just before another?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from shellguard.flow.structure import Structure
from shellguard.syntax.nodes import (
    AndOrList,
    BackgroundCommand,
    Command,
    IfBranch,
    IfClause,
    List,
    Node,
    Pipeline,
)


class Placement(Enum):
    """How an inserted command is separated from what follows it."""

    OWN_LINE = "on a line of its own"
    INLINE = "before a `;`"
    GROUPED = "in braces together with it"


@dataclass(frozen=True, slots=True)
class InsertionPoint:
    """An offset, and how to write there; `indentation` is that of the line, `end` where the braces would close."""

    offset: int
    end: int
    placement: Placement
    indentation: str


def insertion_point(structure: Structure, text: str, command: Command) -> InsertionPoint | None:
    """Find where a command runs just before `command` and sees the same `$?`; None where there is no such place."""
    current: Node = command
    while True:
        parent = structure.parents.get(current)
        if isinstance(parent, List):
            clause = _opened_clause(structure, current)
            if clause is None:
                return _at(text, current)
            current = clause
            continue
        if isinstance(parent, AndOrList) and parent.commands[0] is not current:
            return InsertionPoint(current.start, current.end, Placement.GROUPED, "")
        if not isinstance(parent, (AndOrList, Pipeline, BackgroundCommand)):
            return None
        current = parent


def _opened_clause(structure: Structure, command: Node) -> IfClause | None:
    """The `if` that begins with this command: what runs before the `if` runs just before the command, too."""
    condition = structure.parents[command]
    branch = structure.parents[condition]
    clause = structure.parents.get(branch)
    if not isinstance(branch, IfBranch) or not isinstance(clause, IfClause):
        return None
    opens = branch is clause.branches[0] and condition is branch.condition and structure.positions[command] == 0
    return clause if opens else None


def _at(text: str, statement: Node) -> InsertionPoint:
    """The insertion point at a statement's start."""
    line_start = text.rfind("\n", 0, statement.start) + 1
    before = text[line_start : statement.start]
    placement = Placement.INLINE if before.strip() else Placement.OWN_LINE
    return InsertionPoint(statement.start, statement.end, placement, before if not before.strip() else "")


def unused_name(text: str, candidates: tuple[str, ...]) -> str:
    """The first of these variable names that occurs nowhere in the script, else the last one with a number."""
    for name in candidates:
        if not re.search(rf"\b{name}\b", text):
            return name
    number = 2
    while re.search(rf"\b{candidates[-1]}{number}\b", text):
        number += 1
    return f"{candidates[-1]}{number}"
