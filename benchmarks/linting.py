"""Run shellguard on scripts and read its JSON report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from children import Usage, installed, run

# Linux gives a process room for 2 MB of arguments.
MOST_PATHS = 10_000


@dataclass(frozen=True, slots=True)
class Found:
    """One finding: lines count from 1."""

    rule: str
    path: str
    line: int
    end_line: int
    message: str


@dataclass(frozen=True, slots=True)
class Unchecked:
    """What shellguard says it did not check."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """What one process said."""

    findings: list[Found]
    not_checked: list[Unchecked]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What all processes said and took: seconds and bytes; `crashes` is how many ended without a report."""

    findings: tuple[Found, ...]
    not_checked: tuple[Unchecked, ...]
    cpu: float
    peak_memory: int
    crashes: int


def lint_command(paths: Iterable[Path]) -> list[str]:
    """The command that lints scripts in one process, without configuration or cache."""
    options = ["--format=json", "--jobs=1", "--no-config", "--no-cache", "--exit-zero"]
    return [installed("shellguard"), "lint", *options, "--", *map(str, paths)]


def lint(paths: Sequence[Path]) -> Outcome:
    """Lint scripts, as many in one process as its arguments have room for."""
    runs = [run(lint_command(paths[start : start + MOST_PATHS])) for start in range(0, len(paths), MOST_PATHS)]
    reports = [report for report in map(read_report, runs) if report is not None]
    return Outcome(
        findings=tuple(found for report in reports for found in report.findings),
        not_checked=tuple(unchecked for report in reports for unchecked in report.not_checked),
        cpu=sum(usage.cpu for usage in runs),
        peak_memory=max(usage.peak_memory for usage in runs),
        crashes=len(runs) - len(reports),
    )


def read_report(usage: Usage) -> Report | None:
    """The report that a run printed; None when it ended without one."""
    try:
        report = json.loads(usage.output)
    except ValueError:
        return None
    return Report(
        findings=[
            Found(entry["rule"], entry["path"], entry["line"], entry["end_line"], entry["message"])
            for entry in report["findings"]
        ],
        not_checked=[Unchecked(entry["path"], entry["reason"]) for entry in report["not_checked"]],
    )
