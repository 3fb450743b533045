"""What is known of a script before it is gone through, however it is started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shellguard.flow.fates.liveness import Liveness
from shellguard.flow.fates.mentions import Mentions
from shellguard.flow.fates.relevant import constants, filled_variables, relevant_variables
from shellguard.syntax.nodes import ParameterExpansion, SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.structure import Structure


@dataclass(frozen=True, slots=True)
class Prepared:
    """A script, the bits of its commands that may fail, and its variables.

    `relevant` are the variables that are followed, `constants` those that have one known value, `filled` those that
    never are empty.
    """

    structure: Structure
    sites: dict[SimpleCommand, int]
    relevant: frozenset[str]
    constants: dict[str, str]
    filled: frozenset[str]
    mentions: Mentions
    liveness: Liveness
    keeps_pipe_statuses: bool


def prepare(structure: Structure, commands: list[SimpleCommand]) -> Prepared:
    """Prepare a script for being gone through; `commands` are those that may fail, in the order of the text."""
    relevant = relevant_variables(structure)
    mentions = Mentions(structure, relevant)
    return Prepared(
        structure,
        {command: 1 << index for index, command in enumerate(commands, start=1)},
        relevant,
        {name: text for name, text in constants(structure).items() if name not in relevant},
        filled_variables(structure),
        mentions,
        Liveness(mentions),
        any(node.name == "PIPESTATUS" for node in structure.nodes(ParameterExpansion)),
    )
