"""The one place where exceptions become messages and exit statuses.

Commands return 0 or 1 (or 2 for what they found themselves); everything that ends one early passes through here.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress

import click

from shellguard.cli.streams import abandon, prepare_standard_streams

CANNOT = 2
"""The job could not be done."""

INTERRUPTED = 130
"""Ended by the keyboard, as shells report it: 128 and the signal's number."""

TRACEBACK = "SHELLGUARD_TRACEBACK"
"""The environment variable that asks for the traceback of an internal error."""


def exit_status(run: Callable[[], int]) -> int:
    """The status that `run` returns or ends with; every problem is told on stderr, in a line or two."""
    prepare_standard_streams()
    status = _ended(run)
    try:
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)
    return status


def _ended(run: Callable[[], int]) -> int:
    """The status of a run, however it ends."""
    try:
        status = run()
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return _flushed(done.exit_code)
    except click.UsageError as error:
        return _cannot(error.format_message(), _hint(error))
    except click.ClickException as error:
        return _cannot(error.format_message())
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except OSError as error:
        return _broken_output(error)
    except Exception as error:  # noqa: BLE001 -- the last resort: whatever went wrong, the status must be 2
        return _internal(error)
    return status


def tell(*lines: str) -> None:
    """Write a message to stderr; a stderr that can't be written to is no reason to fail differently.

    Whatever the lines quote (names, options, text of scripts), none of it reaches the terminal but visible characters.
    """
    from shellguard.report.sanitise import visible  # most runs tell nothing

    with suppress(OSError):
        sys.stderr.write("\n".join(map(visible, (f"shellguard: {lines[0]}", *lines[1:]))) + "\n")
        sys.stderr.flush()


def _flushed(status: int) -> int:
    """Flush what `--help` or `--version` printed, since it counts only when it has arrived."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return _broken_output(error)
    return status


def _cannot(*lines: str) -> int:
    tell(*lines)
    return CANNOT


def _hint(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx else "shellguard"
    return f"Try '{command} --help'."


def _broken_output(error: OSError) -> int:
    """Say what could not be written or read; a reader that left early (`| head`) needs no message."""
    if error.errno != errno.EPIPE:
        tell(f"{_place(error)}: {_cause(error)}")
    abandon(sys.stdout)
    return CANNOT


def _place(error: OSError) -> str:
    if error.filename is None:
        return "cannot write the output"
    return str(error.filename) or "''"


def _cause(error: OSError) -> str:
    if error.errno == errno.EBADF and error.filename is None:
        return "standard output is closed"
    return error.strerror or str(error)


def _internal(error: Exception) -> int:
    lines = []
    if os.environ.get(TRACEBACK):
        import traceback

        lines = traceback.format_exc().splitlines()
    return _cannot(
        f"internal error: {type(error).__name__}: {error}",
        *lines,
        f"This is a bug in shellguard. Please report it with the output of the same run with {TRACEBACK}=1 set.",
    )
