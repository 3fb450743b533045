"""Which `((` and `$[` are arithmetic: found by matching brackets, once per text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from shellguard.syntax.scanner import Scanner

_UNMATCHED: Final = -1
# Parentheses, and what may hide them: quotes and escapes.
_PARENS: Final = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|[()]""", re.DOTALL)
_BRACKETS: Final = re.compile(r"[\[\]\n]")


def arithmetic_end(scanner: Scanner, start: int) -> int:
    """Return where the `))` is that closes the `((` at `start`, or -1 when it isn't arithmetic.

    As bash decides it (parse_arith_cmd in its parse.y): the parenthesis that closes the inner one must be
    followed by another at once, else `((` opens two nested subshells.
    """
    end = _matching_end(scanner, start + 1, _PARENS, "(", ")")
    if end == _UNMATCHED or not scanner.text.startswith(")", end + 1) or end + 1 >= scanner.limit:
        return _UNMATCHED
    return end


def bracket_end(scanner: Scanner, start: int) -> int:
    """Return where the `[` at `start` closes on its line, or -1."""
    return _matching_end(scanner, start, _BRACKETS, "[", "]")


def _matching_end(scanner: Scanner, start: int, interesting: re.Pattern[str], opening: str, closing: str) -> int:
    """Return where the bracket at `start` closes; every bracket passed is remembered, so that time stays linear."""
    known = scanner.bracket_ends
    if start in known:
        return known[start]
    stack: list[int] = []
    for found in interesting.finditer(scanner.text, start, scanner.limit):
        char = found.group()
        if char == opening:
            stack.append(found.start())
        elif char == closing:
            known[stack.pop()] = found.start()
            if not stack:
                return known[start]
        elif char == "\n":
            break
    for unmatched in stack:
        known[unmatched] = _UNMATCHED
    return _UNMATCHED
