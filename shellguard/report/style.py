"""How a report may look: colours, width, and which characters the output can show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shellguard.finding import Severity


class Role(StrEnum):
    """What a piece of output is. The value is its ANSI graphic rendition: only the terminal's own 16 colours."""

    PLAIN = ""
    STRONG = "1"
    FAINT = "2"
    ERROR = "1;31"
    WARNING = "1;33"
    INFO = "1;36"
    RELATED = "34"
    ESCAPE = "35"
    FIX = "1;32"
    REMOVED = "31"
    ADDED = "32"


_SEVERITY_ROLES = {Severity.ERROR: Role.ERROR, Severity.WARNING: Role.WARNING, Severity.INFO: Role.INFO}


@dataclass(frozen=True, slots=True)
class Style:
    """How to write a report.

    Attributes:
        colour: Write ANSI colours.
        width: Cells in a line, at least 40.
        unicode: The output can show any character; otherwise it gets ASCII only.
        excerpts: Show the source around each finding.
        fixes: Show each suggested fix.
    """

    colour: bool = False
    width: int = 80
    unicode: bool = True
    excerpts: bool = True
    fixes: bool = True

    def __post_init__(self) -> None:
        """Lay out for 40 cells where there are fewer: a narrower report can't be read."""
        object.__setattr__(self, "width", max(self.width, 40))

    def paint(self, text: str, role: Role) -> str:
        """`text` (one line or less) in the colours of its role."""
        if not self.colour or not role or not text:
            return text
        return f"\x1b[{role.value}m{text}\x1b[0m"

    @property
    def bar(self) -> str:
        """The line between line numbers and source."""
        return "│" if self.unicode else "|"

    @property
    def heavy_bar(self) -> str:
        """The same line, beside what a span of several lines covers."""
        return "┃" if self.unicode else ">"

    @property
    def ellipsis(self) -> str:
        """Stands for what was left out, of a line or between lines."""
        return "…" if self.unicode else "..."


def severity_role(severity: Severity) -> Role:
    """The colours of a severity."""
    return _SEVERITY_ROLES[severity]
