"""Can this command's status say that the work in it failed? A function that ends with a message can't."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shellguard.flow.commands import simple_commands
from shellguard.flow.options import Toggle
from shellguard.flow.roles import Role
from shellguard.source import Dialect
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticFor,
    BraceGroup,
    CaseClause,
    Command,
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
    from shellguard.flow.facts import Facts

_WORK = (Role.JOB, Role.LAUNCHER, Role.CHORE)


def may_report_failure(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a command's status may tell of failed work: all but calls of functions that always end well."""
    return _may_report(facts, command, frozenset())


def _may_report(facts: Facts, command: SimpleCommand, callers: frozenset[str]) -> bool:
    name = facts.commands.classify(command).inner_name
    definition = facts.structure.functions.get(name or "")
    if name is None or definition is None or name in callers:
        return True
    if any(_leaves(facts, item) for item in simple_commands(definition)):
        return True
    callers = callers | {name}
    return any(
        facts.commands.classify(item).role in _WORK and _may_report(facts, item, callers)
        for item in _last_commands(definition, has_pipefail=facts.shell.dialect not in (Dialect.SH, Dialect.DASH))
    )


def _leaves(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a command in a function may end it with another status than 0: `return 1`, or a job under errexit."""
    words = [word.literal for word in command.words[:2]]
    if words[:1] in (["exit"], ["return"]):
        return words[1:] != ["0"]
    works = facts.commands.classify(command).role in _WORK
    return works and facts.consumers.stops(command) is not Toggle.OFF


def _last_commands(command: Command, *, has_pipefail: bool) -> Iterator[SimpleCommand]:
    """Yield the simple commands whose status may be that of a command, under pipefail where the shell has it."""
    stack: list[Command] = [command]
    while stack:
        match current := stack.pop():
            case SimpleCommand():
                yield current
            case FunctionDefinition():
                stack.append(current.body)
            case Pipeline() if not has_pipefail:
                stack.append(current.commands[-1])
            case AndOrList() | Pipeline():
                stack.extend(current.commands)
            case BraceGroup() | Subshell() | WhileLoop() | ForLoop() | ArithmeticFor():
                stack.extend(_last(current.body))
            case IfClause():
                bodies = [branch.body for branch in current.branches]
                for body in bodies if current.else_body is None else [*bodies, current.else_body]:
                    stack.extend(_last(body))
            case CaseClause():
                for item in current.items:
                    stack.extend(_last(item.body))
            case _:
                pass


def _last(body: List) -> tuple[Command, ...]:
    return body.commands[-1:]
