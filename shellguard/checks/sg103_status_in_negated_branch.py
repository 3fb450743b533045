"""SG103: `$?` is read where `!` has made 0 or 1 of the status that is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.facts import Facts
from shellguard.flow.negations import NegatedRead, negated_reads
from shellguard.source import Span

CODE = "SG103"

_NEGATION = re.compile(r"!\s+")
_THEN = re.compile(r"\bthen\b")


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each command that reads a negated status."""
    for read in negated_reads(facts):
        mark = Span(read.negation.start, read.negation.start + 1)
        yield Finding(
            CODE,
            Severity.ERROR,
            read.nodes[0].span,
            _message(facts, read),
            (Related(mark, "`!` makes 0 of every failure, and 1 of success"),),
            _fix(facts, read),
        )


def _message(facts: Facts, read: NegatedRead) -> str:
    """Say what the read always is."""
    job = facts.commands.shown_name(read.job)
    if read.value is None:
        return f"this `$?` is what `!` makes of the status of `{job}`: 0 where it failed, 1 where it succeeded"
    return f"this `$?` is always {read.value}, whatever `{job}` ended with: `!` has replaced its status"


def _fix(facts: Facts, read: NegatedRead) -> Fix:
    """Turn the `if` round; else say how to keep the status."""
    advice = "keep the status: `job || { rc=$?; …; }`, or `if job; then :; else rc=$?; …; fi`"
    clause = read.clause
    negation = _NEGATION.match(facts.text, read.negation.start)
    if clause is None or negation is None:
        return Fix(Applicability.SUGGEST, advice)
    branch = clause.branches[0]
    then = _THEN.search(facts.text, branch.condition.end, branch.body.start)
    if then is None or "#" in facts.text[branch.condition.end : then.start()]:
        return Fix(Applicability.SUGGEST, advice)
    edits = (Edit(Span(negation.start(), negation.end()), ""), Edit(Span(then.end(), then.end()), " :; else"))
    return Fix(Applicability.SAFE, "test the command itself, and read its status in the `else` branch", edits)
