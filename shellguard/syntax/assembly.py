"""Words put together from their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shellguard.syntax.nodes import AnsiCQuoted, DoubleQuoted, Escape, Literal, SingleQuoted, Word

if TYPE_CHECKING:
    from shellguard.syntax.nodes import WordPart


def make_word(start: int, end: int, parts: list[WordPart]) -> Word:
    """Make a word of its parts; literals that follow each other directly become one."""
    if len(parts) > 1:
        # Line continuations after the word were read as literals without text.
        while len(parts) > 1 and isinstance(last := parts[-1], Literal) and not last.value:
            parts.pop()
            end = parts[-1].end
        parts = _join_literals(parts)
    return Word(start, end, tuple(parts), static_value(parts))


def _join_literals(parts: list[WordPart]) -> list[WordPart]:
    """Return the parts with runs of literals joined, each run in one go: growing one by one is quadratic."""
    joined: list[WordPart] = []
    run: list[Literal] = []
    for part in (*parts, None):
        if isinstance(part, Literal) and (not run or run[-1].end == part.start):
            run.append(part)
            continue
        if run:
            joined.append(_join_run(run))
            run = []
        if isinstance(part, Literal):
            run.append(part)
        elif part is not None:
            joined.append(part)
    return joined


def _join_run(run: list[Literal]) -> Literal:
    """Return one literal for several that follow each other."""
    if len(run) == 1:
        return run[0]
    return Literal(run[0].start, run[-1].end, "".join(part.value for part in run))


def static_value(parts: list[WordPart]) -> str | None:
    """Return what the parts stand for after quote removal, or None when one of them expands."""
    values: list[str] = []
    for part in parts:
        if isinstance(part, (Literal, Escape, SingleQuoted, AnsiCQuoted)):
            values.append(part.value)
        elif isinstance(part, DoubleQuoted):
            value = static_value(list(part.parts))
            if value is None:
                return None
            values.append(value)
        else:
            return None
    return "".join(values)
