"""Which paths below a folder does git ignore?

Git itself is asked where it can answer: it knows which ignored files are tracked all the same, the user's own
excludes file, and every corner of the pattern language. Elsewhere (no git or one that hangs, a checkout owned by
somebody else, an unpacked archive) the `.gitignore` files are read here. `core.excludesFile` is then unknown.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from pathspec.pattern import Pattern

# Git sets these for its hooks; they would make it answer about another repository than the folder's.
_REPOSITORY_VARIABLES: Final = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_WORK_TREE",
    }
)

_PATIENCE: Final = 10.0
"""Seconds for an answer of git, which waits for ever where a `.gitignore` is a FIFO."""

_MAX_BYTES: Final = 1024 * 1024
"""A pattern file's size; the largest real ones have some 10 KiB."""

_ENDLESS: Final = re.compile(r"(\*[^/]*){4}|(\*\*.*){4}")
"""Patterns that can take for ever to match, and that nobody writes: many stars in one part, or many times `**`."""


class IgnoreRules(Protocol):
    """What git ignores directly in one folder."""

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether an entry of the folder is ignored."""

    def inside(self, name: str) -> IgnoreRules:
        """The rules for a folder in this one (which is not ignored itself)."""


@dataclass(frozen=True, slots=True)
class ListedByGit:
    """Git's own answer: the ignored paths, folders with a final slash; `prefix` leads from its root to this folder."""

    ignored: frozenset[str]
    prefix: str = ""

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether git listed the entry."""
        path = self.prefix + name
        return path + "/" in self.ignored if is_folder else path in self.ignored

    def inside(self, name: str) -> ListedByGit:
        """The same answer, seen from a folder in this one."""
        return ListedByGit(self.ignored, f"{self.prefix}{name}/")


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One pattern of a `.gitignore` file.

    pathspec takes a pattern that matches a folder to match all that is in it. Git compares each pattern with each
    entry on the way down, which is another thing where a later `!pattern` takes a folder back in.
    """

    text: str
    compiled: Pattern

    @property
    def verdict(self) -> bool:
        """Whether a match ignores the entry (or, with `!`, takes it back in)."""
        return bool(self.compiled.include)

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Whether the pattern names this path (from the pattern file's folder) itself, not a folder above it."""
        parent, _, name = path.rpartition("/")
        slash = "/" if is_folder else ""
        if "/" not in self.text.removeprefix("**/")[:-1]:
            return self._matches(name + slash)
        if self.text.endswith("/**"):
            return self._matches(path)
        return self._matches(path + slash) and not (parent and self._matches(parent + "/"))

    def _matches(self, path: str) -> bool:
        return self.compiled.match_file(path) is not None


@dataclass(frozen=True, slots=True)
class ReadFromFiles:
    """The patterns that hold in a folder, strongest first, each with the path from its file's folder to this one."""

    folder: str
    patterns: tuple[tuple[str, IgnorePattern], ...] = ()

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether the strongest pattern that matches the entry ignores it."""
        matching = (
            pattern.verdict for prefix, pattern in self.patterns if pattern.matches(prefix + name, is_folder=is_folder)
        )
        return next(matching, False)

    def inside(self, name: str) -> ReadFromFiles:
        """These patterns and those of the folder's own `.gitignore`."""
        outer = tuple((f"{prefix}{name}/", pattern) for prefix, pattern in self.patterns)
        folder = f"{self.folder}/{name}"
        return ReadFromFiles(folder, (*_patterns_in(folder, ".gitignore"), *outer))


NOTHING_IGNORED: Final = ListedByGit(frozenset())


class Git:
    """The git on the path, as long as it answers: one that hung once isn't asked again."""

    def __init__(self, *, patience: float = _PATIENCE) -> None:
        """Wait for it no longer than so many seconds."""
        self._patience = patience
        self._has_hung = False

    def run(self, folder: Path, *arguments: str) -> CompletedProcess[bytes] | None:
        """Run git, or None where there is none. The folder is untrusted: its configuration may not start programs."""
        if self._has_hung:
            return None
        import subprocess  # costs 10 ms, and files given by name don't need it

        environment = {name: value for name, value in os.environ.items() if name not in _REPOSITORY_VARIABLES}
        command = ["git", "-c", "core.fsmonitor=false", *arguments]
        try:
            return subprocess.run(
                command,
                cwd=folder,
                env=environment | {"GIT_OPTIONAL_LOCKS": "0"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=self._patience,
            )
        except subprocess.TimeoutExpired:
            self._has_hung = True
        except OSError:
            pass
        return None


def rules_for(folder: str, git: Git) -> IgnoreRules:
    """The rules that hold in a folder, those of the folders above it in its repository included.

    A folder that is ignored itself was asked for by name, so nothing in it is ignored.
    """
    real = Path(folder).resolve()
    root = next((parent for parent in (real, *real.parents) if is_repository(str(parent))), None)
    if root is None:
        return ReadFromFiles(str(real), tuple(_patterns_in(str(real), ".gitignore")))
    return _ask(git, real, root) or _read_files(real, root)


def is_repository(folder: str) -> bool:
    """Whether a folder is the top of a work tree (`.git` is a folder, or a file in submodules and linked trees)."""
    return os.path.lexists(f"{folder}/.git")


def _ask(git: Git, folder: Path, root: Path) -> ListedByGit | None:
    """Git's answer, or None if it has none."""
    if folder != root:
        # From the root, because a folder's own .gitignore counts against `.` but not against its name.
        asked = git.run(root, "check-ignore", "--quiet", "--", str(folder.relative_to(root)))
        if asked is None or asked.returncode not in (0, 1):
            return None
        if asked.returncode == 0:
            return NOTHING_IGNORED
    listed = git.run(folder, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    if listed is None or listed.returncode != 0:
        return None
    return ListedByGit(frozenset(os.fsdecode(path) for path in listed.stdout.split(b"\0") if path))


def _read_files(folder: Path, root: Path) -> IgnoreRules:
    """The rules of every `.gitignore` from the repository's root down to the folder."""
    top = str(root)
    rules = ReadFromFiles(top, (*_patterns_in(top, ".gitignore"), *_patterns_in(top, ".git/info/exclude")))
    for name in folder.relative_to(root).parts:
        if rules.ignores(name, is_folder=True):
            return NOTHING_IGNORED
        rules = rules.inside(name)
    return rules


def _patterns_in(folder: str, name: str) -> Iterator[tuple[str, IgnorePattern]]:
    """The patterns of one file, last first, if it can be read; git too goes on without an unreadable one."""
    try:
        data = _read(f"{folder}/{name}")
    except OSError:
        return
    for line in reversed(data.decode("utf-8-sig", "surrogateescape").split("\n")):
        pattern = _compile(line.removesuffix("\r"))
        if pattern is not None:
            yield "", pattern


def _read(path: str) -> bytes:
    """A regular file's content, if it isn't too large; others are never opened, since that can block."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 -- called for each folder of a tree
        return b""
    # Should a FIFO take the file's place at this moment, opening it must not wait for a writer.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        data = file.read(_MAX_BYTES + 1)
    return data if len(data) <= _MAX_BYTES else b""


def _compile(line: str) -> IgnorePattern | None:
    """A line's pattern; None for blank lines, comments, and lines that make no pattern (git passes them over too)."""
    from pathspec import GitIgnoreSpec  # costs 30 ms, and most runs have git

    if not line or _ENDLESS.search(line):
        return None
    try:
        (compiled,) = GitIgnoreSpec.from_lines([line]).patterns
    except ValueError:
        return None
    return None if compiled.include is None else IgnorePattern(line.lstrip("!").rstrip(" "), compiled)
