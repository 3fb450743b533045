"""Fates against real shells on generated scripts: every command is failed in turn, and the claim compared."""

from __future__ import annotations

from fate_runs import disagreements, numbered, status
from hypothesis import given, settings
from hypothesis import strategies as st

from shellguard.source import Dialect

# Jobs have names of their own, given at the end; loops end; nothing reads input. What both shells know:
_COMMON = (
    "{0}; {1}",
    "{0} && {1}",
    "{0} || {1}",
    "{0} | {1}",
    "{{ {0}; }}",
    "( {0} )",
    "! {{ {0}; }}",
    "if {0}; then {1}; fi",
    "if {0}; then :; else {1}; fi",
    "if ! {{ {0}; }}; then exit 9; fi",
    "for i in 1 2; do {0}; {1}; done",
    "for i in 1 2; do {{ {0}; }} || continue; {1}; done",
    "for i in 1 2; do for k in 1 2; do {{ {0}; }} || break 2; {1}; done; done",
    "while {0}; do {1}; break; done",
    "until {0}; do {1}; break; done",
    "x=$({0})",
    "x=$({0}); rc=$?",
    "echo $({0})",
    "{{ {0}; }} || rc=1",
    "{0}; rc=$?",
    "{0}; rc=$((rc + $?))",
    "{{ {0}; }} || rc=$((rc + 1))",
    "{{ {0}; }} || {{ rc=$?; echo $rc; }}",
    "{{ {0}; }} || exit 5",
    "{{ {0}; }} || true",
    '{{ {0}; }} || bad="$bad x"; [ -z "$bad" ] || exit 4',
    "set -e; {0}",
    "set +e; {0}",
    "f() {{ {0}; }}; f",
    "f() {{ {0}; return 0; }}; f",
    "f() {{ {0}; return; }}; f || rc=2",
    "f() {{ {0}; return $unset; }}; f",
    "f() {{ {0}; return $rc; }}; f || rc=2",
    "f() {{ {0} || return 1; {1}; }}; f",
    'run() {{ "$@"; }}; f() {{ {0}; }}; run f',
    'run() {{ "$@" || exit 3; }}; f() {{ {0}; }}; run f',
    "{{ {0}; }} & wait $!",
    '{{ {0}; }} & p=$!; {1}; wait "$p" || rc=1',
    "case $? in 0) {0} ;; *) exit 6 ;; esac",
    "case $rc in 0) {0} ;; *) {1} ;; esac",
    "set -- a b; for a; do {0}; done; [ $# -eq 2 ]",
    "set -- 0; {0} || set -- 1; exit $1",
    "trap 'exit 0' EXIT; {0}",
    "trap 'exit $rc' EXIT; {0}",
    "trap 'rc=$?; exit $rc' EXIT; {0}",
    "trap : HUP TERM; {0}",
    "( trap 'exit 8' EXIT; {0} ) || rc=1",
    "x=$(trap 'exit 0' EXIT; {0}) || exit 2",
    "eval 'set -e'; {0}",
    "f() {{ {0}; }}; eval 'f; rc=$?'",
    "f() {{ {0}; }}; trap f EXIT",
)
_ONLY_BASH = (
    "set -o pipefail; {0}",
    "set -o pipefail; {0} | {1}",
    "shopt -s inherit_errexit; {0}",
    "set -o posix; {0}",
    "shopt -s lastpipe; {0} | {{ {1}; rc=3; }}",
    "shopt -s lastpipe; {0} | {1}",
    "trap 'rc=1' ERR; {0}",
    "trap 'exit 4' ERR; {0}",
    "trap 'echo' ERR; {0}",
    "set -E; trap 'exit 4' ERR; {0}",
    "set -E; trap 'rc=1' ERR; f() {{ {0}; }}; f; {1}",
    "trap 'exit 4' ERR; f() {{ {0}; }}; f; {1}",
    "trap - ERR; {0}",
    "failed=(); {{ {0}; }} || failed+=(x); (( ${{#failed[@]}} == 0 )) || exit 3",
    "failed=(); {{ {0}; }} || failed+=(x); {{ {1}; }} || failed+=(y); [ ${{#failed[@]}} -eq 0 ]",
    "{{ {0}; }} || (( rc += 1 ))",
    "{{ {0}; }} || let rc+=1",
    "{0}; (( rc |= $? ))",
    'pids=(); {{ {0}; }} & pids+=($!); {{ {1}; }} & pids+=($!); for p in "${{pids[@]}}"; do wait "$p" || rc=$?; done',
    "{0} | {1}; rc=${{PIPESTATUS[0]}}",
    "{{ {0}; }} > >({1})",
    "f() {{ local x=$({0}); }}; f",
    "f() {{ local x; x=$({0}) || return; }}; f",
    "case $rc in 0) {0} ;& 7) {1} ;; esac",
    "[[ $({0}) ]]",
    "if (( rc )); then {0}; else {1}; fi",
)
_STARTS = ("rc=0; bad=", "rc=0; bad=; set -e", "rc=0; bad=; trap 'JOB' EXIT", "rc=0; bad=; trap 'exit $rc' EXIT")
_BASH_STARTS = (
    *_STARTS,
    "rc=0; bad=; set -eo pipefail",
    "rc=0; bad=; unset=0; set -Eeuo pipefail",
    "rc=0; bad=; set -eo posix",
)
_ENDS = (
    ":",
    "exit $rc",
    "[ $rc -eq 0 ]",
    "exit",
    "echo done",
    "JOB",
    "exit $((rc > 0))",
    "if [ $rc -gt 0 ]; then exit 1; fi",
)


def _scripts(templates: tuple[str, ...], starts: tuple[str, ...]) -> st.SearchStrategy[str]:
    def blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(st.sampled_from(templates), inner, inner).map(lambda made: made[0].format(*made[1:]))

    bodies = st.recursive(st.just("JOB"), blocks, max_leaves=6)
    return st.tuples(st.sampled_from(starts), bodies, st.sampled_from(_ENDS)).map("; ".join).map(numbered)


@settings(max_examples=150, deadline=None)
@given(_scripts(_COMMON + _ONLY_BASH, _BASH_STARTS))
def test_bash_agrees_on_generated_scripts(script: str) -> None:
    if status(script, "") == 0:  # what is claimed holds for a script that succeeds when everything does
        assert not disagreements(script), script


@settings(max_examples=100, deadline=None)
@given(_scripts(_COMMON, _STARTS))
def test_dash_agrees_on_generated_scripts(script: str) -> None:
    if status(script, "", Dialect.DASH) == 0:
        assert not disagreements(script, Dialect.DASH), script
