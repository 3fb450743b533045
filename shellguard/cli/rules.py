"""`shellguard rules`: the table of rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

import click

from shellguard.cli.sections import HELP_NAMES
from shellguard.pages import RulePage, load_pages

_HEAD = ("CODE", "NAME", "PROFILE", "SEVERITY", "FIX", "WHAT IT FINDS")


@click.command(context_settings=HELP_NAMES, short_help="List the rules.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to write the table.  [text]"
)
def command(form: str) -> None:
    """List the rules: code, name, profile, severity, fix, and what each finds."""
    pages = load_pages().values()
    if form == "json":
        click.echo(_as_json(pages))
        return
    for line in _table(pages):
        click.echo(line)


def _as_json(pages: Iterable[RulePage]) -> str:
    import json

    rules = [
        {
            "code": page.code,
            "name": page.name,
            "profile": page.profile,
            "severity": page.severity.label,
            "fix": page.fix,
            "dialects": list(page.dialects),
            "shellcheck": list(page.shellcheck),
            "since": page.since,
            "preview": page.preview,
            "summary": page.summary,
        }
        for page in pages
    ]
    return json.dumps({"schema": 1, "rules": rules}, indent=2)


def _table(pages: Iterable[RulePage]) -> Iterator[str]:
    """Aligned columns; on a terminal the last one is wrapped, in a pipe each rule is one line."""
    rows = [_HEAD, *map(_row, pages)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    indent = sum(widths) + 2 * len(widths)
    room = _room() - indent
    for row in rows:
        lead = "".join(f"{cell:<{width + 2}}" for cell, width in zip(row, widths, strict=False))
        first, *rest = _wrapped(row[-1], room)
        yield lead + first
        for line in rest:
            yield " " * indent + line


def _row(page: RulePage) -> tuple[str, ...]:
    name = f"{page.name} (preview)" if page.preview else page.name
    return (page.code, name, page.profile, page.severity.label, page.fix, page.summary)


def _room() -> int:
    """The terminal's width; 0 where output is no terminal."""
    return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 0


def _wrapped(text: str, room: int) -> list[str]:
    from textwrap import wrap

    return wrap(text, max(room, 30)) if room > 0 else [text]
