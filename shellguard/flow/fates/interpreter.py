"""Goes through a script as a shell does, with every failure at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from shellguard.flow.expansions import StatusSet, expansion_events
from shellguard.flow.fates import arithmetic, builtins
from shellguard.flow.fates.branches import run_and_or, run_case, run_if
from shellguard.flow.fates.conditions import conditional
from shellguard.flow.fates.loops import run_arithmetic_for, run_for, run_while
from shellguard.flow.fates.relevant import constants, relevant_variables
from shellguard.flow.fates.shells import inherit_failure, run_background, run_pipeline, run_subshell, shell_inside
from shellguard.flow.fates.values import ZERO, Job, Truth, Vague, Value, status_of, success
from shellguard.flow.fates.words import expand, expand_all, substitution_name
from shellguard.flow.fates.worlds import (
    BASE,
    FAILED_INSIDE,
    INSIDE,
    TEMPORARY,
    TRAP,
    TRAPPED,
    Environment,
    Outcome,
    State,
    Worlds,
    all_forgotten,
    forgotten,
)
from shellguard.syntax import parse
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticCommand,
    ArithmeticFor,
    ArrayLiteral,
    Assignment,
    BackgroundCommand,
    BraceGroup,
    CaseClause,
    Command,
    CommandSubstitution,
    CompoundCommand,
    ConditionalCommand,
    Coprocess,
    ForLoop,
    FunctionDefinition,
    IfClause,
    List,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    Script,
    SimpleCommand,
    Subshell,
    WhileLoop,
)
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.structure import Structure

_MAX_CALLS: Final = 24
_LONGEST_TEXT: Final = 8
_LAST_SUBSTITUTION: Final = f"{TEMPORARY}last"


class ExhaustedError(Exception):
    """The script's branches are too many to go through them all."""


class Interpreter:
    """Runs commands on worlds: each method takes the worlds in which a command begins and gives how it can end.

    `suppressed`: errexit is ignored, as in a condition.
    """

    def __init__(self, structure: Structure, options: tuple[str, ...], sites: dict[SimpleCommand, int]) -> None:
        """Prepare for a script started with these options; `sites` has the bit of each command that may fail."""
        self.structure = structure
        self.options = options
        self.sites = sites
        self.reached = 0
        self.relevant = relevant_variables(structure)
        self._constants = {name: text for name, text in constants(structure).items() if name not in self.relevant}
        # A step costs the more, the more variables a state has.
        self._steps = (30_000 + 15 * len(structure.simple_commands)) * 200 // (200 + len(self.relevant))
        self.assigned = {node.name for node in structure.nodes(Assignment)}
        self._substitutions: dict[Command, tuple[CommandSubstitution | ProcessSubstitution, ...]] = {}
        self._parsed_code: dict[str, List | None] = {}
        self._calls: list[str] = []
        self.never: set[tuple[int, str]] = set()
        definitions = structure.nodes(FunctionDefinition)
        counts = Counter(node.name for node in definitions)
        body = structure.script.body
        # Of the others it doesn't matter when they are defined: nobody calls a function before.
        self._tracked = {
            node.name for node in definitions if counts[node.name] > 1 or structure.parents[node] is not body
        }
        self.keeps_pipe_statuses = "PIPESTATUS" in {node.name for node in structure.nodes(ParameterExpansion)}
        self._in_function = 0

    # Lists

    def run_script(self, script: Script) -> Outcome:
        """The whole script; where it ends counts as an exit."""
        options = builtins.options_after_set(frozenset(), list(self.options))
        begun = State(ZERO, Environment({}, self._constants), options)
        outcome = self.run_list(script.body, Worlds({begun: BASE}), suppressed=False)
        return self.end_shell(outcome, script.end)

    def end_shell(self, outcome: Outcome, place: int) -> Outcome:
        """What becomes of a shell: its end is an exit, and EXIT traps run."""
        outcome.exit_at(place).update(outcome.done)
        for worlds in outcome.jumps.values():
            outcome.exit_at(place).update(worlds)
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
        for command in body.commands:
            if not worlds:
                break
            result = self.run(command, worlds, suppressed=suppressed)
            outcome.leave(result)
            worlds = result.done.bounded()
        outcome.done = worlds
        return outcome

    def run(self, command: Command, worlds: Worlds, *, suppressed: bool) -> Outcome:
        """One command of any kind."""
        self._steps -= len(worlds)
        if self._steps < 0:
            raise ExhaustedError
        if isinstance(command, CompoundCommand) and command.redirections:
            worlds = all_forgotten(self.run_substitutions(_redirected(command), worlds))
        runner = _RUNNERS.get(type(command))
        outcome = runner(self, command, worlds, suppressed=suppressed) if runner is not None else Outcome(worlds)
        return self.settle(command, outcome, suppressed=suppressed) if isinstance(command, _SETTLED) else outcome

    def settle(self, command: Command, outcome: Outcome, *, suppressed: bool) -> Outcome:
        """Let errexit and the ERR trap act on the statuses that a command ends with."""
        if suppressed:
            return outcome
        done = Worlds()
        for state, mask in outcome.done:
            failed = success(state.status)
            if failed in (Truth.YES, Truth.EITHER):
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

    def _err_trap(self, command: Command, state: State, mask: int, outcome: Outcome) -> Worlds:
        """Run the trap on ERR; the status stays what it was."""
        code = state.environment.get(f"{TRAP}ERR")
        body = self.parsed(code) if isinstance(code, str) else None
        if body is None or (self._in_function and "errtrace" not in state.options):
            return Worlds({state: mask})
        inner = self.run_list(body, Worlds({state.assigned(f"{TRAP}ERR", None): mask}), suppressed=False)
        for worlds in inner.exits.values():
            outcome.exit_at(command.start).update(worlds)
        after = Worlds()
        for end, part in inner.done:
            after.add(end.assigned(f"{TRAP}ERR", code).ended(state.status), part)
        return after

    # Branches

    # Loops

    # Shells inside the shell

    # Simple commands

    def run_test(self, command: ArithmeticCommand | ConditionalCommand, worlds: Worlds, *, suppressed: bool) -> Outcome:  # noqa: ARG002 -- as all runners
        """`[[ ]]` and `(( ))`."""
        outcome = Outcome()
        worlds = self.substituted(command, worlds)
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

    def substituted(self, command: Command, worlds: Worlds) -> Worlds:
        """Run the substitutions in a command's words."""
        nodes = self._substitutions.get(command)
        if nodes is None:
            nodes = _substitutions(command)
            self._substitutions[command] = nodes
        return self.run_substitutions(nodes, worlds) if nodes else worlds

    def run_substitutions(self, nodes: tuple[CommandSubstitution | ProcessSubstitution, ...], worlds: Worlds) -> Worlds:
        """Run substitutions: each leaves what it printed, and the last one its status."""
        for node in nodes:
            after = Worlds()
            for state, mask in worlds:
                if isinstance(node, ProcessSubstitution):
                    bits = shell_inside(self, node.body, state, mask, suppressed=False).mask()
                    after.add(state, bits if mask & BASE else mask)
                    continue
                options = state.options if "inherit_errexit" in state.options else state.options - {"errexit"}
                begun = state.with_options(options)
                for end, part in shell_inside(self, node.body, begun, mask, suppressed=False):
                    failed = end.environment.get(FAILED_INSIDE) is not None
                    value = Vague.AFFECTED if failed else _printed(node, state)
                    next_state = inherit_failure(state, end).with_options(state.options)
                    next_state = next_state.assigned(substitution_name(node), value)
                    after.add(next_state.assigned(_LAST_SUBSTITUTION, end.status), part)
            worlds = after
        return worlds

    def run_simple(self, command: SimpleCommand, worlds: Worlds, *, suppressed: bool) -> Outcome:
        """Assignments, or the call of a function, builtin or program."""
        outcome = Outcome()
        begun = self.substituted(command, worlds)
        if not command.words:
            for state, mask in begun:
                status = state.environment.get(_LAST_SUBSTITUTION)
                after = state
                for assignment in command.assignments:
                    after = self.assign(after, assignment)
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
            definition = self._function(name, state)
            if definition is not None and len(self._calls) < _MAX_CALLS and self._calls.count(name) < 2:
                return self._called(definition, values[1:], state, mask, suppressed=suppressed)
            builtin = builtins.BUILTINS.get(name)
            if builtin is not None:
                return builtin(builtins.Call(self, command, values, state, mask, suppressed))
        return self.program(command, state, mask)

    def program(self, command: SimpleCommand, state: State, mask: int) -> Outcome:
        """Run a program: it succeeds, and in worlds of its own it fails."""
        outcome = Outcome()
        bit = self.sites.get(command, 0)
        self.reached |= bit
        outcome.done.add(state.ended(ZERO), mask & ~bit)
        if bit and mask & (BASE | bit):
            failed = state.assigned(FAILED_INSIDE, ZERO) if state.environment.get(INSIDE) is not None else state
            outcome.done.add(failed.ended(Vague.FAILED), bit)
        return outcome

    def run_in_site(self, command: SimpleCommand, body: List, state: State, mask: int, *, suppressed: bool) -> Outcome:
        """Run code that isn't in the script's tree, as `eval` does: its programs fail together with the command."""
        outcome = self.run_list(body, Worlds({state: mask}), suppressed=suppressed)
        bit = self.sites.get(command, 0)
        self.reached |= bit
        return outcome

    def parsed(self, code: str) -> List | None:
        """Shell code of a trap or `eval`, parsed; None where it is empty or broken."""
        if code not in self._parsed_code:
            script = parse(code)
            self._parsed_code[code] = script.body if script.body.commands and not script.issues else None
        return self._parsed_code[code]

    def _function(self, name: str, state: State) -> FunctionDefinition | None:
        if name in self._tracked:
            known = state.environment.get(f"{name}()")
            return known if isinstance(known, FunctionDefinition) else None
        return self.structure.functions.get(name)

    def define(self, command: FunctionDefinition, worlds: Worlds, *, suppressed: bool) -> Outcome:  # noqa: ARG002 -- as all runners
        """A definition runs nothing."""
        outcome = Outcome()
        for state, mask in worlds:
            after = state.assigned(f"{command.name}()", command) if command.name in self._tracked else state
            outcome.done.add(after.ended(ZERO), mask)
        return outcome

    def _called(
        self, definition: FunctionDefinition, arguments: list[Value], state: State, mask: int, *, suppressed: bool
    ) -> Outcome:
        """Run a function's body; its variables and parameters are gone afterwards."""
        inner = self.with_parameters(state, arguments)
        self._calls.append(definition.name)
        self._in_function += 1
        found = self.run(definition.body, Worlds({inner: mask}), suppressed=suppressed)
        self._in_function -= 1
        self._calls.pop()
        outcome = Outcome()
        outcome.exits = found.exits
        names = [*_locals(definition), "@", *map(str, range(1, 10))]
        for worlds in (found.done, *(worlds for (kind, _), worlds in found.jumps.items() if kind == "return")):
            for after, part in worlds:
                restored = after
                for name in names:
                    restored = restored.assigned(name, state.environment.get(name))
                outcome.done.add(restored, part)
        return outcome

    def with_parameters(self, state: State, arguments: list[Value]) -> State:
        """The state in which `$1`, `$2` and `$@` are these."""
        texts = tuple(value if isinstance(value, str | Vague) else Vague.UNKNOWN for value in arguments)
        if "@" in self.relevant or "*" in self.relevant:
            state = state.assigned("@", texts)
        for index in range(1, 10):
            if str(index) in self.relevant:
                known = texts[index - 1] if index <= len(texts) else ""
                state = state.assigned(str(index), known)
        return state

    # Variables

    def assign(self, state: State, assignment: Assignment) -> State:
        """The state after `name=value`."""
        value: Value
        if assignment.value is None:
            value = ""
        elif isinstance(assignment.value, ArrayLiteral):
            value = self._array(assignment.value, state)
        else:
            value = expand(assignment.value, state)
        if assignment.operator == "+=":
            value = _appended(state.environment.get(assignment.name), value, assignment)
        elif assignment.subscript is not None:
            value = Vague.FILLED if isinstance(value, str) else value
        return self.assign_value(state, assignment.name, value)

    def _array(self, literal: ArrayLiteral, state: State) -> Value:
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

    def assign_value(self, state: State, name: str, value: Value) -> State:
        """The state after a variable has got a value, if it matters."""
        if name not in self.relevant and not isinstance(value, Job):
            return state
        return state.assigned(name, value)


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


def _printed(node: CommandSubstitution, state: State) -> Value:
    """What a substitution prints when nothing fails: known for `$(echo …)` of one word."""
    command = node.body.commands[0] if len(node.body.commands) == 1 else None
    if isinstance(command, SimpleCommand) and len(command.words) == 2 and command.words[0].literal == "echo":
        value = expand(command.words[1], state)
        if not (isinstance(value, str) and value.startswith("-")):
            return value
    return Vague.UNKNOWN


def _substitutions(command: Command) -> tuple[CommandSubstitution | ProcessSubstitution, ...]:
    """The substitutions in the words of a command."""
    events = tuple(expansion_events(command))
    found: list[CommandSubstitution | ProcessSubstitution] = [
        item.node for item in events if isinstance(item, StatusSet)
    ]
    if isinstance(command, SimpleCommand):
        roots = (*command.words, *(item.target for item in command.redirections))
        found.extend(node for root in roots for node in root.parts if isinstance(node, ProcessSubstitution))
        return tuple(found)
    inside = {node for item in getattr(command, "redirections", ()) for node in walk(item)}
    return tuple(node for node in found if node not in inside)


def _redirected(command: CompoundCommand) -> tuple[CommandSubstitution | ProcessSubstitution, ...]:
    """The substitutions in the redirections of a compound command."""
    nodes = (node for item in command.redirections for node in walk(item.target))
    return tuple(node for node in nodes if isinstance(node, (CommandSubstitution, ProcessSubstitution)))


def _locals(definition: FunctionDefinition) -> list[str]:
    found = []
    for node in walk(definition.body):
        if isinstance(node, SimpleCommand) and node.words and node.words[0].literal in {"local", "declare", "typeset"}:
            for word in node.words[1:]:
                head = word.parts[0] if word.parts else None
                text = getattr(head, "value", "")
                name = text.partition("=")[0] if isinstance(text, str) else ""
                if name.isidentifier():
                    found.append(name)
    return found


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
