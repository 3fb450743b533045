"""docs/syntax.md: its examples run, its tables are complete and true."""

from __future__ import annotations

import doctest
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import CHECKOUT, CommandLine, need
from syntax.schema import node_classes
from test_syntax_bash import is_bash_5_2

from shellguard.syntax import parse, walk
from shellguard.syntax.crosscheck import DEFECTS

PAGE = CHECKOUT / "docs" / "syntax.md"
TEXT = PAGE.read_text(encoding="utf-8")
SHELLS = {"bash 5.2": ["bash"], "dash": ["dash"], "busybox": ["busybox", "sh"], "ksh93": ["ksh93"], "mksh": ["mksh"]}
# What bashlex's parser and word expansion make (kind of their nodes).
BASHLEX_KINDS = {
    *("command", "list", "pipeline", "compound", "if", "for", "while", "until", "function", "word", "assignment"),
    *("redirect", "heredoc", "parameter", "commandsubstitution", "processsubstitution", "tilde", "operator", "pipe"),
    "reservedword",
}


def table(heading: str) -> Iterator[list[str]]:
    """The rows of the first table after a heading, without its head."""
    lines = iter(TEXT.split(f"## {heading}\n", 1)[1].splitlines())
    rows = list(_until_end_of_table(lines))[2:]
    for row in rows:
        yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def _until_end_of_table(lines: Iterator[str]) -> Iterator[str]:
    has_begun = False
    for line in lines:
        if line.startswith("|"):
            has_begun = True
            yield line
        elif has_begun:
            return


DIALECTS = list(table("Dialects"))


def test_the_examples_run() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert (failed, tried > 15) == (0, True)


def test_the_console_example_shows_what_is_printed(cli: CommandLine) -> None:
    example = re.search(r"```console\n\$ printf '(.*)' \| shellguard ast -\n(.*?)```", TEXT, re.DOTALL)
    assert example is not None
    script = example[1].replace("\\n", "\n")
    assert cli("ast", "-", stdin=script).stdout == example[2]


def test_every_kind_of_bashlex_is_mapped() -> None:
    listed = {kind for row in table("Coming from bashlex") for kind in re.findall(r"`(\w+)`", row[0])}
    assert listed == BASHLEX_KINDS


def test_the_classes_named_exist() -> None:
    names = {kind.__name__ for kind in node_classes()}
    mapped = {word for row in table("Coming from bashlex") for word in re.findall(r"`([A-Z]\w+)`", row[1])}
    assert mapped <= names
    assert {row[-1] for row in DIALECTS} <= names


def test_the_defects_of_bashlex_are_those_that_are_recognised() -> None:
    listed = dict(re.findall(r"^\| ([a-z-]+) \| (.*) \|$", TEXT, re.MULTILINE))
    assert {name: listed.get(name) for name in DEFECTS} == DEFECTS


@pytest.mark.parametrize("row", DIALECTS, ids=lambda row: row[0])
def test_the_tree_has_the_node_that_the_table_names(row: list[str]) -> None:
    assert row[-1] in {type(node).__name__ for node in walk(parse(row[0].strip("`")))}


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_do_what_the_table_says(shell: str, tmp_path: Path) -> None:
    need(SHELLS[shell][0])
    if shell == "bash 5.2" and not is_bash_5_2():
        pytest.skip("this bash is another version")
    column = 1 + list(SHELLS).index(shell)
    scripts = [row[0].strip("`") for row in DIALECTS]
    assert {script: behaviour(SHELLS[shell], script, tmp_path) for script in scripts} == {
        script: row[column] for script, row in zip(scripts, DIALECTS, strict=True)
    }


def behaviour(shell: list[str], script: str, folder: Path) -> str:
    """What a shell does with a script."""
    path = folder / "script"
    path.write_text(f"{script}\n", encoding="utf-8")
    if _run([*shell, "-n", str(path)], folder).returncode != 0:
        return "refused"
    ran = _run([*shell, str(path)], folder)
    return "fails" if ran.returncode != 0 else " ".join(ran.stdout.split())


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False
    )
