"""Which commands that are meant to set the shell's options set others, or none?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.source import Dialect
from shellguard.syntax.nodes import ParameterExpansion, SimpleCommand, Word

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

# bash 5.2's `set -o` and `shopt`, and what ksh93 and mksh add.
_OF_SET: Final = (
    "allexport braceexpand emacs errexit errtrace functrace hashall histexpand history ignoreeof interactive-comments "
    "keyword monitor noclobber noexec noglob nolog notify nounset onecmd physical pipefail posix privileged verbose vi "
    "xtrace"
)
_OF_KSH: Final = (
    "bgnice gmacs globstar login_shell markdirs multiline rc restricted showme trackall viraw arc4random "
    "inherit-xtrace nohup sh stdin utf8-mode vi-esccomplete vi-tabcomplete vi-show8 letoctal"
)
_SET_OPTIONS: Final = frozenset(_OF_SET.split())
_KSH_OPTIONS: Final = frozenset(_OF_KSH.split())
_SHOPT_OPTIONS: Final = frozenset(
    {"execfail", "extglob", "failglob", "globstar", "inherit_errexit", "lastpipe", "nullglob"}
)
_DEFENCES: Final = frozenset({"errexit", "nounset", "pipefail", "errtrace"})
_BARE_LETTERS: Final = re.compile(r"(?=[uxo]*e)[euxo]+")
_FLAGS: Final = re.compile(r"[-+][A-Za-z]+")


@dataclass(frozen=True, slots=True)
class MisspeltOption:
    """A word that doesn't set the option it is meant to set.

    `instead` is what the shell makes of it; `insertions` are texts to put at offsets, `replacement` one for the word;
    `option` is what is off for that, and `right` sets it.
    """

    command: SimpleCommand
    word: Word
    option: str
    instead: str
    insertions: tuple[tuple[int, str], ...] = ()
    replacement: str | None = None

    @property
    def right(self) -> str:
        """A command that sets the option."""
        return f"set -o {self.option}" if self.option in _SET_OPTIONS else f"shopt -s {self.option}"


def misspelt_options(facts: Facts) -> Iterator[MisspeltOption]:
    """Yield what is wrong with the commands that set options, one per command."""
    for command in facts.structure.named("set", "shopt"):
        name = command.words[0].literal
        found = _in_set(facts, command) if name == "set" else _in_shopt(facts, command)
        if found is not None:
            yield found


def _in_set(facts: Facts, command: SimpleCommand) -> MisspeltOption | None:
    words = command.words[1:]
    index = 0
    while index < len(words):
        text = words[index].literal
        if text is None or text == "--":
            return None
        if not _FLAGS.fullmatch(text):
            break
        index += 1
        for _ in range(text.count("o")):
            if index < len(words):
                found = _unknown(facts, command, words[index])
                if found is not None:
                    return found
                index += 1
            elif len(text) > 2:
                return MisspeltOption(
                    command, words[-1], "pipefail", "the `o` has no name after it, so all are printed"
                )
    return _operands(facts, command, words[index:], has_flags=index > 0)


def _unknown(facts: Facts, command: SimpleCommand, word: Word) -> MisspeltOption | None:
    """A name that `-o` doesn't know. dash and busybox end the script then, so that it is seen."""
    name = word.literal
    known = _SET_OPTIONS | _KSH_OPTIONS if facts.shell.dialect is Dialect.KSH else _SET_OPTIONS
    if name is None or name in known or facts.shell.dialect in (Dialect.SH, Dialect.DASH):
        return None
    from difflib import get_close_matches  # heavy, and hardly ever needed

    nearest = get_close_matches(name, _DEFENCES, n=1)
    if not nearest:
        return None
    return MisspeltOption(command, word, nearest[0], "there is no such option", replacement=nearest[0])


def _operands(
    facts: Facts, command: SimpleCommand, operands: tuple[Word, ...], *, has_flags: bool
) -> MisspeltOption | None:
    """Options that are given as operands, and so become `$1`, `$2`, and so on."""
    names = [word.literal for word in operands]
    if not operands or not names[0]:
        return None
    first = names[0]
    letters = not has_flags and _BARE_LETTERS.fullmatch(first) is not None
    rest = names[1:] if letters else names
    if any(name not in _SET_OPTIONS | _SHOPT_OPTIONS for name in rest) or (not letters and not has_flags):
        return None
    wanted = [name for name in rest if name in _DEFENCES]
    if letters and (wanted or (len(first) > 1 and not _reads_parameters(facts))):
        option = "errexit"
        start = operands[0].start
        insertions = [(start, "-")]
        if rest and not first.endswith("o"):
            insertions += [(word.start, "-o ") for word in operands[1:]]
        return MisspeltOption(command, operands[0], option, "without a `-`, it becomes `$1`", tuple(insertions))
    if not rest or letters:
        return None
    place = 1 + len(command.words[1:]) - len(operands)
    word = command.words[place]
    option = wanted[0] if wanted else str(rest[0])
    if all(name in _SET_OPTIONS for name in rest):
        insertions = [(item.start, "-o ") for item in operands]
        return MisspeltOption(command, word, option, "without an `-o`, it becomes `$1`", tuple(insertions))
    return MisspeltOption(command, word, option, "it is an option of `shopt`, and becomes `$1` here")


def _reads_parameters(facts: Facts) -> bool:
    """Whether a script reads what `set` gives it to read."""
    return any(node.name in {"1", "2", "@", "*", "#"} for node in facts.structure.nodes(ParameterExpansion)) or bool(
        facts.structure.named("shift", "getopts")
    )


def _in_shopt(facts: Facts, command: SimpleCommand) -> MisspeltOption | None:
    """`shopt -s errexit`: an option of `set`, which `shopt` only knows with `-o`."""
    if facts.shell.dialect is not Dialect.BASH or len(command.words) < 3:
        return None
    flags, *names = command.words[1:]
    if flags.literal != "-s" or any(word.literal == "-o" for word in names):
        return None
    wanted = next((word for word in names if word.literal in _DEFENCES), None)
    if wanted is None:
        return None
    end = flags.end
    insertions = ((end, "o"),) if all(word.literal in _SET_OPTIONS for word in names) else ()
    return MisspeltOption(command, wanted, str(wanted.literal), "`shopt` doesn't know it without `-o`", insertions)
