"""Compound commands: groups, conditions, loops, `case`, `[[ ]]`, `(( ))`, functions with the keyword, coproc."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shellguard.syntax.conditional import read_conditional
from shellguard.syntax.expansions import CLOSE_BRACE, CLOSE_PAREN, read_arithmetic_expression
from shellguard.syntax.nodes import (
    ArithmeticCommand,
    ArithmeticExpression,
    ArithmeticFor,
    BraceGroup,
    CaseClause,
    CaseItem,
    ForLoop,
    IfBranch,
    IfClause,
    List,
    Literal,
    Subshell,
    WhileLoop,
)
from shellguard.syntax.parens import NOT_ARITHMETIC, UNMATCHED, arithmetic_end
from shellguard.syntax.recovery import recover
from shellguard.syntax.redirections import read_redirections
from shellguard.syntax.scanner import EOF_TOKEN, NEWLINE, WORD, SyntaxFailureError
from shellguard.syntax.words import take_word

if TYPE_CHECKING:
    from collections.abc import Callable

    from shellguard.syntax.nodes import CompoundCommand, Redirection, Word, WordPart
    from shellguard.syntax.scanner import Scanner

# An opener in text is one whose end wasn't found: what follows is part of it.
_ARITHMETIC_SEPARATOR: Final = re.compile(r"[;'\"]|\$[{(\[]|`")

# Python frames that one level of nesting costs (see scanner.MAX_DEPTH).
_FRAMES: Final = 8

_THEN: Final = frozenset({"then"})
_BRANCH_ENDS: Final = frozenset({"elif", "else", "fi"})
_FI: Final = frozenset({"fi"})
_DO: Final = frozenset({"do"})
_DONE: Final = frozenset({"done"})
_ITEM_ENDS: Final = frozenset({";;", ";&", ";;&", "esac"})
_ESAC: Final = frozenset({"esac"})


def read_body(scanner: Scanner, closers: frozenset[str], after: str) -> List:
    """Read a list that bash doesn't let be empty, such as what stands between `then` and `fi`."""
    scanner.advance()
    body = scanner.read_list(scanner, closers)
    if not body.commands and scanner.key() in closers:
        scanner.record(scanner.tok_start, f"expected a command after `{after}`, found {scanner.shown()}")
    return body


def _open(scanner: Scanner, keyword: str, closers: frozenset[str]) -> int:
    """Note that a construct begins at the current token; returns its offset."""
    start = scanner.tok_start
    scanner.enter(_FRAMES, start)
    scanner.opened.append((keyword, start, closers))
    return start


def _close(scanner: Scanner, closer: str) -> int:
    """Read the closer where it is there, and return where the construct ends."""
    scanner.opened.pop()
    scanner.depth -= _FRAMES
    if scanner.key() != closer:
        return scanner.tok_start
    end = scanner.tok_end
    scanner.advance()
    return end


def read_parenthesised(scanner: Scanner) -> CompoundCommand:
    """subshell: '(' list ')', or arith_command: '((' expression '))'"""
    if scanner.text.startswith("((", scanner.tok_start):
        end = arithmetic_end(scanner, scanner.tok_start)
        if end == UNMATCHED:
            raise scanner.fail_unterminated("`((`", scanner.tok_start)
        if end != NOT_ARITHMETIC:
            return _read_arithmetic_command(scanner, end)
    start = _open(scanner, "(", CLOSE_PAREN)
    body = read_body(scanner, CLOSE_PAREN, "(")
    end = _close(scanner, ")")
    redirections = read_redirections(scanner)
    return Subshell(start, _end(end, redirections), body, redirections)


def _end(end: int, redirections: tuple[Redirection, ...]) -> int:
    """Return where a command ends, its redirections included."""
    return redirections[-1].end if redirections else end


def _read_arithmetic_command(scanner: Scanner, end: int) -> ArithmeticCommand:
    """arith_command: '((' expression '))'"""
    start = scanner.tok_start
    expression = read_arithmetic_expression(scanner, start + 2, end)
    scanner.pos = end + 2
    scanner.advance()
    redirections = read_redirections(scanner)
    return ArithmeticCommand(start, _end(end + 2, redirections), expression, redirections)


def _read_brace_group(scanner: Scanner) -> BraceGroup:
    """brace_group: '{' list '}'"""
    start = _open(scanner, "{", CLOSE_BRACE)
    body = read_body(scanner, CLOSE_BRACE, "{")
    end = _close(scanner, "}")
    redirections = read_redirections(scanner)
    return BraceGroup(start, _end(end, redirections), body, redirections)


def _read_if(scanner: Scanner) -> IfClause:
    """if_clause: 'if' list 'then' list ('elif' list 'then' list)* ['else' list] 'fi'"""
    start = _open(scanner, "if", _BRANCH_ENDS | _THEN)
    branches = []
    keyword = "if"
    while scanner.key() == keyword:
        branches.append(_read_branch(scanner, keyword))
        keyword = "elif"
    else_body = None
    if scanner.key() == "else":
        else_body = read_body(scanner, _FI, "else")
    end = _close(scanner, "fi")
    redirections = read_redirections(scanner)
    return IfClause(start, _end(end, redirections), tuple(branches), else_body, redirections)


def _read_branch(scanner: Scanner, keyword: str) -> IfBranch:
    """if_branch: ('if' | 'elif') list 'then' list"""
    start = scanner.tok_start
    condition = read_body(scanner, _THEN, keyword)
    if scanner.key() == "then":
        body = read_body(scanner, _BRANCH_ENDS, "then")
    else:
        body = List(scanner.tok_start, scanner.tok_start, ())
    return IfBranch(start, max(condition.end, body.end), condition, body)


def _read_while(scanner: Scanner) -> WhileLoop:
    """while_clause: ('while' | 'until') list 'do' list 'done'"""
    keyword = scanner.tok_text
    start = _open(scanner, keyword, _DO | _DONE)
    condition = read_body(scanner, _DO, keyword)
    body = _read_loop_body(scanner)
    end = _close(scanner, "done")
    redirections = read_redirections(scanner)
    return WhileLoop(start, _end(end, redirections), condition, body, keyword == "until", redirections)


def _read_loop_body(scanner: Scanner) -> List:
    """do_group: 'do' list 'done'; 'done' stays unread."""
    if scanner.key() != "do":
        scanner.record(scanner.tok_start, f"expected `do`, found {scanner.shown()}")
        # Either `do` was forgotten, or it comes after something that doesn't belong there.
        before = scanner.read_list(scanner, _DO | _DONE)
        if scanner.key() != "do":
            return before
    return read_body(scanner, _DONE, "do")


def _read_for(scanner: Scanner) -> CompoundCommand:
    """for_clause: ('for' | 'select') name [newline* 'in' word*] separator (do_group | brace_group)"""
    keyword = scanner.tok_text
    start = _open(scanner, keyword, _DO | _DONE)
    scanner.advance()
    if keyword == "for" and scanner.tok == "(" and scanner.text.startswith("((", scanner.tok_start):
        return _read_arithmetic_for(scanner, start)
    if scanner.tok != WORD:
        raise SyntaxFailureError(scanner.tok_start, f"expected a name after `{keyword}`, found {scanner.shown()}")
    name = take_word(scanner)
    if scanner.key() == "{":
        # Reserved only after a separator, unlike `do` and `in`.
        raise SyntaxFailureError(scanner.tok_start, f"expected `in`, `do` or `;` after `{keyword}`, found `{{`")
    scanner.skip_newlines()
    words = _read_for_words(scanner) if scanner.key() == "in" else None
    body, end = _read_for_body(scanner)
    redirections = read_redirections(scanner)
    variable = scanner.text[name.start : name.end]
    return ForLoop(start, _end(end, redirections), variable, words, body, keyword == "select", redirections)


def _read_for_words(scanner: Scanner) -> tuple[Word, ...]:
    """Read the words after `in`; reserved words are ordinary among them."""
    scanner.advance()
    words = []
    while scanner.tok == WORD:
        words.append(take_word(scanner))
    if scanner.tok not in {";", NEWLINE, EOF_TOKEN}:
        raise SyntaxFailureError(scanner.tok_start, f"expected a word or `;`, found {scanner.shown()}")
    return tuple(words)


def _read_for_body(scanner: Scanner) -> tuple[List, int]:
    """Read the separator and the body of a `for`, which may be in braces; returns it and the loop's end."""
    if scanner.tok == ";":
        scanner.advance()
    scanner.skip_newlines()
    if scanner.key() == "{":
        body = read_body(scanner, CLOSE_BRACE, "{")
        return body, _close(scanner, "}")
    body = _read_loop_body(scanner)
    return body, _close(scanner, "done")


def _read_arithmetic_for(scanner: Scanner, start: int) -> ArithmeticFor:
    """arith_for: 'for' '((' expression ';' expression ';' expression '))' separator body"""
    first = scanner.tok_start + 2
    end = arithmetic_end(scanner, scanner.tok_start)
    if end == UNMATCHED:
        raise scanner.fail_unterminated("`((`", scanner.tok_start)
    if end == NOT_ARITHMETIC:
        raise SyntaxFailureError(first - 2, "expected `))` at the end of `for ((`")
    parts = _split_expressions(read_arithmetic_expression(scanner, first, end))
    if len(parts) != 3:
        scanner.record(first, "expected three expressions separated by `;` in `for ((`")
        parts = [*parts, *(ArithmeticExpression(end, end, ()) for _ in range(3))]
    scanner.pos = end + 2
    scanner.advance()
    body, end = _read_for_body(scanner)
    redirections = read_redirections(scanner)
    return ArithmeticFor(start, _end(end, redirections), parts[0], parts[1], parts[2], body, redirections)


def _split_expressions(whole: ArithmeticExpression) -> list[ArithmeticExpression]:
    """Split the inside of `for (( ))` at the semicolons that are neither quoted nor part of an expansion."""
    expressions = []
    start, quote = whole.start, ""
    parts: list[WordPart] = []
    for part in whole.parts:
        if not isinstance(part, Literal):
            parts.append(part)
            continue
        first = 0
        for found in _ARITHMETIC_SEPARATOR.finditer(part.value):
            char = found.group()
            if char[0] in "$`":
                break
            if char == ";" and not quote:
                _append_piece(parts, part, first, found.start())
                expressions.append(ArithmeticExpression(start, part.start + found.start(), tuple(parts)))
                first = found.end()
                start, parts = part.start + first, []
            elif char != ";" and quote in {"", char}:
                quote = "" if quote else char
        _append_piece(parts, part, first, len(part.value))
    expressions.append(ArithmeticExpression(start, whole.end, tuple(parts)))
    return expressions


def _append_piece(parts: list[WordPart], literal: Literal, first: int, end: int) -> None:
    """Append a piece of a literal, unless it is empty."""
    if end > first:
        parts.append(Literal(literal.start + first, literal.start + end, literal.value[first:end]))


def _read_case(scanner: Scanner) -> CaseClause:
    """case_clause: 'case' word newline* 'in' newline* case_item* 'esac'"""
    start = _open(scanner, "case", _ITEM_ENDS)
    scanner.advance()
    if scanner.tok != WORD:
        raise SyntaxFailureError(scanner.tok_start, f"expected a word after `case`, found {scanner.shown()}")
    word = take_word(scanner)
    scanner.skip_newlines()
    if scanner.key() != "in":
        raise SyntaxFailureError(scanner.tok_start, f"expected `in` after `case`, found {scanner.shown()}")
    scanner.advance()
    items = []
    while True:
        scanner.skip_newlines()
        if scanner.key() == "esac" or not _starts_item(scanner):
            break
        item = _read_case_item_or_skip(scanner)
        if item is not None:
            items.append(item)
    end = _close(scanner, "esac")
    redirections = read_redirections(scanner)
    return CaseClause(start, _end(end, redirections), word, tuple(items), redirections)


def _starts_item(scanner: Scanner) -> bool:
    """Whether a pattern may begin here; notes what is wrong where none may."""
    if scanner.tok in {WORD, "("}:
        return True
    scanner.record(scanner.tok_start, f"expected a pattern or `esac`, found {scanner.shown()}")
    return False


def _read_case_item_or_skip(scanner: Scanner) -> CaseItem | None:
    """Read an item, or note what is wrong with its pattern and go on after its `;;`."""
    depth, opened, start = scanner.depth, len(scanner.opened), scanner.tok_start
    try:
        return _read_case_item(scanner)
    except SyntaxFailureError as failure:
        scanner.record(failure.position, failure.message)
        scanner.depth = depth
        del scanner.opened[opened:]
        recover(scanner, failure, start)
        scanner.read_list(scanner, _ITEM_ENDS)
        if scanner.tok in _ITEM_ENDS:
            scanner.advance()
        return None


def _read_case_item(scanner: Scanner) -> CaseItem:
    """case_item: ['('] word ('|' word)* ')' list [';;' | ';&' | ';;&']"""
    start = scanner.tok_start
    if scanner.tok == "(":
        scanner.advance()
    patterns = [_read_pattern(scanner)]
    while scanner.tok == "|":
        scanner.advance()
        patterns.append(_read_pattern(scanner))
    if scanner.tok != ")":
        raise SyntaxFailureError(scanner.tok_start, f"expected `)` after the pattern, found {scanner.shown()}")
    end = scanner.tok_end
    scanner.advance()
    body = scanner.read_list(scanner, _ITEM_ENDS)
    terminator = ""
    if scanner.tok in _ITEM_ENDS:
        terminator = scanner.tok
        end = scanner.tok_end
        scanner.advance()
    return CaseItem(start, max(end, body.end), tuple(patterns), body, terminator)


def _read_pattern(scanner: Scanner) -> Word:
    """Read one pattern of a case item."""
    if scanner.tok != WORD:
        raise SyntaxFailureError(scanner.tok_start, f"expected a pattern, found {scanner.shown()}")
    return take_word(scanner)


COMPOUND_READERS: Final[dict[str, Callable[[Scanner], CompoundCommand]]] = {
    "{": _read_brace_group,
    "if": _read_if,
    "while": _read_while,
    "until": _read_while,
    "for": _read_for,
    "select": _read_for,
    "case": _read_case,
    "[[": read_conditional,
}
