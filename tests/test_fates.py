"""Fates against real bash: every command of a script is failed in turn, and the claim compared with the exit status."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import lru_cache

import pytest
from flow_scripts import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shellguard.flow.fates.table import Fate, fates

# Every command that isn't known is a stub; the one that FAILS names fails whenever it is run.
PRELUDE = 'command_not_found_handle() { [ "$1" != "$FAILS" ] || return 3; }\n'
BASH = shutil.which("bash") or "/bin/bash"
BAD = {Fate.STOPS, Fate.RETURNED}
GOOD = {Fate.HANDLED, Fate.IGNORED, Fate.LOGGED, Fate.LOST}


def claims(script: str) -> dict[str, Fate]:
    """The fate of each command by its name; names are used once."""
    facts = facts_of(script)
    found = {}
    for item in fates(facts):
        name = facts.text[item.command.words[0].start : item.command.words[0].end]
        assert name not in found, f"{name} stands twice"
        found[name] = item.fate
    return found


@lru_cache(maxsize=4096)
def status(script: str, failing: str) -> int:
    """What bash ends with when one command fails."""
    return subprocess.run(
        [BASH, "-c", PRELUDE + script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=20,
        cwd="/",
        env={"PATH": "/nonexistent", "FAILS": failing, "LC_ALL": "C", "HOME": os.sep},
    ).returncode


def disagreements(script: str) -> dict[str, tuple[Fate, int]]:
    """The commands of which something wrong is claimed."""
    wrong = {}
    for name, fate in claims(script).items():
        ended = status(script, name)
        if (fate in BAD and ended == 0) or (fate in GOOD and ended != 0):
            wrong[name] = (fate, ended)
    return wrong


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("j1; j2", {"j1": "lost", "j2": "returned"}),
        ("set -e; j1; j2", {"j1": "stops", "j2": "stops"}),
        ("set -e; j1 || true; j2", {"j1": "ignored", "j2": "stops"}),
        ("set -e; j1 && j2; j3", {"j1": "handled", "j2": "stops", "j3": "stops"}),
        ("j1 || exit 4; j2 | j3", {"j1": "stops", "j2": "lost", "j3": "returned"}),
        ("set -o pipefail; j1 | j2", {"j1": "returned", "j2": "returned"}),
        ("if j1; then j2; fi; :", {"j1": "handled", "j2": "lost"}),
        ("if ! j1; then exit 1; fi; :", {"j1": "stops"}),
        ("! j1; :", {"j1": "lost"}),
        ("set -e; ! j1; :", {"j1": "lost"}),
        ("rc=0; j1 || rc=$?; j2 || rc=1; exit $rc", {"j1": "returned", "j2": "returned"}),
        ("j1; rc=$?; echo x; exit $rc", {"j1": "returned"}),
        ("j1; echo $?; :", {"j1": "logged"}),
        ("n=0; for s in a b; do j1 $s || n=$((n + 1)); done; exit $((n > 0))", {"j1": "returned"}),
        ("n=0; for s in a b; do j1 $s || ((n++)); done; echo $n", {"j1": "handled"}),
        ("for s in a b; do j1 $s; done", {"j1": "returned"}),
        ("for s in a b; do j1; j2; done", {"j1": "lost", "j2": "returned"}),
        ("bad=(); j1 || bad+=(j1); [ ${#bad[@]} -eq 0 ] || exit 1", {"j1": "stops"}),
        ('bad=""; j1 || bad="$bad j1"; if [ -n "$bad" ]; then exit 1; fi; :', {"j1": "stops"}),
        ("f() { j1; j2; }; f", {"j1": "lost", "j2": "returned"}),
        ("f() { j1 || return 1; j2; }; f || exit 2; j3; :", {"j1": "stops", "j2": "stops", "j3": "lost"}),
        ("set -e; f() { j1; j2; }; f || exit 2; :", {"j1": "lost", "j2": "stops"}),
        ("set -e; f() { j1; j2; }; f; :", {"j1": "stops", "j2": "stops"}),
        ("f() { local x=$(j1); }; f || exit 1; :", {"j1": "lost"}),
        ("x=$(j1); rc=$?; [ $rc -eq 0 ] || exit 1; :", {"j1": "stops"}),
        ("set -e; x=$(j1; j2); :", {"j1": "lost", "j2": "stops"}),
        ("set -e; shopt -s inherit_errexit; x=$(j1; j2); :", {"j1": "stops", "j2": "stops"}),
        ("set -e; export x=$(j1); :", {"j1": "lost"}),
        ("(j1; j2) || exit 1; :", {"j1": "lost", "j2": "stops"}),
        ("set -e; (j1; j2); :", {"j1": "stops", "j2": "stops"}),
        ("j1 | j2; st=(${PIPESTATUS[@]}); (( st[0] == 0 )) || exit 1; :", {"j1": "stops"}),
        ("j1 | j2; if [ ${PIPESTATUS[0]} -ne 0 ]; then exit 1; fi; :", {"j1": "stops"}),
        ("j1 & p=$!; j2; wait $p || exit 1; :", {"j1": "stops", "j2": "lost"}),
        ("set -e; { { j1; j2; } & wait $!; } || exit 5; :", {"j1": "lost", "j2": "stops"}),
        ("j1 & wait; :", {"j1": "lost"}),
        ("j1 & j2 & wait $!; exit $?", {"j1": "lost", "j2": "returned"}),
        ("trap 'exit 0' EXIT; set -e; j1", {"j1": "lost"}),
        ("trap 'rc=$?; exit $rc' EXIT; set -e; j1; :", {"j1": "stops"}),
        ("trap 'exit 3' ERR; j1; :", {"j1": "stops"}),
        ("until j1; do break; done; :", {"j1": "handled"}),
        ("while :; do j1 || break; j2; break; done; :", {"j1": "handled", "j2": "lost"}),
        ("while :; do j1 && break; exit 1; done; :", {"j1": "stops"}),
        ("case $(j1) in x) ;; esac; :", {"j1": "lost"}),
        ("j1; case $? in 0) ;; *) exit 1 ;; esac; :", {"j1": "stops"}),
        ("set -e; set +e; j1; :", {"j1": "lost"}),
        ("eval 'set -e'; j1; :", {"j1": "stops"}),
        ("[[ $(j1) ]]; :", {"j1": "lost"}),
        ("{ j1; j2; } || exit 1; :", {"j1": "lost", "j2": "stops"}),
        ("while read x; do j1; done < <(j2); :", {"j2": "lost"}),
        ("!; j1", {"j1": "returned"}),
        ("set -e; ! { j1; j2; }; j3", {"j1": "lost", "j2": "lost", "j3": "stops"}),
        ("! { set -e; j1; j2; }; :", {"j1": "stops", "j2": "stops"}),
        ("exec j1", None),
        ("j1 && { j2; exit 0; }; exit 1", {"j1": "stops", "j2": "lost"}),
    ],
)
def test_the_fate_of_each_command(script: str, expected: dict[str, str] | None) -> None:
    found = claims(script)
    assert not disagreements(script)
    if expected is not None:
        assert {name: str(fate) for name, fate in found.items() if name in expected} == expected


def test_a_command_that_a_function_is_given() -> None:
    script = 'run() { "$@" || exit 1; }; run j1; :'
    assert claims(script) == {'"$@"': Fate.STOPS}
    assert status(script, "j1") == 1


# A grammar of scripts. Each job has a name of its own; loops end; nothing reads input.

JOB = st.just("JOB")


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map("; ".join),
        two.map(" && ".join),
        two.map(" || ".join),
        two.map(" | ".join),
        inner.map(lambda text: f"{{ {text}; }}"),
        inner.map(lambda text: f"( {text} )"),
        inner.map(lambda text: f"! {{ {text}; }}"),
        two.map(lambda pair: f"if {pair[0]}; then {pair[1]}; fi"),
        two.map(lambda pair: f"if {pair[0]}; then :; else {pair[1]}; fi"),
        two.map(lambda pair: f"for i in 1 2; do {pair[0]}; {pair[1]}; done"),
        two.map(lambda pair: f"while {pair[0]}; do {pair[1]}; break; done"),
        inner.map(lambda text: f"x=$({text})"),
        inner.map(lambda text: f"echo $({text})"),
        inner.map(lambda text: f"{{ {text}; }} || rc=1"),
        inner.map(lambda text: f"{text}; rc=$?"),
        inner.map(lambda text: f"{{ {text}; }} || exit 5"),
        inner.map(lambda text: f"{{ {text}; }} || true"),
        inner.map(lambda text: f"set -e; {text}"),
        inner.map(lambda text: f"set +e; {text}"),
        inner.map(lambda text: f"set -o pipefail; {text}"),
        inner.map(lambda text: f"f() {{ {text}; }}; f"),
        inner.map(lambda text: f"f() {{ {text}; return 0; }}; f"),
        inner.map(lambda text: f"{{ {text}; }} & wait $!"),
        inner.map(lambda text: f"case $? in 0) {text} ;; *) exit 6 ;; esac"),
    )


SCRIPTS = st.recursive(JOB, _blocks, max_leaves=6)
ENDS = st.sampled_from([":", "exit $rc", "[ $rc -eq 0 ]", "(( rc == 0 )) || exit 7", "exit", "echo done", "JOB"])
STARTS = st.sampled_from(
    ["rc=0", "rc=0; set -e", "rc=0; set -eo pipefail", "rc=0; trap 'JOB' EXIT", "rc=0; trap 'exit $rc' EXIT"]
)


def numbered(script: str) -> str:
    """The script with a name of its own for each job."""
    first, *rest = script.split("JOB")
    return first + "".join(f"j{number}{text}" for number, text in enumerate(rest, start=1))


@settings(max_examples=150)
@given(STARTS, SCRIPTS, ENDS)
def test_bash_agrees_on_generated_scripts(start: str, body: str, end: str) -> None:
    script = numbered(f"{start}; {body}; {end}")
    if status(script, "") == 0:  # what is claimed holds for a script that succeeds when everything does
        assert not disagreements(script), script


@pytest.mark.parametrize(
    "script",
    [
        "f() { f; j1; }; f",
        "f() { g; }; g() { f || j1; }; f",
        "while :; do j1; done",
        "( " * 60 + "j1" + " )" * 60,
        "\n".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}" for n in range(40)) + "\nf40() { j1; }\nf0",
        "\n".join(f"v{n}=$(j{n}); [ $v{n} ] && w{n}=1" for n in range(200)),
    ],
    ids=["recursion", "mutual", "endless", "deep", "doubling", "branching"],
)
def test_scripts_that_branch_without_end_come_to_an_end(script: str) -> None:
    assert claims(script)
