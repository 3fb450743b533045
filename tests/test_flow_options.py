"""errexit and pipefail are on, off or unknown at each place, as real bash shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from flow_scripts import bash, command, facts_of
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from shellguard.flow.facts import Facts
from shellguard.flow.options import Options, Toggle, after_set, after_shopt
from shellguard.source import Span

ON, OFF, MAYBE = Toggle.ON, Toggle.OFF, Toggle.MAYBE

# `mark N` tells the options at a place, and fails. `after N` says that the shell went on.
PRELUDE = """\
exec 3>&1
mark() {
  if [[ -o errexit ]]; then printf '%s errexit on\\n' "$1"; else printf '%s errexit off\\n' "$1"; fi
  if [[ -o pipefail ]]; then printf '%s pipefail on\\n' "$1"; else printf '%s pipefail off\\n' "$1"; fi
  return 1
} >&3
after() { printf '%s stops off\\n' "$1"; } >&3
"""


def options_at(text: str, start: str = "mark", path: str = "run.sh") -> Options:
    """The options where the only command that begins so runs."""
    facts = facts_of(text, path)
    return facts.situations[command(facts, start)].options


def observed(script: str, *options: str) -> Iterator[tuple[str, str, Toggle]]:
    """What bash shows at each mark: its number, the option (or `stops`), and the state."""
    shown_states: dict[str, list[tuple[str, Toggle]]] = {}
    for line in bash(PRELUDE + script, *options).splitlines():
        number, option, state = line.split()
        shown_states.setdefault(number, []).append((option, Toggle(state)))
    for number, states in shown_states.items():
        for option, toggle in states:
            yield number, option, toggle
        if all(option != "stops" for option, _ in states):
            yield number, "stops", ON


def claimed(facts: Facts, number: str, option: str) -> Toggle:
    """What is claimed of an option at a mark."""
    options = facts.situations[command(facts, f"mark {number};")].options
    return {"errexit": options.errexit, "pipefail": options.pipefail, "stops": options.stops_on_failure}[option]


@pytest.mark.parametrize(
    "script",
    [
        "set -e\n{ MARK }",
        "set -eu -o pipefail\n{ MARK }",
        "set -euo pipefail\n{ MARK }",
        "set -o errexit\n{ MARK }",
        "set -e; set +e\n{ MARK }",
        "eval 'set -e'; { MARK }",
        "eval set -o pipefail; { MARK }",
        "eval 'set -e; set -o pipefail'; { MARK }",
        "f() { local -; set -e; }; f; { MARK }",
        "f() { local x -; set -o pipefail; }; f; { MARK }",
        "set -o pipefail; set +o pipefail; { MARK }",
        "set -- -e; { MARK }",
        "set - -e; { MARK }",
        "set x -e; { MARK }",
        "set -x -- -e; { MARK }",
        "shopt -so errexit; { MARK }",
        "shopt -s -o pipefail; { MARK }",
        "set -e; shopt -uo errexit; { MARK }",
        "shopt -s inherit_errexit; set -e; x=$( MARK ) || :",
        "set -e; x=$( MARK ) || :",
        "set -e; x=$( set -e; MARK )",
        "shopt -s inherit_errexit; set -e; x=$( MARK )",
        "shopt -s inherit_errexit; shopt -u inherit_errexit; set -e; x=$( MARK )",
        "set -e; ( MARK )",
        "( set -e ); { MARK }",
        "( set -e; MARK )",
        "{ set -e; }; { MARK }",
        "if true; then set -e; fi; { MARK }",
        "if false; then set -e; fi; { MARK }",
        "if false; then set -e; else set -e; fi; { MARK }",
        "false && set -e; { MARK }",
        "true && set -e; { MARK }",
        "false || set -e; { MARK }",
        "case x in x) set -e ;; *) set -e ;; esac; { MARK }",
        "case x in y) set -e ;; esac; { MARK }",
        "for i in 1; do set -e; done; { MARK }",
        "for i in 1; do set -e; MARK done",
        "until set -e; do :; done; { MARK }",
        "for i in 1 2; do { MARK }; set -e; done",
        "while :; do set -e; break; done; { MARK }",
        "for i in 1; do set -e; continue; done; { MARK }",
        "for i in 1; do if true; then set -e; break; fi; set +e; done; { MARK }",
        "f() { set -e; }; { MARK }",
        "f() { set -e; }; f; { MARK }",
        "f() { set -e; }; g() { f; }; g; { MARK }",
        "f() ( set -e ); f; { MARK }",
        "f() { set +e; }; set -e; f; { MARK }",
        "f() { MARK }; set -e; f",
        "f() { MARK }; set -e; if f; then :; fi",
        "f() { MARK }; set -e; f || true",
        "f() { MARK }; set -e; ! f",
        "f() { MARK }; f; set -e; f",
        "set -e; if MARK then :; fi",
        "set -e; while MARK false; do :; done",
        "set -e; until MARK true; do :; done",
        "set -e; if true; then { MARK }; fi",
        "set -e; { MARK } && true",
        "set -e; true && { MARK }",
        "set -e; { MARK } || true",
        "set -e; ! { MARK }",
        "set -e; ! ( MARK )",
        "set -e; ( MARK ) || true",
        "( set -e; MARK ) || true",
        "if ( set -e; MARK ); then :; fi",
        "set -e; { MARK } | cat",
        "set -e; true | { MARK }",
        "set -e | true; { MARK }",
        "true | set -e; { MARK }",
        "shopt -s lastpipe; true | set -e; { MARK }",
        "set -e; { MARK } & wait",
        "set -e & wait; { MARK }",
        "set -e; x=$( if MARK then :; fi )",
        "if x=$( set -e; MARK ); then :; fi",
        "set -e; cat <( MARK )",
        "set -e; f() { ( MARK ); }; f && true",
        "set -e; : ${x:=$( MARK )}",
        "o=-e; set $o; { MARK }",
        'flags="-e"; set "$flags"; { MARK }',
        "trap 'set -e' EXIT; { MARK }",
        "set -e; set -o posix; x=$( MARK )",
    ],
)
def test_bash_confirms_what_is_claimed(script: str) -> None:
    script = script.replace("MARK", "mark 1; after 1;")
    seen = list(observed(script))
    assert seen, "bash never got there"
    for number, option, state in seen:
        claim = claimed(facts_of(script), number, option)
        assert claim in (state, MAYBE), f"{option} is {state}"


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("set -e\nmark", ON),
        ("mark\nset -e", OFF),
        ("#!/bin/bash -e\nmark", ON),
        ("#!/bin/bash -eu\nset +e\nmark", OFF),
        ("if a; then set -e; fi\nmark", MAYBE),
        ("if a; then set -e; else set -e; fi\nmark", ON),
        ("if a; then set -e; else exit; fi\nmark", ON),
        ("case $a in x) set -e ;; esac\nmark", MAYBE),
        ("case $a in x) set -e ;; *) set -e ;; esac\nmark", ON),
        ("a && set -e\nmark", MAYBE),
        ("for i in *; do set -e; done\nmark", MAYBE),
        ("f() { set -e; }\nmark", OFF),
        ("f() { set -e; }\nf\nmark", ON),
        ("f() { set -e; }\nif a; then f; fi\nmark", MAYBE),
        ("f() { set -e; }\ng() { f; }\ng\nmark", ON),
        ("f() { set +e; f; }\nset -e\nf\nmark", OFF),
        ("f() { mark; }\nf\nset -e\nf", MAYBE),
        ("f() { mark; }", MAYBE),
        ("set -e\nf() { mark; }\nother", ON),
        ("set -e\n(set +e)\nmark", ON),
        ("set -e\nx=$(mark)", OFF),
        ("set -e\nx=$(set -e; mark)", ON),
        ("#!/bin/sh\nset -e\nx=$(mark)", ON),
        ("#!/bin/ksh\nset -e\nx=$(mark)", ON),
        ("#!/bin/ksh\ntrue | set -e\nmark", ON),
        ("#!/bin/bash --posix\nset -e\nx=$(mark)", ON),
        ("echo set -e\nmark", OFF),
        ("# set -e\nmark", OFF),
        ("cat <<'E'\nset -e\nE\nmark", OFF),
    ],
)
def test_errexit_is_a_fact_of_the_place(script: str, state: Toggle) -> None:
    assert options_at(script).errexit is state


@pytest.mark.parametrize(
    ("script", "by"),
    [
        ("set -e; if mark; then b; fi", "mark"),
        ("set -e; a && mark", None),
        ("set -e; mark && b", "mark && b"),
        ("set -e; ! mark", "! mark"),
        ("set -e; f() { mark; b; }; f || c", "f || c"),
        ("set -e; while { mark; b; }; do c; done", "{ mark; b; }"),
        ("set -e; if a; then mark; fi", None),
        ("set -e; (mark) || b", "(mark) || b"),
        ("set -e; ! { a | { mark; } }", "! { a | { mark; } }"),
    ],
)
def test_what_switches_errexit_off_is_kept(script: str, by: str | None) -> None:
    options = options_at(script)
    place = options.suppressed
    assert options.errexit is ON
    assert (script[place.start : place.end] if place else None) == by
    assert options.stops_on_failure is (OFF if by else ON)


@pytest.mark.parametrize(
    ("words", "errexit", "pipefail"),
    [
        ("-e", ON, OFF),
        ("-eo pipefail", ON, ON),
        ("-euo pipefail", ON, ON),
        ("-oe pipefail", ON, ON),
        ("-o pipefail -e", ON, ON),
        ("-e +e", OFF, OFF),
        ("-o errexit +o pipefail", ON, OFF),
        ("-eu pipefail", ON, OFF),
        ("x -e", OFF, OFF),
        ("-- -e", OFF, OFF),
        ("- -e", OFF, OFF),
        ("-o", OFF, OFF),
        ("", OFF, OFF),
    ],
)
def test_the_words_of_set(words: str, errexit: Toggle, pipefail: Toggle) -> None:
    options = after_set(Options(), words.split())
    assert (options.errexit, options.pipefail) == (errexit, pipefail)
    if words not in {"", "-o"}:
        seen = dict(pair.split() for pair in bash(f"set {words}; set -o").splitlines())
        assert seen["errexit"] == errexit.value
        assert seen["pipefail"] == pipefail.value


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-s inherit_errexit", Options(inherit_errexit=ON)),
        ("-s lastpipe inherit_errexit", Options(lastpipe=ON, inherit_errexit=ON)),
        ("-so errexit", Options(errexit=ON)),
        ("-s -o pipefail", Options(pipefail=ON)),
        ("-s errexit", Options()),
        ("-q lastpipe", Options()),
        ("lastpipe", Options()),
        ("-p", Options()),
    ],
)
def test_the_words_of_shopt(words: str, expected: Options) -> None:
    assert after_shopt(Options(), list(words.split())) == expected
    undone = after_shopt(expected, ["-u", *(["-o"] if "o " in words[:6] else []), "lastpipe", "inherit_errexit"])
    assert undone.lastpipe is OFF or "o " in words[:6]


def test_paths_that_meet() -> None:
    suppressed = Options(errexit=ON, suppressed=Span(0, 4))
    assert Options(errexit=ON).joined(Options(errexit=ON)) == Options(errexit=ON)
    assert Options(errexit=ON).joined(Options()).errexit is MAYBE
    assert Options(pipefail=ON).joined(Options(pipefail=MAYBE)).pipefail is MAYBE
    assert suppressed.stops_on_failure is OFF
    assert suppressed.joined(Options(errexit=ON)).stops_on_failure is MAYBE
    assert Options().joined(Options(suppressed=Span(0, 4))).stops_on_failure is OFF


SETTINGS = st.sampled_from(
    ["set -e", "set +e", "set -o pipefail", "set +o pipefail", "shopt -s inherit_errexit", "shopt -so errexit"]
)
# `!` is left out: bash alone lets a `set -e` inside `! { … }` stop the script, contrary to POSIX.
FORMS = (
    "{{ {0}\n}}",
    "( {0}\n)",
    "x=$( {0}\n)",
    "if true; then {0}\nfi",
    "if false; then {0}\nfi",
    "if {0}\nthen :; fi",
    "true && {{ {0}\n}}",
    "{{ {0}\n}} && true",
    "{{ {0}\n}} || true",
    "{{ {0}\n}} | true",
    "true | {{ {0}\n}}",
    "{{ {0}\n}} & wait",
    "case x in x) {0}\n;; *) : ;; esac",
    "{1}() {{ {0}\n}}; {1}",
    "{1}() {{ {0}\n}}; {1} || true",
    "{1}() {{ {0}\n}}; if {1}; then :; fi; {1}",
    "for i in 1; do {0}\ndone",
)
MARK = st.just("mark N; after N")


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Statements in a list, in one of the forms."""
    lists = st.lists(inner | SETTINGS | MARK, min_size=1, max_size=3).map("\n".join)
    names = st.integers(0, 99).map("f{}".format)
    return st.builds(lambda form, *parts: form.format(*parts), st.sampled_from(FORMS), lists, names)


PROGRAMS = st.lists(SETTINGS | MARK | st.recursive(MARK, nested, max_leaves=4), min_size=1, max_size=6)


@settings(max_examples=100)
@given(PROGRAMS)
@example(["set -e", "x=$( set -e\nmark N; after N\n)"])
def test_bash_agrees_on_random_programs(statements: list[str]) -> None:
    script = "\n".join(statements)
    defined = re.findall(r"f\d+(?=\(\))", script)
    assume(len(set(defined)) == len(defined))
    for count in range(script.count("mark N")):
        script = script.replace("mark N; after N", f"mark {count}; after {count}", 1)
    facts = facts_of(script)
    for number, option, state in observed(script):
        claim = claimed(facts, number, option)
        assert claim in (state, MAYBE), f"mark {number}: {option} is {state}, not {claim}"
