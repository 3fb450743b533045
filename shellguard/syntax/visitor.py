"""Methods called for each kind of node, for those who prefer that to `match`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shellguard.syntax.walk import children

if TYPE_CHECKING:
    from collections.abc import Callable

    from shellguard.syntax.nodes import Node

_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


class Visitor:
    """Goes through a tree and calls a method for each node, if there is one for its class.

    Define `visit_simple_command(self, node)` for `SimpleCommand`, and so on; it is called before anything below the
    node is visited, and nothing below is when it returns False. `leave_simple_command(self, node)` is called after
    everything below. Nothing recurses, so that the depth of a tree never matters.
    """

    def visit(self, root: Node) -> None:
        """Visit a node and everything below it."""
        methods: dict[type[Node], tuple[Callable[[Node], bool | None] | None, Callable[[Node], None] | None]] = {}
        # What is still to be visited, next one last; a node with its method comes up again when it is left.
        waiting: list[tuple[Node, Callable[[Node], None] | None]] = [(root, None)]
        while waiting:
            node, leave = waiting.pop()
            if leave is not None:
                leave(node)
                continue
            kind = type(node)
            if kind not in methods:
                name = _CAPITAL.sub("_", kind.__name__).lower()
                methods[kind] = (getattr(self, f"visit_{name}", None), getattr(self, f"leave_{name}", None))
            visit, leave = methods[kind]
            enters = visit is None or visit(node) is not False
            if leave is not None:
                waiting.append((node, leave))
            if enters:
                waiting.extend((child, None) for child in reversed(list(children(node))))
