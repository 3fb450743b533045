"""Which variables can matter for a script's status? The others aren't followed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shellguard.flow.structure import DECLARATIONS, Structure
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticCommand,
    ArithmeticExpansion,
    ArithmeticExpression,
    ArithmeticFor,
    Assignment,
    CaseClause,
    CommandSubstitution,
    ConditionalCommand,
    DoubleQuoted,
    Escape,
    ForLoop,
    FunctionDefinition,
    IfBranch,
    IfClause,
    Literal,
    Node,
    ParameterExpansion,
    ProcessSubstitution,
    SimpleCommand,
    SingleQuoted,
    WhileLoop,
    Word,
)
from shellguard.syntax.walk import walk

DECIDING: Final = frozenset(
    {"[", "test", "exit", "return", "let", "set", "shopt", "break", "continue", "shift", "wait", "eval", "trap"}
)
_STATUSES: Final = frozenset({"?", "!", "PIPESTATUS"})
_PARAMETERS: Final = frozenset({"@", "*", "#", *map(str, range(1, 10))})
_MAX_CALLS: Final = 30
NEVER_FAIL: Final = frozenset(
    {"[", "test", ":", "true", "false", "echo", "printf", "exit", "return", "break", "continue", "set", "shopt", "let"}
    | {"local", "declare", "typeset", "export", "readonly", "unset", "shift", "trap", "wait", "read", "getopts", "type"}
    | {
        "alias",
        "unalias",
        "umask",
        "ulimit",
        "times",
        "mapfile",
        "readarray",
        "hash",
        "jobs",
        "disown",
        "caller",
        "dirs",
    }
    | {"bind", "complete", "compopt", "compgen", "enable", "history"}
)
"""Builtins whose failure means nothing by itself, or that can't fail; a test's failure is an answer."""
_USED_IN_CODE: Final = re.compile(r"\$\{?([A-Za-z_]\w*)")
_SET_IN_CODE: Final = re.compile(r"\b([A-Za-z_]\w*)=")
_SET_IN_ARITHMETIC: Final = re.compile(
    r"\b(?P<before>[A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)"
    r"|(?:\+\+|--)\s*(?P<after>[A-Za-z_]\w*)"
)
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


def relevant_variables(structure: Structure) -> frozenset[str]:
    """The variables whose values decide something and may differ because a command has failed; and parameters."""
    deciding = _with_sources(structure, set(_deciding(structure)))
    return frozenset(_sensitive(structure, deciding) | (deciding & _PARAMETERS) | set(_in_code(structure)))


def _in_code(structure: Structure) -> Iterator[str]:
    """Yield the variables that are used or set in shell code of its own (`trap 'rc=$?; exit $rc' EXIT`)."""
    for command in structure.named("trap", "eval"):
        code = code_of(command)
        yield from _USED_IN_CODE.findall(code)
        yield from _SET_IN_CODE.findall(code)


def code_of(command: SimpleCommand) -> str:
    """The known text of the shell code that `trap` or `eval` is given; a line for each word."""
    texts = (word.literal if word.literal is not None else _known_text(word) for word in command.words[1:])
    return "\n".join(texts)


def _known_text(word: Word) -> str:
    """A word's text without its expansions."""
    return "".join(node.value for node in walk(word) if isinstance(node, (Literal, Escape, SingleQuoted)))


def constants(structure: Structure) -> dict[str, str]:
    """The variables that the script sets only once, to a known text (`E_USAGE=64`)."""
    found: dict[str, list[str | None]] = {}
    for name, node in _assignments(structure):
        value = node.value if isinstance(node, Assignment) and node.operator == "=" else None
        found.setdefault(name, []).append(value.literal if isinstance(value, Word) else None)
    for command in structure.named("read", "getopts", "printf", "unset", "local", *DECLARATIONS):
        for word in command.words[1:]:
            found.setdefault(word.literal or "", []).append(None)
    for _, name in _read(structure):
        found.setdefault(name, []).append(None)
    return {name: values[0] for name, values in found.items() if len(values) == 1 and values[0] is not None}


def filled_variables(structure: Structure) -> frozenset[str]:
    """The variables that never are empty where the script sets them: every value is a number or some text."""
    values: dict[str, list[Node]] = {}
    for name, node in _assignments(structure):
        values.setdefault(name, []).append(node)
    found = {"?", "!", "#", "$"}
    while True:
        more = {
            name
            for name, nodes in values.items()
            if name not in found and all(_is_filled(node, found) for node in nodes)
        }
        if not more:
            return frozenset(found)
        found |= more


def _is_filled(node: Node, found: set[str]) -> bool:
    """Whether a value can't be empty."""
    word = node.value if isinstance(node, Assignment) else node
    parts = list(word.parts) if isinstance(word, Word) else []
    if isinstance(node, Word) and parts and isinstance(parts[0], Literal) and parts[0].value.endswith("="):
        parts = parts[1:]  # of `local name=value`
    for part in parts:
        inner = part.parts if isinstance(part, DoubleQuoted) else (part,)
        for item in inner:
            if isinstance(item, ArithmeticExpansion):
                return True
            if isinstance(item, (Literal, SingleQuoted)) and item.value:
                return True
            if (
                isinstance(item, ParameterExpansion)
                and not item.operator
                and (item.name in found or item.prefix == "#")
            ):
                return True
    return False


def _is_plain(parameter: ParameterExpansion) -> bool:
    return not parameter.operator and not parameter.prefix


def _deciding(structure: Structure) -> Iterator[str]:
    """Yield the variables that branches, statuses and command names depend on."""
    for node in structure.nodes(ConditionalCommand, ArithmeticCommand, ArithmeticFor):
        yield from _names(node)
    for clause in structure.nodes(CaseClause):
        yield from _names(clause.word)
    for command in structure.simple_commands:
        if not command.words:
            continue
        name = command.words[0].literal
        if name is None:
            yield from _names(command.words[0])
        elif name in DECIDING or name in structure.functions:
            for word in command.words[1:]:
                yield from _names(word)


def _sensitive(structure: Structure, deciding: set[str]) -> set[str]:
    """Those of the deciding variables that get a status or output, or are set where a failure may lead."""
    found: set[str] = set()
    contexts: dict[Node, tuple[bool, frozenset[str]]] = {}
    pending = [(name, node) for name, node in _assignments(structure) if name in deciding]
    pending += [(name, command) for command, name in _read(structure) if name in deciding]
    while True:
        before = len(found)
        rest = []
        for name, node in pending:
            if name not in found and _is_sensitive(structure, node, found, contexts):
                found.add(name)
            elif name not in found:
                rest.append((name, node))
        pending = rest
        if len(found) == before:
            return found


def _is_sensitive(
    structure: Structure, node: Node, found: set[str], contexts: dict[Node, tuple[bool, frozenset[str]]]
) -> bool:
    """Whether an assignment's value, or whether it is made, may depend on a failure."""
    for item in walk(node):
        if isinstance(item, (CommandSubstitution, ProcessSubstitution)):
            return True
        if isinstance(item, ParameterExpansion) and (item.name in _STATUSES or item.name in found):
            return True
    fallible, names = _context(structure, node, contexts, 0)
    return fallible or not names.isdisjoint(found)


def _context(
    structure: Structure, node: Node, contexts: dict[Node, tuple[bool, frozenset[str]]], depth: int
) -> tuple[bool, frozenset[str]]:
    """Whether a place is reached by way of a command's failure or success, and the variables that lead there."""
    command = (
        node if isinstance(node, (SimpleCommand, ArithmeticCommand)) else structure.enclosing_command(node) or node
    )
    known = contexts.get(command)
    if known is not None:
        return known
    contexts[command] = (False, frozenset())
    fallible = False
    names: set[str] = set()
    inner: Node = command
    for outer in structure.ancestors(command):
        for condition in _conditions(outer, inner):
            more, uses = _depends(structure, condition)
            fallible |= more
            names |= uses
        if isinstance(outer, FunctionDefinition) and depth < _MAX_CALLS:
            for call in structure.calls.get(outer.name, ()):
                more, used = _context(structure, call, contexts, depth + 1)
                fallible |= more
                names |= used
        inner = outer
    contexts[command] = (fallible, frozenset(names))
    return contexts[command]


def _conditions(outer: Node, inner: Node) -> Iterator[Node]:
    """Yield what decides whether `inner`, a part of `outer`, runs."""
    match outer:
        case AndOrList():
            yield from outer.commands[: outer.commands.index(inner)] if inner in outer.commands else ()
        case IfBranch() if inner is outer.body:
            yield outer.condition
        case IfClause():
            for branch in outer.branches:
                if branch is inner:
                    break
                yield branch.condition
        case WhileLoop() if inner is outer.body:
            yield outer.condition
        case CaseClause() if inner is not outer.word:
            yield outer.word
        case _:
            pass


def _depends(structure: Structure, condition: Node) -> tuple[bool, set[str]]:
    """Whether a condition runs a program, a function or reads a status; and the variables in it."""
    names: set[str] = set()
    for item in walk(condition):
        if isinstance(item, SimpleCommand):
            name = item.words[0].literal if item.words else ":"
            if name is None or name in structure.functions or name not in NEVER_FAIL:
                return True, names
        elif isinstance(item, ParameterExpansion):
            if item.name in _STATUSES:
                return True, names
            names.add(item.name)
        elif isinstance(item, ArithmeticExpression):
            names.update(_names(item))
        elif isinstance(item, (CommandSubstitution, ProcessSubstitution)):
            return True, names
    return False, names


def _read(structure: Structure) -> Iterator[tuple[Node, str]]:
    """Yield the variables that arithmetic sets: `((n++))`, `let n+=1`."""
    for node in structure.nodes(ArithmeticCommand, ArithmeticFor, ArithmeticExpansion):
        for item in walk(node):
            if isinstance(item, ArithmeticExpression):
                for name in set_in_arithmetic("".join(part.value for part in item.parts if isinstance(part, Literal))):
                    yield node, name
    for command in structure.named("let"):
        for word in command.words[1:]:
            for name in set_in_arithmetic(word.literal or ""):
                yield command, name


def set_in_arithmetic(text: str) -> Iterator[str]:
    """Yield the variables that an arithmetic expression sets."""
    for found in _SET_IN_ARITHMETIC.finditer(text):
        yield found["before"] or found["after"]


def _with_sources(structure: Structure, found: set[str]) -> set[str]:
    """Add the variables that others get their values from, in as many steps as it takes."""
    sources: dict[str, set[str]] = {}
    for name, node in _assignments(structure):
        sources.setdefault(name, set()).update(_names(node))
    pending = list(found)
    while pending:
        for name in sources.get(pending.pop(), ()):
            if name not in found:
                found.add(name)
                pending.append(name)
    return found


def _assignments(structure: Structure) -> Iterator[tuple[str, Node]]:
    """Yield which variable gets its value from which node."""
    for assignment in structure.nodes(Assignment):
        yield assignment.name, assignment
    for loop in structure.nodes(ForLoop):
        for word in loop.words or ():
            yield loop.variable, word
    for command in structure.named(*DECLARATIONS):
        for word in command.words[1:]:
            head = word.parts[0] if word.parts else None
            if isinstance(head, Literal) and "=" in head.value:
                yield head.value.partition("=")[0].removesuffix("+"), word


def _names(node: Node) -> Iterator[str]:
    """Yield the variables in a node; any name in arithmetic may be one."""
    for item in walk(node):
        if isinstance(item, ParameterExpansion):
            yield item.name
        elif isinstance(item, ArithmeticExpression):
            for part in item.parts:
                if isinstance(part, Literal):
                    yield from _NAME.findall(part.value)
        elif isinstance(item, SimpleCommand) and item.words and item.words[0].literal == "let":
            for word in item.words[1:]:
                yield from _NAME.findall(word.literal or "")
