"""What SG101 and SG201 tell people: whose status is read instead of whose, and what a fix can and can't do.

What is flagged, and what a fix writes, is on the rules' pages, whose controls are tests of their own.
"""

from __future__ import annotations

import pytest
from controls.examples import apply_fixes, check, find

from shellguard.engine import Settings
from shellguard.finding import Applicability, Finding
from shellguard.source import Dialect, Source


def only(text: str, rule: str, dialect: Dialect = Dialect.BASH) -> Finding:
    """The one finding of a rule in a script."""
    (finding,) = find(Source("run.sh", text), dialect, {rule})
    return finding


@pytest.mark.parametrize(
    ("script", "whose"),
    [
        pytest.param('make test; echo "$(date) $?"', "of `date`, not of `make`", id="in-a-row"),
        pytest.param('make test; echo "$(date; hostname) $?"', "of `hostname`, not of `make`", id="two-in-one"),
        pytest.param('make test; echo "$(pwd) $(date) $?"', "of `date`, not of `make`", id="the-last-counts"),
        pytest.param('make test || echo "$(date) $?"', "of `date`, not of `make`", id="or"),
        pytest.param('make; if ./a; then echo "$(date) $?"; fi', "of `date`, not of `./a`", id="then"),
        pytest.param('make; if ./a; then :; else echo "$(date) $?"; fi', "of `date`, not of `./a`", id="else"),
        pytest.param('if ./a; then :; elif [ "$(date) $?" ]; then :; fi', "of `date`, not of `./a`", id="elif"),
        pytest.param('make; if [ "$(date) $?" ]; then :; fi', "of `date`, not of `make`", id="condition"),
        pytest.param('make; while ! ./a; do echo "$(date) $?"; done', "of `date`, not of `./a`", id="loop"),
        pytest.param('make; for i in 1 2; do echo "$(date) $?"; done', "of `date`:", id="rounds-differ"),
        pytest.param('make; f() { echo "$(date) $?"; }; f', "of `date`:", id="the-callers"),
        pytest.param('cd x; make | sort "$(date) $?"', "of `date`:", id="beside-a-pipe"),
    ],
)
def test_sg101_says_whose_status_is_read_instead_of_whose(script: str, whose: str) -> None:
    message = only(script, "SG101").message
    assert message.startswith(f"this `$?` is the status {whose}")


@pytest.mark.parametrize(
    ("script", "dialect", "start"),
    [
        ('make; echo "$(date) $?"', Dialect.SH, "where sh is bash, this `$?` is the status of `date`, not of `make`"),
        ('make; echo "${X:-$(date)} $?"', Dialect.BASH, "this `$?` may be the status of `date`, not of `make`"),
    ],
)
def test_sg101_says_where_it_isnt_certain(script: str, dialect: Dialect, start: str) -> None:
    assert only(script, "SG101", dialect).message.startswith(start)


def test_sg101_points_at_the_substitution() -> None:
    text = 'make\necho "$(date) $?"\n'
    (related,) = only(text, "SG101").related
    assert text[related.span.start : related.span.end] == "$(date)"


@pytest.mark.parametrize(
    ("script", "consequence"),
    [
        ("make | tee log", "the script still ends with `tee`'s status"),
        ("set -e; make | tee log; date", "the script goes on in spite of `set -e` and ends with 0"),
        ("if make | tee log; then date; fi", "the test of this pipeline can't see it, and the script ends with 0"),
    ],
)
def test_sg201_says_what_happens_when_the_job_fails(script: str, consequence: str) -> None:
    message = only(script, "SG201").message
    assert message == f"if `make` fails, {consequence}: `tee` ends the pipeline and there is no pipefail"


@pytest.mark.parametrize("script", ["make | tee log; date", "make | tee log; date; exit 0"])
def test_sg201_says_that_pipefail_alone_changes_nothing(script: str) -> None:
    assert only(script, "SG201").message == (
        "if `make` fails, the script still ends with 0: `tee` ends the pipeline, there is no pipefail, "
        "and nothing looks at its status"
    )


@pytest.mark.parametrize(
    ("script", "job"),
    [
        ("{ make || exit 1; date; } | tee log", "make"),
        ("{ make || { date; exit 3; }; date; } | tee log", "make"),
        ("{ cd x && make || exit; date; } | tee log", "make"),
        ("(make || exit 1; date) | tee log", "make"),
        ("{ if ! make; then exit 1; fi; date; } | tee log", "make"),
        ("die() { echo $*; exit 1; }; { make || die no; date; } | tee log", "make"),
        ("{ make || date; ./b; } | tee log", "./b"),
        ("{ make || exit 0; ./b; } | tee log", "./b"),
        ("{ (make || exit 1); ./b; } | tee log", "./b"),
        ("die() { exit 0; }; { make || die no; ./b; } | tee log", "./b"),
    ],
)
def test_sg201_names_the_job_that_gives_a_group_its_status(script: str, job: str) -> None:
    assert only(script, "SG201").message.startswith(f"if `{job}` fails, ")


@pytest.mark.parametrize(
    "reader",
    [
        "{ read -r x; echo $x; }",
        "(head -n 1; date)",
        "while read -r x; do ./try $x && break; done",
        "{ read -r x | cat; }",
    ],
)
def test_sg201_leaves_groups_alone_that_may_end_before_their_input(reader: str) -> None:
    assert find(Source("run.sh", f"set -e; make | {reader}; date"), Dialect.BASH, {"SG201"}) == ()


@pytest.mark.parametrize(
    "reader", ["{ read -r head; sort; }", "while read -r x; do ./try $x || exit 1; done", "(sort; date)"]
)
def test_sg201_flags_groups_that_read_on(reader: str) -> None:
    assert only(f"set -e; make | {reader}; date", "SG201").message.startswith("if `make` fails")


@pytest.mark.parametrize(
    ("script", "dialect", "advice"),
    [
        ("make | tee log", Dialect.BASH, "set pipefail, so that the pipeline fails when the job does"),
        ("make | cat", Dialect.BASH, "remove `| cat`"),
    ],
)
def test_sg201_fixes_what_then_shows(script: str, dialect: Dialect, advice: str) -> None:
    fix = only(script, "SG201", dialect).fix
    assert fix is not None
    assert (fix.applicability, fix.message) == (Applicability.SAFE, advice)


@pytest.mark.parametrize(
    ("script", "dialect", "advice"),
    [
        ("make | tee log; date", Dialect.BASH, "; and test its status, which nothing looks at"),
        ("make | cat; date", Dialect.BASH, "remove `| cat`; and test its status, which nothing looks at"),
        ("make | tee log || exit; ./a | head", Dialect.BASH, "after a look at the script's other pipelines"),
        ("set -e; make | ./b; date", Dialect.BASH, "and at readers that may leave early"),
        ("set +o pipefail; make | tee log", Dialect.BASH, "set pipefail before this pipeline"),
        ("shopt -uo pipefail; make | tee log", Dialect.BASH, "set pipefail before this pipeline"),
        ("make | tee log", Dialect.SH, "sh has no pipefail"),
    ],
)
def test_sg201_only_suggests_what_needs_a_decision(script: str, dialect: Dialect, advice: str) -> None:
    fix = only(script, "SG201", dialect).fix
    assert fix is not None
    assert fix.applicability is Applicability.SUGGEST
    assert advice in fix.message


def test_sg201_suggests_the_test_in_the_text() -> None:
    fix = only("make | tee log\ndate\n", "SG201").fix
    assert fix is not None
    assert [(edit.span.start, edit.text) for edit in fix.edits] == [(0, "set -o pipefail\n"), (14, " || exit")]


def test_sg201_does_not_call_pipefail_safe_for_the_shell_that_reads_a_part() -> None:
    text = "make | tee log || exit 1\n"
    whole = only(f"#!/bin/bash\n{text}", "SG201").fix
    assert whole is not None
    assert whole.applicability is Applicability.SAFE
    report = check(Source("build.sh", text), Settings(frozenset({"SG201"})))
    (part,) = (finding.fix for finding in report.findings)
    assert part is not None
    assert part.applicability is Applicability.SUGGEST


def test_sg201_names_the_pipeline_that_hides_a_job_not_the_one_around_it() -> None:
    inner = "(set +e; ./changes | sort > found; echo done) | git commit -F - || exit 1"
    assert "`sort` ends the pipeline" in only(inner, "SG201").message


@pytest.mark.parametrize(("dialect", "found"), [(Dialect.SH, 0), (Dialect.BASH, 1)])
def test_sg201_asks_whether_a_function_could_tell_of_a_pipelines_failure(dialect: Dialect, found: int) -> None:
    script = "list() { ./connections | awk '{ print $4 }'; }\nlist | dd of=state conv=fsync && mv state last\n"
    assert (
        len([item for item in find(Source("run.sh", script), dialect, {"SG201"}) if "`list`" in item.message]) == found
    )


@pytest.mark.parametrize(
    ("script", "rule", "end"),
    [
        ("make | tee log; date", "SG201", "if `make` fails, the script still ends with 0: "),
        ("make > out; date", "SG301", "if `make` fails, the script still ends with 0: "),
        ("f() { ./a > out; date; }; f", "SG301", "if `./a` fails, the script still ends with 0: "),
        ('make; echo "$(date) $?"', "SG101", "; if `make` fails, the script still ends with 0"),
    ],
)
def test_a_message_tells_how_the_script_ends_where_that_is_certain(script: str, rule: str, end: str) -> None:
    assert end in only(script, rule).message


def test_a_failure_that_ends_the_script_badly_after_all_is_not_lost() -> None:
    script = 'make | tee log; rc=("${PIPESTATUS[@]}"); date; exit "${rc[0]}"\n'
    assert find(Source("run.sh", script), Dialect.BASH, {"SG201"}) == ()


def test_the_status_of_a_pipeline_is_not_called_that_of_the_job_in_it() -> None:
    script = 'make test | tail -n 5\necho "$(date) ended: $?"\n'
    assert "not of `tail`" not in only(script, "SG101").message
    assert "make" not in only(script, "SG101").message
    repaired = apply_fixes(Source("run.sh", script), Dialect.BASH, {"SG101"}, Applicability.SAFE).text
    assert only(repaired, "SG201").message.startswith("if `make` fails, the status that is printed is another's")


@pytest.mark.parametrize(
    ("script", "rule"),
    [
        ("make | tail -n 5; echo $?", "SG201"),
        ("make | tail -n 5; rc=$?; echo $rc", "SG201"),
        ('make; now=$(date +%T); echo "$now: $?"', "SG102"),
        ("f() { local out=$(make); echo $?; }; f", "SG104"),
    ],
)
def test_a_status_that_is_only_printed_is_wrong_all_the_same(script: str, rule: str) -> None:
    assert only(script, rule).rule == rule


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("set -o errexti", "set -o errexit"),
        ("set -e -o pipefial", "set -e -o pipefail"),
        ("shopt -s errexit", "shopt -so errexit"),
        ("shopt -s pipefail errtrace", "shopt -so pipefail errtrace"),
    ],
)
def test_sg224_corrects_what_the_shell_complains_of(wrong: str, right: str) -> None:
    source = Source("run.sh", f"{wrong}\nmake\n")
    assert apply_fixes(source, Dialect.BASH, {"SG224"}, Applicability.UNSAFE).text == f"{right}\nmake\n"


@pytest.mark.parametrize(
    ("script", "start"),
    [
        ("set -euo\nmake", "pipefail isn't set by `-euo`: the `o` has no name after it"),
        ("set -o pipefail execfail\nmake", "execfail isn't set by `execfail`: it is an option of `shopt`"),
    ],
)
def test_sg224_only_suggests_where_more_may_be_meant(script: str, start: str) -> None:
    finding = only(script, "SG224")
    assert finding.message.startswith(start)
    assert finding.fix is not None
    assert finding.fix.edits == ()
