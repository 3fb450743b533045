"""Real bash as the judge of syntax; it parses scripts here and never runs them."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass, replace

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
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
    lines = completed.stderr.decode("utf-8", "replace").replace(f"{name}: ", "").splitlines()
    errors = [line for line in lines if "warning: " not in line]
    return Verdict(completed.returncode == 0 and not errors, "\n".join(errors), len(errors) < len(lines))


def accepts(text: str) -> bool:
    """Whether bash accepts a script, with extglob off or on."""
    return any(check(text, *options).accepted for options in OPTIONS)
