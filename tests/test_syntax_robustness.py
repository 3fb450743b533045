"""No text, however deep or broken, crashes the parser, and its work grows no faster than the text."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shellguard.syntax import dump, parse, tokens, walk

# `_` is a blank, `⏎` a newline, `⇥` a tab.
OPENERS_TEXT = r"""
( {_ $( "$( ` \` `\` "` (( $(( $((1+( ((_( $[ a[$( a[ a[b[ <( >( @( !( ?( *( +( x=( x+=( declare_x=( x=([a]=$( " ' $" $'
${ ${_ ${| ${a:- "${a:-" ${a[ ${a# ${a/b/ ${a: ${!a:- ${a:-$( [[_(_ [[_!_ [[_a_&&_ [[_a_||_( [[_a_==_@( [[_a_=~_(
if_ if_a;_then_ if_a;_then_b;_elif_ if_a;_then_b;_else_ while_ while_a;_do_ until_ until_a;_do_ for_a_in_b;_do_
for_a;_{_ for_((;;));_do_ select_a;_do_ case_a_in_a)_ case_a_in_(a)_ case_a_in_a| case_$( f()_{_ f()_ f()_(
function_f_{_ function_f()_{_ coproc_ coproc_a_{_ !_ time_ a_&&_ a_||_ a_|_ a_|&_ a_&_ a;_
<<E⏎$( <<-E⏎⇥$( <<E⏎` <<E⏎${a:- $(<<E⏎ $(cat_<<E⏎$( `<<E⏎ {_<<E⏎ >$( 2>&$( <<<"$(
"""
OPENERS = [text.translate({ord("_"): " ", ord("⏎"): "\n", ord("⇥"): "\t"}) for text in OPENERS_TEXT.split()]
REPEATED = [
    "a;",
    "a|",
    "a&&",
    "a\n",
    ">a ",
    "<<a ",
    "<<a\n",
    "a[b]",
    "a=b ",
    "$a",
    "\\\n",
    "$\\\n",
    "'a'",
    '"$a"',
    "#\n",
]
REPEATED += [
    "<<E\n\\\n",
    "<<-E\n\t\\\n",
    "a[$(b)]=c ",
    "x `a\\`b",
    "${a/",
    "[[ a && ",
    "[a",
    "*(",
    ")",
    "fi ",
    ";;",
    "a\\\nb",
    "`a\\\nb`",
    "a() ",
    "$'",
]


def calls(text: str) -> int:
    """How many functions the parser calls, Python's and C's."""
    count = 0

    def count_call(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        if event in {"call", "c_call"}:
            count += 1

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        parse(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("piece", OPENERS + REPEATED)
def test_twice_the_text_takes_at_most_twice_the_steps(piece: str) -> None:
    repeats = 6_000 // len(piece)
    once, twice = calls(piece * repeats), calls(piece * repeats * 2)
    assert twice <= 2.2 * once + 2_000


@pytest.mark.parametrize("opener", OPENERS)
def test_a_hundred_thousand_nested_constructs_are_survived(opener: str) -> None:
    text = f"before\n{opener * 100_000}\nafter\n"
    script = parse(text)
    assert dump(script.body.commands[0]) == "(SimpleCommand before)"


@pytest.mark.parametrize("opener", OPENERS)
def test_nothing_is_lost_of_constructs_nested_too_deeply(opener: str) -> None:
    text = f"before\n{opener * 1_000}\nafter\n"
    assert "".join(text[token.start : token.end] for token in tokens(parse(text), text)) == text


@pytest.mark.parametrize(
    ("opener", "closer"), [("( ", " )"), ("{ ", "; }"), ("$(", ")"), ("$((", "))"), ('"${a:-', '}"')]
)
def test_commands_after_what_nests_too_deeply_are_read(opener: str, closer: str) -> None:
    script = parse(f"before\n{opener * 50_000}a{closer * 50_000}\nafter x\n")
    assert dump(script.body.commands[-1]) == "(SimpleCommand after x)"
    assert any("too deeply" in issue.message for issue in script.issues)


@pytest.mark.parametrize(("first", "piece"), [("<<E\n", "\\\n"), ("<<EE\n", "E\\\n"), ("<<-E\n", "\t\\\n")])
def test_a_delimiter_is_looked_for_once_per_joined_line(first: str, piece: str) -> None:
    assert parse(first + piece * 300_000 + "E").issues == ()


def test_long_flat_constructs_are_parsed_whole() -> None:
    for text in (
        "a | " * 20_000 + "a",
        "a && " * 20_000 + "a",
        "[[ " + "a && " * 20_000 + "a ]]",
        "x " + "a " * 20_000,
    ):
        script = parse(text)
        assert script.issues == ()
        assert sum(1 for _ in walk(script)) > 20_000
        assert len(dump(script)) > 20_000


def test_a_caller_that_is_deep_itself_gets_a_tree() -> None:
    def recurse(depth: int) -> None:
        if depth:
            recurse(depth - 1)
        else:
            script = parse("( " * 80 + "a" + " )" * 80 + "\nb\n")
            assert dump(script.body.commands[-1]) == "(SimpleCommand b)"

    recurse(600)


@settings(max_examples=150)
@given(
    st.text(st.characters(codec=None), max_size=60) | st.text("ab \n\t'\"`$(){}[]<>|&;\\#!=*?+@:/-E\r0", max_size=80)
)
def test_any_text_gives_a_tree(text: str) -> None:
    script = parse(text)
    assert sum(token.end - token.start for token in tokens(script, text)) == len(text)
    assert all(0 <= issue.start <= issue.end <= len(text) for issue in script.issues)


@pytest.mark.parametrize("piece", ["declare", "@+=~", "a-b,"])
def test_a_long_word_after_an_error_is_skipped_at_once(piece: str) -> None:
    once, twice = (calls(f"if a; then f( \N{SECTION SIGN}{piece * number}( b; fi") for number in (500, 1_000))
    assert twice <= once + 20
