"""Which of the variables that matter may each part of a script read or set, functions that it calls included?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from shellguard.flow.fates.relevant import DECIDING, code_of
from shellguard.flow.fates.states import JOBS
from shellguard.flow.structure import DECLARATIONS, Structure
from shellguard.syntax.nodes import (
    ArithmeticExpression,
    Assignment,
    Command,
    CommandSubstitution,
    ConditionalBinary,
    ForLoop,
    FunctionDefinition,
    Literal,
    Node,
    ParameterExpansion,
    ProcessSubstitution,
    SimpleCommand,
    Word,
)

STATUS: Final = "?"
_LAST_JOB: Final = "!"
_PARAMETERS: Final = ("@", *map(str, range(1, 10)))
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_STATUS_IN_CODE: Final = re.compile(r"\$\{?\?")
_SETTING: Final = (*DECLARATIONS, "read", "getopts", "let", "unset", "printf", "mapfile", "readarray")
_READING: Final = frozenset({*DECIDING, *DECLARATIONS, "command", "builtin", "exec"})


def function_key(name: str) -> str:
    """The name that stands for a function among those of variables."""
    return f"{name}()"


class _Masks:
    """A set of names for each node that holds for what holds the node as well."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._masks: dict[Node, int] = {}

    def of(self, node: Node) -> int:
        return self._masks.get(node, 0)

    def add(self, node: Node, mask: int) -> bool:
        """Add names; False where all are there already."""
        known = self._masks.get(node, 0)
        if known | mask == known:
            return False
        self._masks[node] = known | mask
        for outer in self._structure.ancestors(node):
            known = self._masks.get(outer, 0)
            if known | mask == known:
                break
            self._masks[outer] = known | mask
        return True


class Mentions:
    """Sets of variables as masks. `always` is what the code of traps may read anywhere.

    The status counts as a variable named `?` (a call doesn't hand on that its function reads it), and so do functions:
    a node reads those that it may call.
    """

    def __init__(self, structure: Structure, relevant: frozenset[str]) -> None:
        """Go through the script once, and through its calls until nothing new turns up."""
        self.structure = structure
        self.definitions: dict[str, list[FunctionDefinition]] = {}
        for definition in structure.nodes(FunctionDefinition):
            self.definitions.setdefault(definition.name, []).append(definition)
        names = sorted({*relevant, "@", STATUS, JOBS, _LAST_JOB, *map(function_key, self.definitions)})
        self._bits = {name: 1 << place for place, name in enumerate(names)}
        self.status = self._bits[STATUS]
        self.everything = (1 << len(names)) - 1
        self.always = 0
        self._read = _Masks(structure)
        self._set = _Masks(structure)
        self._names: dict[int, frozenset[str]] = {}
        self.dynamic = [command for command in structure.simple_commands if _may_run_anything(command)]
        """Commands that may call any function."""
        for node, name in self._found_read():
            self._read.add(node, self._bits.get("@" if name in {"*", "#"} else name, 0))
        for node, name in self._found_set():
            self._set.add(node, self._bits.get(name, 0))
        self._add_code()
        self._add_calls()
        self._add_traps()

    def read(self, *nodes: Node) -> int:
        """The variables that nodes may read."""
        mask = 0
        for node in nodes:
            mask |= self._read.of(node)
        return mask

    def touched(self, node: Node) -> int:
        """The variables that a node may read or set."""
        return self._read.of(node) | self._set.of(node)

    def called(self, name: str) -> Iterable[FunctionDefinition]:
        """The functions that a name stands for among those of variables."""
        return self.definitions.get(name[:-2], ()) if name.endswith("()") else ()

    def bit(self, name: str) -> int:
        """The mask of one variable; 0 for one that doesn't matter."""
        return self._bits.get(name, 0)

    def names(self, mask: int) -> frozenset[str]:
        """The names of a mask."""
        if mask not in self._names:
            self._names[mask] = frozenset(name for name, bit in self._bits.items() if bit & mask)
        return self._names[mask]

    def _found_read(self) -> Iterator[tuple[Node, str]]:
        """Yield the variables that nodes read themselves; the arguments of programs don't matter."""
        structure = self.structure
        for parameter in structure.nodes(ParameterExpansion):
            if not self._is_for_program(parameter):
                yield parameter, STATUS if parameter.name == "PIPESTATUS" else parameter.name
        for expression in structure.nodes(ArithmeticExpression):
            yield from _literal_names(expression, expression.parts)
        for comparison in structure.nodes(ConditionalBinary):  # `-eq` takes names for their values
            yield from _literal_names(comparison, (comparison.left, comparison.right))
        for command in structure.named("let"):
            yield from _literal_names(command, command.words[1:])
        for command in structure.named("wait"):
            yield command, JOBS
        for command in structure.named("shift"):
            for name in _PARAMETERS:
                yield command, name
        for command in structure.named("exit", "return"):
            if len(command.words) < 2 or command.words[1].literal is None:
                yield command, STATUS

    def _is_for_program(self, parameter: ParameterExpansion) -> bool:
        """Whether a parameter is only expanded for a program, whatever it is, or to be printed on the terminal."""
        previous: Node = parameter
        for outer in self.structure.ancestors(parameter):
            if isinstance(outer, SimpleCommand):
                name = outer.words[0].literal if outer.words else None
                if name is None or name in _READING or name in self.definitions or isinstance(previous, Assignment):
                    return False
                return name not in {"echo", "printf"} or not isinstance(
                    self.structure.parents.get(self.structure.parents[outer]), CommandSubstitution
                )
            if isinstance(outer, (Command, CommandSubstitution, ProcessSubstitution)):
                return False
            previous = outer
        return False

    def _found_set(self) -> Iterator[tuple[Node, str]]:
        """Yield the variables that nodes set themselves."""
        for assignment in self.structure.nodes(Assignment):
            yield assignment, assignment.name
            if assignment.operator == "+=":
                self._read.add(assignment, self._bits.get(assignment.name, 0))
        for loop in self.structure.nodes(ForLoop):
            yield loop, loop.variable
        for expression in self.structure.nodes(ArithmeticExpression):
            yield from _literal_names(expression, expression.parts)
        for command in self.structure.named(*_SETTING):
            yield from _literal_names(command, command.words[1:])
        for command in self.structure.named("set", "shift"):
            for name in _PARAMETERS:
                yield command, name

    def _in_code(self, code: str) -> int:
        """What shell code may read or set; it may call functions."""
        mask = self.status if _STATUS_IN_CODE.search(code) else 0
        for name in _NAME.findall(code):
            mask |= self.bit(name) | self.bit(function_key(name))
        return mask

    def _add_code(self) -> None:
        for command in self.structure.named("eval"):
            is_known = all(word.literal is not None for word in command.words)
            mask = self._in_code(code_of(command)) if is_known else self.everything
            self._read.add(command, mask)
            self._set.add(command, mask)

    def _add_calls(self) -> None:
        """Let calls mention what their functions do; parameters are each function's own."""
        own = self.status
        for name in _PARAMETERS:
            own |= self.bit(name)
        changed = True
        while changed:
            changed = False
            read = touched = 0
            for name, definitions in self.definitions.items():
                key = self.bit(function_key(name))
                reads = key | self.read(*definitions) & ~own
                sets = key
                for definition in definitions:
                    sets |= self._set.of(definition) & ~own
                read |= reads
                touched |= sets
                for call in self.structure.calls.get(name, ()):
                    changed |= self._read.add(call, reads) | self._set.add(call, sets)
            for command in self.dynamic:
                changed |= self._read.add(command, read) | self._set.add(command, touched)

    def _add_traps(self) -> None:
        """A trap's code may run anywhere, and so may the functions in it."""
        for command in self.structure.named("trap"):
            mask = self._in_code(code_of(command))
            self.always |= mask
            for name in self.names(mask):
                for definition in self.called(name):
                    self.always |= self.touched(definition)


def _may_run_anything(command: SimpleCommand) -> bool:
    return bool(command.words) and command.words[0].literal in {None, "eval"}


def _literal_names(holder: Node, parts: Iterable[Node]) -> Iterator[tuple[Node, str]]:
    """Yield what may be names in known text."""
    for part in parts:
        if isinstance(part, Literal):
            yield from ((holder, name) for name in _NAME.findall(part.value))
        elif isinstance(part, Word):
            yield from _literal_names(holder, part.parts)
