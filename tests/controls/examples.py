"""The controls as the linter is to see them: without their markers, and with what the markers say."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from shellguard.engine import Settings, check_source, fix_file
from shellguard.finding import Applicability, FileReport, Finding
from shellguard.fixes import FixResult
from shellguard.pages import Control, ControlKind, Profile, RulePage, controls, load_pages
from shellguard.selfcheck import Mark, marks, marks_of, rules_of, without_marks
from shellguard.source import Dialect, Source

__all__ = ["DEFAULT_RULES", "PAGES", "Example", "apply_fixes", "check", "examples", "find", "marks_of", "settings"]

PAGES = load_pages()
DEFAULT_RULES = frozenset(code for code, page in PAGES.items() if Profile.DEFAULT.includes(page.profile))


@dataclass(frozen=True)
class Example:
    """A control of a page without its markers; `fixed` is the text of the `fixed` control that follows it."""

    page: RulePage
    control: Control
    text: str
    marks: tuple[Mark, ...]
    fixed: str | None = None
    fixed_expect: str | None = None

    def __str__(self) -> str:
        """The place on the page, for the name of a test."""
        return f"{self.page.path.name}:{self.control.line}"

    @property
    def source(self) -> Source:
        """The script; errors are told at its name."""
        return Source(str(self), self.text)

    @property
    def rules(self) -> frozenset[str]:
        """The rules to look for in it."""
        return rules_of(self.page, DEFAULT_RULES)

    @property
    def dialect(self) -> Dialect:
        """The dialect that it is written in."""
        return self.control.dialect


def examples(*kinds: ControlKind) -> list[Example]:
    """The controls of these kinds on all pages."""
    found: list[Example] = []
    for page in PAGES.values():
        for control in controls(page):
            if control.kind is ControlKind.FIXED:
                found[-1] = replace(found[-1], fixed=control.text, fixed_expect=control.expect)
                continue
            found.append(Example(page, control, without_marks(control.text), marks(page, control.text)))
    return [example for example in found if example.control.kind in kinds]


def settings(dialect: Dialect, rules: Collection[str]) -> Settings:
    """A run for some rules in which a crash is an error."""
    return Settings(frozenset(rules), dialect, raise_crashes=True)


def find(source: Source, dialect: Dialect, rules: Collection[str]) -> tuple[Finding, ...]:
    """The findings of some rules in a script, whatever its first line says."""
    return check(source, settings(dialect, rules)).findings


def check(source: Source, looked_for: Settings) -> FileReport:
    """The report on a script that can be checked."""
    report = check_source(source, looked_for)
    assert isinstance(report, FileReport)
    return report


def apply_fixes(source: Source, dialect: Dialect, rules: Collection[str], kind: Applicability) -> FixResult:
    """Apply the fixes of one kind to a script."""
    looked_for = settings(dialect, rules)
    result, _ = fix_file(check(source, looked_for), looked_for, {kind})
    return result
