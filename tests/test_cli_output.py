"""Where output goes, what it may hold, and what happens when it can't be written."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from conftest import CommandLine

LIE = '#!/bin/bash\nfalse\necho "$(date) $?"\n'
CLEAN = "#!/bin/bash\nset -e\necho hello\n"
SUBCOMMANDS = [("--version",), ("--help",), ("rules",), ("explain", "SG001"), ("lint", "run.sh")]


def test_text_ends_with_what_was_checked(cli: CommandLine) -> None:
    cli.write("run.sh", CLEAN)
    run = cli("lint", "run.sh")
    assert run.stdout == "checked 1 script (3 lines, 2 commands): no findings\n"


def test_json_names_the_rule_and_the_place(cli: CommandLine) -> None:
    cli.write("run.sh", LIE)
    report = json.loads(cli("lint", "--format", "json", "run.sh").stdout)
    assert report["summary"]["files"] == 1
    (finding,) = report["findings"]
    assert (finding["rule"], finding["name"]) == ("SG101", "status-after-substitution")
    assert (finding["path"], finding["line"], finding["column"]) == ("run.sh", 3, 15)


def test_a_report_can_go_to_a_file(cli: CommandLine) -> None:
    cli.write("run.sh", LIE)
    run = cli("lint", "--format", "json", "--output", "report.json", "run.sh")
    assert (run.status, run.stdout, run.stderr) == (1, "", "")
    assert json.loads((cli.folder / "report.json").read_text())["summary"]["errors"] == 1


@pytest.mark.parametrize("flags", [(), ("--quiet",), ("--diff",)])
def test_a_dash_is_standard_output(cli: CommandLine, flags: tuple[str, ...]) -> None:
    for text in (LIE, CLEAN):
        cli.write("run.sh", text)
        assert cli("lint", *flags, "--output", "-", "run.sh") == cli("lint", *flags, "run.sh")
    assert {path.name for path in cli.folder.iterdir()} == {"run.sh"}


def test_a_report_file_is_brought_up_to_date_also_when_nothing_is_wrong(cli: CommandLine) -> None:
    cli.write("run.sh", CLEAN)
    report = cli.write("report.txt", "run.sh:3:15: SG101 error\n")
    run = cli("lint", "--quiet", "--output", "report.txt", "run.sh")
    assert (run.status, run.stdout, run.stderr) == (0, "", "")
    assert report.read_text() == "checked 1 script (3 lines, 2 commands): no findings\n"


@pytest.mark.parametrize("flags", [("--fix",), ("--diff",)])
@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("gone/report.json", "No such file or directory"),
        ("run.sh/report.json", "Not a directory"),
        ("bin", "Is a directory"),
        ("bin/", "Is a directory"),
        ("", "No such file or directory"),
    ],
)
def test_a_report_file_that_cannot_be_written_is_told_before_anything_is_done(
    cli: CommandLine, output: str, problem: str, flags: tuple[str, ...]
) -> None:
    script = cli.write("run.sh", LIE)
    (cli.folder / "bin").mkdir()
    run = cli("lint", *flags, "--output", output, "run.sh")
    assert (run.status, run.stdout) == (2, "")
    assert run.stderr == f"shellguard: {output or repr('')}: {problem}\n"
    assert script.read_text() == LIE


@pytest.mark.parametrize(("flags", "path"), [((), "."), (("--fix",), "run.sh"), (("--diff",), ".")])
@pytest.mark.parametrize("output", ["run.sh", "./bin/../run.sh", "symbolic", "hard", "bin/other.zsh"])
def test_a_report_never_replaces_a_script(cli: CommandLine, output: str, path: str, flags: tuple[str, ...]) -> None:
    script = cli.write("run.sh", LIE)
    other = cli.write("bin/other.zsh", LIE)
    (cli.folder / "symbolic").symlink_to("run.sh")
    (cli.folder / "hard").hardlink_to(script)
    run = cli("lint", *flags, "--output", output, path, "bin/other.zsh")
    assert (run.status, run.stdout) == (2, "")
    assert f"Invalid value for --output: '{output}' is the script " in run.stderr
    assert (script.read_text(), other.read_text()) == (LIE, LIE)


def test_a_report_never_replaces_the_script_on_standard_input(cli: CommandLine) -> None:
    script = cli.write("run.sh", LIE)
    with script.open() as stdin:
        completed = subprocess.run(
            cli.command("lint", "--output", "run.sh", "-"),
            cwd=cli.folder,
            env=cli.environment(),
            stdin=stdin,
            capture_output=True,
            check=False,
        )
    assert completed.returncode == 2
    assert b"'run.sh' is the script on standard input" in completed.stderr
    assert script.read_text() == LIE


def test_quiet_prints_nothing_when_nothing_is_wrong(cli: CommandLine) -> None:
    cli.write("run.sh", CLEAN)
    run = cli("lint", "--quiet", "run.sh")
    assert (run.status, run.stdout, run.stderr) == (0, "", "")


def test_quiet_still_prints_findings(cli: CommandLine) -> None:
    cli.write("run.sh", LIE)
    assert "SG101" in cli("lint", "--quiet", "run.sh").stdout


def test_verbose_lists_what_was_checked(cli: CommandLine) -> None:
    cli.write("run.sh", CLEAN)
    assert cli("lint", "--verbose", "run.sh").stderr == "shellguard: checked run.sh (3 lines, 2 commands)\n"


@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_control_characters_of_scripts_and_names_are_never_printed(cli: CommandLine, form: str) -> None:
    name = "\x1b]0;own\x07.sh"
    cli.write(name, '#!/bin/bash\nfalse\necho "$(date \x1b[2J) $?\x9b" # \u202e\r\n')
    run = cli("lint", "--format", form, name, "\x1bgone.sh")
    assert run.status == 2
    assert "SG101" in run.stdout
    assert all(character.isprintable() or character == "\n" for character in run.stdout + run.stderr)


HOSTILE = "\x1b]0;own\x07\n\x9b2J\u202e\udcff"


@pytest.mark.parametrize(
    "arguments",
    [
        (HOSTILE,),
        ("lint" + HOSTILE,),
        ("--" + HOSTILE,),
        ("explain", HOSTILE),
        ("explain", "SG101", HOSTILE),
        ("rules", "--format", HOSTILE),
        ("lint", "--" + HOSTILE),
        ("lint", "--fix" + HOSTILE),
        ("lint", f"--fix={HOSTILE}"),
        ("lint", "--select", HOSTILE),
        ("lint", "--ignore", "SG101" + HOSTILE),
        ("lint", "--format", HOSTILE),
        ("lint", "--jobs", HOSTILE),
        ("lint", "--exclude", "!" + HOSTILE + "**a/["),
        ("lint", "--output", f"{HOSTILE}/report", "run.sh"),
        ("lint", HOSTILE),
        ("lint", "--diff", HOSTILE),
        ("lint", "--fix", "-", "--stdin-filename", f"{HOSTILE}.zsh"),
        ("lint", "-v", "--stdin-filename", HOSTILE, "-"),
    ],
)
def test_messages_hold_no_control_characters_of_what_they_quote(cli: CommandLine, arguments: tuple[str, ...]) -> None:
    cli.write("run.sh", CLEAN)
    run = cli(*arguments, stdin=CLEAN)
    assert all(character.isprintable() or character == "\n" for character in run.stdout + run.stderr)
    # Each line of the error output begins with our own words: a name can't forge one.
    own = ("shellguard: ", "Try 'shellguard ", "checked ", "not checked:", "  ")
    assert all(line.startswith(own) for line in run.stderr.splitlines() if line)


def test_latin_1_scripts_are_reported(cli: CommandLine) -> None:
    cli.write("run.sh", LIE.encode().replace(b"echo", b"echo \xe9"))
    run = cli("lint", "run.sh")
    assert run.status == 1
    assert "\\xe9" in run.stdout


@pytest.mark.parametrize("arguments", SUBCOMMANDS)
def test_a_full_disk_is_no_success(cli: CommandLine, arguments: tuple[str, ...]) -> None:
    cli.write("run.sh", CLEAN)
    with Path("/dev/full").open("w") as full:
        completed = subprocess.run(
            cli.command(*arguments),
            cwd=cli.folder,
            env=cli.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
    assert completed.returncode == 2
    assert completed.stderr == "shellguard: cannot write the output: No space left on device\n"


def test_a_full_disk_is_told_with_the_name_of_the_report(cli: CommandLine) -> None:
    cli.write("run.sh", CLEAN)
    run = cli("lint", "--output", "/dev/full", "run.sh")
    assert (run.status, run.stderr) == (2, "shellguard: /dev/full: No space left on device\n")


@pytest.mark.parametrize("arguments", SUBCOMMANDS)
def test_a_reader_that_left_early_is_no_success_but_quiet(cli: CommandLine, arguments: tuple[str, ...]) -> None:
    cli.write("run.sh", CLEAN)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as broken:
        completed = subprocess.run(
            cli.command(*arguments),
            cwd=cli.folder,
            env=cli.environment(),
            stdout=broken,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
    assert (completed.returncode, completed.stderr) == (2, "")


@pytest.mark.parametrize("arguments", SUBCOMMANDS)
def test_a_closed_output_is_no_success(cli: CommandLine, arguments: tuple[str, ...]) -> None:
    cli.write("run.sh", CLEAN)
    completed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *cli.command(*arguments)],
        cwd=cli.folder,
        env=cli.environment(),
        stderr=subprocess.PIPE,
        check=False,
        text=True,
    )
    assert completed.returncode == 2
    assert completed.stderr == "shellguard: cannot write the output: standard output is closed\n"


def test_a_closed_output_does_not_matter_to_a_report_in_a_file(cli: CommandLine) -> None:
    cli.write("run.sh", LIE)
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *cli.command("lint", "--output", "report.txt", "run.sh")]
    completed = subprocess.run(command, cwd=cli.folder, env=cli.environment(), capture_output=True, check=False)
    assert (completed.returncode, completed.stderr) == (1, b"")
    assert "SG101" in (cli.folder / "report.txt").read_text()


MANY_LIES = "#!/bin/bash\n" + 'false\necho "$(date) $?"\n' * 400
"""More to tell than a pipe holds (64 KiB)."""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252:strict"])
@pytest.mark.parametrize("arguments", [("explain", "SG201"), ("rules",), ("lint", "run.sh")])
def test_an_encoding_without_all_characters_is_no_obstacle(
    cli: CommandLine, arguments: tuple[str, ...], encoding: str
) -> None:
    cli.write("run.sh", "#!/bin/bash\n# \u5b8c\nset -e\n")
    run = subprocess.run(
        cli.command(*arguments),
        cwd=cli.folder,
        env=cli.environment({"PYTHONIOENCODING": encoding}),
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout


LONG_OUTPUTS = [("lint", "run.sh"), ("lint", "--format", "json", "run.sh"), ("lint", "--diff", "run.sh")]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", LONG_OUTPUTS)
def test_output_arrives_whole_in_a_pipe_that_does_not_block(
    cli: CommandLine, arguments: tuple[str, ...], unbuffered: str
) -> None:
    cli.write("run.sh", MANY_LIES + "# a long script\n" * 2000)
    expected = cli(*arguments)
    assert len(expected.stdout) > 1 << 15
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    environment = cli.environment({"PYTHONUNBUFFERED": unbuffered})
    with subprocess.Popen(
        cli.command(*arguments), cwd=cli.folder, env=environment, stdout=writer, stderr=subprocess.DEVNULL
    ) as process:
        os.close(writer)
        with os.fdopen(reader) as pipe:
            assert pipe.read() == expected.stdout
    assert process.returncode == expected.status


@pytest.mark.parametrize("arguments", LONG_OUTPUTS)
def test_output_that_is_cut_off_is_no_success_without_buffers_either(
    cli: CommandLine, arguments: tuple[str, ...]
) -> None:
    cli.write("run.sh", MANY_LIES)
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    environment = cli.environment({"PYTHONUNBUFFERED": "1"})
    with subprocess.Popen(
        cli.command(*arguments, "--exit-zero"),
        cwd=cli.folder,
        env=environment,
        stdout=writer,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(writer)
        os.read(reader, 4096)
        os.close(reader)
    assert process.returncode == 2


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_report_that_cannot_be_written_to_the_error_output_is_no_success(cli: CommandLine, redirection: str) -> None:
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", *cli.command("lint", "--fix", "-")]
    completed = subprocess.run(
        command, cwd=cli.folder, env=cli.environment(), input=CLEAN.encode(), stdout=subprocess.PIPE, check=False
    )
    assert (completed.returncode, completed.stdout.decode()) == (2, CLEAN)


def test_a_closed_error_output_changes_no_status(cli: CommandLine) -> None:
    cli.write("run.sh", LIE)
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *cli.command("lint", "-v", "run.sh")]
    completed = subprocess.run(command, cwd=cli.folder, env=cli.environment(), stdout=subprocess.PIPE, check=False)
    assert completed.returncode == 1


@contextmanager
def busy_run(cli: CommandLine) -> Iterator[tuple[subprocess.Popen[bytes], list[str]]]:
    """A run in a session of its own that has enough to do, and its worker processes."""
    for number in range(60):
        cli.write(f"{number}.sh", LIE + "echo hello\n" * 5000)
    with subprocess.Popen(
        cli.command("lint", "--jobs", "2"),
        cwd=cli.folder,
        env=cli.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # A shell without job control starts background commands with SIGINT ignored, and tests may run in one.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (there is one thread)
    ) as process:
        while process.poll() is None and len(children(process.pid)) < 2:
            time.sleep(0.01)
        yield process, children(process.pid)


def test_an_interrupt_is_quiet_and_leaves_no_process(cli: CommandLine) -> None:
    with busy_run(cli) as (process, workers):
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (stdout, stderr) == (b"", b"")
    assert len(workers) == 2
    assert not any(map(is_running, workers))


def test_workers_leave_when_their_parent_is_killed(cli: CommandLine) -> None:
    with busy_run(cli) as (process, workers):
        process.kill()
        process.wait(timeout=30)
    assert len(workers) == 2
    deadline = time.monotonic() + 30
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, workers))


def is_running(pid: str) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []


def test_a_terminal_gets_colours_and_a_pipe_does_not(cli: CommandLine) -> None:
    cli.write("run.sh", LIE)
    colour = re.compile(r"\x1b\[[\d;]*m")  # a slow run shows its progress by other sequences
    assert "\x1b[" not in cli("lint", "run.sh").stdout
    assert colour.search(cli.on_terminal("lint", "run.sh"))
    assert not colour.search(cli.on_terminal("lint", "--color", "never", "run.sh"))


@pytest.mark.parametrize("variable", ["COLUMNS", "LINES"])
@pytest.mark.parametrize("arguments", [*SUBCOMMANDS, ("lint", "--help")])
def test_a_terminal_of_absurd_size_is_survived(cli: CommandLine, arguments: tuple[str, ...], variable: str) -> None:
    cli.write("run.sh", CLEAN)
    output = cli.on_terminal(*arguments, environment={variable: "9" * 5000})
    assert output
    assert "internal error" not in output


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        (("--color", "always"), {}, True),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_can_be_chosen(
    cli: CommandLine, arguments: tuple[str, ...], environment: dict[str, str], *, coloured: bool
) -> None:
    cli.write("run.sh", LIE)
    run = cli("lint", *arguments, "run.sh", environment=environment)
    assert ("\x1b[" in run.stdout) == coloured


def test_an_internal_error_is_short_and_asks_for_a_report(cli: CommandLine) -> None:
    program = (
        "import sys; from shellguard.cli.errors import exit_status\n"
        "def run(): raise KeyError('lost')\n"
        "sys.exit(exit_status(run))"
    )
    for environment, has_traceback in (({}, False), ({"SHELLGUARD_TRACEBACK": "1"}, True)):
        completed = subprocess.run(
            [sys.executable, "-c", program],
            cwd=cli.folder,
            env=cli.environment(environment),
            capture_output=True,
            check=False,
            text=True,
        )
        assert completed.returncode == 2
        assert "shellguard: internal error: KeyError: 'lost'\n" in completed.stderr
        assert "SHELLGUARD_TRACEBACK=1" in completed.stderr
        assert ("Traceback" in completed.stderr) == has_traceback
