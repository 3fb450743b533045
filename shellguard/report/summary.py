"""The last line of a report: what was checked and what came of it."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from shellguard.finding import NotChecked, Report, Severity
from shellguard.report.style import Role, Style, severity_role


class Totals(NamedTuple):
    """The numbers of a run. `sources` are pieces of shell: a file that embeds shell holds several.

    `empty` are those with nothing to check in them, which no other number counts.
    """

    files: int
    sources: int
    lines: int
    commands: int
    errors: int
    warnings: int
    infos: int
    suppressed: int
    not_checked: int
    empty: int = 0

    @property
    def findings(self) -> int:
        """Findings of any severity, suppressed ones left out."""
        return self.errors + self.warnings + self.infos


def count(report: Report) -> Totals:
    """Add a report up."""
    checked = [file for file in report.files if not file.is_blank]
    severities = Counter(finding.severity for file in report.files for finding in file.findings)
    return Totals(
        files=len({file.source.path for file in checked}),
        sources=len(checked),
        lines=sum(file.lines for file in checked),
        commands=sum(file.commands for file in checked),
        errors=severities[Severity.ERROR],
        warnings=severities[Severity.WARNING],
        infos=severities[Severity.INFO],
        suppressed=sum(file.suppressed for file in report.files),
        not_checked=len(not_checked(report)),
        empty=len(report.files) - len(checked),
    )


def not_checked(report: Report) -> list[NotChecked]:
    """All that wasn't analysed, in order of path and line."""
    entries = [*report.not_checked, *(entry for file in report.files for entry in file.not_checked)]
    return sorted(entries, key=lambda entry: (entry.path, entry.line or 0, entry.end_line or 0, entry.reason))


def summary_line(totals: Totals, style: Style) -> str:
    """One sentence without a newline: `checked 12 scripts (3,410 lines, 214 commands): 3 errors, 1 warning`."""
    left_out = [f"{totals.empty:,} empty"] if totals.empty else []
    if totals.not_checked:
        left_out.append(style.paint(f"{totals.not_checked:,} not checked", Role.WARNING))
    if not totals.sources:
        return ", ".join([style.paint("checked nothing", Role.WARNING), *left_out])
    size = f"{plural(totals.lines, 'line')}, {plural(totals.commands, 'command')}"
    counts = (
        (Severity.ERROR, totals.errors),
        (Severity.WARNING, totals.warnings),
        (Severity.INFO, totals.infos),
    )
    results = [
        style.paint(plural(number, severity.label), severity_role(severity)) for severity, number in counts if number
    ] or [style.paint("no findings", Role.FIX)]
    suppressed = [f"{totals.suppressed:,} suppressed"] if totals.suppressed else []
    return f"checked {plural(totals.files, 'script')} ({size}): {', '.join([*results, *suppressed, *left_out])}"


def plural(number: int, word: str) -> str:
    """A count and its noun: `1 line`, `3,410 lines`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
