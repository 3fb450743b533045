"""Shell syntax: text to tree. Knows the grammar; knows nothing of behaviour or rules."""

from shellguard.syntax.parser import parse
from shellguard.syntax.walk import children, walk

__all__ = ["children", "parse", "walk"]
