"""Which words of a command are options, values of options and operands?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple


@dataclass(frozen=True, slots=True)
class Partial:
    """A word of which only the beginning is known: `--output=$file` begins with `--output=`."""

    prefix: str


Argument = str | Partial | None
"""A word after quote removal: all of it, its beginning, or None where nothing is known (`$x` may be several words)."""


# Named tuples, because creating the class of a frozen dataclass takes a millisecond of every run.


class Place(NamedTuple):
    """Where a value stands: the word's index in argv, and how many of the word's characters come before it."""

    word: int
    offset: int = 0


class Part(NamedTuple):
    """An option or operand in word `word`: `name` is `-o` or `--output`, empty for an operand.

    `place` is where the operand or the option's value stands, None for an option without a value.
    """

    word: int
    name: str
    place: Place | None
    declared: bool = True


VALUE: Final = 1
OPTIONAL: Final = -1


class Grammar(NamedTuple):
    """How a tool reads its words.

    `arity` tells how many words each declared option takes: 0, 1, 2, or `OPTIONAL` for a value that is only ever
    attached. The options in `modes` make the tool do something else than its usual work; the value of one in `code`
    is shell code. `stops`: the first operand ends the options; `whole`: `-abc` is one option, never three;
    `bundle`: the first word is a cluster even without its dash (`tar czf`).
    """

    arity: Mapping[str, int]
    modes: frozenset[str]
    code: frozenset[str]
    stops: bool
    whole: bool
    bundle: bool


@cache
def grammar(text: str) -> Grammar:
    """Read a grammar from words such as `-v -o= --color? --mca=2 -p=! -c$ +`.

    `=` and `=2` stand for values, `?` for an attached one, `!` for a mode and `$` for shell code. `+` alone means that
    operands end the options, `@` that options are whole words, `%` that the first word is a bundle.
    """
    words = text.split()
    options = [word for word in words if word.startswith("-")]
    return Grammar(
        arity={_name(word): _arity(word) for word in options},
        modes=frozenset(_name(word) for word in options if word.endswith("!")),
        code=frozenset(_name(word) for word in options if word.endswith("$")),
        stops="+" in words,
        whole="@" in words,
        bundle="%" in words,
    )


def _name(word: str) -> str:
    return word.removesuffix("!").rstrip("?$").partition("=")[0]


def _arity(word: str) -> int:
    bare = word.removesuffix("!")
    if bare.endswith("?"):
        return OPTIONAL
    if bare.endswith("=2"):
        return 2
    return VALUE if bare.endswith(("=", "$")) else 0


def known_start(word: Argument) -> str:
    """As much of a word's beginning as is known."""
    if isinstance(word, Partial):
        return word.prefix
    return word or ""


def is_option(word: Argument) -> bool:
    """Whether a word begins like an option; `-` alone and `--` don't count."""
    text = known_start(word)
    return len(text) > 1 and text[0] == "-" and word != "--"


def scan(argv: Sequence[Argument], rules: Grammar, start: int = 1) -> Iterator[Part]:
    """Tell options and operands apart from word `start` on; a word nothing is known about counts as an operand."""
    index = start
    if rules.bundle and index < len(argv) and not is_option(argv[index]) and known_start(argv[index]):
        parts, index = _read_bundle(argv, index, rules)
        yield from parts
    options_end = False
    while index < len(argv):
        word = argv[index]
        if options_end or not is_option(word):
            index += 1
            if word == "--" and not options_end:
                options_end = True
                continue
            yield Part(index - 1, "", Place(index - 1))
            options_end = options_end or rules.stops
        else:
            parts, index = read_option(argv, index, rules)
            yield from parts


def read_option(argv: Sequence[Argument], index: int, rules: Grammar) -> tuple[list[Part], int]:
    """The options that the word at `index` holds, and the index of the first word after them and their values."""
    text = known_start(argv[index])
    whole = isinstance(argv[index], str)
    name, equals, _ = text.partition("=")
    if equals and (name.startswith("--") or name in rules.arity):
        return [Part(index, name, Place(index, len(name) + 1), name in rules.arity)], index + 1
    if whole and rules.arity.get(text, OPTIONAL) != OPTIONAL:
        return _with_values(argv, index, text, rules.arity[text])
    if _is_number(text) and "-#" in rules.arity:
        return [Part(index, "-#", Place(index, 1))], index + 1
    if text.startswith("--") or rules.whole:
        return [Part(index, text, None, text in rules.arity)], index + 1
    return _read_cluster(argv, index, rules)


def _is_number(text: str) -> bool:
    return text.lstrip("-+").isdecimal()


def _with_values(argv: Sequence[Argument], index: int, name: str, count: int) -> tuple[list[Part], int]:
    after = index + 1
    place = Place(after) if count and after < len(argv) else None
    return [Part(index, name, place)], min(after + count, len(argv))


def _read_cluster(argv: Sequence[Argument], index: int, rules: Grammar) -> tuple[list[Part], int]:
    text = known_start(argv[index])
    whole = isinstance(argv[index], str)
    parts: list[Part] = []
    for offset, letter in enumerate(text[1:], start=2):
        name = f"-{letter}"
        arity = rules.arity.get(name, 0)
        attached = offset < len(text) or not whole
        if arity > 0 and not attached:
            more, after = _with_values(argv, index, name, arity)
            return parts + more, after
        if arity:
            return [*parts, Part(index, name, Place(index, offset) if attached else None)], index + 1
        parts.append(Part(index, name, None, name in rules.arity))
    return parts, index + 1


def _read_bundle(argv: Sequence[Argument], index: int, rules: Grammar) -> tuple[list[Part], int]:
    """Read old-style options: their values follow as words of their own, in the letters' order."""
    parts: list[Part] = []
    after = index + 1
    for letter in known_start(argv[index]):
        name = f"-{letter}"
        takes_value = rules.arity.get(name, 0) == VALUE and after < len(argv)
        parts.append(Part(index, name, Place(after) if takes_value else None, name in rules.arity))
        after += takes_value
    return parts, after
