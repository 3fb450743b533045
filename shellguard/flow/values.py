"""What a word can stand for: strings and paths, as far as the script alone tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from shellguard.syntax.nodes import (
    AnsiCQuoted,
    CommandSubstitution,
    DoubleQuoted,
    Escape,
    Glob,
    Literal,
    ParameterExpansion,
    SimpleCommand,
    SingleQuoted,
    Word,
    WordPart,
)
from shellguard.syntax.walk import walk

MAX_ALTERNATIVES: Final = 4
_MAX_ATOMS: Final = 24


@dataclass(frozen=True, slots=True)
class Symbol:
    """Text that isn't known before the script runs. Two symbols of one name stand for the same text.

    `name` is a variable (`OUT`), a positional parameter of a function (`1@run`), or the source of an expansion.
    """

    name: str


SCRIPT_FOLDER: Final = Symbol("the script's own folder")
WORKING_FOLDER: Final = Symbol("the working directory")
WILDCARD: Final = Symbol("*")

Atom: TypeAlias = str | Symbol
Alternative: TypeAlias = tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """The texts that a word can stand for, at most `MAX_ALTERNATIVES`; each is a run of strings and symbols."""

    alternatives: tuple[Alternative, ...]

    @property
    def literal(self) -> str | None:
        """The text, where there is one only and all of it is known."""
        if len(self.alternatives) != 1:
            return None
        atoms = self.alternatives[0]
        if not atoms:
            return ""
        return atoms[0] if len(atoms) == 1 and isinstance(atoms[0], str) else None

    @property
    def known_start(self) -> str:
        """What every alternative certainly begins with, where there is one alternative only."""
        atoms = self.alternatives[0] if len(self.alternatives) == 1 else ()
        return atoms[0] if atoms and isinstance(atoms[0], str) else ""


EMPTY: Final = Value(((),))


def text_value(text: str) -> Value:
    """A value that is known."""
    return Value(((text,),)) if text else EMPTY


def symbol_value(name: str) -> Value:
    """A value of which nothing is known but its name."""
    return Value(((Symbol(name),),))


def concatenate(values: Iterable[Value]) -> Value:
    """The value of words written next to each other."""
    result: list[Alternative] = [()]
    for value in values:
        fits = len(result) * len(value.alternatives) <= MAX_ALTERNATIVES
        alternatives = value.alternatives if fits else _merged(value).alternatives
        result = [_glue(before, after) for before in result for after in alternatives]
    return Value(tuple(dict.fromkeys(result)))


def _merged(value: Value) -> Value:
    """A symbol for a value of too many alternatives; its name is bounded, however often values are merged."""
    return symbol_value(f"one of several, {render(value.alternatives[0])[:60]}")


def _glue(before: Alternative, after: Alternative) -> Alternative:
    """Join two runs; strings that meet become one."""
    if before and after and isinstance(before[-1], str) and isinstance(after[0], str):
        return (*before[:-1], before[-1] + after[0], *after[1:])
    joined = before + after
    return joined if len(joined) <= _MAX_ATOMS else (Symbol(render(joined)[:200]),)


def join(first: Value, second: Value) -> Value:
    """The value of a variable that is one on some paths and another on others."""
    if first == second:
        return first
    alternatives = tuple(dict.fromkeys(first.alternatives + second.alternatives))
    return Value(alternatives) if len(alternatives) <= MAX_ALTERNATIVES else _merged(Value(alternatives))


def render(atoms: Alternative) -> str:
    """The run as one string in which symbols can't be mistaken for text (their names stand between NULs)."""
    return "".join(atom if isinstance(atom, str) else f"\0{atom.name}\0" for atom in atoms)


Environment: TypeAlias = Mapping[str, Value]


def evaluate(word: Word | None, environment: Environment, text: str) -> Value:
    """What a word can stand for; `text` is the script's source, which names what isn't known."""
    if word is None:
        return EMPTY
    if word.literal is not None:
        return text_value(word.literal)
    return concatenate(part_value(part, environment, text) for part in word.parts)


def part_value(part: WordPart, environment: Environment, text: str) -> Value:
    """What one part of a word can stand for."""
    match part:
        case Literal() | Escape() | SingleQuoted() | AnsiCQuoted():
            return text_value(part.value)
        case DoubleQuoted():
            return concatenate(part_value(inner, environment, text) for inner in part.parts)
        case ParameterExpansion():
            return _parameter_value(part, environment, text)
        case CommandSubstitution():
            return _substitution_value(part, environment, text)
        case Glob():
            return Value(((WILDCARD,),))
        case _:
            return symbol_value(text[part.start : part.end])


def _parameter_value(part: ParameterExpansion, environment: Environment, text: str) -> Value:
    """What `$name` or `${name…}` can stand for."""
    source = text[part.start : part.end]
    if part.prefix:
        return symbol_value(source)
    if part.name in {"0", "BASH_SOURCE"} and part.operator in {"%", "%%"}:
        return Value(((SCRIPT_FOLDER,),))
    known = environment.get(part.name) if part.subscript is None else None
    if not part.operator:
        return known or symbol_value(part.name if part.subscript is None else source)
    if part.operator in {":-", "-", ":=", "="} and part.operands:
        if known is not None and known.literal:
            return known
        return join(known or symbol_value(part.name), evaluate(part.operands[0], environment, text))
    if part.operator in {":?", "?"}:
        return known or symbol_value(part.name)
    return symbol_value(source)


def _substitution_value(part: CommandSubstitution, environment: Environment, text: str) -> Value:
    """What `$(…)` can stand for: the script's folder, the working directory, a fresh temporary file, or unknown."""
    source = text[part.start : part.end]
    command = part.body.commands[-1] if part.body.commands else None
    names = [_first_word(item) for item in walk(part.body) if isinstance(item, SimpleCommand)]
    if names and set(names) <= {"dirname", "cd", "pwd", "readlink", "realpath", "CDPATH="}:
        if any(mark in source for mark in ("$0", "${0", "BASH_SOURCE")):
            return Value(((SCRIPT_FOLDER,),))
        if names == ["pwd"]:
            return environment.get("PWD") or Value(((WORKING_FOLDER,),))
    if isinstance(command, SimpleCommand) and _first_word(command) in {"mktemp", "tempfile"}:
        return symbol_value(f"a fresh temporary file ({part.start})")
    if isinstance(command, SimpleCommand) and len(names) == 1 and names[0] in {"echo", "printf"}:
        words = command.words[1:]
        if len(words) == 1:
            return evaluate(words[0], environment, text)
    return symbol_value(source)


def _first_word(command: SimpleCommand) -> str:
    """The command word, where it is known."""
    if not command.words:
        return f"{command.assignments[0].name}=" if command.assignments else ""
    return command.words[0].literal or ""
