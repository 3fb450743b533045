"""Calls of functions. What a function does in a state is worked out once, for all calls that see it alike."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shellguard.flow.fates.joins import Usual, joined_state
from shellguard.flow.fates.mentions import function_key
from shellguard.flow.fates.states import JOBS, TRAP, Environment, State
from shellguard.flow.fates.values import ZERO, Vague, Value
from shellguard.flow.fates.worlds import BASE, Outcome, Worlds
from shellguard.syntax.nodes import FunctionDefinition, Node, SimpleCommand
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shellguard.flow.fates.interpreter import Interpreter
    from shellguard.flow.fates.prepared import Prepared

_DEEPEST: Final = 40
_ERR: Final = f"{TRAP}ERR"
_PARAMETERS: Final = ("@", *map(str, range(1, 10)))

_Running = tuple[tuple[str, int], ...]
_Call = tuple[FunctionDefinition, bool, _Running]
_Key = tuple[FunctionDefinition, State, bool, int, _Running]
_Fixed = frozenset[tuple[str, Value]]
_Kind = tuple[FunctionDefinition, bool, _Running, frozenset[str], bool, _Fixed, frozenset[str]]


@dataclass(slots=True)
class _Group:
    """The states in which a function was called, and the one that stands for those that are too many."""

    seen: set[State] = field(default_factory=set)
    wide: State | None = None
    joins: int = 0


class Functions:
    """The script's functions: which one a name stands for, and what calls do."""

    def __init__(self, script: Prepared) -> None:
        """Prepare for a script."""
        self._mentions = mentions = script.mentions
        self._liveness = script.liveness
        self._structure = script.structure
        self._places = [command.start for command in script.sites]
        # A bit that no site has stands for all failures that happen outside of a function.
        self._elsewhere = 2 << len(script.sites)
        body = self._structure.script.body
        # Of the others it doesn't matter when they are defined: nobody calls a function before.
        self._tracked = {
            name
            for name, definitions in mentions.definitions.items()
            if len(definitions) > 1 or self._structure.parents[definitions[0]] is not body
        }
        self._stack: list[str] = []
        self._known: dict[_Key, tuple[Outcome, int]] = {}
        self._groups: dict[_Kind, _Group] = {}
        self._masks: dict[tuple[_Call, State], int] = {}
        self._usual: dict[FunctionDefinition, Usual] = {}
        self._inside: dict[Node, int] = {}
        self._locals: dict[FunctionDefinition, tuple[str, ...]] = {}

    @property
    def is_in_one(self) -> bool:
        """Whether a function is being run."""
        return bool(self._stack)

    def named(self, name: str, state: State) -> FunctionDefinition | None:
        """The function that a name stands for, if it can be called once more."""
        if len(self._stack) >= _DEEPEST or self._stack[:-1].count(name) or self._stack[-2:] == [name, name]:
            return None
        if name in self._tracked:
            known = state.environment.get(function_key(name))
            return known if isinstance(known, FunctionDefinition) else None
        return self._structure.functions.get(name)

    def defined(self, command: FunctionDefinition, state: State) -> State:
        """The state after a definition."""
        return state.assigned(function_key(command.name), command) if command.name in self._tracked else state

    def sites_in(self, node: Node) -> int:
        """The commands that may fail in a part of the script, and in the functions that it may call."""
        known = self._inside.get(node)
        if known is None:
            known = self._sites_between(node)
            for name in self._mentions.names(self._mentions.read(node)):
                for definition in self._mentions.called(name):
                    known |= self._sites_between(definition)
            self._inside[node] = known
        return known

    def sites_in_all(self, nodes: Iterable[Node]) -> int:
        """The same for several parts."""
        mask = 0
        for node in nodes:
            mask |= self.sites_in(node)
        return mask

    def _sites_between(self, node: Node) -> int:
        first, last = bisect_left(self._places, node.start), bisect_left(self._places, node.end)
        return (2 << last) - (2 << first)  # bit 0 is no site's

    def call(
        self,
        machine: Interpreter,
        definition: FunctionDefinition,
        arguments: list[Value],
        state: State,
        mask: int,
        *,
        suppressed: bool,
    ) -> Outcome:
        """Run a function's body; its variables and parameters are gone afterwards."""
        inner = with_parameters(machine.relevant, state, arguments)
        hidden = None if "errtrace" in state.options else state.environment.get(_ERR)
        if hidden is not None:
            inner = inner.assigned(_ERR, None)
        begun, rest = self._entered(definition, inner)
        own = self.sites_in(definition) | BASE
        others = mask & ~own
        reached = mask & own | (self._elsewhere if others else 0)
        found = self._run(machine, definition, begun, reached, suppressed=suppressed)
        machine.budget.expand(self._elsewhere, others)
        machine.torn = self._expanded(machine.torn, others)
        names = (*self._locals_of(definition), *_PARAMETERS)
        outer = {name: state.environment.get(name) for name in names}
        outcome = Outcome()
        for place, worlds in found.exits.items():
            for after, part in worlds:
                outcome.exit_at(place).add(after.with_rest(rest), self._expanded(part, others))
        for worlds in (found.done, *(worlds for (kind, _), worlds in found.jumps.items() if kind == "return")):
            for after, part in worlds:
                restored = after.with_rest(rest)
                if hidden is not None and after.environment.get(_ERR) is None:
                    outer[_ERR] = hidden
                else:
                    outer.pop(_ERR, None)
                outcome.done.add(restored.assigned_all(outer), self._expanded(part, others))
        return outcome

    def _expanded(self, mask: int, others: int) -> int:
        return mask & ~self._elsewhere | others if mask & self._elsewhere else mask

    def _entered(self, definition: FunctionDefinition, state: State) -> tuple[State, Environment]:
        """The state as far as a function can see or change it, and the other variables."""
        touched = self._mentions.names(self._mentions.touched(definition) | self._mentions.always)
        environment, rest = state.environment.divided(touched | {"!", JOBS})
        if self._liveness.reads_status(definition.name):
            return State(state.status, environment, state.options, state.statuses), rest
        return State(ZERO, environment, state.options), rest

    def _run(
        self, machine: Interpreter, definition: FunctionDefinition, begun: State, mask: int, *, suppressed: bool
    ) -> Outcome:
        running = self._running(definition)
        call = (definition, suppressed, running)
        begun = self._widened(machine, call, begun, is_usual=bool(mask & BASE))
        wide = mask if mask & BASE else self._with_earlier(call, begun, mask)
        key = (definition, begun, suppressed, wide, running)
        known = self._known.get(key)
        if known is None:
            before, machine.torn = machine.torn, 0
            self._stack.append(definition.name)
            try:
                found = machine.run(definition.body, Worlds({begun: wide}), suppressed=suppressed)
            finally:
                self._stack.pop()
            known = found, machine.torn
            machine.torn = before
            if not machine.budget.is_spent:
                self._known[key] = known
        found, torn = known
        machine.torn |= torn & (mask | ~wide)
        return found if wide == mask else found.masked(mask)

    def _running(self, definition: FunctionDefinition) -> _Running:
        """The functions being run that a function may call again, and how often each is."""
        reach = self._mentions.names(self._mentions.read(definition))
        return tuple(sorted(item for item in Counter(self._stack).items() if function_key(item[0]) in reach))

    def _with_earlier(self, call: _Call, begun: State, mask: int) -> int:
        """Failures together with those that have led to the same call before: each finds its way out alone."""
        mask |= self._masks.get((call, begun), 0)
        self._masks[call, begun] = mask
        return mask

    def _widened(self, machine: Interpreter, call: _Call, begun: State, *, is_usual: bool) -> State:
        """Join the states of many calls, so that a function isn't gone through any number of times."""
        kind = (*call, begun.options, is_usual, begun.environment.marks_and_functions())
        together = self._groups.setdefault((*kind, frozenset()), _Group())
        if begun in together.seen:
            return begun
        usual = self._usual.setdefault(call[0], Usual())
        if is_usual:
            usual.note(begun)
        group = together
        precision = machine.budget.precision
        if len(together.seen) < precision.all_calls:
            group = self._groups.setdefault((*kind, usual.others(begun)), _Group())
        if len(group.seen) < (precision.all_calls if group is together else precision.calls):
            group.seen.add(begun)
            together.seen.add(begun)
            return begun
        wide = _joined(begun, group.wide, is_usual=is_usual)
        if wide != group.wide:
            group.joins += 1
            if group.joins > precision.joins:
                names = self._mentions.names(self._mentions.touched(call[0]))
                wide = wide.vague(names, None if is_usual else Vague.AFFECTED)
            group.wide = wide
        return wide

    def _locals_of(self, definition: FunctionDefinition) -> tuple[str, ...]:
        if definition not in self._locals:
            self._locals[definition] = tuple(_local_names(definition))
        return self._locals[definition]


def with_parameters(relevant: frozenset[str], state: State, arguments: list[Value]) -> State:
    """The state in which `$1`, `$2` and `$@` are these."""
    texts = tuple(value if isinstance(value, str | Vague) else Vague.UNKNOWN for value in arguments)
    values: dict[str, Value | None] = {}
    if not relevant.isdisjoint({"@", "*", "#"}):
        values["@"] = texts
    for index in range(1, 10):
        if str(index) in relevant:
            values[str(index)] = texts[index - 1] if index <= len(texts) else ""
    return state.assigned_all(values)


def _joined(state: State, wide: State | None, *, is_usual: bool) -> State:
    """What is known of both states; `is_usual`: no failure has led to them."""
    if wide is None:
        return state
    usual = Usual()
    if is_usual:
        usual.note(state)
        usual.note(wide)
    return joined_state([wide, state], usual)


def _local_names(definition: FunctionDefinition) -> list[str]:
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
