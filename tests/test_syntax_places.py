"""Every node's span is exact, whatever the encoding and line ends; the tokens are the whole text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from syntax import grammar
from test_syntax_shapes import FOLDER, sources

from shellguard.source import UndecodableSourceError, decode, encode
from shellguard.syntax import TRIVIA, TokenKind, children, dump, parse, tokens, walk
from shellguard.syntax import nodes as n

SHAPES = [text for path in sorted(FOLDER.glob("*.txt")) for text in sources(path)]
GENERATED = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
FRAGMENTS = st.sampled_from(
    [
        "|",
        "\\\n",
        "<<E",
        "\nE\n",
        "\r\n",
        "if ",
        "then ",
        "fi",
        "case ",
        " in ",
        "esac",
        "[[ ",
        " ]]",
        "((",
        "))",
        "$((",
        "${",
    ]
) | st.sampled_from("a \n'\"`$(){}\\;&#\t=é\udcff<>\0\r\ufeff")


def standing_alone(node: n.Node) -> list[n.Node]:
    """The commands and words whose text can be parsed by itself, outermost first."""
    found: list[n.Node] = []
    waiting: list[n.Node] = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, n.CommandSubstitution) and current.style == "`":
            continue
        if isinstance(current, (n.HereDocument, n.ParameterExpansion, n.ConditionalCommand, n.ExtendedGlob)):
            continue
        if isinstance(current, n.SimpleCommand):
            found.extend(current.words[1:])
            if current.words and current.words[0].literal == "time":
                continue  # An ordinary word after `|`, a reserved one where it comes first.
        if isinstance(current, n.Command) and not any(isinstance(below, n.HereDocument) for below in walk(current)):
            found.append(current)
        waiting.extend(children(current))
    return found


def reparsed(node: n.Node, text: str) -> str:
    """The tree of a node's own text."""
    source = text[node.start : node.end]
    if isinstance(node, n.Word):
        (command,) = parse(f"declare {source}").body.commands
        assert isinstance(command, n.SimpleCommand)
        (word,) = command.words[1:]
        return dump(word)
    (command,) = parse(source).body.commands
    return dump(command)


def assert_nested(script: n.Script) -> None:
    """Check that children are inside their parents."""
    for node in walk(script.body):
        for child in children(node):
            assert isinstance(child, n.HereDocument) or node.start <= child.start <= child.end <= node.end


def assert_exact(text: str) -> None:
    """Check every span of a text: children are inside their parents, text at a span is the node's source."""
    script = parse(text)
    assert_nested(script)
    if not script.issues:
        for node in standing_alone(script.body):
            assert reparsed(node, text) == dump(node)


def assert_lossless(text: str) -> None:
    """Check that the tokens are the text, and that what isn't trivia belongs to a node that can own it."""
    script = parse(text)
    assert_nested(script)
    row = list(tokens(script, text))
    assert "".join(text[token.start : token.end] for token in row) == text
    for token in row:
        assert token.start < token.end
        if not script.issues and token.kind not in TRIVIA:
            assert not isinstance(token.node, (n.Word, n.ArithmeticExpression)), token


@pytest.mark.parametrize("text", SHAPES)
def test_spans_are_exact(text: str) -> None:
    assert_exact(text)


@pytest.mark.parametrize("text", SHAPES)
def test_tokens_are_the_text(text: str) -> None:
    assert_lossless(text)
    assert_lossless(text.replace("\n", "\r\n"))


@GENERATED
@given(grammar.scripts())
def test_generated_scripts_have_exact_spans_and_lose_nothing(text: str) -> None:
    assert_exact(text)
    assert_lossless(text)


@GENERATED
@given(st.lists(FRAGMENTS, max_size=40).map("".join))
def test_nothing_is_lost_of_any_text(text: str) -> None:
    assert_lossless(text)


@pytest.mark.parametrize(
    "text",
    [
        "((\n<<E\n$(\nE",
        "${\n<<E\n$(\nE",
        "((`\n`$(`c",
        "((`\n''`$(`c",
        "*(\n((${\n))}",
        "$[\n<<E \n$(\nE",
        "case a in a)[[(a =~;;",
        "case a in a)[[ a =~;;",
    ],
)
def test_what_was_read_before_an_error_reaches_no_further_than_what_it_is_in(text: str) -> None:
    assert_lossless(text)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a b\\", "(SimpleCommand a b)"),
        ("a \\", "(SimpleCommand a)"),
        ("{ a; }\\", "(BraceGroup (List (SimpleCommand a)))"),
        ('a "b"\\', '(SimpleCommand a (Word (DoubleQuoted "b")))'),
        (
            "a `b \\\\`",
            '(SimpleCommand a (Word (CommandSubstitution "`" (List (SimpleCommand b (Word (Escape "\\\\")))))))',
        ),
    ],
)
def test_a_backslash_at_the_end_of_a_file_continues_its_line(text: str, tree: str) -> None:
    script = parse(text)
    assert (script.issues, [dump(command) for command in script.body.commands]) == ((), [tree])
    assert_lossless(text)


@pytest.mark.parametrize("text", [">\\", "a | \\", "(\\", "if a; then\\"])
def test_a_file_that_lacks_something_after_its_last_backslash_is_refused(text: str) -> None:
    assert parse(text).issues


def test_a_word_ends_before_the_line_continuation_that_follows_it() -> None:
    text = "a 'b'\\\n c$d\\\n\\\n e=(f)\\\n g\n"
    (command,) = parse(text).body.commands
    assert isinstance(command, n.SimpleCommand)
    assert [text[word.start : word.end] for word in command.words[:3]] == ["a", "'b'", "c$d"]
    assert_lossless(text)


@pytest.mark.parametrize("text", [text for text in SHAPES if "\\\n" not in text])
def test_a_file_from_windows_has_the_same_tree(text: str) -> None:
    text += "\n# end\n"
    ours, theirs = parse(text), parse(text.replace("\n", "\r\n"))
    assert dump(theirs.body) == dump(ours.body)
    windows = text.replace("\n", "\r\n")
    for left, right in zip(walk(ours.body), walk(theirs.body), strict=True):
        assert windows[right.start : right.end].replace("\r\n", "\n") == text[left.start : left.end]


def test_carriage_returns_are_text_where_the_first_line_has_none() -> None:
    assert dump(parse("a\nb\r\n").body.commands[1]) == '(SimpleCommand (Word "b\\r"))'


def test_any_encoding_is_kept() -> None:
    data = b"echo caf\xe9 '\xff' # \xe4\n"
    text = decode(data)
    script = parse(text)
    (command,) = script.body.commands
    assert isinstance(command, n.SimpleCommand)
    assert [encode(word.literal or "") for word in command.words] == [b"echo", b"caf\xe9", b"\xff"]
    assert encode(text[command.words[1].start : command.words[1].end]) == b"caf\xe9"
    assert b"".join(encode(text[token.start : token.end]) for token in tokens(script, text)) == data


@GENERATED
@given(
    st.lists(grammar.scripts() | FRAGMENTS.map(lambda text: text.replace("\0", "")), max_size=8).map("".join),
    st.sampled_from(["utf-8", "utf-8-sig", "latin-1", "shift_jis", "gb18030", "euc_jp"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.text("表ソé ¥'\"\\$`", max_size=6),
)
def test_no_byte_is_lost_in_any_encoding(text: str, encoding: str, line_end: str, word: str) -> None:
    data = f"echo {word}{text}".replace("\n", line_end).encode(encoding, "ignore")
    read = decode(data)
    assert b"".join(encode(read[token.start : token.end]) for token in tokens(parse(read), read)) == data
    assert_lossless(read)


@GENERATED
@given(st.binary(max_size=80))
def test_no_byte_is_lost_of_any_file(data: bytes) -> None:
    if b"\0" in data:
        with pytest.raises(UndecodableSourceError):
            decode(data)
        assert_lossless(data.decode("latin-1"))
        return
    text = decode(data)
    assert b"".join(encode(text[token.start : token.end]) for token in tokens(parse(text), text)) == data
    assert_lossless(text)


def test_tokens_name_what_they_are() -> None:
    text = 'if a=1 b "c$d" >e; then # f\n  cat <<E\\\n\nx $y\nE\nfi\n'
    row = [(str(token.kind), text[token.start : token.end]) for token in tokens(parse(text), text)]
    assert row == [
        ("reserved", "if"),
        ("blank", " "),
        ("text", "a="),
        ("text", "1"),
        ("blank", " "),
        ("text", "b"),
        ("blank", " "),
        ("quote", '"'),
        ("text", "c"),
        ("expansion", "$d"),
        ("quote", '"'),
        ("blank", " "),
        ("operator", ">"),
        ("text", "e"),
        ("operator", ";"),
        ("blank", " "),
        ("reserved", "then"),
        ("blank", " "),
        ("comment", "# f"),
        ("newline", "\n"),
        ("blank", "  "),
        ("text", "cat"),
        ("blank", " "),
        ("operator", "<<"),
        ("text", "E"),
        ("continuation", "\\\n"),
        ("newline", "\n"),
        ("text", "x "),
        ("expansion", "$y"),
        ("text", "\n"),
        ("delimiter", "E"),
        ("newline", "\n"),
        ("reserved", "fi"),
        ("newline", "\n"),
    ]


def test_what_could_not_be_parsed_is_skipped() -> None:
    text = "a; b | | c; d\n"
    row = [text[token.start : token.end] for token in tokens(parse(text), text) if token.kind is TokenKind.SKIPPED]
    assert "".join(row) == "| c"
