"""Which jobs write a file that nothing looks at, while nothing looks at their status either?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.consumers import Consumer, Look
from shellguard.flow.lookups import Lookup
from shellguard.flow.paths import Write
from shellguard.flow.recorded import is_compared
from shellguard.flow.relevance import LOOKS, is_cleanup, is_known_work
from shellguard.flow.roles import Role
from shellguard.flow.values import Atom, Symbol, render
from shellguard.syntax.nodes import BackgroundCommand, Node, ParameterExpansion, Pipeline, Redirection, SimpleCommand
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


# `server stop`, `ssh-agent -k`: what ends something leaves no result.
_ENDING_WORDS: Final = frozenset({"stop", "kill", "-k", "quit", "shutdown", "down"})


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
    if _is_shown_too(write) or _is_exported(facts, write):
        return True
    if any(_is_parameter(atom) for atoms in write.path.alternatives for atom in atoms):
        return True
    return any(render(atoms) in facts.paths.fifos() for atoms in write.path.alternatives)


def _is_exported(facts: Facts, write: Write) -> bool:
    """Whether a later job gets the path in its environment."""
    target = write.node.target if isinstance(write.node, Redirection) else write.node
    names = {node.name for node in walk(target) if isinstance(node, ParameterExpansion)}
    if names.isdisjoint(_exported(facts)):
        return False
    return any(
        command is not write.job and facts.paths.may_follow(command, write.job)
        for command in facts.structure.simple_commands
        if facts.commands.classify(command).role is Role.JOB
    )


def _exported(facts: Facts) -> set[str]:
    """The variables that `export`, or a declaration with `-x`, marks."""
    found: set[str] = set()
    for command in facts.structure.named("export", "declare", "typeset"):
        texts = [facts.text[word.start : word.end] for word in command.words]
        if texts[0] == "export" or any(text.startswith("-") and "x" in text for text in texts):
            found.update(text.partition("=")[0] for text in texts[1:])
    return found


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
    for atoms in {atoms for path in outputs for atoms in path.alternatives}:
        for mention in lookup.of(render(atoms)):
            if mention.command not in own and facts.paths.may_follow(mention.command, write.job):
                return True
    return False
