"""Which EXIT trap ends the script with a status of its own, whatever the script was leaving with?

Run: in bash, dash and busybox ash an `exit` without a status in a trap keeps the status that the script was leaving
with, in ksh93 it doesn't; `exit $?` has the status of the command before it in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.options import Toggle
from shellguard.flow.reaching import Reaching
from shellguard.flow.recorded import is_compared
from shellguard.flow.roles import Role
from shellguard.flow.structure import build_structure
from shellguard.source import Span
from shellguard.syntax import parse
from shellguard.syntax.nodes import BraceGroup, List, Node, ParameterExpansion, SimpleCommand, SingleQuoted, Word
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_CHOSEN: Final = re.compile(r"\bexit\s+[\\\"]*(?:\d|\$\{?[A-Za-z_])")


@dataclass(frozen=True, slots=True, eq=False)
class TrapEnd:
    """A handler's `exit` that replaces the script's status.

    `span` is the exit's and `operand` its status's place in the script, `first` where the handler's first command
    stands. `replaced_by` is the name of the command whose status `exit $?` takes, empty for `exit 0`. `trap` set the
    handler; `is_quoted`: it is text in quotes there.
    """

    trap: SimpleCommand
    span: Span
    operand: Span
    first: int
    replaced_by: str
    is_quoted: bool


def trap_ends(facts: Facts) -> Iterator[TrapEnd]:
    """Yield the exits that replace the status, one for each EXIT trap."""
    if is_compared(facts) or not _may_fail(facts):
        return
    for trap in facts.structure.named("trap"):
        if len(trap.words) < 3 or trap not in facts.situations or not _is_for_exit(trap):
            continue
        handler = trap.words[1]
        definition = facts.structure.functions.get(handler.literal or "")
        if definition is not None:
            if isinstance(definition.body, BraceGroup):
                yield from _in_list(trap, definition.body.body, facts.reaching, shift=0, is_quoted=False)
        elif handler.literal is not None and len(handler.parts) == 1 and isinstance(handler.parts[0], SingleQuoted):
            script = parse(handler.literal)
            if not script.issues:
                reaching = Reaching(build_structure(script))
                yield from _in_list(trap, script.body, reaching, shift=handler.start + 1, is_quoted=True)


def _may_fail(facts: Facts) -> bool:
    """Whether the script ever means to end badly: by errexit, by `exit 1`, or with a job as its last command."""
    if any(situation.options.errexit is not Toggle.OFF for situation in facts.situations.values()):
        return True
    if any(len(command.words) > 1 and command.words[1].literal != "0" for command in facts.structure.named("exit")):
        return True
    last = facts.script.body.commands[-1] if facts.script.body.commands else None
    if not isinstance(last, SimpleCommand):
        return False
    found = facts.commands.classify(last)
    return found.role is Role.JOB and found.inner_name not in facts.structure.functions


def chooses_status(facts: Facts) -> bool:
    """Whether an EXIT trap ends the script with a status of its own choice, as `exit "$failed"` in it does."""
    for trap in facts.structure.named("trap"):
        if len(trap.words) < 3 or not _is_for_exit(trap):
            continue
        definition = facts.structure.functions.get(trap.words[1].literal or "")
        text = facts.text[definition.start : definition.end] if definition is not None else ""
        if _CHOSEN.search(text or facts.text[trap.words[1].start : trap.words[1].end]):
            return True
    return False


def _is_for_exit(trap: SimpleCommand) -> bool:
    return any(word.literal in {"EXIT", "0"} for word in trap.words[2:])


def _in_list(trap: SimpleCommand, body: List, reaching: Reaching, *, shift: int, is_quoted: bool) -> Iterator[TrapEnd]:
    """Yield the `exit` of a list that always runs, if it replaces the status; the text begins at `shift`."""
    command = next((item for item in body.commands if _leaves(item)), None)
    if not isinstance(command, SimpleCommand) or command.words[0].literal != "exit" or len(command.words) != 2:
        return
    if any(_leaves(node) and node is not command for node in walk(body)):
        return  # it tells cases apart
    operand = command.words[1]
    replaced_by = ""
    if operand.literal != "0":
        reached = reaching.before(command) if _is_status(operand) else None
        if not reached:
            return
        replaced_by = _name(reached[0].command)
    yield TrapEnd(
        trap,
        _shifted(command, shift),
        _shifted(operand, shift),
        shift + body.commands[0].start,
        replaced_by,
        is_quoted,
    )


def _leaves(command: Node) -> bool:
    return isinstance(command, SimpleCommand) and bool(command.words) and command.words[0].literal in {"exit", "return"}


def _is_status(word: Word) -> bool:
    """Whether a word is `$?` and nothing else."""
    found = [node for node in walk(word) if isinstance(node, ParameterExpansion)]
    return len(found) == 1 and found[0].name == "?" and not found[0].operator


def _name(command: Node) -> str:
    name = command.words[0].literal if isinstance(command, SimpleCommand) and command.words else None
    return f"`{name}`" if name else "the command before it"


def _shifted(node: Node, shift: int) -> Span:
    return Span(shift + node.start, shift + node.end)
