"""The JSON contract: keys in their order, positions that lead back to the text, the published schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from report_samples import NIGHTLY, RULES, hostile_report, nightly_report, reports

import shellguard
from shellguard.finding import Applicability, Edit, FileReport, Finding, Fix, Related, Report, Severity
from shellguard.report.json_report import render
from shellguard.report.style import Style
from shellguard.source import Source, Span

GOLDENS = Path(__file__).parent / "fixtures" / "report"
SCHEMA = json.loads((Path(shellguard.__file__).parent / "report" / "lint.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def rendered(report: Report) -> str:
    return "".join(render(report, RULES, Style()))


def replaced(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def place_in(source: Source, entry: dict[str, Any]) -> Span:  # Any: parsed JSON
    """The span that an entry's lines and columns stand for, found without the code under test."""
    starts = [0, *(match.end() for match in re.finditer("\n", source.text))]
    return Span(
        starts[entry["line"] - 1] + entry["column"] - 1, starts[entry["end_line"] - 1] + entry["end_column"] - 1
    )


def test_document(golden: Callable[[Path, str], None]) -> None:
    text = rendered(nightly_report()).replace(f'"version": "{shellguard.__version__}"', '"version": "VERSION"')
    golden(GOLDENS / "nightly.json", text)


def test_keys_are_in_the_contracts_order() -> None:
    document = json.loads(rendered(nightly_report()))
    finding = document["findings"][2]
    assert list(document) == ["schema", "tool", "summary", "not_checked", "findings"]
    assert list(document["tool"]) == ["name", "version", "rule_set"]
    assert list(document["summary"]) == SCHEMA["properties"]["summary"]["required"]
    assert list(document["not_checked"][0]) == ["path", "reason", "line", "end_line"]
    assert list(finding) == SCHEMA["properties"]["findings"]["items"]["required"]
    assert list(finding["related"][0]) == SCHEMA["$defs"]["related"]["required"]
    assert list(finding["fix"]) == ["applicability", "message", "edits"]
    assert list(finding["fix"]["edits"][0]) == ["line", "column", "end_line", "end_column", "text"]


def test_ends_are_exclusive_and_columns_count_code_points() -> None:
    source = Source("a.sh", "true\n完\t🙂 $?\n")
    finding = Finding("SG101", Severity.ERROR, Span(9, 11), "lost")
    (entry,) = json.loads(rendered(Report((FileReport(source, (finding,), fingerprints=("x",)),))))["findings"]
    assert [entry[key] for key in ("line", "column", "end_line", "end_column")] == [2, 5, 2, 7]


def test_an_empty_report() -> None:
    document = json.loads(rendered(Report()))
    assert document["not_checked"] == []
    assert document["findings"] == []
    VALIDATOR.validate(document)


def test_bytes_that_are_no_text_become_replacement_characters() -> None:
    document = json.loads(rendered(hostile_report()))
    assert document["findings"][1]["message"] == "the status of \ufffd"
    assert document["findings"][0]["path"] == "we\x1b[2Jird/\u202egnp.sh"


def test_a_finding_without_a_fingerprint_is_refused() -> None:
    finding = Finding("SG101", Severity.ERROR, Span(0, 1), "lost")
    with pytest.raises(ValueError, match="shorter"):
        rendered(Report((FileReport(NIGHTLY, (finding,)),)))


@given(reports())
def test_documents_keep_to_the_schema_and_say_what_was_found(report: Report) -> None:
    chunks = list(render(report, RULES, Style()))
    for chunk in chunks:
        assert chunk.isascii()
        assert chunk.endswith("\n")
        assert chunk.replace("\n", "").isprintable()
    document = json.loads("".join(chunks))
    VALIDATOR.validate(document)
    expected = [(file.source, finding) for file in report.files for finding in file.findings]
    for (source, finding), entry in zip(expected, document["findings"], strict=True):
        assert_says(source, finding, entry)


def assert_says(source: Source, finding: Finding, entry: dict[str, Any]) -> None:  # Any: parsed JSON
    assert entry["rule"] == finding.rule
    assert entry["name"] == RULES[finding.rule].name
    assert entry["severity"] == finding.severity.name.lower()
    assert entry["path"] == replaced(source.path)
    assert entry["message"] == replaced(finding.message)
    assert place_in(source, entry) == finding.span
    assert [Related(place_in(source, related), related["message"]) for related in entry["related"]] == [
        Related(related.span, replaced(related.message)) for related in finding.related
    ]
    if finding.fix is None:
        assert entry["fix"] is None
        return
    assert entry["fix"]["applicability"] == finding.fix.applicability.value
    edits = [(place_in(source, edit), edit["text"]) for edit in entry["fix"]["edits"]]
    assert edits == [(edit.span, replaced(edit.text)) for edit in finding.fix.edits]


def test_an_insertion_has_equal_ends() -> None:
    fix = Fix(Applicability.SAFE, "say so", (Edit(Span(5, 5), "set -e\n"),))
    finding = Finding("SG201", Severity.ERROR, Span(0, 4), "lost", (), fix)
    document = json.loads(rendered(Report((FileReport(Source("a.sh", "true\n"), (finding,), fingerprints=("x",)),))))
    (edit,) = document["findings"][0]["fix"]["edits"]
    assert edit == {"line": 1, "column": 6, "end_line": 1, "end_column": 6, "text": "set -e\n"}
