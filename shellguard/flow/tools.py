"""What does the table of tools know about a command?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from shellguard.flow.arguments import Argument, Grammar, grammar, scan

SYSTEM_FOLDERS: Final = frozenset(
    f"{prefix}{name}"
    for prefix in ("/", "/usr/", "/usr/local/", "/opt/homebrew/", "/opt/local/", "/usr/pkg/", "/run/current-system/sw/")
    for name in ("bin", "sbin")
)
PATH_KINDS: Final = ("writes", "places", "into", "reads", "runs")
NAMED_KINDS: Final = ("options", "wrapper", *PATH_KINDS)
LISTED_KINDS: Final = ("versioned", "normal-failure", "in-substitution", "no-input", "leaves-early", "behind-variables")


class Section(NamedTuple):
    """One kind of statement: bodies by path (`git stash`), the paths below which there are more, and name patterns."""

    entries: Mapping[str, str]
    branches: frozenset[str]
    beginnings: tuple[str, ...]

    def pattern(self, name: str) -> str | None:
        """The entry (`log_*`) that a command name fits which has none of its own."""
        if not name.startswith(self.beginnings):
            return None
        return next(f"{start}*" for start in self.beginnings if name.startswith(start))


@dataclass(frozen=True, slots=True, eq=False)
class Tools:
    """The table of tools: roles by path, and every other kind of statement."""

    roles: Section
    sections: Mapping[str, Section]
    aliases: Mapping[str, str]

    def section(self, kind: str) -> Section:
        """All statements of a kind."""
        return self.sections[kind]

    def lists(self, kind: str, path: str) -> bool:
        """Whether a kind's statements list a command."""
        return path in self.section(kind).entries

    def canonical(self, word: Argument) -> str | None:
        """The name under which the table knows a command word: None for a path of its own or an unknown word."""
        if not isinstance(word, str) or not word:
            return None
        if word in self.roles.entries:
            return word
        folder, slash, name = word.rpartition("/")
        if slash and folder not in SYSTEM_FOLDERS:
            return None
        if name in self.aliases:
            return self.aliases[name]
        bare = name.rstrip("0123456789.").removesuffix("-")
        if bare != name and name not in self.roles.entries and self.lists("versioned", bare):
            return self.aliases.get(bare, bare)
        return name

    def grammar(self, path: str) -> Grammar:
        """How a tool, or a subcommand of it, reads its options."""
        return _grammar(self, path)

    def paths(self, argv: Sequence[Argument], start: int, section: Section) -> Iterator[tuple[str, int]]:
        """The command's name, then its subcommands as far as the section knows them, each with the index after it."""
        path, after = self.canonical(argv[start]), start + 1
        while path is not None:
            yield path, after
            if path not in section.branches:
                return
            operand = next((part.word for part in scan(argv, self.grammar(path), after) if not part.name), None)
            if operand is None:
                return
            path, after = _below(path, argv[operand], section), operand + 1

    def find(self, kind: str, argv: Sequence[Argument], start: int) -> tuple[str, str, int] | None:
        """A kind's statement about a command: the path it is for, its body, and the index after the path's words."""
        section = self.section(kind)
        name = self.canonical(argv[start])
        if name not in section.entries and name not in section.branches:
            return None
        found = None
        for path, after in self.paths(argv, start, section):
            body = section.entries.get(path)
            if body is not None:
                found = path, body, after
        return found


@cache
def _grammar(tools: Tools, path: str) -> Grammar:
    text = tools.section("options").entries.get(path) or tools.section("wrapper").entries.get(path, "")
    bodies = (tools.section(kind).entries.get(path, "") for kind in PATH_KINDS)
    named = (f"{word}=" for body in bodies for word in body.split() if word.startswith("-"))
    return grammar(f"{' '.join(named)} {text}")


def _below(path: str, operand: Argument, section: Section) -> str | None:
    candidates = [f"{path} *"]
    if isinstance(operand, str):
        candidates = [f"{path} {operand}", f"{path} {operand.partition('-')[0]}-*", *candidates]
    return next((name for name in candidates if name in section.entries or name in section.branches), None)


@cache
def load_tools() -> Tools:
    """The table that comes with shellguard."""
    return parse_tools(Path(__file__).with_name("tools.txt").read_text(encoding="utf-8"))


def parse_tools(text: str) -> Tools:
    """Read a table of tools.

    Raises:
        ValueError: two statements of a kind speak of the same thing.
    """
    roles: list[tuple[str, str]] = []
    aliases: list[tuple[str, str]] = []
    named: dict[str, list[tuple[str, str]]] = {kind: [] for kind in (*NAMED_KINDS, *LISTED_KINDS)}
    for line in text.replace("\n  ", " ").splitlines():
        if not line or line[0] == "#":
            continue
        head, _, words = line.partition(":")
        kind, _, path = head.partition(" ")
        if kind in NAMED_KINDS:
            named[kind].append((path, words))
        elif kind == "alias":
            aliases.extend((name, path) for name in words.split())
        else:
            prefix = f"{path} " if path else ""
            named.get(kind, roles).extend((prefix + word, kind) for word in words.split())
    sections = {kind: make_section(_without_repeats(entries)) for kind, entries in named.items()}
    return Tools(make_section(_without_repeats(roles)), sections, _without_repeats(aliases))


def _without_repeats(entries: Sequence[tuple[str, str]]) -> dict[str, str]:
    unique = dict(entries)
    if len(unique) != len(entries):
        names = [name for name, _ in entries]
        raise ValueError(f"told twice in the table of tools: {next(name for name in names if names.count(name) > 1)}")
    return unique


def make_section(entries: Mapping[str, str]) -> Section:
    """A section of these bodies by path."""
    branches: set[str] = set()
    parents = {entry.rpartition(" ")[0] for entry in entries if " " in entry}
    while parents:
        branches |= parents
        parents = {parent.rpartition(" ")[0] for parent in parents if " " in parent}
    beginnings = tuple(entry[:-1] for entry in entries if entry[-1] == "*" and len(entry) > 1 and " " not in entry)
    return Section(entries, frozenset(branches), beginnings)
