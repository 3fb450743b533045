"""Silence findings as the script's comments ask, and find the comments that silence nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shellguard.finding import Applicability, Edit, Finding, Fix, Severity
from shellguard.source import Span
from shellguard.suppress.directives import MARKS, Directive, Misspelt, Verb, read_directives
from shellguard.suppress.scopes import Scopes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shellguard.pages import RulePage
    from shellguard.source import Source
    from shellguard.syntax.nodes import Script

UNUSED: Final = "SG002"
_LINTERS_OWN: Final = "SG0"
"""A script that can't be read, and comments that do nothing, aren't silenced by a comment."""


@dataclass(slots=True)
class _Word:
    """A word of a directive: the rules that it names (None: there are none), in which lines, and what it silenced."""

    directive: Directive
    text: str
    span: Span
    codes: frozenset[str] | None
    lines: range
    problem: str = ""
    nearest: str | None = None
    silenced: int = 0


@dataclass(frozen=True, slots=True)
class Suppression:
    """What is left of a script's findings, how many were silenced, and what the comments themselves lead to."""

    findings: Sequence[Finding]
    silenced: int = 0
    unused: Sequence[Finding] = field(default=())


def suppress(source: Source, script: Script, findings: Sequence[Finding], active: Collection[str]) -> Suppression:
    """Take away the findings that comments silence.

    `active` are the codes that were looked for: that a comment silences nothing of another rule tells nothing.
    """
    if not any(mark in source.text for mark in MARKS):
        return Suppression(findings)
    comments = list(read_directives(source, script))
    if not comments:
        return Suppression(findings)
    words = _Words(source, script, [item for item in comments if isinstance(item, Directive)])
    kept = [finding for finding in findings if not words.silence(finding)]
    unused = [*_misspelt(comments), *words.unused(active)] if UNUSED in active else []
    return Suppression(kept, len(findings) - len(kept), unused)


class _Words:
    """The words of all directives, resolved."""

    def __init__(self, source: Source, script: Script, directives: Sequence[Directive]) -> None:
        from shellguard.pages import load_pages  # few scripts have such comments

        self._source = source
        self._pages = load_pages()
        self._aliases = _aliases(self._pages)
        scopes = Scopes(source, script)
        self._words = [
            self._resolved(directive, word, span, scopes.lines(directive))
            for directive in directives
            for word, span in directive.words
        ]
        self._enable()

    def silence(self, finding: Finding) -> bool:
        """Whether a word silences a finding; the word is remembered as used."""
        if finding.rule.startswith(_LINTERS_OWN):
            return False
        line = self._source.line_of(finding.span.start)
        words = [word for word in self._words if word.codes and finding.rule in word.codes and line in word.lines]
        for word in words:
            word.silenced += 1
        return bool(words)

    def unused(self, active: Collection[str]) -> Iterator[Finding]:
        """Yield a finding for each comment of ours with words that silence nothing."""
        for directive in dict.fromkeys(word.directive for word in self._words):
            words = [word for word in self._words if word.directive is directive]
            yield from (_misnamed(word) for word in words if word.codes is None)
            useless = [word for word in words if self._is_useless(word, active)]
            if useless:
                yield _unused(self._source, directive, useless, is_all=len(useless) == len(words))

    def _resolved(self, directive: Directive, text: str, span: Span, lines: range) -> _Word:
        """Find out which rules a word names."""
        from shellguard.pages import UnknownRuleError, resolve

        if directive.verb is None:
            return _Word(directive, text, span, self._aliases.get(text, frozenset()), lines)
        try:
            codes = frozenset(resolve(self._pages, text))
        except UnknownRuleError as error:
            return _Word(directive, text, span, None, lines, str(error), error.nearest)
        if all(code.startswith(_LINTERS_OWN) for code in codes):
            return _Word(directive, text, span, None, lines, f"{text} can't be silenced in a script")
        return _Word(directive, text, span, codes, lines)

    def _enable(self) -> None:
        """Let each `disable` reach to the next `enable` of the same word; one without a `disable` is not used."""
        for position, word in enumerate(self._words):
            if word.directive.verb is not Verb.ENABLE:
                continue
            word.lines, end = range(0), word.lines.start
            for earlier in self._words[:position]:
                if earlier.directive.verb is Verb.DISABLE and earlier.codes == word.codes and end in earlier.lines:
                    earlier.lines = range(earlier.lines.start, end)
                    word.silenced += 1

    def _is_useless(self, word: _Word, active: Collection[str]) -> bool:
        if word.directive.verb is None or word.silenced or word.codes is None:
            return False
        return word.codes - _own(word.codes) <= frozenset(active)


def _own(codes: frozenset[str]) -> frozenset[str]:
    return frozenset(code for code in codes if code.startswith(_LINTERS_OWN))


def _aliases(pages: Mapping[str, RulePage]) -> dict[str, frozenset[str]]:
    """The rules that each of ShellCheck's codes stands for."""
    names = {alias for page in pages.values() for alias in page.shellcheck}
    return {name: frozenset(page.code for page in pages.values() if name in page.shellcheck) for name in names}


def _misspelt(comments: Sequence[Directive | Misspelt]) -> Iterator[Finding]:
    for item in comments:
        if isinstance(item, Misspelt):
            yield Finding(UNUSED, Severity.WARNING, item.span, f"this comment silences nothing: {item.problem}")


def _misnamed(word: _Word) -> Finding:
    """The finding for a word that names no rule that can be silenced."""
    if word.nearest is None:
        fix = Fix(Applicability.SUGGEST, "name a rule; `shellguard rules` lists them")
    else:
        fix = Fix(Applicability.SUGGEST, f"write `{word.nearest}`", (Edit(word.span, word.nearest),))
    message = f"this comment silences nothing: {word.problem}"
    return Finding(UNUSED, Severity.WARNING, word.span, message, fix=fix)


def _unused(source: Source, directive: Directive, words: Sequence[_Word], *, is_all: bool) -> Finding:
    """The finding for words that silence nothing."""
    names = " and ".join(word.text for word in words)
    if directive.verb is Verb.ENABLE:
        message = f"this comment does nothing: {names} is not disabled here"
    elif is_all:
        message = f"this comment silences nothing: {names} finds nothing here"
    else:
        message = f"this comment silences less than it says: {names} finds nothing here"
    edit = _removal(source, directive) if is_all else _shorter(directive, words)
    return Finding(
        UNUSED,
        Severity.WARNING,
        directive.span,
        message,
        (),
        Fix(Applicability.SAFE, "remove what does nothing", (edit,)),
    )


def _removal(source: Source, directive: Directive) -> Edit:
    """Take the comment away: with its line, where it has one of its own, else with the blanks before it."""
    text, start, end = source.text, directive.span.start, directive.span.end
    if directive.own_line:
        line_end = text.find("\n", end)
        return Edit(Span(text.rfind("\n", 0, start) + 1, line_end + 1 if line_end >= 0 else len(text)), "")
    while start and text[start - 1] in " \t":
        start -= 1
    return Edit(Span(start, end), "")


def _shorter(directive: Directive, words: Sequence[_Word]) -> Edit:
    """Name only the rules that are silenced."""
    useless = {word.span for word in words}
    left = [text for text, span in directive.words if span not in useless]
    return Edit(Span(directive.words[0][1].start, directive.words[-1][1].end), ", ".join(left))
