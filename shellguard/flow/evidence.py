"""Which jobs write a file that nothing looks at, while nothing looks at their status either?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shellguard.flow.consumers import Consumer
from shellguard.flow.lookups import Lookup
from shellguard.flow.paths import Write
from shellguard.flow.values import render
from shellguard.syntax.nodes import Node

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


@dataclass(frozen=True, slots=True, eq=False)
class UncheckedOutput:
    """A job's output that is written and never looked at; `consumer` is what becomes of the job's status."""

    write: Write
    consumer: Consumer


def unchecked_outputs(facts: Facts) -> Iterator[UncheckedOutput]:
    """Yield each job whose output and status nothing looks at, once."""
    unseen = [write for write in facts.paths.writes() if not facts.consumers.of(write.job).look.is_seen]
    if not unseen:
        return
    lookup = Lookup([mention for mention in facts.paths.mentions() if mention.looks])
    reported: set[Node] = set()
    for write in unseen:
        if write.job not in reported and not _is_looked_at(facts, write, lookup):
            reported.add(write.job)
            yield UncheckedOutput(write, facts.consumers.of(write.job))


def _is_looked_at(facts: Facts, write: Write, lookup: Lookup) -> bool:
    """Whether any command that may run later has to do with the file."""
    own = {write.job, write.command, facts.structure.parents.get(write.node)}
    for atoms in write.path.alternatives:
        for mention in lookup.of(render(atoms)):
            if mention.command not in own and facts.paths.may_follow(mention.command, write.job):
                return True
    return False
