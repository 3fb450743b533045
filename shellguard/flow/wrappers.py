"""Which command does `sudo nice -n 5 make` really run?

A wrapper's statement in the table of tools lists its options in the notation of `arguments.grammar`, and further:
`<duration>`, `<number>`, `<mask>`, `<arch>` and `<word>` are operands before the command; `NAME=VALUE` allows
assignments before it; `--` demands that it comes after `--`; `needs:-a,-b` makes it a wrapper only with one of these
options; `*` lets unknown long options pass as ones without a value; `~` allows options after the operands;
`elsewhere` marks commands that see other files than the script; `shell` a command word that may be shell code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Final, NamedTuple

from shellguard.flow.arguments import Argument, Grammar, Place, grammar, is_option, known_start, read_option
from shellguard.flow.tools import Tools, load_tools

ARCHITECTURES: Final = (
    r"uname26|linux32|linux64|i[3456]86|athlon|x86_64|amd64|ia64|arm\w*|aarch64|ppc\w*|powerpc\w*|s390x?|sparc\w*|mips\w*"
    r"|parisc\w*|alpha\w*|riscv\w*|loongarch\w*"
)
SHAPES: Final[Mapping[str, str]] = {
    "<duration>": r"(\d+\.?\d*|\.\d+)([eE]\d+)?[smhd]?",
    "<number>": r"-?\d+",
    "<mask>": r"[0-9a-fA-FxX,:-]+",
    "<arch>": ARCHITECTURES,
    "<word>": r"(?s:.*)",
}


class WrapperUse(NamedTuple):
    """A wrapper at work: its name in the table (`docker exec` for two words), and the index of its first word.

    The name is empty for a word known only at run time that stands before a common command: `$sudo rm x`.
    """

    name: str
    word: int


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """The wrappers of a command, outermost first, and what the innermost one runs.

    `inner` is the index of the first word of the command that is run, 0 where nothing is wrapped; a wrapper that runs
    no command here (`sudo -v`, `flock 9`, `command -v x`) is itself the inner command. It is None when that can't be
    told, or when shell code is run: `code` then tells where it stands, if it is a word. `elsewhere`: the command runs
    in a container, a chroot or the like.
    """

    wrappers: tuple[WrapperUse, ...]
    inner: int | None
    code: Place | None = None
    elsewhere: bool = False


class Specification(NamedTuple):
    """How one wrapper reads its words."""

    options: Grammar
    operands: tuple[str, ...]
    needs: frozenset[str]
    assignments: bool
    separator: bool
    lenient: bool
    permutes: bool
    elsewhere: bool
    shell: bool


class Outcome(Enum):
    """What a wrapper does when it doesn't run the command at a known place."""

    ALONE = "runs no command"
    UNKNOWN = "can't be told"


def unwrap(argv: Sequence[Argument], tools: Tools | None = None) -> Unwrapped:
    """See through the wrappers of a command; an empty one has no inner command."""
    tools = tools or load_tools()
    uses: list[WrapperUse] = []
    start, elsewhere = 0, False
    while start < len(argv):
        found = tools.find("wrapper", argv, start)
        if found is None and _is_variable_wrapper(argv, start, tools):
            uses.append(WrapperUse("", start))
            start += 1
            continue
        if found is None:
            return Unwrapped(tuple(uses), start, None, elsewhere)
        name, text, after = found
        rules = specification(text)
        result = _Reading(argv, rules, after).command()
        if result is Outcome.ALONE:
            return Unwrapped(tuple(uses), start, None, elsewhere)
        uses.append(WrapperUse(name, start))
        elsewhere = elsewhere or rules.elsewhere
        if not isinstance(result, int):
            return Unwrapped(tuple(uses), None, result if isinstance(result, Place) else None, elsewhere)
        start = result
    return Unwrapped(tuple(uses), None, None, elsewhere)


def _is_variable_wrapper(argv: Sequence[Argument], start: int, tools: Tools) -> bool:
    if argv[start] is not None or start + 1 >= len(argv):
        return False
    name = tools.canonical(argv[start + 1])
    return name is not None and tools.lists("behind-variables", name)


@cache
def specification(text: str) -> Specification:
    """Read a wrapper's statement."""
    words = text.split()
    needs = next((word.removeprefix("needs:") for word in words if word.startswith("needs:")), "")
    return Specification(
        options=grammar(text),
        operands=tuple(word for word in words if word in SHAPES),
        needs=frozenset(needs.split(",")) if needs else frozenset(),
        assignments="NAME=VALUE" in words,
        separator="--" in words,
        lenient="*" in words,
        permutes="~" in words,
        elsewhere="elsewhere" in words,
        shell="shell" in words,
    )


def _is_assignment(word: Argument) -> bool:
    name, equals, _ = known_start(word).partition("=")
    return bool(equals) and name.isidentifier()


class _Reading:
    """One wrapper's words, read from left to right."""

    __slots__ = ("argv", "index", "options_end", "pending", "rules", "seen", "separated")

    def __init__(self, argv: Sequence[Argument], rules: Specification, index: int) -> None:
        self.argv = argv
        self.rules = rules
        self.index = index
        self.pending = list(rules.operands)
        self.seen: set[str] = set()
        self.options_end = False
        self.separated = False

    def command(self) -> int | Place | Outcome:
        """The index of the command, the place of shell code, or why there is neither."""
        while self.index < len(self.argv):
            word = self.argv[self.index]
            if word == "--" and not self.options_end:
                self.index += 1
                self.options_end = self.separated = True
            elif is_option(word) and not self.options_end:
                stop = self._read_option()
                if stop is not None:
                    return stop
            elif not self._skip(word):
                break
        return self._found()

    def _read_option(self) -> Place | Outcome | None:
        parts, self.index = read_option(self.argv, self.index, self.rules.options)
        for part in parts:
            self.seen.add(part.name)
            if part.name in self.rules.options.modes:
                return Outcome.ALONE
            if part.name in self.rules.options.code:
                return part.place or Outcome.UNKNOWN
            attached = part.place is not None and part.name.startswith("--")
            if not (part.declared or attached or (self.rules.lenient and part.name.startswith("--"))):
                return Outcome.UNKNOWN
        return None

    def _skip(self, word: Argument) -> bool:
        """Step over a word that belongs to the wrapper; False when it may be the command."""
        if self.rules.assignments and _is_assignment(word):
            self.index += 1
            return True
        if word == "-" and "-" in self.rules.options.arity:
            self.index += 1
            return True
        if not self.pending or (self.rules.separator and self.rules.permutes and self.separated):
            return False
        if not self._is_unseen_option(word):
            if isinstance(word, str) and not re.fullmatch(SHAPES[self.pending[0]], word):
                return False
            self.pending.pop(0)
            self.options_end = self.options_end or not self.rules.permutes
        self.index += 1
        return True

    def _is_unseen_option(self, word: Argument) -> bool:
        """Whether a word nothing is known about must be options, because the operand or more options follow it."""
        if word is not None or self.options_end or self.rules.permutes or self.index + 1 >= len(self.argv):
            return False
        following = self.argv[self.index + 1]
        if is_option(following):
            return True
        shape = self.pending[0]
        return shape != "<word>" and isinstance(following, str) and bool(re.fullmatch(SHAPES[shape], following))

    def _found(self) -> int | Place | Outcome:
        if self.rules.needs and not self.rules.needs & self.seen:
            return Outcome.ALONE
        if self.index >= len(self.argv):
            return Outcome.ALONE
        word = self.argv[self.index]
        if self.pending or (self.rules.separator and not self.separated):
            return Outcome.UNKNOWN
        if isinstance(word, str):
            return self._check_code(word)
        settled = self.options_end or known_start(word) not in ("", "-")
        return self.index if settled else Outcome.UNKNOWN

    def _check_code(self, word: str) -> int | Place | Outcome:
        after_operands = bool(self.rules.operands)
        if after_operands and word in self.rules.options.code:
            return Place(self.index + 1) if self.index + 1 < len(self.argv) else Outcome.UNKNOWN
        if self.rules.shell and (word.startswith(":::") or not word):
            return Outcome.UNKNOWN
        if self.rules.shell and any(character.isspace() for character in word):
            return Place(self.index)
        return self.index
