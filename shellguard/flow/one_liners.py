"""May a sed, awk, perl or ruby program given on the command line stop before its input ends?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

LOOP_EXIT: Final = re.compile(r"\b(exit|last|break|die|abort)\b")
AWK_NOISE: Final = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*')
AWK_EXIT: Final = re.compile(r"\bexit\b")
BRACES: Final = re.compile(r"[{}]")
SED_SPACE: Final = re.compile(r"[\s;{}]*")
SED_COMMANDS: Final = frozenset("=dDgGhHlnNpPxzFevqQsyaicrRwWbtT:#")
# Possessive or atomic, and bracket expressions of limited length: no script may make these patterns backtrack for long.
# Atomic where a group is referred to: Python 3.11.2, which Debian 12 has, loses it in a possessive repetition.
SED_BRACKETS: Final = r"\[\^?\]?[^]\n]{0,100}+\]"
SED_ADDRESS: Final = re.compile(rf"(?:[\d$,~+!\s]|/(?:\\.|{SED_BRACKETS}|[^/\\])*+/[IM]*)*+", re.DOTALL)
SED_CUSTOM_ADDRESS: Final = re.compile(rf"\\([^\\])(?>(?:\\.|{SED_BRACKETS}|(?!\1)[^\\])*)\1[IM]*", re.DOTALL)
SED_SUBSTITUTE: Final = re.compile(
    rf"[sy]([^\\])(?>(?:\\.|{SED_BRACKETS}|(?!\1)[^\\])*)\1(?>(?:\\.|(?!\1)[^\\])*)\1[^;}}\n]*", re.DOTALL
)
SED_REST_OF_LINE: Final = re.compile(r"[aic](?:[^\n\\]|\\.)*|[rRwW#][^\n]*", re.DOTALL)
SED_LABEL: Final = re.compile(r"[btT:][^;}\n]*")


def may_stop(tool: str, program: str) -> bool:
    """Whether a program for `sed`, `awk`, `perl` or `ruby` may stop before the end of its input."""
    match tool:
        case "sed":
            return any(command in "qQ" for command in _sed_commands(program))
        case "awk":
            return _awk_may_exit(program)
        case _:
            return bool(LOOP_EXIT.search(program))


def _awk_may_exit(program: str) -> bool:
    """Whether an awk program has an `exit` outside its END rules."""
    text = AWK_NOISE.sub('""', program)
    depth, start, in_end = 0, 0, False
    for match in BRACES.finditer(text):
        chunk = text[start : match.start()]
        start = match.end()
        if depth == 0:
            in_end = chunk.strip(" \t\n;") == "END"
        elif not in_end and AWK_EXIT.search(chunk):
            return True
        depth += 1 if match.group() == "{" else -1
    return not in_end and depth > 0 and bool(AWK_EXIT.search(text[start:]))


def _sed_commands(script: str) -> Iterator[str]:
    """The letters of a script's commands, in order, up to what sed wouldn't understand."""
    position = _skip_sed_addresses(script, 0)
    while position < len(script) and script[position] in SED_COMMANDS:
        letter = script[position]
        yield letter
        patterns = (SED_SUBSTITUTE, SED_REST_OF_LINE, SED_LABEL)
        match = next((found for pattern in patterns if (found := pattern.match(script, position))), None)
        if match is None and letter in "sy":
            return
        position = _skip_sed_addresses(script, match.end() if match else position + 1)


def _skip_sed_addresses(script: str, position: int) -> int:
    while True:
        start = position
        for pattern in (SED_SPACE, SED_ADDRESS, SED_CUSTOM_ADDRESS):
            match = pattern.match(script, position)
            position = match.end() if match else position
        if position == start:
            return position
