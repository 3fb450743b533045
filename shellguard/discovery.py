"""Which files are checked for the paths given, and what is left out and why?

A folder is searched for files whose name, shebang or directive says that they are shell. Each of them is either found
or listed as not checked; one with NUL bytes is found, so that whoever reads it can say what is wrong with it. Left out
without a word are what git ignores, what `exclude` matches, the folders of version control systems, links to folders
(their files are found where they are), special files, and whatever is no shell.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, Final

from shellguard.dialect import BOM, Shell, Unsupported, detect, language_of_name
from shellguard.finding import NotChecked
from shellguard.gitignore import Git, IgnoreRules, is_repository, rules_for
from shellguard.source import Dialect, Source, decode

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_MEBIBYTES: Final = 64

_MAX_BYTES: Final = MAX_MEBIBYTES * 1024 * 1024
_HEAD_BYTES: Final = 2048
_VERSION_CONTROL: Final = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS"})
_TCL: Final = (".tcl", ".tk", ".exp")  # unknown to identify
# Files that are given by name are checked, but for these: all of their lines would be taken for commands.
_OTHER_LANGUAGES: Final = frozenset(
    {"yaml", "json", "toml", "xml", "html", "css", "markdown", "rst", "dockerfile", "makefile", "cmake", "python"}
    | {"ruby", "perl", "javascript", "ts", "go", "rust", "c", "c++", "java", "sql", "terraform", "batch", "powershell"}
    | {"diff", "lua", "php", "groovy", "ini"}
)
_LEADS_NOWHERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_TOO_LARGE: Final = f"larger than {MAX_MEBIBYTES} MiB"
_HINT_TO_PIPE: Final = "pass its text on standard input instead, with - as the path"


@dataclass(frozen=True, slots=True, order=True)
class FoundFile:
    """A file to check: the path to report it under, and whether it was given by name."""

    path: str
    explicit: bool


@dataclass(frozen=True, slots=True)
class Discovery:
    """What the given paths come to, both in path order. Whatever is not checked makes the exit status 2."""

    files: tuple[FoundFile, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()


class ExcludePatternError(ValueError):
    """An exclude pattern that gitignore's language doesn't know."""

    def __init__(self, pattern: str) -> None:
        """Name the pattern."""
        super().__init__(f"not a gitignore pattern: {pattern!r}")
        self.pattern = pattern


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one path; `real` is its path without links, by which files are told apart."""

    result: FoundFile | NotChecked
    real: str
    explicit: bool

    @property
    def rank(self) -> tuple[bool, bool, str]:
        """Which of several outcomes for the same file counts: given by name, then checked, then first by path."""
        return (not self.explicit, isinstance(self.result, NotChecked), self.result.path)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to search. `prefix` leads to its entries' reported paths, `key` to those that `exclude` matches."""

    path: str
    prefix: str
    key: str
    real: str
    rules: IgnoreRules
    git: Git


def discover(paths: Sequence[str], *, exclude: Sequence[str] = (), override: Dialect | None = None) -> Discovery:
    """Find the shell scripts that files and folders come to, each file once.

    Paths are reported as given, without a leading `./`. A file given by name is checked whatever its name, the
    patterns and git say; with an `override` of the dialect also when it is in a shell that is not checked otherwise.
    `exclude` holds gitignore patterns relative to the working directory for what is found in folders.

    Raises:
        ExcludePatternError: one of the exclude patterns can't be read.
    """
    excluded = _read_patterns(exclude)
    given = dict.fromkeys(str(PurePath(path)) if path else path for path in paths)
    git = Git()
    outcomes = [outcome for path in given for outcome in _outcomes_of(path, excluded, override, git)]
    by_file: dict[str, FoundFile | NotChecked] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.rank):
        by_file.setdefault(outcome.real, outcome.result)
    files = (result for result in by_file.values() if isinstance(result, FoundFile))
    not_checked = (result for result in by_file.values() if isinstance(result, NotChecked))
    return Discovery(tuple(sorted(files)), tuple(sorted(not_checked, key=lambda left_out: left_out.path)))


def read_source(path: str) -> Source:
    """Read a script, to be reported under the same path.

    Raises:
        OSError: the file can't be read, is no regular file, or is larger than `MAX_MEBIBYTES`.
        UndecodableSourceError: it holds a NUL byte.
    """
    with _open(path) as file:
        data = _read(file, _MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError(errno.EFBIG, _TOO_LARGE, path)
    return Source(path, decode(data))


def _outcomes_of(path: str, excluded: GitIgnoreSpec | None, override: Dialect | None, git: Git) -> Iterator[_Outcome]:
    """What becomes of one given path."""
    real = os.path.realpath(path)
    try:
        is_folder = stat.S_ISDIR(_status(path).st_mode)
    except OSError as error:
        yield _Outcome(NotChecked(path, _reason(error)), path, explicit=True)
        return
    if is_folder:
        yield from _search(path, real, excluded, git)
        return
    result = _examine(path, explicit=True, override=override)
    if result is not None:
        yield _Outcome(result, real, explicit=True)


def _search(path: str, real: str, excluded: GitIgnoreSpec | None, git: Git) -> Iterator[_Outcome]:
    """Everything of interest in a folder, in no particular order."""
    prefix = "" if path == "." else f"{path.rstrip('/')}/"
    pending = [_Folder(path, prefix, _exclude_key(path), real, rules_for(path, git), git)]
    while pending:
        folder = pending.pop()
        try:
            entries = list(_entries(folder, excluded))
        except OSError as error:
            yield _Outcome(NotChecked(folder.path, _reason(error)), folder.real, explicit=False)
            continue
        for entry, is_folder in entries:
            if is_folder:
                pending.append(_subfolder(entry, folder))
            elif outcome := _outcome_of_entry(entry, folder):
                yield outcome


def _entries(folder: _Folder, excluded: GitIgnoreSpec | None) -> Iterator[tuple[os.DirEntry[str], bool]]:
    """A folder's entries that neither git nor the user leaves out, and whether each is a folder (no link to one)."""
    with os.scandir(folder.path) as scan:
        for entry in scan:
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and entry.name in _VERSION_CONTROL:
                continue
            if folder.rules.ignores(entry.name, is_folder=is_folder):
                continue
            key = folder.key + entry.name + ("/" if is_folder else "")
            if excluded is None or not excluded.match_file(key):
                yield entry, is_folder


def _subfolder(entry: os.DirEntry[str], folder: _Folder) -> _Folder:
    """The folder at an entry; a repository in the repository has rules of its own."""
    path = folder.prefix + entry.name
    rules = rules_for(path, folder.git) if is_repository(path) else folder.rules.inside(entry.name)
    return _Folder(path, f"{path}/", f"{folder.key}{entry.name}/", f"{folder.real}/{entry.name}", rules, folder.git)


def _outcome_of_entry(entry: os.DirEntry[str], folder: _Folder) -> _Outcome | None:
    """What becomes of an entry that is no folder; most often nothing."""
    path = folder.prefix + entry.name
    result = _examine_link(entry, path) if entry.is_symlink() else None
    if result is None and entry.is_file(follow_symlinks=False):
        result = _examine(path, explicit=False)
    if result is None:
        return None
    real = os.path.realpath(path) if entry.is_symlink() else f"{folder.real.rstrip('/')}/{entry.name}"
    return _Outcome(result, real, explicit=False)


def _examine_link(entry: os.DirEntry[str], path: str) -> FoundFile | NotChecked | None:
    try:
        is_regular = stat.S_ISREG(entry.stat().st_mode)
    except OSError as error:
        if error.errno not in _LEADS_NOWHERE:
            return NotChecked(path, _reason(error))
        # Links that lead nowhere are common (editors lock files with them); one that calls itself a script is listed.
        return NotChecked(path, "a symbolic link that leads nowhere") if language_of_name(path) else None
    return _examine(path, explicit=False) if is_regular else None


def _examine(path: str, *, explicit: bool, override: Dialect | None = None) -> FoundFile | NotChecked | None:
    """Whether one file is checked; None when it was only found and is no shell."""
    named = explicit or _is_shell_by_name(path)
    if named is False:
        return None
    try:
        with _open(path) as file:
            head = _read(file, _HEAD_BYTES)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        return NotChecked(path, _reason(error))
    if not named and not head.removeprefix(BOM.encode()).startswith(b"#"):
        return None
    verdict = detect(Source(path, head.decode("utf-8", "surrogateescape")), override=override)
    if not named and not _is_shell_by_content(verdict):
        return None
    if size > _MAX_BYTES:
        return NotChecked(path, _TOO_LARGE)
    if isinstance(verdict, Unsupported):
        return NotChecked(path, verdict.message)
    if verdict.reason == "default" and (language := _other_language(path)):
        return NotChecked(
            path, f"its name says {language}, and no first line says shell; --dialect checks it all the same"
        )
    return FoundFile(path, explicit)


def _other_language(path: str) -> str | None:
    """What a file's name says that it holds, if that is no shell and no plain text."""
    from identify.identify import tags_from_filename  # costs 10 ms; most files say by themselves what they are

    return next(iter(sorted(tags_from_filename(path) & _OTHER_LANGUAGES)), None)


def _is_shell_by_name(path: str) -> bool | None:
    """Whether a name says that the file is shell; None if it doesn't tell, so that the content decides."""
    if language_of_name(path) is not None:
        return True
    from identify.identify import tags_from_filename  # costs 10 ms, and files given by name don't need it

    tags = tags_from_filename(path)
    if "shell" in tags:
        return True
    # A name that tells more than "text" is believed: Tcl, Perl and Python files may start as sh and go on by a trick.
    if path.endswith(_TCL):
        return False
    return None if tags <= {"text", "plain-text"} else False


def _is_shell_by_content(verdict: Shell | Unsupported) -> bool:
    is_shell = isinstance(verdict, Shell) or verdict.is_shell
    return verdict.reason == "directive" or (verdict.reason == "shebang" and is_shell)


def _open(path: str) -> BinaryIO:
    """Open a regular file. Others are never opened: that can block, or do something (a tape rewinds)."""
    mode = _status(path).st_mode
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, f"not a regular file but {_kind(mode)}; {_HINT_TO_PIPE}", path)
    # Should a FIFO take the file's place at this moment, opening it must not wait for a writer.
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")


def _read(file: BinaryIO, limit: int) -> bytes:
    """The file's first bytes. Some of the system's own files, regular though they are, would have us wait for them."""
    data: bytes | None = file.read(limit)
    if data is None:
        raise OSError(errno.EAGAIN, "it would have to be waited for")
    return data


def _status(path: str) -> os.stat_result:
    return os.stat(path)  # noqa: PTH116 - pathlib reads an empty path as the working directory


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"))
    return next((name for matches, name in kinds if matches(mode)), "a device")


def _reason(error: OSError) -> str:
    """What went wrong, for people, the path left out."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def _read_patterns(patterns: Sequence[str]) -> GitIgnoreSpec | None:
    if not patterns:
        return None
    from pathspec import GitIgnoreSpec  # costs 30 ms

    for pattern in patterns:
        try:
            GitIgnoreSpec.from_lines([pattern])
        except ValueError as error:
            raise ExcludePatternError(pattern) from error
    return GitIgnoreSpec.from_lines(patterns)


def _exclude_key(path: str) -> str:
    """A given folder's path from the working directory (above it: without the `../`), to match patterns against."""
    try:
        relative = os.path.relpath(path)
    except FileNotFoundError:  # the working directory is gone
        relative = path.lstrip("/")
    parts = [part for part in PurePath(relative).parts if part != ".."]
    return "".join(f"{part}/" for part in parts)
