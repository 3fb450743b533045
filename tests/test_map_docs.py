"""The pages about the map and the fates say what the map says, and what shells do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from conftest import CHECKOUT, CommandLine
from fate_runs import JOB, disagreements, run

from shellguard.finding import ScriptMap
from shellguard.mapping import map_source
from shellguard.report.map_text import FATES
from shellguard.source import Dialect, Source

DOCS: Path = CHECKOUT / "docs"
BLOCK = re.compile(r"^```(bash|dash)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXAMPLES = BLOCK.findall((DOCS / "map.md").read_text(encoding="utf-8"))
HARD = BLOCK.findall((DOCS / "fates.md").read_text(encoding="utf-8"))
PAGE_SCRIPT = ". ./lib.sh\nrun() { fetch | cat; }\nrun\n./b || true\nwait_for() { ./c; }\n"
MARK = re.compile(r"# (\w+)$", re.MULTILINE)


@pytest.mark.parametrize(("shell", "text"), EXAMPLES + HARD)
def test_the_fates_of_an_example_are_those_it_is_marked_with(shell: str, text: str) -> None:
    source = Source(f"example.{'dash' if shell == 'dash' else 'sh'}", text)
    mapped = map_source(source)
    assert isinstance(mapped, ScriptMap)
    found = {(source.line_of(command.span.start), command.fate) for command in mapped.commands}
    marked = {(text.count("\n", 0, match.start()) + 1, match[1]) for match in MARK.finditer(text)}
    lines = {line for line, _ in marked}
    assert {(line, fate) for line, fate in found if line in lines} == marked != set()


@pytest.mark.parametrize(("shell", "text"), HARD)
def test_shells_agree_on_what_was_hard(shell: str, text: str) -> None:
    dialect = Dialect(shell)
    jobs = set(JOB.findall(text))
    assert len(jobs) == len(JOB.findall(text))
    assert all(job in run(text, job, dialect)[1] for job in jobs)
    assert disagreements(text, dialect) == {}


def test_each_fate_has_an_example() -> None:
    assert {fate for _, text in EXAMPLES for fate in MARK.findall(text)} == set(FATES)


def test_the_schema_describes_the_json(cli: CommandLine) -> None:
    (cli.folder / "a.sh").write_text(PAGE_SCRIPT)
    (cli.folder / "b.sh").write_text("if\n")
    document = json.loads(cli("map", "--format", "json", "a.sh", "b.sh", "c.sh").stdout)
    assert [len(document["files"]), len(document["not_checked"])] == [1, 2]
    schema = json.loads((CHECKOUT / "docs" / "map.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    document["files"][0]["commands"][0]["fate"] = "gone"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
