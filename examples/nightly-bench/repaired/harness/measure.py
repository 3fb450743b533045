"""What the scenarios share: run a piece of work many times, prove that it did the work, print the median."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable


def measure(scenario: str, work: Callable[[], int], *, expected: int) -> int:
    """Time `work` and print its result's checksum and the median time in microseconds.

    Returns the process's exit status: 1 when `work` gives another checksum than `expected`, because then
    something else was measured.
    """
    parser = argparse.ArgumentParser(description=f"Measure {scenario}.")
    parser.add_argument("--rounds", type=int, default=50, help="how often to run it (default: 50)")
    rounds = parser.parse_args().rounds
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        checksum = work()
        times.append(time.perf_counter() - started)
        if checksum != expected:
            print(f"{scenario}: checksum {checksum}, expected {expected}", file=sys.stderr)
            return 1
    print(f"scenario {scenario}")
    print(f"rounds {rounds}")
    print(f"checksum {expected}")
    print(f"median_us {statistics.median(times) * 1e6:.1f}")
    return 0
