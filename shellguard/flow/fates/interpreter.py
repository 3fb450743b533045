"""Goes through a script as a shell does, with every failure at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.fates import arithmetic, builtins
from shellguard.flow.fates.branches import run_and_or, run_case, run_if
from shellguard.flow.fates.budget import FINE, Budget, ExhaustedError, Precision
from shellguard.flow.fates.calls import Functions
from shellguard.flow.fates.conditions import conditional
from shellguard.flow.fates.loops import run_arithmetic_for, run_for, run_while
from shellguard.flow.fates.shells import run_background, run_pipeline, run_subshell
from shellguard.flow.fates.states import (
    FAILED_INSIDE,
    INSIDE,
    LAST_SUBSTITUTION,
    TRAP,
    TRAPPED,
    Environment,
    State,
    forgotten,
)
from shellguard.flow.fates.substitutions import (
    Substitutions,
    redirected,
    run_substitutions,
    substitutions_of,
)
from shellguard.flow.fates.values import ZERO, Truth, Vague, Value, status_of, success
from shellguard.flow.fates.variables import assigned
from shellguard.flow.fates.words import expand_all
from shellguard.flow.fates.worlds import BASE, Outcome, Worlds, all_forgotten
from shellguard.syntax import parse
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticCommand,
    ArithmeticFor,
    BackgroundCommand,
    BraceGroup,
    CaseClause,
    Command,
    CompoundCommand,
    ConditionalCommand,
    Coprocess,
    ForLoop,
    FunctionDefinition,
    IfClause,
    List,
    Pipeline,
    SimpleCommand,
    Subshell,
    WhileLoop,
)

if TYPE_CHECKING:
    from shellguard.flow.fates.prepared import Prepared


@dataclass(frozen=True, slots=True)
class Start:
    """How a script is started: with which options, and whether as a program of its own, where `return` is an error.

    `own_options` are those that the shell has from the beginning. `precision` is how closely it is looked at.
    """

    options: tuple[str, ...] = ()
    own_options: tuple[str, ...] = ()
    is_program: bool = True
    precision: Precision = FINE


class Interpreter:
    """Runs commands on worlds: each method takes the worlds in which a command begins and gives how it can end.

    `suppressed`: errexit is ignored, as in a condition.
    """

    def __init__(self, script: Prepared, start: Start) -> None:
        """Prepare for a script that is started so."""
        self.script = script
        self.start = start
        self.reached = 0
        self.relevant = script.relevant
        self.budget = Budget(start.precision, len(script.structure.simple_commands), len(script.relevant))
        self.functions = Functions(script)
        self.place = 0
        """How far the script's own list was gone through before the budget ended."""
        self.torn = 0
        """Failures of which it isn't known whether their status was kept, so that they may go either way."""
        self.may_fail: set[Command] = set()
        """Commands whose status isn't known, and after which the script goes on if nothing fails."""
        self.never: set[tuple[int, str]] = set()
        self._substitutions: dict[Command, Substitutions] = {}
        self._parsed_code: dict[str, List | None] = {}

    # Lists

    def run_script(self) -> Outcome:
        """The whole script; where it ends counts as an exit."""
        script = self.script.structure.script
        options = builtins.options_after_set(frozenset(self.start.own_options), list(self.start.options))
        begun = State(ZERO, Environment({}, self.script.constants), options)
        outcome = self.run_list(script.body, Worlds({begun: BASE}), suppressed=False)
        return self.end_shell(outcome, script.end)

    def end_shell(self, outcome: Outcome, place: int, *, runs_trap: bool = True) -> Outcome:
        """What becomes of a shell: its end is an exit, and EXIT traps run."""
        outcome.exit_at(place).update(outcome.done)
        for worlds in outcome.jumps.values():
            outcome.exit_at(place).update(worlds)
        if not runs_trap:
            return outcome
        ended = Outcome()
        for where, worlds in outcome.exits.items():
            for state, mask in worlds:
                self._run_exit_trap(state, mask, where, ended)
        return ended

    def _run_exit_trap(self, state: State, mask: int, place: int, ended: Outcome) -> None:
        code = state.environment.get(f"{TRAP}EXIT")
        body = self.parsed(code) if isinstance(code, str) else None
        if body is None:
            ended.exit_at(place).add(state, mask)
            return
        begun = state.assigned(f"{TRAP}EXIT", None).assigned(TRAPPED, state.status)
        outcome = self.run_list(body, Worlds({begun: mask}), suppressed=False)
        for after, part in outcome.done:
            ended.exit_at(place).add(after.ended(state.status), part)
        for worlds in outcome.exits.values():
            ended.exit_at(place).update(worlds)

    def run_list(self, body: List, worlds: Worlds, *, suppressed: bool) -> Outcome:
        """Commands one after another."""
        outcome = Outcome()
        for place, command in enumerate(body.commands):
            if not worlds:
                break
            if body is self.script.structure.script.body and not self.budget.cuts:
                self.place = place
            result = self.run(command, worlds, suppressed=suppressed)
            outcome.leave(result)
            worlds = result.done
            worlds = worlds.without(
                self.script.liveness.dead_after(command, body.commands[place - 1] if place else None)
            )
            worlds = worlds.bounded(self.budget.most_states)
        outcome.done = worlds
        return outcome

    def run(self, command: Command, worlds: Worlds, *, suppressed: bool) -> Outcome:
        """One command of any kind."""
        if self.budget.spend(len(worlds), command, worlds):
            return Outcome()
        if isinstance(command, CompoundCommand) and command.redirections:
            worlds = all_forgotten(run_substitutions(self, redirected(command), worlds, suppressed=suppressed))
        runner = _RUNNERS.get(type(command))
        try:
            outcome = runner(self, command, worlds, suppressed=suppressed) if runner is not None else Outcome(worlds)
        except ExhaustedError:
            self.budget.cut(command, worlds)
            return Outcome()
        return self.settle(command, outcome, suppressed=suppressed) if isinstance(command, _SETTLED) else outcome

    def settle(self, command: Command, outcome: Outcome, *, suppressed: bool) -> Outcome:
        """Let errexit and the ERR trap act on the statuses that a command ends with."""
        if suppressed:
            return outcome
        done = Worlds()
        for state, mask in outcome.done:
            failed = success(state.status)
            if failed is Truth.EITHER:
                failed = self._assumed(command, mask)
            if failed is Truth.YES:
                done.add(state, mask)
                continue
            if failed is Truth.AFFECTED:
                done.add(state.ended(ZERO) if "errexit" in state.options else state, mask)
                if "errexit" not in state.options:
                    continue
            for after, part in self._err_trap(command, state, mask, outcome):
                if "errexit" in state.options:
                    outcome.exit_at(command.start).add(after, part)
                else:
                    done.add(after, part)
        outcome.done = done
        return outcome

    def _assumed(self, command: Command, mask: int) -> Truth:
        """What a status that isn't known comes to: if nothing fails the script goes on, and so it does otherwise."""
        if mask & BASE:
            self.may_fail.add(command)
        return Truth.YES if command in self.may_fail else Truth.AFFECTED

    def _err_trap(self, command: Command, state: State, mask: int, outcome: Outcome) -> Worlds:
        """Run the trap on ERR; the status stays what it was."""
        code = state.environment.get(f"{TRAP}ERR")
        body = self.parsed(code) if isinstance(code, str) else None
        if body is None:
            return Worlds({state: mask})
        inner = self.run_list(body, Worlds({state.assigned(f"{TRAP}ERR", None): mask}), suppressed=False)
        for worlds in inner.exits.values():
            outcome.exit_at(command.start).update(worlds)
        after = Worlds()
        for end, part in inner.done:
            after.add(end.assigned(f"{TRAP}ERR", code).ended(state.status), part)
        return after

    # Simple commands

    def run_test(self, command: ArithmeticCommand | ConditionalCommand, worlds: Worlds, *, suppressed: bool) -> Outcome:
        """`[[ ]]` and `(( ))`."""
        outcome = Outcome()
        worlds = self.substituted(command, worlds, suppressed=suppressed)
        for state, mask in worlds:
            if isinstance(command, ConditionalCommand):
                after, truth = state, conditional(command.expression, state)
            else:
                text = arithmetic.source(command.expression)
                value, after = arithmetic.evaluate(text, state)
                after = self._only_relevant(state, after)
                truth = arithmetic.holds(value)
            outcome.done.add(forgotten(after).ended(status_of(truth)), mask)
        return outcome

    def _only_relevant(self, before: State, after: State) -> State:
        """Forget what was assigned to variables that don't matter."""
        if after.environment is before.environment:
            return after
        for name in dict(after.environment.items()):
            if name not in self.relevant and not name.startswith(("\0", "$(")) and name not in {"!", "@"}:
                after = after.assigned(name, before.environment.get(name))
        return after

    def substituted(self, command: Command, worlds: Worlds, *, suppressed: bool) -> Worlds:
        """Run the substitutions in a command's words."""
        nodes = self._substitutions.get(command)
        if nodes is None:
            nodes = substitutions_of(command)
            self._substitutions[command] = nodes
        return run_substitutions(self, nodes, worlds, suppressed=suppressed) if nodes else worlds

    def run_simple(self, command: SimpleCommand, worlds: Worlds, *, suppressed: bool) -> Outcome:
        """Assignments, or the call of a function, builtin or program."""
        outcome = Outcome()
        begun = self.substituted(command, worlds, suppressed=suppressed)
        if not command.words:
            for state, mask in begun:
                status = state.environment.get(LAST_SUBSTITUTION)
                after = state
                for assignment in command.assignments:
                    after = assigned(after, assignment, self.relevant)
                outcome.done.add(forgotten(after).ended(status if isinstance(status, str | Vague) else ZERO), mask)
            return outcome
        for state, mask in begun:
            values = expand_all(command.words, state)
            outcome.include(self.call(command, values, forgotten(state), mask, suppressed=suppressed))
        return outcome

    def call(
        self, command: SimpleCommand, values: list[Value], state: State, mask: int, *, suppressed: bool
    ) -> Outcome:
        """Run a command of these words: a function, a builtin, or a program that may fail."""
        name = values[0] if values else Vague.UNKNOWN
        if isinstance(name, str):
            definition = self.functions.named(name, state)
            if definition is not None:
                return self.functions.call(self, definition, values[1:], state, mask, suppressed=suppressed)
            builtin = builtins.BUILTINS.get(name)
            if builtin is not None:
                return builtin(builtins.Call(self, command, values, state, mask, suppressed))
        return self.program(command, state, mask)

    def program(self, command: SimpleCommand, state: State, mask: int) -> Outcome:
        """Run a program: it succeeds, and in worlds of its own it fails."""
        outcome = Outcome()
        bit = self.script.sites.get(command, 0)
        self.reached |= bit
        outcome.done.add(state.ended(ZERO), mask & ~bit)
        if bit and mask & (BASE | bit):
            failed = state.assigned(FAILED_INSIDE, ZERO) if state.environment.get(INSIDE) is not None else state
            outcome.done.add(failed.ended(Vague.FAILED), bit)
        return outcome

    def run_in_site(self, command: SimpleCommand, body: List, state: State, mask: int, *, suppressed: bool) -> Outcome:
        """Run code that isn't in the script's tree, as `eval` does: its programs fail together with the command."""
        outcome = self.run_list(body, Worlds({state: mask}), suppressed=suppressed)
        bit = self.script.sites.get(command, 0)
        self.reached |= bit
        return outcome

    def parsed(self, code: str) -> List | None:
        """Shell code of a trap or `eval`, parsed; None where it is empty or broken."""
        if code not in self._parsed_code:
            script = parse(code)
            self._parsed_code[code] = script.body if script.body.commands and not script.issues else None
        return self._parsed_code[code]

    def define(self, command: FunctionDefinition, worlds: Worlds, *, suppressed: bool) -> Outcome:  # noqa: ARG002 -- as all runners
        """A definition runs nothing."""
        outcome = Outcome()
        for state, mask in worlds:
            outcome.done.add(self.functions.defined(command, state).ended(ZERO), mask)
        return outcome


def _run_group(machine: Interpreter, command: BraceGroup, worlds: Worlds, *, suppressed: bool) -> Outcome:
    return machine.run_list(command.body, worlds, suppressed=suppressed)


_SETTLED: Final = (SimpleCommand, Subshell, ArithmeticCommand, ConditionalCommand)
"""After these, errexit looks at the status; a pipeline sees to that itself."""
_RUNNERS: Final[dict[type[Command], Callable[..., Outcome]]] = {
    SimpleCommand: Interpreter.run_simple,
    ArithmeticCommand: Interpreter.run_test,
    ConditionalCommand: Interpreter.run_test,
    FunctionDefinition: Interpreter.define,
    BraceGroup: _run_group,
    IfClause: run_if,
    AndOrList: run_and_or,
    CaseClause: run_case,
    WhileLoop: run_while,
    ForLoop: run_for,
    ArithmeticFor: run_arithmetic_for,
    Subshell: run_subshell,
    Pipeline: run_pipeline,
    BackgroundCommand: run_background,
    Coprocess: run_background,
}
