"""SG104: the status of a declaration replaces that of the substitution in it."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.consumers import Look
from shellguard.flow.declared import MaskedDeclaration, masked_declarations
from shellguard.flow.facts import Facts
from shellguard.flow.insertion import Placement, insertion_point
from shellguard.source import Span

CODE = "SG104"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each declaration that hides a job's failure from whoever relies on it."""
    for found in masked_declarations(facts):
        builtin = found.command.words[0]
        yield Finding(
            CODE,
            Severity.ERROR,
            found.job.span,
            _message(facts, found),
            (Related(builtin.span, f"the status is that of `{builtin.literal}`, which succeeds"),),
            _fix(facts, found),
        )


def _message(facts: Facts, found: MaskedDeclaration) -> str:
    """Say what the failure doesn't do."""
    job = facts.commands.shown_name(found.job)
    consequence = {
        Look.STOPS: "the script goes on in spite of `set -e`",
        Look.RETURNED: "success is returned",
        Look.LOGGED: "the status that is printed is 0",
    }.get(found.look, "the test of this command can't see it")
    return f"if `{job}` fails, {consequence}: `{found.command.words[0].literal}` has the last word"


def _is_plain(found: MaskedDeclaration) -> bool:
    """Whether a declaration is of one variable and nothing else."""
    command = found.command
    return len(command.words) == 2 and not command.redirections and not command.assignments


def _fix(facts: Facts, found: MaskedDeclaration) -> Fix:
    """Declare first and assign then; mark as read-only or exported after the assignment."""
    text, command = facts.text, found.command
    builtin = command.words[0].literal or ""
    marks = builtin in {"export", "readonly"}
    message = f"assign first, then `{builtin} {found.name}`" if marks else "declare first, then assign"
    point = insertion_point(facts.structure, text, command)
    if point is None or point.offset != command.start or point.placement is Placement.GROUPED or not _is_plain(found):
        return Fix(Applicability.SUGGEST, message)
    assignment = text[found.word.start : found.word.end]
    separator = f"\n{point.indentation}" if point.placement is Placement.OWN_LINE else "; "
    if marks:
        new = f"{assignment}{separator}{builtin} {found.name}"
        applicability = Applicability.UNSAFE if found.look is not Look.STOPS else Applicability.SAFE
    else:
        new = f"{builtin} {found.name}{separator}{assignment}"
        applicability = Applicability.SAFE
    return Fix(applicability, message, (Edit(Span(command.start, command.end), new),))
