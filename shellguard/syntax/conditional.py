"""`[[ … ]]`: words and operators by rules of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shellguard.syntax.nodes import (
    ConditionalAndOr,
    ConditionalBinary,
    ConditionalCommand,
    ConditionalGroup,
    ConditionalNot,
    ConditionalUnary,
    ConditionalWord,
)
from shellguard.syntax.redirections import read_redirections
from shellguard.syntax.scanner import REDIRECTION, WORD, SyntaxFailureError
from shellguard.syntax.words import read_regex_word, take_word

if TYPE_CHECKING:
    from shellguard.syntax.nodes import ConditionalExpression
    from shellguard.syntax.scanner import Scanner

_FRAMES: Final = 7
_CLOSERS: Final = frozenset({"]]"})
_UNARY: Final = frozenset(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY: Final = frozenset(
    {"=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "<", ">"}
)


def read_conditional(scanner: Scanner) -> ConditionalCommand:
    """cond_command: '[[' expression ']]'"""
    start = scanner.tok_start
    scanner.enter(_FRAMES, start)
    scanner.opened.append(("[[", start, _CLOSERS))
    scanner.advance()
    expression = _read_or(scanner)
    if scanner.key() != "]]":
        raise SyntaxFailureError(scanner.tok_start, f"expected `]]` or an operator, found {scanner.shown()}")
    end = scanner.tok_end
    scanner.advance()
    scanner.opened.pop()
    scanner.depth -= _FRAMES
    redirections = read_redirections(scanner)
    return ConditionalCommand(start, redirections[-1].end if redirections else end, expression, redirections)


def _read_or(scanner: Scanner) -> ConditionalExpression:
    """expression: and_expression ('||' and_expression)*"""
    left = _read_and(scanner)
    while scanner.tok == "||":
        scanner.advance()
        right = _read_and(scanner)
        left = ConditionalAndOr(left.start, right.end, "||", left, right)
    return left


def _read_and(scanner: Scanner) -> ConditionalExpression:
    """and_expression: term ('&&' term)*"""
    left = _read_term(scanner)
    while scanner.tok == "&&":
        scanner.advance()
        right = _read_term(scanner)
        left = ConditionalAndOr(left.start, right.end, "&&", left, right)
    return left


def _read_term(scanner: Scanner) -> ConditionalExpression:
    """term: '(' expression ')' | '!' term | unary word | word [binary word]"""
    scanner.skip_newlines()
    start = scanner.tok_start
    if scanner.tok == "(":
        scanner.enter(_FRAMES, start)
        scanner.advance()
        inner = _read_or(scanner)
        if scanner.tok != ")":
            raise SyntaxFailureError(scanner.tok_start, f"expected `)` in `[[`, found {scanner.shown()}")
        end = scanner.tok_end
        scanner.advance()
        scanner.skip_newlines()
        scanner.depth -= _FRAMES
        return ConditionalGroup(start, end, inner)
    if scanner.tok != WORD or scanner.tok_text == "]]":
        raise SyntaxFailureError(start, f"expected an expression in `[[`, found {scanner.shown()}")
    if scanner.tok_text == "!":
        scanner.enter(_FRAMES, start)
        scanner.advance()
        operand = _read_term(scanner)
        scanner.depth -= _FRAMES
        return ConditionalNot(start, operand.end, operand)
    return _read_test(scanner)


def _read_test(scanner: Scanner) -> ConditionalExpression:
    """test: unary word | word [binary word]"""
    unary = scanner.tok_text in _UNARY
    first = take_word(scanner)
    if unary and first.literal is not None:
        _expect_word(scanner, first.literal)
        operand = take_word(scanner)
        scanner.skip_newlines()
        return ConditionalUnary(first.start, operand.end, first.literal, operand)
    operator = scanner.tok_text if scanner.tok in {WORD, REDIRECTION} else ""
    if scanner.tok == WORD and scanner.text.startswith("=~(", scanner.tok_start, scanner.limit):
        # The parenthesis begins another token.
        operator = "=~"
        scanner.pos = scanner.tok_start + len(operator)
    if operator not in _BINARY:
        # Bash skips newlines after every other kind of term (cond_term in its parse.y).
        return ConditionalWord(first.start, first.end, first)
    scanner.advance()
    if operator == "=~":
        scanner.pos = scanner.tok_start
        right = read_regex_word(scanner)
        scanner.advance()
    else:
        _expect_word(scanner, operator)
        right = take_word(scanner)
    scanner.skip_newlines()
    return ConditionalBinary(first.start, right.end, operator, first, right)


def _expect_word(scanner: Scanner, operator: str) -> None:
    """Raise where no operand follows an operator; `]]` can't be one."""
    if scanner.tok != WORD or scanner.tok_text == "]]":
        raise SyntaxFailureError(scanner.tok_start, f"expected a word after `{operator}`, found {scanner.shown()}")
