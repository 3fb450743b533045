"""Which of a command's words name files that it writes, makes, reads or runs?

The statements of the table of tools name options whose values are paths, and operands by their position: `first`,
`second`, `last`, `all`, `rest` (all but the first), `init` (all but the last), and `target`, the last of several unless
a folder is named by an option. `rest-if:-e,-f` holds when one of these options is given, `rest-unless:-e,-f` when none
is. `of=` is an operand of that form, `base:second` a file in the working directory called like the operand's last
component (`base:sole`: when there is no other operand), and `.` the working directory, unless a folder is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import takewhile
from typing import Final, NamedTuple

from shellguard.flow.arguments import Argument, Part, Place, known_start, scan
from shellguard.flow.tools import Tools, load_tools
from shellguard.flow.wrappers import unwrap


class PathUse(StrEnum):
    """What a tool does with the file or folder that a word names."""

    OUTPUT = "output"  # its results are written there
    PLACED = "placed"  # it makes, copies, moves, links or edits this; when it is a folder, perhaps something in it
    INTO = "into"  # it puts files of its own naming into this folder
    NAMED_AFTER = "named-after"  # it makes a file called like the last component of this in the working directory
    INPUT = "input"  # it reads this
    SCRIPT = "script"  # it runs this


class PathArgument(NamedTuple):
    """Where a path stands in argv (None: the working directory, unnamed), and what becomes of it."""

    place: Place | None
    use: PathUse


WRITTEN: Final = frozenset({PathUse.OUTPUT, PathUse.PLACED, PathUse.INTO, PathUse.NAMED_AFTER})
USES: Final[Mapping[str, PathUse]] = {
    "writes": PathUse.OUTPUT,
    "into": PathUse.INTO,
    "places": PathUse.PLACED,
    "runs": PathUse.SCRIPT,
    "reads": PathUse.INPUT,
}
REMOTE: Final = r"[a-z][\w+.-]*://|[\w.@-]+:|\[[0-9a-fA-F:]+\]:"
PATH_LIKE: Final = r"(?s:.*/|.*\.\w+$)"
ANY_PROGRAM: Final = "*"
TAR_MAKES: Final = frozenset({"-c", "-r", "-u", "--create", "--append", "--update"})
TAR_TAKES_OUT: Final = frozenset({"-x", "--extract", "--get"})
TAR_LONG_OPTIONS: Final[Mapping[str, str]] = {"--file": "-f", "--files-from": "-T", "--directory": "-C"}
CURL_NAMES_ITSELF: Final = frozenset({"-O", "--remote-name", "--remote-name-all"})
WGET_NAMES_OTHERWISE: Final = frozenset({"-O", "--output-document", "-i", "--input-file", "--spider"})


def output_file_options(argv: Sequence[Argument]) -> tuple[PathArgument, ...]:
    """The words that name files which take the results of a command: `-o FILE`, `tee FILE`, `dd of=FILE`."""
    return tuple(path for path in path_arguments(argv) if path.use is PathUse.OUTPUT)


def creates_paths(argv: Sequence[Argument]) -> tuple[PathArgument, ...]:
    """Everything that a command puts somewhere: its outputs, copies, moves, folders and downloads."""
    return tuple(path for path in path_arguments(argv) if path.use in WRITTEN)


def input_files(argv: Sequence[Argument]) -> tuple[PathArgument, ...]:
    """The words that name files which a command reads; of a program that isn't known, every operand may be one."""
    return tuple(path for path in path_arguments(argv) if path.use is PathUse.INPUT)


def script_files(argv: Sequence[Argument]) -> tuple[PathArgument, ...]:
    """The words that name programs or scripts which a command runs: `python3 x.py`, `. lib.sh`, `/opt/bench/run`."""
    return tuple(path for path in path_arguments(argv) if path.use is PathUse.SCRIPT)


def path_arguments(argv: Sequence[Argument]) -> tuple[PathArgument, ...]:
    """All paths in a command's words, those of its wrappers too, in argv's order; none of what runs elsewhere."""
    tools = load_tools()
    found = unwrap(argv, tools)
    starts = [use.word for use in found.wrappers]
    ends = [*starts[1:], len(argv) if found.inner is None else found.inner]
    paths: set[PathArgument] = set()
    for start, end in zip(starts, ends, strict=False):
        paths.update(_Command(argv, start, end, tools).stated_paths())
    if found.inner is not None and not found.elsewhere:
        paths.update(_Command(argv, found.inner, len(argv), tools).paths())
    return tuple(sorted(paths, key=lambda path: (path.place or Place(-1), path.use)))


class _Command:
    """One command's words, up to `end`, and what the table of tools says of its paths."""

    __slots__ = ("argv", "end", "name", "start", "tools")

    def __init__(self, argv: Sequence[Argument], start: int, end: int, tools: Tools) -> None:
        self.argv = argv
        self.start = start
        self.end = end
        self.tools = tools
        self.name = tools.canonical(argv[start])

    def paths(self) -> Iterator[PathArgument]:
        """All of the command's paths."""
        match self.name:
            case None:
                yield PathArgument(Place(self.start), PathUse.SCRIPT)
                yield from self._program_paths(self.start)
            case "tar":
                yield from self._tar_paths()
            case "curl" | "wget":
                yield from self._download_paths(self.name)
            case "python3" if (module := self._module()) is not None:
                yield from _Command(self.argv, module, self.end, self.tools).paths()
            case _:
                yield from self._tool_paths(self.name)

    def stated_paths(self) -> list[PathArgument]:
        """The paths of which the table speaks."""
        return [path for kind, use in USES.items() for path in self._stated(kind, use)]

    def _tool_paths(self, name: str) -> Iterator[PathArgument]:
        stated = self.stated_paths()
        yield from stated
        script = next((path.place for path in stated if path.use is PathUse.SCRIPT and path.place), None)
        if script is not None:
            yield from self._program_paths(script.word)
        elif self.tools.lists("no-input", name) or self._finds("reads"):
            return
        elif stated or self._finds("options"):
            taken = {path.place for path in stated}
            yield from (path for path in self._operands_read() if path.place not in taken)
        else:
            yield from self._program_paths(self.start)

    def _finds(self, kind: str) -> bool:
        return self.tools.find(kind, self.argv, self.start) is not None

    def _module(self) -> int | None:
        """The index of the module's name in `python3 -m name`."""
        parts = scan(self.argv, self.tools.grammar("python3"), self.start + 1)
        place = next((part.place for part in parts if part.name == "-m"), None)
        if place is None or place.offset or self.tools.canonical(self.argv[place.word]) == "python3":
            return None
        return place.word

    def _stated(self, kind: str, use: PathUse) -> Iterator[PathArgument]:
        found = self.tools.find(kind, self.argv, self.start)
        if found is None:
            return
        path, body, after = found
        words = scan(self.argv, self.tools.grammar(path), after)
        parts = list(takewhile(lambda part: part.word < self.end, words))
        given = {part.name for part in parts}
        selectors = [selector for word in body.split() if (selector := _selector(word, given))]
        folders = given.intersection(self.tools.section("into").entries.get(path, "").split())
        for selector in selectors:
            if folders and selector in ("target", "."):
                continue
            for place, actual in _select(selector, parts, use, self.argv):
                if place is None or self._is_local(place, actual):
                    yield PathArgument(place, actual)

    def _is_local(self, place: Place, use: PathUse) -> bool:
        """Whether a word can be a local path: `-` is a stream, `host:file` and URLs are elsewhere."""
        text = known_start(self.argv[place.word])[place.offset :]
        return text != "-" and (use is PathUse.NAMED_AFTER or not re.match(REMOTE, text))

    def _operands_read(self) -> Iterator[PathArgument]:
        """What a tool may read of which only other things are stated: the operands after its subcommands."""
        found = (self.tools.find(kind, self.argv, self.start) for kind in ("options", *USES))
        path, _, after = max((item for item in found if item), key=lambda item: item[2])
        for part in scan(self.argv, self.tools.grammar(path), after):
            yield from self._read(part)

    def _read(self, part: Part) -> Iterator[PathArgument]:
        """What an option that isn't declared, or an operand, may read; of `name=value` the value."""
        if part.place is None or (part.name and part.declared):
            return
        place = part.place
        key, equals, _ = known_start(self.argv[place.word])[place.offset :].partition("=")
        if equals and not part.name:
            place = Place(place.word, place.offset + len(key) + 1)
        if self._is_local(place, PathUse.INPUT):
            yield PathArgument(place, PathUse.INPUT)

    def _program_paths(self, start: int) -> Iterator[PathArgument]:
        """Paths in the words of a program that isn't known: what `--output` and its like name, and what may be read."""
        for part in scan(self.argv, self.tools.grammar(ANY_PROGRAM), start + 1):
            if not part.name or not part.declared:
                yield from self._read(part)
            elif part.place is not None and self._is_output(part.name, part.place):
                yield PathArgument(part.place, PathUse.OUTPUT)

    def _is_output(self, option: str, place: Place) -> bool:
        """`--output json` names a format; a short `-o` must be followed by what is clearly a path."""
        word = self.argv[place.word]
        if not isinstance(word, str):
            return option != "-o"
        return bool(re.match(PATH_LIKE, word[place.offset :]))

    def _tar_paths(self) -> Iterator[PathArgument]:
        parts = list(scan(self.argv, self.tools.grammar("tar"), self.start + 1))
        given = {part.name for part in parts}
        makes, takes_out = bool(given & TAR_MAKES), bool(given & TAR_TAKES_OUT)
        uses = {"-f": PathUse.OUTPUT if makes else PathUse.INPUT, "-T": PathUse.INPUT}
        if takes_out:
            uses["-C"] = PathUse.INTO
        if makes:
            uses[""] = PathUse.INPUT
        for part in parts:
            use = uses.get(TAR_LONG_OPTIONS.get(part.name, part.name))
            if use and part.place and self._is_local(part.place, use):
                yield PathArgument(part.place, use)
        if takes_out and not given & {"-C", "--directory"}:
            yield PathArgument(None, PathUse.INTO)

    def _download_paths(self, name: str) -> Iterator[PathArgument]:
        stated = self.stated_paths()
        yield from stated
        parts = list(scan(self.argv, self.tools.grammar(name), self.start + 1))
        given = {part.name for part in parts}
        unnamed = bool(given & CURL_NAMES_ITSELF) if name == "curl" else not given & WGET_NAMES_OTHERWISE
        if unnamed and not any(path.use is PathUse.INTO for path in stated):
            yield from (PathArgument(part.place, PathUse.NAMED_AFTER) for part in parts if not part.name)


def _selector(word: str, given: set[str]) -> str:
    """A statement's word without its condition; empty when the condition doesn't hold."""
    for mark, wanted in (("-if:", True), ("-unless:", False)):
        selector, found, options = word.partition(mark)
        if found:
            return selector if bool(given.intersection(options.split(","))) is wanted else ""
    return word


def _select(
    selector: str, parts: Sequence[Part], use: PathUse, argv: Sequence[Argument]
) -> Iterator[tuple[Place | None, PathUse]]:
    operands = [part.place for part in parts if not part.name and part.place]
    if selector.startswith("-"):
        yield from ((part.place, use) for part in parts if part.name == selector and part.place)
    elif selector == ".":
        yield None, use
    elif selector == "target":
        if len(operands) > 1:
            text = known_start(argv[operands[-1].word])
            yield operands[-1], PathUse.INTO if len(operands) > 2 or text.endswith("/") else use
    elif selector.endswith("="):
        matching = (place for place in operands if known_start(argv[place.word]).startswith(selector))
        yield from ((Place(place.word, len(selector)), use) for place in matching)
    elif selector == "base:sole":
        yield from ((place, PathUse.NAMED_AFTER) for place in operands if len(operands) == 1)
    else:
        yield from ((place, use) for place in operands[POSITIONS[selector]])


POSITIONS: Final[Mapping[str, slice]] = {
    "first": slice(0, 1),
    "second": slice(1, 2),
    "last": slice(-1, None),
    "all": slice(None),
    "rest": slice(1, None),
    "init": slice(None, -1),
}
