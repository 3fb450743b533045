r"""Tokens: where the next one is, and what kind.

The scanner holds the parser's whole state: the text, the current token, here-documents waiting for their
bodies, what is open, what went wrong. A word is only parsed when the grammar wants one, so that `[[`, patterns
and here-documents can read the same text by their own rules.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from shellguard.source import Span
from shellguard.syntax.nodes import Comment, List, SyntaxIssue

if TYPE_CHECKING:
    from collections.abc import Callable

    from shellguard.syntax.heredocs import PendingHereDocument
    from shellguard.syntax.nodes import WordPart

EOF_TOKEN: Final = ""
NEWLINE: Final = "\n"
WORD: Final = "word"
REDIRECTION: Final = "redirection"
DESCRIPTOR: Final = "descriptor"

# Depth is counted in Python frames, so that the parser stays clear of the recursion limit (1,000) whatever it is
# called from. The deepest script in 8,365 of Debian's packages needs 161.
MAX_DEPTH: Final = 720

# The ends of quotes and here-documents are searched for up to the end of the text; more than this many searches in
# vain would make the parser quadratic, so after them the rest is left unparsed (and reported).
MAX_SEARCHES_TO_END: Final = 30

# Blanks and line continuations, then one token. A literal word is only taken whole when a delimiter follows;
# every other word is left to the word parser.
_ONE_PIECE: Final = r"""(?:[ \t]+|\\\n)*+(?:
      ((?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*(?:\[[^]\s;&|()<>]*\])?\})(?=[<>](?!\()|<<))
    | ((?:[A-Za-z0-9_./+:,@%^~=-]+|\[\[?|\]\]?|!=?|[{}])(?=(?:\\\n)*+(?:[ \t\n;&|)]|[<>](?!\()|LAST))
       |(?:[A-Za-z0-9_]+|[{}]|\[\[)(?=\())
    | (\n)
    | (\#[^\n]*)
    | (&&|\|\||;;&|;&|;;|\|&|&(?!>)|[;|()])
    | (&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||<(?!\()|>(?!\())
    | (.)
    )"""
# Bash adds a newline where a file lacks its last one, so that a backslash there continues the line.
_TOKEN: Final = re.compile(_ONE_PIECE.replace("LAST", r"\\?\Z"), re.VERBOSE | re.DOTALL)

# More different words than this are not remembered.
_MOST_SHARED: Final = 10_000

_DESCRIPTOR_GROUP: Final = 1
_WORD_GROUP: Final = 2
_NEWLINE_GROUP: Final = 3
_COMMENT_GROUP: Final = 4
_OPERATOR_GROUP: Final = 5
_REDIRECTION_GROUP: Final = 6


class SyntaxFailureError(Exception):
    """A command could not be parsed; caught where lists are parsed, never seen outside the package."""

    def __init__(self, position: int, message: str, resume: int | None = None) -> None:
        """Keep where it was noticed, what to say, and where to go on (default: the current token)."""
        super().__init__(message)
        self.position = position
        self.message = message
        self.resume = resume


class TooDeepError(Exception):
    """Constructs nest deeper than the parser follows."""

    def __init__(self, position: int) -> None:
        """Keep where the limit was reached."""
        super().__init__(position)
        self.position = position


class Readers(NamedTuple):
    """Parts of the grammar that modules below theirs come back to."""

    read_list: Callable[[Scanner, frozenset[str]], List]
    read_here_documents: Callable[[Scanner], None]
    read_substitution: Callable[[Scanner], WordPart]


class Scanner:
    """The state of one parse: a text, the part of it being read (`pos` to `limit`), and the current token.

    `tok` is the token's kind: an operator or newline stands for itself, `WORD`, `REDIRECTION`, `DESCRIPTOR`, or
    `EOF_TOKEN`. `tok_text` is the text of a redirection operator, a descriptor or a plain literal word, and
    empty for a word that needs the word parser.
    """

    __slots__ = (
        "bracket_ends",
        "comments",
        "depth",
        "is_nested",
        "issues",
        "limit",
        "match_token",
        "opened",
        "pending",
        "pos",
        "read_here_documents",
        "read_list",
        "read_substitution",
        "readers",
        "searches_to_end",
        "strings",
        "substitutions",
        "text",
        "tok",
        "tok_end",
        "tok_start",
        "tok_text",
        "torn_quotes",
        "unended_quote",
        "unmatched",
    )

    def __init__(
        self,
        text: str,
        readers: Readers,
        *,
        is_nested: bool = False,
    ) -> None:
        """Start before the first token; call `advance` to read it. A nested text isn't a file, but a part of one."""
        self.text = text
        self.readers = readers
        self.read_list = readers.read_list
        self.read_here_documents = readers.read_here_documents
        self.read_substitution = readers.read_substitution
        self.pos = 0
        self.limit = len(text)
        self.tok = EOF_TOKEN
        self.tok_text = ""
        self.tok_start = 0
        self.tok_end = 0
        self.depth = 0
        self.pending: list[PendingHereDocument] = []
        self.comments: list[Comment] = []
        self.issues: list[SyntaxIssue] = []
        # Constructs that are open here, outermost first: (keyword, offset, what closes it).
        self.opened: list[tuple[str, int, frozenset[str]]] = []
        self.bracket_ends: dict[int, int] = {}
        # One byte per character, not 0 for the brackets that close nowhere; empty before one was found.
        self.unmatched = bytearray()
        # Command substitutions that were parsed while looking for the end of what they are in.
        self.substitutions: dict[int, WordPart] = {}
        self.searches_to_end = 0
        # Double quotes over several lines, at whose end a word goes on: perhaps another one begins there.
        self.torn_quotes: list[int] = []
        # One of those, to be read as if it were never closed.
        self.unended_quote = -1
        # Words and names that were read; see `shared`.
        self.strings: dict[str, str] = {}
        self.is_nested = is_nested
        # Compiled where it is needed, which is seldom; `re` remembers it.
        nested = re.compile(_ONE_PIECE.replace("LAST", r"\Z"), re.VERBOSE | re.DOTALL) if is_nested else None
        self.match_token = (nested or _TOKEN).match

    def advance(self) -> None:
        """Read the next token at `pos`; comments are kept aside, here-documents are read after a newline."""
        while True:
            found = self.match_token(self.text, self.pos, self.limit)
            if found is None:
                self.tok = EOF_TOKEN
                self.tok_text = ""
                self.tok_start = self.tok_end = self.pos = self.limit
                return
            group = found.lastindex or 0
            start, end = found.span(group)
            if group == _COMMENT_GROUP:
                self.comments.append(Comment(start, end))
                self.pos = end
                continue
            break
        self.tok_start = start
        self.tok_end = self.pos = end
        if group == _WORD_GROUP:
            self.tok = WORD
            self.tok_text = self.shared(found.group(group))
        elif group == _NEWLINE_GROUP:
            self.tok = NEWLINE
            self.tok_text = ""
            if self.pending:
                self.read_here_documents(self)
        elif group == _OPERATOR_GROUP:
            self.tok = found.group(group)
            self.tok_text = ""
        elif group == _REDIRECTION_GROUP:
            self.tok = REDIRECTION
            self.tok_text = found.group(group)
        elif group == _DESCRIPTOR_GROUP:
            self.tok = DESCRIPTOR
            self.tok_text = found.group(group)
        elif self.joins_nothing(start):
            self.tok = EOF_TOKEN
            self.tok_text = ""
            self.tok_start = self.tok_end = self.pos = self.limit
        else:
            self.tok = WORD
            self.tok_text = ""
            self.tok_end = self.pos = start

    def shared(self, text: str) -> str:
        """The same text, as the object that it was when it was last read: equal words then take no memory."""
        strings = self.strings
        if len(strings) > _MOST_SHARED:
            strings.clear()
        return strings.setdefault(text, text)

    def joins_nothing(self, position: int) -> bool:
        """Whether the backslash that ends a file is here: bash, which adds the missing newline, drops both."""
        return position + 1 == len(self.text) and self.text[position] == "\\" and not self.is_nested

    def skip_newlines(self) -> None:
        """Go to the next token that isn't a newline."""
        while self.tok == NEWLINE:
            self.advance()

    def key(self) -> str:
        """The token as closers are named: a reserved word's text, or the operator itself."""
        return self.tok_text if self.tok == WORD else self.tok

    def shown(self) -> str:
        """The current token as a message names it."""
        if self.tok == EOF_TOKEN:
            return "the end of the script" if self.limit == len(self.text) else "the end of the text here"
        if self.tok == NEWLINE:
            return "a newline"
        if self.tok == WORD and not self.tok_text:
            line = self.text[self.tok_start : self.tok_start + 20].split("\n")[0]
            return f"`{line}`"
        return f"`{self.text[self.tok_start : self.tok_end]}`"

    def enter(self, frames: int, position: int) -> None:
        """Count `frames` more Python frames; raises TooDeepError past the limit."""
        self.depth += frames
        if self.depth > MAX_DEPTH:
            raise TooDeepError(position)

    def is_wanted_outside(self, key: str) -> bool:
        """Whether an enclosing construct is closed by this token."""
        return any(key in closers for _, _, closers in self.opened)

    def record(self, position: int, message: str, skipped_to: int | None = None) -> None:
        """Note an issue; a second one at the same place adds nothing."""
        if self.issues and self.issues[-1].start == position and not self.issues[-1].deferred:
            return
        opened = tuple((keyword, offset) for keyword, offset, _ in reversed(self.opened))
        end = max(position, self.tok_end if self.tok_start == position else position)
        skipped = Span(position, max(position, skipped_to if skipped_to is not None else position))
        self.issues.append(SyntaxIssue(position, end, message, opened, skipped))

    def fail_unterminated(self, what: str, start: int) -> SyntaxFailureError:
        """Make the failure for a quote or bracket whose end is nowhere; parsing resumes on the next line."""
        self.searches_to_end += 1
        newline = self.text.find("\n", start, self.limit)
        resume = newline if newline >= 0 and self.searches_to_end <= MAX_SEARCHES_TO_END else self.limit
        return SyntaxFailureError(start, f"this {what} is never closed", resume)
