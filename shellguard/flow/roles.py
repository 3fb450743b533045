"""What is a command for, seen through its wrappers?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Final

from shellguard.flow.arguments import Argument, known_start, scan
from shellguard.flow.tools import Tools, load_tools, make_section
from shellguard.flow.wrappers import Unwrapped, unwrap


class Role(StrEnum):
    """What a command is for. The comments say what its failure means."""

    JOB = "job"  # the work itself: its failure is what the script must report
    LAUNCHER = "launcher"  # starts work and returns: success says "submitted", not "done"
    CHORE = "chore"  # prepares the ground for a job (cd, mkdir, chmod, sed -i): should succeed, but isn't the work
    CLEANUP = "cleanup"  # takes something away: its failure is normal when there was nothing
    PROBE = "probe"  # asks something: its status is an answer
    THREE_STATE = "three-state"  # answers 0 for yes, 1 for no, 2 when it is broken
    FILTER = "filter"  # passes its input on, changed or not
    PRINTER = "printer"  # tells somebody something
    INFALLIBLE = "infallible"  # gives a value and can't practically fail
    BOOKKEEPING = "bookkeeping"  # changes the shell's own state, or waits: nobody means to test its status
    CONTROL = "control"  # leaves a function or the shell

    @property
    def is_work(self) -> bool:
        """Whether a failure is the script's concern."""
        return self in (Role.JOB, Role.LAUNCHER, Role.CHORE)

    @property
    def is_bookkeeping(self) -> bool:
        """Whether nobody means to test the status: bookkeeping in the rules' sense, messages included."""
        return self in (Role.BOOKKEEPING, Role.PRINTER, Role.INFALLIBLE)


ASKS: Final = frozenset({"--version", "--help", "-version", "-help", "-V"})
OF_NO_USE_ELSEWHERE: Final = frozenset({Role.PRINTER, Role.FILTER, Role.INFALLIBLE, Role.BOOKKEEPING, Role.CONTROL})
UNLISTED: Final = "commands that aren't listed count as jobs"
RUN_TIME: Final = "its name is known only at run time"
GUESSES: Final = (UNLISTED, RUN_TIME)
FIND_ACTIONS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


@dataclass(frozen=True, slots=True)
class Classification:
    """A command's role, and why.

    `name` is the command word as written, wrapper or not; `inner_name` that of the command whose role it is, and
    `inner` its index in argv. A name is None where it isn't known before the script runs, `inner` where no word is
    known to be the command. `why` is a clause for people. `certain` is false where the role is a guess: nobody knows
    the command, or which command it will be.
    """

    role: Role
    name: str | None
    inner_name: str | None
    inner: int | None
    why: str
    certain: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class RoleTable:
    """The roles of commands. Immutable: `with_roles` gives another table."""

    tools: Tools

    def with_roles(self, roles: Mapping[str, Role]) -> RoleTable:
        """A table in which these commands (`mytool`), subcommands and options (`mytool status`) have these roles."""
        entries = {**self.tools.roles.entries, **{name: str(role) for name, role in roles.items()}}
        return RoleTable(replace(self.tools, roles=make_section(entries)))

    def classify(self, argv: Sequence[Argument]) -> Classification:
        """Find the role of a simple command from its words after quote removal; functions are the caller's affair."""
        if not argv:
            return Classification(Role.BOOKKEEPING, None, None, None, "it runs no command")
        name = _text(argv[0])
        found = unwrap(argv, self.tools)
        if found.inner is None:
            return Classification(Role.JOB, name, None, None, _unseen(argv, found), certain=False)
        role, why = self._inner_role(argv, found.inner)
        if role in (Role.JOB, Role.LAUNCHER) and len(argv) == found.inner + 2 and argv[-1] in ASKS:
            role, why = Role.PROBE, "it only asks for a version or help"
        if found.elsewhere and role in OF_NO_USE_ELSEWHERE:
            role, why = Role.JOB, "it runs in another place, which may not be there"
        certain = why not in GUESSES and all(use.name for use in found.wrappers)
        return Classification(role, name, _text(argv[found.inner]), found.inner, why, certain=certain)

    def _inner_role(self, argv: Sequence[Argument], start: int) -> tuple[Role, str]:
        name = self.tools.canonical(argv[start])
        if name is None:
            return Role.JOB, "it is a program of its own" if "/" in known_start(argv[start]) else RUN_TIME
        if name == "find":
            return self._find_role(argv, start)
        key = self._entry(argv, start, name)
        if key is None:
            return Role.JOB, UNLISTED
        role = Role(self.tools.roles.entries[key])
        return role, f"`{key.removesuffix(' *')}` is listed as {role}"

    def _entry(self, argv: Sequence[Argument], start: int, name: str) -> str | None:
        """The table's entry for a command: that of an option, else that of the deepest subcommand."""
        roles = self.tools.roles
        if name not in roles.branches:
            return name if name in roles.entries else roles.pattern(name)
        levels = list(self.tools.paths(argv, start, roles))
        options = dict.fromkeys(_options(argv, levels, self.tools))
        keys = (f"{path.removesuffix(' *')} {option}" for path, _ in levels for option in options)
        matches = {key for key in keys if key in roles.entries}
        if matches:
            return _last_told(matches, roles.entries)
        return next((path for path, _ in reversed(levels) if path in roles.entries), None)

    def _find_role(self, argv: Sequence[Argument], start: int) -> tuple[Role, str]:
        """`find` asks, unless it deletes or runs something that does more than ask."""
        for first, end in _actions(argv, start):
            role, why = self._action_role(argv[first:end])
            if role.is_work or role is Role.CLEANUP:
                return role, f"find runs a command, and {why}"
        role = Role.CLEANUP if "-delete" in argv[start:] else Role.PROBE
        return role, f"`find` is listed as {role}"

    def _action_role(self, action: Sequence[Argument]) -> tuple[Role, str]:
        inner = unwrap(action, self.tools).inner
        if inner is None:
            return Role.JOB, RUN_TIME
        if self.tools.canonical(action[inner]) == "find":
            return Role.PROBE, "it only finds"
        return self._inner_role(action, inner)


def _text(word: Argument) -> str | None:
    return word if isinstance(word, str) else None


def _unseen(argv: Sequence[Argument], found: Unwrapped) -> str:
    wrapper = _text(argv[found.wrappers[-1].word]) or "it"
    if found.code is not None:
        return f"{wrapper} runs shell code"
    return f"what {wrapper} runs can't be told"


def _options(argv: Sequence[Argument], levels: list[tuple[str, int]], tools: Tools) -> Iterator[str]:
    """Every option of the command, clusters both taken apart and as written."""
    ends = [after - 1 for _, after in levels[1:]] + [len(argv)]
    for (path, after), end in zip(levels, ends, strict=True):
        for part in scan(argv, tools.grammar(path), after):
            if part.word >= end:
                break
            if part.name:
                yield part.name
                yield known_start(argv[part.word])


def _last_told(keys: set[str], entries: Mapping[str, str]) -> str:
    if len(keys) == 1:
        return next(iter(keys))
    return next(key for key in reversed(list(entries)) if key in keys)


def _actions(argv: Sequence[Argument], start: int) -> Iterator[tuple[int, int]]:
    """Start and end of each command that `find` runs."""
    first: int | None = None
    for index in range(start + 1, len(argv)):
        if first is None and argv[index] in FIND_ACTIONS:
            first = index + 1
        elif first is not None and argv[index] in (";", "+"):
            yield first, index
            first = None
    if first is not None and first < len(argv):
        yield first, len(argv)


@cache
def default_roles() -> RoleTable:
    """The roles that come with shellguard."""
    return RoleTable(load_tools())


def classify(argv: Sequence[Argument]) -> Classification:
    """Classify a command by the roles that come with shellguard."""
    return default_roles().classify(argv)


def expects_failure(argv: Sequence[Argument], table: RoleTable | None = None) -> bool:
    """Whether scripts run this command knowing that it may fail: probes, cleanup, `mkdir` and the like."""
    table = table or default_roles()
    found = table.classify(argv)
    if found.role in (Role.PROBE, Role.CLEANUP, Role.THREE_STATE):
        return True
    return found.inner is not None and table.tools.find("normal-failure", argv, found.inner) is not None


def is_infallible_in_substitution(argv: Sequence[Argument], table: RoleTable | None = None) -> bool:
    """Whether `$(command)` can't practically fail: `date`, `pwd`, `mktemp` and the like."""
    table = table or default_roles()
    found = table.classify(argv)
    if found.role.is_bookkeeping:
        return True
    name = table.tools.canonical(found.inner_name)
    return name is not None and table.tools.lists("in-substitution", name) and not unwrap(argv).elsewhere
