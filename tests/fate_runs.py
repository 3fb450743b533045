"""Runs scripts in real shells with one command failing, and compares how they end with the fates that are claimed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache

from flow_scripts import facts_of

from shellguard.flow.fates.table import Fate, fates
from shellguard.source import Dialect

# Every command that isn't known is a stub; the one that FAILS names fails whenever it is run.
_PRELUDE = 'command_not_found_handle() { [ "$1" != "$FAILS" ] || return 3; }\n'
_STUB = '{0}() {{ [ {0} != "$FAILS" ] || return 3; }}\n'
_SHELLS = {Dialect.BASH: shutil.which("bash") or "/bin/bash", Dialect.DASH: shutil.which("dash") or "/bin/dash"}
_JOB = re.compile(r"\bj\d+\b")


def claims(script: str, dialect: Dialect = Dialect.BASH) -> dict[str, Fate]:
    """The fate of each command by its name; names are used once."""
    facts = facts_of(script, "run.dash" if dialect is Dialect.DASH else "run.sh")
    found = {}
    for item in fates(facts):
        name = facts.text[item.command.words[0].start : item.command.words[0].end]
        assert name not in found or not _JOB.fullmatch(name), f"{name} stands twice"
        found[name] = item.fate
    return found


@lru_cache(maxsize=4096)
def status(script: str, failing: str, dialect: Dialect = Dialect.BASH) -> int:
    """What a shell ends with when one command fails."""
    prelude = _PRELUDE
    if dialect is Dialect.DASH:
        prelude = "".join(_STUB.format(name) for name in sorted(set(_JOB.findall(script))))
    return subprocess.run(
        [_SHELLS[dialect], "-c", prelude + script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=20,
        cwd="/",
        env={"PATH": "/nonexistent", "FAILS": failing, "LC_ALL": "C", "HOME": os.sep},
    ).returncode


def disagreements(script: str, dialect: Dialect = Dialect.BASH) -> dict[str, tuple[Fate, int]]:
    """The commands of which something wrong is claimed."""
    wrong = {}
    for name, fate in claims(script, dialect).items():
        claimed = fate.claims
        ended = status(script, name, dialect) if _JOB.fullmatch(name) else 0
        if _JOB.fullmatch(name) and claimed is not None and claimed is not (ended == 0):
            wrong[name] = (fate, ended)
    return wrong


def numbered(script: str) -> str:
    """The script with a name of its own for each `JOB`."""
    first, *rest = script.split("JOB")
    return first + "".join(f"j{number}{text}" for number, text in enumerate(rest, start=1))
