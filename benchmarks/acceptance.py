"""What bash and shellguard accept, on which line each sees the first error, and what is left of a broken script."""

from __future__ import annotations

import random
import re
import statistics
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from shellguard.source import Source, UndecodableSourceError, decode, encode
from shellguard.syntax import TokenKind, parse, tokens, walk
from shellguard.syntax.nodes import Script, SimpleCommand, SyntaxIssue

OPTIONS: tuple[tuple[str, ...], ...] = ((), ("-O", "extglob"))
_MESSAGE = re.compile(rb": line (\d+): (?!warning: )([^\n]*)")
# What a script is broken by leaving out.
_LEFT_OUT = {TokenKind.RESERVED, TokenKind.OPERATOR, TokenKind.QUOTE, TokenKind.DELIMITER}


class Agreement(StrEnum):
    """How the two judge a script."""

    ACCEPTED = "accepted by both"
    ONLY_BASH = "accepted by bash, a syntax error for shellguard"
    COMPLAINT = "a syntax error for both, though bash exits with 0"
    ONLY_OURS = "refused by bash, accepted by shellguard"
    SAME_LINE = "refused by both: same line"
    EARLIER = "refused by both: shellguard points to an earlier line"
    LATER = "refused by both: shellguard points to a later line"
    UNREADABLE = "holds NUL bytes"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether bash exits with 0, and its first message: the line it names, and its text, or 0 and nothing."""

    accepted: bool
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Judged:
    """How the two judge a script, the lines of their first errors; `detail` says what each says where they differ."""

    agreement: Agreement
    detail: str = ""
    line: int = 0
    bash_line: int = 0


@dataclass(frozen=True, slots=True)
class Broken:
    """How the two judge a script that lacks a token of a line, and the share of its other commands in the tree."""

    judged: Judged
    line: int
    kept: float


def judge(path: Path) -> Judged:
    """Compare bash's judgement on a file (its exit status, extglob off or on) with shellguard's."""
    try:
        text = decode(path.read_bytes())
    except UndecodableSourceError:
        return Judged(Agreement.UNREADABLE)
    return _compare(path, text, parse(text))


def _compare(path: Path, text: str, script: Script) -> Judged:
    verdicts = [_ask(path, options) for options in OPTIONS]
    issue = next((issue for issue in script.issues if not issue.deferred), None)
    if any(verdict.accepted for verdict in verdicts):
        if issue is None:
            return Judged(Agreement.ACCEPTED)
        complains = all(verdict.message for verdict in verdicts)
        return Judged(Agreement.COMPLAINT if complains else Agreement.ONLY_BASH, issue.message)
    if issue is None:
        return Judged(Agreement.ONLY_OURS, verdicts[0].message)
    return _compare_lines(issue, Source(str(path), text), verdicts)


def _compare_lines(issue: SyntaxIssue, source: Source, verdicts: Sequence[Verdict]) -> Judged:
    """Compare the line of our first error with those of bash's, which counts the end of the file as a line."""
    ours = source.line_of(issue.start)
    theirs = [min(verdict.line, source.line_count) for verdict in verdicts]
    if ours in theirs:
        return Judged(Agreement.SAME_LINE, line=ours, bash_line=ours)
    detail = f"{ours}: {issue.message}; bash: {verdicts[0].line}: {verdicts[0].message}"
    return Judged(Agreement.EARLIER if ours < min(theirs) else Agreement.LATER, detail, ours, theirs[0])


def _ask(path: Path, options: tuple[str, ...]) -> Verdict:
    """Let `bash -n` read a file."""
    command = ["bash", "--norc", *options, "-n", str(path)]
    environment = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
    found = _MESSAGE.search(ran.stderr)
    line, message = (int(found[1]), found[2].decode("utf-8", "replace")) if found else (0, "")
    return Verdict(ran.returncode == 0, line, message)


def break_and_judge(path: Path, seed: int) -> Broken | None:
    """Leave a token out of a script, and compare; None where the script is broken as it is, or has no such token.

    The token is a reserved word, an operator, a quote or a here-document's delimiter.
    """
    text = decode(path.read_bytes())
    script = parse(text)
    candidates = [token for token in tokens(script, text) if token.kind in _LEFT_OUT]
    if script.issues or not candidates:
        return None
    token = random.Random(f"{seed} {path}").choice(candidates)
    broken = text[: token.start] + text[token.end :]
    tree = parse(broken)
    whole = Counter(
        text[node.start : node.end]
        for node in walk(script.body)
        if isinstance(node, SimpleCommand) and not node.start <= token.start < node.end
    )
    left = Counter(broken[node.start : node.end] for node in walk(tree.body) if isinstance(node, SimpleCommand))
    with tempfile.NamedTemporaryFile("wb", suffix=".sh") as file:
        file.write(encode(broken))
        file.flush()
        judged = _compare(Path(file.name), broken, tree)
    return Broken(judged, Source(str(path), text).line_of(token.start), (whole & left).total() / max(whole.total(), 1))


def agreement_rows(judged: Sequence[Judged]) -> Iterator[tuple[str, ...]]:
    """Yield how often the two agree, and how."""
    counts = Counter(one.agreement for one in judged)
    for agreement in Agreement:
        if counts[agreement]:
            yield agreement.value, f"{counts[agreement]:,}", f"{counts[agreement] / len(judged):.2%}"


def kept_rows(broken: Sequence[Broken]) -> Iterator[tuple[str, ...]]:
    """Yield how much of the scripts that both refuse is still in the tree."""
    refused = [one for one in broken if one.judged.bash_line]
    shares = [one.kept for one in refused]
    if len(shares) < 2:
        return
    yield "refused by both", f"{len(shares):,}"
    for name, lines in (
        ("shellguard", [one.judged.line for one in refused]),
        ("bash", [one.judged.bash_line for one in refused]),
    ):
        number = sum(line == one.line for line, one in zip(lines, refused, strict=True))
        yield f"  {name} points to the line of the missing token", f"{number / len(shares):.1%}"
    yield "other commands still in the tree, mean", f"{statistics.mean(shares):.1%}"
    yield "  median", f"{statistics.median(shares):.1%}"
    yield "  in the worst tenth, at most", f"{statistics.quantiles(shares, n=10)[0]:.1%}"
