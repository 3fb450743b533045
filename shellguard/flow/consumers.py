"""Who looks at a command's status? Answered from where the command stands and what follows it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from shellguard.flow.commands import Commands
from shellguard.flow.expansions import StatusRead, expansion_events
from shellguard.flow.options import Toggle
from shellguard.flow.roles import Role
from shellguard.flow.situations import Situation
from shellguard.flow.structure import DECLARATIONS, Structure
from shellguard.syntax.nodes import (
    AndOrList,
    ArithmeticCommand,
    ArithmeticExpression,
    BackgroundCommand,
    BraceGroup,
    CaseClause,
    Command,
    CommandSubstitution,
    ConditionalCommand,
    Coprocess,
    ForLoop,
    FunctionDefinition,
    IfBranch,
    IfClause,
    List,
    Literal,
    Node,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    Redirection,
    Script,
    SimpleCommand,
    Subshell,
    WhileLoop,
)
from shellguard.syntax.walk import walk


class Look(Enum):
    """What becomes of a status."""

    TESTED = "tested"
    """A condition, `&&`, `||`, `case` or a command that gets `$?` decides by it."""
    RETURNED = "returned"
    """It is the script's status, or a function's whose callers look."""
    STOPS = "stops"
    """errexit ends the script."""
    LOGGED = "logged"
    """It is printed, and that is all."""
    MASKED = "masked"
    """A later command of its pipeline decides the pipeline's status."""
    LOST = "lost"
    """Nothing looks at it."""
    UNKNOWN = "unknown"
    """It depends on who calls this, or on options that are on only sometimes."""

    @property
    def is_seen(self) -> bool:
        """Whether a failure can be noticed, as far as is known."""
        return self in (Look.TESTED, Look.RETURNED, Look.STOPS, Look.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Consumer:
    """What becomes of a status, and the node that decides it (None where nothing in the script does)."""

    look: Look
    node: Node | None = None


_NAME_IN_ARITHMETIC: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Places that a status is handed on to, one after another; each costs four Python frames.
_MAX_DEPTH: Final = 130
_CHECKING_NAME: Final = re.compile(
    r"err|fail|check|assert|status|verify|die|abort|exit|result|return|ok\b", re.IGNORECASE
)
_SETTINGS: Final = re.compile(
    r"^/etc/(default|sysconfig|conf\.d)/|(^|/)(activate|os-release|\.?profile|\.?bashrc|[^/]*\.?env)$"
    r"|\.(conf|cfg|ini|config|settings|vars)$"
)
_EXITS: Final = re.compile(r"\bexit\s+[^\s;'\"]")
_STATUSES: Final = frozenset({"?", "PIPESTATUS"})
_PRINTS_ONLY: Final = frozenset({Role.PRINTER, Role.BOOKKEEPING, Role.INFALLIBLE})


@dataclass(slots=True)
class Consumers:
    """Finds the consumer of each command's status; answers are kept."""

    structure: Structure
    situations: dict[Node, Situation]
    commands: Commands
    text: str = ""
    _trap_list: list[tuple[str, frozenset[str]]] | None = None
    _known: dict[Node, Consumer] = field(default_factory=dict)
    _by_function: dict[str, Consumer] = field(default_factory=dict)
    _active: set[Node] = field(default_factory=set)
    _uses: dict[str, list[Command]] | None = None

    def of(self, command: Node) -> Consumer:
        """Who looks at this command's status."""
        known = self._known.get(command)
        if known is not None:
            return known
        if command in self._active:  # a function that calls itself
            return Consumer(Look.LOST)
        if len(self._active) > _MAX_DEPTH:
            return Consumer(Look.UNKNOWN)
        self._active.add(command)
        found = self._find(command)
        self._active.discard(command)
        self._known[command] = found
        return found

    def stops(self, command: Node) -> Toggle:
        """Whether errexit ends the script when this command fails."""
        situation = self.situations.get(command)
        return situation.options.stops_on_failure if situation is not None else Toggle.MAYBE

    def _find(self, command: Node) -> Consumer:
        """Climb from a command to what decides about its status."""
        parent = self.structure.parents.get(command)
        match parent:
            case Pipeline():
                return self._in_pipeline(command, parent)
            case AndOrList():
                if command is not parent.commands[-1]:
                    return Consumer(Look.TESTED, parent)
                return self.of(parent)
            case BackgroundCommand() | Coprocess():
                return self._background(parent)
            case FunctionDefinition():
                return self.of_function(parent)
            case List():
                return self._in_list(command, parent)
            case _:
                return Consumer(Look.UNKNOWN)

    def _in_pipeline(self, command: Node, pipeline: Pipeline) -> Consumer:
        """The status of a pipeline's last command is the pipeline's; others count under pipefail only."""
        if command is not pipeline.commands[-1]:
            pipefail = self.situations[pipeline].options.pipefail if pipeline in self.situations else Toggle.MAYBE
            if pipefail is Toggle.OFF:
                return Consumer(Look.MASKED, pipeline.commands[-1])
            if pipefail is Toggle.MAYBE:
                return Consumer(Look.UNKNOWN)
        consumer = self.of(pipeline)
        if pipeline.negated and consumer.look is Look.STOPS:
            # errexit ignores a pipeline that begins with `!`.
            return Consumer(Look.LOST)
        return consumer

    def _background(self, parent: Node) -> Consumer:
        """A background command's status is there for a `wait` that names it."""
        return Consumer(Look.UNKNOWN if self._calls("wait") else Look.LOST, parent)

    def _calls(self, *names: str) -> bool:
        """Whether the script calls one of these builtins anywhere."""
        return bool(self.structure.named(*names))

    def _in_list(self, command: Node, parent: List) -> Consumer:
        """A status in a list is for errexit, for what follows, or for what holds the list."""
        _, following = self.structure.siblings(command)
        stops = self.stops(command)
        if stops is Toggle.ON and not _is_exempt(command):
            return self._stopped(command)
        found = self._at_end(parent) if following is None else self._followed_by(following)
        if not found.look.is_seen and (stops is Toggle.MAYBE or self._has_err_trap()):
            return Consumer(Look.UNKNOWN)
        return found

    def _has_err_trap(self) -> bool:
        """Whether an ERR trap may see failures."""
        return any("ERR" in signals for _, signals in self.traps())

    def traps(self) -> list[tuple[str, frozenset[str]]]:
        """The traps that the script sets: the code as written, and the signals."""
        if self._trap_list is None:
            self._trap_list = [
                (self.text[command.words[1].start : command.words[1].end], _signals(command))
                for command in self.structure.named("trap")
                if len(command.words) > 2
            ]
        return self._trap_list

    def _is_replaced_at_exit(self) -> bool:
        """Whether an EXIT trap ends the script with a status of its own (`trap 'rm -f $tmp; exit $status' 0`)."""
        return any("EXIT" in signals and _EXITS.search(code) for code, signals in self.traps())

    def _stopped(self, command: Node) -> Consumer:
        """Errexit ends the shell that a command runs in: the script, or a subshell whose status counts outside."""
        inner = command
        for outer in self.structure.ancestors(command):
            match outer:
                case Pipeline() if len(outer.commands) > 1:
                    return self.of(inner)
                case Subshell():
                    return self.of(outer)
                case BackgroundCommand() | Coprocess():
                    return self._background(outer)
                case CommandSubstitution():
                    return self._substituted(outer)
                case ProcessSubstitution():
                    return Consumer(Look.LOST)
                case FunctionDefinition():
                    return Consumer(Look.STOPS)
                case _:
                    inner = outer
        return Consumer(Look.STOPS)

    def _at_end(self, body: List) -> Consumer:
        """The last command of a list gives it its status."""
        owner = self.structure.parents.get(body)
        match owner:
            case Script():
                return Consumer(Look.LOST if self._is_replaced_at_exit() else Look.RETURNED)
            case IfBranch():
                if body is owner.condition:
                    return Consumer(Look.TESTED, owner)
                return self.of(self.structure.parents[owner])
            case WhileLoop() if body is owner.condition:
                return Consumer(Look.TESTED, owner)
            case WhileLoop() if is_endless(owner):
                return Consumer(Look.LOST)  # `break` gives the loop its own status
            case CommandSubstitution():
                return self._substituted(owner)
            case ProcessSubstitution() | None:
                return Consumer(Look.LOST)
            case _ if isinstance(owner, Command):
                return self.of(owner)
            case _:
                return self.of(self.structure.parents[owner])

    def _substituted(self, substitution: CommandSubstitution) -> Consumer:
        """A substitution's status is a bare assignment's, and only the last one's; elsewhere it is lost."""
        command = self.structure.enclosing_command(substitution)
        if not isinstance(command, SimpleCommand) or command.words:
            return Consumer(Look.LOST, command)
        last = [node for node in walk(command) if isinstance(node, CommandSubstitution)]
        outer = [node for node in last if self.structure.enclosing_command(node) is command]
        if outer and outer[-1] is not substitution:
            return Consumer(Look.LOST, command)
        return self.of(command)

    def of_function(self, definition: FunctionDefinition) -> Consumer:
        """A function's status is for those who call it; one that looks is enough."""
        known = self._by_function.get(definition.name)
        if known is None:
            calls = self.structure.calls.get(definition.name, ())
            consumers = [self.of(call) for call in calls] or [Consumer(Look.UNKNOWN)]
            known = next((found for found in consumers if found.look.is_seen), consumers[0])
            self._by_function[definition.name] = known
        return known

    # What follows

    def _followed_by(self, following: Command) -> Consumer:
        """What the next command does with the `$?` that it begins by reading, if it does."""
        reader = first_executed(following)
        if isinstance(reader, SimpleCommand):
            name = reader.words[0].literal if reader.words else None
            if name in {"exit", "return"} and len(reader.words) == 1:
                return self._returned(reader)
            if name in self.structure.functions and self._reads_first(self.structure.functions[name]):
                return Consumer(Look.TESTED, reader)
        if not self._reads(reader):
            return Consumer(Look.UNKNOWN if self._may_check(reader) else Look.LOST)
        if isinstance(reader, SimpleCommand):
            return self._reading_command(reader)
        return Consumer(Look.TESTED, reader)

    def _may_check(self, command: Command) -> bool:
        """Whether a command may be a function of another file that looks at `$?`, as `StopIfError "no space"`."""
        if not isinstance(command, SimpleCommand) or not command.words or not self.has_other_files():
            return False
        name = command.words[0].literal
        return (
            name is not None
            and name not in self.structure.functions
            and _CHECKING_NAME.search(name) is not None
            and not self.commands.classify(command).certain
        )

    def has_other_files(self) -> bool:
        """Whether functions may come from elsewhere: the script reads other files, or is one that others read."""
        if not self.text.startswith("#!"):
            return True
        return self._calls(".", "source")

    def may_call_others_functions(self) -> bool:
        """Whether a name that isn't known may be a function of a file that the script reads; settings define none."""
        sourced = self.structure.named(".", "source")
        words = (self.text[word.start : word.end].strip("\"'") for command in sourced for word in command.words[1:2])
        return any(_SETTINGS.search(word) is None for word in words)

    def _reads(self, command: Command) -> bool:
        """Whether a command's own words read the status of the command before it, or `PIPESTATUS`."""
        if any(isinstance(event, StatusRead) for event in expansion_events(command)):
            return True
        return any("PIPESTATUS" in _used_names(node) for node in _own_words(command))

    def _reads_first(self, definition: FunctionDefinition) -> bool:
        """Whether a function begins by reading its caller's `$?`."""
        body = definition.body
        if not isinstance(body, (BraceGroup, Subshell)) or not body.body.commands:
            return False
        return self._reads(first_executed(body.body.commands[0]))

    def _reading_command(self, reader: SimpleCommand) -> Consumer:
        """What a command does with the `$?` in its words."""
        name = reader.words[0].literal if reader.words else None
        if name in {"exit", "return"}:
            return self._returned(reader)
        if not reader.words:
            return self._captured(_captures(reader), reader)
        if name in DECLARATIONS:
            variable = _declared_status(reader)
            if name == "export" or not variable:
                return Consumer(Look.UNKNOWN, reader)  # a child may read it
            return self._captured([variable], reader)
        if self.commands.classify(reader).role in _PRINTS_ONLY:
            return Consumer(Look.UNKNOWN if _keeps(reader) else Look.LOGGED, reader)
        return Consumer(Look.TESTED, reader)

    def _returned(self, command: SimpleCommand) -> Consumer:
        """A status that `exit` or `return` hands on: to whoever started the script, or to a function's callers."""
        function = self.structure.enclosing_function(command)
        if command.words[0].literal == "return" and function is not None:
            return self.of_function(function)
        return Consumer(Look.LOST if self._is_replaced_at_exit() else Look.RETURNED, command)

    def _captured(self, variables: list[str], capture: SimpleCommand) -> Consumer:
        """What is done with the variables that hold a status."""
        uses = [use for name in variables for use in self._variable_uses().get(name, ()) if use is not capture]
        if any(not self._only_prints(use) for use in uses):
            return Consumer(Look.TESTED, capture)
        return Consumer(Look.LOGGED if uses else Look.LOST, capture)

    def is_examined(self, variable: str) -> bool:
        """Whether a test, `case`, `[[ ]]`, a condition or `${variable:?}` looks at a variable's value."""
        if any(
            node.name == variable and node.operator in {":?", "?"} for node in self.structure.nodes(ParameterExpansion)
        ):
            return True
        for use in self._variable_uses().get(variable, ()):
            if isinstance(use, (ConditionalCommand, ArithmeticCommand, CaseClause)):
                return True
            if isinstance(use, SimpleCommand) and use.words and self._decides(use):
                return True
        return False

    def _decides(self, command: SimpleCommand) -> bool:
        """Whether a command is a test, or something else whose status decides a branch (`if is_number "$x"`)."""
        if command.words[0].literal in {"[", "test"}:
            return True
        return self.of(command).look is Look.TESTED and self.commands.classify(command).role is not Role.PRINTER

    def _only_prints(self, command: Command) -> bool:
        """Whether a command that uses a variable only tells its value to somebody."""
        if not isinstance(command, SimpleCommand) or not command.words:
            return False
        return self.commands.classify(command).role in _PRINTS_ONLY and command.words[0].literal != "exit"

    def _variable_uses(self) -> dict[str, list[Command]]:
        """The commands that use each variable, in order."""
        if self._uses is None:
            uses: dict[str, list[Command]] = {}
            for node in self.structure.nodes(ParameterExpansion, ArithmeticExpression, SimpleCommand):
                for name in _used_names(node):
                    command = node if isinstance(node, Command) else self.structure.enclosing_command(node)
                    if command is not None:
                        uses.setdefault(name, []).append(command)
            self._uses = uses
        return self._uses


def first_executed(command: Command) -> Command:
    """The command whose words are expanded first when a command runs."""
    while True:
        match command:
            case Pipeline() | AndOrList() if command.commands:
                command = command.commands[0]
            case IfClause() if command.branches and command.branches[0].condition.commands:
                command = command.branches[0].condition.commands[0]
            case WhileLoop() if command.condition.commands:
                command = command.condition.commands[0]
            case BraceGroup() | Subshell() if command.body.commands:
                command = command.body.commands[0]
            case _:
                return command


def is_endless(loop: WhileLoop) -> bool:
    """Whether only `break`, `exit` or `return` leaves a loop: `while true`, `until false`."""
    condition = loop.condition.commands[-1]
    words = [word.literal for word in condition.words] if isinstance(condition, SimpleCommand) else []
    return words in ([["false"]] if loop.until else [["true"], [":"]])


def _keeps(command: SimpleCommand) -> bool:
    """Whether a command writes what it prints to a file of its own (`echo $? > status`), for others to read."""
    return any(
        item.operator in {">", ">|"} and item.descriptor in {"", "1"} and not _is_device(item)
        for item in command.redirections
    )


def _is_device(redirection: Redirection) -> bool:
    """Whether a redirection goes to a device such as /dev/null."""
    return (redirection.target.literal or "").startswith("/dev/")


def _signals(command: SimpleCommand) -> frozenset[str]:
    """The signals of a `trap`, EXIT for 0."""
    names = (word.literal or "" for word in command.words[2:])
    return frozenset("EXIT" if name == "0" else name.removeprefix("SIG").upper() for name in names)


def _is_exempt(command: Node) -> bool:
    """Whether errexit ignores this command's own failure (`! job`)."""
    return isinstance(command, Pipeline) and command.negated


def _own_words(command: Command) -> list[Node]:
    """The nodes in a command's own words, those of commands inside it left out."""
    if not isinstance(command, (SimpleCommand, ConditionalCommand, ArithmeticCommand, CaseClause, ForLoop)):
        return []
    if isinstance(command, (CaseClause, ForLoop)):
        roots: tuple[Node, ...] = (command.word,) if isinstance(command, CaseClause) else command.words or ()
        return [node for root in roots for node in walk(root)]
    return list(walk(command))


def _captures(command: SimpleCommand) -> list[str]:
    """The variables to which an assignment gives the status."""
    return [
        assignment.name
        for assignment in command.assignments
        if any(isinstance(node, ParameterExpansion) and node.name in _STATUSES for node in walk(assignment))
    ]


def _declared_status(command: SimpleCommand) -> str:
    """The variable that `local rc=$?` and its relatives give the status to."""
    for word in command.words[1:]:
        if any(isinstance(node, ParameterExpansion) and node.name == "?" for node in walk(word)):
            head = word.parts[0] if word.parts else None
            return head.value.partition("=")[0] if isinstance(head, Literal) else ""
    return ""


def _used_names(node: Node) -> list[str]:
    """The variables that a node itself uses."""
    if isinstance(node, ParameterExpansion):
        return [node.name]
    if isinstance(node, ArithmeticExpression):
        text = " ".join(part.value for part in node.parts if isinstance(part, Literal))
        return _NAME_IN_ARITHMETIC.findall(text)
    if isinstance(node, SimpleCommand) and node.words and node.words[0].literal == "let":
        return [name for word in node.words[1:] for name in _NAME_IN_ARITHMETIC.findall(word.literal or "")]
    return []
