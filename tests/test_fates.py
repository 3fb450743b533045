"""Fates against real bash: every command of a script is failed in turn, and the claim compared with the exit status."""

from __future__ import annotations

import pytest
from fate_runs import claims, disagreements, status

from shellguard.flow.fates.table import Fate


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
