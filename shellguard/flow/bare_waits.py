"""Which `wait` without operands stands for jobs whose status nobody gets?

`wait` alone ends with 0, whatever became of the jobs (POSIX, "wait"; run in bash, dash, busybox ash and ksh93).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.consumers import first_executed
from shellguard.flow.lookups import Lookup
from shellguard.flow.recorded import is_compared
from shellguard.flow.relevance import is_known_work
from shellguard.flow.roles import Role
from shellguard.flow.values import render
from shellguard.syntax.nodes import BackgroundCommand, Command, ConditionalCommand, Node, SimpleCommand
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_NEAR: Final = 2
"""So many commands after a `wait` may be looks at what the jobs have left."""
_UNSEEN: Final = frozenset({"lost", "unknown"})


@dataclass(frozen=True, slots=True, eq=False)
class BareWait:
    """A `wait` and the first job in the background that it waits for."""

    command: SimpleCommand
    job: SimpleCommand


def bare_waits(facts: Facts) -> Iterator[BareWait]:
    """Yield the waits that drop the status of a job."""
    waits = facts.structure.named("wait")
    bare = [command for command in waits if len(command.words) == 1 and command in facts.situations]
    # Who asks for the status of one process knows how; who ends the jobs doesn't want theirs.
    if not bare or len(bare) < len(waits) or facts.structure.named("kill", "pkill", "killall") or is_compared(facts):
        return
    lookup = Lookup([mention for mention in facts.paths.mentions() if mention.looks])
    waited: set[Node] = set()
    for command in bare:
        if _is_followed_by_look(facts, command):
            continue
        function = facts.structure.enclosing_function(command)
        started = [
            node
            for node in facts.structure.nodes(BackgroundCommand)
            if node.start < command.start
            and node not in waited
            and facts.structure.enclosing_function(node) is function
        ]
        waited.update(started)
        job = next((job for node in started for job in _jobs(facts, node) if not _is_shown(facts, job, lookup)), None)
        if job is not None:
            yield BareWait(command, job)


def _is_followed_by_look(facts: Facts, command: SimpleCommand) -> bool:
    """Whether the script tests or shows something right after it has waited: most likely what the jobs have left."""
    current: Command | None = command
    for _ in range(_NEAR):
        _, current = facts.structure.siblings(current) if current is not None else (None, None)
        if current is None:
            return False
        first = first_executed(current)
        if isinstance(first, ConditionalCommand):
            return True
        if isinstance(first, SimpleCommand) and first.words:
            role = facts.commands.classify(first).role
            if first.words[0].literal in {"[", "test", "cat"} or role is Role.THREE_STATE:
                return True
    return False


def _jobs(facts: Facts, node: BackgroundCommand) -> Iterator[SimpleCommand]:
    """Yield the jobs in the background whose failure nothing in their own shell looks at."""
    for command in walk(node):
        if not isinstance(command, SimpleCommand) or not command.words or command not in facts.situations:
            continue
        found = facts.commands.classify(command)
        if found.role is not Role.JOB or found.inner_name in {".", "source"} or not is_known_work(facts, command):
            continue
        consumer = facts.consumers.of(command)
        is_seen = consumer.look.is_seen and not isinstance(consumer.node, BackgroundCommand)
        fate = facts.fate(command)
        if not is_seen and fate is not None and fate.value in _UNSEEN:
            yield command


def _is_shown(facts: Facts, job: SimpleCommand, lookup: Lookup) -> bool:
    """Whether the script looks at what a job leaves in a file."""
    texts = {render(atoms) for path in facts.paths.outputs(job) for atoms in path.alternatives}
    return any(mention.command is not job for text in texts for mention in lookup.of(text))
