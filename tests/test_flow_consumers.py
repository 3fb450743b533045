"""Who looks at a job's status; what is claimed of scripts as a whole is held against bash."""

from __future__ import annotations

import pytest
from flow_scripts import command, facts_of, run_bash, shown

from shellguard.flow.consumers import Consumer, Look, first_executed
from shellguard.flow.options import Toggle


def consumer(script: str) -> tuple[Consumer, str]:
    """What becomes of the status of `job`, and the text of the node that decides it."""
    facts = facts_of(script)
    found = facts.consumers.of(command(facts, "job"))
    return found, shown(facts, found.node) if found.node else ""


TESTED = {
    "job || a; b": "job || a",
    "job && a; b": "job && a",
    "a || job || b; c": "a || job || b",
    "if job; then a; fi; b": "if job; then a",
    "if ! job; then a; fi; b": "if ! job; then a",
    "if a; then b; elif job; then c; fi; d": "elif job; then c",
    "while job; do a; done; b": "while job; do a; done",
    "until job; do a; done; b": "until job; do a; done",
    "{ job; } || a; b": "{ job; } || a",
    "(a; job) || b; c": "(a; job) || b",
    "a | job || b; c": "a | job || b",
    "x=$(job) || a; b": "x=$(job) || a",
    "if x=$(a; job); then b; fi; c": "if x=$(a; job); then b",
    "set -o pipefail; if job | a; then b; fi; c": "if job | a; then b",
    "job; [ $? -eq 0 ]; a": "[ $? -eq 0 ]",
    "job; [[ $? = 0 ]]; a": "[[ $? = 0 ]]",
    "job; (( $? )); a": "(( $? ))",
    "job; case $? in 0) a ;; esac; b": "case $? in 0) a ;; esac",
    "job; if test $? -ne 0; then a; fi; b": "test $? -ne 0",
    "job; while [ $? -ne 0 ]; do a; done; b": "[ $? -ne 0 ]",
    "job; { [ $? = 0 ] || a; }; b": "[ $? = 0 ]",
    "job; failures=$((failures + $?)); exit $failures": "failures=$((failures + $?))",
    "job; ((failures += $?)); exit $failures": "((failures += $?))",
    "check() { [ $1 = 0 ] || exit; }; job; check $?; a": "check $?",
    "check() { rc=$?; [ $rc = 0 ] || exit; }; job; check; a": "check",
    "check() { [ $? = 0 ] || exit; }; job; check; a": "check",
    "f() { job; }; f || a; b": "f || a",
    "f() { job || return 1; a; }; f; b": "job || return 1",
    "f() { g; }; g() { job; }; if f; then a; fi; b": "if f; then a",
    "f() { f; job; }; f || a; b": "f || a",
    "f() { job; }; f; f || a; b": "f || a",
    "job; rc=$?; [ $rc = 0 ] || a; b": "rc=$?",
    "job; rc=$?; a; exit $rc": "rc=$?",
    "job; rc=$?; a; (( rc )) && b; c": "rc=$?",
    "job; rc=$?; total=$((total + rc)); a $total; b": "rc=$?",
    "f() { job; local rc=$?; a; return $rc; }; f; b": "local rc=$?",
    "job; rc=$? now=$(a); [ $rc = 0 ] || b; c": "rc=$? now=$(a)",
}


@pytest.mark.parametrize("script", TESTED)
def test_something_decides_by_it(script: str) -> None:
    found, node = consumer(script)
    assert found.look is Look.TESTED
    assert node.startswith(TESTED[script])
    assert found.look.is_seen


# The scripts below are run with `job` failing and all else succeeding; what is claimed must be what bash does.

ENDS_WITH_IT = [
    "job",
    "a; job",
    "if a; then job; fi",
    "for i in 1; do job; done",
    "{ a; job; }",
    "(a; job)",
    "a | job",
    "set -o pipefail; job | a",
    "f() { job; }; f",
    "f() { a; job; }; main() { f; }; main",
    "case x in x) job ;; esac",
    "job; exit",
    "job; exit $?",
    "f() { job; return $?; }; f",
    "f() { job; return; }; f",
    "x=$(job)",
]
STOPS = [
    "set -e; job; end",
    "set -e; a && job; end",
    "set -e; (job; a); end",
    "set -e; { job; a; }; end",
    "set -e; f() { job; a; }; f; end",
    "set -e; if a; then job; fi; end",
    "set -e; for i in 1; do job; done; end",
    "set -e; while a; do job; done; end",
    "set -e; x=$(job); end",
    "set -e; x=$(set -e; job; a); end",
    "set -e; shopt -s inherit_errexit; x=$(job; a); end",
    "set -eo pipefail; job | a; end",
    "set -e; a | job; end",
    "set -e; ! a || job; end",
    "#!/bin/bash -e\njob; end",
]
LOST = [
    "job; end",
    "a && job; end",
    "if a; then job; fi; end",
    "until a; do job; done; end",
    "for i in 1; do job; done; end",
    "{ job; }; end",
    "(job); end",
    "(job; a) || end; end",
    "{ job; a; } || end; end",
    "if job; a; then end; fi; end",
    "! job; end",
    "job; exit 0",
    "job; rc=$?; end",
    "f() { job; return $?; }; f; end",
    "f() { job; return; }; f; end",
    "job; a; [ $? = 0 ]; end",
    "job; a=1; [ $? = 0 ]; end",
    "job; { a; [ $? = 0 ]; }; end",
    "check() { a; [ $? = 0 ] || exit; }; job; check; end",
    "f() { job; }; f; end",
    "f() { job; a; }; f || end; end",
    "f() { local out=$(job); a; }; f; end",
    "set -o pipefail; job | a; end",
    "a | { job; end; }; end",
    "a $(job); end",
    "x=$(job); end",
    "x=$(job) y=$(a); end",
    "x=$(job; a); end",
    "export x=$(job); end",
    "for i in $(job); do a; done; end",
    "case $(job) in x) a ;; esac; end",
    "[ -z $(job) ]; end",
    "a <(job); end",
    "job & end",
    "set -e; ! job; end",
    "set -e; ! { job; a; }; end",
    "set -e; a $(job); end",
    "set -e; x=$(job; a); end",
    "set -e; x=$(job) y=$(a); end",
    "set -e; declare x=$(job); end",
    "set -e; (job; a) || end; end",
    "set -e; f() { job; a; }; f || end; end",
    "set -e; f() { job; a; }; if f; then end; fi; end",
    "set -e; f() { job; a; }; ! f; end",
    "set -e; set +e; job; end",
    "set -e; job & end",
]
MASKED = {
    "job | a; end": "a",
    "job | a | b; end": "b",
    "{ a; job; } | b; end": "b",
    "set -e; job | a; end": "a",
    "if job | a; then end; fi; end": "a",
    "job | while a; do break; done; end": "while a; do break; done",
}
LOGGED = {
    "job; echo $?; end": "echo $?",
    'job; printf "%s\\n" "ended with $?"; end': "printf",
    "job; rc=$?; echo $rc; end": "rc=$?",
    "job; rc=$?; echo $rc; logger $rc; end": "rc=$?",
    "say() { echo $1; }; job; say $?; end": "say $?",
    "f() { job; local rc=$?; echo $rc; }; f; end": "local rc=$?",
}


STUBS = """\
for name in a b c d check logger; do eval "$name() { :; }"; done
job() { return 7; }
end() { echo "came to the end"; }
"""


def outcome(script: str) -> tuple[int, bool]:
    """The status of the script in bash, and whether it came to `end`."""
    options = ["-e"] if script.startswith("#!/bin/bash -e") else []
    ran = run_bash(STUBS + script, *options)
    return ran.returncode, "came to the end" in ran.stdout


@pytest.mark.parametrize("script", ENDS_WITH_IT)
def test_it_becomes_the_status_of_the_script(script: str) -> None:
    found, _ = consumer(script)
    assert found.look is Look.RETURNED
    assert found.look.is_seen
    assert outcome(script) == (7, False)


@pytest.mark.parametrize("script", STOPS)
def test_errexit_ends_the_script(script: str) -> None:
    found, _ = consumer(script)
    assert found.look is Look.STOPS
    assert found.look.is_seen
    assert outcome(script) == (7, False)


@pytest.mark.parametrize("script", LOST)
def test_nothing_looks_at_it(script: str) -> None:
    found, _ = consumer(script)
    assert found.look is Look.LOST
    assert not found.look.is_seen
    assert outcome(script)[0] == 0


@pytest.mark.parametrize("script", MASKED)
def test_the_pipeline_ends_with_another_status(script: str) -> None:
    found, node = consumer(script)
    assert found.look is Look.MASKED
    assert not found.look.is_seen
    assert node == MASKED[script]
    assert outcome(script) == (0, True)


@pytest.mark.parametrize("script", LOGGED)
def test_it_is_only_printed(script: str) -> None:
    found, node = consumer(script)
    assert found.look is Look.LOGGED
    assert not found.look.is_seen
    assert node.startswith(LOGGED[script])
    assert outcome(script) == (0, True)


@pytest.mark.parametrize(
    "script",
    [
        "f() { job; }",
        "job & a; wait $!",
        "if a; then set -e; fi; job; b",
        "if a; then set -o pipefail; fi; job | b; c",
        "set -e; f() { job; b; }; f; f || c; d",
        "job; echo $? > status.txt; b",
        "job; export RC=$?; b",
        "trap 'exit 1' ERR; job; a",
    ],
)
def test_what_depends_on_others_is_unknown(script: str) -> None:
    found, _ = consumer(script)
    assert found.look is Look.UNKNOWN
    assert found.look.is_seen


@pytest.mark.parametrize(
    ("script", "stops"),
    [
        ("job; a", Toggle.OFF),
        ("set -e; job; a", Toggle.ON),
        ("set -e; if job; then a; fi", Toggle.OFF),
        ("if a; then set -e; fi; job", Toggle.MAYBE),
    ],
)
def test_whether_errexit_is_in_force(script: str, stops: Toggle) -> None:
    facts = facts_of(script)
    assert facts.consumers.stops(command(facts, "job")) is stops


@pytest.mark.parametrize(
    ("use", "examined"),
    [
        ('[ -n "$x" ]', True),
        ("test $x = a", True),
        ("[[ $x ]]", True),
        ("((x > 3))", True),
        ("case $x in a) b ;; esac", True),
        ("c ${x:?}", True),
        ("echo $x", False),
        ("c $x", False),
        ("[ -n $y ]", False),
        ("c ${x:-a}", False),
    ],
)
def test_whether_a_variable_is_examined(use: str, *, examined: bool) -> None:
    assert facts_of(f"x=$(a | b)\n{use}\n").consumers.is_examined("x") is examined


@pytest.mark.parametrize(
    ("script", "first"),
    [
        ("first | a | b", "first"),
        ("first && a", "first"),
        ("{ first; a; }", "first"),
        ("(first x; a)", "first x"),
        ("if first; then a; fi", "first"),
        ("while first; do a; done", "first"),
        ("if { first && a; }; then b; fi | c", "first"),
        ("for i in $?; do a; done", "for i in $?; do a; done"),
        ("case $? in 0) a ;; esac", "case $? in 0) a ;; esac"),
        ("[[ $? = 0 ]]", "[[ $? = 0 ]]"),
        ("x=$?", "x=$?"),
    ],
)
def test_what_runs_first(script: str, first: str) -> None:
    facts = facts_of(script)
    assert shown(facts, first_executed(facts.script.body.commands[0])) == first
