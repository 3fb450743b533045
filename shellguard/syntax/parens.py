"""Which `((` are arithmetic: found by matching parentheses, once per text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from shellguard.syntax.scanner import Scanner

_UNMATCHED: Final = -1
# Parentheses, and what may hide them: quotes and escapes.
_INTERESTING: Final = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|[()]""", re.DOTALL)


def arithmetic_end(scanner: Scanner, start: int) -> int:
    """Return where the `))` is that closes the `((` at `start`, or -1 when it isn't arithmetic.

    As bash decides it (parse_arith_cmd in its parse.y): the parenthesis that closes the inner one must be
    followed by another at once, else `((` opens two nested subshells.
    """
    end = _matching_paren(scanner, start + 1)
    if end == _UNMATCHED or not scanner.text.startswith(")", end + 1) or end + 1 >= scanner.limit:
        return _UNMATCHED
    return end


def _matching_paren(scanner: Scanner, start: int) -> int:
    """Return the offset of the `)` for the `(` at `start`; every parenthesis passed is remembered."""
    known = scanner.paren_ends
    if start in known:
        return known[start]
    stack: list[int] = []
    for found in _INTERESTING.finditer(scanner.text, start, scanner.limit):
        char = found.group()
        if char == "(":
            stack.append(found.start())
        elif char == ")":
            known[stack.pop()] = found.start()
            if not stack:
                return known[start]
    for unmatched in stack:
        known[unmatched] = _UNMATCHED
    return _UNMATCHED
