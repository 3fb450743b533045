"""A command put at an insertion point runs just before another and sees the same `$?`, as bash shows."""

from __future__ import annotations

import pytest
from flow_scripts import bash, facts_of, run_bash
from hypothesis import given
from hypothesis import strategies as st

from shellguard.flow.insertion import InsertionPoint, Placement, insertion_point, unused_name
from shellguard.syntax.nodes import ForLoop

OWN_LINE, INLINE, GROUPED = Placement.OWN_LINE, Placement.INLINE, Placement.GROUPED


def point_before_reader(text: str) -> InsertionPoint:
    """The insertion point for the last command that reads `$?`."""
    facts = facts_of(text)
    node = next(node for node in reversed(facts.structure.simple_commands) if "$?" in text[node.start : node.end])
    point = insertion_point(facts.structure, text, node)
    assert point is not None
    return point


def inserted(text: str, capture: str) -> str:
    """The script with a command inserted before the reader."""
    point = point_before_reader(text)
    before, after = text[: point.offset], text[point.offset :]
    match point.placement:
        case Placement.OWN_LINE:
            return f"{before}{capture}\n{point.indentation}{after}"
        case Placement.INLINE:
            return f"{before}{capture}; {after}"
        case Placement.GROUPED:
            return f"{before}{{ {capture}; {text[point.offset : point.end]}; }}{text[point.end :]}"


@pytest.mark.parametrize(
    ("script", "placement", "follows", "indentation"),
    [
        ("false\necho $?", OWN_LINE, "echo $?", ""),
        ("if true; then\n  false\n  echo $?\nfi", OWN_LINE, "echo $?", "  "),
        ("{\n\tfalse\n\techo $?\n}", OWN_LINE, "echo $?", "\t"),
        ("false; echo $?", INLINE, "echo $?", ""),
        ("false\nif true; then echo a; fi; echo $?", INLINE, "echo $?", ""),
        ("false || echo $?", GROUPED, "echo $?", ""),
        ("true && false || echo $?", GROUPED, "echo $?", ""),
        ("false\necho $? | cat", OWN_LINE, "echo $? | cat", ""),
        ("false\necho $? && true", OWN_LINE, "echo $? && true", ""),
        ("false\n! echo $?", OWN_LINE, "! echo $?", ""),
        ("false\nif [ $? -eq 1 ]; then echo a; fi", OWN_LINE, "if [ $? -eq 1 ]; then echo a; fi", ""),
        ("false\nif [ $? -eq 1 ] && true; then echo a; fi", OWN_LINE, "if [ $? -eq 1 ] && true; then echo a; fi", ""),
        ("false || { echo $?; }", INLINE, "echo $?; }", ""),
    ],
)
def test_where_a_command_goes(script: str, placement: Placement, follows: str, indentation: str) -> None:
    point = point_before_reader(script)
    assert (point.placement, point.indentation) == (placement, indentation)
    assert script[point.offset :].partition("\n")[0] == follows


SCRIPTS = [
    "false\necho $?",
    "false; echo $?",
    "false || echo $?",
    "true && false || echo $?",
    "false\necho $? | cat",
    "false\necho $? && true",
    "false\n! echo $?",
    "false\nif [ $? -eq 1 ]; then echo a; fi",
    "false\nif [ $? -eq 1 ] && true; then echo a; fi",
    "if true; then\n  false\n  echo $?\nfi",
    "f() {\n  false\n  echo $?\n}\nf",
    "f() { false; echo $?; }; f",
    "for i in 1 2; do\n  false\n  echo $?\ndone",
    "case x in\n  x) false; echo $? ;;\nesac",
    "false || { echo $?; true; }",
    "(false; echo $?)",
    'x=$(false; echo $?); echo "$x"',
    "false\necho $? > /dev/stdout",
    "false\nx=$? true\necho b",
    "if false; then :; elif [ $? -eq 1 ]; then echo a; fi",
    "false\nwhile [ $? -eq 1 ]; do echo a; break; done",
    "if true; then false; fi; echo $?",
    "false && true; echo $?",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_script_does_what_it_did_and_the_status_is_captured(script: str) -> None:
    changed = inserted(script, 'rc=$?; echo "captured $rc" >&2; (exit $rc)')
    assert bash(changed) == bash(script)
    assert run_bash(changed).stderr.startswith("captured 1\n")


def test_a_loop_over_the_status_has_its_place_before_the_loop() -> None:
    facts = facts_of("false; for i in $?; do a; done")
    point = insertion_point(facts.structure, facts.text, facts.structure.nodes(ForLoop)[0])
    assert point is not None
    assert facts.text[point.offset :].startswith("for i")


def test_a_function_without_braces_has_no_place_before_its_body() -> None:
    facts = facts_of("f() for i in $?; do a; done")
    assert insertion_point(facts.structure, facts.text, facts.structure.nodes(ForLoop)[0]) is None


def test_the_first_name_that_is_free_is_taken() -> None:
    assert unused_name("echo $status", ("rc", "status")) == "rc"
    assert unused_name("rc=1", ("rc", "status")) == "status"
    assert unused_name("src=1; rcs=2", ("rc", "status")) == "rc"
    assert unused_name("rc=1; status=2", ("rc", "status")) == "status2"
    assert unused_name("rc=1; status=2; status2=3", ("rc", "status")) == "status3"


@given(st.lists(st.sampled_from(["rc", "status", "status2", "status3", "$rc", "src"])))
def test_the_name_occurs_nowhere(words: list[str]) -> None:
    text = " ".join(words)
    name = unused_name(text, ("rc", "status"))
    assert name not in text.replace("$", "").split()
