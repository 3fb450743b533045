"""`shellguard selftest`: the pages' examples, and the comparison with bashlex."""

from __future__ import annotations

from dataclasses import replace

import bashlex  # type: ignore[import-untyped] # it has no types
import pytest
from conftest import CHECKOUT, CommandLine

from shellguard.pages import load_pages
from shellguard.selfcheck import outcomes
from shellguard.syntax import parse
from shellguard.syntax.crosscheck import (
    DEFECTS,
    Disagreement,
    NotComparableError,
    first_disagreement,
    known_defect,
    read_ours,
    read_theirs,
)

ALIKE = [
    "a b 'c d' \"e $f\" g\\ h",
    "x=1 y+=$z a >f 2>&1 <<<w &>>g >&- 3<>h",
    "a | b |& c && ! d || e & f; g",
    "( a; b ) >f",
    "{ a; b; } | c",
    "if a; then b; elif c; then d; elif e; then f; elif g; then h; else i; fi 2>f",
    "while a; do b; done; until c; do d; done <f",
    "for i in a $b 'c'; do d; done; for j; do e; done",
    "f() { a; b; } >f; function g { c; }",
    'a $(b | c "$(d)") `e` <(f; g) "${h:-$i}" ${#j} $1 $?',
    "cat <<E >f\nx $y\nE\na",
    "a \\\n  b\\\nc # comment",
]
DEFECTIVE = {
    "dollar": 'grep "a$" f',
    "quotes": "awk '{print '\"$x\"'}'",
    "subscript": "a[b]=c",
    "descriptor": "exec {a}>f",
    "braces": "a ${b#${c}_${d}}",
    "name": 'a "${b -c}"',
    "empty": "a=``",
    "here-document": "if a; then\ncat <<E\n$b c\nE\nfi",
    "lines": "a $(b\nc)",
    "backticks": 'a="`b \\" ${c} \\"`"',
    "process": 'a="2> >(b ${c}d)"',
    "places": "a $(b \\\n  | grep c)",
}
INCOMPARABLE = [
    "((a))",
    "[[ a ]]",
    "case a in b) c;; esac",
    "time a",
    "coproc a",
    "a=(b)",
    "a $((1))",
    "select a; do b; done",
]


def disagreement(text: str) -> Disagreement | None:
    return first_disagreement(read_ours(parse(text).body, text), read_theirs(bashlex.parse(text), text))


@pytest.mark.parametrize("text", ALIKE)
def test_both_parsers_read_the_same(text: str) -> None:
    assert disagreement(text) is None


@pytest.mark.parametrize("defect", DEFECTS)
def test_each_defect_of_bashlex_is_recognised(defect: str) -> None:
    text = DEFECTIVE[defect]
    found = disagreement(text)
    assert found is not None
    assert known_defect(found, text) == defect


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("a b", "a c"),
        ("a | b", "a && b"),
        ("a >f", "a >>f"),
        ("a; b", "a & b"),
        ("(a)", "{ a; }"),
        ("a $b", "a b"),
        ("if a; then b; fi", "if a; then b; else c; fi"),
        ("a $(b)", "a $(c)"),
        ("for i in a; do b; done", "for i in c; do b; done"),
    ],
)
def test_what_differs_is_noticed(text: str, other: str) -> None:
    found = first_disagreement(read_ours(parse(text).body, text), read_theirs(bashlex.parse(other), other))
    assert found is not None
    assert str(found.ours) != str(found.theirs)


@pytest.mark.parametrize("text", INCOMPARABLE)
def test_what_only_one_of_the_two_knows_is_not_compared(text: str) -> None:
    with pytest.raises(NotComparableError):
        read_ours(parse(text).body, text)


def test_crosscheck_counts_what_is_compared_and_shows_what_differs(cli: CommandLine) -> None:
    cli.write("bin/run.sh", "#!/bin/bash\na | b\n[[ c ]]\nd\n")
    cli.write("bin/whole.sh", "e 'f'\ngrep \"a$\" g\n")
    run = cli("selftest", "--crosscheck", "bin")
    lines = run.stdout.splitlines()
    assert (run.status, run.stderr) == (0, "")
    assert lines[:3] == [
        "bin/whole.sh:2:6: a known defect of bashlex: a `$` that introduces nothing is a parameter without a name",
        '  shellguard: word "a$"',
        '  bashlex:    word "a$" [parameter]',
    ]
    numbers = {line[:40].strip(): int(line[40:]) for line in lines[3:]}
    assert numbers["files"] == 2
    assert numbers["compared whole"] == 1
    assert numbers["compared in part, command by command"] == 1
    assert (numbers["commands at top level"], numbers["compared"]) == (5, 4)
    assert numbers["not compared: ConditionalCommand"] == 1
    assert (numbers["bashlex: dollar"], numbers["unexplained"]) == (1, 0)


def test_crosscheck_fails_where_a_difference_is_not_explained(cli: CommandLine) -> None:
    cli.write(
        "bashlex.py",
        "from types import SimpleNamespace as N\ndef parse(text): return [N(kind='command', pos=(0, 1), parts=[])]\n",
    )
    cli.write("run.sh", "a\n")
    run = cli("selftest", "--crosscheck", "run.sh", environment={"PYTHONPATH": f"{CHECKOUT}:{cli.folder}"})
    assert run.status == 1
    assert run.stdout.startswith("run.sh:1:1: the two parsers differ; bash decides")


def test_a_missing_bashlex_is_said(cli: CommandLine) -> None:
    cli.write("bashlex.py", "raise ImportError\n")
    cli.write("run.sh", "a\n")
    run = cli("selftest", "--crosscheck", "run.sh", environment={"PYTHONPATH": f"{CHECKOUT}:{cli.folder}"})
    assert (run.status, run.stdout) == (2, "")
    assert run.stderr.startswith(
        "shellguard: --crosscheck compares with bashlex, which isn't installed\nInstall the extra"
    )


def test_nothing_to_compare_is_no_success(cli: CommandLine) -> None:
    assert cli("selftest", "--crosscheck", ".").status == 2
    cli.write("nul.sh", b"\0")
    cli.write("run.sh", "a\n")
    run = cli("selftest", "--crosscheck", "nul.sh", "run.sh")
    assert run.status == 2
    assert run.stderr == "shellguard: nul.sh: it has a NUL byte, so it is no text\n"


def test_paths_without_crosscheck_are_refused(cli: CommandLine) -> None:
    run = cli("selftest", "run.sh")
    assert run.status == 2
    assert "--crosscheck" in run.stderr


def test_the_pages_examples_are_checked(cli: CommandLine) -> None:
    run = cli("selftest")
    assert run.status == 0
    assert [line.split()[0] for line in run.stdout.splitlines()] == list(load_pages())


def test_an_example_that_is_not_found_is_noticed() -> None:
    pages = load_pages()
    page = pages["SG201"]
    wrong = replace(page, body=page.body.replace("# <- SG201", "# <- SG101"))
    assert any(outcome.wanted != outcome.found for outcome in outcomes({"SG201": wrong}))
