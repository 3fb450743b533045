"""Which findings a comment silences, and which it doesn't."""

from __future__ import annotations

import json

import pytest
from conftest import CommandLine
from controls.examples import DEFAULT_RULES, check, find, settings

from shellguard.source import Dialect, Source

JOB = "make test | tee test.log || exit 1"


def left(text: str) -> list[tuple[str, int]]:
    """The findings that are left: rule and line."""
    source = Source("run.sh", text)
    return [(item.rule, source.line_of(item.span.start)) for item in find(source, Dialect.BASH, DEFAULT_RULES)]


@pytest.mark.parametrize(
    "text",
    [
        f"{JOB}  # shellguard: ignore[SG201] why",
        f"{JOB}  #shellguard:ignore[sg201]",
        f"# shellguard: ignore[SG201]\n\n# another comment\n{JOB}",
        f"if true; then\n  # shellguard: ignore[SG201]\n  {JOB}\nfi",
        "# shellguard: ignore[SG201]\nmake test |\n  tee test.log ||\n  exit 1",
        "make test |\n  tee test.log || # shellguard: ignore[SG201]\n  exit 1",
        "make test |\n  tee test.log ||\n  exit 1 # shellguard: ignore[SG201]",
        "# shellguard: ignore[SG201]\nif make test | tee log; then\n  date\nfi",
        '# shellguard: ignore[SG201]\nmake test | while read -r line; do\n  echo "$line"\ndone || exit 1',
        f"# shellguard: disable[SG2]\n{JOB}\n{JOB}\n# shellguard: enable[SG2]",
        f"# shellguard: disable[pipe-masks-status]\n{JOB}",
        f"{JOB}\n# shellguard: ignore-file[SG201]",
        f"#!/bin/bash\n# shellcheck disable=SC2312\ndate\n{JOB}",
        f"date\n# shellcheck disable=SC1091,SC2312\nfor x in a b; do\n  {JOB}\ndone",
    ],
)
def test_it_is_silenced(text: str) -> None:
    assert left(text + "\n") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"date # shellguard: ignore[SG201]\n{JOB}", 2),
        (f"# shellguard: ignore[SG201]\ndate\n{JOB}", 3),
        (f"{JOB}\n# shellguard: ignore[SG201]", 1),
        (f"# shellguard: ignore[SG201]\nif true; then\n  {JOB}\nfi", 3),
        (f"# shellguard: disable[SG201]\n# shellguard: enable[SG201]\n{JOB}", 3),
        (f"echo '# shellguard: ignore[SG201]'; {JOB}", 1),
        (f"date\n# shellcheck disable=SC2312\ndate\n{JOB}", 4),
        (f"{JOB} # shellcheck disable=SC2312", 1),
        (f"#!/bin/bash\n# shellcheck disable=SC2086\n{JOB}", 3),
    ],
)
def test_it_is_not_silenced(text: str, line: int) -> None:
    assert ("SG201", line) in left(text + "\n")


@pytest.mark.parametrize(
    ("comment", "problem"),
    [
        ("ignore[SG201]", "silences nothing: SG201 finds nothing here"),
        ("ignore[SG999]", "silences nothing: no rule is called 'SG999'"),
        ("ignore[SG001]", "silences nothing: SG001 can't be silenced in a script"),
        ("ignore", "silences nothing: it names no rule: write `ignore[SG101]`"),
        ("ignore[]", "silences nothing: it names no rule: write `ignore[SG101]`"),
        ("noqa[SG201]", "silences nothing: `noqa` is none of ignore, ignore-file, disable, enable"),
        ("enable[SG201]", "does nothing: SG201 is not disabled here"),
    ],
)
def test_a_comment_that_does_nothing_is_told(comment: str, problem: str) -> None:
    source = Source("run.sh", f"# shellguard: {comment}\nmake || exit 1\n")
    (finding,) = find(source, Dialect.BASH, DEFAULT_RULES)
    assert (finding.rule, source.line_of(finding.span.start)) == ("SG002", 1)
    assert problem in finding.message


def test_a_comment_for_a_rule_that_is_not_looked_for_tells_nothing() -> None:
    source = Source("run.sh", "# shellguard: ignore[SG301]\nmake || exit 1\n")
    assert find(source, Dialect.BASH, {"SG002", "SG201"}) == ()


def test_a_dialect_is_no_comment_of_this_kind() -> None:
    assert left("# shellguard: dialect=bash\nmake || exit 1\n") == []


def test_what_is_silenced_is_counted_and_not_fixed(cli: CommandLine) -> None:
    (cli.folder / "run.sh").write_text(f"#!/bin/bash\n{JOB} # shellguard: ignore[SG201] only the log counts\n")
    before = (cli.folder / "run.sh").read_text()
    shown = cli("lint", "--format", "json", "--unsafe-fixes", "run.sh")
    assert shown.status == 0
    assert json.loads(shown.stdout)["summary"]["suppressed"] == 1
    assert (cli.folder / "run.sh").read_text() == before
    assert "1 suppressed" in cli("lint", "run.sh").stdout


def test_the_number_of_the_silenced_is_that_of_findings() -> None:
    source = Source("run.sh", f"# shellguard: ignore-file[SG201]\n{JOB}\n{JOB}\n")
    assert check(source, settings(Dialect.BASH, DEFAULT_RULES)).suppressed == 2
