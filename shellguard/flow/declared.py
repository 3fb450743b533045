"""Which `local v=$(job)` replaces the status of a job although somebody relies on it?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shellguard.flow.commands import simple_commands
from shellguard.flow.consumers import Look
from shellguard.flow.options import Toggle
from shellguard.flow.roles import Role
from shellguard.flow.structure import DECLARATIONS
from shellguard.syntax.nodes import (
    AndOrList,
    Command,
    CommandSubstitution,
    DoubleQuoted,
    Literal,
    Pipeline,
    SimpleCommand,
    Word,
)

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_WORK = (Role.JOB, Role.LAUNCHER, Role.CHORE)


@dataclass(frozen=True, slots=True, eq=False)
class MaskedDeclaration:
    """A declaration whose `word` (`name=$(… job)`) holds a job; `look` says who is told the builtin's 0 instead."""

    command: SimpleCommand
    word: Word
    name: str
    job: SimpleCommand
    look: Look


def masked_declarations(facts: Facts) -> Iterator[MaskedDeclaration]:
    """Yield the declarations that replace a status which is tested, returned or printed, or would end the script."""
    for command in facts.structure.named(*sorted(DECLARATIONS)):
        if command not in facts.situations:
            continue
        look = facts.consumers.of(command).look
        if look not in (Look.TESTED, Look.RETURNED, Look.STOPS, Look.LOGGED):
            continue
        for word in command.words[1:]:
            found = _assigned(word)
            job = _job(facts, found[1]) if found is not None else None
            if found is not None and job is not None and not _shows_anyway(facts, found[0], job, look):
                yield MaskedDeclaration(command, word, found[0], job, look)
                break


def _assigned(word: Word) -> tuple[str, CommandSubstitution] | None:
    """The variable and the substitution of `name=$(…)` and `name="$(…)"`; None for any other word."""
    if len(word.parts) != 2 or not isinstance(word.parts[0], Literal):
        return None
    name, equals, rest = word.parts[0].value.partition("=")
    value = word.parts[1]
    if isinstance(value, DoubleQuoted) and len(value.parts) == 1:
        value = value.parts[0]
    if not equals or rest or not name.isidentifier() or not isinstance(value, CommandSubstitution):
        return None
    return name, value


def _job(facts: Facts, substitution: CommandSubstitution) -> SimpleCommand | None:
    """The job whose status the substitution would have."""
    commands = substitution.body.commands
    if not commands:
        return None
    last = _deciding(facts, commands[-1])
    if not isinstance(last, SimpleCommand) or not last.words:
        return None
    found = facts.commands.classify(last)
    is_known = found.certain or not facts.consumers.has_other_files()
    return last if found.role in _WORK and is_known else None


def _deciding(facts: Facts, command: Command) -> Command:
    """The command that gives a substitution its status: a pipeline's last one, or under pipefail the first job."""
    if isinstance(command, AndOrList):
        return command  # `$(job || echo none)` has an answer for failure
    if not isinstance(command, Pipeline):
        return command
    situation = facts.situations.get(command)
    if situation is not None and situation.options.pipefail is Toggle.ON:
        jobs = [job for part in command.commands for job in simple_commands(part) if _is_job(facts, job)]
        return jobs[0] if jobs else command.commands[-1]
    return command.commands[-1]


def _is_job(facts: Facts, command: SimpleCommand) -> bool:
    return facts.commands.classify(command).role is Role.JOB


def _shows_anyway(facts: Facts, name: str, job: SimpleCommand, look: Look) -> bool:
    """Whether nobody asks for the status itself, and the value is tested, or the job practically never fails."""
    if look is not Look.STOPS:
        return False
    return facts.commands.classify(job).inner_name == "mktemp" or facts.consumers.is_examined(name)
