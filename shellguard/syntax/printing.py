"""From nodes back to text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shellguard.syntax.nodes import HereDocument
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.syntax.nodes import Node


def source_of(node: Node, text: str) -> str:
    """Return the source of a node of the tree that `parse` made of the text.

    That is the text at its span, to the character. The bodies of here-documents that stand after a command, since they
    begin on the next line, are appended on lines of their own, so that parsing the result gives the same node.
    """
    source = text[node.start : node.end]
    bodies = [here for here in walk(node) if isinstance(here, HereDocument) and here.start >= node.end]
    if not bodies or isinstance(node, HereDocument):
        return source
    bodies.sort(key=lambda here: here.start)
    newline = "\r\n" if text.startswith("\r\n", bodies[0].delimiter_line.end) else "\n"
    return newline.join([source, *(text[here.start : here.delimiter_line.end] for here in bodies), ""])
