"""What do edits do to a text, which of them exclude each other, and where do places move to?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Final

from shellguard.finding import Edit
from shellguard.source import Span

_BARE_NEWLINE: Final = re.compile(r"(?<!\r)\n")


class EditConflictError(ValueError):
    """Two edits that can't both be applied."""

    def __init__(self, first: Edit, second: Edit) -> None:
        """Name both, in their order in the text."""
        super().__init__(f"edits in conflict: {first} and {second}")
        self.first = first
        self.second = second


def are_in_conflict(one: Edit, other: Edit) -> bool:
    """Whether two edits overlap, or insert different texts at the same place."""
    if is_insertion(one) and is_insertion(other):
        return one.span == other.span and one.text != other.text
    return one.span.start < other.span.end and other.span.start < one.span.end


def is_insertion(edit: Edit) -> bool:
    """Whether an edit replaces nothing."""
    return edit.span.start == edit.span.end


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, whose spans are those of the text before; identical insertions count once.

    Raises:
        EditConflictError: two of the edits are in conflict.
        ValueError: an edit lies beyond the text's end.
    """
    pieces: list[str] = []
    position = 0
    for edit in _in_order(edits):
        if edit.span.end > len(text):
            raise ValueError(f"{edit} lies beyond the text's end ({len(text)})")
        pieces += (text[position : edit.span.start], edit.text)
        position = edit.span.end
    return "".join((*pieces, text[position:]))


class Displacement:
    """Where spans of a text are after some edits."""

    __slots__ = ("_edits", "_ends", "_grown")

    def __init__(self, edits: Iterable[Edit]) -> None:
        """Add up how far each edit pushes what follows it, so that asking costs little however many there are."""
        self._edits = list(_in_order(edits))
        self._ends = [edit.span.end for edit in self._edits]
        self._grown = [0, *accumulate(len(edit.text) - (edit.span.end - edit.span.start) for edit in self._edits)]

    def of(self, span: Span) -> Span:
        """Where the text at a span is now.

        What is inserted at either end stays outside; a replacement that reaches into the span becomes part of it.
        """
        first = bisect_right(self._ends, span.start)
        start, end = span.start + self._grown[first], span.end + self._grown[first]
        for index in range(first, len(self._edits)):
            edit = self._edits[index]
            if edit.span.start >= span.end:
                break
            if edit.span.start < span.start:
                start -= span.start - edit.span.start
            end += len(edit.text) - (edit.span.end - edit.span.start) + max(0, edit.span.end - span.end)
        return Span(start, max(start, end))


def fit_newlines(text: str, edit: Edit) -> Edit:
    r"""The edit with its newlines written as the lines around its start are ended.

    That is `\r\n` if both the line where it starts and the one above end so, as far as there are such line ends. Else
    it is `\n`, which is right for every shell, while a `\r` becomes part of the inserted command's last word.
    """
    above, below = text.rfind("\n", 0, edit.span.start), text.find("\n", edit.span.start)
    ends = [newline for newline in (above, below) if newline >= 0]
    if not ends or not all(text.endswith("\r", 0, newline) for newline in ends):
        return edit
    return Edit(edit.span, _BARE_NEWLINE.sub("\r\n", edit.text))


def _in_order(edits: Iterable[Edit]) -> Iterator[Edit]:
    """The edits by place, identical insertions once."""
    ordered = sorted(edits)
    yield from ordered[:1]
    for before, after in pairwise(ordered):
        if are_in_conflict(before, after):
            raise EditConflictError(before, after)
        if before != after:
            yield after
