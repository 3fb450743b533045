"""Going through a tree without recursion, so that its depth never matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shellguard.syntax.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Iterator


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes that a node holds directly, in field order."""
    names: tuple[str, ...] = node.__match_args__
    for name in names[2:]:  # start and end come first
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, Node):
                    yield item


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it, parents first."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(children(current))))
