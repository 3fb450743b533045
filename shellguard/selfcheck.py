"""Whether the installed linter does what the rule pages say: their controls, without running any."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shellguard.engine import Settings, check_source
from shellguard.finding import FileReport, Severity
from shellguard.pages import ControlKind, Profile, controls
from shellguard.source import Source
from shellguard.suppress.apply import UNUSED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from shellguard.finding import Finding
    from shellguard.pages import Control, RulePage

Mark = tuple[str, int, Severity]
"""A rule, a 1-based line, and a severity."""

# `# <- SG101`, or with a severity other than the page's: `# <- SG101 warning`
_MARKER = re.compile(r"[ \t]*# <- (SG\d{3})(?: (info|warning|error))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the linter makes of a control: what it should find and what it finds; equal when all is well."""

    page: RulePage
    control: Control
    wanted: tuple[Mark, ...]
    found: tuple[Mark, ...]


def outcomes(pages: Mapping[str, RulePage]) -> Iterator[Outcome]:
    """Check the bad controls of every page for its rule, and the good ones for the default profile, too."""
    default = frozenset(code for code, page in pages.items() if Profile.DEFAULT.includes(page.profile))
    for page in pages.values():
        for control in controls(page):
            if control.kind is ControlKind.BAD:
                yield _outcome(page, control, rules_of(page, default))
            elif control.kind is ControlKind.GOOD:
                yield _outcome(page, control, default | {page.code})


def rules_of(page: RulePage, others: frozenset[str]) -> frozenset[str]:
    """The rules to look for in a page's controls: its own; whether comments silence others shows with the others."""
    return frozenset({page.code}) | (others if page.code == UNUSED else frozenset())


def _outcome(page: RulePage, control: Control, rules: frozenset[str]) -> Outcome:
    """Check one control, whatever its first line says of the shell."""
    source = Source(f"{page.path.name}:{control.line}", without_marks(control.text))
    report = check_source(source, Settings(rules, control.dialect, raise_crashes=True))
    found = marks_of(source, report.findings) if isinstance(report, FileReport) else ()
    return Outcome(page, control, marks(page, control.text), found)


def without_marks(text: str) -> str:
    """The text of a control as the linter is to see it."""
    return _MARKER.sub("", text)


def marks(page: RulePage, text: str) -> tuple[Mark, ...]:
    """What the markers of a control say, by place."""
    found = []
    for match in _MARKER.finditer(text):
        severity = Severity[match[2].upper()] if match[2] else page.severity
        found.append((match[1], text.count("\n", 0, match.start()) + 1, severity))
    return tuple(found)


def marks_of(source: Source, findings: Collection[Finding]) -> tuple[Mark, ...]:
    """Findings in the form of markers."""
    return tuple((finding.rule, source.line_of(finding.span.start), finding.severity) for finding in findings)
