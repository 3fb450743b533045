"""Compare fates with what real bash did when each command failed in turn, and measure what they cost. Asserts nothing.

Usage: python benchmarks/fates.py agree TRUTH.jsonl FOLDER [--show N]
       python benchmarks/fates.py cost FOLDER [--sample N] [--seed N]

TRUTH has a line for each script: `{"script": PATH, "sites": {"LINE:NAME": STATUS, …}}`, where STATUS is what the
script ended with when the command NAME at LINE failed and all others succeeded. LINE is bash's LINENO: of a command
over several lines it may be any. A relative PATH is one below FOLDER, whose folders are the packages of the table.

`stops` and `returned` claim a status other than 0; `handled`, `ignored`, `logged` and `lost` claim 0; `depends` and
`unknown` claim nothing and count as undecided. A site is missing where no command of that name stands near its line:
most of these run in the code of a trap.

`cost` times parsing and fates: on a sample of FOLDER's scripts by size, and on texts of 100 to 20,000 lines that are
made of its scripts, each in a subshell of its own. Scripts are never executed.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from corpus import print_table
from scripts import bash_accepts, find_scripts

from shellguard.cli.app import spare_collector
from shellguard.finding import MappedCommand, NotChecked, ScriptMap
from shellguard.mapping import map_file, map_source
from shellguard.source import Source, UndecodableSourceError, decode

BAD = {"stops", "returned"}
GOOD = {"handled", "ignored", "logged", "lost"}
# These run the command that the oracle names.
CARRIERS = {"command", "exec", "builtin", "eval", "."}
SIZES = (100, 300, 1_000, 3_000, 10_000, 20_000)
BUCKETS = (30, 100, 300, 1_000, 3_000, 10_000, 1_000_000)
LARGEST_PART = 400
FARTHEST = 20


@dataclass(frozen=True, slots=True)
class Site:
    """A command that was failed: where, what is claimed of it, why, and what the script ended with.

    `verdict` is `agrees`, `differs`, `undecided` or `missing`.
    """

    path: str
    place: str
    fate: str
    because: str
    status: int

    @property
    def verdict(self) -> str:
        """What the comparison comes to."""
        if self.fate in BAD:
            return "agrees" if self.status else "differs"
        if self.fate in GOOD:
            return "differs" if self.status else "agrees"
        return "missing" if self.fate == "missing" else "undecided"


def main() -> int:
    """Print the tables; give 2 where there is nothing to compare or to time."""
    parser = argparse.ArgumentParser(description="Compare fates with bash, and measure what they cost.")
    tasks = parser.add_subparsers(dest="task", required=True)
    agree = tasks.add_parser("agree", help="compare with what bash did when each command failed in turn")
    agree.add_argument("truth", type=Path)
    agree.add_argument("folder", type=Path)
    agree.add_argument("--show", type=int, default=20, help="undecided and missing sites to name (default: 20)")
    cost = tasks.add_parser("cost", help="measure seconds by size of script")
    cost.add_argument("folder", type=Path)
    cost.add_argument("--sample", type=int, default=1500, help="scripts to time one by one (default: 1500)")
    cost.add_argument("--seed", type=int, default=1, help="which scripts the texts are made of (default: 1)")
    options = parser.parse_args()
    spare_collector()
    if options.task == "agree":
        return compare(options.truth, options.folder, options.show)
    return measure(options.folder, options.sample, options.seed)


# Agreement


def compare(truth: Path, folder: Path, shown: int) -> int:
    """Print how far fates agree with a file of truth."""
    sites = list(_sites(truth, folder))
    if not sites:
        print(f"{truth}: no sites of scripts in {folder}", file=sys.stderr)
        return 2
    print_table("Agreement", _summary(sites))
    print_table("By fate", _by_fate(sites))
    print_table("By package", _by_package(sites))
    print_table("Why undecided", _reasons(sites))
    for verdict, count in (("differs", len(sites)), ("undecided", shown), ("missing", shown)):
        for site in [site for site in sites if site.verdict == verdict][:count]:
            print(f"{verdict}: {site.path}:{site.place}: {site.fate} ({site.because}), bash ended with {site.status}")
    return 0


def _sites(truth: Path, folder: Path) -> Iterator[Site]:
    with truth.open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    for row in rows:
        path = folder / row["script"]
        if not path.is_relative_to(folder):
            continue
        name = str(path.relative_to(folder))
        mapped = map_file(str(path))
        for place, status in row["sites"].items():
            yield Site(name, place, *_claim(mapped, place), status)


def _claim(mapped: ScriptMap | NotChecked, place: str) -> tuple[str, str]:
    """The fate claimed of a site, and the reason given."""
    if isinstance(mapped, NotChecked):
        return "missing", mapped.reason
    number, _, name = place.partition(":")
    line = int(number) if number.isdecimal() else 0  # the second line of a command word
    here = [item for item in mapped.commands if _distance(mapped.source, item, line) == 0]
    named = [item for item in mapped.commands if item.name == name]
    found = (
        [item for item in here if item.name == name]
        or [item for item in here if _may_run_any(item)]
        or _nearest(mapped.source, named, line)
    )
    if not found:
        return "missing", "no such command there"
    claims = {item.fate for item in found}
    is_clear = len(claims) == 1 or claims <= BAD or claims <= GOOD
    return (found[0].fate, found[0].because) if is_clear else ("unknown", "several commands stand there")


def _distance(source: Source, item: MappedCommand, line: int) -> int:
    """How many lines a command is away from a line."""
    first, last = source.position(item.span.start).line, source.position(item.span.end).line
    return max(first - line, line - last, 0)


def _nearest(source: Source, items: Sequence[MappedCommand], line: int) -> list[MappedCommand]:
    """The command that bash may mean: it gives what stands in a here-document the line of the command around it."""
    near = [item for item in items if _distance(source, item, line) <= FARTHEST]
    return sorted(near, key=lambda item: _distance(source, item, line))[:1]


def _may_run_any(item: MappedCommand) -> bool:
    return item.name in CARRIERS or any(mark in item.name for mark in "$`*?")


def _summary(sites: Sequence[Site]) -> Iterator[tuple[str, ...]]:
    verdicts = Counter(site.verdict for site in sites)
    decided = verdicts["agrees"] + verdicts["differs"]
    present = len(sites) - verdicts["missing"]
    yield "scripts", f"{len({site.path for site in sites}):,}", ""
    yield "sites", f"{len(sites):,}", ""
    yield "missing", f"{verdicts['missing']:,}", _percent(verdicts["missing"], len(sites))
    yield "decided, of those not missing", f"{decided:,}", _percent(decided, present)
    yield "decided, of all", f"{decided:,}", _percent(decided, len(sites))
    yield "agree, of those decided", f"{verdicts['agrees']:,}", _percent(verdicts["agrees"], decided)


def _by_fate(sites: Sequence[Site]) -> Iterator[tuple[str, ...]]:
    counts = Counter((site.fate, bool(site.status)) for site in sites)
    yield "fate", "sites", "bash ended with 0", "with another", "agree"
    for fate in ("stops", "returned", "handled", "ignored", "logged", "lost", "depends", "unknown", "missing"):
        well, badly = counts[fate, False], counts[fate, True]
        right = badly if fate in BAD else well
        shown = _percent(right, well + badly) if fate in BAD | GOOD else ""
        yield fate, f"{well + badly:,}", f"{well:,}", f"{badly:,}", shown


def _by_package(sites: Sequence[Site]) -> Iterator[tuple[str, ...]]:
    packages: dict[str, list[Site]] = defaultdict(list)
    for site in sites:
        packages[site.path.partition("/")[0]].append(site)
    yield "package", "scripts", "sites", "missing", "decided", "agree"
    for name, group in sorted(packages.items()):
        verdicts = Counter(site.verdict for site in group)
        decided = verdicts["agrees"] + verdicts["differs"]
        scripts = len({site.path for site in group})
        shares = _percent(decided, len(group)), _percent(verdicts["agrees"], decided)
        yield name, f"{scripts:,}", f"{len(group):,}", f"{verdicts['missing']:,}", *shares


def _reasons(sites: Sequence[Site]) -> Iterator[tuple[str, ...]]:
    counts = Counter((site.fate, site.because) for site in sites if site.verdict == "undecided")
    for (fate, because), count in counts.most_common():
        yield f"{fate}: {because}", f"{count:,}", _percent(count, len(sites))


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if whole else "-"


# Cost


def measure(folder: Path, sample: int, seed: int) -> int:
    """Print what fates cost by the size of scripts."""
    paths = list(find_scripts(folder))
    if not paths:
        print(f"{folder}: no shell scripts", file=sys.stderr)
        return 2
    chosen = random.Random(seed).sample(paths, min(sample, len(paths)))
    texts = [text for path in chosen if (text := _text(path)) is not None]
    print_table(f"{len(texts):,} scripts, CPU time of parsing and fates", _by_size(texts))
    print_table("Texts made of them", _curve(paths, seed))
    return 0


def _text(path: Path) -> str | None:
    try:
        return decode(path.read_bytes())
    except UndecodableSourceError:
        return None


def _by_size(texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    groups: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for text in texts:
        lines = text.count("\n") + 1
        groups[next(limit for limit in BUCKETS if lines <= limit)].append((_seconds(text), lines))
    yield "lines up to", "scripts", "median", "longest", "ms per line"
    for limit, group in sorted(groups.items()):
        times = [seconds for seconds, _ in group]
        per_line = sum(times) / sum(lines for _, lines in group) * 1000
        yield _row(f"{limit:,}", len(group), (statistics.median(times), max(times)), per_line)


def _row(name: str, count: int, seconds: tuple[float, float], per_line: float) -> tuple[str, ...]:
    return name, f"{count:,}", f"{seconds[0]:.3f} s", f"{seconds[1]:.3f} s", f"{per_line:.3f}"


def _curve(paths: Sequence[Path], seed: int) -> Iterator[tuple[str, ...]]:
    yield "lines", "texts", "median", "longest", "ms per line"
    for size in SIZES:
        times = []
        for number in range(3):
            text = _made_of(random.Random(f"{seed} {number}"), paths, size)
            times.append((_seconds(text), text.count("\n")))
        seconds = [taken for taken, _ in times]
        per_line = sum(seconds) / sum(lines for _, lines in times) * 1000
        yield _row(f"{size:,}", len(times), (statistics.median(seconds), max(seconds)), per_line)


def _made_of(chance: random.Random, paths: Sequence[Path], size: int) -> str:
    """A text of about `size` lines of scripts, each in a subshell, so that none ends the others."""
    parts: list[str] = []
    lines = 0
    while lines < size:
        path = chance.choice(paths)
        text = _text(path)
        if text is None or text.count("\n") > min(LARGEST_PART, size) or not bash_accepts(path, ()):
            continue
        parts.append(f"(\n{text}\n)\n")
        lines += parts[-1].count("\n")
    return "".join(parts)


def _seconds(text: str) -> float:
    started = time.process_time()
    map_source(Source("script.sh", text))
    return time.process_time() - started


if __name__ == "__main__":
    sys.exit(main())
