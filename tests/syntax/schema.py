"""The JSON Schema of `shellguard ast --format json`, made from the types of the nodes' fields."""

from __future__ import annotations

import json
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from shellguard.source import Span
from shellguard.syntax import nodes as n

PLACE = ("line", "column", "end_line", "end_column")
OFFSETS = ("start", "end")
SCALARS = {str: {"type": "string"}, bool: {"type": "boolean"}, int: {"type": "integer"}, NoneType: {"type": "null"}}


def node_classes() -> list[type[n.Node]]:
    """Every class of node, by name."""
    # The classes that dataclass(slots=True) replaced are subclasses too until they are collected.
    kinds = {kind.__name__: kind for kind in n.Node.__subclasses__() if getattr(n, kind.__name__) is kind}
    return [kinds[name] for name in sorted(kinds)]


def schema() -> dict[str, Any]:
    """The whole schema."""
    place = _object({name: {"type": "integer", "minimum": 0} for name in (*OFFSETS, *PLACE)})
    definitions = {"place": place} | {kind.__name__: _node(kind) for kind in node_classes()}
    definitions["opened"] = _object({"keyword": {"type": "string"}} | place["properties"])
    tool = _object({"name": {"const": "shellguard"}, "version": {"type": "string"}})
    head = {"schema": {"const": 1}, "tool": tool, "path": {"type": "string"}, "script": _reference("Script")}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | _object(head) | {"$defs": definitions}


def schema_text() -> str:
    """The schema as a file: one definition a line."""
    whole = schema()
    definitions = whole.pop("$defs")
    lines = [f'  "{name}": {json.dumps(value, ensure_ascii=False)}' for name, value in definitions.items()]
    head = json.dumps(whole, ensure_ascii=False, indent=1)[:-2]
    return f'{head},\n "$defs": {{\n' + ",\n".join(lines) + "\n }\n}\n"


def _node(kind: type[n.Node]) -> dict[str, Any]:
    """The schema of one class."""
    hints = get_type_hints(kind, vars(n))
    place = {name: {"type": "integer", "minimum": 0} for name in (*OFFSETS, *PLACE)}
    # The parts of a word are a property.
    hints |= {
        name: get_type_hints(value.fget, vars(n))["return"]
        for name, value in vars(kind).items()
        if isinstance(value, property)
    }
    own = {name: _value(hints[name]) for name in kind.__match_args__ if name not in OFFSETS}
    described = {"description": " ".join((kind.__doc__ or "").split())}
    return described | _object({"type": {"const": kind.__name__}} | place | own)


def _value(hint: Any) -> dict[str, Any]:  # noqa: ANN401 -- typing's forms have no common type
    """The schema of a type."""
    if hint in SCALARS:
        return SCALARS[hint]
    if hint is Span:
        return _reference("place")
    if get_origin(hint) is UnionType:
        return {"anyOf": [_value(member) for member in get_args(hint)]}
    if get_origin(hint) is tuple:
        (item, _) = get_args(hint)
        return {"type": "array", "items": _reference("opened") if get_origin(item) is tuple else _value(item)}
    assert issubclass(hint, n.Node)
    return _reference(hint.__name__)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}
