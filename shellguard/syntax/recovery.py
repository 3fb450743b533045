"""Going on after a command that could not be parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shellguard.syntax.scanner import EOF_TOKEN, NEWLINE, WORD, SyntaxFailureError

if TYPE_CHECKING:
    from shellguard.syntax.scanner import Scanner

RESERVED_CLOSERS: Final = frozenset({"then", "do", "done", "fi", "else", "elif", "esac", "}"})
OPERATOR_CLOSERS: Final = frozenset({")", ";;", ";&", ";;&"})
# At least one character: trying again at each of a long word's would take quadratic time.
_UP_TO_SPECIAL: Final = re.compile(r".[^\s;&|()<>$`'\"\\\[\]{}*?!#]*", re.DOTALL)


def recover(scanner: Scanner, failure: SyntaxFailureError, start: int) -> None:
    """Go on after a command that couldn't be parsed: at the next separator, or where the failure says."""
    if failure.resume is not None:
        scanner.pending = []
        scanner.pos = max(failure.resume, start)
        scanner.advance()
        if scanner.tok_start <= start and scanner.tok != EOF_TOKEN:
            scanner.pos = scanner.limit
            scanner.advance()
    else:
        if scanner.tok_start <= start:
            _skip_token(scanner)
        skip_to_separator(scanner)
    _note_skipped(scanner, scanner.tok_start)
    skip_separator(scanner)


def skip_separator(scanner: Scanner) -> None:
    """Skip the `;` or `&` that would end a command, where there was none."""
    if scanner.tok in {";", "&"}:
        scanner.advance()


def _note_skipped(scanner: Scanner, end: int) -> None:
    """Extend the last issue to say which text is in no node."""
    if not scanner.issues:
        return
    issue = scanner.issues[-1]
    if end > issue.skipped.end:
        scanner.issues.pop()
        message = issue.message
        position = issue.start
        scanner.record(position, message, end)


def skip_to_separator(scanner: Scanner) -> None:
    """Skip tokens up to a separator or a keyword that closes something."""
    while True:
        tok = scanner.tok
        if tok in {EOF_TOKEN, NEWLINE, ";", "&"} or (tok == WORD and scanner.tok_text in RESERVED_CLOSERS):
            return
        if tok in OPERATOR_CLOSERS and scanner.is_wanted_outside(tok):
            return
        _skip_token(scanner)


def _skip_token(scanner: Scanner) -> None:
    """Skip one token; of a word that needs the word parser, what stands before its next quote or expansion."""
    if scanner.tok == WORD and not scanner.tok_text:
        found = _UP_TO_SPECIAL.match(scanner.text, scanner.tok_start, scanner.limit)
        scanner.pos = found.end() if found is not None else scanner.limit
    scanner.advance()
