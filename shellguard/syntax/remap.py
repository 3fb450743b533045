r"""Text that is parsed in another form than it is written in: escaped backticks, CRLF files.

The parser reads the text as the shell sees it; afterwards every node's place is moved back to the original.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from shellguard.source import Span
from shellguard.syntax.nodes import (
    AnsiCQuoted,
    CommandSubstitution,
    DoubleQuoted,
    HereDocument,
    ParameterExpansion,
    SingleQuoted,
    SyntaxIssue,
)
from shellguard.syntax.scanner import Scanner
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shellguard.syntax.nodes import List, Node, Script, WordPart

# A continuation that isn't between two blanks; the backslash isn't itself quoted.
_CONTINUATION_IN_TOKEN: Final = re.compile(r"(?<![\s\\])(?:\\\\)*+((?:\\\n)+)(?=\S)")
# A line that continues another has no leading tabs: bash joins lines first.
_LEADING_TABS: Final = re.compile(r"^(?<!(?<!\\)\\\n)\t+", re.MULTILINE)
# Each level copies the text, so that only a few are followed; real scripts have two.
_STRIPPED_FRAMES: Final = 60
_TEXT: Final = "text"
_QUOTED: Final = "quoted"
_CODE: Final = "code"
_BACKTICK_ESCAPE: Final = re.compile(r"\\([`$\\\n])")
_QUOTED_BACKTICK_ESCAPE: Final = re.compile(r'\\([`$\\"\n])')


class OffsetMap:
    """Where the characters of a shortened text stood in the original."""

    __slots__ = ("_base", "_removed")

    def __init__(self, base: int, removed: list[int]) -> None:
        """`base` is where the text began, `removed` the offsets in it of removed characters, ascending."""
        self._base = base
        # After dropping i characters, the character originally at removed[i] + 1 stands at removed[i] - i.
        self._removed = [offset - index for index, offset in enumerate(removed)]

    def original(self, offset: int) -> int:
        """Return where a node's start or end was: a removed character belongs to what follows it."""
        return self._base + offset + bisect_right(self._removed, offset - 1)


def move(node: Node, places: OffsetMap) -> None:
    """Move a node, which is nobody else's yet, to its place in the original text."""
    object.__setattr__(node, "start", places.original(node.start))
    object.__setattr__(node, "end", places.original(node.end))
    if isinstance(node, HereDocument):
        object.__setattr__(node, "delimiter_line", _move_span(node.delimiter_line, places))
    elif isinstance(node, SyntaxIssue):
        object.__setattr__(node, "skipped", _move_span(node.skipped, places))
        opened = tuple((keyword, places.original(offset)) for keyword, offset in node.opened)
        object.__setattr__(node, "opened", opened)


def _move_span(span: Span, places: OffsetMap) -> Span:
    """Return a span moved to the original text."""
    return Span(places.original(span.start), places.original(span.end))


def move_tree(root: Node, places: OffsetMap) -> None:
    """Move a whole tree."""
    for node in list(walk(root)):
        move(node, places)


def without(text: str, removed: list[int]) -> str:
    """Return a text without the characters at the given offsets, which ascend."""
    pieces: list[str] = []
    start = 0
    for offset in removed:
        pieces.append(text[start:offset])
        start = offset + 1
    pieces.append(text[start:])
    return "".join(pieces)


def continuations_in_tokens(script: Script, text: str) -> Iterator[int]:
    r"""Yield the offsets of both characters of every line continuation that may be inside a token.

    Those in single quotes, comments and quoted here-documents are text. Directly in double quotes and here-documents,
    where continuations are frequent and vanish anyway, only one after a `$` matters.
    """
    found = [match.span(1) for match in _CONTINUATION_IN_TOKEN.finditer(text)]
    regions = sorted(_regions(script), key=lambda region: (region[0], -region[1])) if found else []
    enclosing: list[tuple[int, str]] = []
    index = 0
    for start, end in found:
        while index < len(regions) and regions[index][0] <= start:
            enclosing.append((regions[index][1], regions[index][2]))
            index += 1
        # Regions nest, so that the last one that hasn't ended is the innermost.
        while enclosing and enclosing[-1][0] <= start:
            enclosing.pop()
        kind = enclosing[-1][1] if enclosing else _CODE
        if kind == _CODE or (kind == _QUOTED and text[start - 1] == "$"):
            yield from range(start, end)


def _regions(script: Script) -> Iterator[tuple[int, int, str]]:
    """Yield where other rules hold than for unquoted words: start, end, kind."""
    for comment in script.comments:
        yield comment.start, comment.end, _TEXT
    for node in walk(script.body):
        if isinstance(node, (SingleQuoted, AnsiCQuoted)) or (isinstance(node, HereDocument) and node.quoted):
            yield node.start, node.end, _TEXT
        elif isinstance(node, (DoubleQuoted, HereDocument)):
            yield node.start, node.end, _QUOTED
        elif isinstance(node, (CommandSubstitution, ParameterExpansion)):
            yield node.start, node.end, _CODE


def read_unescaped(scanner: Scanner, start: int, end: int, *, quoted: bool) -> List:
    """Read the commands of a backtick substitution that holds backslashes.

    A backslash is removed before a backtick, `$` or another backslash, inside double quotes also before `"`
    (bash's manual, "Command Substitution"). Line continuations vanish even from comments and single quotes.
    """
    pattern = _QUOTED_BACKTICK_ESCAPE if quoted else _BACKTICK_ESCAPE
    original = scanner.text[start:end]
    removed: list[int] = []
    for found in pattern.finditer(original):
        removed.append(found.start())
        if found.group(1) == "\n":
            removed.append(found.start() + 1)
    inner = _nested_scanner(scanner, without(original, removed))
    inner.advance()
    body = inner.read_list(inner, frozenset())
    if inner.pending:
        inner.read_here_documents(inner)
    _move_back(scanner, inner, (body,), OffsetMap(start, removed))
    return body


def read_stripped(
    scanner: Scanner, start: int, end: int, read: Callable[[Scanner, int, int], tuple[WordPart, ...]]
) -> tuple[WordPart, ...]:
    """Read the body of a `<<-` here-document: `read` sees it without the tabs that its lines begin with."""
    original = scanner.text[start:end]
    stripped = _LEADING_TABS.sub("", original)
    if len(stripped) == len(original):
        return read(scanner, start, end)
    scanner.enter(_STRIPPED_FRAMES, start)
    inner = _nested_scanner(scanner, stripped)
    parts = read(inner, 0, len(stripped))
    removed = [offset for found in _LEADING_TABS.finditer(original) for offset in range(*found.span())]
    _move_back(scanner, inner, parts, OffsetMap(start, removed))
    scanner.depth -= _STRIPPED_FRAMES
    return parts


def _nested_scanner(scanner: Scanner, text: str) -> Scanner:
    """Return a scanner for a text that stands inside another, as deep as that one is."""
    inner = Scanner(text, scanner.readers, is_nested=True)
    inner.depth = scanner.depth
    return inner


def _move_back(scanner: Scanner, inner: Scanner, roots: tuple[Node, ...], places: OffsetMap) -> None:
    """Move what an inner scanner made to its place in the outer text, and hand over comments and issues."""
    for root in roots:
        move_tree(root, places)
    for node in (*inner.comments, *inner.issues):
        move(node, places)
    scanner.comments.extend(inner.comments)
    scanner.issues.extend(inner.issues)
