"""What a variable or a status may be, as far as it matters for failures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from shellguard.syntax.nodes import FunctionDefinition


class Vague(Enum):
    """A text of which not everything is known."""

    FAILED = "a number other than 0"
    FILLED = "a text that isn't known but for not being empty, and is the same whether or not something fails"
    SEVERAL = "a number of 2 or more"
    UNKNOWN = "a text that isn't known, and is the same whether or not something fails"
    AFFECTED = "a text that isn't known, and that a failure may change"

    __hash__ = object.__hash__  # that of Enum takes its time, and states are looked up all along


@dataclass(frozen=True, slots=True)
class Job:
    """The process id of a background job, or several of them: what stands for the status that `wait` would give."""

    status: str | Vague


Text: TypeAlias = str | Vague
Value: TypeAlias = Text | Job | FunctionDefinition | tuple[Text, ...]

ZERO: Final = "0"


class Truth(Enum):
    """Whether a condition holds."""

    YES = "yes"
    NO = "no"
    EITHER = "either, whatever fails"
    AFFECTED = "a failure may change it"

    @property
    def negated(self) -> Truth:
        """The truth of the opposite."""
        return {Truth.YES: Truth.NO, Truth.NO: Truth.YES}.get(self, self)


def truth_of(flag: bool) -> Truth:  # noqa: FBT001 (a conversion)
    """The truth of something that is known."""
    return Truth.YES if flag else Truth.NO


def vague_truth(*values: Value) -> Truth:
    """The truth of something that depends on values that don't decide it."""
    is_affected = any(value in (Vague.AFFECTED, Vague.FAILED) for value in values)
    return Truth.AFFECTED if is_affected else Truth.EITHER


def success(status: Value) -> Truth:
    """Whether a status says that all went well."""
    match status:
        case str():
            return truth_of(status.lstrip("0") == "")
        case Vague.FAILED | Vague.SEVERAL:
            return Truth.NO
        case Vague.UNKNOWN | Vague.FILLED:
            return Truth.EITHER
        case _:
            return Truth.AFFECTED


def both(first: Truth, second: Truth) -> Truth:
    """The truth of `first && second`."""
    if Truth.NO in (first, second):
        return Truth.NO
    if first is second is Truth.YES:
        return Truth.YES
    return Truth.AFFECTED if Truth.AFFECTED in (first, second) else Truth.EITHER


def status_of(truth: Truth) -> Text:
    """The status of a test."""
    match truth:
        case Truth.YES:
            return ZERO
        case Truth.NO:
            return "1"
        case Truth.EITHER:
            return Vague.UNKNOWN
        case Truth.AFFECTED:
            return Vague.AFFECTED


def joined(first: Value, second: Value) -> Value:
    """What is known of a value that is one or the other."""
    if first == second:
        return first
    if success(first) is success(second) is Truth.NO:
        return Vague.FAILED
    return Vague.AFFECTED


def number(value: Value) -> int | Vague:
    """A value as a number; an empty or unset one counts 0 in arithmetic."""
    match value:
        case str():
            text = value.strip()
            return int(text) if text.lstrip("+-").isdecimal() and len(text) < 19 else (0 if not text else Vague.UNKNOWN)
        case Vague.FILLED:
            return Vague.UNKNOWN
        case Vague():
            return value
        case _:
            return Vague.UNKNOWN


def counted(value: int) -> Text:
    """The text of a computed number; counts above 1 are only known to be there, so that loops come to an end."""
    if value > 1:
        return Vague.SEVERAL
    return str(value) if value >= -1 else Vague.FAILED


def compare_numbers(operator: str, left: int | Vague, right: int | Vague) -> Truth:
    """The truth of `left operator right`; what failed counts as 1 or more."""
    if isinstance(left, int) and isinstance(right, int):
        flags = {"==": left == right, "!=": left != right, "<": left < right, ">": left > right}
        flags |= {"<=": left <= right, ">=": left >= right}
        return truth_of(flags[operator])
    if left in _AT_LEAST and isinstance(right, int):
        return _beyond(operator, left, right)
    if right in _AT_LEAST and isinstance(left, int):
        turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(operator, operator)
        return _beyond(turned, right, left)
    return vague_truth(left if isinstance(left, Vague) else ZERO, right if isinstance(right, Vague) else ZERO)


_AT_LEAST: Final[dict[int | Vague, int]] = {Vague.FAILED: 1, Vague.SEVERAL: 2}


def _beyond(operator: str, value: int | Vague, limit: int) -> Truth:
    """The truth of `value operator limit` for a value of which only the least is known."""
    least = _AT_LEAST[value]
    if least > limit:
        return truth_of(operator in {"!=", ">", ">="})
    if least == limit and operator in {">=", "<"}:
        return truth_of(operator == ">=")
    return vague_truth(value if isinstance(value, Vague) else ZERO)


def compare_texts(left: Value, right: Value) -> Truth:
    """Whether two texts are equal."""
    if isinstance(left, str) and isinstance(right, str):
        return truth_of(left == right)
    for one, other in ((left, right), (right, left)):
        if (
            one in (Vague.FAILED, Vague.SEVERAL)
            and isinstance(other, str)
            and not other.strip().lstrip("0").isdecimal()
        ):
            return Truth.NO
        if (one is Vague.FILLED or isinstance(one, Job)) and other == "":
            return Truth.NO
    return vague_truth(left, right)
