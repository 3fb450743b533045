"""`shellguard explain`: a rule's page."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Mapping

import click

from shellguard.cli.sections import HELP_NAMES
from shellguard.cli.selection import unknown_rule
from shellguard.pages import ControlKind, RulePage, UnknownRuleError, load_pages, resolve
from shellguard.pages import controls as page_controls
from shellguard.report.colour import detect_style

_CONTROLS = "\n## Controls\n"
_LABELS = {ControlKind.BAD: "flagged", ControlKind.GOOD: "not flagged", ControlKind.FIXED: "repaired"}


@click.command(context_settings=HELP_NAMES, short_help="Explain a rule.")
@click.argument("rule")
@click.option("--controls", is_flag=True, help="Show the page's controls, too: scripts that it flags and doesn't.")
def command(rule: str, *, controls: bool) -> None:
    """Explain a rule, given by its code (SG101) or its name.

    The page says what is found, why it matters, what is left alone, and what to write instead.
    """
    page = _find(load_pages(), rule)
    text = f"{page.body.strip() if controls else _without_controls(page)}\n\n{_facts(page)}\n"
    if sys.stdout.isatty():
        _render(text)
    else:
        click.echo(text, nl=False)


def _find(pages: Mapping[str, RulePage], word: str) -> RulePage:
    try:
        codes = resolve(pages, word)
    except UnknownRuleError as error:
        raise click.UsageError(unknown_rule(error)) from error
    if len(codes) > 1:
        raise click.UsageError(f"'{word}' stands for {len(codes)} rules: {', '.join(codes)}. Choose one.")
    return pages[codes[0]]


def _without_controls(page: RulePage) -> str:
    """The page without the examples that it is tested by; says how many there are."""
    numbers = Counter(control.kind for control in page_controls(page))
    count = f"{numbers[ControlKind.BAD]} scripts that are flagged and {numbers[ControlKind.GOOD]} that aren't"
    text = page.body.partition(_CONTROLS)[0].strip()
    return f"{text}\n\n## Controls\n\n{count}: `shellguard explain {page.code} --controls` shows them."


def _facts(page: RulePage) -> str:
    facts = {
        "Rule": f"{page.code} {page.name}" + " (preview)" * page.preview,
        "Profile": page.profile,
        "Severity": page.severity.label,
        "Fix": page.fix,
        "Shells": ", ".join(page.dialects),
        "ShellCheck's": ", ".join(page.shellcheck),
        "Since": page.since,
    }
    return "\n".join(f"- {key}: {value}" for key, value in facts.items() if value)


def _render(markdown: str) -> None:
    """Draw Markdown on the terminal, in the terminal's own colours; say of each control what it shows."""
    from rich.console import Console
    from rich.markdown import Markdown

    labelled = re.sub(
        r"^```(\S+) (bad|good|fixed)\b.*$",
        lambda fence: f"*{_LABELS[ControlKind(fence[2])]}*\n\n```{fence[1]}",
        markdown,
        flags=re.MULTILINE,
    )
    # Given, because rich fails at a COLUMNS or LINES of thousands of digits; the height doesn't matter.
    console = Console(width=detect_style(sys.stdout, os.environ).width, height=1)
    console.print(Markdown(labelled, code_theme="ansi_dark"))
