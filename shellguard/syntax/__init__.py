"""Shell syntax: text to tree. Knows the grammar; knows nothing of behaviour or rules.

    script = parse(text)                   # never raises; what could not be parsed is in `script.issues`
    for node in walk(script): ...          # every node, parents first; the classes are in `shellguard.syntax.nodes`
    source_of(node, text)                  # a node's source, here-documents included
    dump(script)                           # the tree as one S-expression
    for token in tokens(script, text): ... # the text again, blanks and comments included

Places are half-open ranges of code points of the text given: `text[node.start : node.end]` is a node's source.
`shellguard.syntax.visitor` has a base class with a method per kind of node, `shellguard.syntax.export` trees with
their places as lines and as JSON. docs/syntax.md has examples, and what each kind of bashlex's nodes is called here.
"""

from shellguard.syntax.dump import dump
from shellguard.syntax.parser import parse
from shellguard.syntax.printing import source_of
from shellguard.syntax.tokens import TRIVIA, Token, TokenKind, tokens
from shellguard.syntax.walk import children, walk

__all__ = ["TRIVIA", "Token", "TokenKind", "children", "dump", "parse", "source_of", "tokens", "walk"]
