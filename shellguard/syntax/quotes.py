"""`'…'` and `$'…'`, with the escapes of the latter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shellguard.syntax.nodes import AnsiCQuoted, SingleQuoted

if TYPE_CHECKING:
    from shellguard.syntax.scanner import Scanner

_SINGLE: Final = re.compile(r"'([^']*)'")
ANSI_C: Final = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)

_ESCAPE: Final = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.))",
    re.DOTALL,
)
_NAMED: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_LAST_CODE_POINT: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)
# PEP 383: the undecodable byte 0x80 is U+DC80.
_SURROGATE_BASE: Final = 0xDC00
_FIRST_BYTE_OUTSIDE_ASCII: Final = 0x80


def read_single_quoted(scanner: Scanner) -> SingleQuoted:
    """Read `'…'`."""
    start = scanner.pos
    found = _SINGLE.match(scanner.text, start, scanner.limit)
    if found is None:
        raise scanner.fail_unterminated("single quote", start)
    scanner.pos = found.end()
    return SingleQuoted(start, scanner.pos, found.group(1))


def read_ansi_c(scanner: Scanner) -> AnsiCQuoted:
    """Read `$'…'`."""
    start = scanner.pos
    found = ANSI_C.match(scanner.text, start, scanner.limit)
    if found is None:
        raise scanner.fail_unterminated("`$'` quote", start)
    scanner.pos = found.end()
    return AnsiCQuoted(start, scanner.pos, decode_ansi_c(found.group(1)))


def decode_ansi_c(text: str) -> str:
    r"""Decode the inside of `$'…'` as bash does (manual, "ANSI-C Quoting"); unknown escapes stay as written.

    `\xHH` and octal escapes are bytes: those that make no UTF-8 text become lone surrogates, as `source.decode` has
    it. A NUL (`\0`, `\x00`) ends the string, as it does in bash.
    """
    if "\\" not in text:
        return text
    decoded = _ESCAPE.sub(_decode_escape, text).split("\0", 1)[0]
    if decoded.isascii():
        return decoded
    return decoded.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _decode_escape(found: re.Match[str]) -> str:
    """Return the character of one escape, or the surrogate that stands for its byte."""
    named, octal, hexadecimal, short, long, control = found.groups()
    if named:
        return _NAMED[named]
    if control:
        return chr(ord(control.upper()) & 0x1F)
    if octal or hexadecimal:
        byte = int(octal, 8) & 0xFF if octal else int(hexadecimal, 16)
        return chr(byte) if byte < _FIRST_BYTE_OUTSIDE_ASCII else chr(_SURROGATE_BASE + byte)
    code = int(short or long, 16)
    is_character = code <= _LAST_CODE_POINT and code not in _SURROGATES
    return chr(code) if is_character else found.group()
