"""What holds where a command runs: the working directory, variables of functions, loops that are left."""

from __future__ import annotations

import posixpath

import pytest
from flow_scripts import bash, command, facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shellguard.flow.situations import own_words
from shellguard.flow.values import SCRIPT_FOLDER, WORKING_FOLDER, Value
from shellguard.syntax.nodes import Node


def texts(value: Value) -> set[str]:
    """The alternatives that are wholly known; `?` for any other."""
    found = (Value((atoms,)).literal for atoms in value.alternatives)
    return {"?" if text is None else text for text in found}


def folder(script: str) -> Value:
    """The working directory at `use`."""
    facts = facts_of(script)
    return facts.situations[command(facts, "use")].folder


def used(script: str) -> set[str]:
    """What the argument of `use` stands for."""
    facts = facts_of(script)
    return texts(facts.situations[command(facts, "use")].arguments[1])


@pytest.mark.parametrize(
    ("script", "path"),
    [
        ("cd /a && use", "/a"),
        ("cd /a || exit; use", "/a"),
        ("cd /a\nuse", "/a"),
        ("cd /a; cd b; use", "/a/b"),
        ("cd /a/b; cd ..; use", "/a"),
        ("cd /a/b; cd ../../..; use", "/"),
        ("cd -P /a; use", "/a"),
        ("cd -- /a; use", "/a"),
        ("d=/a; cd $d/b; use", "/a/b"),
        ("pushd /a > /dev/null; use", "/a"),
        ("CDPATH= cd /a; use", "/a"),
        ("f() { cd /a; }; f; use", "/a"),
        ("(cd /a; use)", "/a"),
        ("cd /a; x=$(cd /b; use)", "/b"),
        ("if a; then cd /a; else cd /a; fi; use", "/a"),
    ],
)
def test_the_working_directory_is_known(script: str, path: str) -> None:
    assert texts(folder(script)) == {path}


@pytest.mark.parametrize("script", ["use", "(cd /a); use", "cd /a | b; use", "cd /a & use", "f() { cd /a; }; use"])
def test_it_is_that_of_the_caller(script: str) -> None:
    assert folder(script) == Value(((WORKING_FOLDER,),))


@pytest.mark.parametrize(
    "script", ["cd $x; use", "cd /a; cd -; use", "pushd /a; popd; use", "cd; use", "cd /a; cd $(b); use"]
)
def test_it_is_not_known(script: str) -> None:
    assert texts(folder(script)) == {"?"}


def test_it_may_be_one_of_several() -> None:
    assert texts(folder("if a; then cd /a; else cd /b; fi; use")) == {"/a", "/b"}
    assert texts(folder("cd /a; b && cd /c; use")) == {"/a", "/c"}


def test_it_may_be_told_by_the_script() -> None:
    assert folder('cd "$(dirname "$0")"; use') == Value(((SCRIPT_FOLDER,),))
    assert used("cd /a; use $PWD") == used("cd /a; use $(pwd)") == {"/a"}
    assert used("cd /a; (cd b); use $PWD") == {"/a"}


@pytest.mark.parametrize(
    ("script", "values"),
    [
        ("f() { local a=x; }; a=y; f; use $a", {"y"}),
        ("f() { local a; a=x; }; a=y; f; use $a", {"y"}),
        ("f() { declare a=x; }; a=y; f; use $a", {"y"}),
        ("f() { a=x; }; a=y; f; use $a", {"x"}),
        ("f() ( a=x ); a=y; f; use $a", {"y"}),
        ("f() { local a=x; g; }; g() { use $a; }; f", {"x"}),
        ("f() { a=x; return; a=z; }; f; use $a", {"x"}),
        ("f() { local a=$1; use $a; }; f x", {"x"}),
        ("a=x; for i in 1; do :; done; use $a", {"x"}),
    ],
)
def test_variables_of_functions(script: str, values: set[str]) -> None:
    assert used(script) == values
    assert bash("use() { printf %s $1; }\n" + script) in values


@pytest.mark.parametrize(
    "script",
    [
        "a=y; while :; do a=x; break; done; use $a",
        "a=y; for i in 1 2; do a=x; continue; done; use $a",
        "a=y; for i in 1; do if :; then a=x; break; fi; a=z; done; use $a",
        "a=y; until a=x; do :; done; use $a",
        "a=y; for i in; do a=x; done; use $a",
        "a=y; case b in b) a=x ;; esac; use $a",
        "a=y; [ ] || a=x; use $a",
        "a=y; : && a=x; use $a",
        "a=y; f() { [ ] && return; a=x; }; f; use $a",
        "a=y; : ${a:=x}; use $a",
        "unset a; : ${a:=x}; use $a",
        "a=y; unset a; use ${a-x}",
    ],
)
def test_what_bash_finds_is_among_the_alternatives(script: str) -> None:
    assert bash("use() { printf %s $1; }\n" + script) in used(script)


def test_nothing_is_claimed_of_what_is_never_reached() -> None:
    facts = facts_of("a; exit; use\nf() { other; }")
    assert command(facts, "use") not in facts.situations
    assert command(facts, "other") in facts.situations


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("a b >c", ["a", "b"]),
        ("for i in a b; do c; done", ["a", "b"]),
        ("case a in b) c ;; esac", ["a"]),
        ("[[ a = b && ! ( c -nt d ) || -f e ]]", ["a", "b", "c", "d", "e"]),
        ("if a; then b; fi", []),
        ("while a; do b; done", []),
    ],
)
def test_the_words_that_a_command_expands_itself(script: str, words: list[str]) -> None:
    facts = facts_of(script)
    first = facts.script.body.commands[0]
    assert [word.literal for word in own_words(first)] == words
    assert [value.literal for value in facts.situations[first].arguments] == words


STEPS = st.sampled_from(["cd a", "cd b", "cd ..", "cd ../a", "cd .", "(cd a)", "cd /a/b", "cd /"])


@settings(max_examples=40)
@given(st.lists(STEPS, max_size=6))
def test_bash_is_where_it_is_said_to_be(steps: list[str]) -> None:
    """`cd` is made a function that only reckons, because the folders don't exist."""
    script = "\n".join(["cd /a", *steps, "use"])
    reckon = (
        'cd() { case $1 in /*) PWD=$1 ;; *) PWD=$(realpath -ms "$PWD/$1") ;; esac; }\nuse() { printf %s "$PWD"; }\n'
    )
    assert bash(reckon + script) in {posixpath.normpath("/" + path.lstrip("/")) for path in texts(folder(script))}


def test_every_command_has_a_situation() -> None:
    script = "\n".join(
        [
            "a | b && c || ! d; { e; } & (f); g() { h; }; if i; then j; elif k; then l; else m; fi",
            "while n; do o; done; for p in $(q); do r; done; case $(s) in t) u ;; esac; [[ $(v) ]]; ((w))",
            "for ((x = 1; x < 2; x++)); do y; done; z <(aa) > $(bb); until cc; do dd; done; coproc ee",
        ]
    )
    facts = facts_of(script)
    missing: list[Node] = [node for node in facts.structure.simple_commands if node not in facts.situations]
    assert missing == []


def test_orders_count_up_as_commands_are_reached() -> None:
    facts = facts_of("f() { second; }; first; f; third")
    orders = [facts.situations[command(facts, name)].order for name in ("first", "second", "third")]
    assert orders == sorted(set(orders))
