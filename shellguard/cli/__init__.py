"""The command line: options and exit statuses, one module per command, nothing else."""

from __future__ import annotations

from shellguard.cli.errors import exit_status


def main() -> int:
    """Run the command line on `sys.argv` and return the exit status."""

    def run() -> int:
        from shellguard.cli.app import run_command

        return run_command()

    return exit_status(run)
