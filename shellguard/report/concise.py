"""One line for each finding, for editors and `grep`: `path:line:column: SG101 error: message`.

What wasn't checked gets a line too. There is no summary line: every line of the output names a place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shellguard.report.sanitise import visible, visible_prose
from shellguard.report.summary import not_checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shellguard.finding import FileReport, NotChecked, Report
    from shellguard.report import RuleInfo
    from shellguard.report.style import Style


def render(report: Report, rules: Mapping[str, RuleInfo], style: Style) -> Iterator[str]:  # noqa: ARG001 -- every format has this signature
    """Yield the report's lines: the findings in order of place, then what wasn't checked."""
    for file in report.files:
        yield from _findings(file, style)
    for entry in not_checked(report):
        yield _entry(entry, style)


def _findings(file: FileReport, style: Style) -> Iterator[str]:
    path = visible(file.source.path, unicode=style.unicode)
    for finding in file.findings:
        position = file.source.position(finding.span.start)
        message = visible_prose(finding.message, unicode=style.unicode)
        place = f"{path}:{position.line}:{position.column}"
        yield f"{place}: {finding.rule} {finding.severity.label}: {message}\n"


def _entry(entry: NotChecked, style: Style) -> str:
    path = visible(entry.path, unicode=style.unicode)
    place = path if entry.line is None else f"{path}:{entry.line}"
    return f"{place}: not checked: {visible_prose(entry.reason, unicode=style.unicode)}\n"
