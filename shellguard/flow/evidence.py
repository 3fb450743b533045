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
    writes = list(facts.paths.writes())
    if not writes:
        return
    lookup = Lookup([mention for mention in facts.paths.mentions() if mention.looks])
    seen: set[Node] = set()
    for write in writes:
        consumer = facts.consumers.of(write.job)
        if write.job in seen or consumer.look.is_seen or _is_looked_at(facts, write, lookup):
            continue
        seen.add(write.job)
        yield UncheckedOutput(write, consumer)


def _is_looked_at(facts: Facts, write: Write, lookup: Lookup) -> bool:
    """Whether any command that may run later has to do with the file."""
    own = {write.job, write.command, facts.structure.parents.get(write.node)}
    for atoms in write.path.alternatives:
        for mention in lookup.of(render(atoms)):
            if mention.command not in own and facts.paths.may_follow(mention.command, write.job):
                return True
    return False
