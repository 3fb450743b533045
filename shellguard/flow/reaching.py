"""Which commands' status can `$?` hold when a command begins?

Answered from the tree: what stands before a command in its list, in the list around that, and in the branches and
loops between them. A function's first command is reached from wherever the function is called, which isn't followed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from shellguard.flow.commands import simple_commands
from shellguard.flow.expansions import StatusSet, expansion_events
from shellguard.flow.situations import always_exits
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticFor,
    BraceGroup,
    CaseClause,
    CaseItem,
    Command,
    CommandSubstitution,
    ForLoop,
    FunctionDefinition,
    IfBranch,
    IfClause,
    List,
    Node,
    Pipeline,
    SimpleCommand,
    Subshell,
    WhileLoop,
)

if TYPE_CHECKING:
    from shellguard.flow.structure import Structure

_LEAVING: Final = frozenset({"exit", "return", "break", "continue", "exec"})
_MAX_DEPTH: Final = 120


class Side(Enum):
    """What is known of a status on the way that it takes."""

    ANY = "any"
    SUCCESS = "0"
    FAILURE = "not 0"


@dataclass(frozen=True, slots=True)
class Reached:
    """`$?` may hold the status of `command` (of a pipeline with `!`: 0 or 1); `side` is what the way there says of it.

    A compound command stands for the 0 that it gives when nothing in it runs.
    """

    command: Command
    side: Side = Side.ANY

    @property
    def is_negated(self) -> bool:
        """Whether `!` has replaced the status by 0 or 1."""
        return isinstance(self.command, Pipeline) and self.command.negated


_Set = tuple[Reached, ...]


@dataclass(slots=True)
class Reaching:
    """Finds the statuses that reach a command; answers are kept. `None` stands for "isn't known"."""

    structure: Structure
    _known: dict[Node, _Set | None] = field(default_factory=dict)
    _depth: int = 0

    def before(self, command: Node) -> _Set | None:
        """What `$?` can hold when a command begins; None where it comes from out of sight."""
        if command in self._known:
            return self._known[command]
        if self._depth > _MAX_DEPTH:
            return None
        self._depth += 1
        self._known[command] = ()  # a loop's body reaches itself through what else reaches it
        found = self._find(command)
        self._known[command] = found
        self._depth -= 1
        return found

    def _find(self, command: Node) -> _Set | None:
        parent = self.structure.parents.get(command)
        match parent:
            case List():
                index = self.structure.positions[command]
                return self._after(parent.commands[index - 1]) if index else self._opening(parent)
            case AndOrList():
                return self._inside(parent, command)
            case Pipeline() | IfBranch() | IfClause() | CaseItem():
                return self.before(parent)
            case _ if isinstance(parent, Command) and not isinstance(parent, FunctionDefinition):
                return self.before(parent)
            case _:
                return None

    def _opening(self, body: List) -> _Set | None:
        """What reaches the first command of a list."""
        owner = self.structure.parents.get(body)
        match owner:
            case IfBranch():
                clause = self.structure.parents[owner]
                if not isinstance(clause, IfClause):
                    return None
                if body is owner.body:
                    return _on(Side.SUCCESS, self._after_list(owner.condition))
                place = clause.branches.index(owner)
                return self._refused(clause.branches[place - 1]) if place else self.before(clause)
            case IfClause():
                return self._refused(owner.branches[-1])
            case WhileLoop() if body is owner.body:
                side = Side.FAILURE if owner.until else Side.SUCCESS
                return _on(side, self._after_list(owner.condition))
            case WhileLoop() | ForLoop() | ArithmeticFor():
                return _union(self.before(owner), self._after_list(owner.body))
            case CaseItem():
                return self.before(self.structure.parents[owner])
            case BraceGroup() | Subshell():
                return self.before(owner)
            case CommandSubstitution():
                holder = self.structure.enclosing_command(owner)
                return self.before(holder) if holder is not None and _is_first(holder, owner) else None
            case _:
                return None

    def _refused(self, branch: IfBranch) -> _Set | None:
        """What reaches the `elif` or `else` after a condition."""
        return _on(Side.FAILURE, self._after_list(branch.condition))

    def _inside(self, parent: AndOrList, command: Node) -> _Set | None:
        """What reaches a later command of an AND-OR list: the status that lets it run."""
        if command is parent.commands[0]:
            return self.before(parent)
        place = parent.commands.index(command)
        side = Side.SUCCESS if parent.operators[place - 1] == "&&" else Side.FAILURE
        return _on(side, self._chain(parent, place))

    def _chain(self, parent: AndOrList, length: int) -> _Set | None:
        """What `$?` can hold after the first commands of an AND-OR list."""
        found = self._after(parent.commands[0])
        for operator, command in zip(parent.operators[: length - 1], parent.commands[1:length], strict=True):
            passes, skips = (Side.SUCCESS, Side.FAILURE) if operator == "&&" else (Side.FAILURE, Side.SUCCESS)
            runs = _on(passes, found)
            found = _union(_on(skips, found), self._after(command) if runs is None or runs else ())
        return found

    def _after_list(self, body: List) -> _Set | None:
        return self._after(body.commands[-1]) if body.commands else None

    def _after(self, command: Command) -> _Set | None:
        """What `$?` can hold when a command has ended."""
        match command:
            case SimpleCommand():
                return () if self._leaves(command) else (Reached(command),)
            case Pipeline() if command.negated:
                return (Reached(command),)
            case Pipeline():
                last = command.commands[-1]
                # What a subshell of the pipeline does at its end (`| { read x; exit; }`) isn't looked into.
                return self._after(last) if len(command.commands) == 1 else (Reached(_innermost(last)),)
            case AndOrList():
                return self._chain(command, len(command.commands))
            case BraceGroup():
                return self._after_list(command.body)
            case Subshell():
                found = self._after_list(command.body)
                return _union(found, (Reached(command),)) if self._may_exit(command) or not found else found
            case IfClause():
                bodies = [branch.body for branch in command.branches]
                missing = (Reached(command, Side.SUCCESS),) if command.else_body is None else ()
                others = [*bodies, command.else_body] if command.else_body is not None else bodies
                return _union(missing, *(self._after_list(body) for body in others))
            case WhileLoop() | ForLoop() | ArithmeticFor():
                return _union((Reached(command, Side.SUCCESS),), self._after_list(command.body))
            case CaseClause():
                none = (Reached(command, Side.SUCCESS),)
                return _union(none, *(self._after_list(item.body) for item in command.items if item.body.commands))
            case _:
                return (Reached(command),)

    def _may_exit(self, subshell: Subshell) -> bool:
        """Whether a subshell may end before its last command."""
        leavers = [item for item in simple_commands(subshell) if self._leaves(item)]
        return any(item.words[0].literal not in {"break", "continue"} for item in leavers)

    def _leaves(self, command: SimpleCommand) -> bool:
        """Whether nothing runs after a command."""
        name = command.words[0].literal if command.words else None
        if name in _LEAVING:
            return name != "exec" or len(command.words) > 1
        definition = self.structure.functions.get(name or "")
        return definition is not None and always_exits(definition.body)


def _is_first(holder: Command, substitution: CommandSubstitution) -> bool:
    """Whether no other substitution of a command runs before this one and sets `$?`."""
    event = next((event for event in expansion_events(holder) if isinstance(event, StatusSet)), None)
    return event is not None and event.node is substitution


def _innermost(command: Command) -> Command:
    """The command itself, a group around only one taken away."""
    while isinstance(command, (BraceGroup, Subshell)) and len(command.body.commands) == 1:
        command = command.body.commands[0]
    return command


def _on(side: Side, found: _Set | None) -> _Set | None:
    """What is left of some statuses where only success, or failure, leads on."""
    if found is None:
        return None
    return tuple(replace(item, side=side) for item in found if item.side in {Side.ANY, side})


def _union(*sets: _Set | None) -> _Set | None:
    """All of several sets, each once; not known if one isn't."""
    found: dict[Reached, None] = {}
    for items in sets:
        if items is None:
            return None
        found.update(dict.fromkeys(items))
    return tuple(found)
