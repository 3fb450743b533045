"""SG216: an EXIT trap ends with a status of its own, and the script's is gone."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.facts import Facts
from shellguard.flow.trap_ends import TrapEnd, trap_ends
from shellguard.source import Span

CODE = "SG216"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each exit of a trap that replaces the script's status."""
    reported: set[Span] = set()
    for found in trap_ends(facts):
        if found.span not in reported:
            reported.add(found.span)
            related = (Related(found.trap.words[0].span, "the trap is set here"),)
            yield Finding(CODE, Severity.ERROR, found.span, _message(found), related, _fix(facts, found))


def _message(found: TrapEnd) -> str:
    """Say what the script ends with."""
    if found.replaced_by:
        return f"whatever fails, the script ends with the status of {found.replaced_by}, which the EXIT trap runs first"
    return "whatever fails, the script ends with 0: the EXIT trap says so"


def _fix(facts: Facts, found: TrapEnd) -> Fix:
    """Save the status at the handler's start, and end with it."""
    name = facts.status_variable
    message = f"save the status first: `{name}=$?`, and end with `exit ${name}`"
    line_start = facts.text.rfind("\n", 0, found.first) + 1
    before = facts.text[line_start : found.first]
    separator = "; " if found.is_quoted or before.strip() else f"\n{before}"
    start = Edit(Span(found.first, found.first), f"{name}=$?{separator}")
    return Fix(Applicability.SAFE, message, (start, Edit(found.operand, f"${name}")))
