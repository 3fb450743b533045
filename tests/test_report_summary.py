"""The line that says what was checked and what came of it."""

from __future__ import annotations

import pytest
from report_samples import NIGHTLY, nightly_report

from shellguard.finding import FileReport, NotChecked, Report
from shellguard.report.style import Style
from shellguard.report.summary import Totals, count, not_checked, summary_line
from shellguard.source import Source

CLEAN = Totals(
    files=12, sources=12, lines=3410, commands=214, errors=0, warnings=0, infos=0, suppressed=0, not_checked=0
)
SIZE = "checked 12 scripts (3,410 lines, 214 commands)"


@pytest.mark.parametrize(
    ("totals", "line"),
    [
        (CLEAN, f"{SIZE}: no findings"),
        (CLEAN._replace(errors=3, warnings=1), f"{SIZE}: 3 errors, 1 warning"),
        (CLEAN._replace(errors=1, infos=2), f"{SIZE}: 1 error, 2 infos"),
        (CLEAN._replace(warnings=2000, infos=1), f"{SIZE}: 2,000 warnings, 1 info"),
        (CLEAN._replace(not_checked=2), f"{SIZE}: no findings, 2 not checked"),
        (CLEAN._replace(errors=2, suppressed=4, not_checked=1), f"{SIZE}: 2 errors, 4 suppressed, 1 not checked"),
        (CLEAN._replace(empty=3, not_checked=2), f"{SIZE}: no findings, 3 empty, 2 not checked"),
        (
            CLEAN._replace(files=1, sources=1, lines=1, commands=1),
            "checked 1 script (1 line, 1 command): no findings",
        ),
        (CLEAN._replace(files=0, sources=0, lines=0, commands=0), "checked nothing"),
        (CLEAN._replace(files=0, sources=0, lines=0, commands=0, not_checked=3), "checked nothing, 3 not checked"),
    ],
)
def test_line(totals: Totals, line: str) -> None:
    assert summary_line(totals, Style()) == line


def test_count() -> None:
    assert count(nightly_report()) == Totals(
        files=1, sources=1, lines=13, commands=8, errors=2, warnings=1, infos=1, suppressed=2, not_checked=1
    )


def test_a_file_with_several_pieces_of_shell_counts_once() -> None:
    pieces = (FileReport(Source("ci.yml", "a\n"), lines=1), FileReport(Source("ci.yml", "b\n"), lines=1))
    totals = count(Report(pieces))
    assert (totals.files, totals.sources, totals.lines) == (1, 2, 2)


def test_empty_files_count_as_empty_only() -> None:
    blank, checked = (FileReport(Source(path, "\n"), lines=1, is_blank=path == "a.sh") for path in ("a.sh", "b.sh"))
    totals = count(Report((blank, checked)))
    assert (totals.files, totals.sources, totals.lines, totals.empty) == (1, 1, 1, 1)


def test_what_was_not_checked_is_in_order_of_place() -> None:
    whole, late, early = NotChecked("b.sh", "binary"), NotChecked("a.sh", "x", 9, 12), NotChecked("a.sh", "x", 2, 3)
    report = Report((FileReport(NIGHTLY, not_checked=(late, early)),), (whole,))
    assert not_checked(report) == [early, late, whole]
