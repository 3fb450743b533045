"""SG501: what the script runs lies under /tmp or another place that is wiped."""

from __future__ import annotations

from collections.abc import Iterator

from shellguard.finding import Applicability, Edit, Finding, Fix, Related, Severity
from shellguard.flow.consumers import Look
from shellguard.flow.facts import Facts
from shellguard.flow.origins import EphemeralRun, ephemeral_runs
from shellguard.syntax.nodes import Word

CODE = "SG501"

_SHOWN = 5


def check(facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each program or script that may be gone by the next run, where it is first run."""
    runs: dict[str, list[EphemeralRun]] = {}
    for run in ephemeral_runs(facts):
        runs.setdefault(run.path, []).append(run)
    for run, *others in runs.values():
        severity = Severity.WARNING if all(_is_loud(facts, item) for item in (run, *others)) else Severity.ERROR
        again = tuple(Related(other.word.span, "run again here") for other in others[:_SHOWN])
        yield Finding(CODE, severity, run.word.span, _message(facts, run), _related(run) + again, _fix(run))


def _is_loud(facts: Facts, run: EphemeralRun) -> bool:
    """Whether the script stops when the program is gone."""
    return facts.consumers.of(run.command).look is Look.STOPS


def _message(facts: Facts, run: EphemeralRun) -> str:
    """Say what happens when the place is wiped."""
    source = facts.text[run.word.start : run.word.end]
    shown = f"`{run.path}`" if run.path in source else f"`{source}` (`{run.path}`)"
    consequence = "and this can't run" if _is_loud(facts, run) else "and this runs nothing"
    return f"once {run.root} is wiped, {shown} is gone {consequence}; the script never puts it there"


def _related(run: EphemeralRun) -> tuple[Related, ...]:
    """Point at the assignment that the path comes from."""
    if run.origin is None:
        return ()
    return (Related(run.origin.span, f"`{run.origin.name}` is set to a path under {run.root} here"),)


def _fix(run: EphemeralRun) -> Fix:
    """Suggest the script's own folder instead of the ephemeral root."""
    message = "keep it in the repository, and name it by the script's own folder"
    word = run.origin.value if run.origin is not None else run.word
    if not isinstance(word, Word) or word.literal is None or not word.literal.startswith(f"{run.root}/"):
        return Fix(Applicability.SUGGEST, message)
    rest = word.literal[len(run.root) + 1 :]
    edit = Edit(word.span, f'"$(cd "$(dirname "$0")" && pwd)/{rest}"')
    return Fix(Applicability.SUGGEST, message, (edit,))
