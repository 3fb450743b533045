"""The comments of a script that silence rules: `# shellguard: ignore[SG101] reason`, `# shellcheck disable=SC2312`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from shellguard.source import Span

if TYPE_CHECKING:
    from shellguard.source import Source
    from shellguard.syntax.nodes import Comment, Script

MARKS: Final = ("shellguard:", "shellcheck")
_OURS: Final = re.compile(r"#+\s*shellguard:\s*(?P<verb>[\w-]+)(?P<space>\s*)(?:\[(?P<rules>[^\]]*)\])?")
_THEIRS: Final = re.compile(r"#+\s*shellcheck\s(?:.*\s)?disable=(?P<rules>SC\d+(?:,SC\d+)*)")
_OTHER_DIRECTIVES: Final = frozenset({"dialect"})
_WORD: Final = re.compile(r"[^\s,]+")


class Verb(StrEnum):
    """What a comment of ours does to the rules that it names."""

    IGNORE = "ignore"
    """Silences them in a statement: that of its own line, or the next one."""
    IGNORE_FILE = "ignore-file"
    DISABLE = "disable"
    """Silences them from here on."""
    ENABLE = "enable"
    """Takes back what `disable` said."""


@dataclass(frozen=True, slots=True)
class Directive:
    """A comment that silences rules; each word stands for a code, a name or a prefix, with its place.

    `verb` is None for ShellCheck's, which reach as far as ShellCheck says. `own_line`: nothing stands before it.
    """

    verb: Verb | None
    span: Span
    words: tuple[tuple[str, Span], ...]
    own_line: bool


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A comment that is meant for shellguard and says nothing that it understands."""

    span: Span
    problem: str


def read_directives(source: Source, script: Script) -> Iterator[Directive | Misspelt]:
    """Yield what the comments of a script say, in their order."""
    for comment in script.comments:
        text = source.text[comment.start : comment.end]
        if any(mark in text for mark in MARKS):
            found = _read(source, comment, text)
            if found is not None:
                yield found


def _read(source: Source, comment: Comment, text: str) -> Directive | Misspelt | None:
    own_line = not source.text[source.text.rfind("\n", 0, comment.start) + 1 : comment.start].strip()
    theirs = _THEIRS.match(text)
    if theirs is not None:
        words = tuple(_words(theirs["rules"], comment.start + theirs.start("rules")))
        return Directive(None, comment.span, words, own_line) if own_line else None
    ours = _OURS.match(text)
    if ours is None or ours["verb"] in _OTHER_DIRECTIVES:
        return None
    if ours["verb"] not in tuple(Verb):
        return Misspelt(comment.span, f"`{ours['verb']}` is none of {', '.join(Verb)}")
    words = tuple(_words(ours["rules"] or "", comment.start + ours.start("rules")))
    if not words:
        return Misspelt(comment.span, f"it names no rule: write `{ours['verb']}[SG101]`")
    return Directive(Verb(ours["verb"]), comment.span, words, own_line)


def _words(text: str, start: int) -> Iterator[tuple[str, Span]]:
    for match in _WORD.finditer(text):
        yield match[0], Span(start + match.start(), start + match.end())
