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
_PRELUDE = 'exec 9>&2; command_not_found_handle() { echo "ran $1" >&9; [ "$1" != "$FAILS" ] || return 3; }\n'
_STUB = '{0}() {{ echo "ran {0}" >&9; [ {0} != "$FAILS" ] || return 3; }}\n'
_SHELLS = {Dialect.BASH: shutil.which("bash") or "/bin/bash", Dialect.DASH: shutil.which("dash") or "/bin/dash"}
JOB = re.compile(r"\bj\d+\b")


def claims(script: str, dialect: Dialect = Dialect.BASH) -> dict[str, Fate]:
    """The fate of each command by its name; names are used once."""
    facts = facts_of(script, "run.dash" if dialect is Dialect.DASH else "run.sh")
    found = {}
    for item in fates(facts):
        name = facts.text[item.command.words[0].start : item.command.words[0].end]
        assert name not in found or not JOB.fullmatch(name), f"{name} stands twice"
        found[name] = item.fate
    return found


@lru_cache(maxsize=4096)
def run(script: str, failing: str, dialect: Dialect = Dialect.BASH) -> tuple[int, frozenset[str]]:
    """What a shell ends with when one command fails, and the commands that were run."""
    prelude = _PRELUDE
    if dialect is Dialect.DASH:
        prelude = "exec 9>&2\n" + "".join(_STUB.format(name) for name in sorted(set(JOB.findall(script))))
    done = subprocess.run(
        [_SHELLS[dialect], "-c", prelude + script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        timeout=20,
        cwd="/",
        env={"PATH": "/nonexistent", "FAILS": failing, "LC_ALL": "C", "HOME": os.sep},
    )
    return done.returncode, frozenset(re.findall(r"^ran (\w+)$", done.stderr.decode(), re.MULTILINE))


def status(script: str, failing: str, dialect: Dialect = Dialect.BASH) -> int:
    """What a shell ends with when one command fails."""
    return run(script, failing, dialect)[0]


def disagreements(script: str, dialect: Dialect = Dialect.BASH) -> dict[str, tuple[Fate, int]]:
    """The commands of which something wrong is claimed; nothing can be said of those that don't run."""
    wrong = {}
    for name, fate in claims(script, dialect).items():
        if not JOB.fullmatch(name):
            continue
        ended, ran = run(script, name, dialect)
        if name in ran and fate.claims is not None and fate.claims is not (ended == 0):
            wrong[name] = (fate, ended)
    return wrong


def numbered(script: str) -> str:
    """The script with a name of its own for each `JOB`."""
    first, *rest = script.split("JOB")
    return first + "".join(f"j{number}{text}" for number, text in enumerate(rest, start=1))
