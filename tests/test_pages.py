"""Rule pages: what is read from them, and what a broken one is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shellguard.finding import Applicability, Severity
from shellguard.pages import (
    ControlKind,
    PageError,
    Profile,
    RulePage,
    UnknownRuleError,
    controls,
    load_pages,
    render_index,
    resolve,
    rules_folder,
)
from shellguard.source import Dialect

FRONT = """\
---
code: SG101
name: status-after-substitution
profile: default
severity: error
fix: safe
dialects: [bash, ksh]
shellcheck: [SC2319, SC2320]
since: 0.1.0
---
"""
BODY = """
# Status after a substitution

The substitution runs first,
so `$?` is its status.

More text.

```bash
echo illustration
```

```bash bad stub=job expect=0
job
echo "$(date) $?"  # <- SG101
```

```bash fixed
job
rc=$?
echo "$(date) $rc"
```

```sh good
echo "$?"
```
"""


def write_page(folder: Path, text: str, name: str = "SG101.md") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def page(tmp_path: Path) -> RulePage:
    write_page(tmp_path, FRONT + BODY)
    return load_pages(tmp_path)["SG101"]


def second_page(text: str) -> str:
    return text.replace("SG101", "SG201").replace("status-after-substitution", "pipe-masks-status")


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, RulePage]:
    write_page(tmp_path, second_page(FRONT + BODY), "SG201.md")
    write_page(tmp_path, FRONT + BODY)
    return load_pages(tmp_path)


def test_front_matter_becomes_typed_metadata(page: RulePage) -> None:
    assert page.code == "SG101"
    assert page.name == "status-after-substitution"
    assert page.profile is Profile.DEFAULT
    assert page.severity is Severity.ERROR
    assert page.fix is Applicability.SAFE
    assert page.dialects == (Dialect.BASH, Dialect.KSH)
    assert page.shellcheck == ("SC2319", "SC2320")
    assert page.since == "0.1.0"
    assert page.preview is False


def test_text_gives_title_and_summary(page: RulePage) -> None:
    assert page.title == "Status after a substitution"
    assert page.summary == "The substitution runs first, so `$?` is its status."


def test_pages_are_sorted_by_code(pages: dict[str, RulePage]) -> None:
    assert list(pages) == ["SG101", "SG201"]


def test_controls_keep_order_markers_and_options(page: RulePage) -> None:
    bad, fixed, good = controls(page)
    assert (bad.kind, bad.dialect, bad.stub, bad.expect) == (ControlKind.BAD, Dialect.BASH, "job", "0")
    assert bad.text == 'job\necho "$(date) $?"  # <- SG101\n'
    assert (fixed.kind, fixed.text) == (ControlKind.FIXED, 'job\nrc=$?\necho "$(date) $rc"\n')
    assert (good.kind, good.dialect, good.stub) == (ControlKind.GOOD, Dialect.SH, None)


def test_a_control_knows_its_line_in_the_page(page: RulePage) -> None:
    lines = page.path.read_text(encoding="utf-8").split("\n")
    assert [lines[control.line - 1] for control in controls(page)] == ["job", "job", 'echo "$?"']


@pytest.mark.parametrize(
    ("good", "broken", "line", "problem"),
    [
        ("---\ncode", "code", 1, "expected front matter"),
        ("since: 0.1.0\n---\n", "since: 0.1.0\n", 1, "expected front matter"),
        ("fix: safe\n", "", 1, "the front matter lacks fix"),
        ("fix: safe\n", "fix: safe\nfix: safe\n", 7, "'fix' is given twice"),
        ("fix: safe", "fixes: safe", 6, "expected one of the keys"),
        ("fix: safe", "fix: maybe", 6, "fix: expected one of safe, unsafe, suggest, found 'maybe'"),
        ("severity: error", "severity: fatal", 5, "severity: expected one of info, warning, error, found 'fatal'"),
        ("profile: default", "profile: most", 4, "profile: expected one of default, strict, all, found 'most'"),
        ("name: status-", "name: Status_", 3, "name: expected lower-case words joined by hyphens"),
        ("code: SG101", "code: SG102", 2, "'SG102' is in a file called SG101.md"),
        ("code: SG101", "code: X1", 2, "code: expected 'SG' and three digits, found 'X1'"),
        ("[bash, ksh]", "[bash, zsh]", 7, "dialects: expected some of bash, sh, dash, ksh, found 'zsh'"),
        ("[bash, ksh]", "bash", 7, "dialects: expected a list in brackets"),
        ("[SC2319, SC2320]", "[2319]", 8, "shellcheck: expected codes like SC2312, found '2319'"),
        ("since: 0.1.0", "since: now", 9, "since: expected a version like 0.1.0, found 'now'"),
        ("# Status", "Status", 11, "expected a '# title'"),
        ("The substitution runs first,\nso `$?` is its status.\n", "## Why\n", 11, "expected a paragraph"),
    ],
)
def test_a_broken_page_is_told_where_and_what(tmp_path: Path, good: str, broken: str, line: int, problem: str) -> None:
    text = FRONT + BODY
    assert good in text
    path = write_page(tmp_path, text.replace(good, broken, 1))
    with pytest.raises(PageError) as caught:
        load_pages(tmp_path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("good", "broken", "line", "problem"),
    [
        ("```bash bad", "```zsh bad", 23, "expected a dialect (bash, sh, dash, ksh), then one of bad, good, fixed"),
        ("```bash bad", "```bash worse", 23, "expected a dialect"),
        ("stub=job", "stub", 23, "expected stub=NAME or expect=WHAT, found 'stub'"),
        ("stub=job", "stub=a stub=b", 23, "found 'stub=b'"),
        ("```bash bad stub=job expect=0", "```bash good", 28, "must follow the 'bad' one"),
        ('```sh good\necho "$?"\n```', "```sh good", 34, "never closed"),
    ],
)
def test_a_broken_control_is_told_where_and_what(
    tmp_path: Path, good: str, broken: str, line: int, problem: str
) -> None:
    text = FRONT + BODY
    assert good in text
    path = write_page(tmp_path, text.replace(good, broken, 1))
    with pytest.raises(PageError) as caught:
        controls(load_pages(tmp_path)["SG101"])
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert problem in str(caught.value)


def test_two_pages_cannot_share_a_name(tmp_path: Path) -> None:
    write_page(tmp_path, FRONT + BODY)
    write_page(tmp_path, (FRONT + BODY).replace("SG101", "SG102"), "SG102.md")
    with pytest.raises(PageError, match=r"SG102\.md.*already taken by SG101\.md"):
        load_pages(tmp_path)


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        ("SG101", ("SG101",)),
        ("sg101", ("SG101",)),
        ("pipe-masks-status", ("SG201",)),
        ("SG2", ("SG201",)),
        ("SG", ("SG101", "SG201")),
    ],
)
def test_a_code_name_or_prefix_is_resolved(pages: dict[str, RulePage], word: str, codes: tuple[str, ...]) -> None:
    assert resolve(pages, word) == codes


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("SG102", "SG101"),
        ("sg202", "SG201"),
        ("pipe-mask-status", "pipe-masks-status"),
        ("quite-something-else", None),
    ],
)
def test_an_unknown_rule_suggests_the_nearest(pages: dict[str, RulePage], word: str, nearest: str | None) -> None:
    with pytest.raises(UnknownRuleError) as caught:
        resolve(pages, word)
    assert caught.value.nearest == nearest
    assert f"'{word}'" in str(caught.value)


def test_profiles_include_the_ones_before() -> None:
    assert Profile.STRICT.includes(Profile.DEFAULT)
    assert Profile.STRICT.includes(Profile.STRICT)
    assert not Profile.STRICT.includes(Profile.ALL)


def test_the_index_lists_families_with_links_and_escaped_summaries(tmp_path: Path) -> None:
    write_page(tmp_path, FRONT + BODY.replace("its status", "its | status"))
    write_page(tmp_path, second_page(FRONT + BODY).replace("since", "preview: true\nsince"), "SG201.md")
    index = render_index(load_pages(tmp_path).values())
    assert "## SG1: Whose status is it?" in index
    assert (
        "| [SG101](SG101.md) | status-after-substitution | default | error | safe "
        "| The substitution runs first, so `$?` is its \\| status. |\n" in index
    )
    assert "| pipe-masks-status (preview) |" in index
    assert "SG3" not in index


def test_the_own_pages_keep_the_form() -> None:
    for page in load_pages().values():
        kinds = [control.kind for control in controls(page)]
        assert kinds.count(ControlKind.GOOD) >= kinds.count(ControlKind.BAD), f"{page.code} has too few good controls"


def test_the_index_is_current(golden: Callable[[Path, str], None]) -> None:
    golden(rules_folder() / "README.md", render_index(load_pages().values()))
