"""Fill a folder with real shell scripts out of Debian's packages, for measuring.

Usage: python benchmarks/fetch.py FOLDER   (on Debian or Ubuntu; needs apt-get and dpkg-deb, not root)

The packages are those in packages.txt. They are downloaded and unpacked aside; nothing is installed and nothing is
executed. Scripts land in FOLDER/<package>/<path>, each content once. Packages that the archive lacks are named.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scripts import find_scripts

PACKAGES = Path(__file__).with_name("packages.txt")


def main() -> int:
    """Fetch them all; give 1 when no package could be had."""
    parser = argparse.ArgumentParser(description="Fill a folder with real shell scripts out of Debian's packages.")
    parser.add_argument("folder", type=Path, help="made if it is missing")
    folder: Path = parser.parse_args().folder
    seen: set[bytes] = set()
    missing = []
    for package in wanted():
        with tempfile.TemporaryDirectory() as work:
            tree = Path(work) / "tree"
            if unpack(package, Path(work), tree):
                keep_new(tree, folder / package, seen)
            else:
                missing.append(package)
    print(f"{len(seen)} scripts in {folder}")
    print(f"packages that could not be had ({len(missing)}): {' '.join(missing) or 'none'}")
    return 0 if seen else 1


def wanted() -> Iterator[str]:
    """The names in packages.txt."""
    for line in PACKAGES.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()


def unpack(package: str, work: Path, tree: Path) -> bool:
    """Download a package into `work` and unpack files and maintainer scripts under `tree`; tell whether that worked."""
    if subprocess.run(["apt-get", "download", "-qq", package], cwd=work, capture_output=True, check=False).returncode:
        return False
    for archive in work.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", archive, tree], check=True)
        subprocess.run(["dpkg-deb", "--control", archive, tree / "DEBIAN"], check=True)
    return True


def keep_new(tree: Path, target: Path, seen: set[bytes]) -> None:
    """Copy the scripts whose content isn't in `seen` yet, and add it there."""
    for path in find_scripts(tree):
        content = path.read_bytes()
        digest = hashlib.sha256(content).digest()
        if digest not in seen:
            seen.add(digest)
            copy = target / path.relative_to(tree)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
