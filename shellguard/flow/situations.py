"""What holds when a command runs: options, values of variables, the working directory.

The script is gone through once in the order in which it would run: functions where they are called, both sides of a
branch with a state of their own that is joined afterwards, loop bodies with everything they assign taken as
unknown. A function is gone through once for each set of options it is called under, so cost stays linear.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from shellguard.dialect import Shell
from shellguard.flow.options import Options, Toggle, after_set, after_shopt
from shellguard.flow.structure import DECLARATIONS, Structure
from shellguard.flow.values import (
    WORKING_FOLDER,
    Value,
    concatenate,
    evaluate,
    join,
    part_value,
    symbol_value,
    text_value,
)
from shellguard.source import Dialect, Span
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticCommand,
    ArithmeticFor,
    ArrayLiteral,
    Assignment,
    BackgroundCommand,
    BraceGroup,
    CaseClause,
    Command,
    CommandSubstitution,
    CompoundCommand,
    ConditionalAndOr,
    ConditionalBinary,
    ConditionalCommand,
    ConditionalExpression,
    ConditionalGroup,
    ConditionalNot,
    ConditionalUnary,
    ConditionalWord,
    Coprocess,
    ForLoop,
    FunctionDefinition,
    IfClause,
    List,
    Node,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    Redirection,
    SimpleCommand,
    Subshell,
    WhileLoop,
    Word,
)
from shellguard.syntax.walk import children

# Commands nested in each other, calls of functions included. A level costs three to five Python frames, and the
# deepest tree that the parser makes has ninety.
_MAX_DEPTH: Final = 60
_Key: TypeAlias = tuple[str, Options, bool]
_ASSIGNED_IN_ARITHMETIC: Final = re.compile(
    r"([A-Za-z_]\w*)\s*(?:\+\+|--|[-+*/%|&^]?=(?!=)|<<=|>>=)|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)


@dataclass(slots=True)
class State:
    """The shell at one moment of the walk."""

    options: Options
    environment: dict[str, Value]
    folder: Value

    def copy(self) -> State:
        """A state of its own for a branch or subshell."""
        return State(self.options, dict(self.environment), self.folder)

    def join(self, other: State) -> State:
        """The state where two paths meet."""
        if self.environment != other.environment:
            names = self.environment.keys() | other.environment.keys()
            for name in names:
                first, second = self.environment.get(name), other.environment.get(name)
                if first is not second:
                    self.environment[name] = join(first or symbol_value(name), second or symbol_value(name))
        self.options = self.options.joined(other.options)
        self.folder = join(self.folder, other.folder)
        return self


@dataclass(frozen=True, slots=True)
class Situation:
    """What holds when one command starts; joined over all the ways it is reached.

    `order` counts commands as the walk first reached them. `arguments` are the values of `own_words`,
    `targets` those of the redirections' targets, `assigned` those of a simple command's assignments, each in order;
    `folder` is the working directory.
    """

    order: int
    options: Options
    folder: Value
    arguments: tuple[Value, ...] = ()
    targets: tuple[Value, ...] = ()
    assigned: tuple[Value, ...] = ()

    def joined(self, other: Situation) -> Situation:
        """Both situations as one; the first order counts."""
        return Situation(
            self.order,
            self.options.joined(other.options),
            join(self.folder, other.folder),
            _join_all(self.arguments, other.arguments),
            _join_all(self.targets, other.targets),
            _join_all(self.assigned, other.assigned),
        )


def _join_all(first: tuple[Value, ...], second: tuple[Value, ...]) -> tuple[Value, ...]:
    """Join values place by place."""
    return tuple(join(one, other) for one, other in zip(first, second, strict=True))


def own_words(command: Command) -> tuple[Word, ...]:
    """The words that a command expands itself: arguments, the list of a `for`, the operands in `[[ ]]`."""
    match command:
        case SimpleCommand():
            return command.words
        case ForLoop():
            return command.words or ()
        case CaseClause():
            return (command.word,)
        case ConditionalCommand() if command.expression is not None:
            return tuple(_condition_words(command.expression))
        case _:
            return ()


def _condition_words(expression: ConditionalExpression) -> Iterator[Word]:
    """Yield the operands of a conditional expression from left to right."""
    match expression:
        case ConditionalWord():
            yield expression.word
        case ConditionalUnary():
            yield expression.operand
        case ConditionalBinary():
            yield expression.left
            yield expression.right
        case ConditionalNot():
            yield from _condition_words(expression.operand)
        case ConditionalAndOr():
            yield from _condition_words(expression.left)
            yield from _condition_words(expression.right)
        case ConditionalGroup():
            yield from _condition_words(expression.expression)


@dataclass(slots=True)
class Walker:
    """Goes through a script and notes the situation of every command."""

    structure: Structure
    shell: Shell
    text: str
    situations: dict[Node, Situation] = field(default_factory=dict)
    _visited: dict[_Key, Options] = field(default_factory=dict)
    """The options that a function leaves when it is called under some options."""
    _active: list[str] = field(default_factory=list)
    _deferred: list[tuple[str, tuple[Value, ...], State]] = field(default_factory=list)
    _left: State | None = None
    """The state at the last command after which nothing runs, such as the script's final `exit`."""
    _moving: set[str] | None = None
    _returns: list[State] = field(default_factory=list)
    _jumps: list[State] = field(default_factory=list)
    _depth: int = 0
    _order: int = 0

    def run(self) -> None:
        """Go through the whole script, then through the functions that nothing in it calls, earlier definitions too."""
        options = after_set(Options(), self.shell.options)
        state = State(options, {}, Value(((WORKING_FOLDER,),)))
        end = self._list(self.structure.script.body, state) or self._left or state
        self._run_deferred()
        for definition in self.structure.nodes(FunctionDefinition):
            if definition.body not in self.situations:
                rest = end.copy()
                rest.options = self._options_of_uncalled(end.options)
                self._command(definition.body, self._inside(definition, (), rest))
        self._run_deferred()

    def _run_deferred(self) -> None:
        """Go through the calls that were nested too deeply to be followed where they stood."""
        while self._deferred:
            self._function(*self._deferred.pop())

    def _options_of_uncalled(self, options: Options) -> Options:
        """The options under which a function runs that only another file, a trap or a variable's value can call."""
        if any(not isinstance(command, FunctionDefinition) for command in self.structure.script.body.commands):
            return options
        return replace(options, errexit=Toggle.MAYBE, pipefail=Toggle.MAYBE)

    # Lists and compound commands. Each method returns the state afterwards, or None where nothing runs afterwards.

    def _list(self, body: List, state: State) -> State | None:
        """Go through commands in order, until one after which nothing runs: nothing is claimed of the rest."""
        for command in body.commands:
            after = self._command(command, state)
            if after is None:
                self._left = state
                return None
            state = after
        return state

    def _command(self, command: Command, state: State) -> State | None:
        """Go through one command."""
        self._depth += 1
        try:
            return self._dispatch(command, state)
        finally:
            self._depth -= 1

    def _dispatch(self, command: Command, state: State) -> State | None:
        """Go through one command by its kind."""
        if not isinstance(command, SimpleCommand):
            self._note_compound(command, state)
        match command:
            case SimpleCommand():
                return self._simple(command, state)
            case Pipeline():
                return self._pipeline(command, state)
            case AndOrList():
                return self._and_or(command, state)
            case IfClause():
                return self._if(command, state)
            case CaseClause():
                return self._case(command, state)
            case ForLoop() | WhileLoop() | ArithmeticFor():
                return self._loop(command, state)
            case BraceGroup():
                return self._list(command.body, state)
            case Subshell():
                self._list(command.body, state.copy())
            case BackgroundCommand() | Coprocess():
                self._command(command.command, state.copy())
            case ConditionalCommand():
                self._expansions(command, state)
            case ArithmeticCommand():
                self._expansions(command, state)
                self._compute(self.text[command.start : command.end], state)
            case FunctionDefinition():
                pass
        return state

    def _note_compound(self, command: Command, state: State) -> None:
        """Note what holds when anything but a simple command starts."""
        redirections = command.redirections if isinstance(command, CompoundCommand) else ()
        arguments = tuple(evaluate(word, state.environment, self.text) for word in own_words(command))
        targets = tuple(evaluate(item.target, state.environment, self.text) for item in redirections)
        self._note(command, Situation(self._order, state.options, state.folder, arguments, targets))
        self._order += 1
        for redirection in redirections:
            self._redirection(redirection, state)

    def _compute(self, expression: str, state: State) -> None:
        """Take the variables that an arithmetic expression assigns as unknown."""
        for found in _ASSIGNED_IN_ARITHMETIC.finditer(expression):
            name = found.group(1) or found.group(2)
            state.environment[name] = symbol_value(f"{name} in arithmetic ({expression})")

    def _note(self, command: Node, situation: Situation) -> None:
        """Keep a situation, joined with what is known of the command already."""
        known = self.situations.get(command)
        self.situations[command] = situation if known is None else known.joined(situation)

    def _suppressed(self, state: State, by: Node) -> State:
        """A state in which errexit is ignored because of a condition, `!`, `&&` or `||`."""
        if state.options.suppressed is None:
            state.options = replace(state.options, suppressed=Span(by.start, by.end))
        return state

    def _condition(self, body: List, state: State) -> State | None:
        """Go through the condition of an `if` or loop."""
        outer = state.options.suppressed
        after = self._list(body, self._suppressed(state, body))
        if after is not None:
            after.options = replace(after.options, suppressed=outer)
        return after

    def _pipeline(self, command: Pipeline, state: State) -> State | None:
        """Go through a pipeline: each command in a subshell of its own, except a lone one."""
        outer = state.options.suppressed
        if command.negated:
            self._suppressed(state, command)
        after: State | None = state
        if len(command.commands) == 1:
            after = self._command(command.commands[0], state)
        else:
            for part in command.commands[:-1]:
                self._command(part, state.copy())
            in_shell = self.shell.dialect is Dialect.KSH or state.options.lastpipe is Toggle.ON
            if command.commands and in_shell:
                after = self._command(command.commands[-1], state)
            elif command.commands:
                self._command(command.commands[-1], state.copy())
        if after is not None:
            after.options = replace(after.options, suppressed=outer)
        return after

    def _and_or(self, command: AndOrList, state: State) -> State | None:
        """Go through an AND-OR list; each command but the first may be skipped."""
        outer = state.options.suppressed
        live: State | None = state
        last = len(command.commands) - 1
        for index, part in enumerate(command.commands):
            before = (live or state).copy()
            current = before.copy() if index else before
            if index < last:
                self._suppressed(current, command)
            after = self._command(part, current)
            if after is not None:
                after.options = replace(after.options, suppressed=outer)
            if index == 0:
                live = after
            elif after is not None:
                live = before.join(after)
            else:
                live = before
        return live

    def _if(self, command: IfClause, state: State) -> State | None:
        """Go through each branch with a state of its own."""
        ends: list[State] = []
        for branch in command.branches:
            state = self._condition(branch.condition, state) or state
            end = self._list(branch.body, state.copy())
            if end is not None:
                ends.append(end)
        last = self._list(command.else_body, state) if command.else_body is not None else state
        if last is not None:
            ends.append(last)
        return _joined(ends)

    def _case(self, command: CaseClause, state: State) -> State | None:
        """Go through each item with a state of its own; without a `*` pattern none may match."""
        self._words((command.word,), state)
        ends: list[State] = []
        falling: State | None = None
        catches_all = False
        for item in command.items:
            self._words(item.patterns, state)
            catches_all = catches_all or any(self.text[word.start : word.end] == "*" for word in item.patterns)
            start = state.copy()
            if falling is not None:
                start = start.join(falling)
            end = self._list(item.body, start)
            falling = end if item.terminator == ";&" else None
            if end is not None and falling is None:
                ends.append(end)
        if not catches_all:
            ends.append(state)
        return _joined(ends)

    def _loop(self, command: ForLoop | WhileLoop | ArithmeticFor, state: State) -> State:
        """Go through a loop's body once, with what it assigns taken as known only on some paths."""
        if isinstance(command, ForLoop):
            self._words(command.words or (), state)
            state.environment[command.variable] = self._loop_values(command, state)
        elif isinstance(command, ArithmeticFor):
            self._expansions(command, state, skip=command.body)
        for name in self.structure.assigned_names(command):
            known = state.environment.get(name)
            if not isinstance(command, ForLoop) or name != command.variable:
                state.environment[name] = join(known or symbol_value(name), symbol_value(f"{name} in a loop"))
        before = state.copy()
        outer, self._jumps = self._jumps, []
        if isinstance(command, WhileLoop):
            after = self._condition(command.condition, state)
            state = after if after is not None else before.copy()
        if self._sets_options(command):
            state.options = replace(state.options, errexit=Toggle.MAYBE, pipefail=Toggle.MAYBE)
        end = self._list(command.body, state)
        jumps, self._jumps = self._jumps, outer
        for state_at_jump in (*jumps, *([end] if end is not None else [])):
            before.join(state_at_jump)
        return before

    def _sets_options(self, node: Node) -> bool:
        """Whether a loop changes options that a later round would start with."""
        return any(
            node.start <= command.start < node.end and len(command.words) > 1
            for command in self.structure.named("set", "shopt")
        )

    def _loop_values(self, command: ForLoop, state: State) -> Value:
        """What the loop's variable can be: the words where they are few and known, else a symbol."""
        words = command.words
        if words is None:
            return symbol_value(command.variable)
        values = [evaluate(word, state.environment, self.text) for word in words]
        if 1 <= len(values) <= 4 and all(value.literal is not None for value in values):
            result = values[0]
            for value in values[1:]:
                result = join(result, value)
            return result
        return symbol_value(command.variable)

    # Simple commands

    def _simple(self, command: SimpleCommand, state: State) -> State | None:
        """Note a simple command, then do what it does to the shell."""
        arguments = tuple(evaluate(word, state.environment, self.text) for word in command.words)
        targets = tuple(evaluate(item.target, state.environment, self.text) for item in command.redirections)
        order = self._order
        self._order += 1
        assigned = tuple(self._assigned_value(item, state) for item in command.assignments)
        self._note(command, Situation(order, state.options, state.folder, arguments, targets, assigned))
        self._nested(command, state)
        if not command.words:
            for assignment in command.assignments:
                state.environment[assignment.name] = self._assigned_value(assignment, state)
            return state
        name = arguments[0].literal
        if name in self.structure.functions:
            return self._function(name, arguments[1:], state)
        return self._builtin(name, command, arguments, state)

    def _builtin(
        self, name: str | None, command: SimpleCommand, arguments: tuple[Value, ...], state: State
    ) -> State | None:
        """Do what a builtin does to options, variables and the flow of control."""
        if name in {"command", "builtin"} and len(arguments) > 1 and not arguments[1].known_start.startswith("-"):
            return self._builtin(arguments[1].literal, command, arguments[1:], state)
        words = [value.literal for value in arguments[1:]]
        if name == "eval" and None not in words:
            state.options = _after_eval(state.options, " ".join(word or "" for word in words))
        if name in {"break", "continue"}:
            self._jumps.append(state)
            return None
        if name == "return":
            self._returns.append(state)
            return None
        if name == "exit" or (name == "exec" and words) or (name == "eval" and _ends_shell(words)):
            return None
        if name == "set":
            state.options = after_set(state.options, words)
        elif name == "shopt":
            state.options = after_shopt(state.options, words)
        elif name in DECLARATIONS:
            for word, value in zip(command.words[-len(words) :] if words else (), arguments[1:], strict=True):
                self._declare(word, value, state)
        elif name in {"cd", "pushd", "popd"}:
            state.folder = _changed_folder(state.folder, name, arguments[1:])
            state.environment["PWD"] = state.folder
        elif name == "let":
            self._compute(self.text[command.start : command.end], state)
        elif name in {"read", "mapfile", "readarray", "getopts", "unset", "printf", "eval", "source", "."}:
            _forget(state, name, words)
        return state

    def _function(self, name: str, arguments: tuple[Value, ...], state: State) -> State | None:
        """Go through a function's body, unless it is being or has been gone through under these options."""
        definition = self.structure.functions[name]
        key = (name, replace(state.options, suppressed=None), state.options.suppressed is not None)
        if self._depth > _MAX_DEPTH:
            self._deferred.append((name, arguments, state.copy()))
        if name in self._active or key in self._visited or self._depth > _MAX_DEPTH:
            return self._called_again(definition, key, state)
        self._visited[key] = state.options
        self._active.append(name)
        inner = self._inside(definition, arguments, state)
        outer, self._returns = self._returns, []
        end = self._command(definition.body, inner)
        after = _joined([*self._returns, *([end] if end is not None else [])])
        self._returns = outer
        self._active.pop()
        if after is None:
            return None  # every path through it ends the script
        self._visited[key] = after.options
        return self._outside(definition, after, state)

    def _called_again(self, definition: FunctionDefinition, key: _Key, state: State) -> State:
        """The state after a call that isn't followed: what the body assigns is unknown, options are as before."""
        for variable in self.structure.assigned_names(definition.body):
            known = state.environment.get(variable) or symbol_value(variable)
            state.environment[variable] = join(known, symbol_value(f"{variable} after {definition.name}"))
        options = state.options if self._restores_options(definition) else self._visited.get(key, state.options)
        state.options = replace(options, suppressed=state.options.suppressed)
        if definition.name in self._movers():
            state.folder = symbol_value(f"the working directory after {definition.name}")
            state.environment["PWD"] = state.folder
        return state

    def _movers(self) -> set[str]:
        """The functions that change the working directory, or call one that does."""
        if self._moving is None:
            self._moving = set()
            for command in self.structure.named("cd", "pushd", "popd"):
                self._note_mover(command)
        return self._moving

    def _note_mover(self, command: SimpleCommand) -> None:
        """Note the function that a command stands in, and all that call it."""
        pending = [command]
        while pending and self._moving is not None:
            function = self.structure.enclosing_function(pending.pop())
            if function is not None and function.name not in self._moving:
                self._moving.add(function.name)
                pending.extend(self.structure.calls.get(function.name, ()))

    def _inside(self, definition: FunctionDefinition, arguments: tuple[Value, ...], state: State) -> State:
        """The state in which a function's body begins."""
        inner = state.copy()
        # Another call may pass something else, and the body is gone through only once.
        single = len(self.structure.calls.get(definition.name, ())) == 1
        for index in range(1, 10):
            given = arguments[index - 1] if single and index <= len(arguments) else None
            inner.environment[str(index)] = given or symbol_value(f"{index}@{definition.name}")
        return inner

    def _outside(self, definition: FunctionDefinition, after: State, before: State) -> State:
        """The state after a call: parameters and local variables are again what they were."""
        for name in (*map(str, range(1, 10)), *self._locals(definition)):
            if name in before.environment:
                after.environment[name] = before.environment[name]
            else:
                after.environment.pop(name, None)
        options = before.options if self._restores_options(definition) else after.options
        after.options = replace(options, suppressed=before.options.suppressed)
        return after

    def _restores_options(self, definition: FunctionDefinition) -> bool:
        """Whether a function has `local -`, which gives the options back when it returns (bash 4.4)."""
        return any(
            word.literal == "-"
            for command in self.structure.named("local")
            if definition.start <= command.start < definition.end
            for word in command.words[1:]
        )

    def _locals(self, definition: FunctionDefinition) -> list[str]:
        """The variables that a function declares as its own."""
        return [
            name
            for command in self.structure.named("local", "declare", "typeset")
            if definition.start <= command.start < definition.end
            for word in command.words[1:]
            if (name := self.text[word.start : word.end].partition("=")[0]).isidentifier()
        ]

    def _assigned_value(self, assignment: Assignment, state: State) -> Value:
        """What a variable is after an assignment."""
        name = assignment.name
        if assignment.subscript is not None or isinstance(assignment.value, ArrayLiteral):
            return symbol_value(f"{name} ({assignment.start})")
        value = evaluate(assignment.value, state.environment, self.text)
        if assignment.operator == "+=":
            return concatenate((state.environment.get(name) or symbol_value(name), value))
        return value

    def _declare(self, word: Word, value: Value, state: State) -> None:
        """Give a variable the value of `name=value` as an argument of `local`, `export` and the like."""
        for alternative in value.alternatives[:1]:
            head = alternative[0] if alternative else ""
            if not isinstance(head, str):
                return
            name, equals, _ = head.partition("=")
            if not name.isidentifier() or not equals:
                return
            rests = []
            for atoms in value.alternatives:
                first = atoms[0]
                if not isinstance(first, str) or not first.startswith(f"{name}="):
                    return
                rest = first[len(name) + 1 :]
                rests.append((rest, *atoms[1:]) if rest else atoms[1:])
            if word.parts and isinstance(word.parts[-1], ArrayLiteral):
                state.environment[name] = symbol_value(f"{name} ({word.start})")
            else:
                state.environment[name] = Value(tuple(rests))

    # What is nested in words

    def _nested(self, command: SimpleCommand, state: State) -> None:
        """Go through the substitutions in a simple command's words, assignments and redirections."""
        for assignment in command.assignments:
            self._expansions(assignment, state)
        self._words(command.words, state)
        for redirection in command.redirections:
            self._redirection(redirection, state)

    def _words(self, words: Iterable[Word], state: State) -> None:
        """Go through the substitutions in words."""
        for word in words:
            if word.literal is None:
                self._expansions(word, state)

    def _redirection(self, redirection: Redirection, state: State) -> None:
        """Go through the substitutions in a redirection and its here-document."""
        self._words((redirection.target,), state)
        if redirection.here_document is not None and not redirection.here_document.quoted:
            self._expansions(redirection.here_document, state)

    def _expansions(self, node: Node, state: State, skip: Node | None = None) -> None:
        """Go through the outermost substitutions below a node, each in a subshell."""
        stack = [child for child in _children(node) if child is not skip]
        while stack:
            current = stack.pop()
            if isinstance(current, (CommandSubstitution, ProcessSubstitution)):
                inner = state.copy()
                if self.shell.dialect is Dialect.BASH and isinstance(current, CommandSubstitution):
                    kept = state.options.inherit_errexit is Toggle.ON
                    inner.options = inner.options if kept else replace(inner.options, errexit=Toggle.OFF)
                self._list(current.body, inner)
                continue
            if isinstance(current, ParameterExpansion) and current.operator in {":=", "="} and not current.prefix:
                state.environment[current.name] = part_value(current, state.environment, self.text)
            stack.extend(_children(current))


def _children(node: Node) -> list[Node]:
    """The nodes directly below, last first."""
    below = [child for child in children(node) if not (isinstance(child, Word) and child.literal is not None)]
    below.reverse()
    return below


def _joined(states: list[State]) -> State | None:
    """The state where all these paths meet."""
    if not states:
        return None
    result = states[0]
    for state in states[1:]:
        result = result.join(state)
    return result


def _changed_folder(folder: Value, name: str, arguments: tuple[Value, ...]) -> Value:
    """The working directory after `cd`, `pushd` or `popd`."""
    if name == "popd" or any(value.literal == "-" for value in arguments):
        return symbol_value("an earlier working directory")
    operands = [value for value in arguments if not value.known_start.startswith("-")]
    if not operands:
        return symbol_value("HOME")
    target = operands[0]
    if target.known_start.startswith(("/", "~")) or not target.known_start:
        return _normalised(target)
    return _normalised(concatenate((folder, text_value("/"), target)))


def _normalised(folder: Value) -> Value:
    """A folder without `.` and `..`, as `cd` takes it (logically, without looking at links), where it is known."""
    literal = folder.literal
    return text_value(posixpath.normpath(literal)) if literal is not None and literal.startswith("/") else folder


def _ends_shell(words: list[str | None]) -> bool:
    """Whether the code of an `eval` replaces the shell (`eval 'exec perl -x …'`, a script in two languages)."""
    return bool(words) and (words[0] or "").lstrip().startswith("exec ")


def _forget(state: State, name: str | None, words: list[str | None]) -> None:
    """Take the variables that a builtin assigns as unknown."""
    if name == "printf" and "-v" not in words:
        return
    for word in words:
        if word and word.isidentifier():
            if name == "unset":
                state.environment.pop(word, None)
            else:
                state.environment[word] = symbol_value(f"{word} from {name}")


def _after_eval(options: Options, code: str) -> Options:
    """The options after `eval 'set -e; …'`: those that the commands at the start of the code set."""
    for statement in code.split(";"):
        words: list[str | None] = [*statement.split()]
        if words[:1] == ["set"]:
            options = after_set(options, words[1:])
        elif words[:1] == ["shopt"]:
            options = after_shopt(options, words[1:])
        else:
            break
    return options


def always_exits(body: Command) -> bool:
    """Whether a function's last command is an `exit` (`die`, `usage`)."""
    commands = body.body.commands if isinstance(body, BraceGroup) else ()
    last = commands[-1] if commands else None
    return isinstance(last, SimpleCommand) and bool(last.words) and last.words[0].literal == "exit"
