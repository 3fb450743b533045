"""What does an arithmetic expression come to, and what does it assign?"""

from __future__ import annotations

import re
from typing import Final

from shellguard.flow.fates.states import State
from shellguard.flow.fates.values import Truth, Vague, compare_numbers, counted, number
from shellguard.syntax.nodes import ArithmeticExpression, Literal, ParameterExpansion

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<name>[A-Za-z_]\w*(?:\[[^\]]*\])?)|(?P<mark>\+\+|--|\*\*|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\|"
    r"|[-+*/%&|^]=|[-+*/%&|^!~<>=?:(),]))"
)
_LEVELS: Final = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
Number = int | Vague
_COUNTS: Final[frozenset[Number]] = frozenset({Vague.FAILED, Vague.SEVERAL})


def source(expression: ArithmeticExpression) -> str:
    """The expression with `$name` as `name`; what else is expanded becomes a name that nothing sets."""
    texts = []
    for part in expression.parts:
        match part:
            case Literal():
                texts.append(part.value)
            case ParameterExpansion(prefix="", operator="", subscript=None):
                texts.append(" __status " if part.name == "?" else f" {part.name} ")
            case ParameterExpansion(prefix="#"):
                texts.append(f" __count_{part.name} ")
            case _:
                texts.append(" __unknown ")
    return "".join(texts)


class _UnreadableError(Exception):
    """The expression is none that is known here."""


class _Reader:
    """Evaluates an expression while it reads it."""

    def __init__(self, text: str, state: State) -> None:
        self._tokens: list[str] = []
        position = 0
        text = text.strip()
        while position < len(text):
            found = _TOKEN.match(text, position)
            if found is None:
                raise _UnreadableError
            self._tokens.append(found[0].strip())
            position = found.end()
        self._place = 0
        self.state = state

    def value(self) -> Number:
        """The whole expression."""
        result: Number = self._assignment()
        while self._take(","):
            result = self._assignment()
        if self._place != len(self._tokens):
            raise _UnreadableError
        return result

    def _peek(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _take(self, *marks: str) -> str:
        token = self._peek()
        if token and token in marks:
            self._place += 1
            return token
        return ""

    def _assignment(self) -> Number:
        name = self._peek()
        following = self._tokens[self._place + 1] if self._place + 1 < len(self._tokens) else ""
        if name[:1].isidentifier() and following.endswith("=") and following not in {"==", "!=", "<=", ">="}:
            self._place += 2
            value = self._assignment()
            if following != "=":
                value = _compute(following[:-1], self._variable(name), value)
            self._set(name, value)
            return value
        return self._conditional()

    def _conditional(self) -> Number:
        condition = self._binary(0)
        if not self._take("?"):
            return condition
        first = self._assignment()
        if not self._take(":"):
            raise _UnreadableError
        second = self._assignment()
        match holds(condition):
            case Truth.YES:
                return first
            case Truth.NO:
                return second
            case _ if first == second:
                return first
            case Truth.EITHER:
                return Vague.UNKNOWN
            case _:
                return Vague.AFFECTED

    def _binary(self, level: int) -> Number:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while mark := self._take(*_LEVELS[level]):
            left = _compute(mark, left, self._binary(level + 1))
        return left

    def _unary(self) -> Number:
        if mark := self._take("!", "-", "+", "~"):
            value = self._unary()
            if mark == "!":
                return _as_number(holds(value).negated)
            if isinstance(value, int):
                return -value if mark == "-" else value if mark == "+" else ~value
            return value
        if mark := self._take("++", "--"):
            name = self._peek()
            self._place += 1
            value = _compute(mark[0], self._variable(name), 1)
            self._set(name, value)
            return value
        return self._operand()

    def _operand(self) -> Number:
        if self._take("("):
            value = self._assignment()
            if not self._take(")"):
                raise _UnreadableError
            return value
        token = self._peek()
        self._place += 1
        if token.isdigit():
            return int(token) if len(token) < 19 else Vague.UNKNOWN
        if not token[:1].isidentifier():
            raise _UnreadableError
        value = self._variable(token)
        if mark := self._take("++", "--"):
            self._set(token, _compute(mark[0], value, 1))
        return value

    def _variable(self, name: str) -> Number:
        if name == "__status":
            return number(self.state.status)
        array, bracket, index = name.partition("[")
        known = self.state.environment.get(array.removeprefix("__count_"))
        if isinstance(known, tuple) and (not bracket or index[:-1].isdigit()):
            number_of = int(index[:-1]) if bracket else 0
            return number(known[number_of] if number_of < len(known) else "")
        if known is None:
            return Vague.UNKNOWN
        if name.startswith("__count_") and isinstance(known, str):
            return len(known)
        if name.startswith("__count_") and known is Vague.FILLED:
            return Vague.FAILED
        return number(known)

    def _set(self, name: str, value: Number) -> None:
        if name[:1].isidentifier() and "[" not in name:
            self.state = self.state.assigned(name, counted(value) if isinstance(value, int) else value)


def holds(value: Number) -> Truth:
    """Whether a number counts as true: all but 0 do."""
    return compare_numbers("!=", value, 0)


def _as_number(truth: Truth) -> Number:
    match truth:
        case Truth.YES:
            return 1
        case Truth.NO:
            return 0
        case Truth.EITHER:
            return Vague.UNKNOWN
        case Truth.AFFECTED:
            return Vague.AFFECTED


def _compute(mark: str, left: Number, right: Number) -> Number:
    """The value of `left mark right`."""
    if mark in {"==", "!=", "<", ">", "<=", ">="}:
        return _as_number(compare_numbers(mark, left, right))
    if mark in {"&&", "||"}:
        return _logical(mark, holds(left), holds(right))
    if isinstance(left, int) and isinstance(right, int):
        return _exact(mark, left, right)
    if not {left, right}.isdisjoint(_COUNTS) and mark in {"+", "|"}:
        vague, other = (left, right) if left in _COUNTS else (right, left)
        if other == 0 or (mark == "|" and isinstance(other, int) and other > 0):
            return vague
        # What failed is at least 1, and what is added counts on.
        return Vague.SEVERAL if other in _COUNTS or (isinstance(other, int) and other > 0) else Vague.AFFECTED
    return Vague.UNKNOWN if {left, right}.isdisjoint({Vague.FAILED, Vague.AFFECTED}) else Vague.AFFECTED


def _logical(mark: str, left: Truth, right: Truth) -> Number:
    decides = Truth.NO if mark == "&&" else Truth.YES
    if decides in (left, right):
        return _as_number(decides)
    if left is right is decides.negated:
        return _as_number(decides.negated)
    return Vague.AFFECTED if Truth.AFFECTED in (left, right) else Vague.UNKNOWN


def _exact(mark: str, left: int, right: int) -> Number:
    match mark:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "|":
            return left | right
        case "&":
            return left & right
        case "^":
            return left ^ right
        case "/" if right:
            return int(left / right)
        case "%" if right:
            return left % right
        case _:
            return Vague.UNKNOWN


def evaluate(text: str, state: State) -> tuple[Number, State]:
    """The value of an expression, and the state after its assignments; nothing is known of what can't be read."""
    try:
        reader = _Reader(text, state)
        value = reader.value() if text.strip() else 0
    except (_UnreadableError, RecursionError):
        return Vague.UNKNOWN, state
    return value, reader.state
