"""The worker processes: all of them work, and none outlives its parent."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from conftest import CHECKOUT

from shellguard.pool import run

ENDLESS = (
    "import re, sys\n"
    "from pathlib import Path\n"
    "from shellguard.pool import run\n"
    "def work(item):\n"
    "    Path(f'/proc/self/comm').write_text(f'busy{item}')\n"
    "    re.match('(a*)*b', 'a' * 60)\n"
    "for _ in run(work, [1, 2, 3], jobs=3): pass\n"
)
"""Workers in one step that takes for ever and lets no other thread run."""


def meet(number: int, *, folder: Path) -> bool:
    """Tell that an item has begun, and wait until the other one has."""
    (folder / str(number)).touch()
    deadline = time.monotonic() + 20
    while not (folder / str(1 - number)).exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    return (folder / str(1 - number)).exists()


def test_few_items_are_shared_among_the_workers(tmp_path: Path) -> None:
    assert sorted(run(partial(meet, folder=tmp_path), [0, 1], jobs=2)) == [(0, True), (1, True)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks into /proc")
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_busy_workers_end_with_their_parent(tmp_path: Path, ending: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        cwd=tmp_path,
        env={"PYTHONPATH": str(CHECKOUT)},
        # Shells may start background commands with some signals ignored, and tests may run in one.
        preexec_fn=partial(signal.signal, ending, signal.SIG_DFL)  # noqa: PLW1509 (there is one thread)
        if ending != signal.SIGKILL
        else None,
    ) as parent:
        workers: set[str] = set()
        while len(workers) < 3 and parent.poll() is None:
            workers = {pid for pid in children(parent.pid) if re.match("busy", name(pid))}
        parent.send_signal(ending)
    assert len(workers) == 3
    deadline = time.monotonic() + 20
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_running, workers))


def children(pid: int) -> list[str]:
    return read(f"/proc/{pid}/task/{pid}/children").split()


def name(pid: str) -> str:
    return read(f"/proc/{pid}/comm")


def is_running(pid: str) -> bool:
    """Whether a process is there and no zombie."""
    status = read(f"/proc/{pid}/status")
    return bool(status) and "\nState:\tZ" not in status


def read(path: str) -> str:
    try:
        return Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
