"""The escapes of `$'…'`."""

from __future__ import annotations

import re
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.))",
    re.DOTALL,
)
_NAMED: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_LAST_CODE_POINT: Final = 0x10FFFF


def decode_ansi_c(text: str) -> str:
    r"""Decode the inside of `$'…'` as bash does (manual, "ANSI-C Quoting"); unknown escapes stay as written.

    A NUL (`\0`, `\x00`) ends the string, as it does in bash.
    """
    if "\\" not in text:
        return text
    decoded = _ESCAPE.sub(_decode_escape, text)
    return decoded.split("\0", 1)[0]


def _decode_escape(found: re.Match[str]) -> str:
    """Return the character of one escape."""
    named, octal, hexadecimal, short, long, control = found.groups()
    if named:
        return _NAMED[named]
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if control:
        return chr(ord(control.upper()) & 0x1F)
    code = int(hexadecimal or short or long, 16)
    return chr(code) if code <= _LAST_CODE_POINT else found.group()
