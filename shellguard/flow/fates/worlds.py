"""Which failures lead to which state of the shell.

A world is a state together with the failures that lead to it: bit 0 stands for "nothing fails", every other bit for
one command that fails whenever it runs while all others succeed. Worlds of the same state are one, so that a script is
gone through once for all failures together; those that leave no trace run along with the world in which nothing fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from shellguard.flow.fates.joins import Usual, joined_state
from shellguard.flow.fates.states import State, forgotten
from shellguard.flow.fates.values import Truth, Value, success

BASE: Final = 1
"""The bit of the world in which nothing fails."""
_ALIKE: Final = 2
"""So many times the states that are too many are kept if each differs in other variables from the usual ones."""


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


def all_forgotten(worlds: Worlds) -> Worlds:
    """The same for all worlds."""
    found = Worlds()
    for state, mask in worlds:
        found.add(forgotten(state), mask)
    return found
