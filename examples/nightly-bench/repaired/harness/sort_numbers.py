"""Scenario: sort numbers that come in no order, but in the same one every night."""

from __future__ import annotations

import sys

from measure import measure

NUMBERS = [number * 7919 % 5003 for number in range(5003)]


def work() -> int:
    """Sort, and return the number in the middle."""
    return sorted(NUMBERS)[len(NUMBERS) // 2]


if __name__ == "__main__":
    sys.exit(measure("sort-numbers", work, expected=2501))
