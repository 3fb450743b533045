"""One line per finding and per place that wasn't checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from report_samples import RULES, hostile_report, nightly_report, reports

from shellguard.finding import Report
from shellguard.report.concise import render
from shellguard.report.style import Style

GOLDENS = Path(__file__).parent / "fixtures" / "report"


def test_lines(golden: Callable[[Path, str], None]) -> None:
    golden(GOLDENS / "nightly.concise.txt", "".join(render(nightly_report(), RULES, Style())))


def test_hostile_names_and_messages(golden: Callable[[Path, str], None]) -> None:
    golden(GOLDENS / "hostile.concise.txt", "".join(render(hostile_report(), RULES, Style())))


@given(reports())
def test_every_entry_is_one_printable_line(report: Report) -> None:
    lines = list(render(report, RULES, Style()))
    assert len(lines) == sum(len(file.findings) for file in report.files) + len(report.not_checked)
    for line in lines:
        assert line.endswith("\n")
        assert line[:-1].isprintable()
    assert "".join(render(report, RULES, Style(unicode=False))).isascii()
