"""Print random findings of each rule with the lines around them, for reading: would a maintainer want this fixed?

Usage: python benchmarks/sample.py FOLDER [--number N] [--seed N] [--rule CODE]…
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from linting import Found, lint
from scripts import find_scripts

AROUND = 4


def main() -> int:
    """Print the sample; give 2 when the folder holds no scripts."""
    parser = argparse.ArgumentParser(description="Print random findings of each rule, for reading.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, default=25, help="findings of each rule (default: 25)")
    parser.add_argument("--seed", type=int, default=1, help="which ones those are (default: 1)")
    parser.add_argument("--rule", action="append", help="only this rule; may be repeated")
    options = parser.parse_args()
    paths = list(find_scripts(options.folder))
    if not paths:
        print(f"{options.folder}: no shell scripts", file=sys.stderr)
        return 2
    findings = lint(paths).findings
    for rule in options.rule or sorted({finding.rule for finding in findings}):
        of_rule = [finding for finding in findings if finding.rule == rule]
        sample = random.Random(options.seed).sample(of_rule, min(options.number, len(of_rule)))
        print(f"== {rule}: {len(sample)} of {len(of_rule)} findings ==\n")
        for finding in sample:
            print_finding(finding)
    return 0


def print_finding(finding: Found) -> None:
    """Print a finding and its excerpt."""
    print(f"{printable(finding.path)}:{finding.line}: {printable(finding.message)}")
    lines = Path(finding.path).read_text(encoding="utf-8", errors="replace").split("\n")
    for line in excerpt(lines, finding):
        print(line)
    print()


def excerpt(lines: list[str], finding: Found) -> Iterator[str]:
    """The finding's lines, marked, and those around them."""
    first = max(finding.line - AROUND, 1)
    last = min(finding.end_line + AROUND, len(lines))
    for number in range(first, last + 1):
        mark = ">" if finding.line <= number <= finding.end_line else " "
        yield f"  {mark} {number:5} {printable(lines[number - 1])}"


def printable(text: str) -> str:
    """Replace what could steer a terminal."""
    return "".join(char if char.isprintable() or char == "\t" else f"\\x{ord(char):02x}" for char in text)


if __name__ == "__main__":
    sys.exit(main())
