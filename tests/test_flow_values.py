"""What words can stand for: variables, defaults, branches, the script's folder, fresh files."""

from __future__ import annotations

import pytest
from flow_scripts import bash, facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shellguard.flow.values import (
    EMPTY,
    MAX_ALTERNATIVES,
    SCRIPT,
    SCRIPT_FOLDER,
    WILDCARD,
    WORKING_FOLDER,
    Alternative,
    Symbol,
    Value,
    concatenate,
    join,
    render,
    symbol_value,
    text_value,
)

NAMES = {SCRIPT: "SCRIPT", SCRIPT_FOLDER: "HERE", WORKING_FOLDER: "CWD", WILDCARD: "*"}


def shown(atoms: Alternative) -> str:
    """Atoms as text, symbols as `<name>`."""
    return "".join(atom if isinstance(atom, str) else f"<{NAMES.get(atom, atom.name)}>" for atom in atoms)


def used(script: str) -> list[str]:
    """What the arguments of the last `use` stand for; alternatives are parted by `|`."""
    facts = facts_of(script)
    last = [node for node in facts.structure.simple_commands if node.words and node.words[0].literal == "use"][-1]
    return ["|".join(map(shown, value.alternatives)) for value in facts.situations[last].arguments[1:]]


@pytest.mark.parametrize(
    ("script", "values"),
    [
        ("""a=x; use "$a" ${a}b '$a' "a$a" a\\ b $'a\\nb'""", ["x", "xb", "$a", "ax", "a b", "a\nb"]),
        ('a=x; b=$a/y; c=${b}/z; use "$c"', ["x/y/z"]),
        ("a=x; a+=y; use $a", ["xy"]),
        ("a=$a:x; use $a", ["<a>:x"]),
        ('use "$a/x" "${a}/x"', ["<a>/x", "<a>/x"]),
        ('export a=x; readonly b=$a; declare -r c="$a/$b"; use $b $c', ["x", "x/x"]),
        ("a=x; unset a; use $a", ["<a>"]),
        ("a=x; read -r a; use $a", ["<a from read>"]),
        ("a=x; (a=y); use $a", ["x"]),
        ("a=x; b=$(a=y); use $a", ["x"]),
        ("a=x | true; use $a", ["<a>"]),
        ("a=y cmd; use $a", ["<a>"]),
        ("a=x; { a=y; }; use $a", ["y"]),
        ("a=(1 2); use ${a[0]} ${a[@]}", ["<${a[0]}>", "<${a[@]}>"]),
        ("a=x; use ${#a} ${a%x} ${!a} ${a:1}", ["<${#a}>", "<${a%x}>", "<${!a}>", "<${a:1}>"]),
        ("use a*/b? $(cat f)", ["a<*>/b<*>", "<$(cat f)>"]),
        ("d=$(echo $a/b); use $d/c", ["<a>/b/c"]),
    ],
)
def test_what_is_assigned_is_known(script: str, values: list[str]) -> None:
    assert used(script) == values


@pytest.mark.parametrize(
    ("script", "values"),
    [
        ("use ${a:-x} ${a-x}", ["<a>|x", "<a>|x"]),
        ("a=y; use ${a:-x} ${a:?no}", ["y", "y"]),
        ('a=${LIB:-/tmp/x}; use "$a/run"', ["<LIB>/run|/tmp/x/run"]),
        ("if b; then a=1; else a=2; fi; use $a", ["1|2"]),
        ("if b; then a=1; fi; use $a", ["1|<a>"]),
        ("if b; then a=1; else a=2; exit; fi; use $a", ["1"]),
        ("a=x; b && a=y; use $a", ["x|y"]),
        ("b || a=x; use $a", ["<a>|x"]),
        ("case $1 in x) a=1 ;; y) a=2 ;; *) a=3 ;; esac; use $a", ["1|2|3"]),
        ("case $1 in x) a=1 ;; esac; use $a", ["1|<a>"]),
        ("for a in 1 2; do use $a; done", ["1|2"]),
        ("for a in 1 2 3 4 5; do use $a; done", ["<a>"]),
        ("for a in *; do use $a; done", ["<a>"]),
        ("a=1; while b; do use $a; a=2; done", ["1|<a in a loop>"]),
        ("a=x; f() { a=y; }; f; use $a", ["y"]),
        ("f() { use $1; }; f x", ["x"]),
        ("f() { use $1; }; f x; f y", ["<1@f>"]),
    ],
)
def test_each_path_gives_an_alternative(script: str, values: list[str]) -> None:
    assert used(script) == values


@pytest.mark.parametrize(
    "here",
    [
        '$(dirname "$0")',
        '$(dirname -- "${BASH_SOURCE[0]}")',
        '$(cd "$(dirname "$0")" && pwd)',
        '$( cd -- "$( dirname -- "${BASH_SOURCE[0]}" )" &> /dev/null && pwd )',
        '$(unset CDPATH; cd "$(dirname "$0")" || exit 1; pwd -P)',
        '$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)',
        '$(dirname "$(readlink -f "$0")")',
        '$(realpath "$(dirname "$0")")',
        "`dirname $0`",
        "${BASH_SOURCE[0]%/*}",
        "${0%/*}",
    ],
)
def test_the_folder_of_the_script(here: str) -> None:
    assert used(f'd={here}; use "$d/x" "$d/../x"') == ["<HERE>/x", "<HERE>/../x"]


@pytest.mark.parametrize(
    ("script", "value"),
    [
        ('d=$(cd "$(dirname "$0")/.." && pwd); use "$d"', "<HERE>/.."),
        ('use "$(dirname "$(dirname "$0")")"', "<HERE>/.."),
        ('d=$(dirname "$0")/..; use "$d/bin"', "<HERE>/../bin"),
        ('me=$(readlink -f "$0"); use "$me"', "<SCRIPT>"),
        ('me=$(readlink -f "$0"); d=$(dirname "$me"); use "$d"', "<HERE>"),
        ('use "$0.log"', "<SCRIPT>.log"),
        ('use "${0##*/}"', "<${0##*/}>"),
        ('use "${BASH_SOURCE[1]}"', "<${BASH_SOURCE[1]}>"),
        ("a=/a/b/c; use $(dirname $a)", "/a/b"),
        ('use "$(dirname "$a/b")"', "<a>"),
        ('use "$(dirname "$a")"', '<$(dirname "$a")>'),
        ("use $(dirname /a)", "/"),
        ("use $(cd /a/b && pwd)", "/a/b"),
        ('use $(cd "$a" && pwd)', '<$(cd "$a" && pwd)>'),
        ("use $(pwd)", "<CWD>"),
        ("use $(pwd | sed s/a/b/)", "<$(pwd | sed s/a/b/)>"),
    ],
)
def test_other_folders(script: str, value: str) -> None:
    assert used(script) == [value]


def test_each_fresh_file_is_another() -> None:
    first, second, third = used('a=$(mktemp -d); b=`mktemp`; c=$a; use "$a/x" "$b" "$c/x"')
    assert first.startswith("<a fresh temporary file")
    assert first == third
    assert not first.startswith(second)


def test_a_literal_is_known_text_only() -> None:
    assert text_value("").literal == EMPTY.literal == ""
    assert text_value("x").literal == "x"
    assert symbol_value("x").literal is None
    assert Value((("x",), ("y",))).literal is None
    assert Value((("x", Symbol("a")),)).literal is None


def test_a_start_is_known_of_one_alternative_only() -> None:
    assert Value((("x", Symbol("a")),)).known_start == "x"
    assert Value(((Symbol("a"), "x"),)).known_start == ""
    assert Value((("x",), ("xy",))).known_start == ""


def test_no_symbol_can_be_mistaken_for_text() -> None:
    assert render((Symbol("a"), "b")) != render(("ab",))
    assert render(("a", Symbol("b"))) != render((Symbol("a"), "b"))


TEXTS = st.sampled_from(["", "a", "b", "/x", "a/b"])
ATOMS = st.lists(st.one_of(TEXTS, st.sampled_from([Symbol("s"), Symbol("t"), WILDCARD])), max_size=3)
VALUES = st.lists(TEXTS, min_size=1, max_size=6).map(
    lambda texts: Value(tuple(dict.fromkeys(((text,) if text else ()) for text in texts[:MAX_ALTERNATIVES])))
)


@given(st.lists(VALUES, max_size=6))
def test_words_side_by_side_stay_few_and_end_in_what_stands_last(values: list[Value]) -> None:
    result = concatenate(values)
    assert 1 <= len(result.alternatives) <= MAX_ALTERNATIVES
    if values and len(values[-1].alternatives) == 1:
        last = render(values[-1].alternatives[0])
        assert all(render(atoms).endswith(last) for atoms in result.alternatives)


@given(VALUES, VALUES)
def test_joined_paths_forget_nothing_unless_there_are_too_many(first: Value, second: Value) -> None:
    joined = join(first, second)
    assert 1 <= len(joined.alternatives) <= MAX_ALTERNATIVES
    both = set(first.alternatives) | set(second.alternatives)
    if len(both) <= MAX_ALTERNATIVES:
        assert set(joined.alternatives) == both
    else:
        assert joined.literal is None


VARIABLES = st.sampled_from(["a", "b", "c"])
QUOTED = st.sampled_from(
    ["x", "/y", "'$a'", '"$b z"', "${a}", "${b}", "\\$c", "$'q\\t'", '"${c:-d}"', "${b:-e/f}", "${a:?}"]
)
ASSIGNED = st.builds(
    lambda name, operator, words: f"{name}{operator}{''.join(words)}",
    VARIABLES,
    st.sampled_from(["=", "+="]),
    st.lists(QUOTED, min_size=1, max_size=3),
)


@settings(max_examples=60)
@given(st.lists(ASSIGNED, max_size=6))
def test_bash_finds_one_of_the_alternatives(assignments: list[str]) -> None:
    """Everything is assigned first, so that nothing is unknown."""
    lines = ["a=1 b=2 c=3", *assignments]
    script = "\n".join([*lines, 'use "$a" "$b" "$c"'])
    real = bash("use() { printf '%s\\0' \"$@\"; }\n" + script).split("\0")[:3]
    for text, value in zip(real, used(script), strict=True):
        assert text in value.split("|")
