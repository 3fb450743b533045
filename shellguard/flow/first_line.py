"""Does errexit hang on the options of the first line, which `bash script` leaves out?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.options import Options, Toggle, after_set
from shellguard.source import Span
from shellguard.syntax.nodes import SimpleCommand

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_LINE: Final = re.compile(
    r"#!.*?/(?:\S*/)*?(?P<env>env\s+(?P<split>-\S*S\s*)?)?(?P<shell>[\w.+-]*sh[\w.+-]*)(?P<options>\s+-.*)"
)
# What `set` takes as well; `-i`, `-l` and `-c` are for the start alone.
_SETTABLE: Final = re.compile(r"-[abefhkmnptuvxBCEHPT]*(?:[abefhkmnptuvxBCEHPT]|o\s+[a-z]+)(?:\s+|$)")


@dataclass(frozen=True, slots=True)
class FirstLine:
    """Options of the first line that include errexit.

    `span` is that of the options with the space before them, `can_move`: `set` takes them all. `is_broken`: the kernel
    hands everything after `env` over as one name, so that nothing is found.
    """

    span: Span
    options: str
    can_move: bool
    is_broken: bool


def errexit_of_first_line(facts: Facts) -> FirstLine | None:
    """The first line's options where errexit is on through them alone."""
    found = _LINE.match(facts.source.line_text(1).rstrip())
    if found is None or _sets_errexit(facts) or not _has_extension(facts.source.path):
        return None
    options = found["options"].strip()
    if after_set(Options(), options.split()).errexit is not Toggle.ON:
        return None
    is_broken = bool(found["env"]) and not found["split"]
    return FirstLine(Span(*found.span("options")), options, not _SETTABLE.sub("", options), is_broken)


def _has_extension(path: str) -> bool:
    """Whether people write `bash run.sh`: what has no extension is started by its name. `-` is standard input."""
    name = path.rpartition("/")[2]
    return "." in name[1:] or name == "-"


def _sets_errexit(facts: Facts) -> bool:
    """Whether the script sets errexit on its own, outside of functions and branches."""
    return any(
        isinstance(command, SimpleCommand)
        and command.words
        and command.words[0].literal == "set"
        and after_set(Options(), [word.literal for word in command.words[1:]]).errexit is Toggle.ON
        for command in facts.script.body.commands
    )
