"""Redirections, on simple and compound commands alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shellguard.syntax.heredocs import await_here_document, note_too_many
from shellguard.syntax.nodes import Redirection, Word
from shellguard.syntax.scanner import DESCRIPTOR, NEWLINE, REDIRECTION, WORD, SyntaxFailureError
from shellguard.syntax.words import take_word

if TYPE_CHECKING:
    from shellguard.syntax.scanner import Scanner

_CLOSING: Final = re.compile(r"(?:[ \t]|\\\n)*-")


def read_redirection(scanner: Scanner) -> Redirection:
    """redirection: [descriptor] operator word"""
    start, descriptor = scanner.tok_start, ""
    if scanner.tok == DESCRIPTOR:
        descriptor = scanner.tok_text
        scanner.advance()
    operator = scanner.tok_text
    if operator in {">&", "<&"} and _CLOSING.match(scanner.text, scanner.tok_end, scanner.limit):
        return _read_closing(scanner, start, descriptor, operator)
    scanner.advance()
    if scanner.tok != WORD:
        if scanner.tok == DESCRIPTOR and operator in {">&", "<&"}:
            return _read_descriptor_target(scanner, start, descriptor, operator)
        raise SyntaxFailureError(scanner.tok_start, f"expected a word after `{operator}`, found {scanner.shown()}")
    if operator in {"<<", "<<-"}:
        note_too_many(scanner, start)
    target = take_word(scanner)
    redirection = Redirection(start, target.end, descriptor, operator, target)
    if operator in {"<<", "<<-"}:
        await_here_document(scanner, redirection)
        # The newline token that ends this line may already have been read while looking past the delimiter.
        if scanner.tok == NEWLINE:
            scanner.read_here_documents(scanner)
    return redirection


def _read_closing(scanner: Scanner, start: int, descriptor: str, operator: str) -> Redirection:
    """Read `>&-`, whose `-` is a token of its own to bash: in `>&-a` a word follows."""
    first = scanner.text.index("-", scanner.tok_end)
    target = Word(first, first + 1, None, "-")
    scanner.pos = first + 1
    scanner.advance()
    return Redirection(start, first + 1, descriptor, operator, target)


def _read_descriptor_target(scanner: Scanner, start: int, descriptor: str, operator: str) -> Redirection:
    """Read `>&2` where another redirection follows at once, as in `>&2>file`."""
    first, end, text = scanner.tok_start, scanner.tok_end, scanner.tok_text
    scanner.advance()
    target = Word(first, end, None, text)
    return Redirection(start, end, descriptor, operator, target)


def read_redirections(scanner: Scanner) -> tuple[Redirection, ...]:
    """Read the redirections that follow a compound command."""
    redirections: list[Redirection] = []
    while scanner.tok in {REDIRECTION, DESCRIPTOR}:
        redirections.append(read_redirection(scanner))
    if redirections and scanner.tok == WORD:
        # After the word of a redirection, bash knows no reserved words: `{ (a) >b }` isn't closed.
        scanner.record(scanner.tok_start, f"expected `;` or a newline, found {scanner.shown()}")
    return tuple(redirections)
