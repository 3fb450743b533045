"""Where does `2>&1` stand before the redirection that it is meant to follow?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.overwritten import is_work
from shellguard.flow.roles import Role
from shellguard.syntax.nodes import (
    Command,
    CommandSubstitution,
    Pipeline,
    ProcessSubstitution,
    Redirection,
    SimpleCommand,
)

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_TO_FILE: Final = frozenset({">", ">>", ">|"})
_QUIET: Final = frozenset({Role.FILTER, Role.CLEANUP})


@dataclass(frozen=True, slots=True)
class MissedFile:
    """A job whose errors go where its output went before: `duplicate` is `2>&1`, `file` what comes too late."""

    command: SimpleCommand
    duplicate: Redirection
    file: Redirection


def missed_files(facts: Facts) -> Iterator[MissedFile]:
    """Yield the jobs whose errors don't get to the file that their output goes to."""
    for command in facts.structure.nodes(SimpleCommand):
        if command in facts.situations and len(command.redirections) > 1:
            pair = _pair(command.redirections)
            if pair is not None and _may_complain(facts, command) and not _is_taken_apart(facts, command):
                yield MissedFile(command, *pair)


def _pair(redirections: tuple[Redirection, ...]) -> tuple[Redirection, Redirection] | None:
    """`2>&1` and the file after it, where nothing else is done to both descriptors."""
    outputs = [redirection for redirection in redirections if not redirection.operator.startswith("<")]
    if len(outputs) != 2:
        return None
    duplicate, file = outputs
    if duplicate.descriptor != "2" or duplicate.operator != ">&" or duplicate.target.literal != "1":
        return None
    if file.descriptor not in {"", "1"} or file.operator not in _TO_FILE:
        return None
    target = file.target.literal
    return None if target is not None and target.startswith("/dev/") else (duplicate, file)


def _may_complain(facts: Facts, command: SimpleCommand) -> bool:
    return is_work(facts, command) or facts.commands.classify(command).role in _QUIET


def _is_taken_apart(facts: Facts, command: SimpleCommand) -> bool:
    """Whether something else reads the errors: `job 2>&1 >file | reader`, `errors=$(job 2>&1 >file)`."""
    inner: object = command
    for outer in facts.structure.ancestors(command):
        if isinstance(outer, Pipeline) and inner is not outer.commands[-1]:
            return True
        if isinstance(outer, (CommandSubstitution, ProcessSubstitution)):
            return True
        if isinstance(outer, Command) and getattr(outer, "redirections", None):
            return True
        inner = outer
    return False
