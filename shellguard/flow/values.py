"""What a word can stand for: strings and paths, as far as the script alone tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from shellguard.syntax.nodes import (
    AndOrList,
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

MAX_ALTERNATIVES: Final = 4
# What stands before a `cd` or `dirname` in a substitution without changing what is printed.
_PREPARE: Final = frozenset({"CDPATH=", "unset", "set", ":", "exit"})
_MAX_ATOMS: Final = 24
_MAX_LENGTH: Final = 8192


@dataclass(frozen=True, slots=True)
class Symbol:
    """Text that isn't known before the script runs. Two symbols of one name stand for the same text.

    `name` is a variable (`OUT`), a positional parameter of a function (`1@run`), or the source of an expansion.
    """

    name: str


SCRIPT: Final = Symbol("the script itself")
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
        joined: Alternative = (*before[:-1], before[-1] + after[0], *after[1:])
    else:
        joined = before + after
    # `v1=$v0$v0 v2=$v1$v1 …` doubles at each step: a path longer than any system takes is as good as unknown.
    length = sum(len(atom) for atom in joined if isinstance(atom, str))
    fits = len(joined) <= _MAX_ATOMS and length <= _MAX_LENGTH
    return joined if fits else (Symbol(render(joined[:3])[:200]),)


def join(first: Value, second: Value) -> Value:
    """The value of a variable that is one on some paths and another on others."""
    if first == second:
        return first
    alternatives = tuple(dict.fromkeys(first.alternatives + second.alternatives))
    return Value(alternatives) if len(alternatives) <= MAX_ALTERNATIVES else _merged(Value(alternatives))


def without_name(value: Value, name: str) -> Value:
    """The value of `NAME=value`, the alternatives that begin otherwise left out."""
    rests = []
    for atoms in value.alternatives:
        first = atoms[0] if atoms else ""
        if isinstance(first, str) and first.startswith(f"{name}="):
            rests.append((first[len(name) + 1 :], *atoms[1:]))
    return Value(tuple(rests))


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
    if part.name in {"0", "BASH_SOURCE"}:
        own = _own_path(part, text)
        if own is not None:
            return own
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


def _own_path(part: ParameterExpansion, text: str) -> Value | None:
    """What `$0`, `${BASH_SOURCE[0]}`, `${0%/*}` and their like can stand for; None for what tells no path."""
    if part.subscript is not None and part.subscript.literal != "0":
        return None
    if part.operator in {"", ":-", "-"}:
        return Value(((SCRIPT,),))
    operand = text[part.operands[0].start : part.operands[0].end] if part.operands else ""
    return Value(((SCRIPT_FOLDER,),)) if part.operator == "%" and operand == "/*" else None


def _substitution_value(part: CommandSubstitution, environment: Environment, text: str) -> Value:
    """What `$(…)` can stand for: a folder, the script itself, a fresh temporary file, an echoed text, or unknown."""
    commands = [item for item in _outer_commands(part) if _first_word(item) not in _PREPARE]
    names = [_first_word(item) for item in commands]
    operand = evaluate(commands[0].words[-1], environment, text) if commands and commands[0].words else EMPTY
    match names:
        case ["dirname"]:
            found = _folder_of(operand)
        case ["readlink" | "realpath" | "greadlink" | "grealpath"]:
            found = operand if _is_placed(operand) else None
        case ["cd", "pwd"]:
            found = operand if _is_placed(operand) or operand.known_start.startswith("/") else None
        case ["pwd"]:
            found = environment.get("PWD") or Value(((WORKING_FOLDER,),))
        case ["echo" | "printf"] if len(commands[0].words) == 2:
            found = operand
        case [*_, "mktemp" | "tempfile"]:
            found = symbol_value(f"a fresh temporary file ({part.start})")
        case _:
            found = None
    return found or symbol_value(text[part.start : part.end])


def _outer_commands(part: CommandSubstitution) -> list[SimpleCommand]:
    """The simple commands of a substitution in order, where it is a plain list of them; else none."""
    found: list[SimpleCommand] = []
    for command in part.body.commands:
        parts = command.commands if isinstance(command, AndOrList) else (command,)
        if not all(isinstance(item, SimpleCommand) for item in parts):
            return []
        found += [item for item in parts if isinstance(item, SimpleCommand)]
    return found


def _is_placed(value: Value) -> bool:
    """Whether a value is told relative to the script."""
    return all(atoms and atoms[0] in (SCRIPT, SCRIPT_FOLDER) for atoms in value.alternatives)


def _folder_of(value: Value) -> Value | None:
    """What `dirname` makes of a path; None where that isn't known."""
    folders = [_folder(atoms) for atoms in value.alternatives]
    known = [folder for folder in folders if folder is not None]
    return Value(tuple(dict.fromkeys(known))) if len(known) == len(folders) else None


def _folder(atoms: Alternative) -> Alternative | None:
    """The folder of one possible path."""
    match atoms:
        case (head,) if head is SCRIPT:
            return (SCRIPT_FOLDER,)
        case (head,) if head is SCRIPT_FOLDER:
            return (SCRIPT_FOLDER, "/..")
        case (*head, str(tail)) if "/" in tail and not tail.endswith(("/", "/..")):
            folder = tail.rpartition("/")[0]
            return (*head, folder) if folder else (tuple(head) or ("/",))
        case _:
            return None


def _first_word(command: SimpleCommand) -> str:
    """The command word, where it is known."""
    if not command.words:
        return f"{command.assignments[0].name}=" if command.assignments else ""
    return command.words[0].literal or ""
