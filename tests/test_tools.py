"""The table of tools holds together: no statement is dead, misspelt or told twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellguard.flow import tools
from shellguard.flow.roles import Role
from shellguard.flow.toolfiles import POSITIONS
from shellguard.flow.tools import NAMED_KINDS, PATH_KINDS, load_tools, parse_tools
from shellguard.flow.wrappers import SHAPES

TABLE = load_tools()
WRAPPER_WORDS = {*SHAPES, "NAME=VALUE", "--", "*", "~", "elsewhere", "shell", "@", "-"}


def test_every_role_is_one() -> None:
    assert set(TABLE.roles.entries.values()) <= {str(role) for role in Role}


def test_every_role_is_used() -> None:
    assert set(TABLE.roles.entries.values()) == {str(role) for role in Role}


def test_lines_are_comments_statements_or_their_continuations() -> None:
    text = Path(tools.__file__).with_name("tools.txt").read_text(encoding="utf-8")
    kinds = {*Role, *NAMED_KINDS, *tools.LISTED_KINDS, "alias"}
    for line in text.splitlines():
        assert not line or line[0] == "#" or line[:2] == "  " or line.partition(":")[0].split()[0] in kinds, line


def test_no_statement_speaks_of_an_alias() -> None:
    sections = [TABLE.roles, *TABLE.sections.values()]
    heads = {
        path.split()[0]
        for section in sections
        for path in section.entries
        if path not in TABLE.section("versioned").entries
    }
    assert heads & set(TABLE.aliases) == set()


def test_aliases_stand_for_names_not_for_aliases() -> None:
    assert set(TABLE.aliases.values()) & set(TABLE.aliases) == set()


@pytest.mark.parametrize("path", sorted(TABLE.section("wrapper").entries))
def test_wrapper_words_are_known(path: str) -> None:
    words = TABLE.section("wrapper").entries[path].split()
    odd = [word for word in words if word not in WRAPPER_WORDS and not word.startswith(("-", "needs:-"))]
    assert odd == []


@pytest.mark.parametrize("kind", PATH_KINDS)
def test_path_words_are_known(kind: str) -> None:
    words = {word for body in TABLE.section(kind).entries.values() for word in body.split()}
    selectors = {word.partition("-if:")[0].partition("-unless:")[0] for word in words if not word.startswith("-")}
    assert {word for word in selectors if not word.endswith("=")} <= {*POSITIONS, "target", "base:sole", "."}


def test_a_repeated_statement_is_refused() -> None:
    with pytest.raises(ValueError, match="told twice in the table of tools: git status"):
        parse_tools("probe git: log status\njob git: status\n")


def test_continued_lines_belong_to_the_statement() -> None:
    assert parse_tools("# comment\nprobe: a\n  b\n\njob: c\n").roles.entries == {"a": "probe", "b": "probe", "c": "job"}


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("git", "git"),
        ("/usr/bin/git", "git"),
        ("/opt/x/git", None),
        ("./git", None),
        (None, None),
        ("", None),
        ("egrep", "grep"),
        ("python3.12", "python3"),
        ("gcc-12", "gcc"),
        ("docker-compose", "docker compose"),
        ("log2", "log2"),
        ("sha256sum", "sha256sum"),
    ],
)
def test_canonical_names(word: str | None, name: str | None) -> None:
    assert TABLE.canonical(word) == name
