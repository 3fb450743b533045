"""The parser against bash itself: what is accepted, and what the tree is."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import CHECKOUT
from hypothesis import HealthCheck, Phase, assume, given, settings
from syntax import bash, grammar
from syntax.conformance import Outcome, compare, compare_printed, real_issues

from shellguard.syntax import parse

JUDGED = Path(__file__).parent / "syntax" / "judged.txt"
SHAPES = JUDGED.parent / "shapes"
# Bash prints these as something else: a redirection or COPROC changes what may come first.
MISPRINTED = {">x [[ a ]]\n", "coproc a=1\n", "coproc a=1 b\n"}
# In bash 5.2 alone, a `time` that a substitution begins with is an ordinary word; `!(` is right in one script with
# extglob and in another without, while we read both.
DEPENDING = re.compile(r"[$<>]\(\s*time\b|!\(")
# Bash 5.2 prints a here-document of a condition in the middle of a `|&` pipeline that follows it.
MISPLACED = re.compile(r"\n\t?[EF]\n(?:then|do) .*\|&", re.DOTALL)
# Shrinking would take bash minutes: a failure shows the script as it was generated.
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]
GENERATED = settings(
    max_examples=25,
    deadline=None,
    phases=PHASES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def judged() -> Iterator[tuple[str, bool]]:
    """Small scripts, each with bash 5.2's verdict, extglob off or on; `⏎` is a newline."""
    for line in JUDGED.read_text(encoding="utf-8").splitlines():
        yield line[2:].replace("⏎", "\n") + "\n", line[0] == "+"


def is_bash_5_2() -> bool:
    """Whether the judge is the version that the verdicts are of."""
    if shutil.which("bash") is None:
        return False
    version = subprocess.run(["bash", "--version"], capture_output=True, text=True, check=True).stdout
    return "version 5.2" in version


# Other versions differ in details; with one of them the recorded verdicts still test the parser.
needs_bash_5_2 = pytest.mark.skipif(not is_bash_5_2(), reason="bash 5.2 is the judge")


def test_accepts_what_bash_accepts_and_nothing_else() -> None:
    wrong = [(text, accepted) for text, accepted in judged() if accepted == bool(real_issues(parse(text)))]
    assert wrong == []


@needs_bash_5_2
def test_the_recorded_verdicts_are_those_of_bash() -> None:
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(bash.accepts, (text for text, _ in judged())))
    assert [entry for entry, verdict in zip(judged(), verdicts, strict=True) if entry[1] != verdict] == []


@needs_bash_5_2
def test_the_tree_is_that_of_what_bash_prints() -> None:
    accepted = [text for text, is_accepted in judged() if is_accepted and text not in MISPRINTED]
    with ThreadPoolExecutor(2) as pool:
        comparisons = list(pool.map(compare, accepted))
    different = [
        (text, comparison.cause)
        for text, comparison in zip(accepted, comparisons, strict=True)
        if comparison.outcome is Outcome.DIFFERENT
    ]
    assert different == []


@needs_bash_5_2
@pytest.mark.parametrize(
    "path",
    [
        ".ci/run",
        "examples/nightly-bench/broken/nightly.sh",
        "examples/nightly-bench/repaired/nightly.sh",
    ],
)
def test_whole_scripts_have_the_tree_of_what_bash_prints(path: str) -> None:
    assert compare((CHECKOUT / path).read_text(encoding="utf-8")).outcome is Outcome.EQUAL


def test_a_wrong_tree_is_noticed() -> None:
    printed = "f () \n{ \n    a | b;\n    c > d\n}\n"
    assert compare_printed(parse("a | b; c >d"), printed).outcome is Outcome.EQUAL
    comparison = compare_printed(parse("a | b; c >>d"), printed)
    assert comparison.outcome is Outcome.DIFFERENT
    assert "'>>', printed as '>'" in comparison.cause


@needs_bash_5_2
@GENERATED
@given(grammar.scripts())
def test_generated_scripts_have_the_tree_of_what_bash_prints(text: str) -> None:
    assume(not MISPLACED.search(text))
    comparison = compare(text)
    assert comparison.outcome is not Outcome.DIFFERENT, comparison.cause
    assert bool(real_issues(parse(text))) != bash.accepts(text)


@needs_bash_5_2
@GENERATED
@given(grammar.broken_scripts())
def test_broken_scripts_are_refused_as_bash_refuses_them(text: str) -> None:
    assume(not DEPENDING.search(text))
    assert bool(real_issues(parse(text))) != bash.accepts(text)
