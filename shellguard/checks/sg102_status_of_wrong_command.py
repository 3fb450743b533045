"""SG102: `$?` is read after a message or another helper has replaced the status of the job before it."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.checks.capture import capture_status, replace_read
from shellguard.checks.endings import ends_well
from shellguard.finding import Applicability, Finding, Fix, Related, Severity
from shellguard.flow.facts import Facts
from shellguard.flow.overwritten import OverwrittenRead, overwritten_reads
from shellguard.source import Span
from shellguard.syntax.nodes import Command, ParameterExpansion, SimpleCommand, Word

CODE = "SG102"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each status read that can only see a helper's status."""
    for read in overwritten_reads(facts):
        place = Span(read.helper.start, read.helper.end)
        yield Finding(
            CODE,
            Severity.ERROR,
            read.nodes[0].span,
            _message(facts, read),
            (Related(place, f"`$?` becomes the status of {_shown(facts, read)} here"),),
            _fix(facts, read),
        )


def _shown(facts: Facts, read: OverwrittenRead) -> str:
    """The helper as a message names it."""
    if isinstance(read.helper, SimpleCommand) and not read.helper.words:
        return f"the assignment to `{read.helper.assignments[0].name}`" if read.helper.assignments else "a redirection"
    name = facts.commands.last_name(read.helper)
    return f"`{name}`" if name else f"`{facts.text[read.helper.start : read.helper.end].splitlines()[0][:30]}`"


def _message(facts: Facts, read: OverwrittenRead) -> str:
    """Say whose status is read instead of whose."""
    job = facts.commands.shown_name(read.job)
    found = f"this `$?` is the status of {_shown(facts, read)}, not of `{job}`"
    return f"{found}; if `{job}` fails, the script still ends with 0" if ends_well(facts, read.job) else found


def _fix(facts: Facts, read: OverwrittenRead) -> Fix:
    """Save the status before the helper runs, where only one way leads from the job to the read."""
    name = facts.status_variable
    if read.first is not None and "PIPESTATUS" in facts.text[read.first.start : read.command.start]:
        message = (
            f'save both at once, since either would replace the other: `{name}=$? statuses=("${{PIPESTATUS[@]}}")`'
        )
        return Fix(Applicability.SUGGEST, message)
    if read.first is None:
        return Fix(Applicability.SUGGEST, f"save the status right after the job: `{name}=$?`, then read `${name}`")
    captured = _captured(read.first)
    if captured:
        edits = tuple(replace_read(facts.text, node, captured) for node in read.nodes)
        return Fix(Applicability.SAFE, f"read `${captured}`, which holds the status", edits)
    return capture_status(facts, read.first, (*read.on_the_way, *read.nodes))


def _captured(helper: Command) -> str:
    """The variable that the helper after the job saves the status in already."""
    if not isinstance(helper, SimpleCommand) or helper.words or len(helper.assignments) != 1:
        return ""
    value = helper.assignments[0].value
    parts = value.parts if isinstance(value, Word) and helper.assignments[0].operator == "=" else ()
    is_status = len(parts) == 1 and isinstance(parts[0], ParameterExpansion) and parts[0].name == "?"
    return helper.assignments[0].name if is_status and helper.assignments[0].subscript is None else ""
