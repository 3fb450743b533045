"""A script as a row of tokens, blanks and comments included: what the tree leaves out, and the way back to the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from shellguard.source import Span
from shellguard.syntax.nodes import (
    AnsiCQuoted,
    ArithmeticExpansion,
    CommandSubstitution,
    Comment,
    DoubleQuoted,
    Escape,
    ExtendedGlob,
    Glob,
    HereDocument,
    Literal,
    Node,
    ParameterExpansion,
    ProcessSubstitution,
    Redirection,
    SingleQuoted,
)
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shellguard.syntax.nodes import Script


class TokenKind(StrEnum):
    """What a token is; the last five are trivia."""

    TEXT = "text"
    QUOTED = "quoted"
    QUOTE = "quote"
    EXPANSION = "expansion"
    OPERATOR = "operator"
    RESERVED = "reserved"
    DELIMITER = "delimiter"
    BLANK = "blank"
    NEWLINE = "newline"
    CONTINUATION = "continuation"
    COMMENT = "comment"
    SKIPPED = "skipped"


TRIVIA: Final = frozenset(
    {TokenKind.BLANK, TokenKind.NEWLINE, TokenKind.CONTINUATION, TokenKind.COMMENT, TokenKind.SKIPPED}
)


# These are parsed even where their command was skipped.
_PARSED: Final = frozenset({TokenKind.COMMENT, TokenKind.DELIMITER})


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text, `start` to `end` in code points, and the innermost node that it belongs to."""

    kind: TokenKind
    start: int
    end: int
    node: Node


_LEAF_KINDS: Final[dict[type[Node], TokenKind]] = {
    Literal: TokenKind.TEXT,
    Glob: TokenKind.TEXT,
    SingleQuoted: TokenKind.QUOTED,
    AnsiCQuoted: TokenKind.QUOTED,
    Escape: TokenKind.QUOTED,
    Comment: TokenKind.COMMENT,
}
# What nodes own beside their children, such as `${name:-` or `"`, where it is more than operators and reserved words.
_OWN_KINDS: Final[dict[type[Node], TokenKind]] = {
    DoubleQuoted: TokenKind.QUOTE,
    ParameterExpansion: TokenKind.EXPANSION,
    ArithmeticExpansion: TokenKind.EXPANSION,
    CommandSubstitution: TokenKind.EXPANSION,
    ProcessSubstitution: TokenKind.EXPANSION,
    ExtendedGlob: TokenKind.EXPANSION,
    Redirection: TokenKind.OPERATOR,
}
_RESERVED: Final = frozenset(
    [
        "if",
        "then",
        "elif",
        "else",
        "fi",
        "while",
        "until",
        "for",
        "select",
        "do",
        "done",
        "case",
        "in",
        "esac",
        "function",
        "coproc",
        "time",
        "{",
        "}",
        "[[",
        "]]",
        "!",
    ]
)
_PIECE: Final = re.compile(r"([ \t]+)|(\r?\n)|(\\(?:\r?\n|\Z))|([;&|()<>]+)|[^\s;&|()<>\\]+|.", re.DOTALL)
_PIECE_KINDS: Final = (TokenKind.TEXT, TokenKind.BLANK, TokenKind.NEWLINE, TokenKind.CONTINUATION, TokenKind.OPERATOR)


def tokens(script: Script, text: str) -> Iterator[Token]:
    """Yield the tokens of the text that `parse` made this script of, in order and without gaps.

    Their texts, one after another, are the text: `"".join(text[t.start : t.end] for t in tokens(script, text))`. What
    could not be parsed comes as SKIPPED.
    """
    skipped = _merged(issue.skipped for issue in script.issues)
    for token in _raw_tokens(script, text):
        if skipped and token.kind not in _PARSED and _is_inside(token.start, skipped):
            yield Token(TokenKind.SKIPPED, token.start, token.end, token.node)
        else:
            yield token


def _raw_tokens(script: Script, text: str) -> Iterator[Token]:
    """Yield the tokens, going through all nodes in the order of their places."""
    pos = 0
    enclosing: list[Node] = [script]
    for start, end, node, kind in _places(script):
        while len(enclosing) > 1 and enclosing[-1].end <= start:
            closed = enclosing.pop()
            yield from _own_tokens(closed, text, pos, closed.end)
            pos = max(pos, closed.end)
        yield from _own_tokens(enclosing[-1], text, pos, start)
        pos = max(pos, start)
        if kind is None:
            enclosing.append(node)
        elif end > pos:
            yield Token(kind, pos, end, node)
            pos = end
    for node in reversed(enclosing):
        yield from _own_tokens(node, text, pos, node.end)
        pos = max(pos, node.end)


def _places(script: Script) -> list[tuple[int, int, Node, TokenKind | None]]:
    """Return where every node stands, outer ones first, with a kind where it is one token."""
    places: list[tuple[int, int, Node, TokenKind | None]] = [
        (comment.start, comment.end, comment, TokenKind.COMMENT) for comment in script.comments
    ]
    for node in walk(script.body):
        places.append((node.start, node.end, node, _LEAF_KINDS.get(type(node))))
        if isinstance(node, HereDocument) and node.terminated:
            line = node.delimiter_line
            places.append((line.start, line.end, node, TokenKind.DELIMITER))
    places.sort(key=lambda place: (place[0], -place[1]))
    return places


def _own_tokens(node: Node, text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the tokens of text that belongs to a node but to none of its children."""
    own = _OWN_KINDS.get(type(node))
    kind, first = None, start
    while start < end:
        found = _PIECE.match(text, start, end)
        assert found is not None  # noqa: S101 - the last alternative matches any character
        piece_kind = _PIECE_KINDS[found.lastindex or 0]
        if piece_kind in {TokenKind.TEXT, TokenKind.OPERATOR}:
            piece_kind = own or (TokenKind.RESERVED if found.group() in _RESERVED else piece_kind)
        if kind is not None and (piece_kind is not kind or own is None):
            yield Token(kind, first, start, node)
            first = start
        kind, start = piece_kind, found.end()
    if kind is not None:
        yield Token(kind, first, start, node)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that overlap joined."""
    merged: list[Span] = []
    for span in sorted(spans):
        if span.start == span.end:
            continue
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _is_inside(offset: int, spans: list[Span]) -> bool:
    """Whether an offset is in one of the spans, which are in order."""
    index = bisect_right(spans, offset, key=lambda span: span.start)
    return index > 0 and offset < spans[index - 1].end
