"""The fix that saves a status in a variable before it is replaced."""

from __future__ import annotations

from collections.abc import Iterable

from shellguard.finding import Applicability, Edit, Fix
from shellguard.flow.facts import Facts
from shellguard.flow.insertion import InsertionPoint, Placement, insertion_point
from shellguard.source import Span
from shellguard.syntax.nodes import Command, ParameterExpansion


def capture_status(facts: Facts, command: Command, reads: Iterable[ParameterExpansion]) -> Fix:
    """Save `$?` just before a command runs, and let it read the variable instead."""
    name = facts.status_variable
    message = f"save the status first: `{name}=$?`, then read `${name}`"
    point = insertion_point(facts.structure, facts.text, command)
    if point is None:
        return Fix(Applicability.SUGGEST, message)
    edits = [*_insertions(point, f"{name}=$?"), *(replace_read(facts.text, read, name) for read in reads)]
    return Fix(Applicability.SAFE, message, tuple(edits))


def _insertions(point: InsertionPoint, capture: str) -> list[Edit]:
    """Insert the capture at an insertion point."""
    at = Span(point.offset, point.offset)
    match point.placement:
        case Placement.OWN_LINE:
            return [Edit(at, f"{capture}\n{point.indentation}")]
        case Placement.INLINE:
            return [Edit(at, f"{capture}; ")]
        case Placement.GROUPED:
            return [Edit(at, f"{{ {capture}; "), Edit(Span(point.end, point.end), "; }")]


def replace_read(text: str, read: ParameterExpansion, name: str) -> Edit:
    """Read the variable where `$?` was; braces keep what follows from becoming part of its name."""
    follows = text[read.end : read.end + 1]
    glued = not read.braced and (follows.isalnum() or follows in {"_", "["})
    if read.operator:
        inner = text[read.start + 2 : read.end - 1].replace("?", name, 1)
        return Edit(read.span, f"${{{inner}}}")
    return Edit(read.span, f"${{{name}}}" if read.braced or glued else f"${name}")
