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

CANNOT = 2
"""The job could not be done."""

INTERRUPTED = 130
"""Ended by the keyboard, as shells report it: 128 and the signal's number."""

TRACEBACK = "SHELLGUARD_TRACEBACK"
"""The environment variable that asks for the traceback of an internal error."""


def exit_status(run: Callable[[], int]) -> int:
    """The status that `run` returns or ends with; every problem is told on stderr, in a line or two."""
    try:
        if sys.stdout is None:  # closed before we started
            raise OSError(errno.EBADF, "standard output is closed")
        status = run()
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return _flushed(done.exit_code)
    except click.UsageError as error:
        return _cannot(_usage(error))
    except click.ClickException as error:
        return _cannot(error.format_message())
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except OSError as error:
        return _broken_output(error)
    except Exception as error:  # noqa: BLE001 -- the last resort: whatever went wrong, the status must be 2
        return _internal(error)
    return status


def tell(message: str) -> None:
    """Write a message to stderr; a stderr that can't be written to is no reason to fail differently."""
    with suppress(OSError):
        click.echo(f"shellguard: {message}", err=True)


def _flushed(status: int) -> int:
    """Flush what `--help` or `--version` printed, since it counts only when it has arrived."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return _broken_output(error)
    return status


def _cannot(message: str) -> int:
    tell(message)
    return CANNOT


def _usage(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx else "shellguard"
    return f"{error.format_message()}\nTry '{command} --help'."


def _broken_output(error: OSError) -> int:
    """Say what could not be written or read; a reader that left early (`| head`) needs no message."""
    if error.errno != errno.EPIPE:
        place = f"{error.filename}: " if error.filename else "cannot write the output: "
        tell(f"{place}{error.strerror or error}")
    if sys.stdout is not None:
        # What is still buffered would fail again, noisily, when the interpreter shuts down.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return CANNOT


def _internal(error: Exception) -> int:
    if os.environ.get(TRACEBACK):
        import traceback

        traceback.print_exc()
    tell(
        f"internal error: {type(error).__name__}: {error}\n"
        f"This is a bug in shellguard. Please report it with the output of the same run with {TRACEBACK}=1 set."
    )
    return CANNOT
