"""Runs a control by a real shell, with stubs in place of the commands that it would run.

The stubs' folder is the whole PATH, so that a control can neither reach a real tool but a few filters, nor depend on
which tools a machine has.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shellguard.dialect import parse_shebang
from shellguard.source import Dialect
from shellguard.syntax import parse, walk
from shellguard.syntax.nodes import FunctionDefinition, SimpleCommand

FAILURE = 3
"""The status with which a failing job ends."""

# What runs as it is: it works on its input or on files in the folder of the run.
_REAL = (
    "basename cat cp cut dirname env grep gzip head ls mkdir mkfifo mv rm sed seq sort tail tee timeout touch tr uniq "
    "wc"
)
_BUILTINS = (
    ": . [ break cd command continue declare echo eval exec exit export false kill let local mapfile print printf pwd "
    "read readarray readonly return set shift shopt source test time trap true type typeset ulimit unset wait"
)
# No digits but those that a control is to print, so that a status is never mistaken.
_OUTPUT = {"date": "monday", "hostname": "ci"}

# The catalogue's ksh is ksh93: what is called ksh elsewhere may be mksh, which treats `$?` like dash.
_COMMANDS: dict[Dialect, tuple[tuple[str, ...], ...]] = {
    Dialect.BASH: (("bash",),),
    Dialect.SH: (("bash", "--posix"),),
    Dialect.DASH: (("dash",), ("busybox", "ash")),
    Dialect.KSH: (("ksh93",),),
}


class MissingShellError(Exception):
    """A shell that the controls need isn't installed."""


@dataclass(frozen=True)
class Ran:
    """How a run ended: the status, what was printed, and the files that it left, with their text."""

    shell: str
    status: int
    output: str
    files: tuple[tuple[str, str], ...]

    @property
    def words(self) -> frozenset[str]:
        """The words that somebody who looks for the status can find: printed, or in files and their names."""
        evidence = [self.output, *(f"{name} {text}" for name, text in self.files)]
        return frozenset(re.findall(r"\w+", " ".join(evidence)))

    @property
    def tells_failure(self) -> bool:
        """Whether somebody can see that the job failed."""
        return self.status != 0 or str(FAILURE) in self.words


def shells(dialect: Dialect) -> tuple[tuple[str, ...], ...]:
    """The shells to run a script of a dialect, as the words of their commands.

    Raises:
        MissingShellError: one isn't installed.
    """
    found = []
    for name, *options in _COMMANDS[dialect]:
        path = shutil.which(name)
        if path is None:
            raise MissingShellError(f"the {dialect} controls need {name}, which isn't installed")
        found.append((path, *options))
    return tuple(found)


def run(shell: tuple[str, ...], text: str, folder: Path, *, job: str, fails: bool, by_name: bool = True) -> Ran:
    """Run a script in a new folder; the command called `job` ends with `FAILURE` if it is to, all others succeed.

    `by_name`: with the options of its first line.
    """
    folder.mkdir()
    (folder / "build").mkdir()
    (folder / "input.csv").write_text("one,two\n", encoding="utf-8")
    tools = folder.parent / f"{folder.name}-tools"
    tools.mkdir()
    for name in _REAL.split():
        real = shutil.which(name)
        if real is not None:  # a control that needs a missing one tells "command not found"
            (tools / name).symlink_to(real)
    for name in {*_stub_names(text), job}:
        _write_stub(folder / name if "/" in name else tools / name, FAILURE if fails and name == job else 0)
    before = set(folder.rglob("*"))
    script = tools / "script"
    script.write_text(text, encoding="utf-8")
    shebang = parse_shebang(text)
    completed = subprocess.run(
        [*shell, *(shebang.options if shebang and by_name else ()), script],
        cwd=folder,
        env={"PATH": str(tools), "HOME": str(folder), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=20,
        check=False,
    )
    left = sorted(path for path in folder.rglob("*") if path.is_file() and path not in before)
    files = tuple((path.name, path.read_text(encoding="utf-8", errors="replace")) for path in left)
    return Ran(" ".join(shell), completed.returncode, completed.stdout, files)


def job_of(text: str) -> str:
    """The job of a control that names none: the first command that would be a stub."""
    return next(_stub_names(text))


def _stub_names(text: str) -> Iterator[str]:
    """The commands that a script runs by name and that are neither the shell's, its own, nor real ones."""
    nodes = list(walk(parse(text)))
    known = {node.name for node in nodes if isinstance(node, FunctionDefinition)} | {*_BUILTINS.split(), *_REAL.split()}
    for node in nodes:
        name = node.words[0].literal if isinstance(node, SimpleCommand) and node.words else None
        if name and name not in known:
            yield name


def _write_stub(path: Path, status: int) -> None:
    """Write a command that reads its input if it is piped into it, tells its name, and ends with a status."""
    path.parent.mkdir(parents=True, exist_ok=True)
    says = _OUTPUT.get(path.name, f"{path.name} ran")
    path.write_text(
        f"#!/bin/sh\n[ ! -p /dev/stdin ] || cat > /dev/null\necho '{says}'\nexit {status}\n", encoding="utf-8"
    )
    path.chmod(0o755)
