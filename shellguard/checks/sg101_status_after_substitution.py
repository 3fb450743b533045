"""SG101: `$?` is read after a command substitution of the same command has replaced it."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.checks.capture import capture_status
from shellguard.checks.endings import ends_well
from shellguard.finding import Finding, Related, Severity
from shellguard.flow.facts import Facts
from shellguard.flow.statuses import ClobberedRead, clobbered_reads
from shellguard.source import Dialect

CODE = "SG101"


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each status read whose status is a substitution's."""
    if facts.shell.dialect is Dialect.DASH:
        return  # dash and busybox ash keep the earlier status
    for read in clobbered_reads(facts):
        yield Finding(
            CODE,
            _severity(facts, read),
            read.node.span,
            _message(facts, read),
            (Related(read.substitution.span, f"`$?` becomes the status of `{read.culprit}` here"),),
            capture_status(facts, read.command, read.all_reads),
        )


def _severity(facts: Facts, read: ClobberedRead) -> Severity:
    """Certain in bash and ksh, unless the substitution is only made on some paths."""
    if facts.shell.dialect is Dialect.SH or read.on_some_paths:
        return Severity.WARNING
    return Severity.ERROR


def _message(facts: Facts, read: ClobberedRead) -> str:
    """Say whose status is read instead of whose."""
    name = facts.commands.shown_name(read.meant) if read.meant is not None else ""
    meant = f", not of `{name}`" if name else ""
    substitution = facts.text[read.substitution.start : read.substitution.end]
    shown = substitution if len(substitution) <= 30 and "\n" not in substitution else f"$({read.culprit} …)"
    if facts.shell.dialect is Dialect.SH:
        return (
            f"where sh is bash, this `$?` is the status of `{read.culprit}`{meant}: "
            f"`{shown}` is expanded first (dash keeps the earlier status)"
        )
    sometimes = "may be" if read.on_some_paths else "is"
    found = f"this `$?` {sometimes} the status of `{read.culprit}`{meant}: `{shown}` is expanded first"
    is_lost = read.meant is not None and ends_well(facts, read.meant)
    return f"{found}; if `{name}` fails, the script still ends with 0" if is_lost and name else found
