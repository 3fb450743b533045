"""Why does a command's failure have its fate, and where does the status die?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shellguard.flow.consumers import Look
from shellguard.flow.fates.table import CommandFate, Fate
from shellguard.source import Span
from shellguard.syntax.nodes import Command, CommandSubstitution, Node, ProcessSubstitution, SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


_AS_A_VERB: Final = {
    Fate.STOPS: "it stops the script",
    Fate.RETURNED: "the script fails because of it",
    Fate.HANDLED: "it is handled",
    Fate.IGNORED: "it is ignored",
    Fate.LOGGED: "it is only printed",
    Fate.LOST: "it is lost",
    Fate.DEPENDS: "it depends on the path taken",
    Fate.UNKNOWN: "nothing is known of it",
}


def reason(facts: Facts, item: CommandFate) -> tuple[str, Span | None]:
    """A sentence that says why, and the place that it speaks of (None where that is no place in the script)."""
    command, fate = item.command, item.fate
    consumer = facts.consumers.of(command)
    node = consumer.node.span if consumer.node is not None else None
    match fate:
        case Fate.STOPS:
            stops = (
                "errexit ends the script" if consumer.look is Look.STOPS else "the branch taken then ends the script"
            )
            return stops, None if consumer.look is Look.STOPS else node
        case Fate.RETURNED:
            kept = "its status is kept, and the script ends with another one than 0 because of it"
            return ("its status is the script's own", None) if node is None else (kept, node)
        case Fate.HANDLED:
            return "another branch is taken, and the script ends with 0", node
        case Fate.IGNORED:
            return "the author discards its status", node
        case Fate.LOGGED:
            return "its status is only printed", node
        case Fate.LOST:
            return _lost(facts, command, consumer.look, node)
        case Fate.DEPENDS:
            return _depends(item), node
        case Fate.UNKNOWN:
            return _unknown(facts, item), None


def _lost(facts: Facts, command: SimpleCommand, look: Look, node: Span | None) -> tuple[str, Span | None]:
    """Why nothing looks at a status."""
    if look is Look.MASKED and node is not None:
        masking = facts.consumers.of(command).node
        last = facts.commands.last_name(masking) if isinstance(masking, Command) else ""
        return f"{f'`{last}`' if last else 'its last command'} ends the pipeline, and there is no pipefail", node
    outer = _substitution(facts, command)
    if isinstance(outer, ProcessSubstitution):
        return "nothing waits for a process substitution", outer.span
    if isinstance(outer, CommandSubstitution):
        holder = facts.structure.enclosing_command(outer)
        if isinstance(holder, SimpleCommand) and holder.words:
            name = facts.commands.shown_name(holder) or "the command around it"
            return f"its status is replaced by that of `{name}`, which gets its output", holder.span
    situation = facts.situations.get(command)
    if situation is not None and situation.options.suppressed is not None:
        return "a condition around it makes the shell ignore errexit, and the next command replaces its status", (
            situation.options.suppressed
        )
    following = _next(facts, command)
    if following is not None:
        return "the next command replaces its status", Span(following.start, min(following.end, following.start + 1))
    return "nothing looks at its status", node


def _substitution(facts: Facts, command: SimpleCommand) -> Node | None:
    """The substitution that a command stands in."""
    outer = facts.structure.ancestors(command)
    return next((node for node in outer if isinstance(node, (CommandSubstitution, ProcessSubstitution))), None)


def _next(facts: Facts, command: SimpleCommand) -> Command | None:
    """What runs after a command, as far as the text tells."""
    current: Node | None = command
    while current is not None:
        _, following = facts.structure.siblings(current)
        if following is not None:
            return following
        current = facts.structure.parents.get(current)
    return None


def _depends(item: CommandFate) -> str:
    if item.started is not None:
        first, second = (_AS_A_VERB[fate] for fate in item.started)
        return f"the first line sets options: with them {first}; under `bash script`, which leaves them out, {second}"
    return "the script ends with 0 on some paths, and with another status on others"


def _unknown(facts: Facts, item: CommandFate) -> str:
    if item.is_cut:
        return "the script has more branches than shellguard goes through, and the budget ended before this was known"
    function = facts.structure.enclosing_function(item.command)
    if function is not None and not facts.structure.calls.get(function.name):
        return f"nothing in this file calls `{function.name}`"
    return "what the script does then can't be told from its text"
