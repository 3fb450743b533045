"""The entry point: text to tree, whatever the text is."""

from __future__ import annotations

from typing import Final

from shellguard.source import Span
from shellguard.syntax.commands import read_commands, read_list
from shellguard.syntax.expansions import read_dollar_paren
from shellguard.syntax.heredocs import read_here_documents
from shellguard.syntax.nodes import Command, Comment, List, Script, SimpleCommand, SyntaxIssue
from shellguard.syntax.remap import OffsetMap, continuations_in_tokens, move_tree, without
from shellguard.syntax.scanner import EOF_TOKEN, Readers, Scanner, TooDeepError
from shellguard.syntax.walk import walk

_READERS: Final = Readers(read_list, read_here_documents, read_dollar_paren)
# How often parsing goes on after constructs that nest too deeply; no script in 8,365 of Debian's has one.
_MAX_RESTARTS: Final = 5
# How many of the quotes over several lines are tried as being left open where there are errors.
_MOST_TORN_QUOTES: Final = 3
_NO_CLOSERS: Final[frozenset[str]] = frozenset()


def parse(text: str) -> Script:
    r"""Parse a shell script.

    Args:
        text: the script. A file whose lines end in `\r\n` is read as if they ended in `\n`.

    Returns:
        The tree, with spans of the text as given. It never raises: what could not be parsed is in `issues`,
        and the commands before and after it are in the tree.
    """
    if "\r\n" not in text or not _is_crlf(text):
        return _parse_joined(text)
    removed = [index for index in range(len(text)) if text.startswith("\r\n", index)]
    script = _parse_joined(text.replace("\r\n", "\n"))
    move_tree(script, OffsetMap(0, removed))
    return script


def _is_crlf(text: str) -> bool:
    """Whether the first line ends in CRLF: then the file was written on Windows, and all line ends are its."""
    newline = text.find("\n")
    return newline > 0 and text[newline - 1] == "\r"


def _parse_joined(text: str) -> Script:
    r"""Parse a text whose line continuations may stand inside operators and reserved words.

    The grammar knows continuations between tokens and in quotes. For one in the middle of a token (`&\` newline `&`)
    it takes the first parse to know where quotes, comments and here-documents are, and a second one without it.
    """
    script = _parse(text)
    if "\\\n" not in text:
        return script
    removed = list(continuations_in_tokens(script, text))
    if not removed:
        return script
    del script  # or both trees would be in memory
    script = _parse(without(text, removed))
    move_tree(script, OffsetMap(0, removed))
    return script


def _parse(text: str) -> Script:
    """Parse a text whose lines end in newlines.

    Where a double quote isn't closed, all that follows is taken inside out, and the error is noticed far below. When
    there are errors, the first quotes that may have been left open are tried as such, and the best tree is taken.
    """
    scanner = Scanner(text, _READERS)
    script = _parse_once(scanner)
    cost = _cost(script)
    if not cost[0]:
        return script
    for opening in sorted(set(scanner.torn_quotes))[:_MOST_TORN_QUOTES]:
        again = Scanner(text, _READERS)
        again.unended_quote = opening
        other = _parse_once(again)
        other_cost = _cost(other)
        if other_cost[0] <= cost[0] and other_cost[1] < cost[1]:
            script, cost = other, other_cost
    return script


def _cost(script: Script) -> tuple[int, int]:
    """How many errors there are, and how few commands: less is better."""
    errors = sum(not issue.deferred for issue in script.issues)
    return errors, -sum(isinstance(node, SimpleCommand) for node in walk(script.body)) if errors else 0


def _parse_once(scanner: Scanner) -> Script:
    """Parse a scanner's text."""
    text = scanner.text
    commands: list[Command] = []
    restarts = 0
    while True:
        try:
            scanner.advance()
            read_commands(scanner, _NO_CLOSERS, commands)
        except TooDeepError as failure:
            position = failure.position
        except RecursionError:
            # The caller's own stack is so deep that the parser's budget doesn't fit.
            position = scanner.tok_start
        else:
            break
        restarts += 1
        # Every restart may have read to the end of the text, in a here-document that nothing ends.
        _skip_line(scanner, position, whole=restarts > _MAX_RESTARTS)
        if scanner.tok == EOF_TOKEN:
            break
    if scanner.pending:
        read_here_documents(scanner)
    body = List(commands[0].start, commands[-1].end, tuple(commands)) if commands else List(0, 0, ())
    comments = tuple(sorted(scanner.comments, key=lambda comment: comment.start))
    issues = tuple(sorted(scanner.issues, key=lambda issue: issue.start))
    return Script(0, len(text), body, comments, issues)


def _skip_line(scanner: Scanner, position: int, *, whole: bool) -> None:
    """Forget what was open and go on at the line after the place where nesting became too deep, or not at all."""
    scanner.limit = len(scanner.text)
    scanner.depth = 0
    scanner.pending = []
    newline = -1 if whole else scanner.text.find("\n", max(position, scanner.pos))
    end = newline if newline >= 0 else scanner.limit
    scanner.opened = []
    start = scanner.text.rfind("\n", 0, position) + 1
    scanner.issues.append(
        SyntaxIssue(
            position, position, "constructs are nested too deeply to be analysed", (), Span(start, end), deferred=True
        )
    )
    scanner.pos = end
    scanner.tok = "\n" if newline >= 0 else EOF_TOKEN


__all__ = ["Comment", "parse"]
