"""Where does a script set its options, and where would another one go?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shellguard.flow.options import Options, Toggle, after_set, after_shopt
from shellguard.syntax.nodes import SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


def pipefail_insertion(facts: Facts) -> tuple[int, str] | None:
    """Return where `set -o pipefail` goes, and the text to insert: after the leading `set` commands, else first.

    None where the script has no command on a line of its own, or switches pipefail off, so that it might be off again
    where it is needed.
    """
    if any(_switches_pipefail_off(command) for command in facts.structure.named("set", "shopt")):
        return None
    commands = facts.script.body.commands
    last = None
    for command in commands:
        if not (isinstance(command, SimpleCommand) and command.words and command.words[0].literal == "set"):
            break
        last = command
    if last is not None:
        return _after(facts.text, last.end)
    if not commands:
        return None
    first = commands[0].start
    line_start = facts.text.rfind("\n", 0, first) + 1
    if facts.text[line_start:first].strip():
        return None
    return line_start, "set -o pipefail\n"


def _after(text: str, end: int) -> tuple[int, str]:
    """Where and how the option is set right after a command: on the next line, or on the same before what follows."""
    line_end = text.find("\n", end)
    line_end = line_end if line_end >= 0 else len(text)
    rest = text[end:line_end].lstrip()
    if rest in ("", ";") or rest.startswith("#"):
        return line_end, "\nset -o pipefail"
    return end, "; set -o pipefail"


def _switches_pipefail_off(command: SimpleCommand) -> bool:
    """Whether a command is `set +o pipefail` or says the same."""
    before = Options(pipefail=Toggle.ON)
    words = [word.literal for word in command.words]
    match words[:1]:
        case ["set"]:
            return after_set(before, words[1:]).pipefail is Toggle.OFF
        case ["shopt"]:
            return after_shopt(before, words[1:]).pipefail is Toggle.OFF
        case _:
            return False
