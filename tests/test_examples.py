"""The nightly benchmark in `examples/`: both runners run for real, and the linter tells them apart."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import pytest
from conftest import CHECKOUT, CommandLine

EXAMPLE = CHECKOUT / "examples" / "nightly-bench"
SCENARIOS = ("json-roundtrip", "sort-numbers", "text-search")
MEASUREMENT = "scenario stub\nrounds 50\nchecksum 1\nmedian_us 12.5"


class Report(TypedDict):
    """The parts of the JSON report that are looked at here."""

    summary: dict[str, int]
    not_checked: list[object]
    findings: list[Place]


class Place(TypedDict):
    """The parts of a finding that are looked at here."""

    rule: str
    line: int


@dataclass(frozen=True)
class Night:
    """How a night ended: the runner's status and log, and each scenario's result file."""

    status: int
    log: str
    results: dict[str, str]


@dataclass(frozen=True)
class Bench:
    """A copy of the example in a folder of its own, with `python3` replaced by stubs."""

    folder: Path

    def stub_python(self, body: str) -> None:
        """Have `python3` run a shell script instead; `$1` is the harness."""
        stub = self.folder / "bin" / "python3"
        stub.parent.mkdir(exist_ok=True)
        stub.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        stub.chmod(0o755)

    def run(self, runner: str, **environment: str) -> Night:
        """Run `broken` or `repaired` to its end."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        completed = subprocess.run(
            ["bash", self.folder / "nightly-bench" / runner / "nightly.sh"],
            cwd=home,
            env={
                "PATH": f"{self.folder / 'bin'}:{os.defpath}",
                "HOME": str(home),
                "TMPDIR": str(home),
                "LC_ALL": "C",
            }
            | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert not list(home.iterdir()), "a runner wrote outside its own folder"
        results = (self.folder / "nightly-bench" / runner / "results").glob("*/*.txt")
        return Night(completed.returncode, completed.stdout, {path.stem: path.read_text() for path in results})


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    shutil.copytree(EXAMPLE, tmp_path / "nightly-bench", ignore=shutil.ignore_patterns("results", "__pycache__"))
    return Bench(tmp_path)


def test_the_incident_as_it_happened(bench: Bench) -> None:
    bench.stub_python("""echo "python3: can't open file '$1': [Errno 2] No such file or directory" >&2; exit 2""")
    night = bench.run("broken")
    assert night.status == 0
    assert night.log.count("return 0") == len(SCENARIOS)
    assert night.results == {
        scenario: f"python3: can't open file '/tmp/bench-harness/{scenario.replace('-', '_')}.py': "
        "[Errno 2] No such file or directory\n"
        for scenario in SCENARIOS
    }


def test_the_repaired_runner_measures_with_the_real_harnesses(bench: Bench) -> None:
    bench.stub_python(f'exec {shlex.quote(sys.executable)} "$@"')
    night = bench.run("repaired")
    assert night.status == 0, night.log
    assert set(night.results) == set(SCENARIOS)
    for scenario, result in night.results.items():
        assert result.startswith(f"scenario {scenario}\nrounds 50\nchecksum ")


@pytest.mark.parametrize("runner", ["broken", "repaired"])
def test_both_end_with_0_when_every_scenario_succeeds(bench: Bench, runner: str) -> None:
    bench.stub_python(f"echo '{MEASUREMENT}'")
    night = bench.run(runner)
    assert night.status == 0, night.log
    assert night.results == dict.fromkeys(SCENARIOS, f"{MEASUREMENT}\n")


@pytest.mark.parametrize("victim", ["json_roundtrip", "sort_numbers", "text_search"])
@pytest.mark.parametrize(
    "failure",
    [
        pytest.param("exit 2", id="status"),
        pytest.param("kill -KILL $$", id="killed"),
        pytest.param(f"echo '{MEASUREMENT}'; exit 1", id="status-after-output"),
    ],
)
def test_a_failing_harness_is_lost_by_the_broken_runner_only(bench: Bench, victim: str, failure: str) -> None:
    bench.stub_python(f"""case $1 in *{victim}*) {failure} ;; *) echo '{MEASUREMENT}' ;; esac""")
    assert bench.run("broken").status == 0
    repaired = bench.run("repaired")
    assert repaired.status == 1
    assert "1 of 3 scenarios failed" in repaired.log


@pytest.mark.parametrize(
    ("output", "complaint"),
    [
        pytest.param(":", "only 0 bytes", id="nothing"),
        pytest.param("echo done", "only 5 bytes", id="a-word"),
        pytest.param("echo Traceback: something that is long enough to pass for a table", "no median", id="traceback"),
    ],
)
def test_an_empty_measurement_is_no_success(bench: Bench, output: str, complaint: str) -> None:
    bench.stub_python(output)
    assert bench.run("broken").status == 0
    repaired = bench.run("repaired")
    assert repaired.status == 1
    assert repaired.log.count(complaint) == len(SCENARIOS)
    assert "3 of 3 scenarios failed" in repaired.log


def test_the_guard_stops_the_repaired_runner_only(bench: Bench) -> None:
    bench.stub_python(f"echo '{MEASUREMENT}'")
    full = {"BENCH_MIN_FREE_KB": "9" * 15}
    broken = bench.run("broken", **full)
    assert (broken.status, "free under" in broken.log, len(broken.results)) == (0, True, 3)
    repaired = bench.run("repaired", **full)
    assert (repaired.status, "free under" in repaired.log, repaired.results) == (3, True, {})


def lines_of(script: Path, is_meant: Callable[[str], bool]) -> list[int]:
    lines = script.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, start=1) if is_meant(line)]


def lint(cli: CommandLine, *paths: str) -> tuple[int, Report]:
    """Lint paths of a copy of the example; the exit status and the report."""
    shutil.copytree(EXAMPLE, cli.folder / "nightly-bench", ignore=shutil.ignore_patterns("results"))
    completed = cli("lint", "--format", "json", *(f"nightly-bench/{path}" for path in paths))
    report: Report = json.loads(completed.stdout)
    return completed.status, report


def test_the_linter_flags_each_lie_of_the_broken_runner(cli: CommandLine) -> None:
    script = EXAMPLE / "broken" / "nightly.sh"
    status, report = lint(cli, "broken")
    found: dict[str, list[int]] = {}
    for finding in report["findings"]:
        found.setdefault(finding["rule"], []).append(finding["line"])
    harness_lines = lines_of(script, lambda line: line.startswith('python3 "$LIB/'))
    assert len(harness_lines) == len(SCENARIOS)
    assert (status, found) == (
        1,
        {
            "SG101": lines_of(script, lambda line: line.endswith('return $?"')),
            "SG201": lines_of(script, lambda line: line.endswith("| cat")),
            "SG301": harness_lines,
            "SG501": harness_lines,
        },
    )


def test_the_linter_has_nothing_to_say_about_the_repaired_runner(cli: CommandLine) -> None:
    status, report = lint(cli, "repaired", "guard.sh")
    assert (status, report["findings"], report["not_checked"]) == (0, [], [])
    assert report["summary"]["files"] == 2
