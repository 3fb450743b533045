"""Which files of a folder are shell scripts, and what bash thinks of each."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SHEBANG = re.compile(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(?:\S*/)?(?:bash|sh|dash|ksh)\b")
EXTENSIONS = {".sh", ".bash", ".ksh"}
LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Script:
    """A shell script: its path, how many lines it has, and whether bash accepts it, with extglob on or off."""

    path: Path
    lines: int
    accepted: bool


def is_shell(path: Path) -> bool:
    """Tell whether a file is a shell script, by its shebang, or by its extension where it has none."""
    if path.is_symlink() or not path.is_file() or not 0 < path.stat().st_size <= LARGEST:
        return False
    with path.open("rb") as stream:
        first = stream.readline(200)
    return bool(SHEBANG.match(first)) or (path.suffix in EXTENSIONS and not first.startswith(b"#!"))


def find_scripts(folder: Path) -> Iterator[Path]:
    """Yield the shell scripts under a folder, in path order."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        paths = (Path(parent, name) for name in sorted(names))
        yield from filter(is_shell, paths)


def examine(paths: list[Path]) -> list[Script]:
    """Ask bash about each script (it only parses: `-n`), as many at a time as there are cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(examine_one, paths))


def examine_one(path: Path) -> Script:
    """Ask bash about one script."""
    accepted = any(bash_accepts(path, options) for options in ((), ("-O", "extglob")))
    return Script(path, path.read_bytes().count(b"\n"), accepted)


def bash_accepts(path: Path, options: tuple[str, ...]) -> bool:
    """Tell whether `bash -n` finds no syntax error."""
    command = ["bash", *options, "-n", str(path)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
