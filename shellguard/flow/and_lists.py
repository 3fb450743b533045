"""Which `&&` lists let the script go on under errexit although work in them has failed?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.options import Toggle
from shellguard.flow.roles import Role
from shellguard.flow.situations import always_exits
from shellguard.syntax.nodes import AndOrList, Command, List, SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_WORK = (Role.JOB, Role.LAUNCHER, Role.CHORE)
# A name that isn't known may be a question: `is_enabled x && start x`.
_QUESTION: Final = re.compile(
    r"(?:^|_|-)(?:is|has|have|had|are|should|must|needs?|can|may|wants?|tests?|exists?|contains?|matches|in|supports?"
    r"|enabled|installed|running|available|check\w*|valid\w*|verify|confirm|ask|detect)(?:_|-|$)",
    re.IGNORECASE,
)
_FOLDERS: Final = frozenset({"cd", "pushd"})
_HOME: Final = frozenset({"~", "$HOME", '"$HOME"', "${HOME}", '"${HOME}"', "-"})


@dataclass(frozen=True, slots=True, eq=False)
class EscapingList:
    """A statement `work && … && last` under errexit; `work` are the commands whose failure only skips the rest.

    `is_pure`: nothing but work stands before the last command, so that each could be a statement.
    """

    node: AndOrList
    work: tuple[SimpleCommand, ...]
    is_pure: bool


def escaping_lists(facts: Facts) -> Iterator[EscapingList]:
    """Yield the `&&` lists whose failure errexit ignores, and nothing else looks at."""
    for node in facts.structure.nodes(AndOrList):
        if set(node.operators) != {"&&"} or not isinstance(facts.structure.parents.get(node), List):
            continue
        _, following = facts.structure.siblings(node)
        if following is None or node not in facts.situations or facts.consumers.stops(node) is not Toggle.ON:
            continue
        if _is_answer(facts, node.commands[-1]):
            continue
        lefts = node.commands[:-1]
        work = tuple(left for left in lefts if isinstance(left, SimpleCommand) and _is_work(facts, left))
        if work and all(_is_lost(facts, left) for left in work):
            yield EscapingList(node, work, len(work) == len(lefts))


def _is_answer(facts: Facts, last: Command) -> bool:
    """Whether the last command tells that the others were a question: `job && exit 1`, `sync && sleep 1`."""
    if not isinstance(last, SimpleCommand) or not last.words:
        return True
    definition = facts.structure.functions.get(last.words[0].literal or "")
    if definition is not None and always_exits(definition.body):
        return True
    role = facts.commands.classify(last).role
    return last.words[0].literal in {"break", "continue"} or role in (Role.CONTROL, Role.BOOKKEEPING)


def _is_work(facts: Facts, command: Command) -> bool:
    """Whether a command does something that what follows in the script relies on."""
    if not isinstance(command, SimpleCommand) or not command.words:
        return False
    found = facts.commands.classify(command)
    if command.words[0].literal in _FOLDERS:
        # The home folder is there: nobody could log in otherwise.
        return len(command.words) > 1 and facts.text[command.words[1].start : command.words[1].end] not in _HOME
    if found.inner_name == "mkdir":
        return False  # what follows needs the folder, and fails in its turn
    if found.role not in _WORK or facts.consumers.may_call_others_functions():
        return found.role in _WORK and found.certain
    word = facts.text[command.words[0].start : command.words[0].end]
    if found.inner_name is None and "/" not in word:
        return False  # `$verbose && echo …`
    return _QUESTION.search(found.inner_name or "") is None


def _is_lost(facts: Facts, command: SimpleCommand) -> bool:
    """Whether the script may end with 0 all the same."""
    fate = facts.fate(command)
    return fate is None or fate.value in {"lost", "handled", "depends", "unknown"}
