"""Is errexit (or pipefail) on here? What `set`, `shopt` and the shebang do to the shell's options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from shellguard.source import Span


class Toggle(Enum):
    """An option's state at a place: on, off, or on only on some paths (or unknown)."""

    ON = "on"
    OFF = "off"
    MAYBE = "maybe"

    def joined(self, other: Toggle) -> Toggle:
        """The state where two paths meet."""
        return self if self is other else Toggle.MAYBE


@dataclass(frozen=True, slots=True)
class Options:
    """The options that decide what a failure does.

    `suppressed` is the place that makes the shell ignore errexit here (a condition, `!`, `&&` or `||`), if any: it
    holds for everything that runs inside, functions included (bash's manual, "The Set Builtin", -e).
    """

    errexit: Toggle = Toggle.OFF
    pipefail: Toggle = Toggle.OFF
    lastpipe: Toggle = Toggle.OFF
    inherit_errexit: Toggle = Toggle.OFF
    suppressed: Span | None = None

    @property
    def stops_on_failure(self) -> Toggle:
        """Whether a failing command ends the script here."""
        return Toggle.OFF if self.suppressed else self.errexit

    def joined(self, other: Options) -> Options:
        """The options where two paths meet."""
        if self == other:
            return self
        if bool(self.suppressed) != bool(other.suppressed):
            errexit = Toggle.MAYBE if Toggle.OFF is not self.errexit else self.errexit.joined(other.errexit)
        else:
            errexit = self.errexit.joined(other.errexit)
        return Options(
            errexit,
            self.pipefail.joined(other.pipefail),
            self.lastpipe.joined(other.lastpipe),
            self.inherit_errexit.joined(other.inherit_errexit),
            self.suppressed and other.suppressed,
        )


_LETTERS: Final = {"e": "errexit"}
_SET_NAMES: Final = frozenset({"errexit", "pipefail"})
_SHOPT_NAMES: Final = frozenset({"lastpipe", "inherit_errexit"})


def after_set(options: Options, words: Iterable[str | None]) -> Options:
    """The options after `set WORD…` (also the words of a shebang line); words that aren't known change nothing."""
    for name, state in _set_changes(iter(words)):
        options = _changed(options, name, state)
    return options


def _changed(options: Options, name: str | None, state: Toggle) -> Options:
    """The options with one of them set; other names change nothing."""
    match name:
        case "errexit":
            return replace(options, errexit=state)
        case "pipefail":
            return replace(options, pipefail=state)
        case "lastpipe":
            return replace(options, lastpipe=state)
        case "posix" if state is Toggle.ON:  # POSIX mode keeps errexit in substitutions
            return replace(options, inherit_errexit=state)
        case "inherit_errexit":
            return replace(options, inherit_errexit=state)
        case _:
            return options


def _set_changes(words: Iterator[str | None]) -> Iterator[tuple[str, Toggle]]:
    """Yield each option that the words of `set` change, until the first operand."""
    for word in words:
        if word is None or word in {"-", "--"} or word[:1] not in {"-", "+"}:
            return
        state = Toggle.ON if word[0] == "-" else Toggle.OFF
        for letter in word[1:]:
            if letter == "o":
                name = next(words, None)
                if name is not None:
                    yield name, state
            elif letter in _LETTERS:
                yield _LETTERS[letter], state


def after_shopt(options: Options, words: list[str | None]) -> Options:
    """The options after `shopt WORD…`: `-s` and `-u`, with `-o` for the options of `set`."""
    flags = "".join(word[1:] for word in words if word and word.startswith("-"))
    if not ("s" in flags or "u" in flags):
        return options
    state = Toggle.ON if "s" in flags else Toggle.OFF
    names = _SET_NAMES if "o" in flags else _SHOPT_NAMES
    for word in words:
        if word in names:
            options = _changed(options, word, state)
    return options
