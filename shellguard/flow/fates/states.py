"""The states that a shell can be in: its status, variables and options."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Final

from shellguard.flow.fates.values import ZERO, Text, Vague, Value
from shellguard.syntax.nodes import FunctionDefinition

# What a state keeps beside variables; no variable has such a name.
JOBS: Final = "&"
"""Stands for the jobs that have failed: what `wait` reads."""
LOOP: Final = "\0loop"
TRAP: Final = "\0trap "
TRAPPED: Final = "\0trapped"
FAILED_INSIDE: Final = "\0failed"
INSIDE: Final = "\0inside"
TEMPORARY: Final = "$("
LAST_SUBSTITUTION: Final = f"{TEMPORARY}last"
"""The name under which a state keeps the status of the last substitution."""
MARKS: Final = ("\0", "$")
"""What the names of all that isn't a variable begin with, but for functions' and those of jobs."""


def _is_special(name: str) -> bool:
    return name[0] == "\0" or name.startswith(TEMPORARY) or name.endswith("()")


class Environment:
    """Variables and what else the shell keeps, by name; immutable, so that states can share it.

    `specials` are the names of marks, of functions, and of what holds for one command only.
    """

    __slots__ = ("_constants", "_hash", "_values", "specials")

    def __init__(
        self,
        values: dict[str, Value],
        constants: dict[str, str] | None = None,
        known: tuple[int, tuple[str, ...]] | None = None,
    ) -> None:
        """Take the values over; `constants` never change, and don't tell environments apart.

        `known` is the hash and the special names, where a caller has them already.
        """
        self._values = values
        self._constants = constants if constants is not None else {}
        if known is None:
            # In any order, so that one value can be exchanged without a look at the others.
            known = reduce(xor, map(hash, values.items()), 0), tuple(name for name in values if _is_special(name))
        self._hash, self.specials = known

    def get(self, name: str) -> Value | None:
        """A value, or None where there is none."""
        known = self._values.get(name)
        return known if known is not None else self._constants.get(name)

    def items(self) -> ItemsView[str, Value]:
        """The names and values."""
        return self._values.items()

    def marks(self) -> frozenset[tuple[str, Value]]:
        """What is neither a variable nor a function."""
        return frozenset((name, self._values[name]) for name in self.specials if name[0] == "\0")

    def marks_and_functions(self) -> frozenset[tuple[str, Value]]:
        """What isn't a variable, but for functions that may be one or another."""
        kept = ((name, self._values[name]) for name in self.specials)
        return frozenset(item for item in kept if item[0][0] == "\0" or isinstance(item[1], FunctionDefinition))

    def temporaries(self) -> list[str]:
        """The names of what holds for one command only."""
        return [name for name in self.specials if name.startswith(TEMPORARY)]

    def with_values(self, changes: Mapping[str, Value | None]) -> Environment:
        """The environment with other values; without the names for None."""
        ours = self._values
        changing = {name: value for name, value in changes.items() if ours.get(name) != value}
        if not changing:
            return self
        values = dict(ours)
        marks, specials = self._hash, self.specials
        for name, value in changing.items():
            before = ours.get(name)
            if before is not None:
                marks ^= hash((name, before))
            if value is None:
                del values[name]
            else:
                values[name] = value
                marks ^= hash((name, value))
            if _is_special(name):
                specials = tuple(item for item in specials if item != name) + (() if value is None else (name,))
        return Environment(values, self._constants, (marks, specials))

    def without(self, names: frozenset[str]) -> Environment:
        """The environment without the variables that are named."""
        gone = self._values.keys() & names
        if not gone:
            return self
        values = dict(self._values)
        marks = self._hash
        for name in gone:
            marks ^= hash((name, values.pop(name)))
        return Environment(values, self._constants, (marks, tuple(name for name in self.specials if name in values)))

    def divided(self, names: frozenset[str]) -> tuple[Environment, Environment]:
        """The environment of the variables that are named and of what isn't a variable; and that of the others."""
        marks = {name for name in self.specials if name[0] == "\0" and not name.startswith(LOOP)}
        apart = self._values.keys() - names - marks
        if not apart:
            return self, Environment({}, self._constants)
        values = dict(self._values)
        rest = Environment({name: values.pop(name) for name in apart}, self._constants)
        known = self._hash ^ hash(rest), tuple(name for name in self.specials if name in values)
        return Environment(values, self._constants, known), rest

    def with_rest(self, rest: Environment) -> Environment:
        """The environment without its loops, and with other variables, which it doesn't have."""
        kept = self.without_loops()
        if not rest.items():
            return kept
        known = hash(kept) ^ hash(rest), kept.specials + rest.specials
        return Environment({**dict(kept.items()), **dict(rest.items())}, self._constants, known)

    def without_loops(self) -> Environment:
        """The environment without the marks of the loops that are running."""
        return self.without(frozenset(name for name in self.specials if name.startswith(LOOP)))

    def __eq__(self, other: object) -> bool:
        """Whether the values are the same."""
        if self is other:
            return True
        return isinstance(other, Environment) and self._hash == other._hash and self._values == other._values

    def __hash__(self) -> int:
        """Of the values, whatever their order."""
        return self._hash


@dataclass(frozen=True, slots=True)
class State:
    """What a shell knows: `$?`, variables, options that are on, `PIPESTATUS` where it has several."""

    status: Text
    environment: Environment
    options: frozenset[str] = frozenset()
    statuses: tuple[Text, ...] = ()

    def ended(self, status: Text) -> State:
        """The state after a command that ends so."""
        if status == self.status and not self.statuses:
            return self
        return State(status, self.environment, self.options)

    def assigned(self, name: str, value: Value | None) -> State:
        """The state with another value of a variable; of one that isn't set nothing is known either."""
        return self.assigned_all({name: value})

    def assigned_all(self, values: dict[str, Value | None]) -> State:
        """The state with other values of several variables."""
        if Vague.UNKNOWN in values.values():
            values = {
                name: None if value is Vague.UNKNOWN and name[0] not in MARKS else value
                for name, value in values.items()
            }
        environment = self.environment.with_values(values)
        if environment is self.environment:
            return self
        return State(self.status, environment, self.options, self.statuses)

    def without(self, names: frozenset[str]) -> State:
        """The state without the variables that are named, and without its status where `?` is."""
        environment = self.environment.without(names)
        if "?" not in names:
            if environment is self.environment:
                return self
            return State(self.status, environment, self.options, self.statuses)
        if environment is self.environment and self.status == ZERO and not self.statuses:
            return self
        return State(ZERO, environment, self.options)

    def with_rest(self, rest: Environment) -> State:
        """The state without its loops, and with variables that it hasn't been told of."""
        environment = self.environment.with_rest(rest)
        if environment is self.environment:
            return self
        return State(self.status, environment, self.options, self.statuses)

    def vague(self, names: Iterable[str], value: Vague | None) -> State:
        """The state in which nothing is known of the variables that are named; functions stay."""
        return self.assigned_all({name: value for name in names if not name.endswith("()") and name != "?"})

    def with_options(self, options: frozenset[str]) -> State:
        """The state under other options."""
        return self if options == self.options else State(self.status, self.environment, options, self.statuses)


START: Final = State(ZERO, Environment({}))


def forgotten(state: State) -> State:
    """The state without what substitutions of this command left."""
    gone: dict[str, Value | None] = dict.fromkeys(state.environment.temporaries())
    if state.environment.get(INSIDE) is None:
        gone[FAILED_INSIDE] = None
    return state.assigned_all(gone)
