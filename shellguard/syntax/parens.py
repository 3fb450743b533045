"""Where a bracket closes: found as bash finds it before it knows what is inside, once per text."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from shellguard.syntax.scanner import Scanner

UNMATCHED: Final = -1
NOT_ARITHMETIC: Final = -2

_HIDDEN: Final = r"""\\.|\$'(?:[^'\\]|\\.)*'|'[^']*'|`(?:[^`\\]|\\.)*`|['"`]"""
# What matters inside each kind of bracket: what hides others (quotes), what nests, what closes.
_INSIDE: Final[dict[int, re.Pattern[str]]] = {
    ord("("): re.compile(rf"{_HIDDEN}|\$\(|[()]", re.DOTALL),
    ord("["): re.compile(rf"{_HIDDEN}|\$\(|[\[\]]", re.DOTALL),
    ord("{"): re.compile(rf"{_HIDDEN}|\$[({{\[]|\}}", re.DOTALL),
    ord('"'): re.compile(r'\\.|`(?:[^`\\]|\\.)*`|[`"]|\$[({\[]', re.DOTALL),
}
_CLOSING: Final = {ord("("): ")", ord("["): "]", ord("{"): "}", ord('"'): '"'}
# Python frames that a substitution found on the way costs (see scanner.MAX_DEPTH).
_FRAMES: Final = 7
_UNCLOSED_QUOTES: Final = frozenset({"'", "`"})


def arithmetic_end(scanner: Scanner, start: int) -> int:
    """Return where the `))` is that closes the `((` at `start`.

    NOT_ARITHMETIC: the parenthesis that closes the inner one isn't followed by another at once, so that `((` opens
    two nested subshells (parse_arith_cmd in bash's parse.y). UNMATCHED: it closes nowhere.
    """
    end = bracket_end(scanner, start + 1)
    if end != UNMATCHED and (not scanner.text.startswith(")", end + 1) or end + 1 >= scanner.limit):
        return NOT_ARITHMETIC
    return end


def bracket_end(scanner: Scanner, start: int) -> int:
    """Return where the bracket at `start` closes, or UNMATCHED.

    Every bracket passed is remembered, and every command substitution, so that time stays linear. Quotes hide
    brackets; in double quotes, `$(`, `${` and `$[` hide quotes again (parse_matched_pair in bash's parse.y). Comments
    hide nothing.
    """
    known = scanner.bracket_ends
    if start in known:
        # One found while more of the text was being read may be outside of what is read now.
        return known[start] if known[start] < scanner.limit else UNMATCHED
    if scanner.unmatched and scanner.unmatched[start]:
        return UNMATCHED
    text, limit = scanner.text, scanner.limit
    # The open brackets, outermost first, in nine bytes each: there may be millions.
    kinds, offsets = bytearray((ord(text[start]),)), array("q", (start,))
    pos = start + 1
    while kinds:
        kind = kinds[-1]
        found = _INSIDE[kind].search(text, pos, limit)
        if found is None or found.group() in _UNCLOSED_QUOTES:
            _note_unmatched(scanner, offsets)
            return UNMATCHED
        pos = found.end()
        piece = found.group()
        if piece == _CLOSING[kind]:
            known[offsets.pop()] = found.start()
            kinds.pop()
        elif piece == "$(":
            pos = _read_substitution(scanner, pos - 2)
        elif _nests(kind, piece):
            kinds.append(ord(piece[-1]))
            offsets.append(pos - 1)
    return known[start]


def _note_unmatched(scanner: Scanner, offsets: array[int]) -> None:
    """Remember that brackets close nowhere."""
    unmatched = scanner.unmatched = scanner.unmatched or bytearray(len(scanner.text))
    for offset in offsets:
        unmatched[offset] = 1


def _read_substitution(scanner: Scanner, start: int) -> int:
    """Parse the substitution at `start`, remember it, and return where it ends; the current token stays."""
    token = (scanner.pos, scanner.tok, scanner.tok_text, scanner.tok_start, scanner.tok_end)
    scanner.enter(_FRAMES, start)
    scanner.pos = start
    substitution = scanner.read_substitution(scanner)
    scanner.substitutions[start] = substitution
    scanner.depth -= _FRAMES
    scanner.pos, scanner.tok, scanner.tok_text, scanner.tok_start, scanner.tok_end = token
    return substitution.end


def _nests(kind: int, token: str) -> bool:
    """Whether a token found inside a bracket of this kind opens a nested one."""
    if token[0] == "$":
        return token[-1] != "'"
    return token in {'"', chr(kind)}
