"""Loops. Each is gone through until nothing new turns up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shellguard.flow.fates.branches import succeeded
from shellguard.flow.fates.states import LOOP, State
from shellguard.flow.fates.values import ZERO, Job, Text, Vague, Value
from shellguard.flow.fates.variables import given
from shellguard.flow.fates.words import expand
from shellguard.flow.fates.worlds import Outcome, Worlds, all_forgotten
from shellguard.syntax.nodes import ArithmeticFor, ForLoop, WhileLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shellguard.flow.fates.interpreter import Interpreter

_MOST_ROUNDS: Final = 12


def run_while(machine: Interpreter, command: WhileLoop, worlds: Worlds, *, suppressed: bool) -> Outcome:
    """`while` and `until`: the condition runs with errexit ignored."""

    def head(begun: Worlds, outcome: Outcome) -> tuple[Worlds, Worlds]:
        tested = machine.run_list(command.condition, begun, suppressed=True)
        outcome.leave(tested)
        yes, no, free = succeeded(tested.done)
        again, over = (no, yes) if command.until else (yes, no)
        again.update(free)
        over.update(free)
        return again, over

    return _loop(machine, command, worlds, head, suppressed=suppressed)


def run_for(machine: Interpreter, command: ForLoop, worlds: Worlds, *, suppressed: bool) -> Outcome:
    """`for`: at least one round where a word is known, else any number."""
    outcome = Outcome()
    worlds = machine.substituted(command, worlds, suppressed=suppressed)
    worlds = all_forgotten(worlds)
    certain = any(word.literal for word in command.words or ()) and not command.select
    first = f"{LOOP}{id(command)} began"

    def head(begun: Worlds, inner: Outcome) -> tuple[Worlds, Worlds]:
        del inner
        again, over = Worlds(), Worlds()
        for state, mask in begun:
            if not certain or state.environment.get(first) is not None:
                over.add(state.assigned(first, None), mask)
            for value in _loop_values(machine, command, state):
                again.add(given(state.assigned(first, ZERO), command.variable, value, machine.relevant), mask)
        return again, over

    outcome.include(_loop(machine, command, worlds, head, suppressed=suppressed))
    cleaned = Worlds()
    for state, mask in outcome.done:
        cleaned.add(state.assigned(first, None), mask)
    outcome.done = cleaned
    return outcome


def _loop_values(machine: Interpreter, command: ForLoop, state: State) -> Iterator[Value]:
    """What a loop's variable may be, as far as it matters."""
    if command.variable not in machine.relevant:
        yield Vague.UNKNOWN
        return
    values = {expand(word, state) for word in command.words or ()}
    jobs = [value for value in values if isinstance(value, Job)]
    if jobs:
        yield from jobs
        if any(job.status != ZERO for job in jobs):
            yield Job(ZERO)
        return
    yield (
        next(iter(values))
        if len(values) == 1
        and len(command.words or ()) == 1
        and all(word.literal is not None for word in command.words or ())
        else Vague.UNKNOWN
    )


def run_arithmetic_for(machine: Interpreter, command: ArithmeticFor, worlds: Worlds, *, suppressed: bool) -> Outcome:
    """`for ((…))`: any number of rounds."""

    def head(begun: Worlds, outcome: Outcome) -> tuple[Worlds, Worlds]:
        del outcome
        return begun, begun

    return _loop(machine, command, worlds, head, suppressed=suppressed)


def _loop(
    machine: Interpreter,
    command: WhileLoop | ForLoop | ArithmeticFor,
    worlds: Worlds,
    head: Callable[[Worlds, Outcome], tuple[Worlds, Worlds]],
    *,
    suppressed: bool,
) -> Outcome:
    """A loop: `head` says in which worlds the body runs, and in which it is over."""
    name = f"{LOOP}{id(command)}" if machine.script.liveness.may_read_status_after(command) else ""
    outcome = Outcome()
    begun = Worlds()
    for state, mask in worlds:
        begun.add(state.assigned(name, ZERO) if name else state, mask)
    seen = Worlds()
    for _ in range(_MOST_ROUNDS):
        fresh = Worlds()
        for state, mask in begun.bounded(machine.budget.most_states):
            fresh.add(state, mask & ~seen.mask_of(state))
            seen.add(state, mask)
        if not fresh:
            break
        again, over = head(fresh, outcome)
        _leave_loop(name, over, outcome)
        result = machine.run_list(command.body, again, suppressed=suppressed)
        begun = Worlds()
        _note_round(name, result.done, begun)
        for (kind, count), left in result.jumps.items():
            if kind == "return":
                outcome.jump(kind, count).update(left)
            elif count > 1:
                outcome.jump(kind, count - 1).update(left)
            elif kind == "continue":
                _note_round(name, left, begun)
            else:
                for state, mask in left:
                    outcome.done.add(state.ended(ZERO).assigned(name, None), mask)
        for where, ended in result.exits.items():
            outcome.exit_at(where).update(ended)
    else:
        _leave_loop(name, begun, outcome)  # rounds that bring ever more states: they are over at some time
    return outcome


def _note_round(name: str, worlds: Worlds, begun: Worlds) -> None:
    """A loop's status is that of the last round's last command; without a name it doesn't matter."""
    for state, mask in worlds:
        begun.add(state.assigned(name, state.status) if name else state, mask)


def _leave_loop(name: str, worlds: Worlds, outcome: Outcome) -> None:
    for state, mask in worlds:
        status = state.environment.get(name) if name else None
        text: Text = status if isinstance(status, str | Vague) else ZERO
        outcome.done.add(state.ended(text).assigned(name, None), mask)
