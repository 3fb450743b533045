"""Our tree and bashlex's, brought to one form: commands, words, redirections, and how they nest.

bashlex (an optional extra, GPL) is given the same text; nothing of it is needed to import this module. Its trees come
in as they are, and only what both parsers know is compared: arithmetic, `case`, `[[ ]]`, arrays, `select`, `coproc` and
`time` it doesn't parse at all, operands of `${…}` and expansions in here-documents it leaves as text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from shellguard.syntax import nodes as n
from shellguard.syntax.walk import children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# bashlex has no types; each kind of its nodes has attributes of its own.
Foreign = Any

_CONTINUATION: Final = re.compile(r"\\\n")
_LEADING_TABS: Final = re.compile(r"^\t+", re.MULTILINE)
_NAME: Final = re.compile(r"[#!]?([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])")
_SEPARATORS: Final = frozenset({";", "\n", "&"})


@dataclass(frozen=True, slots=True)
class Reading:
    """A construct as a parser reads it: its kind, where it is, its own text, and what it consists of."""

    kind: str
    start: int
    text: str
    below: tuple[Reading, ...] = ()

    def __str__(self) -> str:
        """What to tell of it in one line."""
        inner = ", ".join(f"{part.kind} {part.text}".rstrip() for part in self.below)
        return " ".join(filter(None, (self.kind, self.text, f"[{inner}]" if inner else "")))


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where the two read something else first, and what each reads there."""

    start: int
    ours: Reading
    theirs: Reading


DEFECTS: Final = {
    "dollar": "a `$` that introduces nothing is a parameter without a name",
    "quotes": "expansions are missed in a word that begins with a single quote, or seen inside single quotes",
    "subscript": "`name[subscript]=value` is an ordinary word",
    "descriptor": "the `{name}` of `{name}>file` is a word",
    "braces": "`${…}` ends at its first closing brace, even when that is of an expansion inside",
    "name": "a name in `${…}` may be followed by anything",
    "empty": "an empty command substitution is missed",
    "here-document": "the body of a here-document is read as commands, or loses its first line",
    "lines": "of a command substitution, only the first line is read",
    "backticks": "in backticks, backslashes are not removed before the text is read",
    "process": "a process substitution is seen inside double quotes",
    "places": "places are wrong: after a line continuation in a substitution, from a second `elif` on",
}


class NotComparableError(Exception):
    """There is something that bashlex has no name for."""


def first_disagreement(ours: Sequence[Reading], theirs: Sequence[Reading]) -> Disagreement | None:
    """Return where two readings of a text first differ, as deep inside as possible; None where they are the same."""
    waiting = [(Reading("script", 0, "", tuple(ours)), Reading("script", 0, "", tuple(theirs)))]
    while waiting:
        left, right = waiting.pop()
        if (left.kind, left.text) != (right.kind, right.text) or len(left.below) != len(right.below):
            return Disagreement(left.start, left, right)
        waiting.extend(reversed(list(zip(left.below, right.below, strict=True))))
    return None


def known_defect(found: Disagreement, text: str) -> str:
    """Name the defect of bashlex 0.18 that explains a disagreement, one of DEFECTS; empty where none does."""
    ours, theirs = found.ours, found.theirs
    is_word = {ours.kind, theirs.kind} <= {"word", "assignment"}
    if any(part.kind == "parameter" and not part.text for part in theirs.below):
        return "dollar"
    if (
        "here-document" in {ours.kind, theirs.kind}
        or _has_here_document(ours)
        or "<<" in text[: ours.start] + ours.text
    ):
        return "here-document"
    if any(part.kind == "redirection" and part.text.startswith("{") for part in ours.below):
        return "descriptor"
    if ours.kind == "parameter" and not ours.text:
        return "name"
    if _substitutes_process(theirs) and not _substitutes_process(ours):
        return "process"
    if _is_in_escaped_backticks(text, ours.start):
        return "backticks"
    if is_word and ours.kind != theirs.kind:
        return "subscript"
    if is_word and ours.text == theirs.text:
        signs = {"$(\n": "lines", "``": "empty", "$()": "empty", "'": "quotes", "${": "braces"}
        return next((defect for sign, defect in signs.items() if sign in ours.text), "")
    if ours.kind == "command substitution" and len(ours.below) != len(theirs.below):
        return "lines"
    # The text at the place that bashlex gives isn't what it says is there.
    return "places" if is_word or ours.kind == "redirection" else ""


def _substitutes_process(reading: Reading) -> bool:
    """Whether a construct is a process substitution, or holds one directly."""
    return any(part.kind == "process substitution" for part in (reading, *reading.below))


def _is_in_escaped_backticks(text: str, offset: int) -> bool:
    """Whether an offset is after an opening backtick of its line, and a backslash near it."""
    line = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    opener = text.find("`", line, offset + 1)
    return opener >= 0 and "\\" in text[opener : end if end >= 0 else len(text)]


def _has_here_document(reading: Reading) -> bool:
    """Whether there is a here-document in a construct."""
    return reading.kind == "here-document" or any(map(_has_here_document, reading.below))


def read_ours(body: n.List, text: str) -> tuple[Reading, ...]:
    """Bring our tree to the common form.

    Raises:
        NotComparableError: something in it has no counterpart.
        RecursionError: it nests too deeply.
    """
    return tuple(_command(command, text) for command in body.commands)


def _list(body: n.List, text: str) -> Reading:
    return Reading("list", body.start, "", read_ours(body, text))


def _command(node: n.Command, text: str) -> Reading:
    match node:
        case n.SimpleCommand():
            return Reading("command", node.start, "", tuple(_elements(node, text)))
        case n.Pipeline():
            if node.timed:
                raise NotComparableError("time")
            shown = " ".join(["!"] * node.bangs + list(node.operators))
            return Reading("pipeline", node.start, shown, tuple(_command(inner, text) for inner in node.commands))
        case n.AndOrList():
            inner = tuple(_command(inner, text) for inner in node.commands)
            return Reading("AND-OR list", node.start, " ".join(node.operators), inner)
        case n.BackgroundCommand():
            return Reading("background", node.start, "", (_command(node.command, text),))
        case n.FunctionDefinition():
            return Reading("function", node.start, node.name, (_command(node.body, text),))
        case n.Coprocess():
            raise NotComparableError("coproc")
    return _compound(node, text)


def _compound(node: n.CompoundCommand, text: str) -> Reading:
    redirections = tuple(_redirection(redirection, text) for redirection in node.redirections)
    match node:
        case n.BraceGroup() | n.Subshell():
            kind = "group" if isinstance(node, n.BraceGroup) else "subshell"
            return Reading(kind, node.start, "", (_list(node.body, text), *redirections))
        case n.IfClause():
            lists = [body for branch in node.branches for body in (branch.condition, branch.body)]
            lists += [node.else_body] if node.else_body is not None else []
            return Reading("if", node.start, "", (*(_list(body, text) for body in lists), *redirections))
        case n.WhileLoop():
            bodies = (_list(node.condition, text), _list(node.body, text))
            return Reading("until" if node.until else "while", node.start, "", (*bodies, *redirections))
        case n.ForLoop(select=False):
            words = tuple(_word(word, text) for word in node.words or ())
            return Reading("for", node.start, node.variable, (*words, _list(node.body, text), *redirections))
        case _:
            raise NotComparableError(type(node).__name__)


def _elements(node: n.SimpleCommand, text: str) -> Iterator[Reading]:
    """Yield assignments, words and redirections in the order of the text."""
    for element in sorted((*node.assignments, *node.words, *node.redirections), key=lambda element: element.start):
        match element:
            case n.Assignment():
                yield _word(element, text, "assignment")
            case n.Word():
                yield _word(element, text)
            case n.Redirection():
                yield _redirection(element, text)


def _word(node: n.Word | n.Assignment, text: str, kind: str = "word") -> Reading:
    return Reading(kind, node.start, _plain(text[node.start : node.end]), tuple(_expansions(node, text)))


def _expansions(node: n.Node, text: str) -> Iterator[Reading]:
    """Yield the expansions of a word, those in double quotes too, but none that are inside others."""
    match node:
        case n.ParameterExpansion():
            yield Reading("parameter", node.start, node.name)
        case n.CommandSubstitution():
            yield Reading("command substitution", node.start, "", read_ours(node.body, text))
        case n.ProcessSubstitution():
            yield Reading("process substitution", node.start, "", read_ours(node.body, text))
        case n.ArithmeticExpansion() | n.ArrayLiteral():
            raise NotComparableError(type(node).__name__)
        case _:
            for child in children(node):
                yield from _expansions(child, text)


def _redirection(node: n.Redirection, text: str) -> Reading:
    shown = f"{node.descriptor}{node.operator}{_plain(text[node.target.start : node.target.end])}"
    below = tuple(_expansions(node.target, text))
    here = node.here_document
    if here is None:
        return Reading("redirection", node.start, shown, below)
    body = text[here.start : here.delimiter_line.end]
    return Reading("redirection", node.start, shown, (Reading("here-document", here.start, _untabbed(body)),))


def _plain(text: str) -> str:
    """Return a text without line continuations, which bashlex keeps in some places."""
    return _CONTINUATION.sub("", text)


def _untabbed(text: str) -> str:
    """Return the text of a here-document without the tabs that `<<-` strips, and those that it doesn't."""
    return _LEADING_TABS.sub("", text)


def read_theirs(trees: Iterable[Foreign], text: str) -> tuple[Reading, ...]:
    """Bring bashlex's trees, one per line of commands, to the common form.

    Raises:
        NotComparableError: something in them has no counterpart.
        RecursionError: they nest too deeply.
    """
    return tuple(command for tree in trees for command in _their_commands(tree, text))


def _their_commands(tree: Foreign, text: str) -> Iterator[Reading]:
    """Yield the commands of what may be a list, in which bashlex mixes commands and operators on one level."""
    parts = tree.parts if tree.kind == "list" else [tree]
    run: list[Reading] = []
    operators: list[str] = []
    for part in parts:
        if part.kind != "operator":
            run.append(_their_command(part, text))
        elif part.op not in _SEPARATORS:
            operators.append(part.op)
        elif run:
            joined = _joined(run, operators)
            yield Reading("background", joined.start, "", (joined,)) if part.op == "&" else joined
            run, operators = [], []
    if run:
        yield _joined(run, operators)


def _joined(run: list[Reading], operators: list[str]) -> Reading:
    return Reading("AND-OR list", run[0].start, " ".join(operators), tuple(run)) if operators else run[0]


def _their_list(tree: Foreign, text: str) -> Reading:
    return Reading("list", tree.pos[0], "", tuple(_their_commands(tree, text)))


def _their_command(tree: Foreign, text: str) -> Reading:
    start = tree.pos[0]
    match tree.kind:
        case "command":
            return Reading("command", start, "", tuple(_their_element(part, text) for part in tree.parts))
        case "pipeline":
            shown = [part.pipe if part.kind == "pipe" else "!" for part in tree.parts if _is_sign(part)]
            inner = tuple(_their_command(part, text) for part in tree.parts if not _is_sign(part))
            return Reading("pipeline", start, " ".join(shown), inner)
        case "function":
            return Reading("function", start, text[slice(*tree.name.pos)], (_their_command(tree.body, text),))
        case "compound":
            return _their_compound(tree, text)
        case kind:
            raise NotComparableError(kind)


def _is_sign(part: Foreign) -> bool:
    """Whether a part of a pipeline is `|`, `|&` or `!`."""
    return part.kind in {"pipe", "reservedword"}


def _their_compound(tree: Foreign, text: str) -> Reading:
    redirections = tuple(_their_redirection(redirect, text) for redirect in tree.redirects)
    first, start = tree.list[0], tree.pos[0]
    if first.kind == "reservedword":
        kind = "group" if first.word == "{" else "subshell"
        return Reading(kind, start, "", (_their_list(tree.list[1], text), *redirections))
    lists = tuple(_their_list(body, text) for body in _their_bodies(first.parts))
    if first.kind == "for":
        name, *words = [part for part in first.parts if part.kind == "word"]
        shown = tuple(_their_element(word, text) for word in words)
        return Reading("for", start, text[slice(*name.pos)], (*shown, *lists, *redirections))
    return Reading(first.kind, start, "", (*lists, *redirections))


def _their_bodies(parts: Iterable[Foreign]) -> Iterator[Foreign]:
    """Yield the lists of a compound command; from the second `elif` on they are one part's `word`."""
    for part in parts:
        if part.kind == "reservedword" and not isinstance(part.word, str):
            yield from _their_bodies(part.word)
        elif part.kind not in {"reservedword", "word"}:
            yield part


def _their_element(tree: Foreign, text: str) -> Reading:
    if tree.kind == "redirect":
        return _their_redirection(tree, text)
    return Reading(tree.kind, tree.pos[0], _plain(text[slice(*tree.pos)]), tuple(_their_expansions(tree, text)))


def _their_expansions(tree: Foreign, text: str) -> Iterator[Reading]:
    for part in tree.parts:
        start = part.pos[0]
        match part.kind:
            case "parameter":
                name = _NAME.match(part.value)
                yield Reading("parameter", start, name[1] if name else part.value)
            case "commandsubstitution":
                yield Reading("command substitution", start, "", read_theirs([part.command], text))
            case "processsubstitution":
                yield Reading("process substitution", start, "", read_theirs([part.command], text))


def _their_redirection(tree: Foreign, text: str) -> Reading:
    descriptor = "" if tree.input is None else str(tree.input)
    is_word = hasattr(tree.output, "pos")
    target = _plain(text[slice(*tree.output.pos)]) if is_word else str(tree.output)
    below = tuple(_their_expansions(tree.output, text)) if is_word else ()
    if tree.heredoc is not None:
        below = (Reading("here-document", tree.heredoc.pos[0], _untabbed(tree.heredoc.value)),)
    return Reading("redirection", tree.pos[0], f"{descriptor}{tree.type}{target}", below)
