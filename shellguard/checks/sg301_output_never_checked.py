"""SG301: a job's output goes to a file, and nothing looks at the file or at the job's status."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shellguard.checks.endings import ends_well, is_seen
from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.consumers import Look
from shellguard.flow.evidence import UncheckedOutput, unchecked_outputs
from shellguard.flow.facts import Facts
from shellguard.flow.insertion import Placement, insertion_point
from shellguard.flow.pipelines import masked_jobs
from shellguard.source import Span
from shellguard.syntax.nodes import Pipeline, Redirection

CODE = "SG301"

_SIGNATURES = "can't open file|Traceback|command not found|No such file"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each job that could write an error message into its result file, unnoticed."""
    outputs = list(unchecked_outputs(facts))
    masked = {item.job for item in masked_jobs(facts)} if outputs else set()
    for output in outputs:
        write = output.write
        if is_seen(facts, write.job) or write.job in masked:
            continue  # where a pipe hides the status, that is the finding
        yield Finding(
            CODE,
            Severity.WARNING,
            write.job.span,
            _message(facts, output),
            (Related(write.node.span, "the output goes here; nothing reads it afterwards"),),
            _fix(facts, output),
        )


def _target(facts: Facts, output: UncheckedOutput) -> str:
    """The file as the script writes it."""
    node = output.write.node
    target = node.target if isinstance(node, Redirection) else node
    return facts.text[target.start + output.write.offset : target.end]


def _message(facts: Facts, output: UncheckedOutput) -> str:
    """Say what happens when the job fails."""
    job = facts.commands.shown_name(output.write.job) or "this job"
    status = {
        Look.LOGGED: "its status is only printed",
        Look.MASKED: "the pipeline hides its status",
    }.get(output.consumer.look, "its status is not tested")
    ending = "the script still ends with 0" if ends_well(facts, output.write.job) else "nothing notices"
    return f"if `{job}` fails, {ending}: {status}, and nothing reads `{_target(facts, output)}`"


def _fix(facts: Facts, output: UncheckedOutput) -> Fix:
    """Offer a test of status, size and content after the job, where it ends a line of its own."""
    message = "test the job's status, and the file's size and content, before going on"
    write = output.write
    point = insertion_point(facts.structure, facts.text, write.command)
    line_end = facts.text.find("\n", write.command.end)
    line_end = line_end if line_end >= 0 else len(facts.text)
    simple = point is not None and point.placement is Placement.OWN_LINE and point.offset == write.command.start
    if point is None or not simple or facts.text[write.command.end : line_end].strip():
        return Fix(Applicability.SUGGEST, message)
    appends = isinstance(write.node, Redirection) and write.node.operator in {">>", "&>>"}
    if isinstance(write.command, Pipeline) or output.consumer.look is Look.LOGGED or appends:
        return Fix(Applicability.SUGGEST, message)
    text = _guard(facts, output, point.indentation)
    return Fix(Applicability.SUGGEST, message, (Edit(Span(line_end, line_end), text),))


def _guard(facts: Facts, output: UncheckedOutput, indentation: str) -> str:
    """The lines that test what the job left behind."""
    target = _target(facts, output)
    quoted = target if target[:1] in {'"', "'"} or target.replace("/", "").replace(".", "").isalnum() else f'"{target}"'
    status = facts.status_variable
    job = re.sub(r"[^\w./ -]", "", facts.commands.shown_name(output.write.job)) or "the job"
    lines = (
        f"{status}=$?",
        f'if [ "${status}" -ne 0 ] || [ ! -s {quoted} ] || grep -qE "{_SIGNATURES}" {quoted}; then',
        f'    echo "{job} failed (status ${status}) or wrote no result" >&2',
        "    exit 1",
        "fi",
    )
    return "".join(f"\n{indentation}{line}" for line in lines)
