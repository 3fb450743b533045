"""Which lines does an ignore comment speak of? Lines count from 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shellguard.suppress.directives import Directive, Verb
from shellguard.syntax.nodes import (
    AndOrList,
    BackgroundCommand,
    Command,
    IfClause,
    List,
    Pipeline,
    SimpleCommand,
    WhileLoop,
)
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.source import Source
    from shellguard.syntax.nodes import Script


@dataclass(frozen=True, slots=True)
class _Statement:
    """A command of a list: the lines of its head (of a compound command, what stands before its body), and of all."""

    first: int
    head: int
    last: int


class Scopes:
    """The statements of a script by their lines."""

    def __init__(self, source: Source, script: Script) -> None:
        """Find the statements."""
        self._source = source
        self._last_line = source.line_count
        self._statements = sorted(self._find(script), key=lambda item: (item.first, -item.last))

    def lines(self, directive: Directive) -> range:
        """The lines in which a comment silences its rules; `disable` reaches to the end here."""
        line = self._source.line_of(directive.span.start)
        match directive.verb:
            case Verb.IGNORE_FILE:
                return range(1, self._last_line + 1)
            case Verb.DISABLE | Verb.ENABLE:
                return range(line, self._last_line + 1)
            case Verb.IGNORE if not directive.own_line:
                return self._around(line)
            case Verb.IGNORE:
                following = self._after(line)
                return range(following.first, following.head + 1) if following is not None else range(line, line)
            case None:
                return self._of_shellcheck(line)

    def _of_shellcheck(self, line: int) -> range:
        """The whole command after the comment; before the first command, the whole file."""
        following = self._after(line)
        if following is None:
            return range(line, line)
        if following is self._statements[0]:
            return range(1, self._last_line + 1)
        return range(following.first, following.last + 1)

    def _after(self, line: int) -> _Statement | None:
        """The first statement that begins after a line; of several on one line, the one around the others."""
        return next((item for item in self._statements if item.first > line), None)

    def _around(self, line: int) -> range:
        """The lines of the statements whose heads a line belongs to."""
        found = [item for item in self._statements if item.first <= line <= item.head]
        if not found:
            return range(line, line + 1)
        return range(min(item.first for item in found), max(item.head for item in found) + 1)

    def _find(self, script: Script) -> Iterator[_Statement]:
        line_of = self._source.line_of
        for node in walk(script):
            if isinstance(node, List):
                for command in node.commands:
                    last = line_of(max(command.start, command.end - 1))
                    head = line_of(max(command.start, _head_end(command) - 1))
                    yield _Statement(line_of(command.start), min(head, last), last)


def _head_end(command: Command) -> int:
    """Where a command ends, or the body of a compound command in it begins."""
    match command:
        case SimpleCommand():
            return command.end
        case Pipeline() | AndOrList():
            for part in command.commands:
                end = _head_end(part)
                if end != part.end:
                    return end
            return command.end
        case BackgroundCommand():
            return _head_end(command.command)
        case IfClause():
            return command.branches[0].condition.end
        case WhileLoop():
            return command.condition.end
        case _:
            return command.start + 1
