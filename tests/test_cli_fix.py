"""`--fix`, `--unsafe-fixes` and `--diff`: what is written where, and what is told about it."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from conftest import CommandLine, need

LIE = '#!/bin/bash\nfalse\necho "$(date) $?"\n'
REPAIRED = '#!/bin/bash\nfalse\nrc=$?\necho "$(date) $rc"\n'
PATCH = """\
--- a/bin/run.sh
+++ b/bin/run.sh
@@ -1,3 +1,4 @@
 #!/bin/bash
 false
-echo "$(date) $?"
+rc=$?
+echo "$(date) $rc"
"""
# What no fix can be applied to: the script runs what it didn't put there.
REST = "/tmp/bench/run\n"


def test_fix_repairs_the_file_and_reports_what_is_left(cli: CommandLine) -> None:
    script = cli.write("run.sh", LIE)
    run = cli("lint", "--fix", "run.sh")
    assert script.read_text() == REPAIRED
    assert run.status == 0
    assert run.stderr == "shellguard: fixed 1 finding in 1 script (1 SG101)\n"
    assert run.stdout == "checked 1 script (4 lines, 4 commands): no findings\n"


def test_the_findings_that_remain_decide_the_status(cli: CommandLine) -> None:
    cli.write("run.sh", LIE + REST)
    run = cli("lint", "--fix", "--format", "json", "run.sh")
    assert run.status == 1
    assert [finding["rule"] for finding in json.loads(run.stdout)["findings"]] == ["SG501"]


def test_fixing_again_changes_nothing(cli: CommandLine) -> None:
    script = cli.write("run.sh", REPAIRED)
    before = script.stat().st_mtime_ns
    run = cli("lint", "--fix", "run.sh")
    assert (run.status, run.stderr) == (0, "")
    assert script.stat().st_mtime_ns == before


def test_fix_keeps_mode_line_ends_and_bytes(cli: CommandLine) -> None:
    script = cli.write("run.sh", LIE.replace("\n", "\r\n").encode() + b"echo \xe9 # no newline")
    script.chmod(0o750)
    cli("lint", "--fix", "run.sh")
    assert script.read_bytes() == REPAIRED.replace("\n", "\r\n").encode() + b"echo \xe9 # no newline"
    assert script.stat().st_mode & 0o777 == 0o750


def test_only_rules_that_are_looked_for_are_fixed(cli: CommandLine) -> None:
    script = cli.write("run.sh", LIE)
    cli("lint", "--fix", "--ignore", "SG101", "run.sh")
    assert script.read_text() == LIE


@pytest.mark.parametrize("extra", [(), ("--exit-zero",)])
def test_a_script_that_cannot_be_saved_is_told(cli: CommandLine, extra: tuple[str, ...]) -> None:
    script = cli.write("elsewhere/run.sh", LIE)
    (cli.folder / "bin").mkdir()
    (cli.folder / "bin/run.sh").symlink_to(script)
    run = cli("lint", "--fix", *extra, "bin")
    assert run.status == 2
    assert "bin/run.sh: not fixed: it is a link to a file outside of the paths given" in run.stderr
    assert script.read_text() == LIE


def test_a_link_is_fixed_at_its_target_when_that_is_given(cli: CommandLine) -> None:
    script = cli.write("lib/run.sh", LIE)
    (cli.folder / "run.sh").symlink_to("lib/run.sh")
    assert cli("lint", "--fix").status == 0
    assert script.read_text() == REPAIRED
    assert (cli.folder / "run.sh").is_symlink()


def test_fix_of_standard_input_writes_the_script_and_reports_on_stderr(cli: CommandLine) -> None:
    run = cli("lint", "--fix", "-", stdin=LIE)
    assert (run.status, run.stdout) == (0, REPAIRED)
    assert run.stderr.endswith("checked 1 script (4 lines, 4 commands): no findings\n")


@pytest.mark.parametrize("data", [b"#!/bin/bash\nset -e\n", b"", b"a\0b\n", b"#!/bin/zsh\nfalse\n", b"echo \xe9"])
def test_fix_of_standard_input_loses_nothing(cli: CommandLine, data: bytes) -> None:
    command = cli.command("lint", "--fix", "-")
    completed = subprocess.run(
        command, input=data, capture_output=True, cwd=cli.folder, env=cli.environment(), check=False
    )
    assert completed.stdout == data
    assert b"checked" in completed.stderr


def test_diff_prints_a_patch_and_changes_nothing(cli: CommandLine) -> None:
    script = cli.write("bin/run.sh", LIE)
    run = cli("lint", "--diff", "bin")
    assert (run.status, run.stdout) == (1, PATCH)
    assert run.stderr == (
        "shellguard: checked 1 script (3 lines, 3 commands): 1 error\n"
        "shellguard: the fixes shown take away 1 finding in 1 script (1 SG101)\n"
    )
    assert script.read_text() == LIE


def test_the_patch_applies_to_the_byte(cli: CommandLine) -> None:
    need("git")
    script = cli.write("bin/run.sh", LIE.encode() + b"echo \xe9 # no newline")
    cli("lint", "--diff", "--output", "fix.patch", "bin")
    assert script.read_bytes().startswith(LIE.encode())
    subprocess.run(
        ["git", "apply", "fix.patch"], cwd=cli.folder, check=True, env=os.environ | {"GIT_CEILING_DIRECTORIES": "/"}
    )
    assert script.read_bytes() == REPAIRED.encode() + b"echo \xe9 # no newline"


def test_diff_without_fixes_prints_no_patch(cli: CommandLine) -> None:
    cli.write("run.sh", "#!/bin/bash\nset -e\n")
    run = cli("lint", "--diff", "run.sh")
    assert (run.status, run.stdout) == (0, "")


def test_diff_tells_what_was_not_checked(cli: CommandLine) -> None:
    cli.write("run.sh", LIE + "fi\n")
    run = cli("lint", "--diff", "run.sh", "gone.sh")
    assert run.status == 2
    assert run.stdout.startswith("--- a/run.sh\n")
    assert "gone.sh: not checked: no such file or directory\n" in run.stderr
    assert "run.sh:4: not checked: not analysed because of a syntax error\n" in run.stderr


def test_diff_of_standard_input_uses_the_given_name(cli: CommandLine) -> None:
    run = cli("lint", "--diff", "-", "--stdin-filename", "bin/run.sh", stdin=LIE)
    assert run.stdout == PATCH
