"""Which rules a run looks for: the profile, `--select` and `--ignore`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn

import click

from shellguard.pages import Profile, RulePage, UnknownRuleError, resolve

_ALWAYS = "SG0"
"""The rules about the linter's own work: a selection of other rules must not hide that a script can't be parsed."""


def selected_rules(
    pages: Mapping[str, RulePage], profile: Profile, *, select: Iterable[str], ignore: Iterable[str]
) -> frozenset[str]:
    """The codes of the rules to look for.

    `select` replaces the profile's rules; `ignore` has the last word. A preview rule is only found by its own code or
    name.

    Raises:
        click.BadParameter: a word names no rule, or none is left to look for.
    """
    selected = tuple(select)
    if selected:
        chosen = {code for word in _words(selected) for code in _named(pages, word)}
    else:
        chosen = {page.code for page in pages.values() if profile.includes(page.profile) and not page.preview}
    ignored = {code for word in _words(ignore) for code in _codes(pages, word, option="--ignore")}
    if not chosen - ignored:
        _refuse(selected, has_ignored=bool(chosen))
    chosen |= {code for code in pages if code.startswith(_ALWAYS)}
    return frozenset(chosen - ignored)


def _refuse(selected: tuple[str, ...], *, has_ignored: bool) -> NoReturn:
    """Say why there is no rule to look for."""
    context = click.get_current_context(silent=True)
    if has_ignored:
        raise click.BadParameter("no rule is left to look for.", context, param_hint="--ignore")
    if not any(_words(selected)):
        raise click.BadParameter("it names no rule.", context, param_hint="--select")
    problem = "it names preview rules only; give each by its own code or name."
    raise click.BadParameter(problem, context, param_hint="--select")


def _named(pages: Mapping[str, RulePage], word: str) -> Iterator[str]:
    """The codes that `--select word` chooses; a prefix doesn't reach preview rules."""
    for code in _codes(pages, word, option="--select"):
        if not pages[code].preview or word.upper() == code or word.lower() == pages[code].name:
            yield code


def _words(lists: Iterable[str]) -> Iterator[str]:
    """The words of repeated options, each a list with commas."""
    return (word.strip() for words in lists for word in words.split(",") if word.strip())


def _codes(pages: Mapping[str, RulePage], word: str, *, option: str) -> tuple[str, ...]:
    try:
        return resolve(pages, word)
    except UnknownRuleError as error:
        context = click.get_current_context(silent=True)
        raise click.BadParameter(unknown_rule(error), context, param_hint=option) from error


def unknown_rule(error: UnknownRuleError) -> str:
    """The message for a word that names no rule: what it may mean, otherwise where the names are."""
    return str(error) if error.nearest else f"{error}; `shellguard rules` lists them all"
