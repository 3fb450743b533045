"""How does a change read, as a patch for tools and as a few lines for people?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shellguard.finding import Edit, Fix
from shellguard.fixes.edits import apply_edits, fit_newlines
from shellguard.source import Source, Span

GAP: Final = "..."

_CONTEXT: Final = 3
_ESCAPES: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def unified_diff(path: str, before: str, after: str) -> str:
    """A patch that `git apply` and `patch -p1` take, or nothing if the texts are equal.

    Lines end at newlines alone and are kept to the byte: encode the patch as `source.encode` does. It holds the
    script's own control characters, so it isn't for a terminal as it is.
    """
    if before == after:
        return ""
    from difflib import unified_diff as compare  # most runs print no patch

    name = path.lstrip("/")
    patch = compare(_lines(before), _lines(after), _quoted("a/" + name), _quoted("b/" + name), n=_CONTEXT)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in patch)


def fix_preview(source: Source, fix: Fix, *, context: int = 1) -> list[tuple[str, str]]:
    """The lines around a fix's edits: the marker (` ` kept, `-` removed, `+` added) and the text without line end.

    Kept lines are shown up to `context` lines from a change; `GAP` as a kept line stands for those left out between.
    """
    preview: list[tuple[str, str]] = []
    shown = 0
    for start, end, added in _changes(source, fix):
        if preview:
            rest = min(start, shown + context)
            preview += _kept(source, shown, rest)
            shown = rest
        if preview and start - context > shown:
            preview.append((" ", GAP))
        preview += _kept(source, max(shown, start - context), start)
        preview += (("-", line) for line in _plain_lines(source, start, end))
        preview += (("+", line) for line in added)
        shown = end
    return preview + (_kept(source, shown, min(source.line_count, shown + context)) if preview else [])


def _kept(source: Source, start: int, end: int) -> list[tuple[str, str]]:
    return [(" ", line) for line in _plain_lines(source, start, end)]


def _plain_lines(source: Source, start: int, end: int) -> list[str]:
    """The lines from one 0-based index to another, without line ends."""
    return [source.line_text(line).removesuffix("\r") for line in range(start + 1, end + 1)]


def _changes(source: Source, fix: Fix) -> Iterator[tuple[int, int, list[str]]]:
    """What a fix does to lines: from which 0-based index to which they are replaced, and by which others."""
    for edits in _by_lines(source, fix):
        first, last = source.line_of(edits[0].span.start), source.line_of(edits[-1].span.end)
        start = source.line_starts[first - 1]
        end = source.line_starts[last] if last < len(source.line_starts) else len(source.text)
        inside = [Edit(Span(edit.span.start - start, edit.span.end - start), edit.text) for edit in edits]
        old = _plain_lines(source, first - 1, min(last, source.line_count))
        new = [
            line.removesuffix("\n").removesuffix("\r") for line in _lines(apply_edits(source.text[start:end], inside))
        ]
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        if old != new:
            yield first - 1 + head, first - 1 + len(old) - tail, new[head : len(new) - tail]


def _by_lines(source: Source, fix: Fix) -> Iterator[list[Edit]]:
    """The edits in groups that share lines, with newlines as the file has them."""
    group: list[Edit] = []
    for edit in fix.edits:
        if group and source.line_of(edit.span.start) > source.line_of(group[-1].span.end):
            yield group
            group = []
        group.append(fit_newlines(source.text, edit))
    if group:
        yield group


def _common(one: list[str], other: list[str]) -> int:
    """How many lines two lists have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def _lines(text: str) -> list[str]:
    r"""The lines with their ends; `\r`, form feeds and the like don't end a line."""
    *lines, rest = text.split("\n")
    return [line + "\n" for line in lines] + ([rest] if rest else [])


def _quoted(name: str) -> str:
    """A file name as git writes it in patches: in quotes with octal escapes where it isn't plain text."""
    if name.isprintable() and '"' not in name and "\\" not in name:
        # The tab keeps `patch` from taking what follows a space for a date.
        return name + "\t" if " " in name else name
    return f'"{"".join(map(_escaped, name))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
