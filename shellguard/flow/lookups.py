"""Does anything look at this path later? Did anything make it before?

Paths are compared as rendered values, leniently: a mention of the path, of a folder it is in, of a glob that matches
it, or of a file of the same name counts. A rule that says "nothing" must be sure.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from shellguard.flow.paths import Mention
from shellguard.flow.values import WILDCARD, WORKING_FOLDER, render

# `--prefix=/opt/x`, `DESTDIR=/opt/x` and `/a:/b` hold paths of their own.
_PIECES: Final = re.compile(r"[=:,]")
# So many characters of a name say which file is meant.
_TELLING: Final = 6
_SEPARATOR: Final = "\n"
_STAR: Final = render((WILDCARD,))
_HERE: Final = frozenset({".", "./", render((WORKING_FOLDER,)), "\0PWD\0", ""})


class Lookup:
    """An index of mentions, so that the cost of asking doesn't grow with the script."""

    __slots__ = ("_by_name", "_by_text", "_documents", "_globs", "_joined", "_mentions", "_starts")

    def __init__(self, mentions: list[Mention]) -> None:
        """Index the mentions."""
        self._mentions = mentions
        self._by_text: dict[str, list[Mention]] = {}
        self._by_name: dict[str, list[Mention]] = {}
        # By what comes before the first star, then by what comes after the last one.
        self._globs: dict[str, dict[str, list[Mention]]] = {}
        self._starts: list[int] = []
        self._documents = [mention for mention in mentions if mention.is_document]
        texts: list[str] = []
        length = 0
        for mention in mentions:
            self._starts.append(length)
            texts.append(mention.text)
            length += len(mention.text) + 1
            for piece in _PIECES.split(mention.text):
                folder = piece.rstrip("/")
                self._by_text.setdefault(folder, []).append(mention)
                self._by_name.setdefault(folder.rpartition("/")[2], []).append(mention)
            if _STAR in mention.text:
                before, _, rest = mention.text.partition(_STAR)
                after = rest.rpartition(_STAR)[2]
                self._globs.setdefault(before, {}).setdefault(after, []).append(mention)
        self._joined = _SEPARATOR.join(texts)

    def of(self, path: str) -> Iterator[Mention]:
        """Yield the mentions that may concern a rendered path."""
        path = path.removeprefix("./")
        yield from self._containing(path)
        yield from self._folders(path)
        yield from self._matching(path)
        name = path.rpartition("/")[2]
        if name and "\0" not in name:
            yield from self._by_name.get(name, ())
        yield from self._in_documents(name.partition("\0")[0])

    def beginning(self, start: str) -> Iterator[Mention]:
        """Yield the mentions of paths that begin so."""
        return (mention for mention in self._mentions if mention.text.startswith(start))

    def _containing(self, path: str) -> Iterator[Mention]:
        """Yield the mentions in which the path occurs, as `--log=$OUT/a.txt` or in a longer piece of code."""
        position = self._joined.find(path)
        while position >= 0:
            yield self._mentions[bisect_right(self._starts, position) - 1]
            position = self._joined.find(path, position + 1)

    def _in_documents(self, name: str) -> Iterator[Mention]:
        """Yield the here-documents in which a file's name occurs; of one that isn't known in full, how it begins."""
        if len(name) >= _TELLING:
            yield from (mention for mention in self._documents if name in mention.text)

    def _folders(self, path: str) -> Iterator[Mention]:
        """Yield the mentions of folders that the path is in; a relative one is in the working directory."""
        folder = path.rpartition("/")[0]
        while folder:
            yield from self._by_text.get(folder, ())
            folder = folder.rpartition("/")[0]
        if not path.startswith(("/", "\0", "~")):
            for here in _HERE:
                yield from (mention for mention in self._by_text.get(here, ()) if mention.use or mention.makes)

    def _matching(self, path: str) -> Iterator[Mention]:
        """Yield the mentions whose globs match the path or a folder it is in."""
        ends = [match.start() for match in re.finditer("/", path)] + [len(path)]
        for length in range(len(path) + 1):
            endings = self._globs.get(path[:length])
            if endings is None:
                continue
            for end in ends:
                for start in range(length, end + 1):
                    for mention in endings.get(path[start:end], ()):
                        if _pattern(mention.text).match(path):
                            yield mention


@lru_cache(maxsize=1024)
def _pattern(glob: str) -> re.Pattern[str]:
    """What matches the paths that a glob matches, and what is below them."""
    pattern = ".*".join(re.escape(piece) for piece in glob.split(_STAR))
    return re.compile(rf"(?:{pattern})(?:/.*)?\Z", re.DOTALL)
