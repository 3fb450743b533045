"""The fate of each command of a script."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shellguard.flow.consumers import Look
from shellguard.flow.fates.ends import Verdict, find_ends
from shellguard.flow.fates.interpreter import Start
from shellguard.flow.fates.prepared import prepare
from shellguard.flow.fates.relevant import NEVER_FAIL
from shellguard.flow.roles import Role
from shellguard.source import Dialect
from shellguard.syntax.nodes import AndOrList, SimpleCommand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shellguard.flow.facts import Facts


class Fate(StrEnum):
    """What becomes of a failure, all other commands succeeding."""

    STOPS = "stops"
    RETURNED = "returned"
    HANDLED = "handled"
    IGNORED = "ignored"
    LOGGED = "logged"
    LOST = "lost"
    DEPENDS = "depends"
    UNKNOWN = "unknown"

    @property
    def claims(self) -> bool | None:
        """Whether it claims that the script ends with 0 (True) or with another status (False); None for no claim."""
        if self in (Fate.DEPENDS, Fate.UNKNOWN):
            return None
        return self not in (Fate.STOPS, Fate.RETURNED)


@dataclass(frozen=True, slots=True, eq=False)
class CommandFate:
    """A command that may fail, and what becomes of that.

    `started` are the fates under the options of the first line and without them, where what they claim differs.
    `is_cut`: nothing is known because the script has more branches than are gone through.
    """

    command: SimpleCommand
    fate: Fate
    started: tuple[Fate, Fate] | None = None
    is_cut: bool = False


def may_fail(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a command is one whose failure has a fate: a program, or a builtin that does work."""
    if not command.words:
        return False
    name = command.words[0].literal
    if name is None:
        return True
    if name == "exec" and len(command.words) == 1:
        return False
    if name in {"command", "builtin"} and len(command.words) > 1:
        second = command.words[1].literal or ""
        return not second.startswith(("-v", "-V")) and second not in NEVER_FAIL
    return name not in NEVER_FAIL and name not in facts.structure.functions


def fates(facts: Facts) -> Iterator[CommandFate]:
    """Yield the fate of each command that may fail, in the order of the text."""
    failing = (command for command in facts.structure.simple_commands if may_fail(facts, command))
    commands = sorted(failing, key=lambda command: command.start)
    script = prepare(facts.structure, commands)
    ends = find_ends(script, _start(facts, facts.shell.options))
    # `bash script` runs without the options of the first line: what they decide depends on how the script is started.
    bare = find_ends(script, _start(facts, ())) if facts.shell.options else ends
    for command in commands:
        bit = script.sites[command]
        first = _fate(facts, command, ends.verdict(bit))
        second = first if bare is ends else _fate(facts, command, bare.verdict(bit))
        if first is second or (first.claims is second.claims and first.claims is not None):
            yield CommandFate(command, first, is_cut=ends.is_cut and first is Fate.UNKNOWN)
        else:
            yield CommandFate(command, Fate.DEPENDS, started=(first, second))


def _start(facts: Facts, options: tuple[str, ...]) -> Start:
    """How a script is started. What has no first line is for reading by other scripts, and may end by `return`."""
    is_bash = facts.shell.dialect is Dialect.BASH
    # All but bash keep errexit in command substitutions.
    own = () if is_bash else ("inherit_errexit",)
    return Start(options, own, is_program=is_bash and facts.shell.reason == "shebang")


def _fate(facts: Facts, command: SimpleCommand, verdict: Verdict) -> Fate:
    match verdict:
        case Verdict.STOPS:
            return Fate.STOPS
        case Verdict.FAILS:
            return Fate.RETURNED
        case Verdict.DEPENDS:
            return Fate.DEPENDS
        case Verdict.UNKNOWN:
            return Fate.UNKNOWN
        case Verdict.SUCCEEDS:
            return _quiet(facts, command)


def _quiet(facts: Facts, command: SimpleCommand) -> Fate:
    """How a failure is passed over after which the script ends with 0."""
    consumer = facts.consumers.of(command)
    node = consumer.node
    if isinstance(node, AndOrList) and _is_forgiven(node):
        return Fate.IGNORED
    match consumer.look:
        case Look.TESTED | Look.STOPS | Look.RETURNED | Look.UNKNOWN:
            return Fate.HANDLED if consumer.look is Look.TESTED else Fate.LOST
        case Look.LOGGED:
            return Fate.LOGGED
        case _:
            return Fate.LOST


def _is_forgiven(node: AndOrList) -> bool:
    last = node.commands[-1]
    words = [word.literal for word in last.words] if isinstance(last, SimpleCommand) else []
    return node.operators[-1] == "||" and words in (["true"], [":"], ["exit", "0"], ["return", "0"])


__all__ = ["CommandFate", "Fate", "Role", "fates", "may_fail"]
