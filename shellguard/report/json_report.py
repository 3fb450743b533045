r"""The report for programs, as `lint.schema.json` describes it: `--format json`.

One entry of a list per line, so that the output can be read with `grep` and compared with `diff`. It is pure ASCII
(`\u` escapes), hence the same bytes in every encoding and harmless on a terminal. A byte of a script or a path that
is no UTF-8 becomes U+FFFD: JSON has no way to say it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import shellguard
from shellguard.report.summary import count, not_checked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from shellguard.finding import Edit, FileReport, Finding, Fix, NotChecked, Related, Report
    from shellguard.report import RuleInfo
    from shellguard.report.style import Style
    from shellguard.report.summary import Totals
    from shellguard.source import Source, Span

SCHEMA = 1
"""The version of the contract; it changes when a reader of the old form would break."""

RULE_SET = "2026.1"
"""The edition of the rule catalogue."""

_SURROGATES = re.compile("[\ud800-\udfff]")


def render(report: Report, rules: Mapping[str, RuleInfo], style: Style) -> Iterator[str]:  # noqa: ARG001 -- every format has this signature
    """Yield the document in chunks: its head, then one per entry.

    Raises:
        ValueError: a file has findings without fingerprints.
    """
    tool = {"name": "shellguard", "version": shellguard.__version__, "rule_set": RULE_SET}
    yield f'{{"schema": {SCHEMA},\n "tool": {_dump(tool)},\n "summary": {_dump(_summary(count(report)))},\n'
    yield from _array("not_checked", map(_not_checked, not_checked(report)), close=",\n")
    yield from _array("findings", (entry for file in report.files for entry in _findings(file, rules)), close="}\n")


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)


def _array(key: str, entries: Iterable[object], *, close: str) -> Iterator[str]:
    remaining = iter(entries)
    entry = next(remaining, None)
    if entry is None:
        yield f' "{key}": []{close}'
        return
    yield f' "{key}": [\n'
    for following in remaining:
        yield f"  {_dump(entry)},\n"
        entry = following
    yield f"  {_dump(entry)}\n ]{close}"


def _summary(totals: Totals) -> dict[str, int]:
    return {
        "files": totals.files,
        "sources": totals.sources,
        "lines": totals.lines,
        "commands": totals.commands,
        "findings": totals.findings,
        "errors": totals.errors,
        "warnings": totals.warnings,
        "infos": totals.infos,
        "suppressed": totals.suppressed,
    }


def _not_checked(entry: NotChecked) -> dict[str, object]:
    return {
        "path": _text(entry.path),
        "reason": _text(entry.reason),
        "line": entry.line,
        "end_line": entry.end_line,
    }


def _findings(file: FileReport, rules: Mapping[str, RuleInfo]) -> Iterator[dict[str, object]]:
    for finding, fingerprint in zip(file.findings, file.fingerprints, strict=True):
        yield _finding(file.source, finding, rules[finding.rule], fingerprint)


def _finding(source: Source, finding: Finding, rule: RuleInfo, fingerprint: str) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "name": rule.name,
        "severity": finding.severity.label,
        "path": _text(source.path),
        **_place(source, finding.span),
        "message": _text(finding.message),
        "fingerprint": fingerprint,
        "related": [_related(source, related) for related in finding.related],
        "fix": None if finding.fix is None else _fix(source, finding.fix),
    }


def _related(source: Source, related: Related) -> dict[str, object]:
    return {"path": _text(source.path), **_place(source, related.span), "message": _text(related.message)}


def _fix(source: Source, fix: Fix) -> dict[str, object]:
    return {
        "applicability": fix.applicability.value,
        "message": _text(fix.message),
        "edits": [_edit(source, edit) for edit in fix.edits],
    }


def _edit(source: Source, edit: Edit) -> dict[str, object]:
    return {**_place(source, edit.span), "text": _text(edit.text)}


def _place(source: Source, span: Span) -> dict[str, int]:
    start, end = source.position(span.start), source.position(span.end)
    return {"line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column}


def _text(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text)
