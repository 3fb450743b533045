"""The report for people: each finding with its source, the place where the status dies, and the fix as a diff.

Written by hand rather than with rich: importing rich's console takes 48 ms of processor time where `python -c pass`
takes 18, and this module with all that it imports takes 7. A run on a small script must fit into 150, and most runs
print a few findings or none. rich is for the tables and the Markdown of `rules` and `explain`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shellguard.finding import Applicability
from shellguard.report.cells import cell_length, wrap
from shellguard.report.drawing import draw_line
from shellguard.report.excerpt import MARGIN, Mark, beside_gutter, excerpt, gutter_width, room_beside
from shellguard.report.sanitise import visible, visible_prose
from shellguard.report.style import Role, Style, severity_role
from shellguard.report.summary import count, not_checked, plural, summary_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shellguard.finding import Finding, Fix, NotChecked, Report
    from shellguard.report import RuleInfo
    from shellguard.source import Source

_PROSE_WIDTH = 100  # cells; longer lines of prose are hard to read, however wide the terminal
_MAX_DIFF_LINES = 24

_HOW_TO_APPLY = {
    Applicability.SAFE: "fix (safe, --fix applies it)",
    Applicability.UNSAFE: "fix (unsafe, --unsafe-fixes applies it)",
    Applicability.SUGGEST: "fix (suggested, not applied)",
}
_DIFF_ROLES = {"-": Role.REMOVED, "+": Role.ADDED, " ": Role.FAINT}


def render(report: Report, rules: Mapping[str, RuleInfo], style: Style) -> Iterator[str]:
    """Yield one chunk per finding, then what wasn't checked, then the line that sums the run up."""
    for file in report.files:
        for finding in file.findings:
            yield _chunk([*_finding(file.source, finding, rules[finding.rule], style), ""])
    entries = not_checked(report)
    if entries:
        yield _chunk(["not checked:", *(line for entry in entries for line in _not_checked(entry, style)), ""])
    yield _chunk([summary_line(count(report), style)])


def _chunk(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _finding(source: Source, finding: Finding, rule: RuleInfo, style: Style) -> Iterator[str]:
    yield from _header(source, finding, rule, style)
    for line in _prose(finding.message, style):
        yield style.paint(line, Role.STRONG)
    marks = _marks(finding)
    if style.excerpts:
        yield ""
        yield from excerpt(source, marks, style)
    if style.fixes and finding.fix is not None:
        yield ""
        yield from _fix(source, finding.fix, gutter_width(source, marks), style)


def _header(source: Source, finding: Finding, rule: RuleInfo, style: Style) -> Iterator[str]:
    position = source.position(finding.span.start)
    place = f"{visible(source.path, unicode=style.unicode)}:{position.line}:{position.column}:"
    label, title = f"{finding.severity.label}:", f"{finding.rule} {rule.name}"
    what = f"{style.paint(label, severity_role(finding.severity))} {title}"
    if cell_length(f"{place} {label} {title}") <= style.width:
        yield f"{style.paint(place, Role.STRONG)} {what}"
    else:
        yield style.paint(place, Role.STRONG)
        yield MARGIN + what


def _prose(text: str, style: Style, *, indent: str = MARGIN) -> Iterator[str]:
    shown = visible_prose(text, unicode=style.unicode)
    for line in wrap(shown, min(style.width, _PROSE_WIDTH) - len(indent)):
        yield indent + line


def _marks(finding: Finding) -> list[Mark]:
    here = next((related.message for related in finding.related if related.span == finding.span), "")
    elsewhere = [related for related in finding.related if related.span != finding.span]
    primary = Mark(finding.span, here, severity_role(finding.severity), "^")
    return [primary, *(Mark(related.span, related.message, Role.RELATED, "-") for related in elsewhere)]


def _fix(source: Source, fix: Fix, gutter: int, style: Style) -> Iterator[str]:
    from shellguard.fixes import fix_preview  # not before there is a fix to show: most runs have none

    label = _HOW_TO_APPLY[fix.applicability]
    first, *rest = _prose(f"{label}: {fix.message}", style)
    yield first.replace(label, style.paint(label, Role.FIX), 1)
    yield from rest
    preview = fix_preview(source, fix) if fix.edits else []
    for index in range(min(len(preview), _MAX_DIFF_LINES)):
        yield beside_gutter(_diff_line(preview, index, room_beside(gutter, style), style), gutter, style)
    if len(preview) > _MAX_DIFF_LINES:
        hidden = plural(len(preview) - _MAX_DIFF_LINES, "more line")
        yield beside_gutter(f"{style.ellipsis} {hidden}, see --diff", gutter, style)


def _diff_line(preview: Sequence[tuple[str, str]], index: int, room: int, style: Style) -> str:
    marker, line = preview[index]
    focus = (0, 0) if marker == " " else _changed_part(preview, index)
    drawn = draw_line(line, focus, room - 2, replace(style, colour=False))
    return style.paint(f"{marker} {drawn.text}".rstrip(), _DIFF_ROLES[marker])


def _changed_part(preview: Sequence[tuple[str, str]], index: int) -> tuple[int, int]:
    """The code points of a diff's line that its counterpart, the most similar line of the other marker, lacks."""
    marker, line = preview[index]
    counterparts = [text for other, text in preview if other not in {marker, " "}]
    ends = [_common_ends(line, counterpart) for counterpart in counterparts]
    head, tail = max(ends, key=sum, default=(0, 0))
    return head, len(line) - tail


def _common_ends(one: str, other: str) -> tuple[int, int]:
    """How many code points two lines have in common at their beginning, and at their end."""
    shorter = min(len(one), len(other))
    head = next((index for index in range(shorter) if one[index] != other[index]), shorter)
    rest = shorter - head
    return head, next((index for index in range(rest) if one[-1 - index] != other[-1 - index]), rest)


def _not_checked(entry: NotChecked, style: Style) -> Iterator[str]:
    place = visible(entry.path, unicode=style.unicode)
    if entry.line is not None:
        place += f":{entry.line}"
        if entry.end_line is not None and entry.end_line > entry.line:
            place += f"-{entry.end_line}"
    reason = visible_prose(entry.reason, unicode=style.unicode)
    if cell_length(f"{MARGIN}{place}: {reason}") <= style.width:
        yield f"{MARGIN}{style.paint(f'{place}:', Role.STRONG)} {reason}"
        return
    yield MARGIN + style.paint(f"{place}:", Role.STRONG)
    yield from _prose(entry.reason, style, indent=2 * MARGIN)
