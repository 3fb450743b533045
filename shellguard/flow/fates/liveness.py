"""Which variables may still be read after each command? The others needn't tell states apart.

An analysis from the end to the beginning, functions with what any of their callers may read afterwards. It errs on the
side of more variables: only an assignment that certainly runs makes an earlier value useless.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticFor,
    BackgroundCommand,
    BraceGroup,
    CaseClause,
    Command,
    CommandSubstitution,
    Coprocess,
    ForLoop,
    FunctionDefinition,
    IfClause,
    List,
    Node,
    Pipeline,
    ProcessSubstitution,
    SimpleCommand,
    Subshell,
    WhileLoop,
    Word,
)
from shellguard.syntax.walk import children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shellguard.flow.fates.mentions import Mentions

_INSIDE = (CommandSubstitution, ProcessSubstitution, Subshell, BackgroundCommand, Coprocess)
_LOOPS = (WhileLoop, ForLoop, ArithmeticFor)


@dataclass(frozen=True, slots=True)
class _Targets:
    """What may be read where `break` and `continue` lead, and where `return` does."""

    loops: int = 0
    end: int = 0


class Liveness:
    """The variables that may be read after each command of a list."""

    def __init__(self, mentions: Mentions) -> None:
        """Go through the script, and through functions until nothing new turns up."""
        self._mentions = mentions
        self._structure = mentions.structure
        self._after: dict[Command, int] = {}
        self._dead: dict[Command, frozenset[str]] = {}
        self._jumping = self._with_jumps()
        self._reading: set[str] = set()
        self._find_status_readers()
        self._ends: dict[str, int] = dict.fromkeys(mentions.definitions, mentions.status)
        for name in mentions.names(mentions.always):
            for definition in mentions.called(name):
                self._ends[definition.name] = mentions.everything
        self._run()

    def dead_after(self, command: Command, previous: Command | None) -> frozenset[str]:
        """The variables that may have a value after a command and that nothing reads; `?` stands for its status.

        `previous` is the command before it in a list: what nothing reads after that has no value any more.
        """
        found = self._dead.get(command)
        if found is None:
            live = self._after.get(command, self._mentions.everything)
            before = self._mentions.everything
            if previous is not None:
                before = self._after.get(previous, before) | self._mentions.touched(command) | self._mentions.status
            found = self._dead[command] = self._mentions.names(before & ~live)
        return found

    def may_read_status_after(self, command: Command) -> bool:
        """Whether the status that a command leaves may matter."""
        return bool(self._after.get(command, self._mentions.status) & self._mentions.status)

    def reads_status(self, function: str) -> bool:
        """Whether a function may read the status that was there when it was called."""
        return function in self._reading

    def _run(self) -> None:
        self._list(self._structure.script.body, self._mentions.status, _Targets())
        done: dict[str, int] = {}
        while done != self._ends:
            pending = [name for name, end in self._ends.items() if done.get(name) != end]
            done = dict(self._ends)
            for name in pending:
                end = self._ends[name]
                for definition in self._mentions.definitions[name]:
                    self._visit(definition.body, end, _Targets(0, end))

    def _with_jumps(self) -> set[Node]:
        """What holds a `break`, `continue` or `return`."""
        found: set[Node] = set()
        for command in self._structure.named("break", "continue", "return"):
            found.add(command)
            for outer in self._structure.ancestors(command):
                if outer in found:
                    break
                found.add(outer)
        return found

    def _find_status_readers(self) -> None:
        while True:
            found = {
                name
                for name, definitions in self._mentions.definitions.items()
                if any(self._reads_first(definition.body) for definition in definitions)
            }
            if found == self._reading:
                return
            self._reading = found

    # What is read before a command sets the status

    def _reads_first(self, node: Node) -> bool:
        """Whether a command may read the status that is there when it begins."""
        if isinstance(node, SimpleCommand):
            name = node.words[0].literal if node.words else ""
            calls = bool(self._reading) if name is None else name in self._reading
            return calls or bool(self._mentions.read(node) & self._mentions.status)
        if isinstance(node, FunctionDefinition):
            return False
        firsts = _first_parts(node)
        if firsts is None:
            return bool(self._mentions.read(node) & self._mentions.status)
        return any(self._reads_first(part) for part in firsts)

    # What is read after a command

    def _list(self, body: List, live: int, targets: _Targets) -> None:
        for command in reversed(body.commands):
            self._after[command] = self._after.get(command, self._mentions.always) | live
            self._visit(command, live, targets)
            live = self._before(command, live, targets)

    def _before(self, command: Command, live: int, targets: _Targets) -> int:
        """What may be read before a command."""
        live &= ~self._mentions.status
        if isinstance(command, FunctionDefinition):
            return live
        if isinstance(command, SimpleCommand) and not command.words:
            for assignment in command.assignments:
                if assignment.operator == "=" and assignment.subscript is None:
                    live &= ~self._mentions.bit(assignment.name)
            for assignment in command.assignments:
                live |= self._mentions.read(assignment)
            live |= self._mentions.read(*command.redirections)
        else:
            live |= self._mentions.read(command) & ~self._mentions.status
        if command in self._jumping:
            live |= targets.loops | targets.end
        return live | self._mentions.status if self._reads_first(command) else live & ~self._mentions.status

    def _visit(self, node: Node, live: int, targets: _Targets) -> None:
        """Go into a node after which `live` may be read."""
        if isinstance(node, Word) and node.literal is not None:
            return
        status = self._mentions.status
        match node:
            case FunctionDefinition():
                return
            case List():
                self._list(node, live, targets)
            case SimpleCommand():
                self._call(node, live)
                self._visit_parts(node, status, _Targets())
            case _ if isinstance(node, _INSIDE):
                self._visit_parts(node, status | self._mentions.always, _Targets())
            case _ if isinstance(node, _LOOPS):
                around = live | self._mentions.read(node) | (status if self._reads_first(node) else 0)
                inner = replace(targets, loops=targets.loops | around)
                for part in children(node):
                    is_body = part is node.body
                    self._visit(part, around if is_body else around | status, inner)
            case IfClause() | AndOrList() | CaseClause():
                self._visit_branches(node, live, targets)
            case BraceGroup():
                self._visit_parts(node, live, targets)
            case _:
                self._visit_parts(node, live | self._mentions.read(node) | status, targets)

    def _visit_branches(self, node: IfClause | AndOrList | CaseClause, live: int, targets: _Targets) -> None:
        """Go into the branches of a command, of which one runs last, and into the conditions before them."""
        inside = live | self._mentions.read(node) | self._mentions.status
        match node:
            case IfClause():
                for branch in node.branches:
                    self._visit(branch.condition, inside, targets)
                    self._visit(branch.body, live, targets)
                if node.else_body is not None:
                    self._visit(node.else_body, live, targets)
                self._visit_all(node.redirections, inside)
            case AndOrList():
                for part in node.commands[:-1]:
                    self._visit(part, inside, targets)
                self._visit(node.commands[-1], live, targets)
            case CaseClause():
                goes_on = any(item.terminator in {";&", ";;&"} for item in node.items)
                for item in node.items:
                    self._visit(item.body, inside if goes_on else live, targets)
                    self._visit_all(item.patterns, inside)
                self._visit_all((node.word, *node.redirections), inside)

    def _visit_parts(self, node: Node, live: int, targets: _Targets) -> None:
        for part in children(node):
            self._visit(part, live, targets)

    def _visit_all(self, nodes: Iterable[Node], live: int) -> None:
        for node in nodes:
            self._visit(node, live, _Targets())

    def _call(self, command: SimpleCommand, live: int) -> None:
        """Note what may be read after a call."""
        name = command.words[0].literal if command.words else ""
        called = [name] if name in self._ends else []
        if command in self._mentions.dynamic:
            called = list(self._ends)
        for item in called:
            self._ends[item] |= live


def _first_parts(node: Node) -> Iterator[Node] | None:
    """Yield the commands of which one runs first in a compound command; None for what has no such commands."""
    match node:
        case List():
            return iter(node.commands[:1])
        case BraceGroup() | Subshell() | WhileLoop():
            return iter((node.condition if isinstance(node, WhileLoop) else node.body,))
        case IfClause():
            return iter((node.branches[0].condition,))
        case AndOrList():
            return iter(node.commands[:1])
        case Pipeline():
            return iter(node.commands)
        case BackgroundCommand() | Coprocess():
            return iter((node.command,))
        case ForLoop():
            return iter((*(node.words or ()), node.body))
        case ArithmeticFor():
            return iter((node.initial, node.condition, node.body))
        case CaseClause():
            parts = ((*item.patterns, item.body) for item in node.items)
            return iter((node.word, *(part for group in parts for part in group)))
        case _:
            return None
