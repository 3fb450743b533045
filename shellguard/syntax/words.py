"""Words outside quotes: literals, globs, and everything they can be joined to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shellguard.syntax.assembly import make_word
from shellguard.syntax.expansions import (
    read_backtick,
    read_dollar,
    read_double_quoted,
    read_process_substitution,
    read_subscript,
)
from shellguard.syntax.nodes import (
    ArrayElement,
    ArrayLiteral,
    Escape,
    ExtendedGlob,
    Glob,
    Literal,
    Word,
)
from shellguard.syntax.quotes import read_single_quoted
from shellguard.syntax.scanner import NEWLINE, WORD, SyntaxFailureError

if TYPE_CHECKING:
    from shellguard.syntax.nodes import WordPart
    from shellguard.syntax.scanner import Scanner

_CHUNK: Final = re.compile(r"""[^ \t\n;&|()<>'"`$\\*?\[@!+]+""")
_BRACKET: Final = re.compile(r"""\[[!^]?\]?(?:\[:[a-z]+:\]|[^]\s'"`$\\;&|()<>/[]|\\.)*\]""")
_ARRAY_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^]\n]*\])?\+?=\Z")
_GLOB_PREFIX: Final = frozenset("?*+@!")
# `name+() {` defines a function whose name ends in `+`, where extglob is off; as a glob it would match nothing.
GLOB_FUNCTION: Final = re.compile(r"[?*+@!]\(\)\s*(?:\(|\{\s|\[\[|(?:if|while|until|for|select|case)\s)")
_GLOB_FRAMES: Final = 6
_ARRAY_FRAMES: Final = 7


def take_word(scanner: Scanner, *, arrays: bool = False) -> Word:
    """Return the word that the current token starts, and read the token after it.

    With `arrays`, `name=(…)` is one word, as it is for the declaration builtins.
    """
    if scanner.tok_text:
        start, end = scanner.tok_start, scanner.tok_end
        text = scanner.tok_text
        word = Word(start, end, None, text)
    else:
        scanner.pos = scanner.tok_start
        word = read_word(scanner, arrays=arrays)
    scanner.advance()
    return word


def read_word(scanner: Scanner, *, arrays: bool = False) -> Word:
    """Read a word at `pos`."""
    start = scanner.pos
    parts: list[WordPart] = []
    read_word_parts(scanner, parts, start, arrays=arrays)
    if scanner.pos == start:
        raise SyntaxFailureError(start, f"expected a word, found {scanner.shown()}")
    return make_word(start, scanner.pos, parts)


def read_word_parts(scanner: Scanner, parts: list[WordPart], start: int, *, arrays: bool = False) -> None:
    """Read parts until the word ends; `start` is where the whole word began."""
    text, limit = scanner.text, scanner.limit
    while scanner.pos < limit:
        pos = scanner.pos
        found = _CHUNK.match(text, pos, limit)
        if found is not None:
            parts.append(Literal(pos, found.end(), found.group()))
            scanner.pos = found.end()
            continue
        char = text[pos]
        if char == '"':
            parts.append(read_double_quoted(scanner, pos))
        elif char == "$":
            parts.append(read_dollar(scanner, quoted=False))
        elif char == "'":
            parts.append(read_single_quoted(scanner))
        elif char == "\\":
            _read_escape(scanner, parts)
        elif char == "`":
            parts.append(read_backtick(scanner, quoted=False))
        elif arrays and char == "(" and _ARRAY_NAME.match(text[start:pos]):
            parts.append(read_array(scanner))
        elif not _read_special(scanner, parts, char, start):
            return


def _read_escape(scanner: Scanner, parts: list[WordPart]) -> None:
    """Read a backslash and what it quotes; before a newline it joins lines, before the end it is itself."""
    pos = scanner.pos
    following = scanner.text[pos + 1 : min(pos + 2, scanner.limit)]
    scanner.pos = min(pos + 2, scanner.limit)
    if following == "\n" or scanner.joins_nothing(pos):
        if parts:
            parts.append(Literal(pos, scanner.pos, ""))
    else:
        parts.append(Escape(pos, scanner.pos, following or "\\"))


def _read_special(scanner: Scanner, parts: list[WordPart], char: str, start: int) -> bool:
    """Read a glob, extended glob or process substitution at `pos`; False where the word ends."""
    text, pos = scanner.text, scanner.pos
    following = text[pos + 1 : min(pos + 2, scanner.limit)]
    if char in _GLOB_PREFIX:
        if following == "(" and not (pos > start and GLOB_FUNCTION.match(text, pos, scanner.limit)):
            parts.append(_read_extended_glob(scanner))
        elif char in "*?":
            parts.append(Glob(pos, pos + 1, char))
            scanner.pos = pos + 1
        else:
            parts.append(Literal(pos, pos + 1, char))
            scanner.pos = pos + 1
        return True
    if char == "[":
        found = _BRACKET.match(text, pos, scanner.limit)
        if found is not None:
            parts.append(Glob(pos, found.end(), found.group()))
            scanner.pos = found.end()
        else:
            parts.append(Literal(pos, pos + 1, char))
            scanner.pos = pos + 1
        return True
    if char in "<>" and following == "(":
        parts.append(read_process_substitution(scanner))
        return True
    return False


def _read_extended_glob(scanner: Scanner) -> ExtendedGlob:
    """Read `@(a|b)` and its relatives at `pos`; blanks inside belong to the patterns."""
    return _read_alternatives(scanner, scanner.text[scanner.pos], scanner.pos)


def _read_alternatives(scanner: Scanner, operator: str, opened: int) -> ExtendedGlob:
    """Read the operator, if any, and the patterns in parentheses after it; `opened` is where the whole began."""
    start = scanner.pos
    scanner.enter(_GLOB_FRAMES, start)
    scanner.pos += len(operator) + 1
    patterns: list[Word] = []
    while True:
        patterns.append(_read_glob_pattern(scanner, opened))
        scanner.pos += 1
        if scanner.text[scanner.pos - 1] == ")":
            break
    scanner.depth -= _GLOB_FRAMES
    return ExtendedGlob(start, scanner.pos, operator, tuple(patterns))


def _read_glob_pattern(scanner: Scanner, opened: int) -> Word:
    """Read one alternative of an extended glob, up to `|` or `)`."""
    first = scanner.pos
    parts: list[WordPart] = []
    while True:
        read_word_parts(scanner, parts, first)
        if scanner.pos >= scanner.limit:
            raise scanner.fail_unterminated("extended glob", opened)
        char = scanner.text[scanner.pos]
        if char in "|)":
            return make_word(first, scanner.pos, parts)
        if char == "(":
            parts.append(_read_plain_group(scanner, opened))
        else:
            parts.append(Literal(scanner.pos, scanner.pos + 1, char))
            scanner.pos += 1


def _read_plain_group(scanner: Scanner, opened: int) -> ExtendedGlob:
    """Read parentheses without an operator inside an extended glob or a regular expression."""
    return _read_alternatives(scanner, "", opened)


def read_regex_word(scanner: Scanner) -> Word:
    """Read the right side of `=~` at `pos`: parentheses and `|` are ordinary, blanks inside parentheses too."""
    first = scanner.pos
    parts: list[WordPart] = []
    while True:
        read_word_parts(scanner, parts, first)
        char = scanner.text[scanner.pos : min(scanner.pos + 1, scanner.limit)]
        if char == "(":
            parts.append(_read_plain_group(scanner, scanner.pos))
        elif char == "|":
            parts.append(Literal(scanner.pos, scanner.pos + 1, char))
            scanner.pos += 1
        else:
            break
    if scanner.pos == first:
        # The current token is no word: it stays read.
        scanner.pos = scanner.tok_end
        raise SyntaxFailureError(first, f"expected a regular expression after `=~`, found {scanner.shown()}")
    return make_word(first, scanner.pos, parts)


def read_array(scanner: Scanner) -> ArrayLiteral:
    """Read `( element… )` at `pos`; newlines and comments may stand between elements."""
    start = scanner.pos
    scanner.enter(_ARRAY_FRAMES, start)
    outer_pending, scanner.pending = scanner.pending, []
    scanner.pos += 1
    scanner.advance()
    elements: list[ArrayElement] = []
    while scanner.tok != ")":
        if scanner.tok == NEWLINE:
            scanner.advance()
        elif scanner.tok == WORD:
            elements.append(_read_element(scanner))
        elif scanner.tok == "":
            raise scanner.fail_unterminated("array", start)
        else:
            raise SyntaxFailureError(scanner.tok_start, f"expected an array element or `)`, found {scanner.shown()}")
    scanner.pos = scanner.tok_end
    scanner.pending = outer_pending
    scanner.depth -= _ARRAY_FRAMES
    return ArrayLiteral(start, scanner.pos, tuple(elements))


def _read_element(scanner: Scanner) -> ArrayElement:
    """Read `value` or `[subscript]=value`; the current token starts it."""
    start = scanner.tok_start
    if scanner.text[start] == "[" and scanner.tok_text in {"", "[", "[["}:
        return _read_bracketed_element(scanner, start)
    value = take_word(scanner)
    return ArrayElement(start, value.end, value)


def _read_bracketed_element(scanner: Scanner, start: int) -> ArrayElement:
    """Read `[subscript]=value`, or a value that begins with a bracket."""
    scanner.pos = start
    subscript = read_subscript(scanner)
    operator = "+=" if scanner.text.startswith("+=", scanner.pos) else "="
    if not scanner.text.startswith(operator, scanner.pos):
        value = continue_word(scanner, bracket_parts(scanner, subscript))
        return ArrayElement(start, value.end, value)
    scanner.pos += len(operator)
    first = scanner.pos
    parts: list[WordPart] = []
    read_word_parts(scanner, parts, first)
    value = make_word(first, scanner.pos, parts)
    scanner.advance()
    return ArrayElement(start, value.end, value, subscript, operator)


def bracket_parts(scanner: Scanner, subscript: Word) -> list[WordPart]:
    """Return the parts that `[…]` makes in a word, once it was read as a subscript and nothing was assigned."""
    bracket, end = subscript.start - 1, subscript.end + 1
    found = _BRACKET.match(scanner.text, bracket, scanner.limit)
    if found is not None and found.end() == end:
        return [Glob(bracket, end, found.group())]
    return [Literal(bracket, bracket + 1, "["), *subscript.parts, Literal(end - 1, end, "]")]


def continue_word(scanner: Scanner, parts: list[WordPart]) -> Word:
    """Return the word that begins with parts already read, and read the token after it."""
    start = parts[0].start
    read_word_parts(scanner, parts, start)
    word = make_word(start, scanner.pos, parts)
    scanner.advance()
    return word
