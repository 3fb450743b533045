"""Scenario: count the matches of a regular expression in a text of 100 KB."""

from __future__ import annotations

import re
import sys

from measure import measure

TEXT = "".join(f"run {number}: exit status {number % 13}\n" for number in range(4000))
FAILURE = re.compile(r"status [1-9]\d*$", re.MULTILINE)


def work() -> int:
    """Count the lines that tell of a failure."""
    return sum(1 for _ in FAILURE.finditer(TEXT))


if __name__ == "__main__":
    sys.exit(measure("text-search", work, expected=3692))
