"""`--fix`, `--unsafe-fixes` and `--diff`: what is repaired, saved or shown, and what is told about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shellguard.cli.errors import tell
from shellguard.engine import fix_file
from shellguard.finding import Applicability, FileReport, NotChecked, Report
from shellguard.report.sanitise import visible
from shellguard.report.summary import plural
from shellguard.source import encode

if TYPE_CHECKING:
    from shellguard.engine import Settings
    from shellguard.fixes import FixResult


@dataclass(frozen=True, slots=True)
class Repair:
    """A script that fixes change: the report on it as it was, what the fixes come to, and the report afterwards."""

    file: FileReport
    result: FixResult
    after: FileReport | NotChecked


def applicable(*, unsafe: bool) -> frozenset[Applicability]:
    """The fixes that may be applied."""
    return frozenset({Applicability.SAFE, Applicability.UNSAFE} if unsafe else {Applicability.SAFE})


def repairs(report: Report, settings: Settings, applicabilities: Collection[Applicability]) -> Iterator[Repair]:
    """Yield what the fixes make of each file that they change; tell which of them had to be given up."""
    for file in report.files:
        if any(finding.fix and finding.fix.applicability in applicabilities for finding in file.findings):
            repair = Repair(file, *fix_file(file, settings, applicabilities))
            _tell_problems(repair)
            if repair.result.text != file.source.text:
                yield repair


def save(repair: Repair, paths: Sequence[str]) -> bool:
    """Write the repaired text to the file; tell why if that's impossible, and say whether it worked.

    `paths` are those given by the user: a symbolic link is only followed to what lies under one of them.
    """
    from shellguard.fixes import SaveError, resolve_target, write_atomically

    path = repair.file.source.path
    target = resolve_target(Path(path), [Path(given) for given in paths])
    if target is None:
        tell(f"{visible(path)}: not fixed: it is a link to a file outside of the paths given")
        return False
    try:
        write_atomically(target, encode(repair.result.text), expected=encode(repair.file.source.text))
    except SaveError as error:
        tell(f"{visible(path)}: not fixed: {visible(error.reason)}")
        return False
    return True


def with_repaired(report: Report, repaired: Iterable[Repair]) -> Report:
    """The report after the repairs."""
    after = {repair.file.source.path: repair.after for repair in repaired}
    results = [after.get(file.source.path, file) for file in report.files]
    return replace(
        report,
        files=tuple(result for result in results if isinstance(result, FileReport)),
        not_checked=(*report.not_checked, *(result for result in results if isinstance(result, NotChecked))),
    )


def tell_fixed(repaired: Collection[Repair], verb: str) -> None:
    """Say how many findings of which rules the fixes take away."""
    applied: Counter[str] = Counter()
    for repair in repaired:
        applied.update(dict(repair.result.applied))
    if applied:
        rules = ", ".join(f"{number} {code}" for code, number in sorted(applied.items()))
        tell(f"{verb} {plural(applied.total(), 'finding')} in {plural(len(repaired), 'script')} ({rules})")


def patch(repaired: Collection[Repair]) -> str:
    """What the fixes change, as one patch."""
    from shellguard.fixes import unified_diff

    return "".join(
        unified_diff(repair.file.source.path, repair.file.source.text, repair.result.text) for repair in repaired
    )


def _tell_problems(repair: Repair) -> None:
    path = visible(repair.file.source.path)
    if repair.result.problem:
        tell(f"{path}: {repair.result.problem}")
    for dropped in repair.result.dropped:
        tell(f"{path}:{dropped.line}: the fix of {dropped.rule} was left out: {dropped.reason}")
