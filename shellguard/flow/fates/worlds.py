"""The states that a shell can be in, and which failure leads to each.

A world is a state together with the failures that lead to it: bit 0 stands for "nothing fails", every other bit for
one command that fails whenever it runs while all others succeed. Worlds of the same state are one, so that a script is
gone through once for all failures together; those that leave no trace run along with the world in which nothing fails.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from typing import Final

from shellguard.flow.fates.values import ZERO, Text, Truth, Vague, Value, joined, success
from shellguard.syntax.nodes import FunctionDefinition

BASE: Final = 1
"""The bit of the world in which nothing fails."""
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
_ALIKE: Final = 2
"""So many times the states that are too many are kept if each differs in other variables from the usual ones."""
_MARKS: Final = ("\0", "$")


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
                name: None if value is Vague.UNKNOWN and name[0] not in _MARKS else value
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


class Worlds:
    """States, each with the failures that lead to it."""

    __slots__ = ("_masks",)

    def __init__(self, masks: dict[State, int] | None = None) -> None:
        """Take the masks over."""
        self._masks = masks if masks is not None else {}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._masks)

    def __iter__(self) -> Iterator[tuple[State, int]]:
        """Each state with its mask."""
        return iter(list(self._masks.items()))

    def __len__(self) -> int:
        """The number of states."""
        return len(self._masks)

    def add(self, state: State, mask: int) -> None:
        """Add failures that lead to a state."""
        if mask:
            self._masks[state] = self._masks.get(state, 0) | mask

    def update(self, other: Worlds) -> None:
        """Add other worlds."""
        for state, mask in other:
            self.add(state, mask)

    def mask(self) -> int:
        """All failures that lead here."""
        found = 0
        for mask in self._masks.values():
            found |= mask
        return found

    def mask_of(self, state: State) -> int:
        """The failures that lead to a state."""
        return self._masks.get(state, 0)

    def masked(self, mask: int) -> Worlds:
        """The worlds of some of the failures."""
        found = Worlds()
        for state, bits in self._masks.items():
            found.add(state, bits & mask)
        return found

    def without(self, names: frozenset[str]) -> Worlds:
        """The worlds without the variables that are named, and without their status where `?` is."""
        if not names:
            return self
        found = Worlds()
        for state, mask in self._masks.items():
            found.add(state.without(names), mask)
        return found

    def bounded(self, most: int) -> Worlds:
        """The same worlds, or fewer that say less where they are more than `most`."""
        if len(self._masks) <= most:
            return self
        usual = Usual()
        for state, mask in self._masks.items():
            if mask & BASE:
                usual.note(state)
        found = self._joined(usual, usual.others)
        return found if len(found) <= _ALIKE * most else self._joined(usual, lambda _: frozenset())

    def _joined(self, usual: Usual, sort: Callable[[State], frozenset[str]]) -> Worlds:
        """Join the worlds of a kind and of a sort."""
        groups: dict[tuple[_Kind, frozenset[str]], list[State]] = {}
        for state, mask in self._masks.items():
            groups.setdefault((_kind(state, mask), sort(state)), []).append(state)
        found = Worlds()
        for states in groups.values():
            mask = 0
            for state in states:
                mask |= self._masks[state]
            found.add(joined_state(states, usual), mask)
        return found


_Kind = tuple[bool, frozenset[str], Truth, frozenset[tuple[str, Value]]]


def _kind(state: State, mask: int) -> _Kind:
    """Which states are joined: those that differ in variables only."""
    return bool(mask & BASE), state.options, success(state.status), state.environment.marks()


class Usual:
    """The values that variables, and the status as `?`, have where nothing has failed."""

    def __init__(self) -> None:
        """Begin with none."""
        self._values: dict[str, set[Value | None]] = {}
        self._first = Environment({})

    def note(self, state: State) -> None:
        """Add the values of a state to which no failure has led."""
        self._values.setdefault("?", set()).add(state.status)
        items: Iterable[tuple[str, Value]] = state.environment.items()
        if self._first.items():
            items = state.environment.items() - self._first.items()
        else:
            self._first = state.environment
        for name, value in items:
            self._values.setdefault(name, {None}).add(value)

    def of(self, name: str) -> set[Value | None]:
        """The values of a variable; None for not set."""
        return self._values.get(name, set())

    def others(self, state: State) -> frozenset[str]:
        """The variables that have other values in a state."""
        if not self._values:
            return frozenset(name for name, _ in state.environment.items())
        differing = state.environment.items() - self._first.items()
        return frozenset(name for name, value in differing if value not in self.of(name))


def joined_state(states: list[State], usual: Usual) -> State:
    """What is known of a state that is one of several."""
    first = states[0]
    if len(states) == 1:
        return first
    differing: set[str] = set()
    for state in states[1:]:
        differing.update(name for name, _ in first.environment.items() ^ state.environment.items())
    changes: dict[str, Value | None] = {}
    for name in sorted(differing):
        found = {state.environment.get(name) for state in states}
        if not found <= usual.of(name):
            changes[name] = Vague.AFFECTED
        else:
            changes[name] = Vague.UNKNOWN if name[0] in _MARKS else None
    return State(_joined_status(states, usual.of("?")), first.environment.with_values(changes), first.options)


def _joined_status(states: list[State], usual: set[Value | None]) -> Text:
    statuses = dict.fromkeys(state.status for state in states)
    status: Value = states[0].status
    for other in statuses:
        status = joined(status, other)
    if status is Vague.AFFECTED and Vague.AFFECTED not in statuses and usual.issuperset(statuses):
        return Vague.UNKNOWN
    return status if isinstance(status, str | Vague) else Vague.AFFECTED


@dataclass(slots=True)
class Outcome:
    """How a command can end: it is done, or `break`, `continue`, `return` or `exit` leaves what holds it.

    `jumps` by kind and number of loops; `exits` by the command that ends the shell.
    """

    done: Worlds = field(default_factory=Worlds)
    jumps: dict[tuple[str, int], Worlds] = field(default_factory=dict)
    exits: dict[int, Worlds] = field(default_factory=dict)

    def jump(self, kind: str, count: int) -> Worlds:
        """The worlds that leave so."""
        return self.jumps.setdefault((kind, count), Worlds())

    def exit_at(self, place: int) -> Worlds:
        """The worlds that end the shell at a place."""
        return self.exits.setdefault(place, Worlds())

    def leave(self, other: Outcome) -> None:
        """Take over how another command leaves, but not where it is done."""
        for (kind, count), worlds in other.jumps.items():
            self.jump(kind, count).update(worlds)
        for place, worlds in other.exits.items():
            self.exit_at(place).update(worlds)

    def include(self, other: Outcome) -> None:
        """Take over all that another command may do."""
        self.done.update(other.done)
        self.leave(other)

    def masked(self, mask: int) -> Outcome:
        """The same for some of the failures."""
        outcome = Outcome(self.done.masked(mask))
        outcome.jumps = {kind: worlds.masked(mask) for kind, worlds in self.jumps.items()}
        outcome.exits = {place: worlds.masked(mask) for place, worlds in self.exits.items()}
        return outcome

    def only_fails(self) -> bool:
        """Whether the world without failures gets in here and can only end the shell with another status than 0."""
        if self.done.mask() & BASE or any(worlds.mask() & BASE for worlds in self.jumps.values()):
            return False
        ends = [state for worlds in self.exits.values() for state, mask in worlds if mask & BASE]
        return bool(ends) and all(success(state.status) is Truth.NO for state in ends)


def forgotten(state: State) -> State:
    """The state without what substitutions of this command left."""
    gone: dict[str, Value | None] = dict.fromkeys(state.environment.temporaries())
    if state.environment.get(INSIDE) is None:
        gone[FAILED_INSIDE] = None
    return state.assigned_all(gone)


def all_forgotten(worlds: Worlds) -> Worlds:
    """The same for all worlds."""
    found = Worlds()
    for state, mask in worlds:
        found.add(forgotten(state), mask)
    return found
