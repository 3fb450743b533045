"""Text without loss, and positions in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shellguard.source import Position, Source, Span, UndecodableSourceError, decode, encode

BYTES = st.binary().filter(lambda data: b"\0" not in data)
TEXTS = st.text(st.sampled_from("a\n\r\té𝄞\x0b\x0c\x85\u2028\udcff"))


def source(text: str) -> Source:
    return Source("x.sh", text)


@given(BYTES)
def test_any_bytes_but_nul_come_back(data: bytes) -> None:
    assert encode(decode(data)) == data


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("naïve 日本".encode(), "naïve 日本"),
        ("naïve".encode("latin-1"), "na\udcefve"),
        ("\ufeff#!".encode(), "\ufeff#!"),
        (b"a\r\nb", "a\r\nb"),
        (b"\xed\xa0\x80", "\udced\udca0\udc80"),
    ],
)
def test_decode(data: bytes, text: str) -> None:
    assert decode(data) == text
    assert encode(text) == data


@pytest.mark.parametrize(
    ("data", "offset", "before"),
    [(b"\0", 0, ""), (b"#!/bin/sh\n\0\0", 10, "#!/bin/sh\n"), (b"\xc3\xa9\xff\0", 3, "é\udcff")],
)
def test_nul_bytes_are_refused_where_they_are(data: bytes, offset: int, before: str) -> None:
    with pytest.raises(UndecodableSourceError, match=f"NUL byte at offset {offset}") as refused:
        decode(data)
    assert (refused.value.offset, refused.value.before) == (offset, before)


@pytest.mark.parametrize(("start", "end"), [(2, 1), (-1, 0), (-2, -1)])
def test_spans_that_are_none(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(start, end)


def test_empty_text() -> None:
    empty = source("")
    assert empty.line_count == 0
    assert empty.position(0) == Position(1, 1)
    assert empty.line_span(1) == Span(0, 0)
    assert empty.line_text(1) == ""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\nb", ["a", "b"]),
        ("\n\nb\n", ["", "", "b"]),
        ("a\r\nb\r\n", ["a\r", "b\r"]),
        ("a\x0bb\x0c\x85\u2028c\rd\n", ["a\x0bb\x0c\x85\u2028c\rd"]),
    ],
)
def test_lines_end_at_newlines_alone(text: str, lines: list[str]) -> None:
    read = source(text)
    assert read.line_count == len(lines)
    assert [read.line_text(line) for line in range(1, read.line_count + 1)] == lines


@pytest.mark.parametrize(
    ("text", "offset", "position"),
    [
        ("ab\ncd", 0, Position(1, 1)),
        ("ab\ncd", 2, Position(1, 3)),
        ("ab\ncd", 3, Position(2, 1)),
        ("ab\ncd", 5, Position(2, 3)),
        ("ab\n", 3, Position(1, 4)),
        ("\n\n", 1, Position(2, 1)),
        ("𝄞é\udcffx", 3, Position(1, 4)),
    ],
)
def test_positions_count_code_points_from_one(text: str, offset: int, position: Position) -> None:
    assert source(text).position(offset) == position
    assert source(text).line_of(offset) == position.line


@given(TEXTS)
def test_every_offset_is_in_the_line_it_says(text: str) -> None:
    read = source(text)
    for offset in range(len(text) + 1):
        position = read.position(offset)
        span = read.line_span(position.line)
        assert span.start + position.column - 1 == offset
        # At most the newline itself, or the end of a text that ends in one, lies behind the line's text.
        assert offset <= span.end + 1
        assert "\n" not in read.line_text(position.line)


@given(TEXTS)
def test_lines_make_up_the_text(text: str) -> None:
    read = source(text)
    lines = [read.line_text(line) for line in range(1, read.line_count + 1)]
    assert "\n".join(lines) == text.removesuffix("\n")


def test_excerpt() -> None:
    assert source("echo hi\n").excerpt(Span(5, 7)) == "hi"
    assert source("echo hi\n").excerpt(Span(3, 3)) == ""
