"""Where does a script set its options, and where would another one go?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shellguard.syntax.nodes import SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


def pipefail_insertion(facts: Facts) -> tuple[int, str] | None:
    """Return where `set -o pipefail` goes, and the text to insert: after the leading `set` commands, else first.

    None where the script has no command on a line of its own.
    """
    commands = facts.script.body.commands
    last = None
    for command in commands:
        if not (isinstance(command, SimpleCommand) and command.words and command.words[0].literal == "set"):
            break
        last = command
    if last is not None:
        line_end = facts.text.find("\n", last.end)
        offset = line_end if line_end >= 0 else len(facts.text)
        return offset, "\nset -o pipefail"
    if not commands:
        return None
    first = commands[0].start
    line_start = facts.text.rfind("\n", 0, first) + 1
    if facts.text[line_start:first].strip():
        return None
    return line_start, "set -o pipefail\n"
