"""Which shell is this script written for, and which options does its first line set?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shellguard.source import Dialect, Source

BOM: Final = "\ufeff"

_DIALECTS: Final = {
    **dict.fromkeys(("bash", "rbash", "bashio"), Dialect.BASH),
    # The last three run /bin/sh scripts that hold functions only (OpenRC, Gentoo's old name for it, Debian).
    **dict.fromkeys(("sh", "posh", "openrc-run", "runscript", "init-d-script"), Dialect.SH),
    **dict.fromkeys(("ash", "dash", "busybox"), Dialect.DASH),
    **dict.fromkeys(("ksh", "rksh", "mksh", "pdksh", "oksh", "loksh", "lksh"), Dialect.KSH),
}
_OTHER_SHELLS: Final = frozenset({"zsh", "fish", "csh", "tcsh", "yash", "bats"})

# A `.sh` file without a shebang is a library or an argument of `bash`: bash is what nearly all of them mean, and
# reading one as sh would hide PIPESTATUS and pipefail from the rules.
_EXTENSIONS: Final = {
    "sh": "bash",
    "bash": "bash",
    "ebuild": "bash",
    "eclass": "bash",
    "dash": "dash",
    "ash": "dash",
    "ksh": "ksh",
    "zsh": "zsh",
    "fish": "fish",
    "csh": "csh",
    "tcsh": "tcsh",
    "bats": "bats",
}
_NAMES: Final = {
    **dict.fromkeys((".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases"), "bash"),
    **dict.fromkeys((".bash_functions", "bashrc", "bash.bashrc", ".envrc", "direnvrc", "PKGBUILD"), "bash"),
    **dict.fromkeys((".profile", ".shrc", ".xinitrc", ".xprofile", ".xsession", "APKBUILD"), "sh"),
    **dict.fromkeys((".kshrc", ".mkshrc"), "ksh"),
    **dict.fromkeys((".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"), "zsh"),
    **dict.fromkeys((".cshrc", ".tcshrc", ".login", ".logout"), "csh"),
}

_OUR_DIRECTIVE: Final = re.compile(r"\s*#+\s*shellguard:.*?\bdialect\s*=\s*([^\s#,;]*)")
_SHELLCHECK_DIRECTIVE: Final = re.compile(r"\s*#+\s*shellcheck\s(?:.*\s)?shell\s*=\s*([^\s#,;]*)")
# An editor's mode line, as in `#! -*-perl-*-` below `#!/bin/sh`: perl reads on there, and so do the other languages
# whose programs begin as an sh script that runs their interpreter.
_MODE_LINE: Final = re.compile(r"-\*-\s*(?:.*?\bmode:\s*)?([\w-]+)\s*(?:;.*)?-\*-", re.IGNORECASE)
_OTHER_LANGUAGES: Final = {
    **dict.fromkeys(("perl", "cperl"), "perl"),
    **dict.fromkeys(("python", "python-ts"), "python"),
    **{name: name for name in ("tcl", "ruby", "scheme", "lisp", "emacs-lisp", "lua", "awk", "php")},
}
# `'''exec' /venv/bin/python "$0" "$@"`, as pip writes it; `exec tclsh "$0" "$@"`; `eval 'exec perl -wS $0 …'`.
_HANDED_ON: Final = re.compile(
    r"""(?:eval\s+)?['":]*\s*exec\b['"]*\s.*?\b(python|pypy|perl|tclsh|wish|expect|ruby|guile|lua|php)"""
    r"""[\d.]*["'\s].*\$\{?0\b"""
)
_INTERPRETERS: Final = {"pypy": "python", "tclsh": "tcl", "wish": "tcl", "expect": "tcl", "guile": "scheme"}
_NIX_SHELL: Final = re.compile(r"#!.*\bnix-shell\b.*\s-i\s*(\S+)")
# bash-5.2, bash5, ksh93u+, mksh-static, sh.exe
_VERSIONED: Final = re.compile(r"(?P<name>.*?)(?:[-.]?\d[\w.+]*)?(?:-static)?(?:\.exe)?")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
# Programs that run the shell named somewhere after them.
_WRAPPERS: Final = frozenset({"toybox", "with-contenv", "sudo", "doas", "nice", "dumb-init", "tini"})
_ENV_OPTIONS_WITH_VALUE: Final = ("-u", "-C", "--unset", "--chdir")
_LONG_OPTIONS_WITH_VALUE: Final = ("--rcfile", "--init-file")


@dataclass(frozen=True, slots=True)
class Shell:
    """A script that can be checked: its dialect, and how we know.

    `options` are the words of the shebang line that set options (`-eu`, `-o`, `pipefail`; `--posix` is given as
    `-o posix`). `reason` is `--dialect`, `directive`, `shebang`, `extension`, `file name` or `default`.
    """

    dialect: Dialect
    options: tuple[str, ...] = ()
    reason: str = "default"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A script that can't be checked: the language it is in (as the clue names it), and how we know."""

    language: str
    reason: str

    @property
    def is_shell(self) -> bool:
        """Whether the language is a shell all the same."""
        return self.language in _OTHER_SHELLS

    @property
    def message(self) -> str:
        """Why it is not checked, for people."""
        language = self.language if self.language.isprintable() else ascii(self.language)
        if self.is_shell:
            return f"{language} is not checked (only sh, bash, dash and ksh are); known by its {self.reason}"
        if self.reason == "directive":
            return f"its directive asks for the dialect '{language}'; known are {', '.join(Dialect)}"
        return f"its {self.reason} names {language}, which is not a shell that can be checked"


@dataclass(frozen=True, slots=True)
class Shebang:
    """What a shebang line runs: the interpreter's base name without version, and the options it is given."""

    interpreter: str
    options: tuple[str, ...] = ()


def detect(source: Source, *, override: Dialect | None = None) -> Shell | Unsupported:
    """Tell a script's dialect.

    From, in this order: `override`, a directive, a mode line that names another language, a first command that hands
    the script to another interpreter, the shebang, the file name.

    Without any clue it is bash. Directives (`# shellguard: dialect=sh`, `# shellcheck shell=sh`) count in the comment
    lines that lead the script. The shebang's options hold whatever decided the dialect.
    """
    shebang = parse_shebang(source.text)
    language, reason = next(_clues(source, shebang, override))
    dialect = _DIALECTS.get(language)
    if dialect is None:
        return Unsupported(language, reason)
    has_options = shebang is not None and shebang.interpreter in _DIALECTS
    return Shell(dialect, shebang.options if shebang and has_options else (), reason)


def language_of_name(path: str) -> tuple[str, str] | None:
    """The shell language that a file's name says, and which part of the name said so; None if it says none."""
    name = path.rpartition("/")[2]
    if name in _NAMES:
        return _NAMES[name], "file name"
    stem = name.removesuffix(".in")
    language = _EXTENSIONS.get(stem.rpartition(".")[2].lower()) if "." in stem else None
    return (language, "extension") if language else None


def parse_shebang(text: str) -> Shebang | None:
    """Read the first line's `#!`, or None.

    A byte order mark before it is forgiven: the kernel would not see the shebang, but the author's meaning is plain.
    `env`, `busybox` and the like are seen through. Without `-S`, Linux passes everything after `env` as one word, so
    that the script can only be started as `bash script`, without those options: they are left out.
    """
    line = text[:4096].removeprefix(BOM).partition("\n")[0]
    words = line[2:].split() if line.startswith("#!") else []
    # A template's `#!@SHELL@` or `#!{{ bash }}` tells nothing yet.
    if not words or any(mark in words[0] for mark in "@{$%"):
        return None
    words, is_split = _unwrap(words)
    name = _plain_name(words[0])
    if name == "nix-shell":
        return Shebang(_nix_interpreter(text) or name)
    return Shebang(name, tuple(_set_options(words[1:])) if is_split else ())


def _clues(source: Source, shebang: Shebang | None, override: Dialect | None) -> Iterator[tuple[str, str]]:
    if override is not None:
        yield override.value, "--dialect"
    directive = _directive(source.text)
    if directive is not None:
        yield directive, "directive"
    mode = _other_language(source.text)
    if mode is not None:
        yield mode, "mode line"
    interpreter = _handed_to(source.text)
    if interpreter is not None:
        yield interpreter, "first command"
    if shebang is not None:
        yield shebang.interpreter, "shebang"
    named = language_of_name(source.path)
    if named is not None:
        yield named
    yield "bash", "default"


def _other_language(text: str) -> str | None:
    """The language, other than a shell's, that a mode line among the first two lines names."""
    for line in text[:4096].split("\n")[:2]:
        match = _MODE_LINE.search(line) if line.startswith("#") else None
        if match:
            return _OTHER_LANGUAGES.get(match[1].lower())
    return None


def _handed_to(text: str) -> str | None:
    """The interpreter that the first command of an sh script hands the script to, so that sh reads no further."""
    for line in text[:4096].split("\n"):
        if line.strip() and not line.startswith("#"):
            match = _HANDED_ON.match(line)
            return _OTHER_LANGUAGES.get(_INTERPRETERS.get(match[1], match[1])) if match else None
    return None


def _directive(text: str) -> str | None:
    """The dialect that a directive asks for; ours wins over ShellCheck's."""
    theirs = None
    for line in _leading_comments(text):
        if match := _OUR_DIRECTIVE.match(line):
            return match[1].lower()
        if theirs is None and (match := _SHELLCHECK_DIRECTIVE.match(line)):
            theirs = match[1].lower()
    return theirs


def _leading_comments(text: str) -> Iterator[str]:
    start = len(BOM) if text.startswith(BOM) else 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end].strip()
        if line and not line.startswith("#"):
            return
        yield line
        start = end + 1


def _plain_name(path: str) -> str:
    """A program's base name; its version is dropped if that leaves the name of a shell."""
    name = path.rpartition("/")[2] or path
    match = _VERSIONED.fullmatch(name)
    plain = match["name"] if match else name
    return plain if plain == "env" or _is_shell(plain) else name


def _is_shell(name: str) -> bool:
    return name in _DIALECTS or name in _OTHER_SHELLS


def _unwrap(words: list[str]) -> tuple[list[str], bool]:
    """See through `env` and other wrappers; also tell whether the interpreter gets its arguments word by word."""
    is_split = True
    while True:
        name = _plain_name(words[0])
        if name == "env":
            rest, is_split = _after_env(words[1:])
        elif name == "busybox" and words[1:]:
            # Its sh is ash, and so is its bash.
            return ["ash" if words[1] in ("sh", "bash") else words[1], *words[2:]], is_split
        elif name in _WRAPPERS:
            rest = _from_shell_on(words[1:])
        else:
            return words, is_split
        if not rest:
            return words, is_split
        words = rest


def _after_env(words: list[str]) -> tuple[list[str], bool]:
    """The command that `env` runs, and whether `-S` splits it into words."""
    is_split = False
    while words:
        word = words[0]
        if word in _ENV_OPTIONS_WITH_VALUE:
            words = words[2:]
        elif word.startswith("--split-string"):
            is_split = True
            words = [part for part in (word.partition("=")[2], *words[1:]) if part]
        elif word.startswith("-") and not word.startswith("--") and "S" in word:
            is_split = True
            words = [part for part in (word.partition("S")[2], *words[1:]) if part]
        elif word.startswith("-") or _ASSIGNMENT.match(word):
            words = words[1:]
        else:
            break
    return words, is_split


def _from_shell_on(words: list[str]) -> list[str]:
    """The words from the first one on that names a shell (or `env`)."""
    names = (_plain_name(word) for word in words)
    start = next((index for index, name in enumerate(names) if name == "env" or _is_shell(name)), len(words))
    return words[start:]


def _nix_interpreter(text: str) -> str | None:
    """The `-i` of the `#! nix-shell` lines that follow the first one."""
    for line in text[:4096].split("\n")[1:]:
        if not line.startswith("#!"):
            return None
        if match := _NIX_SHELL.match(line):
            return _plain_name(match[1])
    return None


def _set_options(arguments: list[str]) -> Iterator[str]:
    """The arguments of a shell that set options, up to the first operand."""
    words = iter(arguments)
    for word in words:
        if word == "--posix":
            yield from ("-o", "posix")
        elif word in _LONG_OPTIONS_WITH_VALUE:
            next(words, None)
        elif word in ("-", "--") or word[0] not in "+-":
            return
        elif not word.startswith("--"):
            yield word
            if "o" in word or "O" in word:
                yield from (name for name in (next(words, None),) if name)
