"""Small incidents: scripts that failed and reported success, and the same scripts repaired.

Each folder of `fixtures/incidents/` has the script as it was, the repaired one, and what the linter says of the first.
Both run for real, with stubs in place of what they run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from controls.examples import DEFAULT_RULES, find
from controls.shells import FAILURE, Ran, run, shells

from shellguard.finding import Finding
from shellguard.source import Dialect, Source

FOLDER = Path(__file__).parent / "fixtures" / "incidents"

# The incidents, and the job that failed in each.
INCIDENTS = {
    "database-dump": "mysqldump",
    "image-build": "docker",
    "mirror": "rsync",
    "release-notice": "make",
    "soak-test": "python3",
    "training-run": "python3",
    "weekly-report": "python3",
}


def source_of(incident: str, version: str) -> Source:
    path = FOLDER / incident / f"{version}.sh"
    return Source(path.name, path.read_text(encoding="utf-8"))


def lines(source: Source, findings: tuple[Finding, ...]) -> str:
    """Each finding on a line, its fix below."""
    text = ""
    for finding in findings:
        place = source.position(finding.span.start)
        text += f"{place.line}:{place.column} {finding.rule} {finding.severity.label}: {finding.message}\n"
        for related in finding.related:
            text += f"    {source.line_of(related.span.start)}: {related.message}\n"
        if finding.fix is not None:
            text += f"    {finding.fix.applicability}: {finding.fix.message}\n"
    return text


def run_incident(source: Source, incident: str, folder: Path, *, fails: bool) -> Ran:
    return run(shells(Dialect.BASH)[0], source.text, folder, job=INCIDENTS[incident], fails=fails)


def test_every_incident_is_told_with_its_job() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == list(INCIDENTS)


@pytest.mark.parametrize("incident", INCIDENTS)
def test_the_linter_says_what_went_wrong(incident: str, golden: Callable[[Path, str], None]) -> None:
    source = source_of(incident, "broken")
    findings = find(source, Dialect.BASH, DEFAULT_RULES)
    assert findings
    golden(FOLDER / incident / "findings.txt", lines(source, findings))


@pytest.mark.parametrize("incident", INCIDENTS)
def test_the_linter_has_nothing_to_say_about_the_repaired_script(incident: str) -> None:
    source = source_of(incident, "repaired")
    assert lines(source, find(source, Dialect.BASH, DEFAULT_RULES)) == ""


@pytest.mark.parametrize("incident", INCIDENTS)
def test_the_broken_script_reported_success(incident: str, tmp_path: Path) -> None:
    ran = run_incident(source_of(incident, "broken"), incident, tmp_path / "run", fails=True)
    assert ran.status == 0
    assert str(FAILURE) not in ran.words


@pytest.mark.parametrize("incident", INCIDENTS)
def test_the_repaired_script_reports_the_failure(incident: str, tmp_path: Path) -> None:
    ran = run_incident(source_of(incident, "repaired"), incident, tmp_path / "run", fails=True)
    assert ran.status != 0, ran


@pytest.mark.parametrize("incident", INCIDENTS)
def test_both_end_well_when_the_job_does(incident: str, tmp_path: Path) -> None:
    for version in ("broken", "repaired"):
        ran = run_incident(source_of(incident, version), incident, tmp_path / version, fails=False)
        assert ran.status == 0, ran
