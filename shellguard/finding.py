"""What the stages hand on: findings, fixes, and what was or wasn't checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from itertools import pairwise

from shellguard.source import Dialect, Source, Span


class Severity(IntEnum):
    """How sure the loss is; ordered, so that `severity >= threshold` reads as it should."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The word used in options, reports and JSON."""
        return self.name.lower()


class Applicability(StrEnum):
    """Who may apply a fix: `--fix` (safe), `--unsafe-fixes` (unsafe), nobody (suggest: shown only)."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    SUGGEST = "suggest"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the text at `span` by `text`; an empty span inserts."""

    span: Span
    text: str

    def __post_init__(self) -> None:
        """Refuse an edit that changes nothing."""
        if self.span.start == self.span.end and not self.text:
            raise ValueError("an edit must change something")


@dataclass(frozen=True, slots=True)
class Fix:
    """What to write instead. Without edits it is advice in words and its applicability is `suggest`."""

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        """Sort the edits; refuse overlapping ones, and an applicable fix that has none."""
        edits = tuple(sorted(self.edits))
        for before, after in pairwise(edits):
            if after.span.start < before.span.end or after.span == before.span:
                raise ValueError(f"overlapping edits: {before} and {after}")
        if not edits and self.applicability is not Applicability.SUGGEST:
            raise ValueError("a fix without edits can only be suggested")
        object.__setattr__(self, "edits", edits)


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains a finding, in the same file."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One lie: which rule found it, where, and what happens because of it (consequence first)."""

    rule: str
    severity: Severity
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fix: Fix | None = None

    @property
    def sort_key(self) -> tuple[int, int, str, str]:
        """Place, then code, then message: a total order inside one file."""
        return (self.span.start, self.span.end, self.rule, self.message)


@dataclass(frozen=True, slots=True, order=True)
class NotChecked:
    """A file, or 1-based lines of one (`end_line` inclusive), that was not analysed, and why."""

    path: str
    reason: str
    line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class FileReport:
    """Everything that one checked file led to, findings sorted by place; `is_blank`: it holds nothing to check."""

    source: Source
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    lines: int = 0
    commands: int = 0
    suppressed: int = 0
    fingerprints: tuple[str, ...] = ()
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """The whole run: checked files in path order, and what could not be checked."""

    files: tuple[FileReport, ...] = ()
    not_checked: tuple[NotChecked, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class MappedCommand:
    """A command that may fail, and what becomes of its failure.

    `text` is its source, `function` the function it stands in, `fate` one of the words of DESIGN.md's table, `because`
    a sentence that says why, `sink` the place where the status dies or counts, if the script has one.
    """

    span: Span
    name: str
    text: str
    role: str
    function: str | None
    fate: str
    because: str
    sink: Span | None = None


@dataclass(frozen=True, slots=True)
class ScriptMap:
    """The fate of each command of a script, in the order of the text.

    `assumptions` says what was taken for granted of files that the script reads.
    """

    source: Source
    dialect: Dialect
    commands: tuple[MappedCommand, ...]
    assumptions: tuple[str, ...] = ()
