"""Measure shellguard on a folder of scripts: what it parses, what it finds, what it takes. Asserts nothing.

Usage: python benchmarks/corpus.py FOLDER [--sample N] [--seed N]

FOLDER is any folder with shell scripts; `python benchmarks/fetch.py FOLDER` fills one. The scripts are parsed by bash
(`bash -n`), ShellCheck and shellguard, and never executed.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from children import Usage, installed, run
from linting import Outcome, lint, lint_command
from scripts import Script, examine, find_scripts

BATCH = 100
STARTS = 20
SHORT_SCRIPT = "#!/bin/bash\nset -euo pipefail\n" + 'rsync -a "$1/" "$2/" || exit\n' * 18


def main() -> int:
    """Print the tables; give 2 when the folder holds no scripts."""
    parser = argparse.ArgumentParser(description="Measure shellguard on a folder of scripts.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=400, help="scripts to time against ShellCheck (default: 400)")
    parser.add_argument("--seed", type=int, default=1, help="which scripts those are (default: 1)")
    options = parser.parse_args()
    scripts = examine(list(find_scripts(options.folder)))
    if not scripts:
        print(f"{options.folder}: no shell scripts", file=sys.stderr)
        return 2
    outcome = lint([script.path for script in scripts])
    print_table("Parsing", parsing(scripts, outcome))
    print_failures(scripts, outcome)
    print_table("Findings", findings(scripts, outcome))
    print_table("All of it on one core", cost(scripts, outcome))
    accepted = [script for script in scripts if script.accepted]
    sample = random.Random(options.seed).sample(accepted, min(options.sample, len(accepted)))
    print_table(f"Speed on {len(sample)} of them", speed(sample))
    print_table(f"Start-up, median of {STARTS}", start_up())
    return 0


def parsing(scripts: Sequence[Script], outcome: Outcome) -> Iterator[tuple[str, ...]]:
    """How many scripts are parsed, of those that bash accepts."""
    accepted = {str(script.path) for script in scripts if script.accepted}
    refused = {finding.path for finding in outcome.findings if finding.rule == "SG001"}
    unchecked = {entry.path for entry in outcome.not_checked} - refused
    parsed = len(accepted - refused)
    yield "scripts", f"{len(scripts):,}"
    yield "lines", f"{sum(script.lines for script in scripts):,}"
    yield "accepted by bash -n", f"{len(accepted):,}"
    yield "of these without a syntax error", f"{parsed:,}", share(parsed, len(accepted))
    yield "of these checked to the last line", f"{len(accepted - refused - unchecked):,}"
    yield "refused by bash, not here", f"{len(scripts) - len(accepted) - len(refused - accepted):,}"
    yield "runs that ended without a report", f"{outcome.crashes:,}"


def print_failures(scripts: Sequence[Script], outcome: Outcome) -> None:
    """Name the scripts that bash accepts and that weren't parsed, and say why."""
    accepted = {str(script.path) for script in scripts if script.accepted}
    for finding in outcome.findings:
        if finding.rule == "SG001" and finding.path in accepted:
            print(f"  {finding.path}:{finding.line}: {finding.message}")
    for entry in outcome.not_checked:
        if entry.path in accepted:
            print(f"  {entry.path}: {entry.reason}")


def findings(scripts: Sequence[Script], outcome: Outcome) -> Iterator[tuple[str, ...]]:
    """Findings by rule."""
    lines = sum(script.lines for script in scripts)
    count = Counter(finding.rule for finding in outcome.findings)
    files = {(finding.rule, finding.path) for finding in outcome.findings}
    yield "rule", "findings", "per 1,000 lines", "scripts"
    for rule, number in sorted(count.items()):
        yield rule, f"{number:,}", f"{number * 1000 / lines:.2f}", f"{sum(1 for code, _ in files if code == rule):,}"
    total = count.total() - count["SG001"]
    yield "all but SG001", f"{total:,}", f"{total * 1000 / lines:.2f}", ""


def cost(scripts: Sequence[Script], outcome: Outcome) -> Iterator[tuple[str, ...]]:
    """What it took to lint everything."""
    lines = sum(script.lines for script in scripts)
    yield "CPU time", f"{outcome.cpu:.1f} s"
    yield "lines per second", f"{lines / outcome.cpu:,.0f}"
    yield "peak memory", f"{outcome.peak_memory / 2**20:.0f} MB"


def speed(sample: Sequence[Script]) -> Iterator[tuple[str, ...]]:
    """CPU time of shellguard and ShellCheck on the same scripts.

    They take turns, batch by batch, and change who is first, so that a machine that slows down slows both.
    """
    commands: dict[str, Callable[[Iterable[Path]], list[str]]] = {
        "shellguard": lint_command,
        "ShellCheck": lambda paths: [installed("shellcheck"), "--format=json1", "--", *map(str, paths)],
    }
    cpu = dict.fromkeys(commands, 0.0)
    memory = dict.fromkeys(commands, 0)
    for number, start in enumerate(range(0, len(sample), BATCH)):
        batch = [script.path for script in sample[start : start + BATCH]]
        for name in sorted(commands, reverse=bool(number % 2)):
            usage = run(commands[name](batch))
            cpu[name] += usage.cpu
            memory[name] = max(memory[name], usage.peak_memory)
    lines = sum(script.lines for script in sample)
    yield "tool", "CPU time", "lines/s", "peak memory"
    for name in commands:
        yield name, f"{cpu[name]:.2f} s", f"{lines / cpu[name]:,.0f}", f"{memory[name] / 2**20:.0f} MB"
    yield "ShellCheck / shellguard", f"{cpu['ShellCheck'] / cpu['shellguard']:.1f}"


def start_up() -> Iterator[tuple[str, ...]]:
    """What a short run takes, also as a multiple of Python's own start."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "short.sh"
        script.write_text(SHORT_SCRIPT, encoding="utf-8")
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "shellguard --version": [installed("shellguard"), "--version"],
            "shellguard lint, 20 lines": lint_command([script]),
        }
        usages: dict[str, list[Usage]] = {name: [] for name in commands}
        for _ in range(STARTS):
            for name, command in commands.items():
                usages[name].append(run(command))
    yield "command", "wall", "of Python's", "CPU", "of Python's"
    walls = {name: statistics.median(usage.wall for usage in used) for name, used in usages.items()}
    cpus = {name: statistics.median(usage.cpu for usage in used) for name, used in usages.items()}
    bare = next(iter(commands))
    for name in commands:
        row = [name]
        for times in (walls, cpus):
            row += [f"{times[name] * 1000:.0f} ms", f"{times[name] / times[bare]:.1f}"]
        yield tuple(row)


def share(part: int, whole: int) -> str:
    """A part as a percentage, rounded down so that 100 % means all."""
    return f"{part * 10000 // whole / 100:.2f} %" if whole else "-"


def print_table(title: str, rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows in columns: the first to the left, the others to the right."""
    table = list(rows)
    widths = Counter[int]()
    for row in table:
        for column, cell in enumerate(row):
            widths[column] = max(widths[column], len(cell))
    print(f"\n{title}")
    for first, *others in table:
        cells = (cell.rjust(widths[column]) for column, cell in enumerate(others, start=1))
        print("  ".join(["", first.ljust(widths[0]), *cells]).rstrip())


if __name__ == "__main__":
    sys.exit(main())
