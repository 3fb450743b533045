"""Findings to text, one format per module.

Every format module has `render(report, rules, style)`, which yields chunks of text that end in a newline. The texts
hold nothing that a terminal obeys, except `style.colour`'s own colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shellguard.finding import Report, Severity
    from shellguard.report.style import Style


class RuleInfo(Protocol):
    """What a report needs to know about a rule; a rule's page has it."""

    @property
    def code(self) -> str:
        """`SG101`."""

    @property
    def name(self) -> str:
        """`status-after-substitution`."""

    @property
    def severity(self) -> Severity:
        """The severity that the rule's findings have as a rule; a finding's own may differ."""


class Format(Protocol):
    """A module of this package that writes reports."""

    def render(self, report: Report, rules: Mapping[str, RuleInfo], style: Style) -> Iterator[str]:
        """Yield the report in chunks that end in a newline; `rules` holds each finding's rule by its code."""
