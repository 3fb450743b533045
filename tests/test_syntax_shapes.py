"""The tree of every construct, as text: each case in tests/syntax/shapes is a source, its tree, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shellguard.source import Source
from shellguard.syntax import dump, parse

FOLDER = Path(__file__).parent / "syntax" / "shapes"


def sources(path: Path) -> Iterator[str]:
    """The source of each case: the lines before `->`."""
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-> "):
            yield "\n".join(lines)
        if line.startswith(("-> ", "!! ", ".. ")):
            lines = []
        elif line or lines:
            lines.append(line)


def case(text: str) -> str:
    """A source with its tree, one command a line, and each issue with its place."""
    script, source = parse(text), Source("case", text)
    lines = [text, *(f"-> {dump(command)}" for command in script.body.commands[:1])]
    lines += [f".. {dump(command)}" for command in script.body.commands[1:]]
    if not script.body.commands:
        lines.append("-> nothing")
    for issue in script.issues:
        place = source.position(issue.start)
        opened = "".join(f", in `{keyword}` of line {source.line_of(offset)}" for keyword, offset in issue.opened)
        deferred = " when run" if issue.deferred else ""
        lines.append(f"!! {place.line}:{place.column}{deferred}: {issue.message}{opened}")
    return "\n".join(lines)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_shapes(path: Path, golden: Callable[[Path, str], None]) -> None:
    golden(path, "\n\n".join(map(case, sources(path))) + "\n")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_only_the_cases_of_errors_have_issues(path: Path) -> None:
    with_issues = [text for text in sources(path) if any(not issue.deferred for issue in parse(text).issues)]
    assert path.stem == "errors" or with_issues == []
