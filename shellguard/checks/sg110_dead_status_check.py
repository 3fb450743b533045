"""SG110: a test of `$?` that no failure reaches, because errexit ends the script before it."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.dead_checks import DeadCheck, dead_checks
from shellguard.flow.facts import Facts
from shellguard.source import Span
from shellguard.syntax.nodes import List

CODE = "SG110"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each check that errexit makes useless."""
    for found in dead_checks(facts):
        name = facts.commands.shown_name(found.job)
        message = f"no failure of `{name}` gets here: errexit ends the script first, so that this check is of no use"
        related = (Related(Span(found.job.start, found.job.end), f"the script ends here when `{name}` fails"),)
        yield Finding(CODE, Severity.WARNING, found.read.span, message, related, _fix(facts, found))


def _fix(facts: Facts, found: DeadCheck) -> Fix:
    """Keep the status in a list with the job, where errexit lets it be."""
    if not found.variable:
        return Fix(Applicability.SUGGEST, "test the job itself: `if ! job; then`, or `job || { …; }`")
    variable = found.variable
    message = f"keep the status where errexit allows it: `{variable}=0`, then `job || {variable}=$?`"
    between = facts.text[found.job.end : found.command.start]
    line_start = facts.text.rfind("\n", 0, found.job.start) + 1
    indentation = facts.text[line_start : found.job.start]
    previous, _ = facts.structure.siblings(found.command)
    in_list = isinstance(facts.structure.parents.get(found.job), List)
    if previous is not found.job or not in_list or indentation.strip() or between.strip(" \t;\n"):
        return Fix(Applicability.SUGGEST, message)
    edits = (
        Edit(Span(found.job.start, found.job.start), f"{variable}=0\n{indentation}"),
        Edit(Span(found.job.end, found.command.start), " || "),
    )
    return Fix(Applicability.UNSAFE, message, edits)
