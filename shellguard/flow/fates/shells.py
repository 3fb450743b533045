"""Shells inside the shell: `( )`, the parts of a pipeline, jobs in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shellguard.flow.fates.states import FAILED_INSIDE, INSIDE, JOBS, TRAP, State
from shellguard.flow.fates.values import ZERO, Job, Text, Truth, Vague, status_of, success
from shellguard.flow.fates.worlds import BASE, Outcome, Worlds
from shellguard.syntax.nodes import (
    ArithmeticFor,
    BackgroundCommand,
    CaseClause,
    Command,
    Coprocess,
    ForLoop,
    IfClause,
    List,
    Pipeline,
    Subshell,
    WhileLoop,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shellguard.flow.fates.interpreter import Interpreter


_WITHOUT_TRAP: Final = (ForLoop, ArithmeticFor, WhileLoop, IfClause, CaseClause)


def shell_inside(
    machine: Interpreter, body: List, state: State, mask: int, *, suppressed: bool, runs_trap: bool = True
) -> Worlds:
    """The states with which a subshell ends: its status, and whether something failed in it, on the outer state."""
    inner = state.assigned(f"{TRAP}EXIT", None).assigned(FAILED_INSIDE, None).assigned(INSIDE, ZERO)
    if "errtrace" not in state.options:
        inner = inner.assigned(f"{TRAP}ERR", None)
    with machine.budget.inside():
        ran = machine.run_list(body, Worlds({inner: mask}), suppressed=suppressed)
        outcome = machine.end_shell(ran, body.end, runs_trap=runs_trap)
    ends = Worlds()
    for worlds in outcome.exits.values():
        for end, part in worlds:
            failed = end.environment.get(FAILED_INSIDE)
            ends.add(state.assigned(FAILED_INSIDE, failed).ended(end.status), part)
    return ends


def _own_shell(machine: Interpreter, command: Command, state: State, mask: int, *, suppressed: bool) -> Worlds:
    """Run a command in a shell of its own, which runs no EXIT trap at the end of a loop or branch (bash 5.2)."""
    body = List(command.start, command.end, (command,))
    runs_trap = not isinstance(command, _WITHOUT_TRAP)
    return shell_inside(machine, body, state, mask, suppressed=suppressed, runs_trap=runs_trap)


def run_subshell(machine: Interpreter, command: Subshell, worlds: Worlds, *, suppressed: bool) -> Outcome:
    """`( … )`: what it sets is gone, its status stays."""
    outcome = Outcome()
    for state, mask in worlds:
        for end, part in shell_inside(machine, command.body, state, mask, suppressed=suppressed):
            outcome.done.add(inherit_failure(state, end), part)
    return outcome


def inherit_failure(before: State, end: State) -> State:
    """What failed in a shell inside failed in the one around it as well."""
    if before.environment.get(INSIDE) is None:
        return end.assigned(FAILED_INSIDE, None)
    return end.assigned(FAILED_INSIDE, end.environment.get(FAILED_INSIDE) or before.environment.get(FAILED_INSIDE))


def run_background(
    machine: Interpreter, command: BackgroundCommand | Coprocess, worlds: Worlds, *, suppressed: bool
) -> Outcome:
    """`command &`: the status is 0, and `$!` stands for that of the job, which ignores errexit where this does."""
    outcome = Outcome()
    for state, mask in worlds:
        for end, part in _own_shell(machine, command.command, state, mask, suppressed=suppressed):
            after = state.ended(ZERO).assigned("!", Job(end.status))
            if end.status != ZERO:
                after = after.assigned(JOBS, Vague.FAILED)
            outcome.done.add(after, part)
    return outcome


def run_pipeline(machine: Interpreter, command: Pipeline, worlds: Worlds, *, suppressed: bool) -> Outcome:
    """`! a | b`: the last status, or under pipefail that of the last one that failed."""
    if not command.negated:
        parts = _run_parts(machine, command, worlds, suppressed=suppressed)
        return machine.settle(command, parts, suppressed=suppressed)
    outcome = Outcome()
    for ignores, begun in _by_negation(worlds):
        outcome.include(_run_parts(machine, command, begun, suppressed=suppressed or ignores))
    done = Worlds()
    for state, mask in outcome.done:
        done.add(state.ended(status_of(success(state.status).negated)), mask)
    outcome.done = done
    return outcome


def _by_negation(worlds: Worlds) -> Iterator[tuple[bool, Worlds]]:
    """Yield the worlds in which `!` makes errexit be ignored, and the others.

    It does where errexit is on already: `! { set -e; false; }; echo` ends after `false` (bash 5.2).
    """
    ignoring, others = Worlds(), Worlds()
    for state, mask in worlds:
        (ignoring if "errexit" in state.options else others).add(state, mask)
    if ignoring:
        yield True, ignoring
    if others:
        yield False, others


def _run_parts(machine: Interpreter, command: Pipeline, worlds: Worlds, *, suppressed: bool) -> Outcome:
    if len(command.commands) == 1:
        return machine.run(command.commands[0], worlds, suppressed=suppressed)
    outcome = Outcome()
    for state, mask in worlds:
        if not command.commands:  # `!` or `time` alone
            outcome.done.add(state.ended(ZERO), mask)
            continue
        if "lastpipe" in state.options:
            outcome.include(_last_piped(machine, command, state, mask, suppressed=suppressed))
            continue
        for (statuses, failed), bits in _piped(machine, command.commands, state, mask, suppressed=suppressed).items():
            end = _after_pipe(machine, state, statuses)
            outcome.done.add(_noted(end) if failed else end, bits)
    return outcome


def _last_piped(machine: Interpreter, command: Pipeline, state: State, mask: int, *, suppressed: bool) -> Outcome:
    """Run a pipeline whose last command isn't run in a shell of its own (bash's `lastpipe`)."""
    outcome = Outcome()
    first = _piped(machine, command.commands[:-1], state, mask, suppressed=suppressed)
    for (statuses, failed), bits in first.items():
        begun = _noted(state) if failed else state
        last = machine.run(command.commands[-1], Worlds({begun: bits}), suppressed=suppressed)
        outcome.leave(last)
        for end, part in last.done:
            outcome.done.add(_after_pipe(machine, end, (*statuses, end.status)), part)
    return outcome


def _noted(state: State) -> State:
    """The state after something has failed in a shell inside the shell."""
    return state.assigned(FAILED_INSIDE, ZERO) if state.environment.get(INSIDE) is not None else state


def _after_pipe(machine: Interpreter, state: State, statuses: tuple[Text, ...]) -> State:
    """The state after a pipeline whose commands have ended so."""
    status = _pipe_status(statuses) if "pipefail" in state.options else statuses[-1]
    if machine.script.keeps_pipe_statuses:
        return State(status, state.environment, state.options, statuses)
    return state.ended(status)


_Piped = dict[tuple[tuple[Text, ...], bool], int]
"""The statuses of a pipeline's commands, whether something in them failed, and which failures lead there."""


def _piped(machine: Interpreter, commands: Sequence[Command], state: State, mask: int, *, suppressed: bool) -> _Piped:
    """Run each command of a pipeline in a shell of its own; a failure in one leaves the others as they are."""
    ends: list[list[tuple[tuple[Text, bool], int]]] = []
    for part in commands:
        found: dict[tuple[Text, bool], int] = {}
        for end, bits in _own_shell(machine, part, state, mask, suppressed=suppressed):
            key = (end.status, end.environment.get(FAILED_INSIDE) is not None)
            found[key] = found.get(key, 0) | bits
        ends.append(list(found.items()))
    everything = 0
    for items in ends:
        for _, bits in items:
            everything |= bits
    combined: _Piped = {((), False): everything}
    for items in ends:
        here = 0
        for _, bits in items:
            here |= bits
        elsewhere = everything & ~here
        following: _Piped = {}
        for (statuses, failed), bits in combined.items():
            for (status, fails), more in items:
                shared = bits & (more | elsewhere if more & BASE else more)
                if shared:
                    key2 = ((*statuses, status), failed or fails)
                    following[key2] = following.get(key2, 0) | shared
        combined = following
    return combined


def _pipe_status(statuses: tuple[Text, ...]) -> Text:
    """The status of a pipeline under pipefail: that of the last command that failed."""
    result: Text = ZERO
    for status in statuses:
        match success(status):
            case Truth.NO:
                result = status
            case Truth.YES:
                pass
            case found:
                if success(result) is Truth.YES:
                    result = status_of(found)
                elif success(result) is Truth.NO and found is Truth.AFFECTED:
                    result = Vague.FAILED
    return result
