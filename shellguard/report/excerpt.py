"""The source around a finding: numbered lines, the spans in it underlined, a sentence at each underline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from shellguard.report.cells import cell_length, wrap
from shellguard.report.drawing import DrawnLine, draw_line
from shellguard.report.sanitise import visible_prose
from shellguard.report.style import Role, Style
from shellguard.source import Source, Span

MARGIN = "  "
"""What stands left of the line numbers."""

_MAX_LINES = 7  # of one span; a longer one shows its first lines and its last ones
_HEAD, _TAIL = 4, 2
_SMALL_GAP = 2  # lines between marks that are shown rather than left out
_NARROWEST_LABEL = 28  # cells; a sentence isn't squeezed into less


class Mark(NamedTuple):
    """A span to underline, and what to say there ("" for nothing)."""

    span: Span
    label: str
    role: Role
    stroke: str


class _Placed(NamedTuple):
    """A mark and the 1-based lines that it covers, both inclusive."""

    mark: Mark
    first: int
    last: int


class _Stroke(NamedTuple):
    """The part of a mark on one line, as code points of the line; the label stands at a mark's last part."""

    start: int
    end: int
    label: str
    mark: Mark


def excerpt(source: Source, marks: Sequence[Mark], style: Style) -> Iterator[str]:
    """Lines of text, without newlines, that show the place of every mark (at least one)."""
    placed = [_place(source, mark) for mark in marks]
    numbers = _lines_to_show(placed)
    gutter = gutter_width(source, marks)
    previous = numbers[0]
    for number in numbers:
        if number > previous + 1:
            yield style.paint(f"{MARGIN}{style.ellipsis:>{gutter}}", Role.FAINT)
        yield from _line(source, number, placed, gutter, style)
        previous = number


def gutter_width(source: Source, marks: Sequence[Mark]) -> int:
    """The digits of the highest line number that `excerpt` shows for these marks."""
    return len(str(max(_place(source, mark).last for mark in marks)))


def beside_gutter(text: str, gutter: int, style: Style) -> str:
    """A line of text that is no source line, to the right of an empty gutter of that many digits."""
    bar = style.paint(f"{MARGIN}{'':>{gutter}} {style.bar}", Role.FAINT)
    return f"{bar} {text}" if text else bar


def room_beside(gutter: int, style: Style) -> int:
    """The cells that are left for text beside a gutter."""
    return style.width - len(MARGIN) - gutter - 3


def _place(source: Source, mark: Mark) -> _Placed:
    first = source.line_of(mark.span.start)
    # The newline that a span ends with isn't a line of it.
    return _Placed(mark, first, source.line_of(max(mark.span.end - 1, mark.span.start)))


def _lines_to_show(placed: Sequence[_Placed]) -> list[int]:
    numbers: set[int] = set()
    for place in placed:
        if place.last - place.first < _MAX_LINES:
            numbers.update(range(place.first, place.last + 1))
        else:
            numbers.update(range(place.first, place.first + _HEAD))
            numbers.update(range(place.last - _TAIL + 1, place.last + 1))
    for before, after in pairwise(sorted(numbers)):
        if after - before <= _SMALL_GAP + 1:
            numbers.update(range(before + 1, after))
    return sorted(numbers)


def _line(source: Source, number: int, placed: Sequence[_Placed], gutter: int, style: Style) -> Iterator[str]:
    covering = next((place.mark for place in placed if place.first < place.last and _covers(place, number)), None)
    bar = style.paint(style.heavy_bar, covering.role) if covering else style.paint(style.bar, Role.FAINT)
    head = f"{style.paint(f'{MARGIN}{number:>{gutter}}', Role.FAINT)} {bar}"
    room = room_beside(gutter, style)
    for drawn, strokes in _views(source.line_text(number), _strokes(source, number, placed), room, style):
        yield f"{head} {drawn.text}" if drawn.text else head
        for row in _rows(strokes, drawn):
            for line in _draw_row(row, drawn, room, style):
                yield beside_gutter(line, gutter, style)
        head = beside_gutter("", gutter, style)


def _views(
    text: str, strokes: Sequence[_Stroke], room: int, style: Style
) -> Iterator[tuple[DrawnLine, Sequence[_Stroke]]]:
    """The windows on a line that show all its strokes' starts: one where it can be, more where they are far apart."""
    while True:
        drawn = draw_line(text, _focus(strokes, room), room, style)
        # The first one counts as shown even if it is wider than the window.
        shown = [stroke for stroke in strokes if stroke is strokes[0] or drawn.shows(stroke.start, stroke.end)]
        yield drawn, shown
        strokes = [stroke for stroke in strokes if stroke not in shown]
        if not strokes:
            return


def _focus(strokes: Sequence[_Stroke], room: int) -> tuple[int, int]:
    """The code points of the first stroke and of those that fit into a window with it."""
    if not strokes:
        return 0, 0
    start = strokes[0].start
    ends = (stroke.end for stroke in strokes if stroke.end - start <= room * 2 // 3)
    return start, max(ends, default=strokes[0].end)


def _covers(place: _Placed, number: int) -> bool:
    return place.first <= number <= place.last


def _strokes(source: Source, number: int, placed: Sequence[_Placed]) -> list[_Stroke]:
    """The parts of marks on a line that get an underline, from left to right."""
    line = source.line_span(number)
    text = source.excerpt(line)
    indent = len(text) - len(text.lstrip())
    strokes = [
        _Stroke(
            start=min(place.mark.span.start, line.end) - line.start if number == place.first else indent,
            end=min(place.mark.span.end, line.end) - line.start if number == place.last else len(text.rstrip()),
            label=place.mark.label if number == place.last else "",
            mark=place.mark,
        )
        for place in placed
        if number in (place.first, place.last)
    ]
    return sorted(strokes, key=lambda stroke: (stroke.start, stroke.end))


def _rows(strokes: Sequence[_Stroke], drawn: DrawnLine) -> Iterator[list[_Stroke]]:
    """Strokes that share a row: side by side, and only one of them has a label."""
    row: list[_Stroke] = []
    taken = -1
    for stroke in strokes:
        left, right = drawn.cells(stroke.start, stroke.end)
        if row and (left <= taken or (stroke.label and any(other.label for other in row))):
            yield row
            row = []
        row.append(stroke)
        taken = right
    if row:
        yield row


def _draw_row(row: Sequence[_Stroke], drawn: DrawnLine, room: int, style: Style) -> Iterator[str]:
    """The underlines, and their label: right of them, or below the one it belongs to."""
    line, cell = "", 0
    for stroke in row:
        left, right = drawn.cells(stroke.start, stroke.end)
        line += " " * (left - cell) + style.paint(stroke.mark.stroke * (right - left), stroke.mark.role)
        cell = right
    label = visible_prose(row[-1].label, unicode=style.unicode)
    if label and cell + 1 + cell_length(label) <= room:
        yield f"{line} {style.paint(label, row[-1].mark.role)}"
        return
    yield line
    for stroke in row:
        left, _ = drawn.cells(stroke.start, stroke.end)
        indent = min(left, max(room - _NARROWEST_LABEL, 0))
        for part in wrap(visible_prose(stroke.label, unicode=style.unicode), room - indent):
            yield " " * indent + style.paint(part, stroke.mark.role)
