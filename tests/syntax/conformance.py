"""The tree of a script against the tree of what bash prints for it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from enum import StrEnum

from shellguard.syntax import nodes, parse, walk
from syntax import bash
from syntax.normalise import Tree, normalise


class Outcome(StrEnum):
    """How a comparison ended."""

    EQUAL = "equal"
    DIFFERENT = "different"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class Comparison:
    """How a comparison ended, and why it isn't equal."""

    outcome: Outcome
    cause: str = ""


def compare(text: str) -> Comparison:
    """Compare our tree of a script with that of what bash prints for it."""
    script = parse(text)
    cause = obstacle(text, script)
    if cause:
        return Comparison(Outcome.NOT_COMPARABLE, cause)
    # A script may only be right without extglob (`!(a)`), or only with it.
    causes = []
    for options in reversed(bash.OPTIONS):
        try:
            printed = bash.print_back(text, *options)
        except subprocess.TimeoutExpired:
            return Comparison(Outcome.NOT_COMPARABLE, "bash takes too long")
        if not printed:
            causes.append(Comparison(Outcome.NOT_COMPARABLE, "bash prints nothing"))
            continue
        comparison = compare_printed(script, printed)
        if comparison.outcome is Outcome.EQUAL:
            return comparison
        causes.append(comparison)
    return causes[0]


def obstacle(text: str, script: nodes.Script) -> str:
    """Say what keeps a script from being wrapped in a function, if anything does."""
    if real_issues(script):
        return "not parsed"
    if not script.body.commands:
        return "no commands"
    if any(isinstance(node, nodes.HereDocument) and not node.terminated for node in walk(script)):
        return "a here-document that nothing ends"
    wrapper = parse(bash.wrapped(text))
    if real_issues(wrapper) or [type(command) for command in wrapper.body.commands] != [
        nodes.FunctionDefinition,
        nodes.SimpleCommand,
    ]:
        return "can't be wrapped in a function"
    return ""


def real_issues(script: nodes.Script) -> list[nodes.SyntaxIssue]:
    """The issues that bash would have, too."""
    return [issue for issue in script.issues if not issue.deferred]


def compare_printed(script: nodes.Script, printed: str) -> Comparison:
    """Compare with what bash printed."""
    again = parse(printed)
    if real_issues(again):
        if bash.accepts(printed):
            return Comparison(Outcome.DIFFERENT, f"not parsed as printed: {again.issues[0].message}")
        return Comparison(Outcome.NOT_COMPARABLE, "bash prints what it can't parse")
    (function,) = again.body.commands
    assert isinstance(function, nodes.FunctionDefinition)
    assert isinstance(function.body, nodes.BraceGroup)
    place = difference(normalise(script.body), normalise(function.body.body))
    return Comparison(Outcome.DIFFERENT, place) if place else Comparison(Outcome.EQUAL)


def difference(ours: Tree, theirs: Tree) -> str:
    """Say where two trees differ first; empty where they don't."""
    path: list[str] = []
    while ours != theirs:
        if isinstance(ours, str) or isinstance(theirs, str):
            return f"{'/'.join(path)}: {ours!r:.100}, printed as {theirs!r:.100}"
        pairs = enumerate(zip(ours, theirs, strict=False))
        found = next(((index, pair) for index, pair in pairs if pair[0] != pair[1]), None)
        if found is None:
            longer = ours if len(ours) > len(theirs) else theirs
            return f"{'/'.join(path)}: only one has {longer[min(len(ours), len(theirs)) :]!r:.100}"
        index, (ours, theirs) = found
        path.append(str(index) if isinstance(ours, str) or not ours or not isinstance(ours[0], str) else ours[0])
    return ""
