"""The engine: one script through the stages, many in parallel, and what happens when something breaks."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shellguard.checks import Check
from shellguard.dialect import Shell
from shellguard.engine import Settings, Stages, check_file, check_files, check_source, check_text
from shellguard.finding import FileReport, Finding, NotChecked, Severity
from shellguard.flow.facts import Facts, analyse
from shellguard.source import Dialect, Source, Span

RULES = frozenset({"SG001", "SG003", "SG101", "SG201"})


def find(word: str, rule: str = "SG101") -> Check:
    """A check that flags every occurrence of a word."""

    def run(facts: Facts) -> Iterator[Finding]:
        start = facts.source.text.find(word)
        while start >= 0:
            yield Finding(rule, Severity.ERROR, Span(start, start + len(word)), f"found {word}")
            start = facts.source.text.find(word, start + 1)

    return Check(rule, run)


def crash(_: Facts) -> Iterator[Finding]:
    yield Finding("SG201", Severity.WARNING, Span(0, 1), "before the crash")
    raise LookupError("no such\nfact")


def kill_worker(facts: Facts) -> Iterator[Finding]:
    if "die" in facts.source.text:
        os.kill(os.getpid(), signal.SIGKILL)
    yield from ()


def failing_analysis(*_: object) -> NoReturn:
    raise RecursionError("too deep")


def finding_stages() -> Stages:
    return Stages(analyse, (find("bad"),))


def killing_stages() -> Stages:
    return Stages(analyse, (find("bad"), Check("SG201", kill_worker)))


def settings(*checks: Check, raise_crashes: bool = False, dialect: Dialect | None = None) -> Settings:
    return Settings(RULES, dialect, raise_crashes, lambda: Stages(analyse, checks))


def check(text: str, *checks: Check) -> FileReport:
    report = check_source(Source("run.sh", text), settings(*checks))
    assert isinstance(report, FileReport)
    return report


def test_findings_come_in_order_of_place_then_code() -> None:
    report = check("b; a; b\n", find("b", "SG201"), find("a"), find("b"))
    assert [(finding.rule, finding.span.start) for finding in report.findings] == [
        ("SG101", 0),
        ("SG201", 0),
        ("SG101", 3),
        ("SG101", 6),
        ("SG201", 6),
    ]


def test_lines_and_simple_commands_are_counted() -> None:
    report = check("if a; then\n  x=$(b | c)\nfi\n# comment\n")
    assert (report.lines, report.commands) == (4, 4)


def test_rules_that_are_not_wanted_do_not_run() -> None:
    unwanted = Check("SG301", crash)
    assert check("a\n", unwanted).not_checked == ()


def test_a_syntax_error_says_what_was_expected_and_what_was_open() -> None:
    report = check("if a; then\n  b\n")
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("SG001", Severity.ERROR)
    assert "`fi`" in finding.message
    assert [(related.span, related.message) for related in finding.related] == [
        (Span(0, 2), "`if` opened here and still open")
    ]


def test_lines_skipped_by_a_syntax_error_are_not_checked_and_the_rest_is() -> None:
    report = check("a\necho 'open\nbad\n", find("bad"))
    assert report.not_checked == (NotChecked("run.sh", "not analysed because of a syntax error", 2, 2),)
    assert [finding.rule for finding in report.findings] == ["SG001", "SG101"]


@pytest.mark.parametrize("text", ["if a; then\n  b\n", "{ a\nb\n", "a &&\n\n", "f() {\nx=$(a", "a\nfor"])
def test_a_script_that_ends_too_early_is_not_checked_at_its_end(text: str) -> None:
    report = check(text)
    (finding,) = report.findings
    assert finding.rule == "SG001"
    assert report.not_checked == (NotChecked("run.sh", "not analysed because of a syntax error", 2, 2),)


def test_a_crashing_rule_is_listed_and_the_others_go_on() -> None:
    report = check("a bad\n", Check("SG201", crash), find("bad"))
    assert [finding.message for finding in report.findings] == ["before the crash", "found bad"]
    (entry,) = report.not_checked
    assert entry.path == "run.sh"
    assert entry.reason.startswith("rule SG201 crashed: LookupError: no such fact (test_engine.py:")


def test_a_crashing_analysis_is_listed_and_syntax_errors_are_still_found() -> None:
    stages = Stages(failing_analysis, (find("bad"),))
    report = check_source(Source("run.sh", "fi\n"), Settings(RULES, load_stages=lambda: stages))
    assert isinstance(report, FileReport)
    assert [finding.rule for finding in report.findings] == ["SG001"]
    assert any(
        entry.reason.startswith("the analysis crashed: RecursionError: too deep") for entry in report.not_checked
    )


def test_a_crashing_parser_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellguard.engine.parse", failing_analysis)
    report = check_text("run.sh", b"a\n", settings())
    assert isinstance(report, NotChecked)
    assert report.reason.startswith("the parser crashed: RecursionError: too deep (test_engine.py:")
    with pytest.raises(RecursionError):
        check_text("run.sh", b"a\n", settings(raise_crashes=True))


def test_crashes_are_raised_on_demand() -> None:
    with pytest.raises(LookupError):
        check_source(Source("run.sh", "a\n"), settings(Check("SG201", crash), raise_crashes=True))


def test_the_dialect_given_reaches_the_analysis() -> None:
    seen: list[Shell] = []

    def note(facts: Facts) -> Iterator[Finding]:
        seen.append(facts.shell)
        yield from ()

    check_source(Source("run.sh", "#!/bin/bash\n"), settings(Check("SG101", note), dialect=Dialect.KSH))
    assert [shell.dialect for shell in seen] == [Dialect.KSH]


def test_a_script_for_another_shell_is_not_checked() -> None:
    report = check_source(Source("a", "#!/bin/zsh\nbad\n"), settings(find("bad")))
    assert isinstance(report, NotChecked)
    assert "zsh" in report.reason


def test_a_nul_byte_is_a_finding_and_the_file_is_not_checked() -> None:
    report = check_text("run.sh", b"#!/bin/sh\nbad \0\n", settings(find("bad")))
    assert isinstance(report, FileReport)
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("SG003", Severity.ERROR)
    assert report.source.position(finding.span.start) == report.source.position(14)
    assert report.not_checked == (NotChecked("run.sh", "it has a NUL byte, so it is no text", 2),)
    assert len(report.fingerprints) == 1


def test_utf_16_is_recognised() -> None:
    report = check_text("run.sh", "\ufeffecho\n".encode("utf-16-le"), settings())
    assert isinstance(report, FileReport)
    assert "UTF-16" in report.findings[0].message


def test_a_file_that_cannot_be_read_is_not_checked(tmp_path: Path) -> None:
    path = str(tmp_path / "gone.sh")
    assert check_file(path, settings()) == NotChecked(path, "no such file or directory")


def fingerprints(text: str, path: str = "run.sh", word: str = "bad") -> tuple[str, ...]:
    report = check_source(Source(path, text), settings(find(word)))
    assert isinstance(report, FileReport)
    return report.fingerprints


def test_fingerprints_survive_other_lines_and_spacing() -> None:
    assert fingerprints("run bad\n") == fingerprints("\n# more\nif x; then\n    run   bad\nfi\n")


def test_fingerprints_tell_paths_and_commands_apart() -> None:
    assert len({*fingerprints("run bad\n"), *fingerprints("run bad\n", "b.sh"), *fingerprints("walk bad\n")}) == 3


def test_repeated_commands_have_numbered_fingerprints() -> None:
    first, second = fingerprints("run bad\nrun bad\n")
    assert first != second
    assert fingerprints("run bad\n") == (first,)


def test_a_fingerprint_is_about_the_innermost_command() -> None:
    assert fingerprints('echo "$(run bad)"\n') == fingerprints('x="$(run bad)"\n')


@pytest.fixture
def scripts(tmp_path: Path) -> list[str]:
    """Enough shell for worker processes, `bad` in every third script."""
    filler = "# filler\n" * 2000
    paths = [tmp_path / f"{number:02}.sh" for number in range(20)]
    for number, path in enumerate(paths):
        path.write_text(("bad\n" if number % 3 == 0 else "good\n") + filler)
    return [str(path) for path in paths]


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_the_report_does_not_depend_on_the_number_of_jobs(scripts: list[str], jobs: int) -> None:
    report = check_files(scripts, Settings(RULES, load_stages=finding_stages), jobs=jobs)
    assert [file.source.path for file in report.files] == scripts
    flagged = [file for file in report.files if file.findings]
    assert [file.source.path for file in flagged] == scripts[::3]
    assert [file.source.excerpt(finding.span) for file in flagged for finding in file.findings] == ["bad"] * 7
    assert {file.lines for file in report.files} == {2001}


def test_a_killed_worker_costs_one_file_and_says_so(scripts: list[str]) -> None:
    for path in scripts[4:6]:
        Path(path).write_text("die\n" + "# filler\n" * 2000)
    report = check_files(scripts, Settings(RULES, load_stages=killing_stages), jobs=2)
    assert report.not_checked == tuple(
        NotChecked(path, "the process that checked it was killed by SIGKILL") for path in scripts[4:6]
    )
    assert [file.source.path for file in report.files] == [*scripts[:4], *scripts[6:]]


@pytest.mark.parametrize("spare", [2, 5, 12, 40])
def test_a_shortage_of_open_files_costs_no_file(scripts: list[str], spare: int) -> None:
    import resource

    finding = Settings(RULES, load_stages=finding_stages)
    expected = check_files(scripts, finding)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(int(entry.name) for entry in Path("/proc/self/fd").iterdir()) + 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + spare, limits[1]))
    try:
        report = check_files(scripts, finding, jobs=999)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert report.not_checked == ()
    assert [file.source.path for file in report.files] == [file.source.path for file in expected.files]
    assert [file.fingerprints for file in report.files] == [file.fingerprints for file in expected.files]


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_counts_up_to_all(scripts: list[str], jobs: int) -> None:
    seen: list[int] = []
    check_files(scripts, Settings(RULES, load_stages=finding_stages), jobs=jobs, progress=seen.append)
    assert seen == list(range(1, len(scripts) + 1))


def test_an_exception_in_the_parent_leaves_no_worker(scripts: list[str]) -> None:
    import multiprocessing

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_files(scripts, Settings(RULES, load_stages=finding_stages), jobs=2, progress=interrupt)
    assert multiprocessing.active_children() == []


@given(st.binary(max_size=200))
def test_any_bytes_give_a_report_whose_places_are_in_the_text(data: bytes) -> None:
    report = check_text("run.sh", data, settings(find("a")))
    if isinstance(report, FileReport):
        assert all(0 <= f.span.start <= f.span.end <= len(report.source.text) for f in report.findings)
        assert len(report.fingerprints) == len(report.findings)
