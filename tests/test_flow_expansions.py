"""The order in which a command's expansions happen, as real bash shows it."""

from __future__ import annotations

import pytest
from flow_scripts import bash, facts_of, shown
from hypothesis import given, settings
from hypothesis import strategies as st

from shellguard.flow.expansions import StatusRead, StatusSet, expansion_events
from shellguard.syntax.nodes import Command, ProcessSubstitution


def last_command(text: str) -> Command:
    return facts_of(text).script.body.commands[-1]


def events(text: str) -> list[str]:
    """The events of the last command as the text of their nodes; those on some paths only end in `?`."""
    facts = facts_of(text)
    return [
        shown(facts, event.node) + (" ?" if event.on_some_paths else "")
        for event in expansion_events(facts.script.body.commands[-1])
    ]


def with_known_statuses(line: str) -> str:
    """A command with each `$?` replaced by what it reads after `false`, and each substitution by an empty one."""
    facts = facts_of(line)
    status = 1
    replaced: list[tuple[int, int, str]] = []
    for event in expansion_events(facts.script.body.commands[-1]):
        assert not event.on_some_paths
        node = event.node
        match event:
            case StatusSet():
                status = int(shown(facts, node).rstrip(")").split()[-1])
                replaced.append((node.start, node.end, "$()"))
            case StatusRead():
                replaced.append((node.start, node.end, str(status)))
    for start, end, value in sorted(replaced, reverse=True):
        line = line[:start] + value + line[end:]
    return line


# Everything that the last command expands is printed in the order of the text.
PRELUDE = 'f() { printf "%s\\n" "$@" "${x-}" "${y-}"; cat; }\nfalse\n'


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("echo $? $(exit 3) $?", "1 3"),
        ('echo "$?$(exit 3)$?"', "13"),
        ("echo `exit 3` $?", "3"),
        ('echo "End $(date -u +%M >/dev/null; exit 3), $?"', "End , 3"),
        ("x=$? y=$(exit 3) z=$?; echo $x $z", "1 3"),
        ("a=($? $(exit 3) $?); echo ${a[@]}", "1 3"),
        ("a[$(echo 1; exit 3)]=$?; echo ${a[1]}", "1"),
        ("a=([$(echo 1; exit 3)]=$?); echo ${a[1]}", "3"),
        ("declare x=$? y=$(exit 3) z=$?; echo $x $z", "1 3"),
        ("echo $(( $(echo 1; exit 3) + $? ))", "4"),
        ("v=abc; v=${v/$(exit 3)a/$?}; echo $v", "3bc"),
        ("v=abcd; echo ${v:$(echo 1; exit 2):$?}", "bc"),
        ("for i in $? $(exit 3) $?; do echo -n $i; done", "13"),
        ("for ((i=$(echo 0; exit 3)+$?; i<4; i++)); do echo $i; done", "3"),
        ("case $(exit 3)$? in 3) echo three; esac", "three"),
        ("[[ $? = 1 && $(exit 3) = '' && $? = 3 ]] && echo yes", "yes"),
        ("(( $? == 1 && $(echo 1; exit 3) && $? == 3 )) && echo yes", "yes"),
        ('cat <<< "$? $(exit 3)$?"', "1 3"),
        ("cat <<E\n$? $(exit 3)$?\nE", "1 3"),
        ("cat <<'E'\n$? $(exit 3)$?\nE", "$? $(exit 3)$?"),
        ("x=$? eval 'echo $x' 3< /dev/null$(exit 3)", "1"),
        ("x=$(exit 3) eval 'cat' <<< $?", "3"),
        ("x=$? eval 'echo $x $(:)' $(exit 3)", "3"),
        ("echo $(echo $?; exit 3) $?", "1 3"),
        ("case 1$(exit 3) in $?) echo one;; *) echo $?; esac", "3"),
        ("{ cat; } <<< $(exit 3)$?", "3"),
        ("while read x; do echo $x; done <<< $(exit 3)$?", "3"),
        ("case $? in 3) echo three; esac <<< $(exit 3)", "three"),
        ("for i in $?; do echo $i; done <<< $(exit 3)", "3"),
        ("[[ $? = 3 ]] <<< $(exit 3) && echo three", "three"),
        ("u=; false; echo x${u#$(exit 3)} $?", "x 1"),
        ("u=a; false; echo x${u#$(exit 3)} $?", "xa 3"),
    ],
)
def test_bash_reads_the_statuses_that_the_order_gives(script: str, printed: str) -> None:
    assert bash(f"false\n{script}").strip() == printed


@pytest.mark.parametrize(
    ("script", "order"),
    [
        ("echo $? $(a) $?", ["$?", "$(a)", "$?"]),
        ('echo "$? `a` ${?}"', ["$?", "`a`", "${?}"]),
        ("x=$? y=$(a) z=$?", ["$?", "$(a)", "$?"]),
        ("x=$? f $(a)", ["$(a)", "$?"]),
        ("x=$? f <<< $(a)", ["$?", "$(a)"]),
        ("x=$(a) f 2> log$?", ["$(a)", "$?"]),
        ("x=$(a) > log$?", ["$(a)", "$?"]),
        ("a[$(a)]=$?", ["$?", "$(a)"]),
        ("a=([$(a)]=$?)", ["$(a)", "$?"]),
        ("echo $(( $(a) + $? ))", ["$(a)", "$?"]),
        ("case $(a)$? in $(b)) ;; $?) ;; esac", ["$(a)", "$?", "$(b)", "$?"]),
        ("case $? in a) ;; esac < $(a)", ["$(a)", "$?"]),
        ("{ b $?; } < $?$(a)", ["$?", "$(a)"]),
        ("for i in $(a) $?; do b $?; done", ["$(a)", "$?"]),
        ("[[ $(a) = $? ]]", ["$(a)", "$?"]),
        ("cat <<E\n$(a) $?\nE", ["$(a)", "$?"]),
    ],
)
def test_the_order(script: str, order: list[str]) -> None:
    assert events(script) == order


@pytest.mark.parametrize(
    ("script", "order"),
    [
        ("echo ${v:-$(a)} $?", ["$(a) ?", "$?"]),
        ("echo ${v:+$?} $(a)", ["$? ?", "$(a)"]),
        ("echo ${v:-${w:-$(a)$?}}", ["$(a) ?", "$? ?"]),
        ("echo ${v/$(a)/$?}", ["$(a) ?", "$? ?"]),
        ("echo ${?:-$(a)}", ["${?:-$(a)}", "$(a) ?"]),
    ],
)
def test_an_operand_that_may_be_skipped_is_known_as_such(script: str, order: list[str]) -> None:
    assert events(script) == order


@pytest.mark.parametrize(
    "script",
    ["echo '$?' \\$? \"\\$?\"", "echo $(b $?)x", "cat <<'E'\n$?\nE", "echo ${#?} <(a $?)", "if b $?; then :; fi"],
)
def test_no_status_is_read(script: str) -> None:
    assert not any(isinstance(event, StatusRead) for event in expansion_events(last_command(script)))


def test_a_process_substitution_sets_no_status() -> None:
    facts = facts_of("diff <(a) $?")
    assert facts.structure.nodes(ProcessSubstitution)
    assert events(facts.text) == ["$?"]
    assert bash("false\necho $? <(exit 3) $? | tr -d '\\n' | sed 's,/dev/fd/[0-9]*,F,'") == "1 F 1"


PIECES = st.lists(st.sampled_from(["$?", "${?}", "a", "$((0))"]) | st.integers(2, 99), min_size=1, max_size=4)


def word(pieces: list[str | int], quote: str) -> str:
    """A word of status reads and of substitutions that end with a number."""
    parts = [piece if isinstance(piece, str) else f"$(exit {piece})" for piece in pieces]
    return quote + "-".join(parts) + quote


WORDS = st.builds(word, PIECES, st.sampled_from(["", '"']))


@settings(max_examples=60)
@given(arguments=st.lists(WORDS, max_size=3), values=st.lists(WORDS, max_size=2), text=st.none() | WORDS)
def test_bash_agrees_on_random_commands(arguments: list[str], values: list[str], text: str | None) -> None:
    """Arguments, assignments and a here-string in one command."""
    assigned = [f"{name}={value}" for name, value in zip("xy", values, strict=False)]
    here = [] if text is None else [f"<<< {text}"]
    line = " ".join([*here, *assigned, "f", *arguments])
    assert bash(PRELUDE + line) == bash(PRELUDE + with_known_statuses(line)), line
