r"""Text from scripts and file names made safe to print: nothing that a terminal obeys, nothing that can't be seen.

Scripts under test are untrusted. An escape sequence in one could repaint the report, a bidirectional override could
show another command than the shell runs, and a zero-width character could hide in a name. All of these are shown as
escapes: `\x1b` for a control character or a byte that is no UTF-8, `<U+202E>` for any other character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHORT_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}

# `str.isprintable` refuses controls, format characters, surrogates, unassigned code points and every space but the
# ASCII one. These it lets through, although fonts draw nothing for them (Unicode's Default_Ignorable_Code_Point).
_INVISIBLE = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),  # combining grapheme joiner
        (0x115F, 0x1160),  # Hangul fillers
        (0x17B4, 0x17B5),  # Khmer inherent vowels
        (0x180B, 0x180F),  # Mongolian variation selectors
        (0x2800, 0x2800),  # the blank Braille pattern
        (0x3164, 0x3164),  # Hangul filler
        (0xFE00, 0xFE0F),  # variation selectors
        (0xFFA0, 0xFFA0),  # half-width Hangul filler
        (0xE0100, 0xE01EF),  # variation selectors supplement
    )
    for code in range(first, last + 1)
)

_PRESENTATION_SELECTORS = frozenset("\ufe0e\ufe0f")

_ASCII_PUNCTUATION = str.maketrans(
    {"…": "...", "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "→": "->", "≥": ">=", "≤": "<="}
)


def visible(text: str, *, unicode: bool = True) -> str:
    """A one-line form of `text` that is safe to print; without `unicode` it is pure ASCII.

    Line breaks and tabs are escaped too: the result never holds anything but printable characters.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(visible_characters(text, unicode=unicode))


def visible_prose(text: str, *, unicode: bool = True) -> str:
    """Like `visible`, for our own sentences: without `unicode`, dashes and quotation marks get ASCII stand-ins."""
    return visible(text if unicode else text.translate(_ASCII_PUNCTUATION), unicode=unicode)


def visible_characters(text: str, *, unicode: bool = True) -> Iterator[str]:
    """What to print for each code point of `text`, in order: one string per code point."""
    previous = ""
    for character in text:
        if is_safe(character, unicode=unicode):
            yield character
        elif character in _PRESENTATION_SELECTORS and _is_symbol(previous, unicode=unicode):
            # An emoji's selector only picks its looks, and terminals disagree on the width of the pair.
            yield ""
        else:
            yield escape(character)
        previous = character


def is_safe(character: str, *, unicode: bool = True) -> bool:
    """Whether one character can be printed as it is."""
    if not character.isprintable():
        return False
    return character.isascii() or (unicode and character not in _INVISIBLE)


def _is_symbol(character: str, *, unicode: bool) -> bool:
    return bool(character) and not character.isascii() and is_safe(character, unicode=unicode)


def escape(character: str) -> str:
    r"""The visible stand-in for one code point: `\t`, `\x1b`, `<U+202E>`."""
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    if 0xDC80 <= code <= 0xDCFF:  # a byte that wasn't UTF-8 (PEP 383)
        return f"\\x{code - 0xDC00:02x}"
    return f"<U+{code:04X}>"
