"""What is known where one of several states holds."""

from __future__ import annotations

from collections.abc import Iterable

from shellguard.flow.fates.states import MARKS, Environment, State
from shellguard.flow.fates.values import Text, Vague, Value, joined


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
            changes[name] = Vague.UNKNOWN if name[0] in MARKS else None
    return State(_joined_status(states, usual.of("?")), first.environment.with_values(changes), first.options)


def _joined_status(states: list[State], usual: set[Value | None]) -> Text:
    statuses = dict.fromkeys(state.status for state in states)
    status: Value = states[0].status
    for other in statuses:
        status = joined(status, other)
    if status is Vague.AFFECTED and Vague.AFFECTED not in statuses and usual.issuperset(statuses):
        return Vague.UNKNOWN
    return status if isinstance(status, str | Vague) else Vague.AFFECTED
