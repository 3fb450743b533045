"""`shellguard rules`, `shellguard explain`, and the help."""

from __future__ import annotations

import json
import re

import pytest
from conftest import CommandLine

import shellguard
from shellguard.pages import load_pages

PAGES = load_pages()


def test_version(cli: CommandLine) -> None:
    run = cli("--version")
    assert (run.status, run.stdout) == (0, f"shellguard {shellguard.__version__}\n")


def test_rules_lists_every_rule_on_a_line(cli: CommandLine) -> None:
    run = cli("rules")
    assert run.status == 0
    head, *rows = run.stdout.splitlines()
    assert head.split()[:5] == ["CODE", "NAME", "PROFILE", "SEVERITY", "FIX"]
    assert [row.split()[:5] for row in rows] == [
        [page.code, page.name, page.profile, page.severity.label, page.fix] for page in PAGES.values()
    ]
    assert all(row.endswith(page.summary) for row, page in zip(rows, PAGES.values(), strict=True))


def test_rules_as_json(cli: CommandLine) -> None:
    listed = json.loads(cli("rules", "--format", "json").stdout)
    assert listed["schema"] == 1
    assert [rule["code"] for rule in listed["rules"]] == list(PAGES)
    assert listed["rules"][0]["name"] == "syntax-error"


@pytest.mark.parametrize("word", ["SG001", "sg001", "syntax-error"])
def test_explain_prints_the_page(cli: CommandLine, word: str) -> None:
    run = cli("explain", word)
    assert run.status == 0
    assert run.stdout.startswith(f"# {PAGES['SG001'].title}\n")
    assert PAGES["SG001"].body.partition("## Controls")[0].strip() in run.stdout
    assert "bash bad" not in run.stdout
    assert "`shellguard explain SG001 --controls` shows them." in run.stdout
    assert "- Rule: SG001 syntax-error\n- Profile: default\n- Severity: error\n" in run.stdout


def test_explain_prints_all_of_the_page_on_request(cli: CommandLine) -> None:
    assert PAGES["SG001"].body.strip() in cli("explain", "SG001", "--controls").stdout


def test_explain_draws_the_page_on_a_terminal(cli: CommandLine) -> None:
    drawn = re.sub(r"\x1b\[[0-9;]*m", "", cli.on_terminal("explain", "--controls", "SG001"))
    lines = [line.strip() for line in drawn.splitlines()]
    assert lines[0] == PAGES["SG001"].title
    assert "flagged" in lines
    assert "not flagged" in lines
    assert not any("```" in line for line in lines)


def test_rules_fit_on_a_terminal(cli: CommandLine) -> None:
    lines = cli.on_terminal("rules").splitlines()
    assert lines[0].split() == ["CODE", "NAME", "PROFILE", "SEVERITY", "FIX"]
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("word", "hint"),
    [("SG0O1", "did you mean 'SG001'?"), ("sintax-error", "did you mean 'syntax-error'?"), ("SG0", "Choose one.")],
)
def test_explain_suggests_the_nearest_rule(cli: CommandLine, word: str, hint: str) -> None:
    run = cli("explain", word)
    assert (run.status, run.stdout) == (2, "")
    assert hint in run.stderr


def test_a_script_in_a_commands_place_is_told_how(cli: CommandLine) -> None:
    run = cli("run.sh")
    assert run.status == 2
    assert "To check files: shellguard lint run.sh" in run.stderr


def test_a_misspelt_command_suggests_the_nearest(cli: CommandLine) -> None:
    assert "Did you mean 'explain'?" in cli("explian").stderr


def test_no_command_is_wrong_usage(cli: CommandLine) -> None:
    run = cli()
    assert (run.status, run.stdout) == (2, "")
    assert "Missing command" in run.stderr


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", [(), ("lint",), ("rules",), ("explain",)])
def test_help_fits_in_80_columns(cli: CommandLine, command: tuple[str, ...], flag: str) -> None:
    run = cli(*command, flag)
    assert run.status == 0
    assert run.stdout.startswith(f"Usage: {' '.join(('shellguard', *command))} ")
    assert all(len(line) <= 80 for line in run.stdout.splitlines())


def test_the_help_of_lint_groups_its_options(cli: CommandLine) -> None:
    lines = cli("lint", "--help").stdout.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Files:", "Rules:", "Output:", "Fixes:", "Exit status:", "Other:"]
    assert "  -h, --help    Show this message and exit." in lines
