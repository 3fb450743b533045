"""In which order do a command's expansions happen, and which of them read or set `$?`?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from shellguard.syntax.nodes import (
    ArithmeticCommand,
    ArithmeticFor,
    ArrayElement,
    Assignment,
    BraceGroup,
    CaseClause,
    Command,
    CommandSubstitution,
    ConditionalCommand,
    ForLoop,
    HereDocument,
    IfClause,
    Node,
    ParameterExpansion,
    ProcessSubstitution,
    Redirection,
    SimpleCommand,
    Subshell,
    WhileLoop,
    Word,
)
from shellguard.syntax.walk import children


@dataclass(frozen=True, slots=True)
class StatusRead:
    """A `$?` in a command's words; `on_some_paths` where it is expanded only if a parameter is unset."""

    node: ParameterExpansion
    on_some_paths: bool


@dataclass(frozen=True, slots=True)
class StatusSet:
    """A command substitution, which sets `$?` for what is expanded after it."""

    node: CommandSubstitution
    on_some_paths: bool


Event: TypeAlias = StatusRead | StatusSet


def expansion_events(command: Command) -> Iterator[Event]:
    """Yield the status reads and command substitutions of one command's own words, in the order of expansion.

    bash expands a simple command's words first, then the assignments before it, then its redirections (run in 5.2:
    after `false`, `x=$? f $(true)` gives f an `x` of 0, but `x=$? f <<<"$(true)"` one of 1; ksh93 does the redirections
    first), and a compound command's redirections before anything in it. What is inside a substitution is another
    shell's affair.
    """
    for root in _roots(command):
        yield from _events(root, on_some_paths=False)


def _roots(command: Command) -> Iterator[Node]:
    """Yield the parts of a command that are expanded when it runs, in that order."""
    match command:
        case SimpleCommand():
            yield from command.words
            yield from command.assignments
            yield from command.redirections
        case CaseClause():
            yield from command.redirections
            yield command.word
            for item in command.items:
                yield from item.patterns
        case ForLoop():
            yield from command.redirections
            yield from command.words or ()
        case ArithmeticFor():
            yield from command.redirections
            yield command.initial
        case BraceGroup() | Subshell() | IfClause() | WhileLoop():
            yield from command.redirections
        case ConditionalCommand():
            yield from command.redirections
            if command.expression is not None:
                yield command.expression
        case ArithmeticCommand():
            yield from command.redirections
            yield command.expression
        case _:
            pass


def _events(node: Node, *, on_some_paths: bool) -> Iterator[Event]:
    """Yield the events of a subtree from left to right."""
    match node:
        case CommandSubstitution():
            yield StatusSet(node, on_some_paths)
        case ProcessSubstitution():
            return
        case Word() if node.literal is not None:
            return
        case ParameterExpansion():
            if node.name == "?" and not node.prefix:
                yield StatusRead(node, on_some_paths)
            # bash expands an operand only if the parameter is unset (`:-`), set (`:+`) or not empty (`#`, `/`, `:`).
            conditional = on_some_paths or bool(node.operator)
            for child in children(node):
                yield from _events(child, on_some_paths=conditional)
        case Redirection():
            yield from _events(node.target, on_some_paths=on_some_paths)
            if node.here_document is not None:
                yield from _events(node.here_document, on_some_paths=on_some_paths)
        case Assignment() if node.subscript is not None and node.value is not None:
            yield from _events(node.value, on_some_paths=on_some_paths)  # `z[$(true)]=$?` keeps the earlier status
            yield from _events(node.subscript, on_some_paths=on_some_paths)
        case ArrayElement() if node.subscript is not None:
            yield from _events(node.subscript, on_some_paths=on_some_paths)  # `z=([$(true)]=$?)` doesn't
            yield from _events(node.value, on_some_paths=on_some_paths)
        case HereDocument() if node.quoted:
            return
        case _:
            for child in children(node):
                yield from _events(child, on_some_paths=on_some_paths)
