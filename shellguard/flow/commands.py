"""What is this command for? Roles of simple commands, functions of the script included."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from shellguard.flow.arguments import Argument, Partial
from shellguard.flow.roles import Classification, Role, RoleTable, default_roles
from shellguard.flow.situations import Situation
from shellguard.flow.structure import Structure
from shellguard.flow.values import Value
from shellguard.syntax.nodes import (
    CaseClause,
    Command,
    CommandSubstitution,
    DoubleQuoted,
    ForLoop,
    FunctionDefinition,
    IfClause,
    Node,
    ParameterExpansion,
    ProcessSubstitution,
    SimpleCommand,
    WhileLoop,
    Word,
)
from shellguard.syntax.walk import children

# Functions that call each other in a row; each costs four Python frames.
_MAX_DEPTH: Final = 60
_MOST_TELLING: Final = (
    Role.JOB,
    Role.LAUNCHER,
    Role.CHORE,
    Role.CLEANUP,
    Role.THREE_STATE,
    Role.PROBE,
    Role.FILTER,
    Role.PRINTER,
)


# `AWK_PROG`, `SED_BIN` and the like hold the path of a tool.
_HELD_TOOL: Final = re.compile(r"_?(?:PROG|PROGRAM|BIN|CMD|COMMAND|EXE|PATH)\Z")
_KEYWORDS: Final[dict[type, str]] = {WhileLoop: "while", ForLoop: "for", IfClause: "if", CaseClause: "case"}


def argument(value: Value) -> Argument:
    """A value as the tables of tools read it."""
    literal = value.literal
    if literal is not None:
        return literal
    return Partial(value.known_start) if value.known_start else None


@dataclass(slots=True)
class Commands:
    """Classifies the script's simple commands, each once."""

    structure: Structure
    situations: dict[Node, Situation]
    text: str
    table: RoleTable = field(default_factory=default_roles)
    _argv: dict[SimpleCommand, list[Argument]] = field(default_factory=dict)
    _known: dict[SimpleCommand, Classification] = field(default_factory=dict)
    _functions: dict[str, Role] = field(default_factory=dict)
    _judging: list[str] = field(default_factory=list)

    def argv(self, command: SimpleCommand) -> list[Argument]:
        """The command's words as far as they are known."""
        known = self._argv.get(command)
        if known is None:
            situation = self.situations.get(command)
            pairs = zip(command.words, situation.arguments, strict=True) if situation is not None else ()
            known = [
                argument(value) if word.literal is not None or not _is_split(word, value) else None
                for word, value in pairs
            ]
            self._argv[command] = known
        return known

    def classify(self, command: SimpleCommand) -> Classification:
        """Find a command's role; a call of a function has the role that its body gives it."""
        known = self._known.get(command)
        if known is None:
            known = self._classify(command)
            self._known[command] = known
        return known

    def _classify(self, command: SimpleCommand) -> Classification:
        """Find the role of a command that hasn't been asked for."""
        argv = self.argv(command)
        return self._of_alternatives(command, argv) or self._of_variable(command, argv) or self._called(argv)

    def _of_alternatives(self, command: SimpleCommand, argv: list[Argument]) -> Classification | None:
        """The role of a command whose name is one of several (`CAT=cat` or `CAT=zcat`), if one of them is no job."""
        situation = self.situations.get(command)
        if situation is None or not situation.arguments or len(situation.arguments[0].alternatives) < 2:
            return None
        names = [atoms[0] for atoms in situation.arguments[0].alternatives if len(atoms) == 1]
        found = (self._called([name, *argv[1:]]) for name in names if isinstance(name, str) and " " not in name)
        return next((item for item in found if item.role is not Role.JOB), None)

    def _of_variable(self, command: SimpleCommand, argv: list[Argument]) -> Classification | None:
        """The role of a command whose name a variable holds that is itself called like a tool, but no job (`$AWK`)."""
        parts = command.words[0].parts if argv[:1] == [None] else ()
        inner = parts[0].parts if len(parts) == 1 and isinstance(parts[0], DoubleQuoted) else parts
        variable = inner[0].name if len(inner) == 1 and isinstance(inner[0], ParameterExpansion) else ""
        name = _HELD_TOOL.sub("", variable).rpartition("_")[2].lower()
        if not variable.isupper() or self.table.tools.canonical(name) is None:
            return None
        found = self.table.classify([name, *argv[1:]])
        return replace(found, certain=False) if found.role is not Role.JOB else None

    def _called(self, argv: list[Argument]) -> Classification:
        """The role of a command of these words, which may call a function."""
        found = self.table.classify(argv)
        name = found.inner_name
        if name not in self.structure.functions or found.inner is None:
            return found
        role = self.function_role(name)
        return Classification(role, found.name, name, found.inner, f"the function {name} is defined here")

    def function_role(self, name: str) -> Role:
        """A function is a job when something in it is one; else it is what its most telling command is."""
        known = self._functions.get(name)
        if known is not None:
            return known
        if len(self._judging) > _MAX_DEPTH:
            return Role.JOB
        # A function that calls itself is judged by the rest of its body.
        self._functions[name] = Role.BOOKKEEPING
        self._judging.append(name)
        roles = {self.classify(command).role for command in simple_commands(self.structure.functions[name])}
        role = next((role for role in _MOST_TELLING if role in roles), Role.BOOKKEEPING)
        self._judging.pop()
        self._functions[name] = role
        return role

    def jobs(self, command: Command) -> list[SimpleCommand]:
        """The jobs among a command's simple commands, its substitutions and function bodies left out."""
        return [item for item in simple_commands(command) if self.classify(item).role is Role.JOB]

    def shown_name(self, command: SimpleCommand) -> str:
        """The name by which a message calls a command: the one that does the work, wrappers left out."""
        found = self.classify(command)
        name = found.inner_name or found.name
        if name is None and command.words:
            inner = found.inner or 0
            first = self.text[command.words[inner].start : command.words[inner].end].strip('"${}').lower()
            behind = command.words[inner + 1 :] if first in {"sudo", "doas"} else ()
            word = next((word for word in behind if not self._is_setting(word)), command.words[inner])
            name = self.text[word.start : word.end].split("\n")[0]
        if name is None:
            return ""
        return name.rsplit("/", 1)[-1] if len(name) > 40 else name

    def _is_setting(self, word: Word) -> bool:
        """Whether a word after `sudo` is an option or a variable's value rather than the command."""
        text = self.text[word.start : word.end]
        return text.startswith("-") or ("=" in text and text.partition("=")[0].isidentifier())

    def last_name(self, command: Command) -> str:
        """The name of the command whose status a command ends with, as a message shows it."""
        if isinstance(command, SimpleCommand):
            return self.shown_name(command)
        return _KEYWORDS.get(type(command), "")


def _is_split(word: Word, value: Value) -> bool:
    """Whether a word may become several or none: an unquoted expansion of a text with blanks, or of nothing."""
    literal = value.literal
    if literal is None or not any(isinstance(part, ParameterExpansion | CommandSubstitution) for part in word.parts):
        return False
    return not literal or any(char in " \t\n" for char in literal)


def simple_commands(node: Command) -> list[SimpleCommand]:
    """The simple commands that run when a command runs: not those in substitutions or inner function bodies."""
    found: list[SimpleCommand] = []
    stack: list[Node] = [node.body if isinstance(node, FunctionDefinition) else node]
    while stack:
        current = stack.pop()
        if isinstance(current, (CommandSubstitution, ProcessSubstitution, FunctionDefinition)):
            continue
        if isinstance(current, SimpleCommand):
            found.append(current)
            continue
        stack.extend(reversed(list(children(current))))
    return found
