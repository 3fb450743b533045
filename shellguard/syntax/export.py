"""A tree with its places, as lines for people and as JSON; neither recurses, so that depth never matters."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from shellguard.source import Span
from shellguard.syntax.nodes import Literal, Node, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shellguard.source import Source
    from shellguard.syntax.nodes import Script

_INDENT: Final = "  "
# Deeper nodes are indented no more, or the text would grow with the square of the depth.
_MOST_INDENTS: Final = 60
# What nodes hold beside other nodes: text, flags, numbers, places, and lists of text or of (text, offset).
_Scalar = str | bool | int | Span | tuple[str, ...] | tuple[tuple[str, int], ...] | None
# Lone surrogates, which stand for bytes that are no UTF-8.
_SURROGATES: Final = re.compile(f"[{chr(0xD800)}-{chr(0xDFFF)}]")


def outline(script: Script, source: Source) -> Iterator[str]:
    """Yield the tree as lines: a node's place, indented the field it is in, its class and its own values.

    Places are `line:column-line:column`, from 1, ends exclusive. What is empty or follows from the rest is left out; a
    word that is one literal is shown with its text. Text is in JSON's quotes; it may hold any printable character.
    """
    width = 2 * len(f"{source.line_count}:000") + 1
    waiting: list[tuple[int, str, Node]] = [(0, "", script)]
    while waiting:
        depth, label, node = waiting.pop()
        values, below = _shown(node)
        deeper = f"(level {depth}) " if depth > _MOST_INDENTS else ""
        line = f"{_INDENT * min(depth, _MOST_INDENTS)}{deeper}{label}{type(node).__name__}"
        shown = "".join(_attribute(name, value, source) for name, value in values)
        yield f"{_span(Span(node.start, node.end), source):<{width}}  {line}{shown}"
        waiting.extend((depth + 1, f"{name}: ", child) for name, child in reversed(below))


def _shown(node: Node) -> tuple[list[tuple[str, _Scalar]], list[tuple[str, Node]]]:
    """Return what an outline shows of a node on its own line, and below it."""
    if isinstance(node, Word) and len(node.parts) == 1 and isinstance(node.parts[0], Literal):
        return [("value", node.parts[0].value)], []
    values: list[tuple[str, _Scalar]] = []
    below: list[tuple[str, Node]] = []
    for name in _field_names(node):
        value = getattr(node, name)
        if isinstance(value, Node):
            below.append((name, value))
        elif isinstance(value, tuple) and value and isinstance(value[0], Node):
            below.extend((name, item) for item in value)
        elif value not in ("", None, (), False, 0) and name != "literal":
            values.append((name, value))
    return values, below


def _field_names(node: Node) -> tuple[str, ...]:
    """Return the names of a node's fields, without its place."""
    names: tuple[str, ...] = node.__match_args__
    return names[2:]


def _attribute(name: str, value: _Scalar, source: Source) -> str:
    """Return one value of a node as an outline shows it."""
    if value is True:
        return f" {name}"
    if isinstance(value, str):
        return f" {_quoted(value)}" if name == "value" else f" {name}={_quoted(value)}"
    if isinstance(value, Span):
        return f" {name}={_span(value, source)}"
    if isinstance(value, tuple):
        return f" {name}={','.join(_item(item, source) for item in value)}"
    return f" {name}={value}"


def _item(item: str | tuple[str, int], source: Source) -> str:
    """Return one item of a list: text, or text and where it stands."""
    if isinstance(item, str):
        return _quoted(item)
    place = source.position(item[1])
    return f"{_quoted(item[0])}@{place.line}:{place.column}"


def _quoted(text: str) -> str:
    """Return a text in JSON's quotes; what can't be printed is escaped."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _span(span: Span, source: Source) -> str:
    """Return a place as outlines show it."""
    start, end = source.position(span.start), source.position(span.end)
    return f"{start.line}:{start.column}-{end.line}:{end.column}"


def to_json(script: Script, source: Source) -> Iterator[str]:
    """Yield the tree as pieces of JSON text, each node beginning on a line of its own.

    A node is an object: `type` is its class, its place is `start` and `end` (offsets in code points, end exclusive)
    and `line`, `column`, `end_line`, `end_column` (from 1); its fields follow. Bytes that are no UTF-8 are U+FFFD.
    """
    # What is still to be written, next one last: nodes, and text that is ready.
    waiting: list[Node | str] = [script]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        yield f'\n{{"type": "{type(item).__name__}", {_place(Span(item.start, item.end), source)}'
        pieces = [piece for name in _field_names(item) for piece in _field(name, getattr(item, name), source)]
        waiting.append("}")
        waiting.extend(reversed(pieces))


def _field(name: str, value: Node | tuple[Node, ...] | _Scalar, source: Source) -> Iterator[Node | str]:
    """Yield a field: its name, and its value as text or as nodes."""
    yield f', "{name}": '
    if isinstance(value, Node):
        yield value
    elif isinstance(value, Span):
        yield f"{{{_place(value, source)}}}"
    elif isinstance(value, tuple):
        yield "["
        for index, item in enumerate(value):
            yield ", " if index else ""
            match item:
                case (str() as keyword, int() as offset):
                    yield f'{{"keyword": {json_text(keyword)}, {_place(Span(offset, offset), source)}}}'
                case str():
                    yield json_text(item)
                case Node():
                    yield item
        yield "]"
    else:
        yield json_text(value)


def json_text(value: str | int | None) -> str:
    """Return text, a flag, a number or nothing as JSON; a byte that is no UTF-8 becomes U+FFFD."""
    return json.dumps(_SURROGATES.sub("\ufffd", value) if isinstance(value, str) else value)


def _place(span: Span, source: Source) -> str:
    """Return a place as the members of a JSON object."""
    start, end = source.position(span.start), source.position(span.end)
    return (
        f'"start": {span.start}, "end": {span.end}, "line": {start.line}, "column": {start.column}, '
        f'"end_line": {end.line}, "end_column": {end.column}'
    )
