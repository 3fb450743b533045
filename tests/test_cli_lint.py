"""`shellguard lint`: what is checked, which rules are looked for, and the exit status."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from conftest import CommandLine, Run

LIE = '#!/bin/bash\nfalse\necho "$(date) $?"\n'
# dash keeps the earlier status, so in an sh script the same line is a warning.
MAYBE_LIE = '#!/bin/sh\nfalse\necho "$(date) $?"\n'
CLEAN = "#!/bin/bash\nset -e\necho hello\n"
BROKEN = "#!/bin/bash\necho 'open\n"


def places(run: Run) -> list[tuple[str, str]]:
    """The path and the rule of each line of a concise report."""
    return [(line.split(":")[0], line.split()[1]) for line in run.stdout.splitlines()]


def rules_found(run: Run) -> list[str]:
    return [finding["rule"] for finding in json.loads(run.stdout)["findings"]]


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        (CLEAN, (), 0),
        (LIE, (), 1),
        (MAYBE_LIE, (), 1),
        (MAYBE_LIE, ("--fail-on", "error"), 0),
        (MAYBE_LIE, ("--fail-on", "info"), 1),
        (LIE, ("--fail-on", "error"), 1),
        (LIE, ("--exit-zero",), 0),
        (LIE, ("--ignore", "SG101"), 0),
        (BROKEN, (), 2),
        (BROKEN, ("--exit-zero",), 2),
        (BROKEN, ("--ignore", "SG001"), 2),
        (CLEAN + "if true; then\n", ("--ignore", "SG001"), 2),
        (CLEAN + "if true; then\n", ("--exit-zero",), 2),
        ("#!/bin/bash\n\0\n", ("--exit-zero",), 2),
    ],
)
def test_the_status_says_whether_anything_counts(
    cli: CommandLine, text: str, arguments: tuple[str, ...], status: int
) -> None:
    cli.write("run.sh", text)
    run = cli("lint", *arguments, "run.sh")
    assert (run.status, run.stderr) == (status, "")


@pytest.mark.parametrize("form", ["concise", "json"])
@pytest.mark.parametrize(("text", "status"), [(CLEAN, 0), (LIE, 1), (BROKEN, 2)])
def test_the_status_does_not_depend_on_the_format(cli: CommandLine, text: str, status: int, form: str) -> None:
    cli.write("run.sh", text)
    run = cli("lint", "--format", form, "run.sh")
    assert (run.status, run.stderr) == (status, "")


def test_the_current_folder_is_checked_without_paths(cli: CommandLine) -> None:
    cli.write("bin/run", LIE)
    cli.write("notes.txt", LIE.replace("#!/bin/bash\n", ""))
    run = cli("lint", "--format", "concise")
    assert places(run) == [("bin/run", "SG101")]
    assert run.status == 1


def test_files_are_reported_in_path_order(cli: CommandLine) -> None:
    for name in ("c.sh", "a.sh", "b/z.sh"):
        cli.write(name, LIE)
    run = cli("lint", "--format", "concise", "c.sh", "b", "a.sh")
    assert [path for path, _ in places(run)] == ["a.sh", "b/z.sh", "c.sh"]


def test_excluded_files_are_left_out(cli: CommandLine) -> None:
    cli.write("a.sh", LIE)
    cli.write("vendor/b.sh", LIE)
    run = cli("lint", "--format", "concise", "--exclude", "vendor/")
    assert places(run) == [("a.sh", "SG101")]


def test_nothing_to_check_is_no_success(cli: CommandLine) -> None:
    run = cli("lint")
    assert run.status == 2
    assert "nothing was checked" in run.stderr
    assert "--allow-empty" in run.stderr


def test_nothing_to_check_can_be_allowed(cli: CommandLine) -> None:
    run = cli("lint", "--allow-empty")
    assert (run.status, run.stderr) == (0, "")


@pytest.mark.parametrize("flags", [(), ("--exit-zero",), ("--allow-empty",)])
def test_a_missing_file_is_told_and_the_others_are_checked(cli: CommandLine, flags: tuple[str, ...]) -> None:
    cli.write("a.sh", LIE)
    run = cli("lint", "--format", "concise", *flags, "a.sh", "gone.sh")
    assert run.status == 2
    assert "gone.sh: not checked: no such file or directory" in run.stdout
    assert "a.sh:3:15: SG101 error:" in run.stdout


def test_a_working_directory_that_is_gone_is_told(cli: CommandLine) -> None:
    script = cli.write("run.sh", LIE)
    gone = cli.folder / "gone"
    gone.mkdir()

    def run_there(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", 'cd gone && rmdir ../gone && exec "$@"', "sh", *cli.command("lint", *arguments)],
            cwd=cli.folder,
            env=cli.environment(),
            capture_output=True,
            text=True,
            check=False,
        )

    for arguments in ((), ("run.sh",), (script, ".")):
        gone.mkdir(exist_ok=True)
        run = run_there(*arguments)
        assert (run.returncode, run.stdout) == (2, "")
        assert run.stderr.startswith("shellguard: the working directory is gone: ")
    for path in (script, cli.folder):
        gone.mkdir(exist_ok=True)
        run = run_there("--exclude", "*.zsh", path)
        assert (run.returncode, run.stderr) == (1, "")
        assert f"{script}:3:15:" in run.stdout


def test_other_shells_are_listed_as_not_checked(cli: CommandLine) -> None:
    cli.write("a.sh", CLEAN)
    cli.write("b.zsh", "echo hello\n")
    run = cli("lint", "--format", "concise")
    assert run.status == 2
    assert run.stdout.startswith("b.zsh: not checked: zsh is not checked")


def test_skipped_lines_are_listed_and_the_rest_is_checked(cli: CommandLine) -> None:
    cli.write("run.sh", LIE + "fi\nfalse\n")
    report = json.loads(cli("lint", "--format", "json", "run.sh").stdout)
    assert [finding["rule"] for finding in report["findings"]] == ["SG101", "SG001"]
    (entry,) = report["not_checked"]
    assert (entry["path"], entry["line"], entry["end_line"]) == ("run.sh", 4, 4)


def test_standard_input_is_checked_under_the_given_name(cli: CommandLine) -> None:
    run = cli("lint", "--format", "concise", "-", "--stdin-filename", "bin/run.sh", stdin=LIE)
    assert run.status == 1
    assert run.stdout.startswith("bin/run.sh:3:15: SG101 error:")


def test_the_name_of_standard_input_tells_the_dialect(cli: CommandLine) -> None:
    run = cli("lint", "-", "--stdin-filename", "a.fish", stdin="echo hello\n")
    assert run.status == 2
    assert "fish is not checked" in run.stdout


@pytest.mark.parametrize("flags", [(), ("--quiet",), ("--diff",), ("--fix",), ("--exit-zero",)])
@pytest.mark.parametrize("text", ["", "\n", " \t\r\n\n", "\ufeff"])
def test_an_empty_standard_input_is_no_success(cli: CommandLine, text: str, flags: tuple[str, ...]) -> None:
    run = cli("lint", *flags, "-", stdin=text)
    assert run.status == 2
    assert "nothing was checked: standard input is empty (--allow-empty makes this a success)\n" in run.stderr
    assert cli("lint", *flags, "--allow-empty", "-", stdin=text).status == 0


def test_empty_scripts_alone_are_no_success(cli: CommandLine) -> None:
    cli.write("a.sh", "")
    for arguments in ((), ("a.sh",)):
        run = cli("lint", *arguments)
        assert (run.status, run.stdout) == (2, "checked nothing, 1 empty\n")
        assert "nothing was checked: a.sh is empty (" in run.stderr
    cli.write("b.sh", "\n")
    assert "nothing was checked: all scripts are empty (" in cli("lint").stderr
    assert cli("lint", "--allow-empty").status == 0


def test_an_empty_script_among_others_is_told(cli: CommandLine) -> None:
    cli.write("a.sh", "")
    cli.write("b.sh", CLEAN)
    run = cli("lint", "-v")
    assert (run.status, run.stdout) == (0, "checked 1 script (3 lines, 2 commands): no findings, 1 empty\n")
    assert "checked a.sh (empty)\n" in run.stderr


@pytest.mark.parametrize("flags", [(), ("--fix",)])
def test_a_standard_input_without_end_is_told(cli: CommandLine, flags: tuple[str, ...]) -> None:
    with Path("/dev/zero").open() as endless:
        completed = subprocess.run(
            cli.command("lint", *flags, "-"),
            cwd=cli.folder,
            env=cli.environment(),
            stdin=endless,
            capture_output=True,
            text=True,
            check=False,
        )
    assert (completed.returncode, completed.stdout) == (2, "")
    assert completed.stderr == "shellguard: <stdin>: larger than 64 MiB\n"


def is_waiting(pipe: int) -> bool:
    """Whether something written to a pipe has not been read yet."""
    import fcntl
    import termios

    return any(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))


def test_a_standard_input_that_does_not_block_is_read_to_its_end(cli: CommandLine) -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    command = cli.command("lint", "--format", "concise", "-")
    with subprocess.Popen(
        command, cwd=cli.folder, env=cli.environment(), stdin=reader, stdout=subprocess.PIPE, text=True
    ) as process:
        for part in (CLEAN, LIE):
            os.write(writer, part.encode())
            while is_waiting(reader) and process.poll() is None:
                time.sleep(0.01)
        os.close(writer)
        os.close(reader)
        stdout, _ = process.communicate()
    assert "SG101" in stdout


@pytest.mark.parametrize("text", ["#!/bin/bash\n", "# nothing to do\n"])
def test_comments_are_a_script(cli: CommandLine, text: str) -> None:
    assert cli("lint", "-", stdin=text).status == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("", "a.sh"), "one of the paths is empty"),
        (("-", "a.sh"), "can't be checked together"),
        (("--stdin-filename", "x.sh", "a.sh"), "give '-' as the path"),
        (("--diff", "--fix"), "choose one"),
        (("--format", "xml"), "'xml' is not one of 'text', 'concise', 'json'"),
        (("--select", "SG1O1"), "no rule is called 'SG1O1'; did you mean 'SG101'?"),
        (("--ignore", "pipe-mask-status"), "did you mean 'pipe-masks-status'?"),
        (("--select", "zzzzzzzz"), "`shellguard rules` lists them all"),
        (("--select", ""), "Invalid value for --select: it names no rule"),
        (("--select", " , "), "Invalid value for --select: it names no rule"),
        (("--ignore", "SG"), "Invalid value for --ignore: no rule is left to look for"),
        (("--select", "SG101", "--ignore", "SG"), "Invalid value for --ignore: no rule is left to look for"),
        (("--select", "SG101", "--ignore", "SG1"), "Invalid value for --ignore: no rule is left to look for"),
        (("--fail-on", "never"), "'never' is not one of"),
        (("--jobs", "0"), "0 is not in the range x>=1"),
        (("--dialect", "zsh"), "'zsh' is not one of 'bash', 'sh', 'dash', 'ksh'"),
        (("--exclude", "!"), "not a gitignore pattern"),
        (("--nonsense",), "No such option"),
    ],
)
def test_wrong_usage_is_told(cli: CommandLine, arguments: tuple[str, ...], problem: str) -> None:
    cli.write("a.sh", CLEAN)
    run = cli("lint", *arguments)
    assert run.status == 2
    assert run.stdout == ""
    assert problem in run.stderr
    assert run.stderr.startswith("shellguard: ")
    assert run.stderr.endswith("Try 'shellguard lint --help'.\n")


PIPED = "#!/bin/bash\npython3 bench.py | tee log\nfalse\n" + LIE


@pytest.mark.parametrize(
    ("arguments", "rules"),
    [
        (("--select", "SG101"), {"SG101"}),
        (("--select", "status-after-substitution"), {"SG101"}),
        (("--select", "sg1"), {"SG101"}),
        (("--select", "SG1,pipe-masks-status"), {"SG101", "SG201"}),
        (("--select", "SG1", "--select", "SG2"), {"SG101", "SG201"}),
        (("--select", "SG", "--ignore", "SG1,SG3"), {"SG201"}),
        (("--ignore", "SG201,SG3"), {"SG101"}),
    ],
)
def test_rules_are_selected_and_ignored(cli: CommandLine, arguments: tuple[str, ...], rules: set[str]) -> None:
    cli.write("run.sh", PIPED)
    assert set(rules_found(cli("lint", "--format", "json", *arguments, "run.sh"))) == rules


def test_a_selection_does_not_hide_syntax_errors(cli: CommandLine) -> None:
    cli.write("run.sh", BROKEN)
    assert rules_found(cli("lint", "--format", "json", "--select", "SG101", "run.sh")) == ["SG001"]


def test_the_dialect_given_wins_over_the_script(cli: CommandLine) -> None:
    cli.write("run.sh", MAYBE_LIE)
    severities = [
        json.loads(cli("lint", "--format", "json", *arguments, "run.sh").stdout)["findings"][0]["severity"]
        for arguments in ((), ("--dialect", "bash"))
    ]
    assert severities == ["warning", "error"]


@pytest.mark.parametrize("option", ["--no-config", "--no-cache"])
def test_options_for_later_files_are_accepted(cli: CommandLine, option: str) -> None:
    cli.write("run.sh", CLEAN)
    assert cli("lint", option, "run.sh").status == 0


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_the_output_does_not_depend_on_the_number_of_jobs(cli: CommandLine, jobs: str) -> None:
    for number in range(12):
        cli.write(f"{number:02}.sh", (LIE if number % 2 else CLEAN) + "# filler\n" * 2000)
    run = cli("lint", "--format", "concise", "--jobs", jobs)
    assert run.status == 1
    assert places(run) == [(f"{number:02}.sh", "SG101") for number in range(1, 12, 2)]


def test_nothing_of_a_script_is_executed(cli: CommandLine) -> None:
    script = cli.write("run.sh", "#!/bin/bash\ntouch executed; $(touch executed) `touch executed`; . ./run.sh\n")
    cli("lint", script.name)
    assert {path.name for path in cli.folder.iterdir()} == {"run.sh"}


def test_quiet_shows_findings_that_are_forgiven(cli: CommandLine) -> None:
    cli.write("a.sh", "make | tee log || exit 1\n")
    for forgiving in (("--exit-zero",), ("--fail-on", "error", "--select", "SG301"), ()):
        run = cli("lint", "--quiet", *forgiving, "a.sh")
        assert ("SG201" in run.stdout) == ("SG301" not in forgiving)
