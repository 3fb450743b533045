"""Branches: `if`, `&&` and `||`, `case`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shellguard.flow.fates.conditions import matches
from shellguard.flow.fates.states import LAST_SUBSTITUTION, State, forgotten
from shellguard.flow.fates.values import ZERO, Text, Truth, Vague, both, success
from shellguard.flow.fates.words import expand
from shellguard.flow.fates.worlds import Outcome, Worlds, all_forgotten
from shellguard.syntax.nodes import AndOrList, CaseClause, CaseItem, Command, IfClause, List, Word

if TYPE_CHECKING:
    from collections.abc import Callable

    from shellguard.flow.fates.interpreter import Interpreter


def split(worlds: Worlds, truth: Callable[[State], Truth]) -> tuple[Worlds, Worlds, Worlds]:
    """Worlds in which something holds, in which it doesn't, and in which either may be, whatever fails."""
    yes, no, free = Worlds(), Worlds(), Worlds()
    for state, mask in worlds:
        found = truth(state)
        if found is Truth.EITHER:
            free.add(state, mask)
            continue
        if found is not Truth.NO:
            yes.add(state, mask)
        if found is not Truth.YES:
            no.add(state, mask)
    return yes, no, free


def succeeded(worlds: Worlds) -> tuple[Worlds, Worlds, Worlds]:
    """Worlds in which the last command succeeded, failed, or may have done either whatever fails."""
    return split(worlds, lambda state: success(state.status))


def branch(
    machine: Interpreter, place: tuple[int, str], forced: Worlds, free: Worlds, run: Callable[[Worlds], Outcome]
) -> Outcome:
    """Take a branch, unless the script could then only fail although no command does: it isn't meant to."""
    outcome = Outcome()
    if free and place not in machine.never:
        found = run(free)
        if found.only_fails():
            machine.never.add(place)
        else:
            outcome.include(found)
    if forced:
        outcome.include(run(forced))
    return outcome


def run_if(machine: Interpreter, command: IfClause, worlds: Worlds, *, suppressed: bool) -> Outcome:
    """`if`: each condition runs with errexit ignored; without a branch to take, the status is 0."""
    outcome = Outcome()
    never_tested = Worlds()
    for part in command.branches:
        tested = machine.run_list(part.condition, worlds, suppressed=True)
        outcome.leave(tested)
        yes, no, free = succeeded(tested.done)

        def then(taken: Worlds, body: List = part.body) -> Outcome:
            return machine.run_list(body, taken, suppressed=suppressed)

        outcome.include(branch(machine, (id(part), "then"), yes, free, then))
        worlds, never_tested = no, free
        if part is not command.branches[-1]:
            worlds.update(free)
    final = command.else_body

    def otherwise(taken: Worlds) -> Outcome:
        if final is not None:
            return machine.run_list(final, taken, suppressed=suppressed)
        skipped = Outcome()
        for state, mask in taken:
            skipped.done.add(state.ended(ZERO), mask)
        return skipped

    outcome.include(branch(machine, (id(command), "else"), worlds, never_tested, otherwise))
    return outcome


def run_and_or(machine: Interpreter, command: AndOrList, worlds: Worlds, *, suppressed: bool) -> Outcome:
    """`a && b || c`: errexit is ignored in all but the last."""
    last = len(command.commands) - 1
    outcome = machine.run(command.commands[0], worlds, suppressed=True)
    for place, operator in enumerate(command.operators, start=1):
        part = command.commands[place]
        yes, no, free = succeeded(outcome.done)
        taken, skipped = (yes, no) if operator == "&&" else (no, yes)
        ignored = suppressed or place < last

        def follow(begun: Worlds, part: Command = part, *, ignored: bool = ignored) -> Outcome:
            return machine.run(part, begun, suppressed=ignored)

        result = branch(machine, (id(command), str(place)), taken, free, follow)
        outcome.done = Worlds()
        for state, mask in (*skipped, *free):
            passed = ZERO if operator == "||" and success(state.status) is Truth.EITHER else state.status
            outcome.done.add(state.ended(passed), mask)
        outcome.include(result)
    return outcome


def run_case(machine: Interpreter, command: CaseClause, worlds: Worlds, *, suppressed: bool) -> Outcome:
    """`case`: the status is 0 where no pattern matches; a branch sees the one before (bash 5.2)."""
    outcome = Outcome()
    worlds = machine.substituted(command, worlds, suppressed=suppressed)
    free = Worlds()
    falling = Worlds()
    for item in command.items:
        yes, no, either = _matching(command.word, item, worlds)
        maybe, never, open_again = _matching(command.word, item, free)
        either.update(maybe)
        either.update(open_again)
        del never
        yes.update(falling)

        def body(taken: Worlds, item: CaseItem = item) -> Outcome:
            begun = Worlds()
            for state, mask in taken:
                status = _status_in_case(state) if item.body.commands else ZERO
                begun.add(forgotten(state.ended(status)), mask)
            return machine.run_list(item.body, begun, suppressed=suppressed)

        found = branch(machine, (id(item), "case"), yes, either, body)
        outcome.leave(found)
        falling = Worlds()
        if item.terminator == ";&":
            falling = found.done
        else:
            outcome.done.update(found.done)
        if item.terminator == ";;&":
            no.update(yes)
        free.update(either)
        worlds = no
    for state, mask in (*worlds, *free):
        outcome.done.add(state.ended(ZERO), mask)
    outcome.done = all_forgotten(outcome.done)
    return outcome


def _status_in_case(state: State) -> Text:
    """The `$?` that a branch of `case` sees: that of a substitution in its word, or the one before."""
    status = state.environment.get(LAST_SUBSTITUTION)
    return status if isinstance(status, str | Vague) else state.status


def _matching(word: Word, item: CaseItem, worlds: Worlds) -> tuple[Worlds, Worlds, Worlds]:
    """Split worlds by whether one of an item's patterns matches."""

    def truth(state: State) -> Truth:
        value = expand(word, state)
        found = Truth.YES
        for pattern in item.patterns:
            found = both(found, matches(value, pattern, state).negated)
        return found.negated

    return split(worlds, truth)
