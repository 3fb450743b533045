"""How a script ends after each failure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from shellguard.flow.fates.budget import COARSE
from shellguard.flow.fates.interpreter import Interpreter, Start
from shellguard.flow.fates.values import Truth, success
from shellguard.flow.fates.worlds import BASE, Outcome

if TYPE_CHECKING:
    from shellguard.flow.fates.prepared import Prepared


class Verdict(Enum):
    """What becomes of the script after a failure."""

    SUCCEEDS = "it ends with 0"
    STOPS = "it ends with another status, where it wouldn't end otherwise"
    FAILS = "it ends with another status, where it would end otherwise"
    DEPENDS = "it ends with 0 or another status"
    UNKNOWN = "nothing is known"


@dataclass(frozen=True, slots=True)
class Ends:
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

    def completed(self, other: Ends) -> Ends:
        """The same with what another way through the script tells of the failures that aren't known here."""
        known = self.reached & ~self.unclear & (self.well ^ self.badly)
        return Ends(
            self.reached | other.reached,
            (self.well & known) | (other.well & ~known),
            (self.badly & known) | (other.badly & ~known),
            other.unclear & ~known,
            (self.own & known) | (other.own & ~known),
            other.is_cut,
        )

    def verdict(self, bit: int) -> Verdict:
        """What becomes of the script after a failure."""
        if not self.reached & bit or self.unclear & bit or not (self.well | self.badly) & bit:
            return Verdict.UNKNOWN
        if self.well & self.badly & bit:
            return Verdict.DEPENDS
        if self.badly & bit:
            return Verdict.STOPS if self.own & bit else Verdict.FAILS
        return Verdict.SUCCEEDS


def find_ends(script: Prepared, start: Start) -> Ends:
    """Go through a script that is started so; once more, less closely, where that takes too long."""
    found = _found(script, start)
    return found.completed(_found(script, replace(start, precision=COARSE))) if found.is_cut else found


def _found(script: Prepared, start: Start) -> Ends:
    machine = Interpreter(script, start)
    try:
        outcome = machine.run_script()
    except RecursionError:
        return Ends(0, 0, 0, 0, 0, is_cut=True)
    well, badly, unclear, own = _ends(outcome, machine.torn)
    budget = machine.budget
    if budget.cuts:
        again = machine.functions.sites_in_all(script.structure.script.body.commands[machine.place :])
        well |= budget.merged
        unclear |= budget.open | (budget.merged & again) | machine.functions.sites_in_all(budget.cuts)
    return Ends(machine.reached, well, badly, unclear, own, is_cut=bool(budget.cuts))


def _ends(outcome: Outcome, torn: int) -> tuple[int, int, int, int]:
    """The failures after which the script ends well, badly, or nobody knows how; and those with an end of their own.

    `torn` are those that may have gone another way than they do when nothing fails, although it is open, too.
    """
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
        badly |= alike & (~well | torn)
    return well, badly, unclear, own
