"""README's commands do what it says: each console block is run and compared, and so is the line that sets up."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import CHECKOUT, copy_checkout

README = CHECKOUT / "README.md"
TEXT = README.read_text(encoding="utf-8")
LEFT_OUT = "…"  # on a line of its own it stands for any number of lines
BLOCK = re.compile(r"^```(?P<info>\S+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A command of a console block, and what it is said to print."""

    command: str
    output: str

    def matches(self, actual: str) -> bool:
        """Whether a command that prints `actual` keeps the promise."""
        lines = (r"(?:.*\n)*" if line == LEFT_OUT else f"{re.escape(line)}\n" for line in self.output.splitlines())
        return re.fullmatch("".join(lines), actual) is not None


def blocks(info: str) -> list[str]:
    return [block["body"] for block in BLOCK.finditer(TEXT) if block["info"] == info]


def examples() -> Iterator[Example]:
    for body in blocks("console"):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield Example(command, output)


def set_up_line(rest: str) -> str:
    """The only line that sets up and then runs something that `rest` is part of."""
    lines = [line for body in blocks("sh") for line in body.splitlines()]
    (line,) = (line for line in lines if line.startswith("python3 bootstrap.py") and rest in line)
    return line


def run(command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command as a reader would."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def put_program(folder: Path, name: str, command: list[str]) -> None:
    """Put a program into a folder that runs a command."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.command)
def test_a_command_prints_what_readme_shows(example: Example, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    put_program(tmp_path / "bin", "shellguard", [sys.executable, "-m", "shellguard"])
    checkout = tmp_path / "checkout"
    shutil.copytree(CHECKOUT / "examples", checkout / "examples", ignore=shutil.ignore_patterns("results"))
    environment = {
        "PATH": f"{tmp_path / 'bin'}:{os.defpath}",
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(CHECKOUT),
    }
    completed = run(example.command, checkout, environment)
    actual = completed.stdout + completed.stderr
    if request.config.getoption("--update") and LEFT_OUT not in example.output:
        old = f"$ {example.command}\n{example.output}"
        README.write_text(README.read_text(encoding="utf-8").replace(old, f"$ {example.command}\n{actual}"), "utf-8")
    else:
        assert example.matches(actual), f"{example.command} prints:\n{actual}"


def test_the_first_command_sets_up_and_lints(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path / "checkout")
    # The Python outside of any virtual environment is what a reader has.
    put_program(tmp_path / "bin", "python3", [getattr(sys, "_base_executable", sys.executable)])
    unset = {"PYTHONPATH", "VIRTUAL_ENV"}
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    environment = inherited | {"PATH": f"{tmp_path / 'bin'}:{os.defpath}", "LC_ALL": "C.UTF-8"}
    line = set_up_line("shellguard lint")
    completed = run(line, checkout, environment)
    assert completed.returncode == 1, completed.stderr
    (shown,) = (example for example in examples() if line.endswith(example.command))
    assert shown.matches(completed.stdout), completed.stdout


def test_ci_runs_the_test_command_that_readme_gives() -> None:
    line = set_up_line("pytest")
    pattern = re.search(r"grep -E '([^']*)' README\.md", (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8"))
    assert pattern is not None
    assert [found for found in TEXT.splitlines() if re.search(pattern[1], found)] == [line]


def test_nobody_is_told_to_install_the_other_project() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        text = (CHECKOUT / name).read_text(encoding="utf-8")
        assert re.findall(r"install (?:-\S+ )*shellguard(?!-lint)\b.*", text) == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "examples/nightly-bench/README.md"])
def test_links_lead_somewhere(name: str) -> None:
    page = CHECKOUT / name
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (page.parent / link).exists()] == []
