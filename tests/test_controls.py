"""The controls of the rule pages: the linter says what the page says, and the shells do what the rule claims."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from controls.examples import DEFAULT_RULES, PAGES, Example, apply_fixes, examples, find, marks_of
from controls.shells import FAILURE, MissingShellError, Ran, job_of, run, shells

from shellguard.finding import Applicability
from shellguard.pages import ControlKind, RulePage, controls
from shellguard.source import Dialect, Source
from shellguard.syntax import parse

BAD = examples(ControlKind.BAD)
GOOD = examples(ControlKind.GOOD)
PAIRS = [example for example in BAD if example.fixed is not None]

# Rules about statuses; what the others claim is about files, and no status proves it.
STATUS_FAMILIES = ("SG1", "SG2")
STATUS_BAD = [example for example in BAD if example.page.code.startswith(STATUS_FAMILIES)]
# Its failing job is seen, but not by the check that is meant to see it.
DEAD_CHECK = "SG110"
HIDING_BAD = [example for example in STATUS_BAD if example.page.code != DEAD_CHECK]
STATUS_GOOD = [example for example in GOOD if example.page.code.startswith(STATUS_FAMILIES) and example.control.stub]


def fixed_source(example: Example) -> Source:
    assert example.fixed is not None
    return Source(f"{example} (fixed)", example.fixed)


@pytest.mark.parametrize("example", BAD, ids=str)
def test_a_bad_control_is_flagged_where_it_is_marked_and_nowhere_else(example: Example) -> None:
    assert example.marks, "a bad control needs a marker: # <- " + example.page.code
    assert marks_of(example.source, find(example.source, example.dialect, example.rules)) == example.marks


@pytest.mark.parametrize("example", GOOD, ids=str)
def test_a_good_control_is_silent_in_the_default_profile(example: Example) -> None:
    assert not example.marks, "a good control has no markers"
    findings = find(example.source, example.dialect, DEFAULT_RULES | {example.page.code})
    assert marks_of(example.source, findings) == ()


@pytest.mark.parametrize("example", BAD, ids=str)
def test_each_finding_offers_the_kind_of_fix_that_its_page_declares(example: Example) -> None:
    findings = find(example.source, example.dialect, example.rules)
    kinds = {finding.fix.applicability if finding.fix else Applicability.SUGGEST for finding in findings}
    if example.fixed is not None:
        assert kinds == {example.page.fix}
    else:
        # A page declares the best that its rule can do; here the fix can do no more than suggest.
        assert kinds == {Applicability.SUGGEST}


@pytest.mark.parametrize("example", PAIRS, ids=str)
def test_the_fix_writes_the_fixed_control_byte_for_byte(example: Example) -> None:
    result = apply_fixes(example.source, example.dialect, example.rules, example.page.fix)
    assert result.text == example.fixed
    assert (result.dropped, result.problem) == ((), None)


@pytest.mark.parametrize("example", PAIRS, ids=str)
def test_a_fixed_control_parses_is_silent_and_stays_as_it_is(example: Example) -> None:
    source = fixed_source(example)
    assert [issue.message for issue in parse(source.text).issues] == []
    assert marks_of(source, find(source, example.dialect, example.rules)) == ()
    assert apply_fixes(source, example.dialect, example.rules, example.page.fix).text == source.text


@pytest.mark.parametrize("example", PAIRS, ids=str)
def test_a_fixed_control_gains_no_finding_of_another_rule(example: Example) -> None:
    before = {finding.rule for finding in find(example.source, example.dialect, DEFAULT_RULES)}
    after = {finding.rule for finding in find(fixed_source(example), example.dialect, DEFAULT_RULES)}
    assert after <= before - {example.page.code}


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.code)
def test_a_page_that_declares_a_fix_shows_it(page: RulePage) -> None:
    if page.fix is not Applicability.SUGGEST:
        assert any(control.kind is ControlKind.FIXED for control in controls(page))


# What real shells do


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    """New folders to run in."""
    return (tmp_path / str(number) for number in count())


def installed(dialect: Dialect) -> tuple[tuple[str, ...], ...]:
    """The shells of a dialect; one that is missing fails the run in CI, and is told elsewhere."""
    try:
        return shells(dialect)
    except MissingShellError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


def job_in(example: Example) -> str:
    return example.control.stub or job_of(example.text)


def run_control(shell: tuple[str, ...], example: Example, text: str, folder: Path, *, fails: bool) -> Ran:
    by_name = example.page.code != "SG210"  # which is about scripts that aren't started by their name
    return run(shell, text, folder, job=job_in(example), fails=fails, by_name=by_name)


def assert_told(ran: Ran) -> None:
    assert ran.tells_failure, f"{ran.shell} hides the failing job: {ran}"


def assert_hidden(ran: Ran) -> None:
    assert ran.status == 0, f"{ran.shell} doesn't end with 0: {ran}"
    assert not ran.tells_failure, f"{ran.shell} tells of the failing job: {ran}"


def assert_same_success(before: Ran, after: Ran) -> None:
    assert (before.status, after.status) == (0, 0), f"a job that succeeds must end with 0: {before} {after}"
    assert after.output == before.output


def shells_that_lie(example: Example) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """The shells in which a bad control is to hide the failure, and those in which it isn't.

    An sh script may be run by bash or by dash; where the rule is silent about the same script in dash, dash must tell.
    """
    lying = installed(example.dialect)
    if example.dialect is not Dialect.SH:
        return lying, ()
    others = installed(Dialect.DASH)
    if find(example.source, Dialect.DASH, example.rules):
        return (*lying, *others), ()
    return lying, others


@pytest.mark.parametrize("example", [example for example in BAD if example.page.code == DEAD_CHECK], ids=str)
def test_what_a_dead_check_would_do_about_a_failure_never_runs(example: Example, folders: Iterator[Path]) -> None:
    dialects = (Dialect.SH, Dialect.DASH) if example.dialect is Dialect.SH else (example.dialect,)
    for shell in [shell for dialect in dialects for shell in installed(dialect)]:
        ran = run_control(shell, example, example.text, next(folders), fails=True)
        assert ran.status == FAILURE
        assert "handler ran" not in ran.output
        if example.fixed is not None:
            ran = run_control(shell, example, fixed_source(example).text, next(folders), fails=True)
            assert ran.status != 0
            assert "handler ran" in ran.output


@pytest.mark.parametrize("example", HIDING_BAD, ids=str)
def test_a_bad_control_hides_a_failing_job_from_whoever_runs_it(example: Example, folders: Iterator[Path]) -> None:
    lying, honest = shells_that_lie(example)
    for shell in lying:
        ran = run_control(shell, example, example.text, next(folders), fails=True)
        assert_hidden(ran)
        assert example.control.expect is None or example.control.expect in ran.words
    for shell in honest:
        assert_told(run_control(shell, example, example.text, next(folders), fails=True))


@pytest.mark.parametrize("example", [example for example in STATUS_BAD if example.fixed], ids=str)
def test_a_fixed_control_tells_of_a_failing_job(example: Example, folders: Iterator[Path]) -> None:
    lying, honest = shells_that_lie(example)
    for shell in (*lying, *honest):
        ran = run_control(shell, example, fixed_source(example).text, next(folders), fails=True)
        if example.fixed_expect is None:
            assert_told(ran)
        else:
            assert example.fixed_expect in ran.words


@pytest.mark.parametrize("example", [example for example in STATUS_BAD if example.fixed], ids=str)
def test_the_fix_changes_nothing_where_the_job_succeeds(example: Example, folders: Iterator[Path]) -> None:
    lying, honest = shells_that_lie(example)
    for shell in (*lying, *honest):
        before = run_control(shell, example, example.text, next(folders), fails=False)
        assert_same_success(before, run_control(shell, example, fixed_source(example).text, next(folders), fails=False))


@pytest.mark.parametrize("example", STATUS_GOOD, ids=str)
def test_a_good_control_that_names_its_job_tells_when_it_fails(example: Example, folders: Iterator[Path]) -> None:
    dialects = (Dialect.SH, Dialect.DASH) if example.dialect is Dialect.SH else (example.dialect,)
    for shell in [shell for dialect in dialects for shell in installed(dialect)]:
        assert_told(run_control(shell, example, example.text, next(folders), fails=True))
        assert run_control(shell, example, example.text, next(folders), fails=False).status == 0


def test_a_failing_stub_is_what_the_controls_think_it_is(folders: Iterator[Path]) -> None:
    ran = run(installed(Dialect.BASH)[0], "./job > out\n(exit 4)\n", next(folders), job="./job", fails=True)
    assert (ran.status, ran.files, ran.tells_failure) == (4, (("out", "job ran\n"),), True)
    ran = run(installed(Dialect.BASH)[0], 'job; echo "$?"\n', next(folders), job="job", fails=True)
    assert (ran.status, ran.output) == (0, f"job ran\n{FAILURE}\n")
