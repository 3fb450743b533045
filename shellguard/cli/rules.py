"""`shellguard rules`: the table of rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from textwrap import wrap

import click

from shellguard.cli.sections import HELP_NAMES
from shellguard.pages import RulePage, load_pages
from shellguard.report.colour import line_width

_NARROWEST = 40
"""Cells that what a rule finds must have beside the other columns, on a terminal; otherwise it goes below them."""

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
    """Aligned columns; in a pipe each rule is one line, on a terminal what it finds is wrapped."""
    rows = [_HEAD, *map(_row, pages)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    indent = sum(widths) + 2 * len(widths)
    width = line_width(sys.stdout, os.environ) if sys.stdout.isatty() else 0
    for row in rows:
        columns = "".join(f"{cell:<{room + 2}}" for cell, room in zip(row, widths, strict=False))
        if not width:
            yield columns + row[-1]
        elif width - indent >= _NARROWEST:
            yield from wrap(row[-1], width, initial_indent=columns, subsequent_indent=" " * indent)
        else:
            margin = " " * (widths[0] + 2)
            yield from (columns.rstrip(), *wrap(row[-1], width, initial_indent=margin, subsequent_indent=margin))


def _row(page: RulePage) -> tuple[str, ...]:
    name = f"{page.name} (preview)" if page.preview else page.name
    return (page.code, name, page.profile, page.severity.label, page.fix, page.summary)
