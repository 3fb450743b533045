"""The map as a page: everything of the script is in it, nothing of the script is markup, and nothing is fetched."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from conftest import CommandLine

VOID = {"meta", "input", "br", "link", "img", "hr"}


class Page(HTMLParser):
    """Reads a page: its text outside of style and script, its elements, and whether they are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.rows: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"style", "script"}:
            return
        self.text += data
        if "td" in self.open:
            self.rows[-1] += data

    def with_class(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of the elements of a class."""
        return [found for _, found in self.elements if name in (found.get("class") or "").split()]


def page_of(cli: CommandLine, script: str, name: str = "run.sh") -> Page:
    """The page that maps a script."""
    (cli.folder / name).write_text(script)
    run = cli("map", "--format", "html", name)
    assert (run.status, run.stderr) == (0, "")
    page = Page(run.stdout)
    assert page.open == []
    return page


def test_each_line_stands_on_the_page_with_its_worst_fate(cli: CommandLine) -> None:
    page = page_of(cli, "#!/bin/bash\n./a | cat\n./b || exit 1\necho done\n")
    assert page.rows == ["1#!/bin/bash", "lost2./a | cat", "stops3./b || exit 1", "4echo done"]
    assert "3 commands: 1 stops the script, 2 are lost: failure coverage 33 %" in page.text


def test_a_command_knows_its_sentence_and_its_way(cli: CommandLine) -> None:
    page = page_of(cli, "./a | cat\necho done\n")
    command = page.with_class("c")[0]
    assert command["data-say"] == "line 1, ./a: lost: `cat` ends the pipeline, and there is no pipefail"
    assert command["tabindex"] == "0"
    sinks = [found["id"] for found in page.with_class("sink")]
    assert command["data-sink"] in sinks


@pytest.mark.parametrize(
    "text",
    [
        "</script><script>alert(1)</script>",
        "</td></table><img src=x onerror=alert(1)>",
        '" onfocus="alert(1)',
        "&lt;b&gt;",
        "<!-- -->",
    ],
)
def test_nothing_of_a_script_becomes_markup(cli: CommandLine, text: str) -> None:
    page = page_of(cli, f"fetch '{text}' | '{text}' | cat\necho done\n")
    assert text in page.rows[0]
    assert {tag for tag, _ in page.elements} <= {
        *(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "h1",
            "h2",
            "h3",
            "p",
            "section",
            "code",
            "span",
            "div",
            "i",
        ),
        *("ul", "li", "label", "input", "table", "tr", "td", "b", "a", "script"),
    }
    assert not any(name.startswith("on") for _, found in page.elements for name in found)


def test_what_can_not_be_seen_is_shown(cli: CommandLine) -> None:
    page = page_of(cli, "fetch '\x1b[2J\u202e' \x07\necho done\n")
    assert "\\x1b[2J<U+202E>" in page.rows[0]
    assert "\x1b" not in page.text


def test_the_page_fetches_nothing(cli: CommandLine) -> None:
    page = page_of(cli, "fetch https://example.org/x\n")
    policies = [found["content"] for tag, found in page.elements if tag == "meta" and "http-equiv" in found]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"]
    assert all((found["href"] or "").startswith("#") for _, found in page.elements if "href" in found)
    assert not any("src" in found for _, found in page.elements)


def test_several_scripts_and_what_could_not_be_mapped(cli: CommandLine) -> None:
    (cli.folder / "a.sh").write_text("fetch a\n")
    (cli.folder / "b.sh").write_text("if\n")
    (cli.folder / "c.sh").write_text("run() { fetch c; }\nrun\n")
    run = cli("map", "--format", "html", "a.sh", "b.sh", "c.sh")
    assert run.status == 2
    page = Page(run.stdout)
    assert len(page.with_class("script")) == 2
    identities = [found["id"] for _, found in page.elements if found.get("id")]
    assert len(identities) == len(set(identities))
    assert "b.sh:1: syntax error" in page.text
    assert "run(): 1 command: 1 is returned: failure coverage 100 %" in page.text


def test_the_page_goes_to_a_file_but_never_over_a_script(cli: CommandLine) -> None:
    (cli.folder / "run.sh").write_text("fetch a\n")
    assert cli("map", "--format", "html", "--output", "map.html", "run.sh").stdout == ""
    assert (cli.folder / "map.html").read_text().startswith("<!doctype html>")
    refused = cli("map", "--output", "run.sh", "run.sh")
    assert refused.status == 2
    assert "'run.sh' is the script run.sh, which the map would replace" in refused.stderr
    assert (cli.folder / "run.sh").read_text() == "fetch a\n"


def test_a_gate_tells_which_script_is_below(cli: CommandLine) -> None:
    (cli.folder / "run.sh").write_text("fetch a | cat\n./b\n")
    run = cli("map", "--min-coverage", "80", "run.sh")
    assert run.status == 1
    assert "run.sh: failure coverage 33 % is below the 80 % of --min-coverage" in run.stderr
