"""The group of commands; a command's module is imported when it is asked for."""

from __future__ import annotations

import gc
import sys
from importlib import import_module

import click

from shellguard import __version__

_COMMANDS = ("lint", "map", "rules", "explain", "ast", "selftest")


class _LazyGroup(click.Group):
    """A group whose commands live in modules of their own names."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        """All commands, the most used first."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- click's signature
        """Import a command."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"shellguard.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; a word that is none is most likely a script to check."""
        if args[0] not in _COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"There is no command '{args[0]}'. {_hint(args[0])}")
        return super().resolve_command(ctx, args)


def _hint(word: str) -> str:
    from difflib import get_close_matches

    nearest = get_close_matches(word, _COMMANDS, n=1)
    return f"Did you mean '{nearest[0]}'?" if nearest else f"To check files: shellguard lint {word}"


@click.group(
    cls=_LazyGroup,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 nothing found, 1 findings, 2 the job could not be done.",
)
@click.version_option(__version__, "--version", "-V", message="shellguard %(version)s")
def _shellguard() -> None:
    """Find the ways in which shell scripts fail and still report success."""


def spare_collector() -> None:
    """Look for cycles of garbage less often: a tree is many small objects without any."""
    gc.set_threshold(100_000)


def run_command() -> int:
    """Run the command that `sys.argv` names and return its status."""
    spare_collector()
    with _shellguard.make_context("shellguard", sys.argv[1:]) as context:
        status = _shellguard.invoke(context)
    return status if isinstance(status, int) else 0
