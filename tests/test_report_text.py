"""The report for people: goldens to judge by eye, and what holds for every script, place and message."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from report_samples import RULES, hostile_report, nightly_report, reports, spans, wide_report
from rich.cells import cell_len

from shellguard.finding import Applicability, Edit, FileReport, Finding, Fix, NotChecked, Related, Report, Severity
from shellguard.report.excerpt import Mark, excerpt
from shellguard.report.sanitise import visible
from shellguard.report.style import Role, Style
from shellguard.report.text import render
from shellguard.source import Source, Span

GOLDENS = Path(__file__).parent / "fixtures" / "report"

# Characters on whose widths all terminals and rich agree.
ALPHABET = 'abc $"|-\t\r\x1b\x9b\u200b\u202e\udcff完語✅é'


def rendered(report: Report, style: Style) -> str:
    return "".join(render(report, RULES, style))


def without_colours(text: str) -> str:
    return re.sub("\x1b\\[[0-9;]*m", "", text)


def drawn(text: str, *marks: tuple[Span, str], width: int = 80) -> list[str]:
    """The excerpt of a script; the first mark is underlined with carets, the others with dashes."""
    shown = [Mark(span, label, Role.ERROR, "-" if index else "^") for index, (span, label) in enumerate(marks)]
    return list(excerpt(Source("a.sh", text), shown, Style(width=width)))


@pytest.mark.parametrize(
    ("name", "report", "style"),
    [
        ("nightly.80.txt", nightly_report(), Style(width=80)),
        ("nightly.120.txt", nightly_report(), Style(width=120)),
        ("nightly.ascii.txt", nightly_report(), Style(width=60, unicode=False)),
        ("nightly.short.txt", nightly_report(), Style(excerpts=False, fixes=False)),
        ("hostile.80.txt", hostile_report(), Style(width=80)),
        ("wide.80.txt", wide_report(), Style(width=80)),
    ],
)
def test_goldens(name: str, report: Report, style: Style, golden: Callable[[Path, str], None]) -> None:
    golden(GOLDENS / name, rendered(report, style))


def test_colours(golden: Callable[[Path, str], None]) -> None:
    golden(GOLDENS / "hostile.colour.txt", rendered(hostile_report(), Style(colour=True)).replace("\x1b", "␛"))


def test_nothing_found() -> None:
    report = Report((FileReport(Source("a.sh", "true\n"), lines=1, commands=1),))
    assert rendered(report, Style()) == "checked 1 script (1 line, 1 command): no findings\n"


def test_a_place_that_is_also_related_gets_its_sentence() -> None:
    finding = Finding("SG201", Severity.ERROR, Span(0, 3), "lost", (Related(Span(0, 3), "this one"),))
    report = Report((FileReport(Source("a.sh", "job | cat\n"), (finding,)),))
    assert "\n  1 │ job | cat\n    │ ^^^ this one\n" in rendered(report, Style())


def test_a_long_path_stays_in_one_piece() -> None:
    path = "a/very/long/" + "folder/" * 12 + "script.sh"
    finding = Finding("SG201", Severity.ERROR, Span(0, 3), "lost")
    report = Report((FileReport(Source(path, "job | cat\n"), (finding,)),), (NotChecked(path, "why not", 3, 5),))
    lines = rendered(report, Style()).splitlines()
    assert lines[:2] == [f"{path}:1:1:", "  error: SG201 pipe-masks-status"]
    assert lines[-4:-2] == [f"  {path}:3-5:", "    why not"]


def test_a_long_diff_is_cut_and_says_where_the_rest_is() -> None:
    text = "".join(f"job {number}\n" for number in range(40))
    fix = Fix(
        Applicability.SAFE, "all of them", tuple(Edit(Span(m.end(), m.end()), " x") for m in re.finditer("job", text))
    )
    report = Report(
        (FileReport(Source("a.sh", text), (Finding("SG201", Severity.ERROR, Span(0, 3), "lost", (), fix),)),)
    )
    lines = rendered(report, Style()).splitlines()
    assert re.fullmatch(r"    │ … \d+ more lines, see --diff", lines[-3])
    assert len(lines) < 40


def test_close_lines_are_merged_and_far_ones_are_not() -> None:
    text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
    assert drawn(text, (Span(0, 3), ""), (Span(8, 13), "here"), (Span(28, 33), "there")) == [
        "  1 │ one",
        "    │ ^^^",
        "  2 │ two",
        "  3 │ three",
        "    │ ----- here",
        "  …",
        "  7 │ seven",
        "    │ ----- there",
    ]


def test_marks_on_one_line_share_a_row_unless_both_speak() -> None:
    assert drawn("a | b | c\n", (Span(8, 9), ""), (Span(0, 1), "first"), (Span(4, 5), "second")) == [
        "  1 │ a | b | c",
        "    │ - first",
        "    │     -   ^",
        "    │     second",
    ]


def test_overlapping_marks_have_rows_of_their_own() -> None:
    assert drawn("a | b | c\n", (Span(0, 5), ""), (Span(4, 9), "later")) == [
        "  1 │ a | b | c",
        "    │ ^^^^^",
        "    │     ----- later",
    ]


def test_a_long_span_shows_its_ends() -> None:
    text = "f() {\n" + "".join(f"  step {number}\n" for number in range(10)) + "}\n"
    assert drawn(text, (Span(0, len(text)), "all of it")) == [
        "   1 ┃ f() {",
        "     │ ^^^^^",
        "   2 ┃   step 0",
        "   3 ┃   step 1",
        "   4 ┃   step 2",
        "   …",
        "  11 ┃   step 9",
        "  12 ┃ }",
        "     │ ^ all of it",
    ]


def test_the_end_of_a_script_has_a_place() -> None:
    assert drawn("if x\n", (Span(5, 5), "`fi` is missing")) == ["  1 │ if x", "    │     ^ `fi` is missing"]
    assert drawn("", (Span(0, 0), "nothing here")) == ["  1 │", "    │ ^ nothing here"]


def test_a_crlf_file_does_not_show_its_line_ends() -> None:
    assert drawn("a\rb\r\n", (Span(0, 4), "")) == ["  1 │ a\\rb", "    │ ^^^^"]


def test_far_apart_places_on_a_long_line_are_both_shown() -> None:
    text = "job " + "x" * 200 + " | tail -1 # " + "y" * 200 + "\n"
    assert drawn(text, (Span(0, 3), ""), (Span(207, 214), "the last one"), width=50) == [
        "  1 │ job xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
        "    │ ^^^",
        "    │ …xxxxxxxxxxxxxx | tail -1 # yyyyyyyyyyyyyy…",
        "    │                   ------- the last one",
    ]


def test_a_sentence_without_room_beside_its_mark_goes_below() -> None:
    assert drawn("echo " + "a" * 40 + "\n", (Span(5, 45), "too long to stand beside it"), width=60) == [
        "  1 │ echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "    │      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "    │      too long to stand beside it",
    ]


def cells_of(row: str, start: int, end: int) -> str:
    """The characters of a printed row whose cells begin in a range."""
    shown, cell = "", 0
    for character in row:
        shown += character if start <= cell < end else ""
        cell += cell_len(character)
    return shown


@st.composite
def _lines_and_spans(draw: st.DrawFn) -> tuple[str, Span]:
    text = draw(st.text(st.sampled_from(ALPHABET), min_size=1, max_size=300)).rstrip("\r") + "x"
    return text, draw(spans(Source("", text)).filter(lambda span: span.end > span.start))


@given(_lines_and_spans(), st.integers(40, 130))
@example(("\t完\t$(date)x", Span(3, 10)), 80)
def test_the_underline_is_under_the_span(case: tuple[str, Span], width: int) -> None:
    text, span = case
    row, underline = drawn(text, (span, ""), width=width)
    start = underline.index("^")
    shown = cells_of(row, start, len(underline))
    # Tabs are drawn as some number of spaces.
    expected = visible(text[span.start : span.end].replace("\t", " ")).replace(" ", "")
    if row.endswith("…"):
        assert expected.startswith(shown.replace(" ", "").removesuffix("…"))
    else:
        assert shown.replace(" ", "") == expected
    assert set(underline[start:]) == {"^"}


@given(reports(), st.integers(50, 130))
def test_each_finding_is_a_chunk_of_lines_that_fit(report: Report, width: int) -> None:
    """All fit but paths, which stay in one piece, and the last line, which is one for those who search it."""
    *chunks, last = render(report, RULES, Style(width=width))
    assert last.startswith("checked ")
    findings = [(file.source, finding) for file in report.files for finding in file.findings]
    assert len(chunks) == len(findings) + bool(report.not_checked)
    for (source, finding), chunk in zip(findings, chunks, strict=False):
        position = source.position(finding.span.start)
        assert chunk.startswith(f"{visible(source.path)}:{position.line}:{position.column}:")
        assert f"{finding.severity.label}: {finding.rule} {RULES[finding.rule].name}\n" in chunk
    paths = {source.path for source, _ in findings} | {entry.path for entry in report.not_checked}
    places = tuple(f"{visible(path)}:".strip() for path in paths)
    for line in "".join(chunks).split("\n"):
        assert line.strip().startswith(places) or cell_len(line) <= width


@given(reports())
def test_nothing_reaches_the_terminal_raw(report: Report) -> None:
    plain = rendered(report, Style())
    assert all(character == "\n" or character.isprintable() for character in plain)
    assert without_colours(rendered(report, Style(colour=True))) == plain
    assert rendered(report, Style(unicode=False)).isascii()
