"""Which jobs write a file that nothing looks at, while nothing looks at their status either?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from shellguard.flow.consumers import Consumer, Look
from shellguard.flow.exports import is_exported
from shellguard.flow.lookups import Lookup
from shellguard.flow.paths import Write
from shellguard.flow.recorded import is_compared
from shellguard.flow.relevance import LOOKS, is_cleanup, is_known_work
from shellguard.flow.values import WILDCARD, Atom, Symbol, render
from shellguard.syntax.nodes import Assignment, BackgroundCommand, Node, Pipeline, SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


# `server stop`, `ssh-agent -k`: what ends something leaves no result.
_ENDING_WORDS: Final = frozenset({"stop", "kill", "-k", "quit", "shutdown", "down"})
# Set for every script, by the login rather than by the script that reads this part of it.
_PERSONAL: Final = frozenset({"HOME", "PWD", "TMPDIR", "USER", "HOSTNAME"})


@dataclass(frozen=True, slots=True, eq=False)
class UncheckedOutput:
    """A job's output that is written and never looked at; `consumer` is what becomes of the job's status."""

    write: Write
    consumer: Consumer


def unchecked_outputs(facts: Facts) -> Iterator[UncheckedOutput]:
    """Yield each job whose output and status nothing looks at, once."""
    if is_compared(facts):
        return
    unseen = [write for write in facts.paths.writes() if not _is_seen(facts, write)]
    if not unseen:
        return
    lookup = Lookup([mention for mention in facts.paths.mentions() if mention.looks])
    reported: set[Node] = set()
    for write in unseen:
        if write.job not in reported and not _is_explained(facts, write) and not _is_looked_at(facts, write, lookup):
            reported.add(write.job)
            yield UncheckedOutput(write, facts.consumers.of(write.job))


def _is_seen(facts: Facts, write: Write) -> bool:
    """Whether somebody looks at the job's status, or at the answer of a pipeline that it is in."""
    consumer = facts.consumers.of(write.job)
    if isinstance(consumer.node, BackgroundCommand):
        return True  # a server's log, or a job that nobody waits for: another matter
    if consumer.look is Look.MASKED and consumer.node is not None:
        # Where the pipeline's status counts, it is the pipe that is wrong, not the missing look at the file.
        return facts.consumers.of(consumer.node).look in LOOKS
    return consumer.look.is_seen


def _is_explained(facts: Facts, write: Write) -> bool:
    """Whether the file is no result (a log that many append to, a FIFO, a trap's leavings), or isn't known."""
    if facts.paths.is_shared_log(write.path) or is_cleanup(facts, write.job) or not is_known_work(facts, write.job):
        return True
    if any(word.literal in _ENDING_WORDS for word in write.job.words[1:]):
        return True
    if _is_shown_too(write) or is_exported(facts, write) or _is_of_other_files(facts, write):
        return True
    if any(_is_parameter(atom) for atoms in write.path.alternatives for atom in atoms):
        return True
    return any(render(atoms) in facts.paths.fifos() for atoms in write.path.alternatives)


def _is_of_other_files(facts: Facts, write: Write) -> bool:
    """Whether a part of a script writes into a folder that only the other parts know."""
    if not facts.is_part:
        return False
    known = {assignment.name for assignment in facts.structure.nodes(Assignment)} | _PERSONAL
    firsts = [atoms[0] for atoms in write.path.alternatives if atoms]
    return any(isinstance(atom, Symbol) and atom.name.isidentifier() and atom.name not in known for atom in firsts)


def _is_parameter(atom: Atom) -> bool:
    """Whether a part of a path is a function's parameter: what each call passes, and who looks there, isn't known."""
    return isinstance(atom, Symbol) and "@" in atom.name and atom.name[0].isdigit()


def _is_shown_too(write: Write) -> bool:
    """Whether the output is shown, and only added to a log (`| tee -a log`)."""
    last = write.command.commands[-1] if isinstance(write.command, Pipeline) else None
    return isinstance(last, SimpleCommand) and any(word.literal in {"-a", "--append"} for word in last.words)


def _is_looked_at(facts: Facts, write: Write, lookup: Lookup) -> bool:
    """Whether any command that may run later has to do with the file."""
    own = {write.job, write.command, facts.structure.parents.get(write.node)}
    commands = write.command.commands if isinstance(write.command, Pipeline) else (write.job,)
    others = (path for part in commands if isinstance(part, SimpleCommand) for path in facts.paths.outputs(part))
    outputs = (write.path, *others)
    texts = {render(atoms) for path in outputs for atoms in path.alternatives}
    mentions = chain(
        *(lookup.of(text) for text in texts), *(lookup.beginning(start) for start in _family(facts, write))
    )
    return any(
        mention.command not in own and (mention.is_document or facts.paths.may_follow(mention.command, write.job))
        for mention in mentions
    )


def _family(facts: Facts, write: Write) -> Iterator[str]:
    """Yield how the names begin of the files that a job gets by a glob which matches its own output as well.

    Such files belong together (`index run.* > run.idx; xz run.0 run.meta`): who works on one sees what is missing.
    """
    star = render((WILDCARD,))
    situation = facts.situations.get(write.job)
    for value in situation.arguments if situation is not None else ():
        for start, found, _ in (render(atoms).partition(star) for atoms in value.alternatives):
            if found and start and any(render(atoms).startswith(start) for atoms in write.path.alternatives):
                yield start
