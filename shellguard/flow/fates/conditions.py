"""Does a test hold in a state?"""

from __future__ import annotations

from typing import Final

from shellguard.flow.fates import arithmetic
from shellguard.flow.fates.states import State
from shellguard.flow.fates.values import (
    Truth,
    Value,
    both,
    compare_numbers,
    compare_texts,
    number,
    truth_of,
    vague_truth,
)
from shellguard.flow.fates.words import expand
from shellguard.syntax.nodes import (
    ConditionalAndOr,
    ConditionalBinary,
    ConditionalExpression,
    ConditionalGroup,
    ConditionalNot,
    ConditionalUnary,
    ConditionalWord,
    Word,
)

_NUMERIC: Final = {"-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">="}
_BINARY: Final = frozenset({*_NUMERIC, "=", "==", "!=", "<", ">", "=~", "-nt", "-ot", "-ef"})
_PATTERN_MARKS: Final = frozenset("*?[(")


def conditional(expression: ConditionalExpression | None, state: State) -> Truth:
    """Whether the expression of a `[[ ]]` holds."""
    match expression:
        case None:
            return Truth.EITHER
        case ConditionalWord():
            return _is_filled(expand(expression.word, state))
        case ConditionalUnary():
            return _unary(expression.operator, expand(expression.operand, state))
        case ConditionalBinary():
            return _conditional_binary(expression, state)
        case ConditionalNot():
            return conditional(expression.operand, state).negated
        case ConditionalGroup():
            return conditional(expression.expression, state)
        case ConditionalAndOr():
            first, second = conditional(expression.left, state), conditional(expression.right, state)
            if expression.operator == "&&":
                return both(first, second)
            return both(first.negated, second.negated).negated


def _conditional_binary(expression: ConditionalBinary, state: State) -> Truth:
    left = expand(expression.left, state)
    if expression.operator in _NUMERIC:
        return compare_numbers(_NUMERIC[expression.operator], _computed(left, state), _right(expression, state))
    if expression.operator in {"=", "==", "!="}:
        found = matches(left, expression.right, state)
        return found.negated if expression.operator == "!=" else found
    return vague_truth(left, expand(expression.right, state))


def _right(expression: ConditionalBinary, state: State) -> arithmetic.Number:
    return _computed(expand(expression.right, state), state)


def _computed(value: Value, state: State) -> arithmetic.Number:
    """An operand of `-eq` in `[[ ]]`, which is arithmetic: a name stands for its value."""
    if isinstance(value, str):
        return arithmetic.evaluate(value, state)[0]
    return number(value)


def matches(value: Value, pattern: Word, state: State) -> Truth:
    """Whether a value matches a pattern, as `case` and `[[ = ]]` have it."""
    wanted = expand(pattern, state)
    if pattern.literal is None or any(char in _PATTERN_MARKS for char in pattern.literal):
        is_star = len(pattern.parts) == 1 and getattr(pattern.parts[0], "value", "") == "*" and pattern.literal is None
        if is_star:
            return Truth.YES
        if pattern.literal is None and not isinstance(wanted, str):
            return vague_truth(value, wanted)
    if not isinstance(wanted, str):
        return vague_truth(value, wanted)
    return compare_texts(value, wanted)


def _is_filled(value: Value) -> Truth:
    return compare_texts(value, "").negated


def _unary(operator: str, operand: Value) -> Truth:
    match operator:
        case "-n":
            return _is_filled(operand)
        case "-z":
            return compare_texts(operand, "")
        case _:
            return vague_truth(operand)


def evaluate_test(arguments: list[Value]) -> Truth:
    """Whether `test` or `[` with these arguments (`]` left out) succeeds; POSIX decides by their number."""
    match arguments:
        case []:
            return Truth.NO
        case [single]:
            return _is_filled(single)
        case ["!", *rest]:
            return evaluate_test(rest).negated
        case [str() as operator, operand] if operator.startswith("-"):
            return _unary(operator, operand)
        case [left, str() as operator, right] if operator in _BINARY:
            return _binary(left, operator, right)
        case ["(", *rest, ")"]:
            return evaluate_test(rest)
        case _:
            return _compound(arguments)


def _compound(arguments: list[Value]) -> Truth:
    """`-a` binds tighter than `-o`."""
    for operator in ("-o", "-a"):
        for place in range(1, len(arguments) - 1):
            if arguments[place] == operator:
                first, second = evaluate_test(arguments[:place]), evaluate_test(arguments[place + 1 :])
                if operator == "-a":
                    return both(first, second)
                return both(first.negated, second.negated).negated
    return vague_truth(*arguments)


def _binary(left: Value, operator: str, right: Value) -> Truth:
    if operator in _NUMERIC:
        if left == "" or right == "":
            return Truth.NO  # an error, with status 2
        return compare_numbers(_NUMERIC[operator], number(left), number(right))
    if operator in {"=", "=="}:
        return compare_texts(left, right)
    if operator == "!=":
        return compare_texts(left, right).negated
    return vague_truth(left, right) if not (isinstance(left, str) and isinstance(right, str)) else _text(operator)


def _text(operator: str) -> Truth:
    return truth_of(flag=False) if operator == "-ef" else Truth.EITHER
