"""Worker processes that say which item a dying worker was on.

`concurrent.futures` fails every pending item when one worker dies, and `multiprocessing.Pool` waits for ever; a linter
must go on, and name the one file that killed its worker. Each worker has a pipe of its own and answers in order, so the
first item without an answer is the one it died on.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess, SpawnProcess
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 4
"""Items that wait in a worker's pipe, so that it never idles while the parent is busy with another's answer; fewer
when there are not that many for each."""


@dataclass(frozen=True, slots=True)
class WorkerDied:
    """Takes the place of a result whose worker ended before it answered."""

    reason: str


@dataclass(slots=True)
class _Worker(Generic[Item]):
    """A process, the parent's end of its pipe, and the numbers of the items sent to it and not answered yet."""

    process: ForkProcess | SpawnProcess
    pipe: Connection
    pending: deque[int] = field(default_factory=deque)


def run(
    work: Callable[[Item], Result], items: Sequence[Item], *, jobs: int
) -> Generator[tuple[int, Result | WorkerDied], None, None]:
    """Yield `(index, work(items[index]))` for every item, in the order in which workers finish.

    `work`, the items and the results travel by pickle. Closing the iterator early, or an exception in the loop that
    consumes it, ends the workers. Where the system allows fewer workers than `jobs`, those do it.

    Raises:
        OSError: not even one worker can be started for the items that are left.
    """
    waiting = deque(range(len(items)))
    workers: list[_Worker[Item]] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                try:
                    with _held_interrupt():
                        workers.append(_start(work))
                except OSError:
                    if not workers:
                        raise
                    jobs = len(workers)
                else:
                    _feed(workers[-1], items, waiting, jobs=jobs)
            ready = wait([worker.pipe for worker in workers])
            for worker in [worker for worker in workers if worker.pipe in ready]:
                yield from _answer(worker, items, waiting, jobs=jobs)
                if not worker.pending:
                    _stop(worker)
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.process.kill()
            _stop(worker)


@contextmanager
def _held_interrupt() -> Iterator[None]:
    """Hold back an interrupt from the keyboard, so that none comes between the start of a worker and its entry."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(work: Callable[[Item], Result]) -> _Worker[Item]:
    # A forked worker starts in a millisecond and shares what is imported already. Forking is only sound while there is
    # one thread, and macOS's system libraries don't survive it; there a fresh interpreter is started instead.
    can_fork = sys.platform.startswith("linux") and threading.active_count() == 1
    ours, theirs = multiprocessing.Pipe()
    process: ForkProcess | SpawnProcess
    if can_fork:
        process = ForkProcess(target=_serve, args=(work, theirs), daemon=True)
    else:
        process = SpawnProcess(target=_serve, args=(work, theirs), daemon=True)
    try:
        process.start()
    except OSError:  # too many processes or open files
        ours.close()
        raise
    finally:
        theirs.close()
    return _Worker(process, ours)


def _feed(worker: _Worker[Item], items: Sequence[Item], waiting: deque[int], *, jobs: int) -> None:
    """Send the worker items until enough of them wait in its pipe."""
    ahead = min(_AHEAD, max(1, len(waiting) // jobs))
    while waiting and len(worker.pending) < ahead:
        index = waiting.popleft()
        worker.pending.append(index)
        try:
            worker.pipe.send(items[index])
        except ConnectionError:
            return


def _answer(
    worker: _Worker[Item], items: Sequence[Item], waiting: deque[int], *, jobs: int
) -> Iterator[tuple[int, Result | WorkerDied]]:
    """Yield the worker's next answer and send it more; when it has died, give back what it had not begun."""
    try:
        result = worker.pipe.recv()
    except (EOFError, OSError):
        worker.process.join()
        culprit = worker.pending.popleft()
        waiting.extendleft(reversed(worker.pending))
        worker.pending.clear()
        yield culprit, WorkerDied(_cause(worker.process.exitcode))
    else:
        index = worker.pending.popleft()
        _feed(worker, items, waiting, jobs=jobs)
        yield index, result


def _cause(exitcode: int | None) -> str:
    """Say how a process ended; a negative code is the signal that killed it."""
    if exitcode is not None and exitcode < 0:
        return f"killed by {signal.Signals(-exitcode).name}"
    return f"ended with status {exitcode}"


def _stop(worker: _Worker[Item]) -> None:
    """Ask the worker to leave, and wait for it."""
    with suppress(ConnectionError):
        worker.pipe.send(None)
    worker.pipe.close()
    worker.process.join()


def _serve(work: Callable[[Item], Result], pipe: Connection) -> None:
    """Answer items until one is None, or the parent is gone."""
    # An interrupt from the keyboard reaches the whole group; the parent ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform.startswith("linux"):
        _die_with_parent()
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    while (item := pipe.recv()) is not None:
        pipe.send(work(item))


def _leave_with_parent() -> None:
    """End this process when the parent ends, in the middle of an item, too.

    The pipe wouldn't tell: workers forked later hold its other end open. They hold that of the parent's sentinel, too,
    but they are gone first: the last one's is held by the parent alone.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _die_with_parent() -> None:
    """Have Linux end this process with the parent, even while one step of an item (a search, say) keeps the threads."""
    import fcntl  # not everywhere

    parent = multiprocessing.parent_process()
    if parent is not None:
        # The sentinel is a pipe that the parent holds open. When that ends, SIGIO comes, and nothing handles it.
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(parent.sentinel, fcntl.F_GETFL)
        fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, flags | os.O_ASYNC)
