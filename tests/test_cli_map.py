"""`shellguard map`: the fate of each command, as text and as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import CommandLine

SCRIPT = """\
#!/bin/bash
fetch data
rc=0
build || rc=1
if ! check; then exit 3; fi
run | tee log
clean || true
set -e
upload
exit "$rc"
"""
TEXT = """\
run.sh (bash)
          1 │ #!/bin/bash
lost      2 │ fetch data
          3 │ rc=0
returned  4 │ build || rc=1
stops     5 │ if ! check; then exit 3; fi
lost      6 │ run | tee log
ignored   7 │ clean || true
          8 │ set -e
stops     9 │ upload
         10 │ exit "$rc"

2:1 fetch: lost: the next command replaces its status (line 3)
6:1 run: lost: `tee` ends the pipeline, and there is no pipefail (line 6)
6:7 tee: lost: the next command replaces its status (line 7)

7 commands: 2 stop the script, 1 is returned, 1 is ignored on purpose, 3 are
lost: failure coverage 42 %
"""


def mapped(cli: CommandLine, script: str, *options: str) -> Any:  # noqa: ANN401 -- a JSON document
    """The map of one script."""
    cli.write("run.sh", script)
    run = cli("map", "--format", "json", *options, "run.sh")
    assert (run.status, run.stderr) == (0, "")
    return json.loads(run.stdout)["files"][0]


def test_the_map_as_text(cli: CommandLine) -> None:
    cli.write("run.sh", SCRIPT)
    run = cli("map", "run.sh")
    assert (run.status, run.stdout, run.stderr) == (0, TEXT, "")


def test_the_map_as_json(cli: CommandLine) -> None:
    found = mapped(cli, SCRIPT)
    counts = {"stops": 2, "returned": 1, "handled": 0, "ignored": 1, "logged": 0, "lost": 3, "depends": 0, "unknown": 0}
    assert found["summary"] == {"commands": 7, **counts, "coverage": 0.4286}
    assert found["dialect"] == "bash"
    assert found["commands"][0] == {
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 11,
        "name": "fetch",
        "text": "fetch data",
        "role": "job",
        "function": None,
        "fate": "lost",
        "because": "the next command replaces its status",
        "sink": {"line": 3, "column": 1},
    }


def test_functions_are_summed_up(cli: CommandLine) -> None:
    cli.write("run.sh", "f() {\n  fetch || return 1\n  build\n}\nf || exit 1\n")
    lines = cli("map", "run.sh").stdout.splitlines()
    assert "f(): 2 commands: 2 stop the script: failure coverage 100 %" in lines


@pytest.mark.parametrize(("least", "status"), [(42, 0), (43, 1), (0, 0), (100, 1)])
def test_a_least_coverage_is_a_gate(cli: CommandLine, least: int, status: int) -> None:
    cli.write("run.sh", SCRIPT)
    assert cli("map", "--min-coverage", str(least), "run.sh").status == status


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("if true\n", "syntax error: "),
        ("#!/usr/bin/env fish\nls\n", "fish is not checked"),
        ("# nothing\n", "it has no command that may fail"),
        (b"a\0b", "it has a NUL byte"),
    ],
)
def test_what_can_not_be_mapped_is_told(cli: CommandLine, content: str | bytes, reason: str) -> None:
    cli.write("run", content)
    run = cli("map", "run")
    assert run.status == 2
    assert reason in run.stderr


def test_a_missing_file_is_told_and_the_others_are_mapped(cli: CommandLine) -> None:
    cli.write("run.sh", SCRIPT)
    run = cli("map", "gone.sh", "run.sh")
    assert run.status == 2
    assert run.stdout == TEXT
    assert run.stderr == "shellguard: gone.sh: not mapped: no such file or directory\n"


def test_standard_input_and_control_characters(cli: CommandLine) -> None:
    run = cli("map", "-", stdin="fetch $'\x1b[31m' \x1b[2J\ndone_\n")
    assert run.status == 0
    assert "\x1b" not in run.stdout


def test_files_that_are_read_are_assumed_to_leave_options_alone(cli: CommandLine) -> None:
    assert mapped(cli, ". ./lib.sh\nfetch\n")["assumptions"] == [
        "line 1: `. ./lib.sh` leaves options and traps alone, and defines what is called and isn't known"
    ]


def test_options_of_the_first_line_may_not_hold(cli: CommandLine) -> None:
    found = mapped(cli, "#!/bin/bash -e\nfetch\necho done\n")["commands"][0]
    assert found["fate"] == "depends"
    assert found["because"] == (
        "the first line sets options: with them it stops the script; "
        "under `bash script`, which leaves them out, it is lost"
    )


def test_a_folder_stands_for_its_scripts(cli: CommandLine) -> None:
    (cli.folder / "jobs").mkdir()
    (cli.folder / "jobs/b.sh").write_text("fetch b\n")
    (cli.folder / "jobs/a").write_text("#!/bin/bash\nfetch a\n")
    (cli.folder / "jobs/notes.txt").write_text("fetch\n")
    run = cli("map", "--format", "json", "jobs")
    assert run.status == 0
    assert [entry["path"] for entry in json.loads(run.stdout)["files"]] == ["jobs/a", "jobs/b.sh"]
    (cli.folder / "empty").mkdir()
    run = cli("map", "empty")
    assert (run.status, run.stderr) == (2, "shellguard: empty: not mapped: no shell script was found\n")
