"""Rule pages: their front matter, their text, and the controls in them.

A page `SGnnn.md` is the only home of its rule's metadata. Everything that names rules (options, reports, the index,
`explain`) reads it here. The front matter is flat `key: value`, because a YAML parser for ninety pages costs more than
the rest of a run on a small script.

Run as a module, this writes the index `rules/README.md` of the checkout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from shellguard.finding import Applicability, Severity
from shellguard.source import Dialect

Choice = TypeVar("Choice", bound=StrEnum)

FAMILIES: Mapping[str, str] = {
    "SG0": "The linter itself",
    "SG1": "Whose status is it?",
    "SG2": "Where failures are masked",
    "SG3": "Outputs and evidence",
    "SG4": "Tools that exit 0 though the work failed",
    "SG5": "Where the harness lives",
    "SG6": "Preconditions",
}
"""What the codes' prefixes stand for, in order."""

_REQUIRED = ("code", "name", "profile", "severity", "fix", "dialects", "since")
_OPTIONAL = ("shellcheck", "preview")
_INDEX_HEAD = """\
# Rules

Generated from the pages by `python -m shellguard.pages`; edit the pages, not this file.
"""


class Profile(StrEnum):
    """Which runs a rule belongs to; each profile includes the ones before it."""

    DEFAULT = "default"
    STRICT = "strict"
    ALL = "all"

    def includes(self, other: Profile) -> bool:
        """Whether a run with this profile runs a rule of the `other` one."""
        order = tuple(Profile)
        return order.index(other) <= order.index(self)


class PageError(ValueError):
    """A page breaks the form; the message says where, what is wrong and what is expected."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        """Put the place before the problem."""
        super().__init__(f"{path}:{line}: {problem}")


class UnknownRuleError(LookupError):
    """A word names no rule; `nearest` is the name or code that it most resembles, if any does."""

    def __init__(self, word: str, nearest: str | None) -> None:
        """Keep the word, and say what may have been meant."""
        hint = f"; did you mean '{nearest}'?" if nearest else ""
        super().__init__(f"no rule is called '{word}'{hint}")
        self.word = word
        self.nearest = nearest


@dataclass(frozen=True, slots=True)
class RulePage:
    """One rule as its page describes it; `body` is the Markdown after the front matter, from line `body_line` on."""

    code: str
    name: str
    profile: Profile
    severity: Severity
    fix: Applicability
    dialects: tuple[Dialect, ...]
    shellcheck: tuple[str, ...]
    since: str
    preview: bool
    path: Path
    body: str
    body_line: int

    @property
    def title(self) -> str:
        """The text of the page's first heading."""
        return self.body.lstrip().partition("\n")[0].removeprefix("#").strip()

    @property
    def summary(self) -> str:
        """The first paragraph, on one line."""
        return " ".join(self.body.lstrip().partition("\n")[2].strip().partition("\n\n")[0].split())


class ControlKind(StrEnum):
    """What a control shows: a script to flag, one to leave alone, or the repaired form of the `bad` one before it."""

    BAD = "bad"
    GOOD = "good"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Control:
    """A runnable example of a page, its `# <- SGnnn` markers kept; `line` is the page's line where the text starts.

    `stub` names the command that a failing stub replaces when the control is run by a real shell, `expect` what that
    run must show.
    """

    kind: ControlKind
    dialect: Dialect
    text: str
    line: int
    stub: str | None = None
    expect: str | None = None


def rules_folder() -> Path:
    """The folder of the pages: the copy inside the installed package, otherwise the checkout's.

    Raises:
        FileNotFoundError: neither is there, so the installation is broken.
    """
    package = Path(__file__).parent
    for folder in (package / "_rules", package.parent / "rules"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"shellguard's rule pages are missing from {package / '_rules'}: install it again")


def load_pages(folder: Path | None = None) -> dict[str, RulePage]:
    """Read the pages of a folder (default: shellguard's own), by code and sorted by it.

    Raises:
        PageError: a page breaks the form, or two pages share a name.
    """
    pages: dict[str, RulePage] = {}
    names: dict[str, Path] = {}
    for path in sorted((folder or rules_folder()).glob("SG*.md")):
        page = _read_page(path)
        if page.name in names:
            raise PageError(path, 1, f"the name '{page.name}' is already taken by {names[page.name].name}")
        names[page.name] = path
        pages[page.code] = page
    return pages


def resolve(pages: Mapping[str, RulePage], word: str) -> tuple[str, ...]:
    """The codes that a code, a name or a prefix of codes (`SG1`) stands for; letters' case doesn't matter.

    Raises:
        UnknownRuleError: it stands for none.
    """
    upper, lower = word.upper(), word.lower()
    if re.fullmatch(r"SG\d*", upper):
        codes = tuple(code for code in pages if code.startswith(upper))
    else:
        codes = tuple(page.code for page in pages.values() if page.name == lower)
    if codes:
        return codes
    raise UnknownRuleError(word, _nearest(pages, upper, lower))


def _nearest(pages: Mapping[str, RulePage], upper: str, lower: str) -> str | None:
    """The code or name that a misspelt one resembles most."""
    from difflib import get_close_matches

    codes = sorted(get_close_matches(upper, pages, n=9))
    if codes:
        # Codes resemble each other: digits in their places count.
        return max(codes, key=lambda code: sum(map(str.__eq__, code, upper)))
    names = get_close_matches(lower, [page.name for page in pages.values()], n=1)
    return names[0] if names else None


def controls(page: RulePage) -> tuple[Control, ...]:
    """The controls of a page, in its order; a `fixed` one comes right after the `bad` one that it repairs.

    Raises:
        PageError: a block is not closed, its info string can't be read, or a `fixed` one repairs nothing.
    """
    found: list[Control] = []
    for line, info, text in _fenced_blocks(page):
        control = _control(page, line, info, text)
        if control is None:
            continue
        if control.kind is ControlKind.FIXED and (not found or found[-1].kind is not ControlKind.BAD):
            raise PageError(page.path, line - 1, "a 'fixed' control must follow the 'bad' one that it repairs")
        found.append(control)
    return tuple(found)


def render_index(pages: Iterable[RulePage]) -> str:
    """The index of the pages as Markdown: one table per family."""
    parts = [_INDEX_HEAD]
    listed = list(pages)
    for prefix, family in FAMILIES.items():
        rows = [_index_row(page) for page in listed if page.code.startswith(prefix)]
        if rows:
            head = "| Code | Name | Profile | Severity | Fix | What it finds |\n|---|---|---|---|---|---|\n"
            parts.append(f"\n## {prefix}: {family}\n\n{head}" + "".join(rows))
    return "".join(parts)


def _index_row(page: RulePage) -> str:
    summary = page.summary.replace("|", "\\|")
    preview = " (preview)" if page.preview else ""
    cells = (
        f"[{page.code}]({page.code}.md)",
        page.name + preview,
        page.profile,
        page.severity.label,
        page.fix,
        summary,
    )
    return f"| {' | '.join(cells)} |\n"


def _read_page(path: Path) -> RulePage:
    text = path.read_text(encoding="utf-8")
    fields = _FrontMatter(path, text)
    code = fields.match("code", r"SG\d{3}", "'SG' and three digits")
    if code != path.stem:
        raise fields.error("code", f"'{code}' is in a file called {path.name}")
    page = RulePage(
        code=code,
        name=fields.match("name", r"[a-z0-9]+(-[a-z0-9]+)*", "lower-case words joined by hyphens"),
        profile=fields.choice("profile", Profile),
        severity=Severity[fields.one_of("severity", [severity.label for severity in Severity]).upper()],
        fix=fields.choice("fix", Applicability),
        dialects=fields.dialects(),
        shellcheck=fields.shellcheck(),
        since=fields.match("since", r"\d+\.\d+\.\d+", "a version like 0.1.0"),
        preview=fields.one_of("preview", ["false", "true"]) == "true",
        path=path,
        body=text[fields.end :],
        body_line=text.count("\n", 0, fields.end) + 1,
    )
    if not page.body.lstrip().startswith("# "):
        raise PageError(path, page.body_line, "expected a '# title' after the front matter")
    if not page.summary or page.summary.startswith(("#", "```")):
        raise PageError(path, page.body_line, "expected a paragraph that sums the rule up after the title")
    return page


class _FrontMatter:
    """The `key: value` lines between the two `---` lines of a page, read strictly; `end` is where they end."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._values: dict[str, tuple[str, int]] = {"shellcheck": ("[]", 1), "preview": ("false", 1)}
        close = text.find("\n---\n", 3)
        if not text.startswith("---\n") or close < 0:
            raise PageError(path, 1, "expected front matter between two '---' lines")
        self.end = close + len("\n---\n")
        seen: set[str] = set()
        for number, line in enumerate(text[4:close].split("\n"), start=2):
            key, colon, value = line.partition(":")
            if not colon or key not in (*_REQUIRED, *_OPTIONAL):
                raise PageError(path, number, f"expected one of the keys {', '.join((*_REQUIRED, *_OPTIONAL))}")
            if key in seen:
                raise PageError(path, number, f"'{key}' is given twice")
            seen.add(key)
            self._values[key] = (value.strip(), number)
        missing = [key for key in _REQUIRED if key not in seen]
        if missing:
            raise PageError(path, 1, f"the front matter lacks {', '.join(missing)}")

    def error(self, key: str, problem: str) -> PageError:
        """An error at a key's line."""
        return PageError(self._path, self._values[key][1], f"{key}: {problem}")

    def match(self, key: str, pattern: str, expected: str) -> str:
        """A value that matches a pattern as a whole."""
        value = self._values[key][0]
        if not re.fullmatch(pattern, value):
            raise self.error(key, f"expected {expected}, found '{value}'")
        return value

    def one_of(self, key: str, words: list[str]) -> str:
        """A value that is one of some words."""
        value = self._values[key][0]
        if value not in words:
            raise self.error(key, f"expected one of {', '.join(words)}, found '{value}'")
        return value

    def choice(self, key: str, kind: type[Choice]) -> Choice:
        """A value that is a member of an enumeration."""
        return kind(self.one_of(key, [member.value for member in kind]))

    def dialects(self) -> tuple[Dialect, ...]:
        """The dialects that the rule knows; at least one."""
        known = {dialect.value: dialect for dialect in Dialect}
        words = self._list("dialects")
        unknown = [word for word in words if word not in known]
        if unknown or not words:
            raise self.error("dialects", f"expected some of {', '.join(known)}, found '{', '.join(unknown)}'")
        return tuple(known[word] for word in words)

    def shellcheck(self) -> tuple[str, ...]:
        """The ShellCheck codes whose `disable` comments silence the rule as well."""
        words = self._list("shellcheck")
        for word in words:
            if not re.fullmatch(r"SC\d{4}", word):
                raise self.error("shellcheck", f"expected codes like SC2312, found '{word}'")
        return words

    def _list(self, key: str) -> tuple[str, ...]:
        value = self.match(key, r"\[.*\]", "a list in brackets")[1:-1].strip()
        return tuple(word.strip() for word in value.split(",")) if value else ()


def _fenced_blocks(page: RulePage) -> Iterable[tuple[int, str, str]]:
    """Each fenced block: the page's line of its first line of text, its info string, its text."""
    lines = page.body.split("\n")
    opened: tuple[int, str, str] | None = None
    for index, line in enumerate(lines):
        if opened is None:
            fence = re.match(r"(`{3,})([^`]*)$", line)
            if fence:
                opened = (index + 1, fence[1], fence[2].strip())
        elif line.rstrip() == opened[1]:
            first, _, info = opened
            yield page.body_line + first, info, "".join(f"{text}\n" for text in lines[first:index])
            opened = None
    if opened is not None:
        raise PageError(page.path, page.body_line + opened[0] - 1, "this fenced block is never closed")


def _control(page: RulePage, line: int, info: str, text: str) -> Control | None:
    """Read a block's info string; a block without `bad`, `good` or `fixed` is an illustration."""
    language, *words = info.split() or [""]
    if not words:
        return None
    kind = next((kind for kind in ControlKind if kind == words[0]), None)
    dialect = next((dialect for dialect in Dialect if dialect == language), None)
    if kind is None or dialect is None:
        form = f"a dialect ({', '.join(Dialect)}), then one of {', '.join(ControlKind)}"
        raise PageError(page.path, line - 1, f"expected {form}, found '{info}'")
    options: dict[str, str] = {}
    for word in words[1:]:
        key, _, value = word.partition("=")
        if key not in ("stub", "expect") or not value or key in options:
            raise PageError(page.path, line - 1, f"expected stub=NAME or expect=WHAT, found '{word}'")
        options[key] = value
    return Control(kind, dialect, text, line, options.get("stub"), options.get("expect"))


def main() -> None:
    """Write the index of the checkout's pages."""
    folder = rules_folder()
    (folder / "README.md").write_text(render_index(load_pages(folder).values()), encoding="utf-8")


if __name__ == "__main__":
    main()
