"""Parse huge files of one line, and one with the scripts of a folder: time and memory. Asserts nothing.

Usage: python benchmarks/huge.py [FOLDER] [--megabytes N]

Each file is parsed in a process of its own. Memory is what the process takes at most beyond what it takes for an empty
file, the text itself included, as a multiple of the file's size. With FOLDER, its scripts, one after another, make one
more file.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from children import Usage, run
from corpus import print_table
from scripts import examine, find_scripts

from shellguard.source import decode
from shellguard.syntax import parse

PIECES = [
    "echo word ",
    'echo "$x" rsync -a "$src" "$dst" || exit 1;',
    "if a; then b; fi; ",
    "x=$(a | b) ",
    "a;",
    "a ",
    "a|",
    '"$a"',
    "$((a+",
    "(",
    "`",
    '"',
    "'a' ",
]


def main() -> int:
    """Print a row for each kind of file."""
    parser = argparse.ArgumentParser(description="Parse huge files of one line.")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--megabytes", type=float, default=20, help="the size of each file (default: 20)")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        parse(decode(options.folder.read_bytes()))
        return 0
    print_table(f"Files of {options.megabytes:g} MB", rows(options.folder, int(options.megabytes * 1e6)))
    return 0


def rows(folder: Path | None, size: int) -> Iterator[tuple[str, ...]]:
    """Yield what each file takes."""
    overhead = measured(b"").peak_memory
    yield "file", "seconds", "memory"
    for name, data in files(folder, size):
        start = time.perf_counter()
        usage = measured(data)
        times = (usage.peak_memory - overhead) / len(data)
        print(f"  {name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        yield name, f"{usage.cpu:.1f}", f"{times:.0f} times the file" if usage.status == 0 else "failed"


def files(folder: Path | None, size: int) -> Iterator[tuple[str, bytes]]:
    """Yield each file, and what it is called."""
    for piece in PIECES:
        yield piece, (piece * (size // len(piece))).encode()
    yield "a word of one letter", b"x" * size
    yield "a here-document", b"cat <<E\n" + b"some text $x of it\n" * (size // 19) + b"E\n"
    if folder is not None:
        yield "the folder's scripts", b"".join(joined(folder, size))


def joined(folder: Path, size: int) -> Iterator[bytes]:
    """Yield scripts that bash accepts until they are as long as wanted."""
    left = size
    for path in find_scripts(folder):
        if left <= 0:
            return
        (script,) = examine([path])
        data = path.read_bytes()
        if script.accepted:
            left -= len(data)
            yield data + b"\n"


def measured(data: bytes) -> Usage:
    """Parse a file in a process of its own."""
    with tempfile.NamedTemporaryFile(suffix=".sh") as file:
        file.write(data)
        file.flush()
        return run([sys.executable, __file__, file.name, "--child"])


if __name__ == "__main__":
    sys.exit(main())
