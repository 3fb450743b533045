"""How the tree hangs together: what holds a node, which functions there are, who calls them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from shellguard.syntax.nodes import (
    Assignment,
    Command,
    ForLoop,
    FunctionDefinition,
    List,
    Literal,
    Node,
    Script,
    SimpleCommand,
    Word,
)
from shellguard.syntax.walk import children

DECLARATIONS: Final = frozenset({"local", "declare", "typeset", "export", "readonly"})
ASSIGNING_BUILTINS: Final = DECLARATIONS | {"read"}

N = TypeVar("N", bound=Node)


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """The script's tree with its parents.

    `positions` has each command's index in its list, `functions` the last definition of each name, `calls` the
    commands that call it by name.
    """

    script: Script
    parents: dict[Node, Node]
    positions: dict[Node, int]
    functions: dict[str, FunctionDefinition]
    calls: dict[str, tuple[SimpleCommand, ...]]
    simple_commands: tuple[SimpleCommand, ...]
    by_name: dict[str, list[SimpleCommand]]
    kinds: dict[type[Node], list[Node]]
    assignments: tuple[tuple[int, str], ...]

    def nodes(self, *kinds: type[N]) -> list[N]:
        """All nodes of some kinds in the order of the text, but for those in words that are known text."""
        found = [node for kind in kinds for node in self.kinds.get(kind, ()) if isinstance(node, kind)]
        if len(kinds) > 1:
            found.sort(key=lambda node: (node.start, -node.end))
        return found

    def named(self, *names: str) -> list[SimpleCommand]:
        """The simple commands whose first word is one of these names, in the order of the text for each."""
        return [command for name in names for command in self.by_name.get(name, ())]

    def assigned_names(self, node: Node) -> list[str]:
        """The variables that a piece of the script assigns, each once."""
        first = bisect_left(self.assignments, (node.start, ""))
        last = bisect_left(self.assignments, (node.end, ""))
        return list(dict.fromkeys(name for _, name in self.assignments[first:last]))

    def ancestors(self, node: Node) -> Iterator[Node]:
        """Yield what holds a node, innermost first."""
        current = self.parents.get(node)
        while current is not None:
            yield current
            current = self.parents.get(current)

    def enclosing_command(self, node: Node) -> Command | None:
        """The innermost command that a word, redirection or expansion belongs to."""
        return next((item for item in self.ancestors(node) if isinstance(item, Command)), None)

    def enclosing_function(self, node: Node) -> FunctionDefinition | None:
        """The function whose body a node stands in."""
        return next((item for item in self.ancestors(node) if isinstance(item, FunctionDefinition)), None)

    def siblings(self, command: Node) -> tuple[Command | None, Command | None]:
        """The commands before and after a command in its list; None where it isn't in one, or is at its end."""
        parent = self.parents.get(command)
        if not isinstance(parent, List):
            return None, None
        commands = parent.commands
        index = self.positions[command]
        before = commands[index - 1] if index else None
        after = commands[index + 1] if index + 1 < len(commands) else None
        return before, after


def build_structure(script: Script) -> Structure:
    """Index a tree. Words that hold nothing but known text are left out: most words, and nothing asks for them."""
    parents: dict[Node, Node] = {}
    positions: dict[Node, int] = {}
    functions: dict[str, FunctionDefinition] = {}
    kinds: dict[type[Node], list[Node]] = {}
    stack: list[Node] = [script]
    while stack:
        current = stack.pop()
        kinds.setdefault(type(current), []).append(current)
        if isinstance(current, FunctionDefinition):
            functions[current.name] = current
        elif isinstance(current, List):
            positions.update((command, index) for index, command in enumerate(current.commands))
        below = [child for child in children(current) if not (isinstance(child, Word) and child.literal is not None)]
        for child in below:
            parents[child] = current
        below.reverse()
        stack.extend(below)
    commands = [node for node in kinds.get(SimpleCommand, ()) if isinstance(node, SimpleCommand)]
    by_name: dict[str, list[SimpleCommand]] = {}
    for command in commands:
        name = command.words[0].literal if command.words else None
        if name is not None:
            by_name.setdefault(name, []).append(command)
    calls = {name: tuple(by_name[name]) for name in functions if name in by_name}
    return Structure(script, parents, positions, functions, calls, tuple(commands), by_name, kinds, _assignments(kinds))


def _assignments(kinds: dict[type[Node], list[Node]]) -> tuple[tuple[int, str], ...]:
    """Where variables are assigned, as (offset, name), in order."""
    places = [(node.start, node.name) for node in kinds.get(Assignment, ()) if isinstance(node, Assignment)]
    places += [(node.start, node.variable) for node in kinds.get(ForLoop, ()) if isinstance(node, ForLoop)]
    for node in kinds.get(SimpleCommand, ()):
        if isinstance(node, SimpleCommand) and node.words and node.words[0].literal in ASSIGNING_BUILTINS:
            places.extend((word.start, name) for word in node.words[1:] for name in _assigned_by(node, word))
    return tuple(sorted(places))


def _assigned_by(command: SimpleCommand, word: Word) -> Iterator[str]:
    """The variable that a word of `read x` or `local x=1` assigns."""
    head = word.parts[0] if word.parts else None
    text = head.value if isinstance(head, Literal) else ""
    name, equals, _ = text.partition("=")
    if name.isidentifier() and (equals or command.words[0].literal == "read"):
        yield name
