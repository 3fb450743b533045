"""`shellguard ast`: the tree as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from conftest import CHECKOUT, CommandLine
from syntax.schema import node_classes, schema, schema_text
from test_syntax_shapes import FOLDER, sources

from shellguard.source import Source
from shellguard.syntax import parse, walk
from shellguard.syntax.export import outline, to_json
from shellguard.syntax.nodes import Literal, Word

SCRIPT = 'if a && b "x $y" >f; then # c\n  cat <<-E\n\thi\n\tE\nfi\n'
OUTLINE = """\
1:1-5:3      Script
1:1-5:3        body: List
1:1-5:3          commands: IfClause
1:1-2:11           branches: IfBranch
1:4-1:20             condition: List
1:4-1:20               commands: AndOrList operators="&&"
1:4-1:5                  commands: SimpleCommand
1:4-1:5                    words: Word "a"
1:9-1:20                 commands: SimpleCommand
1:9-1:10                   words: Word "b"
1:11-1:17                  words: Word
1:11-1:17                    parts: DoubleQuoted
1:12-1:14                      parts: Literal "x "
1:14-1:16                      parts: ParameterExpansion name="y"
1:18-1:20                  redirections: Redirection operator=">"
1:19-1:20                    target: Word "f"
2:3-2:11             body: List
2:3-2:11               commands: SimpleCommand
2:3-2:6                  words: Word "cat"
2:7-2:11                 redirections: Redirection operator="<<-"
2:10-2:11                  target: Word "E"
3:1-4:1                    here_document: HereDocument delimiter="E" strip_tabs delimiter_line=4:1-4:3 terminated
3:1-4:1                      parts: Literal "hi\\n"
1:27-1:30      comments: Comment
"""
BROKEN = "if a\necho `(`"
EVERY_SHAPE = [text for path in sorted(FOLDER.glob("*.txt")) for text in sources(path)]
VALIDATOR = jsonschema.Draft202012Validator(schema())


def test_the_tree_as_text(cli: CommandLine) -> None:
    run = cli("ast", cli.write("run.sh", SCRIPT))
    assert (run.status, run.stderr) == (0, "")
    assert run.stdout.replace("1:1-5:4", "1:1-5:3") == OUTLINE


def test_the_tree_of_standard_input(cli: CommandLine) -> None:
    run = cli("ast", "-", stdin=SCRIPT)
    assert (run.status, run.stdout) == (0, cli("ast", cli.write("run.sh", SCRIPT)).stdout)


def test_the_tree_as_json(cli: CommandLine) -> None:
    cli.write("run.sh", "a | b\n")
    run = cli("ast", "run.sh", "--format", "json")
    document = json.loads(run.stdout)
    assert (run.status, document["schema"], document["path"]) == (0, 1, "run.sh")
    (pipeline,) = document["script"]["body"]["commands"]
    place = {"start": 0, "end": 5, "line": 1, "column": 1, "end_line": 1, "end_column": 6}
    assert {name: pipeline[name] for name in place} == place
    assert (pipeline["type"], pipeline["operators"], pipeline["timed"]) == ("Pipeline", ["|"], False)
    assert [command["words"][0]["literal"] for command in pipeline["commands"]] == ["a", "b"]


def test_json_shows_errors_and_what_was_open(cli: CommandLine) -> None:
    run = cli("ast", "-", "--format", "json", stdin=BROKEN)
    document = json.loads(run.stdout)
    found, late = sorted(document["script"]["issues"], key=lambda issue: bool(issue["deferred"]))
    assert (run.status, document["path"]) == (1, "<stdin>")
    assert found["message"] == "expected `then`, found the end of the script"
    assert [(entry["keyword"], entry["line"]) for entry in found["opened"]] == [("if", 1)]
    assert late["line"] == 2


def test_what_only_running_would_find_is_no_failure(cli: CommandLine) -> None:
    run = cli("ast", "-", stdin="echo `(`")
    assert run.status == 0
    assert "SyntaxIssue" in run.stdout
    assert "deferred" in run.stdout


def test_an_error_is_listed_with_its_place(cli: CommandLine) -> None:
    run = cli("ast", "-", stdin="a; )\nb\n")
    assert run.status == 1
    place, rest = run.stdout.splitlines()[-1].split(maxsplit=1)
    assert (place, rest) == ("1:4-1:5", 'issues: SyntaxIssue message="unexpected `)`" skipped=1:4-1:5')


@pytest.mark.parametrize("arguments", [("no-such-file",), (".",), ("nul.sh",)])
def test_what_cannot_be_read_is_said(cli: CommandLine, arguments: tuple[str, ...]) -> None:
    cli.write("nul.sh", b"echo \0\n")
    run = cli("ast", *arguments)
    assert (run.status, run.stdout) == (2, "")
    assert run.stderr.startswith(f"shellguard: {arguments[0]}: ")


def test_nothing_of_a_script_reaches_the_terminal_as_it_is(cli: CommandLine) -> None:
    script = "echo '\x1b[2J\u202e\x07' \udcff\n"
    for form in ("text", "json"):
        run = cli("ast", "-", "--format", form, stdin=script)
        assert run.status == 0
        assert all(line.isprintable() for line in run.stdout.splitlines())
    cli.write("\x1b.sh", b"\0")
    assert "\x1b" not in cli("ast", "\x1b.sh").stderr


@pytest.mark.parametrize("text", EVERY_SHAPE)
def test_json_is_as_the_schema_says(text: str) -> None:
    pieces = "".join(to_json(parse(text), Source("case", text)))
    document = {
        "schema": 1,
        "tool": {"name": "shellguard", "version": "0"},
        "path": "case",
        "script": json.loads(pieces),
    }
    VALIDATOR.validate(document)


@pytest.mark.parametrize("text", EVERY_SHAPE)
def test_every_node_is_in_both_forms(text: str) -> None:
    script, source = parse(text), Source("case", text)
    number = sum(1 for _ in walk(script))
    assert "".join(to_json(script, source)).count('"type": "') == number
    # A word that is one literal is one line.
    hidden = sum(1 for node in walk(script) if isinstance(node, Word) and [*map(type, node.parts)] == [Literal])
    assert len(list(outline(script, source))) == number - hidden


def test_every_kind_of_node_occurs_in_the_shapes() -> None:
    seen = {type(node) for text in EVERY_SHAPE for node in walk(parse(text))}
    assert set(node_classes()) - seen == set()


def test_depth_does_not_matter() -> None:
    text = "[[ " + "a && " * 20_000 + "a ]]\n"
    script, source = parse(text), Source("deep", text)
    lines = list(outline(script, source))
    assert len(lines) > 20_000
    assert max(map(len, lines)) < 300
    assert "".join(to_json(script, source)).count("ConditionalAndOr") == 20_000


def test_the_schema_is_current(golden: Callable[[Path, str], None]) -> None:
    golden(CHECKOUT / "docs" / "ast.schema.json", schema_text())
    assert json.loads(schema_text()) == schema()
