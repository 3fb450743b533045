"""SG212: `wait` without operands ends with 0, whatever became of the jobs."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.checks.endings import ends_well
from shellguard.finding import Applicability, Finding, Fix, Related, Severity
from shellguard.flow.bare_waits import bare_waits
from shellguard.flow.facts import Facts

CODE = "SG212"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each `wait` that drops the status of a job."""
    for found in bare_waits(facts):
        name = facts.commands.shown_name(found.job)
        end = "the script still ends with 0" if ends_well(facts, found.job) else "nothing notices"
        message = f"if `{name}` fails in the background, {end}: `wait` alone ends with 0, whatever became of the jobs"
        fix = Fix(
            Applicability.SUGGEST,
            'keep each process (`pids+=("$!")`), and ask for each status: `wait "$pid" || failed=1`',
        )
        yield Finding(
            CODE,
            Severity.ERROR,
            found.command.span,
            message,
            (Related(found.job.span, "the job is started here"),),
            fix,
        )
