"""Compile the parser with mypyc in a temporary folder, and compare it with the plain one. The checkout stays as it is.

Usage: python benchmarks/compiled.py FOLDER [--sample N] [--seed N]

FOLDER is any folder with shell scripts; `python benchmarks/fetch.py FOLDER` fills one. A C compiler, Python's headers,
mypy and setuptools must be there; compiling takes some minutes. `nodes.py` stays as it is: mypyc makes nothing of
dataclasses with a decorator of our own, and the other modules are compiled to use them as they are.
Exit status: 0, or 1 where the parser can't be compiled, or the trees are not the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))

from corpus import print_table
from scripts import find_scripts

from shellguard.source import UndecodableSourceError, decode
from shellguard.syntax import dump, parse

CHECKOUT = Path(__file__).parent.parent
# The first reads only comparisons, the others are what mypyc takes no classes from.
_NOT_COMPILED = {"crosscheck.py", "nodes.py", "__init__.py"}
_COMPILE = "import sys; from mypyc.__main__ import main; main()"


def main() -> int:
    """Compile, measure both, and print the table."""
    parser = argparse.ArgumentParser(description="Compile the parser with mypyc, and compare.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=1000, help="how many scripts (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="which scripts those are (default: 1)")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return measure(options.folder.read_text(encoding="utf-8").splitlines())
    found = list(find_scripts(options.folder))
    paths = random.Random(options.seed).sample(found, min(options.sample, len(found)))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "list").write_text("\n".join(map(str, paths)), encoding="utf-8")
        plain = run_child(CHECKOUT, folder / "list")
        if not compile_into(folder):
            print("the parser can't be compiled", file=sys.stderr)
            return 1
        compiled = run_child(folder, folder / "list")
    rows = [(name, f"{result['speed']:.2f} MB/s") for name, result in (("plain", plain), ("compiled", compiled))]
    is_same = plain["trees"] == compiled["trees"]
    print_table(f"{len(paths):,} scripts", [*rows, ("the trees are", "the same" if is_same else "different")])
    return int(not is_same)


def compile_into(folder: Path) -> bool:
    """Copy the package to a folder and compile its parser there."""
    shutil.copytree(CHECKOUT / "shellguard", folder / "shellguard", ignore=shutil.ignore_patterns("__pycache__"))
    modules = sorted((folder / "shellguard" / "syntax").glob("*.py"))
    names = [str(module.relative_to(folder)) for module in modules if module.name not in _NOT_COMPILED]
    command = [sys.executable, "-c", _COMPILE, *names]
    ran = subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, check=False)
    return ran.returncode == 0


def run_child(checkout: Path, listed: Path) -> dict[str, float | str]:
    """Parse the listed scripts in a process that takes the package from a folder."""
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    command = [sys.executable, __file__, "--child", str(listed)]
    ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    result: dict[str, float | str] = json.loads(ran.stdout)
    return result


def measure(paths: list[str]) -> int:
    """Parse scripts, and print the speed and a digest of the trees."""
    texts = list(filter(None, map(read, paths)))
    parse(texts[0])
    start = time.process_time()
    for text in texts:
        parse(text)
    seconds = time.process_time() - start
    size = sum(len(text.encode("utf-8", "surrogateescape")) for text in texts)
    trees = hashlib.sha256("".join(dump(parse(text)) for text in texts).encode("utf-8", "surrogateescape"))
    print(json.dumps({"speed": size / 1e6 / seconds, "trees": trees.hexdigest()}))
    return 0


def read(path: str) -> str:
    """Return a script's text; nothing where it is binary."""
    try:
        return decode(Path(path).read_bytes())
    except UndecodableSourceError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
