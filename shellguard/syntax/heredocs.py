"""Here-documents: their bodies are read when the line of their operator ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from shellguard.source import Span
from shellguard.syntax.expansions import read_expanded_text
from shellguard.syntax.nodes import DoubleQuoted, HereDocument, Literal, Redirection, SingleQuoted
from shellguard.syntax.remap import read_stripped
from shellguard.syntax.scanner import MAX_SEARCHES_TO_END

if TYPE_CHECKING:
    from shellguard.syntax.nodes import Word, WordPart
    from shellguard.syntax.scanner import Scanner

_JOINT: Final = r"(?:\\\n)*+"
_SUBSTITUTIONS: Final = frozenset({"$(", "<(", ">("})
# HEREDOC_MAX in bash's parse.y.
_MOST_PENDING: Final = 16


class PendingHereDocument(NamedTuple):
    """A `<<` whose body hasn't been reached yet."""

    redirection: Redirection
    delimiter: str
    quoted: bool
    strip_tabs: bool


def note_too_many(scanner: Scanner, start: int) -> None:
    """Note that a here-document is one too many, if it is."""
    if len(scanner.pending) >= _MOST_PENDING:
        scanner.record(start, f"bash takes no more than {_MOST_PENDING} here-documents at once")


def await_here_document(scanner: Scanner, redirection: Redirection) -> None:
    """Note that the body of this `<<` or `<<-` follows on the next line."""
    target = redirection.target
    quoted = any(not isinstance(part, Literal) for part in target.parts) and _is_quoted(target)
    delimiter = target.literal
    if delimiter is None:
        # Expansions in a delimiter aren't performed: `<<$EOF` waits for a line `$EOF`.
        delimiter = scanner.text[target.start : target.end]
    strip_tabs = redirection.operator == "<<-"
    scanner.pending.append(PendingHereDocument(redirection, delimiter, quoted, strip_tabs))


def _is_quoted(word: Word) -> bool:
    """Whether any character of a delimiter is quoted."""
    return word.literal is not None or any(isinstance(part, (SingleQuoted, DoubleQuoted)) for part in word.parts)


def read_here_documents(scanner: Scanner) -> None:
    """Read the bodies of all pending here-documents at `pos`, and go on after the last delimiter line."""
    token = (scanner.tok, scanner.tok_text, scanner.tok_start, scanner.tok_end)
    pending, scanner.pending = scanner.pending, []
    for here in pending:
        _read_body(scanner, here)
    scanner.tok, scanner.tok_text, scanner.tok_start, scanner.tok_end = token


def _read_body(scanner: Scanner, here: PendingHereDocument) -> None:
    """Read one body and hang it on its redirection."""
    start = scanner.pos
    end, line_end, terminated = _find_end(scanner, here, start)
    read = _read_literal if here.quoted else _read_expanded
    parts = read_stripped(scanner, start, end, read) if here.strip_tabs else read(scanner, start, end)
    delimiter_line = Span(end, line_end) if terminated else Span(end, end)
    document = HereDocument(start, end, here.delimiter, here.quoted, here.strip_tabs, parts, delimiter_line, terminated)
    # The redirection was made before its body could be read.
    object.__setattr__(here.redirection, "here_document", document)
    has_newline = scanner.text.startswith("\n", line_end) and line_end < scanner.limit
    scanner.pos = line_end + 1 if has_newline else line_end


def _read_literal(scanner: Scanner, start: int, end: int) -> tuple[WordPart, ...]:
    """Read the body after a quoted delimiter."""
    return (Literal(start, end, scanner.text[start:end]),) if end > start else ()


def _read_expanded(scanner: Scanner, start: int, end: int) -> tuple[WordPart, ...]:
    """Read the body after an unquoted delimiter."""
    return read_expanded_text(scanner, start, end, "$`\\")


def _find_end(scanner: Scanner, here: PendingHereDocument, start: int) -> tuple[int, int, bool]:
    """Return where the body ends, where its delimiter ends, and whether there is one.

    In an unquoted body a line that ends in a backslash is joined with the next, which then can't be the
    delimiter. Inside a command substitution bash also takes a line as the end that begins with the delimiter
    and holds a `)`, such as `EOF)` (make_here_document in make_cmd.c).
    """
    text, limit = scanner.text, scanner.limit
    if scanner.searches_to_end <= MAX_SEARCHES_TO_END and "\n" not in here.delimiter:
        pattern = _delimiter_pattern(scanner, here)
        found = pattern.search(text, start, limit)
        if not here.quoted and text.find("\\\n", start, limit if found is None else found.end()) >= 0:
            # Bash joins lines before it looks for the delimiter, which may itself be in two of them.
            pattern = _delimiter_pattern(scanner, here, joint=_JOINT)
            found = pattern.search(text, start, limit)
        while found is not None:
            line = found.start()
            if here.quoted or line == start or not _ends_in_odd_backslashes(text, start, line - 1):
                return line, found.end(), True
            found = pattern.search(text, line + 1, limit)
        scanner.searches_to_end += 1
    return limit, limit, False


def _delimiter_pattern(scanner: Scanner, here: PendingHereDocument, *, joint: str = "") -> re.Pattern[str]:
    """Return what the delimiter line looks like; `joint` is what may stand between its characters."""
    tabs = r"(?:\t|\\\n)*+" if joint and here.strip_tabs else r"\t*" if here.strip_tabs else joint
    delimiter = joint.join(map(re.escape, here.delimiter)) if joint else re.escape(here.delimiter)
    in_substitution = any(keyword in _SUBSTITUTIONS for keyword, _, _ in scanner.opened)
    end = r"(?=\n|\Z|[^\n]*\))" if in_substitution else r"(?=\n|\Z)"
    # Joined lines are looked at from their first one on, or many of them would take time that grows with their square.
    first = r"^(?<!(?<!\\)\\\n)" if joint else "^"
    return re.compile(f"{first}{tabs}{delimiter}{end}", re.MULTILINE)


def _ends_in_odd_backslashes(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` ends in an unescaped backslash."""
    count = 0
    while end - count - 1 >= start and text[end - count - 1] == "\\":
        count += 1
    return count % 2 == 1
