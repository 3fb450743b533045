"""Does a command read its standard input to the end, or may it leave early?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Final

from shellguard.flow.arguments import Argument, Part, known_start, scan
from shellguard.flow.roles import Role, default_roles
from shellguard.flow.toolfiles import input_files
from shellguard.flow.tools import load_tools
from shellguard.flow.wrappers import unwrap

ARGUMENT_READERS: Final = frozenset({"xargs", "parallel"})
OTHER_ARGUMENTS: Final = frozenset({"-a", "--arg-file", ":::", "::::", ":::+", "::::+"})
NEVER_READING: Final = frozenset({Role.PRINTER, Role.BOOKKEEPING, Role.INFALLIBLE, Role.CONTROL})
READ_ALL: Final = frozenset({"mapfile", "readarray", "dd", "grep", "diff"})  # though they aren't filters
PAGER: Final = "more"  # a person at a terminal may leave it; elsewhere it is a filter
PROGRAM_OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    "sed": frozenset({"-e", "--expression"}),
    "awk": frozenset({"-e", "--source"}),
    "perl": frozenset({"-e", "-E"}),
    "ruby": frozenset({"-e"}),
}


class InputUse(Enum):
    """What a command does with its standard input."""

    TO_END = "reads all of it"
    EARLY = "may leave before its end, or reads nothing"
    UNKNOWN = "can't be told"


def early_closing_reader(argv: Sequence[Argument]) -> bool:
    """Whether a command at a pipe's end may leave early, so that the producer may die of SIGPIPE."""
    return input_use(argv) is InputUse.EARLY


def reads_stdin_to_end(argv: Sequence[Argument]) -> bool:
    """Whether a command is known to read all of its standard input."""
    return input_use(argv) is InputUse.TO_END


def is_pure_copier(argv: Sequence[Argument]) -> bool:
    """Whether a command only copies its input to its output: `cat`, `cat -`, `tee` without a file."""
    return (
        bool(argv)
        and load_tools().canonical(argv[0]) in ("cat", "tee")
        and all(word in ("-", "-u", "--") for word in argv[1:])
    )


def input_use(argv: Sequence[Argument]) -> InputUse:
    """What a command does with its standard input, as far as its words tell."""
    tools = load_tools()
    found = unwrap(argv, tools)
    if any(use.name in ARGUMENT_READERS for use in found.wrappers):
        return InputUse.UNKNOWN if OTHER_ARGUMENTS.intersection(argv) else InputUse.TO_END
    name = None if found.inner is None else tools.canonical(argv[found.inner])
    if found.inner is None or name in (None, PAGER):
        return InputUse.UNKNOWN
    command = argv[found.inner :]
    parts = list(scan(command, tools.grammar(name)))
    if _may_leave(command, name, parts):
        return InputUse.EARLY
    if name not in READ_ALL and default_roles().classify(command).role is not Role.FILTER:
        return InputUse.UNKNOWN
    return _unless_others_are_read(command, name, parts)


def _may_leave(command: Sequence[Argument], name: str, parts: Sequence[Part]) -> bool:
    if any(load_tools().lists("leaves-early", key) for key in (name, *(f"{name} {part.name}" for part in parts))):
        return True
    if name == "head":
        return not any(value and value.startswith("-") for value in _values(command, parts, HEAD_COUNTS))
    if name == "dd":
        return any(known_start(word).startswith(("count=", "if=")) for word in command)
    if name in PROGRAM_OPTIONS:
        return _may_program_stop(command, name, parts)
    return name not in READ_ALL and default_roles().classify(command).role in NEVER_READING


HEAD_COUNTS: Final = frozenset({"-n", "-c", "--lines", "--bytes"})


def _unless_others_are_read(command: Sequence[Argument], name: str, parts: Sequence[Part]) -> InputUse:
    """A filter reads its input to the end unless it was given files, or its program isn't known."""
    if name in PROGRAM_OPTIONS and None in _programs(command, name, parts):
        return InputUse.UNKNOWN
    if input_files(command) and "-" not in command:
        return InputUse.UNKNOWN
    return InputUse.TO_END


def _values(command: Sequence[Argument], parts: Sequence[Part], names: frozenset[str]) -> Iterator[str | None]:
    """The values of these options; None for one that isn't wholly known."""
    for part in parts:
        if part.name in names and part.place:
            word = command[part.place.word]
            yield word[part.place.offset :] if isinstance(word, str) else None


def _programs(command: Sequence[Argument], name: str, parts: Sequence[Part]) -> list[str | None]:
    """The program texts of a sed, awk, perl or ruby command; None for one that stands elsewhere."""
    programs = list(_values(command, parts, PROGRAM_OPTIONS[name]))
    if any(part.name in ("-f", "--file") for part in parts):
        programs.append(None)
    if not programs:
        programs.extend(_values(command, parts, frozenset({""})))
        return programs[:1] or [None]
    return programs


def _may_program_stop(command: Sequence[Argument], name: str, parts: Sequence[Part]) -> bool:
    from shellguard.flow.one_liners import may_stop  # its patterns are rarely needed

    return any(program is not None and may_stop(name, program) for program in _programs(command, name, parts))
