"""Texts measured and wrapped by the cells they take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from shellguard.report.cells import cell_length, wrap


@pytest.mark.parametrize(
    ("text", "cells"),
    [("", 0), ("abc", 3), ("é", 1), ("e\u0301", 1), ("完了", 4), ("ｶﾅ", 2), ("ｈ", 2), ("✅", 2), ("⚠", 1), ("한", 2)],
)
def test_cells(text: str, cells: int) -> None:
    assert cell_length(text) == cells


def test_decomposed_hangul_takes_a_syllable_s_room() -> None:
    assert cell_length("\u1112\u1161\u11ab") == 2


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three", ["one two", "three"]),
        ("one  two\tthree", ["one two", "three"]),
        ("an `b c d` e", ["an", "`b c d` e"]),
        ("it `never closes at all", ["it `never", "closes at", "all"]),
        ("`wider than a line` x", ["`wider", "than a", "line` x"]),
        ("abcdefghijklmno p", ["abcdefghi", "jklmno p"]),
        ("完了しました x", ["完了しま", "した x"]),
        ("", []),
    ],
)
def test_wrap(text: str, lines: list[str]) -> None:
    assert list(wrap(text, 9)) == lines


@given(st.text(st.sampled_from("ab `完é\u0301")), st.integers(2, 30))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    lines = list(wrap(text, width))
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
