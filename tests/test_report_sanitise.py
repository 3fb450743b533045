"""What is printed is visible and harmless: escapes for controls, overrides and what no font draws."""

from __future__ import annotations

import pytest
from hypothesis import given
from report_samples import any_text

from shellguard.report.sanitise import visible, visible_characters, visible_prose


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 'text' \\x1b", "plain 'text' \\x1b"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\tb\nc\rd\x00\x07\x7f", "a\\tb\\nc\\rd\\x00\\x07\\x7f"),
        ("\x85 \x9b", "<U+0085> <U+009B>"),
        ("\u202e\u2066x\u2069", "<U+202E><U+2066>x<U+2069>"),
        ("a\u200bb\u200cc\u200dd\ufeff", "a<U+200B>b<U+200C>c<U+200D>d<U+FEFF>"),
        ("\u2028\u2029", "<U+2028><U+2029>"),
        ("no\u00a0break", "no<U+00A0>break"),
        ("\ud800 \udfff", "<U+D800> <U+DFFF>"),
        ("caf\udce9", "caf\\xe9"),
        ("\U000e0041\U000e0100\u3164\u2800", "<U+E0041><U+E0100><U+3164><U+2800>"),
        ("é 完了 ✅ e\u0301", "é 完了 ✅ e\u0301"),
    ],
)
def test_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_an_emoji_selector_is_dropped_and_one_that_hides_in_a_word_is_not() -> None:
    assert visible("⚠\ufe0f rm\ufe0f") == "⚠ rm<U+FE0F>"


def test_ascii_only() -> None:
    assert visible("é “完” …", unicode=False) == "<U+00E9> <U+201C><U+5B8C><U+201D> <U+2026>"
    assert visible_prose("it’s “lost” – see… → é", unicode=False) == 'it\'s "lost" - see... -> <U+00E9>'


@given(any_text)
def test_only_printable_characters_are_left(text: str) -> None:
    assert visible(text).isprintable()
    assert visible(text, unicode=False).isascii()
    assert visible(text, unicode=False).isprintable()


@given(any_text)
def test_one_piece_per_code_point(text: str) -> None:
    pieces = list(visible_characters(text))
    assert len(pieces) == len(text)
    assert "".join(pieces) == visible(text)
