"""Real bash as the judge of syntax; it parses scripts here and never runs them."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass, replace

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
FUNCTION = "__script"
# The delimiter that was waited for may hold newlines.
_WARNING = re.compile(r"^line \d+: warning: .*?(?=^line \d+: |\Z)", re.MULTILINE | re.DOTALL)
_SILENT_OPENERS = ("[[", "((")
OPTIONS: tuple[tuple[str, ...], ...] = ((), ("-O", "extglob"))


@dataclass(frozen=True)
class Verdict:
    """Whether bash accepts a script, and what it prints about it."""

    accepted: bool
    messages: str
    warned: bool


def check(text: str, *options: str) -> Verdict:
    """Let `bash -n` read a script.

    It exits with 0 after some errors inside `[[ ]]`, so that what it prints decides; a here-document that the end of
    the file delimits is only a warning. After `[[ ]]` and `for ((;;)` it stops reading without a word: then a closing
    parenthesis at the end doesn't disturb it.
    """
    verdict = _run(text, *options)
    if verdict.accepted and not verdict.warned and any(opener in text for opener in _SILENT_OPENERS):
        verdict = replace(verdict, accepted=not _run(f"{text}\n\n)\n", *options).accepted)
    return verdict


def _run(text: str, *options: str) -> Verdict:
    """Run `bash -n` on a text."""
    with tempfile.NamedTemporaryFile("wb", prefix="script") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        file.flush()
        completed = subprocess.run(
            ["bash", "--norc", *options, "-n", file.name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=ENVIRONMENT,
            timeout=10,
            check=False,
        )
        name = file.name
    messages = completed.stderr.decode("utf-8", "replace").replace(f"{name}: ", "")
    errors, warnings = _WARNING.subn("", messages)
    return Verdict(completed.returncode == 0 and not errors, errors.rstrip("\n"), bool(warnings))


def accepts(text: str) -> bool:
    """Whether bash accepts a script, with extglob off or on."""
    return any(check(text, *options).accepted for options in OPTIONS)


def print_back(text: str, *options: str) -> str:
    """Let bash define a function around a script and return how it prints it (`declare -f`); empty where it can't.

    Nothing of the script is to run, even if it should break out of the function: callers have checked that it
    doesn't, the shell is restricted (no redirections, no commands with a slash), and its PATH holds nothing.
    """
    with tempfile.TemporaryDirectory(prefix="script") as folder, tempfile.NamedTemporaryFile("wb") as file:
        file.write(wrapped(text).encode("utf-8", "surrogateescape"))
        file.flush()
        completed = subprocess.run(
            ["/bin/bash", "--norc", "-r", *options, file.name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=folder,
            env=ENVIRONMENT | {"PATH": "/nonexistent"},
            timeout=20,
            check=False,
        )
    return completed.stdout.decode("utf-8", "surrogateescape")


def wrapped(text: str) -> str:
    """Return a script that makes a text the body of a function and prints it."""
    return f"{FUNCTION}() {{\n{text}\n}}\ndeclare -f {FUNCTION}\n"
