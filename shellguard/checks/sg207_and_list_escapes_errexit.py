"""SG207: errexit ignores all commands of an `&&` list but the last, and the script goes on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from shellguard.checks.endings import ends_well
from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.and_lists import EscapingList, escaping_lists
from shellguard.flow.facts import Facts
from shellguard.flow.insertion import Placement, insertion_point
from shellguard.source import Span

CODE = "SG207"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each `&&` list whose failure the script doesn't notice."""
    for found in escaping_lists(facts):
        first = found.work[0]
        _, following = facts.structure.siblings(found.node)
        place = (Related(Span(following.start, following.start + 1), "the script goes on here"),) if following else ()
        yield Finding(CODE, Severity.WARNING, first.span, _message(facts, found), place, _fix(facts, found))


def _message(facts: Facts, found: EscapingList) -> str:
    """Say what a failure does."""
    name = facts.commands.shown_name(found.work[0])
    last = facts.commands.last_name(found.node.commands[-1])
    skipped = f"`{last}` is skipped and " if last else ""
    end = " and ends with 0" if ends_well(facts, found.work[0]) else ""
    return (
        f"if `{name}` fails, {skipped}the script goes on in spite of `set -e`{end}: errexit only looks at the last "
        "command of an `&&` list"
    )


def _fix(facts: Facts, found: EscapingList) -> Fix:
    """Make a statement of each command."""
    message = "write the commands as statements of their own: errexit then looks at each"
    point = insertion_point(facts.structure, facts.text, found.node)
    gaps = [Span(left.end, right.start) for left, right in pairwise(found.node.commands)]
    simple = point is not None and point.offset == found.node.start and point.placement is not Placement.GROUPED
    texts = [facts.text[gap.start : gap.end] for gap in gaps]
    if (
        point is None
        or not simple
        or not found.is_pure
        or any(text.replace("\\\n", "").split() != ["&&"] for text in texts)
    ):
        return Fix(Applicability.SUGGEST, message)
    separator = f"\n{point.indentation}" if point.placement is Placement.OWN_LINE else "; "
    return Fix(Applicability.SAFE, message, tuple(Edit(gap, separator) for gap in gaps))
