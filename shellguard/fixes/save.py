"""Saving a fixed script so that at no moment a reader sees half of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_TEMPORARY_PREFIX = ".shellguard-"


class SaveError(OSError):
    """A fixed script could not be saved; the file is as it was."""

    def __init__(self, path: Path, reason: str) -> None:
        """Keep the path and the reason, which is written for people."""
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def resolve_target(path: Path, roots: Sequence[Path]) -> Path | None:
    """The file to write for a path: itself, or a link's target.

    None if the path is a link whose target lies under none of the `roots` (the paths given by the user: a folder's
    whole tree, or one file) or doesn't exist. A link given by name doesn't make its target one of them.
    """
    if not path.is_symlink():
        return path
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):  # a loop is a RuntimeError before Python 3.13
        return None
    return target if any(target.is_relative_to(_place(root)) for root in roots) else None


def write_atomically(path: Path, data: bytes, *, expected: bytes | None = None) -> None:
    """Replace a file's content in one step: a temporary file in the same folder, flushed to disk, then renamed.

    Mode, owner, group, access lists and other extended attributes stay. What is lost is a hard link: the file's other
    names keep the old content, which is right for copies in a package store. With `expected`, the file is only
    replaced if it still holds these bytes.

    Raises:
        SaveError: the file is a link or read-only, its owner can't be kept, it has changed, or writing failed.
    """
    if path.is_symlink():
        raise SaveError(path, "it is a symbolic link; save to its target")
    if not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        reason = "it is read-only" if path.exists() else "it is gone"
        raise SaveError(path, reason)
    temporary = _create_beside(path)
    try:
        _fill(temporary, path, data)
        if expected is not None and path.read_bytes() != expected:
            raise SaveError(path, "it has changed since it was checked; run again")
        temporary.replace(path)
    except SaveError:
        raise
    except OSError as error:
        raise SaveError(path, _reason(error)) from error
    finally:
        temporary.unlink(missing_ok=True)
    _flush_folder(path.parent)


def _place(root: Path) -> Path:
    """Where a given path lies: a link to a folder leads into it, a link to a file stays a link."""
    return root.resolve() if root.is_dir() else root.parent.resolve() / root.name


def _create_beside(path: Path) -> Path:
    from tempfile import mkstemp  # most runs write nothing

    try:
        descriptor, name = mkstemp(prefix=_TEMPORARY_PREFIX, dir=path.parent)
    except OSError as error:
        raise SaveError(path, f"no file can be created in its folder ({_reason(error)})") from error
    os.close(descriptor)
    return Path(name)


def _fill(temporary: Path, path: Path, data: bytes) -> None:
    """Write the data, take over what belongs to the file, and wait for the disk."""
    from shutil import copystat

    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        kept = path.stat()
        _keep_owner(file.fileno(), path, kept)
        with suppress(OSError):  # not every file system has extended attributes, and some of them are the system's own
            copystat(path, temporary)
        # After the owner, because a change of owner takes the set-user-ID bit away.
        os.fchmod(file.fileno(), stat.S_IMODE(kept.st_mode))
        os.utime(file.fileno())
        os.fsync(file.fileno())


def _keep_owner(descriptor: int, path: Path, kept: os.stat_result) -> None:
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) == (kept.st_uid, kept.st_gid):
        return
    try:
        os.fchown(descriptor, kept.st_uid, kept.st_gid)
    except OSError as error:
        owner = f"user {kept.st_uid}, group {kept.st_gid}"
        raise SaveError(path, f"it belongs to {owner}, and saving would change that ({_reason(error)})") from error


def _flush_folder(folder: Path) -> None:
    """Have the new name survive a power cut, where the system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reason(error: OSError) -> str:
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
