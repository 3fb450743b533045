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
    duplicate = None
    for redirection in redirections:
        if duplicate is None:
            if redirection.descriptor == "2" and redirection.operator == ">&" and redirection.target.literal == "1":
                duplicate = redirection
            elif not _is_input(redirection):
                return None
        elif redirection.descriptor in {"", "1"} and redirection.operator in _TO_FILE:
            target = redirection.target.literal
            return None if target is not None and target.startswith("/dev/") else (duplicate, redirection)
        elif not _is_input(redirection):
            return None
    return None


def _is_input(redirection: Redirection) -> bool:
    return redirection.operator.startswith("<")


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
