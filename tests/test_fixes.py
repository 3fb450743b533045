"""Fixes: conflicts, rounds, how they are shown, and how a file is saved."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import need
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shellguard.finding import Applicability, Edit, Finding, Fix, Severity
from shellguard.fixes import (
    DroppedFix,
    EditConflictError,
    FixResult,
    SaveError,
    apply_edits,
    are_in_conflict,
    fit_newlines,
    fix_preview,
    fix_text,
    resolve_target,
    unified_diff,
    write_atomically,
)
from shellguard.fixes.edits import Displacement
from shellguard.source import Source, Span, decode, encode

SAFE = Applicability.SAFE
Find = Callable[[str], list[Finding]]


def edit(start: int, end: int, text: str = "") -> Edit:
    return Edit(Span(start, end), text)


# Edits


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        (edit(0, 2, "x"), edit(2, 4, "y"), False),
        (edit(0, 3, "x"), edit(2, 4, "y"), True),
        (edit(0, 9), edit(2, 4, "y"), True),
        (edit(2, 4, "x"), edit(2, 4, "x"), True),
        (edit(2, 2, "x"), edit(2, 2, "x"), False),
        (edit(2, 2, "x"), edit(2, 2, "y"), True),
        (edit(2, 2, "x"), edit(3, 3, "y"), False),
        (edit(2, 2, "x"), edit(2, 4, "y"), False),
        (edit(4, 4, "x"), edit(2, 4, "y"), False),
        (edit(3, 3, "x"), edit(2, 4, "y"), True),
    ],
)
def test_conflicts(one: Edit, other: Edit, conflict: bool) -> None:  # noqa: FBT001 - a column
    assert are_in_conflict(one, other) is conflict
    assert are_in_conflict(other, one) is conflict


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ((), "abcdef"),
        ((edit(0, 0, "X"),), "Xabcdef"),
        ((edit(6, 6, "X"),), "abcdefX"),
        ((edit(4, 6, "Z"), edit(0, 2)), "cdZ"),
        ((edit(2, 2, "X"), edit(2, 4, "Y")), "abXYef"),
        ((edit(4, 4, "X"), edit(2, 4, "Y")), "abYXef"),
        ((edit(2, 2, "X"), edit(2, 2, "X")), "abXcdef"),
    ],
)
def test_apply_edits(edits: tuple[Edit, ...], after: str) -> None:
    assert apply_edits("abcdef", edits) == after


@pytest.mark.parametrize("edits", [(edit(0, 3), edit(2, 4)), (edit(2, 2, "x"), edit(2, 2, "y")), (edit(1, 2),) * 2])
def test_edits_in_conflict_are_refused(edits: tuple[Edit, ...]) -> None:
    with pytest.raises(EditConflictError) as refused:
        apply_edits("abcdef", edits)
    assert {refused.value.first, refused.value.second} == set(edits)


def test_edits_beyond_the_end_are_refused() -> None:
    with pytest.raises(ValueError, match="beyond the text's end"):
        apply_edits("abc", [edit(3, 4)])


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text in some encoding with some line ends, and edits that don't conflict."""
    data = draw(st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b"\xe9", "é".encode(), b"\t", b"\xff", b"b c"])))
    text = decode(b"".join(data))
    bounds = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    news = draw(st.lists(st.text(st.sampled_from("XY\n"), max_size=3), min_size=8, max_size=8))
    pairs = list(zip(bounds[::2], bounds[1::2], news, strict=False))
    edits: list[Edit] = []
    for start, end, new in pairs:
        if (start != end or new) and not any(are_in_conflict(edit(start, end, new), other) for other in edits):
            edits.append(edit(start, end, new))
    return text, edits


@given(texts_with_edits())
def test_what_no_edit_touches_stays_to_the_byte(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    after = apply_edits(text, edits)
    assert after == apply_edits(text, reversed(edits))
    for offset in range(len(text)):
        if not any(edit.span.start <= offset < edit.span.end for edit in edits):
            place = Displacement(edits).of(Span(offset, offset + 1))
            assert encode(after[place.start : place.end]) == encode(text[offset])


@given(texts_with_edits())
def test_edits_can_be_taken_back(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    after = apply_edits(text, edits)
    back = []
    shift = 0
    for change in sorted(set(edits)):
        start = change.span.start + shift
        back.append((Span(start, start + len(change.text)), text[change.span.start : change.span.end]))
        shift += len(change.text) - (change.span.end - change.span.start)
    for span, old in reversed(back):
        after = after[: span.start] + old + after[span.end :]
    assert after == text


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (edit(0, 0, "XX"), Span(5, 8)),
        (edit(3, 3, "XX"), Span(5, 8)),
        (edit(6, 6, "XX"), Span(3, 6)),
        (edit(4, 4, "XX"), Span(3, 8)),
        (edit(4, 5), Span(3, 5)),
        (edit(3, 6, "X"), Span(3, 4)),
        (edit(2, 4, "XXX"), Span(2, 7)),
        (edit(5, 8, "X"), Span(3, 6)),
        (edit(1, 9, "XY"), Span(1, 3)),
        (edit(6, 9, "XY"), Span(3, 6)),
        (edit(3, 6), Span(3, 3)),
    ],
)
def test_where_a_place_moves(change: Edit, place: Span) -> None:
    assert Displacement([change]).of(Span(3, 6)) == place


@pytest.mark.parametrize(
    ("text", "start", "new", "fitted"),
    [
        ("a\r\nb\r\n", 0, "x\ny\n", "x\r\ny\r\n"),
        ("a\r\nb\r\n", 3, "x\n", "x\r\n"),
        ("a\r\nb\r\n", 6, "x\n", "x\r\n"),
        ("a\r\nb", 4, "\nx", "\r\nx"),
        ("a\r\nb\n", 3, "x\n", "x\n"),
        ("a\nb\r\n", 2, "x\n", "x\n"),
        ("a\n  b\r\n", 4, "x\n  ", "x\n  "),
        ("a\r\nb\nc\r\n", 3, "x\n", "x\n"),
        ("a\r\nb\nc\r\n", 5, "x\n", "x\n"),
        ("a\nb\r\nc\r\n", 5, "x\n", "x\r\n"),
        ("a\nb\r\nc", 6, "\nx", "\r\nx"),
        ("\nb\r\n", 1, "x\n", "x\n"),
        ("a\nb\r\n", 0, "x\n", "x\n"),
        ("a\r\nb", 3, "x\r\ny\n", "x\r\ny\r\n"),
        ("a\r\n", 0, "x", "x"),
        ("", 0, "x\n", "x\n"),
        ("\na", 2, "x\n", "x\n"),
    ],
)
def test_newlines_are_written_as_the_line_writes_them(text: str, start: int, new: str, fitted: str) -> None:
    assert fit_newlines(text, edit(start, start, new)) == edit(start, start, fitted)


# Rounds


def replacing(
    rule: str, pattern: str, replacement: str, *, applicability: Applicability = SAFE, line_before: str = ""
) -> Find:
    """A rule that replaces each match, and may put a line before the one where the match is."""

    def find(text: str) -> list[Finding]:
        findings = []
        for match in re.finditer(pattern, text):
            edits = [edit(match.start(), match.end(), match.expand(replacement))]
            if line_before:
                start = text.rfind("\n", 0, match.start()) + 1
                edits.append(edit(start, start, line_before))
            fix = Fix(applicability, "change it", tuple(edits))
            findings.append(Finding(rule, Severity.ERROR, Span(match.start(), match.end()), "lost", fix=fix))
        return findings

    return find


def together(*rules: Find) -> Find:
    return lambda text: [finding for rule in rules for finding in rule(text)]


def balanced(before: str, after: str) -> bool:
    """A grammar: parentheses must pair up."""
    return unpaired(after) <= unpaired(before)


def unpaired(text: str) -> int:
    return abs(text.count("(") - text.count(")"))


def fixed(text: str, *rules: Find, applicabilities: Sequence[Applicability] = (SAFE,)) -> FixResult:
    return fix_text(text, together(*rules), balanced, applicabilities=applicabilities)


def test_all_fixes_of_a_text_are_applied() -> None:
    result = fixed("bad ok bad\nworse\n", replacing("SG101", "bad", "good"), replacing("SG201", "worse", "fine"))
    assert result == FixResult("good ok good\nfine\n", (("SG101", 2), ("SG201", 1)))


def test_nothing_to_fix() -> None:
    assert fixed("ok\r\n\udcff", replacing("SG101", "bad", "good")) == FixResult("ok\r\n\udcff")


@pytest.mark.parametrize(
    ("applicabilities", "after"),
    [
        ([SAFE], "S u g"),
        ([Applicability.UNSAFE], "s U g"),
        ([SAFE, Applicability.UNSAFE], "S U g"),
        ([], "s u g"),
    ],
)
def test_only_fixes_of_the_asked_applicability(applicabilities: list[Applicability], after: str) -> None:
    rules = (
        replacing("SG101", "s", "S"),
        replacing("SG102", "u", "U", applicability=Applicability.UNSAFE),
        replacing("SG103", "g", "G", applicability=Applicability.SUGGEST),
    )
    assert fixed("s u g", *rules, applicabilities=applicabilities).text == after


def test_advice_without_edits_is_passed_over() -> None:
    advice = Finding("SG1", Severity.INFO, Span(0, 1), "m", fix=Fix(Applicability.SUGGEST, "think"))
    plain = Finding("SG2", Severity.INFO, Span(0, 1), "m")
    everything = tuple(Applicability)
    assert fix_text("x", lambda _: [advice, plain], balanced, applicabilities=everything) == FixResult("x")


def test_a_shared_insertion_is_made_once() -> None:
    rule = replacing("SG101", r"\$\?", "$rc", line_before="rc=$!\n")
    assert fixed("echo $? $?\n", rule) == FixResult("rc=$!\necho $rc $rc\n", (("SG101", 2),))


def test_fixes_in_conflict_are_applied_one_round_after_the_other_by_place() -> None:
    # Both rules want the first word; the one whose edit begins first gets it, whatever its name.
    early = replacing("SG900", "one two", "ONE two")
    late = replacing("SG100", "two three", "two THREE")
    assert fixed("one two three\n", late, early) == FixResult("ONE two THREE\n", (("SG100", 1), ("SG900", 1)))


def test_a_fix_is_taken_whole_or_not_at_all() -> None:
    # The second match's line insertion is in conflict with the first one's: neither half of it may be applied.
    first = replacing("SG101", "aaa", "AAA", line_before="(first)\n")
    second = replacing("SG102", "bbb", "BBB", line_before="(second)\n")
    seen: list[str] = []

    def find(text: str) -> list[Finding]:
        seen.append(text)
        return together(first, second)(text)

    result = fix_text("aaa bbb\n", find, balanced, applicabilities=[SAFE])
    assert result.text == "(first)\n(second)\nAAA BBB\n"
    assert all(("BBB" in text) == ("(second)" in text) for text in seen)


def test_fix_that_breaks_the_text_is_dropped_and_the_others_applied() -> None:
    rules = (replacing("SG101", "bad", "good"), replacing("SG201", "evil", "(evil"))
    result = fixed("bad\nevil\nbad\n", *rules)
    assert result == FixResult(
        "good\nevil\ngood\n", (("SG101", 2),), (DroppedFix("SG201", 2, "it would add a syntax error"),)
    )


def test_every_culprit_is_found() -> None:
    names = ["a1", "b2", "a3", "a4", "b5", "a6", "a7", "b8", "a9"]
    result = fixed("\n".join(names), replacing("SG1", r"a(\d)", r"A\1"), replacing("SG2", r"b(\d)", r"(\1"))
    assert result.text == "A1\nb2\nA3\nA4\nb5\nA6\nA7\nb8\nA9"
    assert [(dropped.rule, dropped.line) for dropped in result.dropped] == [("SG2", 2), ("SG2", 5), ("SG2", 8)]


def test_fixes_that_only_break_the_text_together_are_applied_apart() -> None:
    def at_most_one_new(before: str, after: str) -> bool:
        return after.count("X") - before.count("X") < 2

    find = replacing("SG101", "x", "X")
    result = fix_text("x x x", find, at_most_one_new, applicabilities=[SAFE])
    assert result == FixResult("X X X", (("SG101", 3),))


def test_errors_that_were_there_before_stop_no_fix() -> None:
    assert fixed("((( bad", replacing("SG101", "bad", "good")).text == "((( good"


def test_fix_that_does_not_silence_its_rule_is_dropped() -> None:
    rules = (replacing("SG101", "bad", "bad!"), replacing("SG201", "evil", "good"))
    result = fixed("evil\nbad\n", *rules)
    assert result == FixResult(
        "good\nbad\n", (("SG201", 1),), (DroppedFix("SG101", 2, "it would not silence the rule"),)
    )


def test_dropped_fix_makes_room_for_the_one_it_was_in_conflict_with() -> None:
    broken = replacing("SG101", "one two", "(one two")
    right = replacing("SG102", "two three", "2 3")
    result = fixed("one two three", broken, right)
    assert result.text == "one 2 3"
    assert result.applied == (("SG102", 1),)
    assert [dropped.rule for dropped in result.dropped] == ["SG101"]


def test_line_of_a_dropped_fix_is_that_of_the_result() -> None:
    rules = (replacing("SG101", "bad", "good", line_before="new\n"), replacing("SG102", "evil", "(evil"))
    result = fixed("bad\nevil\n", *rules)
    assert result.text == "new\ngood\nevil\n"
    assert result.dropped == (DroppedFix("SG102", 3, "it would add a syntax error"),)


def test_nested_findings_of_one_rule_are_both_fixed() -> None:
    def find(text: str) -> list[Finding]:
        spans = {match.span() for pattern in (r"<[^<>]*>", r"<.*>") for match in re.finditer(pattern, text)}
        return [
            Finding(
                "SG201",
                Severity.ERROR,
                Span(start, end),
                "lost",
                fix=Fix(SAFE, "take it out", (edit(start, start + 1), edit(end - 1, end))),
            )
            for start, end in sorted(spans)
        ]

    assert fix_text("a <b <c> d> e", find, balanced, applicabilities=[SAFE]).text == "a b c d e"


def test_finding_about_the_whole_text_can_be_fixed() -> None:
    def find(text: str) -> list[Finding]:
        fix = Fix(SAFE, "m", (edit(0, 0, "set -e\n"),))
        return [] if "set -e" in text else [Finding("SG1", Severity.INFO, Span(0, 0), "m", fix=fix)]

    assert fix_text("a\n", find, balanced, applicabilities=[SAFE]) == FixResult("set -e\na\n", (("SG1", 1),))


def test_rules_that_undo_each_other_leave_the_text_alone() -> None:
    rules = (replacing("SG101", "left", "right"), replacing("SG201", "right", "left"), replacing("SG301", "x", "y"))
    result = fixed("x left\n", *rules)
    assert result.text == "x left\n"
    assert result.applied == ()
    assert result.problem == (
        "the fixes of SG101 and SG201 never come to rest, so nothing was changed: fix by hand, or leave one of them out"
    )


def test_rule_that_never_has_enough_leaves_the_text_alone() -> None:
    def find(text: str) -> list[Finding]:
        # Each time at another place, so that the rule is silent where it was fixed.
        fix = Fix(SAFE, "m", (edit(len(text), len(text), "xy"),))
        return [Finding("SG101", Severity.INFO, Span(len(text) - 1, len(text)), "m", fix=fix)]

    result = fix_text("ab", find, balanced, applicabilities=[SAFE])
    assert result == FixResult(
        "ab", problem="the fixes of SG101 never come to rest, so nothing was changed: fix by hand, or leave it out"
    )


def test_ten_rounds_are_enough_for_ten_layers() -> None:
    layers = [replacing(f"SG{number}", f"<{number}>", f"<{number + 1}>") for number in range(10)]
    assert fixed("<0>", *layers).text == "<10>"
    assert fixed("<0>", *layers, replacing("SG10", "<10>", "<11>")).text == "<0>"


def test_inserted_lines_end_as_the_file_does() -> None:
    rule = replacing("SG101", "bad", "good", line_before="new\n")
    text = decode("é\r\nbad\r\n".encode() + b"\xff last")
    assert encode(fixed(text, rule).text) == "é\r\nnew\r\ngood\r\n".encode() + b"\xff last"


WORD = st.sampled_from(["bad", "evil", "good", "ok", "(", ")", "\n", "\r\n", " ", "é", "\udcff"])


@given(st.lists(WORD, max_size=20))
def test_fixing_twice_changes_nothing_more(words: list[str]) -> None:
    rules = (
        replacing("SG101", "bad", "good", line_before="new\n"),
        replacing("SG102", "evil", "fine)"),
        replacing("SG103", "ok", "okay", applicability=Applicability.UNSAFE),
    )
    once = fixed("".join(words), *rules)
    assert once.problem is None
    assert unpaired(once.text) <= unpaired("".join(words))
    assert "bad" not in once.text
    assert once.text.count("ok") == words.count("ok")
    assert fixed(once.text, *rules).text == once.text


# Patches


def git_apply(patch: str, folder: Path) -> None:
    need("git")
    subprocess.run(["git", "apply", "-"], input=encode(patch), cwd=folder, check=True, capture_output=True)


def patch_tool(patch: str, folder: Path) -> None:
    need("patch")
    command = ["patch", "-p1", "--binary", "--quiet", "--no-backup-if-mismatch"]
    subprocess.run(command, input=encode(patch), cwd=folder, check=True, capture_output=True)


CHANGES = [
    ("a\nb\nc\n", "a\nB\nc\n"),
    ("a\nb", "a\nB"),
    ("a\nb", "a\nb\n"),
    ("a\nb\n", "a\nb"),
    ("a", "new\na"),
    ("", "new\n"),
    ("a\r\nb\r\nc\r\n", "a\r\nnew\r\nb\r\nc\r\n"),
    ("a\r\nb", "a\r\nB"),
    ("a\x0cb\x85\u2028\n\udce9\rc\n", "a\x0cb\x85\u2028\n\udcffx\rc\n"),
    ("".join(f"{line}\n" for line in range(60)), "".join(f"{line}\n" for line in range(60) if line % 20)),
]


@pytest.mark.parametrize("tool", [git_apply, patch_tool])
@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_patches_apply(tmp_path: Path, before: str, after: str, tool: Callable[[str, Path], None]) -> None:
    script = tmp_path / "run.sh"
    script.write_bytes(encode(before))
    tool(unified_diff("run.sh", before, after), tmp_path)
    assert script.read_bytes() == encode(after)


@pytest.mark.parametrize("tool", [git_apply, patch_tool])
@pytest.mark.parametrize(
    "name", ["a b.sh", "d/é.sh", "tab\t.sh", 'q"uote.sh', "back\\slash.sh", "\udce9.sh", "a\x1b[1m"]
)
def test_patches_of_files_with_odd_names(tmp_path: Path, name: str, tool: Callable[[str, Path], None]) -> None:
    script = tmp_path / name
    script.parent.mkdir(exist_ok=True)
    script.write_text("a\nb\n")
    patch = unified_diff(name, "a\nb\n", "a\nB\n")
    assert "\x1b" not in patch
    tool(patch, tmp_path)
    assert script.read_text() == "a\nB\n"


def test_patch_as_it_is_written() -> None:
    assert unified_diff("/srv/run.sh", "a\nb\nc", "a\nb\nC") == (
        "--- a/srv/run.sh\n"
        "+++ b/srv/run.sh\n"
        "@@ -1,3 +1,3 @@\n"
        " a\n"
        " b\n"
        "-c\n"
        "\\ No newline at end of file\n"
        "+C\n"
        "\\ No newline at end of file\n"
    )


def test_no_patch_where_nothing_changes() -> None:
    assert unified_diff("run.sh", "a", "a") == ""


@given(texts_with_edits())
@settings(max_examples=30)
def test_patch_of_any_edits_applies(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    after = apply_edits(text, edits)
    # An emptied file is left to git's own rules about deletion.
    assume(after not in (text, ""))
    with tempfile.TemporaryDirectory() as name:
        script = Path(name) / "run.sh"
        script.write_bytes(encode(text))
        git_apply(unified_diff("run.sh", text, after), Path(name))
        assert script.read_bytes() == encode(after)


# Previews


def preview(text: str, *edits: Edit) -> list[str]:
    return [marker + line for marker, line in fix_preview(Source("x.sh", text), Fix(SAFE, "m", edits))]


@pytest.mark.parametrize(
    ("text", "edits", "lines"),
    [
        ("a\nb\nc\nd\n", (edit(2, 3, "B"),), [" a", "-b", "+B", " c"]),
        ("a\nb\nc\nd\n", (edit(2, 2, "new\n"),), [" a", "+new", " b"]),
        ("a\nb\nc\nd\n", (edit(2, 4),), [" a", "-b", " c"]),
        ("a\nb\nc\nd\n", (edit(0, 0, "new\n"),), ["+new", " a"]),
        ("a\nb\n", (edit(4, 4, "new\n"),), [" b", "+new"]),
        ("a\nb", (edit(3, 3, "\nnew"),), [" b", "+new"]),
        ("a\r\nb\r\n", (edit(3, 3, "new\n"),), [" a", "+new", " b"]),
        ("a b\n", (edit(0, 0, "rc=$?\n"), edit(2, 3, "$rc")), ["-a b", "+rc=$?", "+a $rc"]),
        (
            "1\n2\n3\n4\n5\n6\n7\n",
            (edit(0, 0, "new\n"), edit(10, 11, "six")),
            ["+new", " 1", " ...", " 5", "-6", "+six", " 7"],
        ),
        ("1\n2\n3\n4\n5\n", (edit(2, 3, "B"), edit(6, 7, "D")), [" 1", "-2", "+B", " 3", "-4", "+D", " 5"]),
        ("1\n2\n3\n4\n5\n6\n", (edit(2, 3, "B"), edit(8, 9, "E")), [" 1", "-2", "+B", " 3", " 4", "-5", "+E", " 6"]),
        ("", (edit(0, 0, "new\n"),), ["+new"]),
        ("\n", (edit(0, 0, "x"),), ["-", "+x"]),
        ("a\nb\nc\n", (edit(0, 6),), ["-a", "-b", "-c"]),
    ],
)
def test_fix_preview(text: str, edits: tuple[Edit, ...], lines: list[str]) -> None:
    assert preview(text, *edits) == lines


@given(texts_with_edits())
def test_preview_with_all_context_holds_both_texts(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    assume(edits)
    shown = fix_preview(Source("x.sh", text), Fix(SAFE, "m", tuple(set(edits))), context=10**6)
    fitted = [fit_newlines(text, change) for change in edits]
    before, after = (plain_lines(whole) for whole in (text, apply_edits(text, fitted)))
    if before != after:
        assert [line for marker, line in shown if marker != "+"] == before
        assert [line for marker, line in shown if marker != "-"] == after


def plain_lines(text: str) -> list[str]:
    lines = text.removesuffix("\n").split("\n") if text else []
    return [line.removesuffix("\r") for line in lines]


# Saving


@contextmanager
def as_user(user: int) -> Iterator[None]:
    """Act as somebody else, where root runs the tests."""
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "run.sh"
    path.write_bytes(b"old\n")
    return path


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o4755, 0o777])
def test_saving_keeps_mode_and_owner(script: Path, mode: int) -> None:
    if os.geteuid() == 0:
        os.chown(script, 1234, 4321)
    script.chmod(mode)
    before = script.stat()
    write_atomically(script, b"new\r\n\xff", expected=b"old\n")
    after = script.stat()
    assert script.read_bytes() == b"new\r\n\xff"
    assert stat.S_IMODE(after.st_mode) == mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert names_in(script.parent) == ["run.sh"]


def test_saving_changes_the_time(script: Path) -> None:
    os.utime(script, (1, 1))
    write_atomically(script, b"new\n")
    assert script.stat().st_mtime > 1


def test_saving_gives_a_file_of_its_own(script: Path) -> None:
    other = script.with_name("other")
    other.hardlink_to(script)
    with script.open("rb") as reader:
        write_atomically(script, b"new\n")
        assert reader.read() == b"old\n"
    assert other.read_bytes() == b"old\n"
    assert script.read_bytes() == b"new\n"


def refused(path: Path, data: bytes = b"new\n", expected: bytes | None = None) -> str:
    with pytest.raises(SaveError) as error:
        write_atomically(path, data, expected=expected)
    assert error.value.path == path
    assert str(error.value) == f"{path}: {error.value.reason}"
    return error.value.reason


def test_file_that_changed_meanwhile_is_left_alone(script: Path) -> None:
    assert refused(script, expected=b"older\n") == "it has changed since it was checked; run again"
    assert script.read_bytes() == b"old\n"
    assert names_in(script.parent) == ["run.sh"]


def test_links_gone_files_and_folders_are_refused(script: Path) -> None:
    link = script.with_name("link")
    link.symlink_to("run.sh")
    assert refused(link) == "it is a symbolic link; save to its target"
    assert refused(script.with_name("gone")) == "it is gone"
    folder = script.with_name("folder")
    folder.mkdir()
    assert "is a directory" in refused(folder)
    assert names_in(script.parent) == ["folder", "link", "run.sh"]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_failure_leaves_file_and_folder_as_they_were(
    script: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    assert refused(script) == "no space left on device"
    assert script.read_bytes() == b"old\n"
    assert names_in(script.parent) == ["run.sh"]


def test_interruption_leaves_nothing_behind(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(script, b"new\n")
    assert script.read_bytes() == b"old\n"
    assert names_in(script.parent) == ["run.sh"]


@pytest.fixture
def somebody() -> Iterator[tuple[Path, int]]:
    """A folder in which permissions can be tried, and a user for whom they hold."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "run.sh").write_bytes(b"old\n")
        yield folder, 65534 if os.geteuid() == 0 else os.geteuid()
        folder.chmod(0o755)


def refused_to(somebody: tuple[Path, int]) -> str:
    folder, user = somebody
    if os.geteuid() != 0:
        return refused(folder / "run.sh")
    with as_user(user):
        return refused(folder / "run.sh")


def test_read_only_file_is_refused(somebody: tuple[Path, int]) -> None:
    script = somebody[0] / "run.sh"
    script.chmod(0o444)
    assert refused_to(somebody) == "it is read-only"
    assert script.read_bytes() == b"old\n"


def test_read_only_folder_is_refused(somebody: tuple[Path, int]) -> None:
    folder, _ = somebody
    (folder / "run.sh").chmod(0o666)
    folder.chmod(0o555)
    assert refused_to(somebody) == "no file can be created in its folder (permission denied)"
    assert names_in(folder) == ["run.sh"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file that belongs to somebody else")
def test_file_of_somebody_else_is_refused(somebody: tuple[Path, int]) -> None:
    folder, _ = somebody
    (folder / "run.sh").chmod(0o666)
    folder.chmod(0o777)
    assert refused_to(somebody) == (
        "it belongs to user 0, group 0, and saving would change that (operation not permitted)"
    )
    assert names_in(folder) == ["run.sh"]


# Links


def test_plain_files_are_their_own_target(script: Path) -> None:
    assert resolve_target(script, []) == script


def test_link_is_followed_only_to_what_was_given(tmp_path: Path, script: Path) -> None:
    given_folder = tmp_path / "given"
    given_folder.mkdir()
    inner = given_folder / "inner.sh"
    inner.write_bytes(b"")
    outward, inward = given_folder / "outward", given_folder / "inward"
    outward.symlink_to(script)
    inward.symlink_to("inner.sh")
    real = script.resolve()
    assert resolve_target(inward, [given_folder]) == inner.resolve()
    assert resolve_target(outward, [given_folder]) is None
    assert resolve_target(outward, [outward]) is None
    assert resolve_target(outward, [outward, script]) == real
    assert resolve_target(outward, [given_folder, tmp_path]) == real


def test_roots_may_be_links_and_relative(tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "zlink.sh"
    link.symlink_to("run.sh")
    folder_link = tmp_path / "here"
    folder_link.symlink_to(".")
    monkeypatch.chdir(tmp_path)
    assert resolve_target(Path("here/zlink.sh"), [Path("here")]) == script.resolve()
    assert resolve_target(Path("zlink.sh"), [Path("run.sh")]) == script.resolve()
    assert resolve_target(Path("zlink.sh"), [Path()]) == script.resolve()


def test_links_that_lead_nowhere_have_no_target(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nowhere")
    assert resolve_target(tmp_path / "loop", [tmp_path]) is None
    assert resolve_target(tmp_path / "gone", [tmp_path]) is None


def test_sibling_with_the_same_beginning_is_not_under_a_path(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "library.sh").write_bytes(b"")
    (tmp_path / "lib/link").symlink_to("../library.sh")
    assert resolve_target(tmp_path / "lib/link", [tmp_path / "lib"]) is None
