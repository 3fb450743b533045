"""Compare shellguard's parser with bash itself: what each accepts, and the trees. Asserts nothing.

Usage: python benchmarks/conformance.py FOLDER [--sample N] [--seed N] [--jobs N] [--broken N]

FOLDER is any folder with shell scripts; `python benchmarks/fetch.py FOLDER` fills one. Bash parses the scripts and
prints them (`declare -f`); they are never executed. Two trees are equal when they are the same after what bash is
known to rewrite, which is listed first. With `--broken N`, a token is left out of N of the scripts, to compare the
lines of the first errors.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from acceptance import Agreement, Broken, Judged, agreement_rows, break_and_judge, judge, kept_rows
from corpus import print_table
from scripts import find_scripts
from syntax.conformance import Comparison, Outcome, compare
from syntax.normalise import REWRITES

from shellguard.source import decode

# Trees nest as deep as the parser follows, and the comparison recurses a few times for each level.
RECURSION_LIMIT = 10_000
SHOWN_CAUSES = 40


def main() -> int:
    """Print the tables; give 2 when the folder holds no scripts."""
    parser = argparse.ArgumentParser(description="Compare shellguard's trees with bash itself.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, help="how many scripts (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="which scripts those are (default: 1)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (default: 1)")
    parser.add_argument("--broken", type=int, default=0, help="how many scripts to break (default: none)")
    options = parser.parse_args()
    paths = list(find_scripts(options.folder))
    if not paths:
        print(f"{options.folder}: no shell scripts", file=sys.stderr)
        return 2
    if options.sample:
        paths = sorted(random.Random(options.seed).sample(paths, min(options.sample, len(paths))))
    with ProcessPoolExecutor(options.jobs) as pool:
        judged = list(pool.map(judge, paths, chunksize=20))
        accepted = [path for path, one in zip(paths, judged, strict=True) if one.agreement is Agreement.ACCEPTED]
        picked = random.Random(options.seed).sample(accepted, min(options.broken, len(accepted)))
        broken = list(zip(picked, pool.map(partial(break_and_judge, seed=options.seed), picked), strict=True))
        comparisons = list(zip(paths, pool.map(compare_file, paths, judged, chunksize=20), strict=True))
    print_table("Accepted", agreement_rows(judged))
    print_differences(list(zip(paths, judged, strict=True)))
    if broken:
        print_broken([(path, one) for path, one in broken if one is not None])
    print("\nWhat bash rewrites, and both sides are brought to")
    for name, rewrite in sorted(REWRITES.items()):
        print(f"  {name}: {rewrite}")
    print_table("Against bash", summary([comparison for _, comparison in comparisons]))
    print_causes(comparisons)
    return 0


def print_broken(broken: Sequence[tuple[Path, Broken]]) -> None:
    """Print how broken scripts are judged, and what is left of them."""
    print_table("A token left out", agreement_rows([one.judged for _, one in broken]))
    print_table("Recovery", kept_rows([one for _, one in broken]))
    print_differences([(path, one.judged) for path, one in broken])


def print_differences(judged: Sequence[tuple[Path, Judged]]) -> None:
    """Name the scripts that the two judge differently."""
    different = [(path, one) for path, one in judged if one.detail]
    for path, one in different[:SHOWN_CAUSES]:
        print(f"  {path}: {one.agreement}: {one.detail}".encode("ascii", "backslashreplace").decode())
    if len(different) > SHOWN_CAUSES:
        print(f"  and {len(different) - SHOWN_CAUSES} more")


def compare_file(path: Path, judged: Judged) -> Comparison:
    """Compare the trees of one script."""
    sys.setrecursionlimit(RECURSION_LIMIT)
    if judged.agreement is Agreement.UNREADABLE:
        return Comparison(Outcome.NOT_COMPARABLE, "holds NUL bytes")
    if judged.agreement not in {Agreement.ACCEPTED, Agreement.ONLY_BASH, Agreement.COMPLAINT}:
        return Comparison(Outcome.NOT_COMPARABLE, "bash refuses it")
    text = decode(path.read_bytes())
    # Bash would take the carriage returns of a file from Windows for text.
    return compare(text.replace("\r\n", "\n"))


def summary(comparisons: Sequence[Comparison]) -> Iterator[tuple[str, ...]]:
    """Yield how many scripts were compared, and with what outcome."""
    outcomes = Counter(comparison.outcome for comparison in comparisons)
    compared = outcomes[Outcome.EQUAL] + outcomes[Outcome.DIFFERENT]
    yield "scripts", f"{len(comparisons):,}"
    yield "compared", f"{compared:,}"
    for outcome in (Outcome.EQUAL, Outcome.DIFFERENT):
        yield f"  {outcome}", f"{outcomes[outcome]:,}", f"{outcomes[outcome] / max(compared, 1):.2%}"
    causes = Counter(comparison.cause for comparison in comparisons if comparison.outcome is Outcome.NOT_COMPARABLE)
    for cause, number in sorted(causes.items()):
        yield f"  {Outcome.NOT_COMPARABLE}: {cause}", f"{number:,}"


def print_causes(comparisons: Sequence[tuple[Path, Comparison]]) -> None:
    """Name the scripts that differ, and those that should have been comparable."""
    expected = {"bash refuses it", "no commands", "holds NUL bytes"}
    unequal = [
        entry for entry in comparisons if entry[1].outcome is not Outcome.EQUAL and entry[1].cause not in expected
    ]
    for path, comparison in unequal[:SHOWN_CAUSES]:
        print(f"  {path}: {comparison.outcome}: {comparison.cause}".encode("ascii", "backslashreplace").decode())
    if len(unequal) > SHOWN_CAUSES:
        print(f"  and {len(unequal) - SHOWN_CAUSES} more")


if __name__ == "__main__":
    sys.exit(main())
