"""How many terminal cells a text takes, and how it wraps at a width. Texts here are sanitised already."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Hangul vowels and final consonants join the syllable before them.
_JOINING_JAMO = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF))


def cell_length(text: str) -> int:
    """The cells that `text` takes on one line."""
    return len(text) if text.isascii() else sum(map(character_cells, text))


def character_cells(character: str) -> int:
    """The cells of one printable character: 0 for combining marks, 2 for East Asian wide ones and emoji, else 1."""
    if character.isascii():
        return 1
    from unicodedata import category, east_asian_width  # a shared library: loaded only where text isn't ASCII

    if category(character) in {"Mn", "Me"} or any(low <= ord(character) <= high for low, high in _JOINING_JAMO):
        return 0
    return 2 if east_asian_width(character) in {"W", "F"} else 1


def wrap(text: str, width: int) -> Iterator[str]:
    """Lines of at most `width` cells, broken at spaces, or inside a word that is wider than a line.

    What stands between backticks stays on one line where it can.
    """
    line = ""
    for word in _words(text, width):
        if line and cell_length(line) + 1 + cell_length(word) > width:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
        while cell_length(line) > width:
            head = cut(line, width)
            yield head
            line = line[len(head) :]
    if line:
        yield line


def _words(text: str, width: int) -> Iterator[str]:
    """The words of a text; words from a backtick to the next one count as a single one unless it's over-long."""
    pending: list[str] = []
    for word in text.split():
        pending.append(word)
        phrase = " ".join(pending)
        if phrase.count("`") % 2 == 0:
            yield phrase
            pending = []
        elif cell_length(phrase) > width:
            yield from pending
            pending = []
    yield from pending


def cut(text: str, width: int) -> str:
    """The longest beginning of `text` that takes at most `width` cells, but at least one character."""
    used = 0
    for index, character in enumerate(text):
        used += character_cells(character)
        if used > width and index:
            return text[:index]
    return text
