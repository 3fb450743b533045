"""One source line as it is drawn: escaped, tabs expanded, cropped to the room there is, and where each offset is."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from shellguard.report.cells import cell_length
from shellguard.report.sanitise import visible_characters
from shellguard.report.style import Role, Style

TAB_STOP = 4
"""Cells between tab stops; narrower than a terminal's, because excerpts are short of room."""


class DrawnLine(NamedTuple):
    """A window on a line.

    Attributes:
        text: What to print, painted, narrower than the room.
        first: The line's code point (counted from 0) that the window starts with.
        edges: The cell where each code point of the window starts, and where the last one ends.
    """

    text: str
    first: int
    edges: tuple[int, ...]

    def cells(self, start: int, end: int) -> tuple[int, int]:
        """The cells of the code points `start` to `end`, at least one; what is outside the window lies at its edge."""
        left = self._cell(start)
        return left, max(self._cell(end), left + 1)

    def shows(self, start: int, end: int) -> bool:
        """Whether the code points `start` to `end` of the line are all in the window."""
        return self.first <= start and end < self.first + len(self.edges)

    def _cell(self, column: int) -> int:
        return self.edges[min(max(column - self.first, 0), len(self.edges) - 1)]


def draw_line(text: str, focus: tuple[int, int], room: int, style: Style) -> DrawnLine:
    """Draw a line in less than `room` cells, so that a caret may follow it, cropped around the code points `focus`."""
    # The far ends of a very long line (minified data, base64) can't be seen: don't measure them.
    low = max(0, focus[0] - 2 * room)
    nearby = text[low : low + 8 * room]
    pieces = _pieces(nearby, style)
    is_tail = low + len(nearby) == len(text)
    if is_tail and text.endswith("\r"):
        pieces[-1] = ""  # else every line of a CRLF file would show it
    edges = list(accumulate(map(cell_length, pieces), initial=0))
    first, last = 0, len(pieces)
    if low or not is_tail or edges[-1] >= room:
        first, last = _window(edges, (focus[0] - low, focus[1] - low), room - 2 * len(style.ellipsis) - 1)
        if not low and edges[first] <= len(style.ellipsis):
            first = 0  # what an ellipsis would stand for is no wider than the ellipsis
        if is_tail and edges[-1] - edges[last] <= len(style.ellipsis):
            last = len(pieces)
    before = style.ellipsis if low + first else ""
    after = "" if is_tail and last == len(pieces) else style.ellipsis
    shown = _painted(nearby[first:last], pieces[first:last], style)
    shift = len(before) - edges[first]
    return DrawnLine(
        style.paint(before, Role.FAINT) + shown + style.paint(after, Role.FAINT),
        low + first,
        tuple(edge + shift for edge in edges[first : last + 1]),
    )


def _pieces(text: str, style: Style) -> list[str]:
    """What to print for each code point."""
    if text.isascii() and text.isprintable():
        return list(text)
    pieces: list[str] = []
    cell = 0
    for character, shown in zip(text, visible_characters(text, unicode=style.unicode), strict=True):
        piece = " " * (TAB_STOP - cell % TAB_STOP) if character == "\t" else shown
        cell += cell_length(piece)
        pieces.append(piece)
    return pieces


def _painted(text: str, pieces: list[str], style: Style) -> str:
    """Join the pieces; escapes are painted, so that nobody takes them for the script's own text."""
    if not style.colour:
        return "".join(pieces)
    return "".join(
        style.paint(piece, Role.ESCAPE) if character not in (piece, "\t") else piece
        for character, piece in zip(text, pieces, strict=True)
    )


def _window(edges: list[int], focus: tuple[int, int], room: int) -> tuple[int, int]:
    """The code points to show: `room` cells with the focus in the middle, or with its start if it is wider."""
    last_edge = len(edges) - 1
    start = edges[min(focus[0], last_edge)]
    end = min(edges[min(focus[1], last_edge)], start + room)
    is_near = end <= room or (end - start == room and start <= room // 3)
    left = 0 if is_near else min((start + end - room) // 2, edges[-1] - room)
    first = next(index for index, edge in enumerate(edges) if edge >= left)
    while 0 < first < last_edge and edges[first] == edges[first + 1]:
        first += 1  # a combining mark without the character it belongs to
    last = max(index for index, edge in enumerate(edges) if edge <= edges[first] + room)
    return first, last
