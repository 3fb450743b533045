"""A tree as text: one S-expression per node, for people and for comparing."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from shellguard.syntax.nodes import Literal, Node, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN: Final = re.compile(r"[^\s\"'()\[\]\\=]+")
# Places, and what follows from the other fields.
_LEFT_OUT: Final = frozenset({"start", "end", "literal", "delimiter_line", "opened", "skipped"})


def dump(root: Node) -> str:
    """Return a node and everything below it as one line of text, places left out.

    A node is `(ClassName …)` with its fields in order. Text is in JSON's quotes, and so are the literal parts of
    words; a word that is one literal is bare (`echo`) where that can't be misread. Flags are shown by name when set,
    fields that may be absent as `name=value`, and what is empty is left out.
    """
    pieces: list[str] = []
    layouts: dict[type[Node], tuple[tuple[str, str], ...]] = {}
    # What is still to be written, next one last: nodes, and text that is ready.
    waiting: list[Node | str] = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, Literal):
            pieces.append(_quoted(item.value))
        elif (text := _bare_text(item)) is not None:
            pieces.append(text)
        else:
            kind = type(item)
            if kind not in layouts:
                layouts[kind] = _layout(kind)
            pieces.append(f"({kind.__name__}")
            waiting.append(")")
            waiting.extend(reversed(list(_contents(item, layouts[kind]))))
    return "".join(pieces)


def _quoted(text: str) -> str:
    """Return a text in quotes, its control characters escaped."""
    return json.dumps(text, ensure_ascii=True) if not text.isprintable() else json.dumps(text, ensure_ascii=False)


def _bare_text(node: Node) -> str | None:
    """Return the text of a word that needs no quotes in the dump, or None."""
    if isinstance(node, Word) and len(node.parts) == 1:
        part = node.parts[0]
        if isinstance(part, Literal) and part.value.isprintable() and _PLAIN.fullmatch(part.value):
            return part.value
    return None


def _layout(kind: type[Node]) -> tuple[tuple[str, str], ...]:
    """Return the fields that are shown, each with the label that its value gets."""
    names: tuple[str, ...] = kind.__match_args__
    optional = {field.name for field in fields(kind) if "None" in str(field.type)}
    return tuple((name, f"{name}=" if name in optional else "") for name in names if name not in _LEFT_OUT)


def _contents(node: Node, layout: tuple[tuple[str, str], ...]) -> Iterator[Node | str]:
    """Yield what stands between a node's class name and its closing parenthesis."""
    for name, label in layout:
        value = getattr(node, name)
        if label and value is not None:
            yield f" {label}"
            yield from _value(value)
        elif isinstance(value, tuple):
            for item in value:
                yield " "
                yield item if isinstance(item, Node) else _quoted(item)
        elif isinstance(value, bool):
            yield f" {name}" if value else ""
        elif value:
            yield f" {name}={value}" if isinstance(value, int) else " "
            yield from () if isinstance(value, int) else _value(value)


def _value(value: Node | str | tuple[Node, ...]) -> Iterator[Node | str]:
    """Yield one value: a node, text, or a list in brackets."""
    if isinstance(value, tuple):
        yield "["
        for index, item in enumerate(value):
            yield " " if index else ""
            yield item
        yield "]"
    else:
        yield value if isinstance(value, Node) else _quoted(value)
