"""Command and process substitutions: what they print, and the status that the last one leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shellguard.flow.expansions import StatusSet, expansion_events
from shellguard.flow.fates.shells import inherit_failure, shell_inside
from shellguard.flow.fates.states import FAILED_INSIDE, LAST_SUBSTITUTION, State
from shellguard.flow.fates.values import Vague, Value
from shellguard.flow.fates.words import expand, substitution_name
from shellguard.flow.fates.worlds import BASE, Worlds
from shellguard.syntax.nodes import Command, CommandSubstitution, CompoundCommand, ProcessSubstitution, SimpleCommand
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.fates.interpreter import Interpreter

Substitutions = tuple[CommandSubstitution | ProcessSubstitution, ...]


def run_substitutions(machine: Interpreter, nodes: Substitutions, worlds: Worlds, *, suppressed: bool) -> Worlds:
    """Run substitutions: each leaves what it printed, and the last one its status."""
    for node in nodes:
        after = Worlds()
        for state, mask in worlds:
            if isinstance(node, ProcessSubstitution):
                bits = shell_inside(machine, node.body, state, mask, suppressed=False).mask()
                after.add(state, bits if mask & BASE else mask)
            else:
                after.update(_captured(machine, node, state, mask, suppressed=suppressed))
        worlds = after
    return worlds


def _captured(machine: Interpreter, node: CommandSubstitution, state: State, mask: int, *, suppressed: bool) -> Worlds:
    """Run `$( … )`: it ignores errexit unless inherit_errexit is on."""
    after = Worlds()
    options = state.options if "inherit_errexit" in state.options else state.options - {"errexit"}
    for end, part in shell_inside(machine, node.body, state.with_options(options), mask, suppressed=suppressed):
        failed = end.environment.get(FAILED_INSIDE) is not None
        value = Vague.AFFECTED if failed else _printed(node, state)
        following = inherit_failure(state, end).with_options(state.options)
        following = following.assigned(substitution_name(node), value)
        after.add(following.assigned(LAST_SUBSTITUTION, end.status), part)
    return after


def _printed(node: CommandSubstitution, state: State) -> Value:
    """What a substitution prints when nothing fails: known for `$(echo …)` of one word."""
    command = node.body.commands[0] if len(node.body.commands) == 1 else None
    if isinstance(command, SimpleCommand) and len(command.words) == 2 and command.words[0].literal == "echo":
        value = expand(command.words[1], state)
        if not (isinstance(value, str) and value.startswith("-")):
            return value
    return Vague.UNKNOWN


def substitutions_of(command: Command) -> Substitutions:
    """The substitutions in the words of a command."""
    events = tuple(expansion_events(command))
    found: list[CommandSubstitution | ProcessSubstitution] = [
        item.node for item in events if isinstance(item, StatusSet)
    ]
    if isinstance(command, SimpleCommand):
        roots = (*command.words, *(item.target for item in command.redirections))
        found.extend(node for root in roots for node in root.parts if isinstance(node, ProcessSubstitution))
        return tuple(found)
    inside = {node for item in getattr(command, "redirections", ()) for node in walk(item)}
    return tuple(node for node in found if node not in inside)


def redirected(command: CompoundCommand) -> Substitutions:
    """The substitutions in the redirections of a compound command."""
    nodes = (node for item in command.redirections for node in walk(item.target))
    return tuple(node for node in nodes if isinstance(node, (CommandSubstitution, ProcessSubstitution)))
