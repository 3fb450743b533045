"""Maps of scripts' failures as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from shellguard.report.map_text import FATES, TELLING, coverage, percent, summary, worst
from shellguard.report.sanitise import visible

if TYPE_CHECKING:
    from shellguard.finding import MappedCommand, NotChecked, ScriptMap

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_MEANINGS: Final = {
    "stops": "the script ends at once, not with 0",
    "returned": "the script runs on and ends with another status than 0",
    "handled": "another branch is taken, and the script ends with 0",
    "ignored": "the author discards it",
    "logged": "it is only printed",
    "lost": "nothing ever looks at it",
    "depends": "on the path: some end with 0",
    "unknown": "the text doesn't tell",
}


def map_html(maps: list[ScriptMap], not_mapped: list[NotChecked]) -> str:
    """The page: for each script its lines with the fates of their commands, and why."""
    folder = Path(__file__).parent
    style = (folder / "map.css").read_text(encoding="utf-8")
    code = (folder / "map.js").read_text(encoding="utf-8")
    title = "Where failures go" if len(maps) != 1 else f"Where failures go: {visible(maps[0].source.path)}"
    body = "".join(part for number, script in enumerate(maps) for part in _script(script, number))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1>Where failures go</h1>\n"
        '<p class="faint">What becomes of the failure of each command, all others succeeding. Point at a marked '
        "command, or reach it with the Tab key, to see where its status goes.</p>\n"
        f"{body}{''.join(_not_mapped(not_mapped))}<script>\n{code}</script>\n</body>\n</html>\n"
    )


def _script(script: ScriptMap, number: int) -> Iterator[str]:
    """The section of one script."""
    path = escape(visible(script.source.path))
    counts = Counter(command.fate for command in script.commands)
    yield f'<section class="script">\n<h2><code>{path}</code> <span class="faint">({script.dialect})</span></h2>\n'
    yield f"<p>{escape(summary(script.commands))}</p>\n"
    yield f'<div class="bar" role="img" aria-label="failure coverage {percent(coverage(script.commands))} %">'
    yield "".join(f'<i class="{fate}" style="flex:{counts[fate]}"></i>' for fate in FATES if counts[fate])
    yield '</div>\n<ul class="chips">\n'
    for fate in (fate for fate in FATES if counts[fate]):
        meaning = escape(_MEANINGS[fate])
        yield f'<li><label class="{fate}" title="{meaning}"><input type="checkbox" checked value="{fate}">'
        yield f"{fate} {counts[fate]}</label></li>\n"
    yield '</ul>\n<div class="code"><table>\n'
    yield from _lines(script, number)
    yield '</table></div>\n<p class="say" aria-live="polite"></p>\n'
    yield from _reasons(script, number)
    yield from _functions(script)
    yield from (f'<p class="faint">Assumed: {escape(visible(text))}</p>\n' for text in script.assumptions)
    yield "</section>\n"


def _lines(script: ScriptMap, number: int) -> Iterator[str]:
    """The rows of the table: number, worst fate, and text with its commands and sinks marked."""
    source = script.source
    fates: dict[int, list[str]] = {}
    for command in script.commands:
        fates.setdefault(source.position(command.span.start).line, []).append(command.fate)
    marks = _Marks(script, number)
    for line in range(1, source.line_count + 1):
        found = fates.get(line, [])
        fate = worst(found)
        classes = " ".join([*(f"is-{item}" for item in dict.fromkeys(found)), *([] if found else ["empty"])])
        mark = f'<b class="{fate}">{fate}</b>' if fate else ""
        yield f'<tr class="{classes}"><td class="m">{mark}</td><td class="n" id="f{number}l{line}">{line}</td>'
        yield f"<td>{marks.line(line)}</td></tr>\n"


class _Marks:
    """Writes a script's lines with an element around each command's name, and one at each sink."""

    def __init__(self, script: ScriptMap, number: int) -> None:
        """Sort the marks by their offsets."""
        self._source = script.source
        self._number = number
        self._commands = {_name_start(command): (index, command) for index, command in enumerate(script.commands)}
        sinks = {command.sink.start for command in script.commands if command.sink is not None}
        self._places = sorted({*self._commands, *sinks})
        self._sinks = sinks
        self._next = 0

    def line(self, number: int) -> str:
        """The HTML of a line; lines are asked for in order."""
        span = self._source.line_span(number)
        end = span.end
        parts: list[str] = []
        position = span.start
        while self._next < len(self._places) and self._places[self._next] < end:
            place = self._places[self._next]
            self._next += 1
            parts.append(_text(self._source.text[position : max(place, position)]))
            position = max(place, position)
            if place in self._sinks:
                parts.append(f'<i class="sink" id="f{self._number}s{place}"></i>')
            if place in self._commands:
                index, command = self._commands[place]
                stop = min(place + _name_length(command), end)
                parts.append(self._command(index, command, self._source.text[place:stop]))
                position = stop
        parts.append(_text(self._source.text[position:end]))
        return "".join(parts)

    def _command(self, index: int, command: MappedCommand, text: str) -> str:
        sink = f' data-sink="f{self._number}s{command.sink.start}"' if command.sink is not None else ""
        say = escape(visible(_sentence(self._source.position(command.span.start).line, command)))
        return (
            f'<a class="c {command.fate}" id="f{self._number}c{index}" tabindex="0" data-fate="{command.fate}"{sink} '
            f'data-say="{say}" title="{say}">{_text(text)}</a>'
        )


def _name_start(command: MappedCommand) -> int:
    """Where a command's name stands: after the variables that it is given."""
    return command.span.start + max(command.text.find(command.name), 0)


def _name_length(command: MappedCommand) -> int:
    """How long a name is as written; a quoted one is longer than what it stands for."""
    if command.name in command.text:
        return len(command.name)
    return len(command.text.split(maxsplit=1)[0])


def _text(text: str) -> str:
    """Text of a script: nothing in it is markup, and nothing that can't be seen stays hidden."""
    return "\t".join(escape(visible(piece)) for piece in text.rstrip("\r\n").split("\t"))


def _sentence(line: int, command: MappedCommand) -> str:
    name = command.name.split("\n")[0]
    return f"line {line}, {name}: {command.fate}: {command.because}"


def _reasons(script: ScriptMap, number: int) -> Iterator[str]:
    """Why each failure that isn't seen has its fate."""
    telling = [(index, item) for index, item in enumerate(script.commands) if item.fate in TELLING]
    if not telling:
        return
    yield '<h3>Failures that nobody learns of, or not always</h3>\n<ul class="why">\n'
    for index, command in telling:
        line = script.source.position(command.span.start).line
        sink = ""
        if command.sink is not None:
            place = script.source.position(command.sink.start).line
            sink = f' (<a href="#f{number}l{place}">line {place}</a>)'
        name = escape(visible(command.name.split("\n")[0]))
        yield f'<li class="{command.fate}"><span><a href="#f{number}c{index}">line {line}</a> <code>{name}</code>: '
        yield f"{command.fate}: {escape(visible(command.because))}{sink}</span></li>\n"
    yield "</ul>\n"


def _functions(script: ScriptMap) -> Iterator[str]:
    """A summary for each function."""
    functions: dict[str, list[MappedCommand]] = {}
    for command in script.commands:
        if command.function is not None:
            functions.setdefault(command.function, []).append(command)
    if functions:
        yield "<h3>Functions</h3>\n"
    for name, commands in functions.items():
        yield f"<p><code>{escape(visible(name))}()</code>: {escape(summary(tuple(commands)))}</p>\n"


def _not_mapped(entries: list[NotChecked]) -> Iterator[str]:
    """What could not be mapped."""
    if entries:
        yield "<h2>Not mapped</h2>\n"
    for entry in entries:
        place = f":{entry.line}" if entry.line is not None else ""
        yield f"<p><code>{escape(visible(entry.path))}{place}</code>: {escape(visible(entry.reason))}</p>\n"
