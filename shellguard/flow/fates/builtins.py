"""What the shell's own commands do to statuses, options, variables and the flow of control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from shellguard.flow.fates import arithmetic
from shellguard.flow.fates.calls import with_parameters
from shellguard.flow.fates.conditions import evaluate_test
from shellguard.flow.fates.states import JOBS, TRAP, TRAPPED, State
from shellguard.flow.fates.values import ZERO, Job, Text, Truth, Vague, Value, status_of, success
from shellguard.flow.fates.words import expand_parts, outline
from shellguard.flow.fates.worlds import BASE, Outcome
from shellguard.flow.structure import DECLARATIONS
from shellguard.syntax.nodes import ArrayLiteral, Literal, ParameterExpansion, SimpleCommand, Word
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.fates.interpreter import Interpreter


@dataclass(frozen=True, slots=True)
class Call:
    """A builtin that is run: the command, its words, and the state in which it runs."""

    machine: Interpreter
    command: SimpleCommand
    values: list[Value]
    state: State
    mask: int
    suppressed: bool

    @property
    def operands(self) -> list[Value]:
        """The words after the name."""
        return self.values[1:]

    def ends(self, status: Text, state: State | None = None) -> Outcome:
        """The outcome where it is done with this status."""
        outcome = Outcome()
        outcome.done.add((self.state if state is None else state).ended(status), self.mask)
        return outcome


Builtin = Callable[[Call], Outcome]

_MOST_DIGITS: Final = 18
_LETTERS: Final = {"e": "errexit", "E": "errtrace"}
_OPTIONS: Final = frozenset({"errexit", "errtrace", "pipefail", "posix"})
_SHOPT: Final = frozenset({"inherit_errexit", "lastpipe"})
_SUCCEEDING: Final = (
    ":",
    "true",
    "echo",
    "printf",
    "unset",
    "alias",
    "unalias",
    "umask",
    "ulimit",
    "times",
    "mapfile",
    "readarray",
    "bind",
    "complete",
    "compopt",
    "enable",
    "history",
    "disown",
    "dirs",
    "caller",
    "hash",
    "jobs",
)
_ASKING: Final = ("type", "getopts", "read", "compgen")


def _succeed(call: Call) -> Outcome:
    return call.ends(ZERO)


def _fail(call: Call) -> Outcome:
    return call.ends("1")


def _ask(call: Call) -> Outcome:
    """What only the run can tell; `read` and `getopts` give variables a value."""
    state = call.state
    if call.values[0] in {"read", "getopts"}:
        for name in call.operands:
            if isinstance(name, str) and name in call.machine.relevant:
                state = state.assigned(name, Vague.UNKNOWN)
    return call.ends(Vague.UNKNOWN, state)


def _test(call: Call) -> Outcome:
    arguments = call.operands
    if call.values[0] == "[" and arguments and arguments[-1] == "]":
        arguments = arguments[:-1]
    return call.ends(status_of(evaluate_test(arguments)))


def _operand(call: Call) -> Text:
    """The status that the operand of `exit` or `return` gives."""
    value = call.operands[0]
    if isinstance(value, str):
        text = value.strip().lstrip("+")
        return str(int(text) % 256) if text.lstrip("-").isdecimal() and len(text) <= _MOST_DIGITS else "2"
    if value is Vague.UNKNOWN and not call.mask & BASE and not _is_set(call):
        kept = _kept_or(call.state.status)
        call.machine.torn |= call.mask if kept is Vague.AFFECTED else 0
        return kept
    return value if isinstance(value, Vague) else Vague.AFFECTED


def _kept_or(status: Text) -> Text:
    """The status after `return $X`, which keeps it if `X` is empty."""
    return Vague.UNKNOWN if status == ZERO or success(status) is Truth.EITHER else Vague.AFFECTED


def _is_set(call: Call) -> bool:
    """Whether the variables of the operands are set to something by the script."""
    words = call.command.words[1:]
    names = [node.name for word in words for node in walk(word) if isinstance(node, ParameterExpansion)]
    return bool(names) and call.machine.script.filled.issuperset(names)


def _exit(call: Call) -> Outcome:
    trapped = call.state.environment.get(TRAPPED)
    status = trapped if isinstance(trapped, str | Vague) else call.state.status
    outcome = Outcome()
    ended = call.state.ended(_operand(call) if call.operands else status)
    outcome.exit_at(call.command.start).add(ended, call.mask)
    return outcome


def _return(call: Call) -> Outcome:
    """`return`: outside of functions bash says that it can't, and goes on; other shells end the script."""
    if call.machine.start.is_program and not call.machine.functions.is_in_one:
        return call.ends("2")
    outcome = Outcome()
    ended = call.state.ended(_operand(call) if call.operands else call.state.status)
    outcome.jump("return", 0).add(ended, call.mask)
    return outcome


def _jump(call: Call) -> Outcome:
    """`break` and `continue`."""
    count = call.operands[0] if call.operands else "1"
    number = int(count) if isinstance(count, str) and count.isdigit() and count != ZERO else 1
    outcome = Outcome()
    outcome.jump(str(call.values[0]), number).add(call.state.ended(ZERO), call.mask)
    return outcome


def options_after_set(options: frozenset[str], words: Sequence[Value]) -> frozenset[str]:
    """The options after `set WORD…`."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not isinstance(word, str) or word in {"-", "--"} or word[:1] not in {"-", "+"}:
            break
        for letter in word[1:]:
            name = rest.pop(0) if letter == "o" and rest else _LETTERS.get(letter)
            if isinstance(name, str) and name in _OPTIONS:
                options = options | {name} if word[0] == "-" else options - {name}
    return options | {"inherit_errexit"} if "posix" in options else options


def _set(call: Call) -> Outcome:
    words = call.operands
    after = call.state.with_options(options_after_set(call.state.options, words))
    if "--" in words:
        after = with_parameters(call.machine.relevant, after, words[words.index("--") + 1 :])
    elif words and isinstance(words[0], str) and words[0][:1] not in {"-", "+"}:
        after = with_parameters(call.machine.relevant, after, words)
    return call.ends(ZERO, after)


def _shopt(call: Call) -> Outcome:
    words = [value for value in call.operands if isinstance(value, str)]
    flags = "".join(word[1:] for word in words if word.startswith("-"))
    names = frozenset(words) & (_OPTIONS if "o" in flags else _SHOPT)
    options = call.state.options
    if "s" in flags:
        return call.ends(ZERO, call.state.with_options(options | names))
    if "u" in flags:
        return call.ends(ZERO, call.state.with_options(options - names))
    return call.ends(Vague.UNKNOWN)


def _declare(call: Call) -> Outcome:
    """`local`, `export` and the like succeed, whatever their values come from."""
    state = call.state
    for word in call.command.words[1:]:
        state = _declared(call.machine, word, state)
    return call.ends(ZERO, state)


def _declared(machine: Interpreter, word: Word, state: State) -> State:
    """The state after one `name=value`."""
    head = word.parts[0] if word.parts else None
    name, equals, rest = head.value.partition("=") if isinstance(head, Literal) else ("", "", "")
    name = name.removesuffix("+")
    if not equals or name not in machine.relevant:
        return state
    arrays = [part for part in word.parts if isinstance(part, ArrayLiteral)]
    if arrays:
        return state.assigned(name, Vague.FILLED if arrays[0].elements else "")
    return state.assigned(name, expand_parts(word.parts[1:], state, before=rest))


def _let(call: Call) -> Outcome:
    value: arithmetic.Number = 0
    state = call.state
    for text in call.operands:
        value = Vague.UNKNOWN
        if isinstance(text, str):
            value, after = arithmetic.evaluate(text, state)
            for name, known in after.environment.items():
                if name in call.machine.relevant:
                    state = state.assigned(name, known)
    return call.ends(status_of(arithmetic.holds(value)), state)


def _trap(call: Call) -> Outcome:
    words = [value for value in call.operands if value != "--"]
    if len(words) < 2:  # `trap`, `trap -p`: they only print
        return call.ends(ZERO)
    state = call.state
    code = _code(call) if isinstance(words[0], Vague) else words[0]
    for signal in words[1:]:
        name = str(signal).removeprefix("SIG").upper() if signal != ZERO else "EXIT"
        if name == "EXIT" and state.environment.get(TRAPPED) is not None:
            continue  # bash runs none while it runs one, also not in a shell inside
        if name in {"EXIT", "ERR"}:
            state = state.assigned(f"{TRAP}{name}", None if code == "-" else code)
    return call.ends(ZERO, state)


def _code(call: Call) -> Text:
    """The code that a trap is given, with an expansion that has no value in place of what isn't known of it."""
    if len(call.values) != len(call.command.words):
        return Vague.UNKNOWN
    place = next(place for place, value in enumerate(call.values) if place and value != "--")
    return outline(call.command.words[place], call.state)


def _wait(call: Call) -> Outcome:
    """`wait` gives 0, `wait ID…` the status of the last one (POSIX)."""
    operands = [value for value in call.operands if not (isinstance(value, str) and value.startswith("-"))]
    any_failed = call.state.environment.get(JOBS) is not None
    if not operands:
        return call.ends(Vague.AFFECTED if any_failed and "-n" in call.operands else ZERO)
    last = operands[-1]
    if isinstance(last, Job):
        return call.ends(last.status)
    return call.ends(Vague.AFFECTED if any_failed else ZERO)


def _shift(call: Call) -> Outcome:
    known = call.state.environment.get("@")
    count = call.operands[0] if call.operands else "1"
    if isinstance(known, tuple) and isinstance(count, str) and count.isdigit():
        return call.ends(ZERO, with_parameters(call.machine.relevant, call.state, list(known[int(count) :])))
    state = call.state
    for name in ("@", *map(str, range(1, 10))):
        state = state.assigned(name, None)
    return call.ends(ZERO, state)


def _eval(call: Call) -> Outcome:
    words = [value for value in call.operands if isinstance(value, str)]
    body = call.machine.parsed(" ".join(words)) if len(words) == len(call.operands) else None
    if body is None:
        return call.machine.program(call.command, call.state, call.mask)
    return call.machine.run_in_site(call.command, body, call.state, call.mask, suppressed=call.suppressed)


def _exec(call: Call) -> Outcome:
    """`exec PROGRAM` ends the shell with the program's status; without one it only redirects."""
    if not call.operands:
        return call.ends(ZERO)
    outcome = Outcome()
    begun = call.state.assigned(f"{TRAP}EXIT", None)
    outcome.exit_at(call.command.start).update(call.machine.program(call.command, begun, call.mask).done)
    return outcome


def _command(call: Call) -> Outcome:
    """`command NAME` and `builtin NAME` run no function."""
    rest = call.operands
    while rest and isinstance(rest[0], str) and rest[0].startswith("-"):
        if "v" in rest[0].lower():
            return call.ends(Vague.UNKNOWN)
        rest = rest[1:]
    if not rest:
        return call.ends(ZERO)
    builtin = BUILTINS.get(rest[0]) if isinstance(rest[0], str) else None
    if builtin is not None:
        return builtin(replace(call, values=rest))
    return call.machine.program(call.command, call.state, call.mask)


BUILTINS: Final[dict[str, Builtin]] = {
    **dict.fromkeys(_SUCCEEDING, _succeed),
    **dict.fromkeys(_ASKING, _ask),
    **dict.fromkeys(DECLARATIONS, _declare),
    "false": _fail,
    "test": _test,
    "[": _test,
    "exit": _exit,
    "return": _return,
    "break": _jump,
    "continue": _jump,
    "set": _set,
    "shopt": _shopt,
    "let": _let,
    "trap": _trap,
    "wait": _wait,
    "shift": _shift,
    "eval": _eval,
    "exec": _exec,
    "command": _command,
    "builtin": _command,
}
