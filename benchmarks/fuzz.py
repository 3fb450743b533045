"""Feed the parser broken scripts and keep what it can't cope with. Asserts nothing.

Usage: python benchmarks/fuzz.py FOLDER [--minutes N] [--seed N] [--keep FOLDER] [--bash N]

FOLDER is any folder with shell scripts; `python benchmarks/fetch.py FOLDER` fills one. Scripts of it, and the small
ones of the tests, are cut, spliced and sprinkled with pieces of syntax. Each result must be parsed without an
exception, in time, with every span inside its parent's, and without losing a character. Nothing is executed; with
`--bash N`, bash judges every Nth text (`bash -n`): the parser must accept what it accepts, and nothing else, but for
quirks that docs/syntax.md names. What fails is made small and written to the folder that `--keep` names.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from corpus import print_table
from scripts import find_scripts
from syntax import bash
from syntax.conformance import real_issues

from shellguard.source import UndecodableSourceError, decode
from shellguard.syntax import children, dump, parse, tokens, walk
from shellguard.syntax.nodes import HereDocument

SMALL_SCRIPTS = Path(__file__).parent.parent / "tests" / "syntax"
LONGEST = 20_000
# A hundred times what the slowest construct takes.
SECONDS_PER_CHARACTER = 0.000_1
LEAST_SECONDS = 0.1
SHRINKING_SECONDS = 60
MOST_PIECES = 200
# Pieces of syntax between blanks: `⏎` is a newline and `␣` a blank.
PIECES_TEXT = r"""
' " ` $ \ \⏎ ⏎ ; & | ( ) { } [ ] < > # ! = + * ? @ ~ : / % ^ , -
$( ${ $(( )) (( [[ ]] $[ $' $" <( >( <<E <<-E <<'E' ⏎E⏎ <<< >& &> && || |& ;; ;& ;;& <<
2> {a}> @( !( ?( *( +( a=( a[ ]= += () ${a:- ${a# ${a/ ${#a} ${!a} ${a[@]} ${a@Q} ${a:1:2} ${␣ ${⏎ ${|
if then elif else fi for while until do done case in esac select function coproc time declare local
$((1+ `echo \` $# $? $@ x= a(){ == =~ -f é
"""
PIECES = [*(text.replace("⏎", "\n").replace("␣", " ") for text in PIECES_TEXT.split()), "\t", "\r\n", "\udcff"]
# What a part of a script is put between.
BRACKETS_TEXT = (
    "$(␣) `␣` \"␣\" '␣' (⎵␣⎵) {⎵␣;} ${a:-␣} $((␣)) <(␣) [[⎵␣⎵]] if⎵␣;⎵then⎵:;⎵fi <<E⏎␣⏎E⏎ case⎵a⎵in⎵a)␣;;⎵esac"
)
BRACKETS = [text.replace("⏎", "\n").replace("⎵", " ").split("␣") for text in BRACKETS_TEXT.split()]


# Bash's quirks, which docs/syntax.md names: what is read in another way with and without extglob, here-documents in
# `((`, and errors in `[[ ]]` that its warnings about here-documents hide.
QUIRKS = re.compile(r"[?*+@!]\(|\(\(.*<<|<<.*\[\[", re.DOTALL)


class TimeIsUpError(Exception):
    """The parser took too long."""


@dataclass
class Tally:
    """What has been tried so far."""

    texts: int = 0
    characters: int = 0
    judged: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0


def main() -> int:
    """Run until the time is up; give 1 when something failed, 2 when the folder holds no scripts."""
    parser = argparse.ArgumentParser(description="Feed the parser broken scripts and keep what it can't cope with.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="where the random numbers start (default: 1)")
    parser.add_argument("--keep", type=Path, help="a folder for what fails")
    parser.add_argument(
        "--bash", type=int, default=0, metavar="N", help="ask bash about every Nth text (default: none)"
    )
    options = parser.parse_args()
    paths = list(find_scripts(options.folder))
    if not paths:
        print(f"{options.folder}: no shell scripts", file=sys.stderr)
        return 2
    signal.signal(signal.SIGPROF, raise_time_is_up)
    tally = Tally()
    source = random.Random(options.seed)
    seeds = Seeds(paths, list(small_scripts()), source)
    deadline = time.monotonic() + options.minutes * 60
    while time.monotonic() < deadline:
        text = mutated(seeds, source)
        judge = bool(options.bash) and tally.texts % options.bash == 0
        try_text(text, tally, options.keep, judge=judge)
    print_table(f"Fuzzing, {options.minutes:g} minutes, seed {options.seed}", summary(tally))
    return int(bool(tally.failures))


def raise_time_is_up(_number: int, _frame: FrameType | None) -> None:
    """Turn the alarm into an exception."""
    raise TimeIsUpError


def try_text(text: str, tally: Tally, folder: Path | None, *, judge: bool) -> None:
    """Check one text, and keep it where something is wrong."""
    start = time.process_time()
    failure = failure_of(text)
    taken = time.process_time() - start
    tally.texts += 1
    tally.characters += len(text)
    tally.slowest = max(tally.slowest, taken / max(len(text), 1000))
    if not failure and judge:
        tally.judged += 1
        failure = disagreement(text)
    if failure:
        tally.failures[failure] += 1
        check = disagreement if failure.startswith("bash") else failure_of
        small = shrunk(text, failure, check)
        print(f"{failure}: {small!r:.200}".encode("ascii", "backslashreplace").decode(), flush=True)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            data = small.encode("utf-8", "surrogateescape")
            (folder / f"{failure.replace(' ', '-')}-{sha256(data).hexdigest()[:10]}.sh").write_bytes(data)


def failure_of(text: str) -> str:
    """Name what is wrong with what the parser makes of a text; empty where nothing is."""
    signal.setitimer(signal.ITIMER_PROF, LEAST_SECONDS + len(text) * SECONDS_PER_CHARACTER)
    try:
        return flaw(text)
    except TimeIsUpError:
        return "too slow"
    except Exception as error:  # noqa: BLE001 -- whatever it raises is what this is looking for
        return f"raised {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def flaw(text: str) -> str:
    """Parse a text and check what doesn't depend on what it means."""
    script = parse(text)
    if "".join(text[token.start : token.end] for token in tokens(script, text)) != text:
        return "lost text"
    if any(not 0 <= issue.start <= issue.end <= len(text) for issue in script.issues):
        return "misplaced issue"
    for node in walk(script.body):
        for child in children(node):
            if not (isinstance(child, HereDocument) or node.start <= child.start <= child.end <= node.end):
                return "misplaced node"
    dump(script)
    return ""


def disagreement(text: str) -> str:
    """Name what bash thinks where the parser thinks otherwise."""
    if "\r" in text or "\0" in text:
        return ""
    if QUIRKS.search(text):
        return ""
    try:
        accepted = bash.accepts(text)
    except Exception:  # noqa: BLE001 -- bash itself can take minutes for broken text
        return ""
    script = parse(text)
    if accepted == (not real_issues(script)) or any("too deeply" in issue.message for issue in script.issues):
        return ""
    return "bash accepts it" if accepted else "bash refuses it"


class Seeds:
    """Scripts to start from: those of a folder, read when they are needed, and small ones."""

    def __init__(self, paths: list[Path], small: list[str], source: random.Random) -> None:
        """Keep where they are."""
        self._paths = paths
        self._small = small
        self._source = source

    def pick(self) -> str:
        """Return the text of a script, or a part of one that is long."""
        if self._source.random() < 0.5:
            return "\n".join(self._source.choices(self._small, k=self._source.randint(1, 4)))
        try:
            text = decode(self._source.choice(self._paths).read_bytes())
        except (OSError, UndecodableSourceError):
            return ""
        lines = text.splitlines(keepends=True)
        first = self._source.randrange(max(len(lines), 1))
        return "".join(lines[first : first + self._source.choice((3, 10, 40, 400))])[:LONGEST]


def small_scripts() -> Iterator[str]:
    """Yield the sources of the tests: every construct, and what bash was asked about."""
    for line in (SMALL_SCRIPTS / "judged.txt").read_text(encoding="utf-8").splitlines():
        yield line[2:].replace("⏎", "\n")
    for path in sorted((SMALL_SCRIPTS / "shapes").glob("*.txt")):
        for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
            yield "\n".join(line for line in paragraph.splitlines() if not line.startswith(("-> ", "!! ", ".. ")))


def mutated(seeds: Seeds, source: random.Random) -> str:
    """Return a text nobody has seen before."""
    if source.random() < 0.1:
        return "".join(piece(source) for _ in range(source.randint(1, MOST_PIECES)))
    text = seeds.pick()
    for _ in range(source.choice((1, 1, 2, 3, 6))):
        change = source.choice((delete, double, move, insert, insert, insert, wrap, repeat, cut, splice_lines))
        text = change(text, source)
        if source.random() < 0.1:
            first, second = sorted((source.randint(0, len(text)), source.randint(0, len(text))))
            text = text[:first] + seeds.pick() + text[second:]
    return text[:LONGEST]


def piece(source: random.Random) -> str:
    """A piece of syntax, or a word."""
    found = source.choice(PIECES)
    return source.choice((found, found, f"{found} ", f" {found} ", "a", " ", "\n", chr(source.randint(1, 255))))


def part(text: str, source: random.Random) -> tuple[int, int]:
    """Where a part of a text begins and ends; most are short."""
    first = source.randint(0, len(text))
    return first, min(len(text), first + source.choice((1, 1, 2, 3, 8, 30, 200)))


def delete(text: str, source: random.Random) -> str:
    """Leave a part out."""
    first, end = part(text, source)
    return text[:first] + text[end:]


def double(text: str, source: random.Random) -> str:
    """Say a part twice."""
    first, end = part(text, source)
    return text[:end] + text[first:end] + text[end:]


def move(text: str, source: random.Random) -> str:
    """Put a part elsewhere."""
    first, end = part(text, source)
    taken, rest = text[first:end], text[:first] + text[end:]
    place = source.randint(0, len(rest))
    return rest[:place] + taken + rest[place:]


def insert(text: str, source: random.Random) -> str:
    """Put a piece of syntax somewhere."""
    place = source.randint(0, len(text))
    return text[:place] + piece(source) + text[place:]


def wrap(text: str, source: random.Random) -> str:
    """Put a part between brackets, quotes or reserved words."""
    first, end = part(text, source)
    opener, closer = source.choice(BRACKETS)
    return f"{text[:first]}{opener}{text[first:end]}{closer}{text[end:]}"


def repeat(text: str, source: random.Random) -> str:
    """Say a piece of syntax many times."""
    place = source.randint(0, len(text))
    return text[:place] + piece(source) * source.choice((2, 10, 300)) + text[place:]


def cut(text: str, source: random.Random) -> str:
    """End somewhere."""
    return text[: source.randint(0, len(text))]


def splice_lines(text: str, source: random.Random) -> str:
    """Swap two lines."""
    lines = text.splitlines(keepends=True)
    if len(lines) > 1:
        one, other = source.randrange(len(lines)), source.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    return "".join(lines)


def shrunk(text: str, failure: str, check: Callable[[str], str]) -> str:
    """Return a shorter text that fails in the same way."""
    deadline = time.monotonic() + SHRINKING_SECONDS
    size = max(len(text) // 2, 1)
    while size and time.monotonic() < deadline:
        first = 0
        while first < len(text) and time.monotonic() < deadline:
            shorter = text[:first] + text[first + size :]
            if check(shorter) == failure:
                text = shorter
            else:
                first += size
        size //= 2
    return text


def summary(tally: Tally) -> Iterator[tuple[str, ...]]:
    """Yield what was tried and what it found."""
    yield "texts", f"{tally.texts:,}"
    yield "characters", f"{tally.characters:,}"
    yield "asked bash about", f"{tally.judged:,}"
    yield "slowest, µs per character", f"{tally.slowest * 1e6:.1f}"
    yield "failures", f"{tally.failures.total():,}"
    for failure, number in sorted(tally.failures.items()):
        yield f"  {failure}", f"{number:,}"


if __name__ == "__main__":
    sys.exit(main())
