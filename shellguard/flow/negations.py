"""Which `$?` can only hold the 0 or 1 that `!` made of a status?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shellguard.flow.overwritten import incoming_reads, is_work
from shellguard.flow.reaching import Side
from shellguard.flow.roles import Role
from shellguard.syntax.nodes import Command, IfClause, ParameterExpansion, Pipeline, SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


@dataclass(frozen=True, slots=True, eq=False)
class NegatedRead:
    """A command whose `$?` (`nodes`) is what `!` made of the status of `job`, which `negation` holds.

    `value` is what it always is: 0 where the negation was a success, 1 where it was a failure, None where it may be
    either. `clause` is the `if` that can be turned round: the read is its `then` branch's, and it has no other.
    """

    command: Command
    nodes: tuple[ParameterExpansion, ...]
    negation: Pipeline
    job: SimpleCommand
    value: int | None
    clause: IfClause | None


def negated_reads(facts: Facts) -> Iterator[NegatedRead]:
    """Yield the commands that read a negated status of work."""
    if "!" not in facts.text:
        return
    for command, nodes in incoming_reads(facts):
        reached = facts.reaching.before(command) or ()
        if len(reached) == 1 and isinstance(reached[0].command, Pipeline) and reached[0].is_negated:
            negation = reached[0].command
            job = negation.commands[-1]
            if isinstance(job, SimpleCommand) and (is_work(facts, job) or _is_asked(facts, job)):
                value = {Side.SUCCESS: 0, Side.FAILURE: 1}.get(reached[0].side)
                yield NegatedRead(command, nodes, negation, job, value, _turnable(facts, negation))


def _is_asked(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a command answers with a status of its own: a probe or a function, but for `[`."""
    if not command.words or command.words[0].literal in {"[", "test"}:
        return False
    found = facts.commands.classify(command)
    return found.role is Role.PROBE or found.inner_name in facts.structure.functions


def _turnable(facts: Facts, negation: Pipeline) -> IfClause | None:
    """The `if ! job; then …; fi` that a negation is the whole condition of."""
    condition = facts.structure.parents.get(negation)
    branch = facts.structure.parents.get(condition) if condition is not None else None
    clause = facts.structure.parents.get(branch) if branch is not None else None
    if not isinstance(clause, IfClause) or len(clause.branches) > 1 or clause.else_body is not None:
        return None
    only = clause.branches[0]
    return clause if condition is only.condition and only.condition.commands == (negation,) else None
