"""The progress line: late, on terminals only, and gone at the end."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import pytest

from shellguard.cli import progress
from shellguard.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock to set: its only element is the time."""
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def written(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, steps: Iterator[int]) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(2000) as show:
        for done in steps:
            show(done)
    return stream.getvalue()


def test_a_long_run_shows_how_far_it_is_and_cleans_up(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    def steps() -> Iterator[int]:
        for done, seconds in ((10, 0.9), (1200, 0.2), (1201, 0.05), (1300, 0.06)):
            clock[0] += seconds
            yield done

    assert written(monkeypatch, Terminal(), steps()) == (
        "\r\x1b[Kchecking: 1,200 of 2,000 scripts\r\x1b[Kchecking: 1,300 of 2,000 scripts\r\x1b[K"
    )


def test_a_short_run_shows_nothing(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    def steps() -> Iterator[int]:
        clock[0] += 0.9
        yield 2000

    assert written(monkeypatch, Terminal(), steps()) == ""


def test_a_pipe_gets_nothing(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    def steps() -> Iterator[int]:
        clock[0] += 60
        yield 2000

    assert written(monkeypatch, io.StringIO(), steps()) == ""
