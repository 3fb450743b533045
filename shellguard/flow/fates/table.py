"""The fate of each command of a script."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shellguard.flow.consumers import Look
from shellguard.flow.fates.interpreter import Interpreter, Start
from shellguard.flow.fates.relevant import NEVER_FAIL
from shellguard.flow.fates.values import Truth, success
from shellguard.flow.fates.worlds import BASE, Outcome
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
    sites = {command: 1 << index for index, command in enumerate(commands, start=1)}
    # `bash script` runs without the options of the first line: what they decide depends on how the script is started.
    ends = _Ends.of(facts, sites, facts.shell.options)
    # `bash script` runs without the options of the first line: what they decide depends on how the script is started.
    bare = _Ends.of(facts, sites, ()) if facts.shell.options else ends
    for command in commands:
        bit = sites[command]
        first = ends.fate(bit) or _quiet(facts, command)
        second = first if bare is ends else bare.fate(bit) or _quiet(facts, command)
        if first is second or (first.claims is second.claims and first.claims is not None):
            yield CommandFate(command, first, is_cut=ends.is_cut and first is Fate.UNKNOWN)
        else:
            yield CommandFate(command, Fate.DEPENDS, started=(first, second))


@dataclass(frozen=True, slots=True)
class _Ends:
    """The failures that are reached, after which the script ends well, badly, or nobody knows how; as masks.

    `own`: those with an end of their own, where the script doesn't end when nothing fails. `is_cut`: not all of the
    script was gone through.
    """

    reached: int
    well: int
    badly: int
    unclear: int
    own: int
    is_cut: bool

    @classmethod
    def of(cls, facts: Facts, sites: dict[SimpleCommand, int], options: tuple[str, ...]) -> _Ends:
        """Go through the script under the options that it is started with."""
        machine = Interpreter(facts.structure, Start(options, _is_program(facts)), sites)
        try:
            outcome = machine.run_script(facts.script)
        except RecursionError:
            return cls(0, 0, 0, 0, 0, is_cut=True)
        well, badly, unclear, own = _ends(outcome)
        budget = machine.budget
        if budget.cuts:
            again = machine.functions.sites_in_all(facts.script.body.commands[machine.place :])
            well |= budget.merged
            unclear |= budget.open | (budget.merged & again) | machine.functions.sites_in_all(budget.cuts)
        return cls(machine.reached, well, badly, unclear, own, is_cut=bool(budget.cuts))

    def fate(self, bit: int) -> Fate | None:
        """The fate of a failure; None where the script ends well in spite of it."""
        if not self.reached & bit or self.unclear & bit or not (self.well | self.badly) & bit:
            return Fate.UNKNOWN
        if self.well & self.badly & bit:
            return Fate.DEPENDS
        if self.badly & bit:
            return Fate.STOPS if self.own & bit else Fate.RETURNED
        return None


def _ends(outcome: Outcome) -> tuple[int, int, int, int]:
    """The failures after which the script ends well, badly, or nobody knows how; and those with an end of their own."""
    well = badly = unclear = own = alike = 0
    for worlds in outcome.exits.values():
        is_usual = bool(worlds.mask() & BASE)
        is_open = any(mask & BASE and success(state.status) is Truth.EITHER for state, mask in worlds)
        for state, mask in worlds:
            match success(state.status):
                case Truth.NO:
                    # On a path on which the script fails though no command does, a failure without a trace goes along.
                    alike |= mask if mask & BASE else 0
                    badly |= 0 if mask & BASE else mask
                    own |= 0 if is_usual else mask
                case Truth.AFFECTED:
                    unclear |= mask
                case Truth.EITHER if not is_open:  # nothing is known, where it would be if nothing failed
                    unclear |= mask
                case _:
                    well |= mask
    if well & BASE:
        badly |= alike & ~well
    return well, badly, unclear, own


def _is_program(facts: Facts) -> bool:
    """Whether a script is one that bash runs; what has no first line for that is for reading by other scripts."""
    return facts.shell.dialect is Dialect.BASH and facts.shell.reason == "shebang"


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
