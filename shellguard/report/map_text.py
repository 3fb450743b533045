"""A map of a script's failures as text: its lines, each with what becomes of what fails there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from shellguard.finding import MappedCommand, ScriptMap
from shellguard.report.cells import cell_length, cut, wrap
from shellguard.report.sanitise import visible
from shellguard.report.style import Role, Style

FATES: Final = ("stops", "returned", "handled", "ignored", "logged", "lost", "depends", "unknown")
"""Every fate, from the best to the least known."""
SEEN: Final = frozenset({"stops", "returned", "handled"})
"""The fates that count as covered."""
_WORST_FIRST: Final = ("lost", "logged", "depends", "unknown", "ignored", "handled", "returned", "stops")
_LOOKS: Final = {
    "stops": Role.ADDED,
    "returned": Role.ADDED,
    "handled": Role.RELATED,
    "ignored": Role.FAINT,
    "logged": Role.WARNING,
    "lost": Role.ERROR,
    "depends": Role.INFO,
    "unknown": Role.INFO,
}
_PHRASES: Final = {
    "stops": ("stops the script", "stop the script"),
    "returned": ("is returned", "are returned"),
    "handled": ("is handled", "are handled"),
    "ignored": ("is ignored on purpose", "are ignored on purpose"),
    "logged": ("is only printed", "are only printed"),
    "lost": ("is lost", "are lost"),
    "depends": ("depends on the path", "depend on the path"),
    "unknown": ("is unknown", "are unknown"),
}
_MARK_WIDTH: Final = 8
TELLING: Final = frozenset({"lost", "logged", "depends", "unknown"})
"""The fates that have to be explained: somebody might not learn of the failure."""


def coverage(commands: tuple[MappedCommand, ...]) -> float:
    """The part of the commands whose failure stops the script, is returned or handled; between 0 and 1."""
    return sum(command.fate in SEEN for command in commands) / len(commands)


def map_lines(script: ScriptMap, style: Style) -> Iterator[str]:
    """The lines of a map: the script, why failures are lost, functions, and a summary."""
    source = script.source
    marks: dict[int, list[str]] = {}
    for command in script.commands:
        marks.setdefault(source.position(command.span.start).line, []).append(command.fate)
    yield style.paint(visible(f"{source.path} ({script.dialect})", unicode=style.unicode), Role.STRONG)
    digits = len(str(source.line_count))
    for number in range(1, source.line_count + 1):
        yield _script_line(number, source.line_text(number), marks.get(number, []), digits, style)
    yield from _reasons(script, style)
    for line in (*_functions(script), summary(script.commands)):
        yield from wrap(line, style.width)


def worst(fates: list[str]) -> str:
    """The fate that a line's mark shows, of those of its commands; empty where it has none."""
    return next((fate for fate in _WORST_FIRST if fate in fates), "")


def _script_line(number: int, text: str, fates: list[str], digits: int, style: Style) -> str:
    fate = worst(fates)
    mark = style.paint(f"{fate:<{_MARK_WIDTH}}", _LOOKS[fate]) if fate else " " * _MARK_WIDTH
    shown = visible(text.expandtabs(4), unicode=style.unicode)
    room = max(style.width - digits - _MARK_WIDTH - 4, 8)
    if cell_length(shown) > room:
        shown = cut(shown, room - len(style.ellipsis)) + style.ellipsis
    return f"{mark} {number:>{digits}} {style.bar} {shown}".rstrip()


def _reasons(script: ScriptMap, style: Style) -> Iterator[str]:
    """Why each failure that isn't seen has its fate."""
    telling = [command for command in script.commands if command.fate in TELLING]
    if telling:
        yield ""
    for command in telling:
        start = script.source.position(command.span.start)
        sink = f" (line {script.source.position(command.sink.start).line})" if command.sink is not None else ""
        head = f"{start.line}:{start.column} {visible(command.name.splitlines()[0], unicode=style.unicode)}"
        sentence = visible(f"{command.because}{sink}", unicode=style.unicode)
        first, *rest = wrap(f"{head}: {command.fate}: {sentence}", style.width)
        yield first
        yield from (f"    {line}" for line in rest)
    yield ""


def _functions(script: ScriptMap) -> Iterator[str]:
    """A summary for each function."""
    functions: dict[str, list[MappedCommand]] = {}
    for command in script.commands:
        if command.function is not None:
            functions.setdefault(command.function, []).append(command)
    for name, commands in functions.items():
        yield f"{visible(name)}(): {summary(tuple(commands))}"


def summary(commands: tuple[MappedCommand, ...]) -> str:
    """`23 commands: 9 stop the script, 7 are lost: failure coverage 65 %`."""
    counts = Counter(command.fate for command in commands)
    parts = [f"{counts[fate]} {_PHRASES[fate][counts[fate] > 1]}" for fate in FATES if counts[fate]]
    noun = "command" if len(commands) == 1 else "commands"
    return f"{len(commands)} {noun}: {', '.join(parts)}: failure coverage {percent(coverage(commands))} %"


def percent(part: float) -> int:
    """A part of 1 in whole percent, never rounded up to 100."""
    return int(part * 100)
