"""Whole scripts and what is found in them: `NAME.out` lists it, one finding a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shellguard.checks import CHECKS
from shellguard.engine import SYNTAX_ERROR, Settings, check_source
from shellguard.finding import FileReport
from shellguard.pages import Profile, load_pages
from shellguard.source import Source

FOLDER = Path(__file__).parent / "fixtures" / "scripts"
SCRIPTS = sorted(FOLDER.rglob("*.sh"))
SETTINGS = Settings(
    frozenset(code for code, page in load_pages().items() if Profile.STRICT.includes(page.profile)), raise_crashes=True
)


def name(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()


def report(path: Path) -> FileReport:
    found = check_source(Source(name(path), path.read_text(encoding="utf-8")), SETTINGS)
    assert isinstance(found, FileReport), found
    return found


def lines(found: FileReport) -> Iterator[str]:
    """One line per finding, then one per stretch that was not checked."""
    for finding in found.findings:
        place = found.source.position(finding.span.start)
        yield f"{place.line}:{place.column} {finding.rule} {finding.severity.label}\n"
    for gap in found.not_checked:
        yield f"{gap.line}-{gap.end_line} not checked\n"


@pytest.mark.parametrize("path", [path for path in SCRIPTS if path.parent.name != "ok"], ids=name)
def test_the_findings_are_those_listed(path: Path, golden: Callable[[Path, str], None]) -> None:
    golden(path.with_suffix(".out"), "".join(lines(report(path))))


@pytest.mark.parametrize("path", sorted((FOLDER / "ok").glob("*.sh")), ids=name)
def test_a_good_script_is_silent(path: Path) -> None:
    assert list(lines(report(path))) == []


@pytest.mark.parametrize("path", sorted((FOLDER / "broken").glob("*.sh")), ids=name)
def test_a_broken_script_has_a_syntax_error_and_is_checked_as_far_as_it_can_be(path: Path) -> None:
    rules = {finding.rule for finding in report(path).findings}
    assert SYNTAX_ERROR in rules
    assert len(rules) > 1


def test_every_rule_is_found_in_a_whole_script() -> None:
    found = {finding.rule for path in SCRIPTS for finding in report(path).findings}
    assert {check.code for check in CHECKS} <= found


def test_no_golden_is_left_behind() -> None:
    listed = {path for path in SCRIPTS if path.parent.name != "ok"}
    assert {path.with_suffix(".sh") for path in FOLDER.rglob("*.out")} == listed
