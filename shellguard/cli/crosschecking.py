"""The scripts of some paths parsed twice, by shellguard and by bashlex, which is imported here alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from shellguard.discovery import discover, read_source
from shellguard.source import Source, UndecodableSourceError
from shellguard.syntax import parse, source_of
from shellguard.syntax.crosscheck import (
    DEFECTS,
    NotComparableError,
    first_disagreement,
    known_defect,
    read_ours,
    read_theirs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shellguard.syntax.crosscheck import Disagreement, Foreign
    from shellguard.syntax.nodes import Command

    Parser = Callable[[str], list[Foreign]]

_LONGEST = 160


class MissingBashlexError(Exception):
    """bashlex isn't installed."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place where the parsers differ, both readings, and the key of bashlex's defect that explains it, or nothing."""

    path: str
    line: int
    column: int
    ours: str
    theirs: str
    defect: str

    @property
    def explanation(self) -> str:
        """What to say of it."""
        if self.defect:
            return f"a known defect of bashlex: {DEFECTS[self.defect]}"
        return "the two parsers differ; bash decides (please report it if shellguard is wrong)"


@dataclass(slots=True)
class Comparison:
    """What was compared, what wasn't and why, and where the parsers differ."""

    files: int = 0
    whole: int = 0
    partial: int = 0
    commands: int = 0
    compared: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    places: list[Place] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def compare_all(paths: Sequence[str]) -> Comparison:
    """Compare the parsers on every script under the paths.

    Raises:
        MissingBashlexError: bashlex isn't installed.
    """
    comparer = _Comparer(_load_parser())
    discovery = discover(paths)
    comparer.result.unreadable += [f"{entry.path}: {entry.reason}" for entry in discovery.not_checked]
    for file in discovery.files:
        comparer.compare_path(file.path)
    return comparer.result


def _load_parser() -> Parser:
    try:
        from bashlex import parse as parser  # type: ignore[import-untyped] # it has no types
    except ImportError as error:
        raise MissingBashlexError from error
    return cast("Parser", parser)


class _Comparer:
    """Compares file by file and counts."""

    def __init__(self, parser: Parser) -> None:
        """Start with nothing; `parser` is bashlex's."""
        self.result = Comparison()
        self._parser = parser

    def compare_path(self, path: str) -> None:
        """Read a file and compare."""
        try:
            source = read_source(path)
        except OSError as error:
            self.result.unreadable.append(f"{path}: {(error.strerror or str(error)).lower()}")
        except UndecodableSourceError:
            self.result.unreadable.append(f"{path}: it has a NUL byte, so it is no text")
        else:
            self._compare_file(source)

    def _compare_file(self, source: Source) -> None:
        """Compare a whole script, or, where bashlex refuses it, command by command."""
        body = parse(source.text).body
        self.result.files += 1
        self.result.commands += len(body.commands)
        try:
            self._compare_text(source, source.text, 0)
        except NotComparableError:
            number = sum(self._compare_command(source, command) for command in body.commands)
            self.result.compared += number
            self.result.partial += number > 0
        else:
            self.result.compared += len(body.commands)
            self.result.whole += 1

    def _compare_command(self, source: Source, command: Command) -> bool:
        """Compare one command, parsed by itself; note the reason where that isn't possible."""
        try:
            self._compare_text(source, source_of(command, source.text), command.start)
        except NotComparableError as reason:
            self.result.reasons[str(reason)] += 1
            return False
        return True

    def _compare_text(self, source: Source, text: str, start: int) -> None:
        """Compare the readings of a text, which begins at an offset of the source; note where they differ.

        Raises:
            NotComparableError: bashlex can't parse it, or there is something in it that only one of the two knows.
        """
        body = parse(text).body
        try:
            ours = read_ours(body, text)
            theirs = read_theirs(self._parser(text) if body.commands else [], text)
        except NotComparableError:
            raise
        except Exception as error:  # it raises whatever comes
            raise NotComparableError(type(error).__name__) from error
        found = first_disagreement(ours, theirs)
        if found is not None:
            self.result.places.append(_place(source, found, text, start))


def _place(source: Source, found: Disagreement, text: str, start: int) -> Place:
    """Say where in the source a disagreement about a part of it is."""
    position = source.position(min(start + found.start, len(source.text)))
    ours, theirs = (str(reading)[:_LONGEST] for reading in (found.ours, found.theirs))
    return Place(source.path, position.line, position.column, ours, theirs, known_defect(found, text))
