"""What assignments do to a state."""

from __future__ import annotations

from typing import Final

from shellguard.flow.fates.states import State
from shellguard.flow.fates.values import ZERO, Job, Vague, Value
from shellguard.flow.fates.words import expand
from shellguard.syntax.nodes import ArrayLiteral, Assignment, ParameterExpansion
from shellguard.syntax.walk import walk

_LONGEST_TEXT: Final = 8


def assigned(state: State, assignment: Assignment, relevant: frozenset[str]) -> State:
    """The state after `name=value`."""
    value: Value
    if assignment.value is None:
        value = ""
    elif isinstance(assignment.value, ArrayLiteral):
        value = _array(assignment.value, state)
    else:
        value = expand(assignment.value, state)
    if assignment.operator == "+=":
        value = _appended(state.environment.get(assignment.name), value, assignment)
    elif assignment.subscript is not None:
        value = Vague.FILLED if isinstance(value, str) else value
    return given(state, assignment.name, value, relevant)


def given(state: State, name: str, value: Value, relevant: frozenset[str]) -> State:
    """The state after a variable has got a value, if it matters."""
    if name not in relevant and not isinstance(value, Job):
        return state
    return state.assigned(name, value)


def _array(literal: ArrayLiteral, state: State) -> Value:
    """An array: empty, one or several jobs, or filled."""
    values = [expand(element.value, state) for element in literal.elements]
    if not values:
        return ""
    jobs = [value for value in values if isinstance(value, Job)]
    if jobs:
        return jobs[0]
    names = {node.name for node in walk(literal) if isinstance(node, ParameterExpansion)}
    if "PIPESTATUS" in names:
        return state.statuses or (state.status,)
    return Vague.FILLED


def _appended(before: Value | None, value: Value, assignment: Assignment) -> Value:
    """What `name+=value` makes of a variable."""
    if isinstance(value, Job) or isinstance(before, Job):
        jobs = [item for item in (before, value) if isinstance(item, Job)]
        return next((job for job in jobs if job.status != ZERO), jobs[0])
    if isinstance(before, str) and isinstance(value, str) and not isinstance(assignment.value, ArrayLiteral):
        joined = before + value
        return joined if len(joined) <= _LONGEST_TEXT else Vague.FILLED
    if value not in ("", Vague.UNKNOWN) or before in (Vague.FILLED, Vague.FAILED):
        return Vague.FILLED
    return Vague.UNKNOWN
