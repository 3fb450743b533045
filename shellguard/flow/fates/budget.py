"""How much is gone through of a script whose branches are too many, and what is known of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.fates.worlds import BASE, Worlds

if TYPE_CHECKING:
    from shellguard.syntax.nodes import Command


@dataclass(frozen=True, slots=True)
class Precision:
    """How many steps a script is worth, and how many states are told apart before they are joined.

    `steps` for any script, and `steps_each` for each of its commands; `states` at one place, and `few_states` when half
    of the budget is spent; `calls` of a function that differ from the usual ones in the same variables, and
    `all_calls`; after `joins` more nothing is told apart in calls.
    """

    steps: int
    steps_each: int
    states: int
    few_states: int
    calls: int
    all_calls: int
    joins: int


FINE: Final = Precision(12_000, 6, 8, 2, 6, 18, 20)
COARSE: Final = Precision(20_000, 4, 1, 1, 1, 2, 4)


class ExhaustedError(Exception):
    """The budget ended within a shell inside the shell: what becomes of the command around it isn't known."""


class Budget:
    """Steps that are left. When they end, the worlds that are under way are given up where they are.

    `open` are the failures whose worlds were given up, `merged` those that had left no trace by then, so that the
    script ends as it does when nothing fails; `cuts` are the commands that weren't gone through for that.
    """

    def __init__(self, precision: Precision, commands: int, variables: int) -> None:
        """Begin for a script of so many commands; a step, a command in a state, costs more with more variables."""
        steps = (precision.steps + precision.steps_each * commands) * 200 // (200 + variables)
        self.precision = precision
        self._enough = steps // 2
        self._left = steps
        self._shells = 0
        self.open = 0
        self.merged = 0
        self.cuts: dict[Command, None] = {}

    @property
    def is_spent(self) -> bool:
        """Whether there are no steps left."""
        return self._left < 0

    @property
    def most_states(self) -> int:
        """More states than this at one place are joined: what differs is then only known to be affected."""
        return self.precision.states if self._left > self._enough else self.precision.few_states

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Note that a shell inside the shell is running."""
        self._shells += 1
        try:
            yield
        finally:
            self._shells -= 1

    def spend(self, steps: int, command: Command, worlds: Worlds) -> bool:
        """Take steps for a command; True where there are none left, and the worlds are given up."""
        self._left -= steps
        if self._left >= 0:
            return False
        if self._shells:
            raise ExhaustedError
        self.cut(command, worlds)
        return True

    def cut(self, command: Command, worlds: Worlds) -> None:
        """Give up worlds before a command."""
        if self._shells:
            raise ExhaustedError
        self.cuts[command] = None
        for _, mask in worlds:
            if mask & BASE:
                self.merged |= mask
            else:
                self.open |= mask

    def expand(self, bit: int, mask: int) -> None:
        """Put failures in the place of the bit that stood for them."""
        if self.open & bit:
            self.open = self.open & ~bit | mask
        if self.merged & bit:
            self.merged = self.merged & ~bit | mask
