"""What the tests share: goldens that `--update` rewrites, and the real command line in an empty folder."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

import shellguard

CHECKOUT = Path(shellguard.__file__).parent.parent


# How long an example takes says something of the machine only.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def need(program: str) -> None:
    """Skip the test when a program that it runs is not installed; in CI, where all of them are, fail it."""
    if shutil.which(program) is None:
        assert not os.environ.get("CI"), f"{program} is missing"
        pytest.skip(f"{program} is not installed")


def copy_checkout(target: Path) -> Path:
    """Copy what a clone of the checkout would hold, changes included, and give the copy's path."""
    left_out = shutil.ignore_patterns(".*cache", "__pycache__", ".git", ".venv", ".hypothesis", "dist", "results")
    return shutil.copytree(CHECKOUT, target, ignore=left_out)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the goldens instead of comparing with them")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a golden file; with `--update`, write it there."""

    def compare(path: Path, actual: str) -> None:
        if request.config.getoption("--update"):
            path.write_text(actual, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run pytest --update"
        assert actual == path.read_text(encoding="utf-8"), f"{path} differs: run pytest --update and read the diff"

    return compare


@dataclass(frozen=True)
class Run:
    """How a run of the command line ended."""

    status: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class CommandLine:
    """Runs the real entry point in a folder of its own, with nothing of the caller's environment."""

    folder: Path

    def __call__(
        self, *arguments: str | Path, stdin: str | bytes = b"", environment: Mapping[str, str] | None = None
    ) -> Run:
        """Run `shellguard ARGUMENTS` to its end."""
        data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
        completed = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(environment),
            input=data,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Run(completed.returncode, completed.stdout.decode(), completed.stderr.decode())

    def on_terminal(self, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        """What `shellguard ARGUMENTS` writes to a terminal, stdout and stderr alike."""
        parent, child = pty.openpty()
        with subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment({"COLUMNS": "80", "TERM": "xterm-256color"} | dict(environment or {})),
            stdin=child,
            stdout=child,
            stderr=child,
        ):
            os.close(child)
            output = b"".join(iter(partial(_read_terminal, parent), b""))
        os.close(parent)
        return output.decode().replace("\r\n", "\n")

    def command(self, *arguments: str | Path) -> list[str]:
        """The argument vector of `shellguard ARGUMENTS`."""
        return [sys.executable, "-m", "shellguard", *map(str, arguments)]

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """The scrubbed environment, with `extra` on top."""
        scrubbed = {
            "PATH": os.defpath,
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(CHECKOUT),
        }
        return scrubbed | dict(extra or {})

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file under the folder and return its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


def _read_terminal(descriptor: int) -> bytes:
    """A chunk of output; empty at the end, which Linux reports as an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    """The command line, run in an empty folder."""
    return CommandLine(tmp_path)
