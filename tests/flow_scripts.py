"""Small scripts for the tests of facts: analysed, with their commands found by their text, and run by real bash."""

from __future__ import annotations

import subprocess

from shellguard.dialect import Shell, detect
from shellguard.flow.facts import Facts, analyse
from shellguard.source import Source
from shellguard.syntax import parse
from shellguard.syntax.nodes import Node, SimpleCommand


def facts_of(text: str, path: str = "run.sh") -> Facts:
    """The facts of a script that must parse."""
    source = Source(path, text)
    shell = detect(source)
    assert isinstance(shell, Shell)
    script = parse(text)
    assert not script.issues, script.issues
    return analyse(source, script, shell)


def command(facts: Facts, start: str) -> SimpleCommand:
    """The only simple command whose text begins so."""
    found = [node for node in facts.structure.simple_commands if facts.text.startswith(start, node.start)]
    assert len(found) == 1, f"{len(found)} commands begin with {start!r}"
    return found[0]


def shown(facts: Facts, node: Node) -> str:
    """A node's text."""
    return facts.text[node.start : node.end]


def bash(script: str, *options: str) -> str:
    """What real bash prints; whatever the script ends with."""
    return run_bash(script, *options).stdout


def run_bash(script: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a script of a test's own making in real bash."""
    return subprocess.run(
        ["bash", *options, "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    )
