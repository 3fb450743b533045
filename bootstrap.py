#!/usr/bin/env python3
"""Set up shellguard in a virtual environment beside this file, with a bare Python and nothing else.

A plain `python3 -m venv` isn't enough: Debian and Ubuntu ship `venv` without the pip that it would install, and on
macOS `python3` is often too old while a newer one is on PATH. Both are seen to here.
"""

# Pythons too old to run shellguard must still be able to read this file: no syntax newer than 3.6.
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urljoin, urlsplit

ROOT = Path(__file__).resolve().parent
OLDEST = (3, 11)
NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")
PIP_LINK = re.compile(r'href="([^"#]*pip-(\d+(?:\.\d+)*)-py3-none-any\.whl)#sha256=([0-9a-f]{64})"')


class SetupError(Exception):
    """What is missing and what to do about it, for people."""


def main() -> int:
    """Set up the virtual environment; give 0 when it is ready, 2 when it isn't."""
    parser = argparse.ArgumentParser(description="Set up shellguard in a virtual environment.")
    parser.add_argument("--dev", action="store_true", help="install what the tests need, too")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", metavar="FOLDER", help="default: %(default)s")
    options = parser.parse_args()
    try:
        if sys.version_info < OLDEST:
            return run_with_newer_python()
        python = make_environment(options.venv)
        install(python, dev=options.dev)
    except (SetupError, OSError) as error:
        print(f"bootstrap.py: {error}", file=sys.stderr)
        return 2
    return 0


def run_with_newer_python() -> int:
    """Start again with a newer Python from PATH, and give its exit status."""
    for name in NEWER:
        found = shutil.which(name)
        if found:
            return subprocess.call([found, *sys.argv])
    version = "{}.{}".format(*sys.version_info)
    raise SetupError(f"this is Python {version}, and PATH has no newer one: install Python 3.11 or newer")


def make_environment(folder: Path) -> Path:
    """Make the virtual environment, unless it is there and works; give its Python, which then has pip."""
    python = folder / "bin" / "python"
    if not has_pip(python):
        create(folder)
        if not has_pip(python):
            install_pip(python)
    return python


def has_pip(python: Path) -> bool:
    """Tell whether an environment's Python starts, is new enough and has pip."""
    probe = "import pip, sys; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.call([str(python), "-c", probe], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def create(folder: Path) -> None:
    """Make a virtual environment, with pip where this Python carries one; replace nothing but another environment."""
    if folder.exists() and not (folder / "pyvenv.cfg").exists():
        raise SetupError(f"{folder} is there and is no virtual environment: remove it, or choose another with --venv")
    pip = [] if find_spec("ensurepip") else ["--without-pip"]
    if subprocess.call([sys.executable, "-m", "venv", "--clear", *pip, str(folder)]) != 0:
        raise SetupError(f"{sys.executable} -m venv failed: install Python's venv module (Debian: python3-venv)")


def install_pip(python: Path) -> None:
    """Fetch pip's wheel from the package index, check it, and have it install itself."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    page = download(index).decode("utf-8", "replace")
    links = PIP_LINK.findall(page)
    if not links:
        raise SetupError(f"{index} lists no wheel of pip: install python3-pip, or set PIP_INDEX_URL")
    link, _, digest = max(links, key=lambda found: [int(part) for part in found[1].split(".")])
    wheel = download(urljoin(index, link))
    if hashlib.sha256(wheel).hexdigest() != digest:
        raise SetupError(f"{link} doesn't have the checksum that {index} gives")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(urlsplit(link).path).name
        path.write_bytes(wheel)
        run_pip([str(python), f"{path}/pip"], ["--no-index", str(path)])


def download(url: str) -> bytes:
    """Give what is at a URL."""
    try:
        with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 - the index is the user's own choice
            data: bytes = response.read()
    except OSError as error:
        raise SetupError(f"cannot download {url}: {error}") from error
    return data


def install(python: Path, *, dev: bool) -> None:
    """Install this checkout so that it stays editable."""
    run_pip([str(python), "-m", "pip"], ["--editable", f"{ROOT}[dev]" if dev else str(ROOT)])


def run_pip(pip: "list[str]", what: "list[str]") -> None:
    """Run `pip install`; its own messages say what went wrong."""
    command = [*pip, "--disable-pip-version-check", "install", "--quiet", *what]
    if subprocess.call(command) != 0:
        raise SetupError("pip failed: its message above says why")


if __name__ == "__main__":
    sys.exit(main())
