"""Run a program and measure what it took."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# ru_maxrss is in kilobytes on Linux and in bytes on macOS.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """How a program ended, what it wrote to stdout, and what it took: seconds and bytes."""

    status: int
    output: bytes
    cpu: float
    wall: float
    peak_memory: int


def run(command: list[str]) -> Usage:
    """Run a program to its end, its standard error thrown away."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL, env=_environment()
        )
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return Usage(child.returncode, output.read(), used.ru_utime + used.ru_stime, wall, used.ru_maxrss * RSS_UNIT)


def _environment() -> dict[str, str]:
    """This environment, but for what keeps Python from using compiled modules, as no installation does."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def installed(program: str) -> str:
    """The path of a program that was installed beside the running Python.

    Raises:
        SystemExit: it wasn't; says how to get it.
    """
    path = Path(sysconfig.get_path("scripts")) / program
    if not path.exists():
        raise SystemExit(f"{path} is missing: set up with `python3 bootstrap.py --dev`, run with .venv/bin/python")
    return str(path)
