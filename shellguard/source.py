"""Text of a script without loss, positions in it, and the dialects it can be written in."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum


class Dialect(StrEnum):
    """A shell language whose behaviour shellguard knows.

    `sh` is dash, busybox ash or bash in posix mode: unknown which. `dash` stands for dash and busybox
    ash, `ksh` for ksh88, ksh93 and mksh.
    """

    BASH = "bash"
    SH = "sh"
    DASH = "dash"
    KSH = "ksh"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code-point offsets into a source's text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        """Refuse a range that ends before it starts."""
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start}..{self.end}")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place for people: line and column count from 1, columns in code points."""

    line: int
    column: int


class UndecodableSourceError(ValueError):
    """The bytes are no text a shell would read: a NUL byte at `offset` (in bytes) follows the text `before`."""

    def __init__(self, offset: int, before: str) -> None:
        """Remember where the NUL byte is."""
        super().__init__(f"NUL byte at offset {offset}")
        self.offset = offset
        self.before = before


def decode(data: bytes) -> str:
    """Decode a script so that `encode` gives the same bytes back, whatever the encoding.

    Bytes that aren't UTF-8 become lone surrogates (PEP 383), one code point each.

    Raises:
        UndecodableSourceError: the data holds NUL bytes, so it is binary or UTF-16.
    """
    nul = data.find(b"\0")
    if nul >= 0:
        raise UndecodableSourceError(nul, data[:nul].decode("utf-8", "surrogateescape"))
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Encode a text that `decode` made."""
    return text.encode("utf-8", "surrogateescape")


class Source:
    r"""One script: the path it is reported under, its text, and positions in it.

    Lines end at `\n` alone, as the shell counts them; a `\r` before it belongs to the line.
    """

    __slots__ = ("_starts", "path", "text")

    def __init__(self, path: str, text: str) -> None:
        """Keep path and text; the line index is built when first asked for."""
        self.path = path
        self.text = text
        self._starts: list[int] | None = None

    @property
    def line_starts(self) -> list[int]:
        """Offsets at which lines start; a text that ends in a newline has no empty last line."""
        if self._starts is None:
            starts = [0]
            position = self.text.find("\n")
            while position >= 0:
                starts.append(position + 1)
                position = self.text.find("\n", position + 1)
            if len(starts) > 1 and starts[-1] == len(self.text):
                starts.pop()
            self._starts = starts
        return self._starts

    @property
    def line_count(self) -> int:
        """How many lines the text has; an empty text has none."""
        return len(self.line_starts) if self.text else 0

    def position(self, offset: int) -> Position:
        """Line and column of an offset (which may be the text's end)."""
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def line_of(self, offset: int) -> int:
        """The 1-based line of an offset."""
        return bisect_right(self.line_starts, offset)

    def line_span(self, line: int) -> Span:
        """The span of a 1-based line, its newline left out."""
        starts = self.line_starts
        start = starts[line - 1]
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        if line == len(starts) and self.text.endswith("\n") and end > start:
            end -= 1
        return Span(start, end)

    def line_text(self, line: int) -> str:
        """The text of a 1-based line without its newline."""
        span = self.line_span(line)
        return self.text[span.start : span.end]

    def excerpt(self, span: Span) -> str:
        """The text at a span."""
        return self.text[span.start : span.end]
