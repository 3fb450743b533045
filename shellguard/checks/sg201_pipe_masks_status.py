"""SG201: a job's failure is replaced by the status of the command that it is piped into."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.checks.endings import ends_well, is_seen
from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.consumers import Look
from shellguard.flow.demanding import unpacks
from shellguard.flow.facts import Facts
from shellguard.flow.pipelines import (
    MaskedJob,
    changes_nothing_elsewhere,
    copies_only,
    is_statement,
    masked_jobs,
    reads_everything,
)
from shellguard.flow.relevance import LOOKS
from shellguard.flow.strictness import pipefail_insertion
from shellguard.source import Dialect, Span

CODE = "SG201"

_ALIKE = 3
"""As many findings that say the same are shown one by one; of more, the first speaks for all."""
_SHOWN = 5


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each pipeline that hides a job's failure; one for many that are alike."""
    masked = [item for item in masked_jobs(facts) if not is_seen(facts, item.job)]
    everywhere = changes_nothing_elsewhere(facts, {item.pipeline for item in masked}) and all(
        reads_everything(facts, item.pipeline) for item in masked
    )
    for item, others in _grouped(facts, masked):
        related = (Related(item.last.span, f"the pipeline's status is that of {_name(facts, item)}"),)
        yield Finding(
            CODE,
            _severity(facts, item),
            item.job.span,
            _message(facts, item, others),
            related + tuple(Related(other.job.span, "the same here") for other in others[:_SHOWN]),
            _fix(facts, item, everywhere=everywhere),
        )


def _grouped(facts: Facts, masked: list[MaskedJob]) -> Iterator[tuple[MaskedJob, list[MaskedJob]]]:
    """Yield each finding with the ones it speaks for: those of more than three that are alike."""
    groups: dict[tuple[str, str, Look], list[MaskedJob]] = {}
    for item in masked:
        key = (facts.commands.shown_name(item.job), _name(facts, item), item.consumer.look)
        groups.setdefault(key, []).append(item)
    firsts = {id(group[0]): group for group in groups.values() if len(group) > _ALIKE}
    alone = {id(item) for group in groups.values() if len(group) <= _ALIKE for item in group}
    for item in masked:
        if id(item) in alone:
            yield item, []
        elif id(item) in firsts:
            yield item, firsts[id(item)][1:]


def _severity(facts: Facts, item: MaskedJob) -> Severity:
    """An error where somebody looks at the pipeline's status and is told the wrong one."""
    if unpacks(facts, item.last):
        return Severity.WARNING  # what a failed job leaves rarely unpacks
    return Severity.ERROR if item.consumer.look in LOOKS else Severity.WARNING


def _name(facts: Facts, item: MaskedJob) -> str:
    """The name of the pipeline's last command."""
    name = facts.commands.last_name(item.last)
    return f"`{name}`" if name else "its last command"


def _message(facts: Facts, item: MaskedJob, others: list[MaskedJob]) -> str:
    """Say what happens when the job fails."""
    job = facts.commands.shown_name(item.job) or facts.text[item.job.start : item.job.end].split("\n")[0][:40]
    last = _name(facts, item)
    masking = f"{last} ends the pipeline and there is no pipefail"
    well = ends_well(facts, item.job)
    match item.consumer.look:
        case Look.STOPS:
            consequence = "the script goes on in spite of `set -e`" + (" and ends with 0" if well else "")
        case Look.TESTED:
            consequence = "the test of this pipeline can't see it" + (", and the script ends with 0" if well else "")
        case Look.LOGGED:
            consequence = "the status that is printed is another's" + (", and the script ends with 0" if well else "")
        case Look.RETURNED:
            consequence = f"{_ender(facts, item)} {last}'s status"
        case _:
            consequence = "the script still ends with 0" if well else "nothing notices"
            if unpacks(facts, item.last):
                consequence += f" unless {last} trips over what it left"
            masking = f"{last} ends the pipeline, there is no pipefail, and nothing looks at its status"
    alike = f" ({len(others)} more like this)" if others else ""
    return f"if `{job}` fails, {consequence}: {masking}{alike}"


def _ender(facts: Facts, item: MaskedJob) -> str:
    """What ends with the pipeline's status."""
    function = facts.structure.enclosing_function(item.pipeline)
    return f"the function `{function.name}` still returns" if function is not None else "the script still ends with"


def _fix(facts: Facts, item: MaskedJob, *, everywhere: bool) -> Fix:
    """Remove a `cat` that does nothing; else set pipefail; in sh, say how to do without."""
    if copies_only(facts, item.pipeline):
        first = item.pipeline.commands[0]
        removal = Edit(Span(first.end, item.pipeline.end), "")
        return _with_test(facts, item, "remove `| cat`", (removal,))
    if facts.shell.dialect in (Dialect.SH, Dialect.DASH):
        return Fix(
            Applicability.SUGGEST,
            "sh has no pipefail: write to a file first and test the job's own status, or run this script with bash "
            "and `set -o pipefail`",
        )
    everywhere &= not facts.is_part or bool(facts.structure.named("set"))
    insertion = pipefail_insertion(facts)
    if insertion is None:
        return Fix(Applicability.SUGGEST, "set pipefail before this pipeline")
    offset, text = insertion
    edits = (Edit(Span(offset, offset), text),)
    if not everywhere:
        message = "set pipefail, after a look at the script's other pipelines and at readers that may leave early"
        return Fix(Applicability.SUGGEST, message, edits)
    return _with_test(facts, item, "set pipefail, so that the pipeline fails when the job does", edits)


def _with_test(facts: Facts, item: MaskedJob, message: str, edits: tuple[Edit, ...]) -> Fix:
    """Fix a pipeline whose status counts; where nothing looks at it, a test is needed as well, and that is a guess."""
    if item.consumer.look in LOOKS:
        return Fix(Applicability.SAFE, message, edits)
    if is_statement(facts, item.pipeline):
        end = item.pipeline.end
        edits = (*edits, Edit(Span(end, end), " || exit"))
    return Fix(Applicability.SUGGEST, f"{message}; and test its status, which nothing looks at", edits)
