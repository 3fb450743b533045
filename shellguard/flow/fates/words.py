"""What can a word stand for in a state?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shellguard.flow.fates import arithmetic
from shellguard.flow.fates.states import State
from shellguard.flow.fates.values import ZERO, Job, Text, Truth, Vague, Value, compare_texts, counted, success
from shellguard.syntax.nodes import (
    AnsiCQuoted,
    ArithmeticExpansion,
    CommandSubstitution,
    DoubleQuoted,
    Escape,
    Literal,
    ParameterExpansion,
    SingleQuoted,
    Word,
    WordPart,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST: Final = 200
_NOTHING: Final = "${__}"


def expand(word: Word, state: State) -> Value:
    """What a word is after its expansions, in one piece."""
    if word.literal is not None:
        return word.literal
    return _concatenated(_part(part, state) for part in word.parts)


def outline(word: Word, state: State) -> Text:
    """A word of shell code, with an expansion without value for what isn't known; UNKNOWN where a failure tells it."""
    parts = word.parts
    if len(parts) == 1 and isinstance(parts[0], DoubleQuoted):
        parts = parts[0].parts
    values = [_part(part, state) for part in parts]
    if len(values) < 2 or not {Vague.AFFECTED, Vague.FAILED, Vague.SEVERAL}.isdisjoint(values):
        return Vague.UNKNOWN
    return "".join(value if isinstance(value, str) else _NOTHING for value in values)


def expand_parts(parts: tuple[WordPart, ...], state: State, *, before: str = "") -> Value:
    """What parts of a word are after their expansions, with a known text before them."""
    values: list[Value] = [before] if before or not parts else []
    return _concatenated([*values, *(_part(part, state) for part in parts)])


def expand_all(words: Iterable[Word], state: State) -> list[Value]:
    """What words become; `"$@"` and `$*` become several where they are known, and end the list where they aren't."""
    found: list[Value] = []
    for word in words:
        if _is_parameters(word):
            known = state.environment.get("@")
            if not isinstance(known, tuple):
                return [*found, Vague.UNKNOWN]
            found.extend(known)
        else:
            found.append(expand(word, state))
    return found


def _is_parameters(word: Word) -> bool:
    """Whether a word is `"$@"`, `$@` or `$*`."""
    parts = word.parts
    if len(parts) == 1 and isinstance(parts[0], DoubleQuoted):
        parts = parts[0].parts
        only_at = True
    else:
        only_at = False
    part = parts[0] if len(parts) == 1 else None
    return (
        isinstance(part, ParameterExpansion)
        and not part.operator
        and not part.prefix
        and (part.name == "@" or (part.name == "*" and not only_at))
    )


def _concatenated(values: Iterable[Value]) -> Value:
    pieces = list(values)
    if len(pieces) == 1:
        return pieces[0]
    text = "".join(piece for piece in pieces if isinstance(piece, str))
    if all(isinstance(piece, str) for piece in pieces):
        return text if len(text) <= _LONGEST else Vague.UNKNOWN
    if text or Vague.FILLED in pieces:
        return Vague.FILLED
    return Vague.AFFECTED if Vague.AFFECTED in pieces or Vague.FAILED in pieces else Vague.UNKNOWN


def _part(part: WordPart, state: State) -> Value:
    match part:
        case Literal() | Escape() | SingleQuoted() | AnsiCQuoted():
            return part.value
        case DoubleQuoted():
            return _concatenated(_part(inner, state) for inner in part.parts) if part.parts else ""
        case ParameterExpansion():
            return _parameter(part, state)
        case ArithmeticExpansion():
            value, _ = arithmetic.evaluate(arithmetic.source(part.expression), state)
            return counted(value) if isinstance(value, int) else value
        case CommandSubstitution():
            return state.environment.get(substitution_name(part)) or Vague.UNKNOWN
        case _:
            return Vague.UNKNOWN


def substitution_name(part: CommandSubstitution) -> str:
    """The name under which a state keeps what a substitution printed."""
    return f"$({id(part)}"


def _parameter(part: ParameterExpansion, state: State) -> Value:
    """What `$name` or `${name…}` is."""
    known = _plain(part, state)
    if part.prefix in {"#", "!"}:
        return _length(known) if part.prefix == "#" else Vague.UNKNOWN
    match part.operator:
        case "":
            return known
        case ":-" | "-" | ":=" | "=" | ":?" | "?" if known is not Vague.UNKNOWN:
            if known == "" and part.operator.startswith(":") and part.operands and part.operator[-1] in "-=":
                return expand(part.operands[0], state)
            return known
        case ":+" | "+" if known is not Vague.UNKNOWN and part.operands:
            if compare_texts(known, "") is Truth.YES:
                return ""
            if compare_texts(known, "") is Truth.NO:
                return expand(part.operands[0], state)
            return Vague.AFFECTED if known is Vague.AFFECTED else Vague.UNKNOWN
        case _:
            return Vague.AFFECTED if known in (Vague.AFFECTED, Vague.FAILED) else Vague.UNKNOWN


def _plain(part: ParameterExpansion, state: State) -> Value:
    """A parameter's own value, without what an operator makes of it."""
    match part.name:
        case "?":
            return state.status
        case "#":
            words = state.environment.get("@")
            known: Value | None = str(len(words)) if isinstance(words, tuple) else None
        case "PIPESTATUS":
            known = state.statuses or (state.status,)
        case _:
            known = state.environment.get(part.name)
    if known is None:
        return Vague.UNKNOWN
    return _element(known, part) if isinstance(known, tuple) else known


def _element(statuses: tuple[Text, ...], part: ParameterExpansion) -> Value:
    """One element of an array of statuses; all of them together say whether one failed."""
    index = part.subscript.literal if part.subscript is not None else ZERO
    if index is not None and index.isdigit():
        return element(statuses, int(index))
    if any(success(status) is Truth.NO for status in statuses):
        return Vague.FAILED
    return ZERO if all(success(status) is Truth.YES for status in statuses) else Vague.AFFECTED


def element(statuses: tuple[Text, ...], index: int) -> Text:
    """An element of an array; empty where it has none of that number."""
    return statuses[index] if index < len(statuses) else ""


def _length(known: Value) -> Text:
    """`${#name}`: 0 or not."""
    if isinstance(known, str):
        return counted(len(known))
    if isinstance(known, Job | tuple) or known in (Vague.FAILED, Vague.FILLED, Vague.SEVERAL):
        return Vague.FAILED
    return known if isinstance(known, Vague) else Vague.UNKNOWN
