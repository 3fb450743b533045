"""The tree of a script: one class per construct, named as bash's manual names it.

Every node has `start` and `end`, half-open code-point offsets into the script's text. Nodes are immutable to
type checkers; at run time they are plain slotted classes, because creating a truly frozen dataclass costs three
times as much and the parser creates one node per seven characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar, dataclass_transform

from shellguard.source import Span

T = TypeVar("T")


@dataclass_transform(eq_default=False, frozen_default=True)
def node(cls: type[T]) -> type[T]:
    """Make a class a slotted dataclass that compares by identity."""
    # Generating a `__repr__` for each class takes a quarter of the time in which this module is imported.
    return dataclass(slots=True, eq=False, repr=False)(cls)


@node
class Node:
    """Something with a place in the text."""

    # Of the class's own length, which compiled code would otherwise take to be that of this one.
    __match_args__: ClassVar[tuple[str, ...]]

    start: int
    end: int

    @property
    def span(self) -> Span:
        """The node's place."""
        return Span(self.start, self.end)

    def __repr__(self) -> str:
        """What a dataclass would show."""
        names: tuple[str, ...] = type(self).__match_args__
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


# Parts of words


@node
class Literal(Node):
    """Unquoted characters that stand for themselves (line continuations removed); may hold `~`, `{a,b}`."""

    value: str


@node
class Escape(Node):
    """A backslash and the character it quotes; `value` is that character."""

    value: str


@node
class SingleQuoted(Node):
    """`'…'`."""

    value: str


@node
class AnsiCQuoted(Node):
    """`$'…'`; `value` has the escapes decoded as bash decodes them."""

    value: str


@node
class DoubleQuoted(Node):
    """`"…"`, or `$"…"` when `locale`; the parts are literals, escapes and expansions."""

    parts: tuple[WordPart, ...]
    locale: bool = False


@node
class Glob(Node):
    """An unquoted `*`, `?` or bracket expression `[…]`; `value` is its text."""

    value: str


@node
class ExtendedGlob(Node):
    """`?(…)`, `*(…)`, `+(…)`, `@(…)` or `!(…)`; `operator` is the first character."""

    operator: str
    patterns: tuple[Word, ...]


@node
class ParameterExpansion(Node):
    """`$name` or `${name…}`.

    `prefix` is `#` for a length, `!` for indirection, else empty. `operator` is what follows the name (`:-`, `##`,
    `//`, `:`, `@`, `^^`…), `operands` its words: one for most, up to two for `:offset:length` and
    `/pattern/replacement`. `${!name*}` and `${!name@}` have the operator `*` or `@` and no operand. `name` is empty
    when the braces hold nothing a shell would expand (bash calls that a bad substitution at run time).
    """

    name: str
    braced: bool = False
    prefix: str = ""
    subscript: Word | None = None
    operator: str = ""
    operands: tuple[Word, ...] = ()


@node
class CommandSubstitution(Node):
    """`$(…)`, `` `…` `` or `${ …; }`; `style` is the opening token: `$(`, `` ` ``, `${ ` or `${|`."""

    style: str
    body: List


@node
class ArithmeticExpansion(Node):
    """`$((…))`, or `$[…]` when `style` is `$[`."""

    style: str
    expression: ArithmeticExpression


@node
class ProcessSubstitution(Node):
    """`<(…)` or `>(…)`; `direction` is `<` or `>`."""

    direction: str
    body: List


@node
class ArithmeticExpression(Node):
    """The text of an arithmetic expression: literals and expansions, as inside double quotes."""

    parts: tuple[WordPart, ...]


@node
class ArrayElement(Node):
    """One element of `(…)`; `subscript` and `operator` (`=`, `+=`) are set for `[k]=v`."""

    value: Word
    subscript: Word | None = None
    operator: str = ""


@node
class ArrayLiteral(Node):
    """The `(…)` of a compound array assignment."""

    elements: tuple[ArrayElement, ...]


class Word(Node):
    """One shell word. `literal` is its value after quote removal when no part of it expands, else None.

    Most words are one literal. Its node is only made when somebody asks for it: made at once, these would take a third
    of a tree's memory.
    """

    __slots__ = ("_parts", "literal")
    __match_args__ = ("start", "end", "parts", "literal")
    _parts: tuple[WordPart, ...] | None
    literal: str | None

    def __init__(self, start: int, end: int, parts: tuple[WordPart, ...] | None, literal: str | None) -> None:
        """Without parts, the word is one literal that spans it."""
        self.start = start  # type: ignore[misc] # frozen to type checkers
        self.end = end  # type: ignore[misc] # as above
        self._parts = parts
        self.literal = literal

    @property
    def parts(self) -> tuple[WordPart, ...]:
        """What the word consists of, in order."""
        parts = self._parts
        if parts is None:
            parts = self._parts = (Literal(self.start, self.end, self.literal or ""),)
        return parts


# Redirections


@node
class HereDocument(Node):
    """The body of a here-document, from its first line to before the delimiter line.

    `quoted`: the delimiter was quoted, so the body is one literal. `strip_tabs`: `<<-`, and the parts lack the tabs
    that lines begin with. `terminated` is false where
    the file ended first. `delimiter_line` is the delimiter line's span (empty when not terminated).
    """

    delimiter: str
    quoted: bool
    strip_tabs: bool
    parts: tuple[WordPart, ...]
    delimiter_line: Span
    terminated: bool = True


@node
class Redirection(Node):
    """`[fd]operator target`. `descriptor` is the digits, the `{name}` or empty; `here_document` is set for `<<`."""

    descriptor: str
    operator: str
    target: Word
    here_document: HereDocument | None = None


# Commands


@node
class Assignment(Node):
    """`name=value`, `name+=value`, `name[i]=value`, `name=(…)`; without a value the word ends at the `=`."""

    name: str
    subscript: Word | None
    operator: str
    value: Word | ArrayLiteral | None


@node
class SimpleCommand(Node):
    """Assignments, words and redirections, at least one of them.

    The words of a declaration builtin keep their assignments as words (`local x=$(job)` has the word `x=$(job)`);
    a compound one ends in an `ArrayLiteral` part.
    """

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


@node
class Pipeline(Node):
    """`[time [-p]] [!]… command | command…`.

    A lone command without `!` or `time` is never wrapped. `operators` has one `|` or `|&` per join. `commands` is
    empty for a bare `!` or `time`.
    """

    commands: tuple[Command, ...]
    operators: tuple[str, ...]
    bangs: int = 0
    timed: bool = False

    @property
    def negated(self) -> bool:
        """Whether the status is inverted (an even number of `!` cancels out)."""
        return self.bangs % 2 == 1


@node
class AndOrList(Node):
    """`a && b || c`: `operators` has one `&&` or `||` per join; left-associative, equal precedence."""

    commands: tuple[Command, ...]
    operators: tuple[str, ...]


@node
class BackgroundCommand(Node):
    """`command &`."""

    command: Command


@node
class List(Node):
    """Commands one after another, joined by `;`, `&` or newlines; may be empty only where bash allows it."""

    commands: tuple[Command, ...]


@node
class BraceGroup(Node):
    """`{ …; }`."""

    body: List
    redirections: tuple[Redirection, ...] = ()


@node
class Subshell(Node):
    """`( … )`."""

    body: List
    redirections: tuple[Redirection, ...] = ()


@node
class IfBranch(Node):
    """`if condition; then body` or an `elif` one."""

    condition: List
    body: List


@node
class IfClause(Node):
    """`if … then … elif … else … fi`."""

    branches: tuple[IfBranch, ...]
    else_body: List | None
    redirections: tuple[Redirection, ...] = ()


@node
class WhileLoop(Node):
    """`while` or, when `until`, `until` … `do` … `done`."""

    condition: List
    body: List
    until: bool = False
    redirections: tuple[Redirection, ...] = ()


@node
class ForLoop(Node):
    """`for name [in words]`, or `select` when `select`; `words` is None where `in` is left out."""

    variable: str
    words: tuple[Word, ...] | None
    body: List
    select: bool = False
    redirections: tuple[Redirection, ...] = ()


@node
class ArithmeticFor(Node):
    """`for (( initial; condition; update ))`; an empty part has no characters."""

    initial: ArithmeticExpression
    condition: ArithmeticExpression
    update: ArithmeticExpression
    body: List
    redirections: tuple[Redirection, ...] = ()


@node
class CaseItem(Node):
    """`pattern | pattern) body ;;`; `terminator` is `;;`, `;&`, `;;&` or empty for a last item without one."""

    patterns: tuple[Word, ...]
    body: List
    terminator: str


@node
class CaseClause(Node):
    """`case word in … esac`."""

    word: Word
    items: tuple[CaseItem, ...]
    redirections: tuple[Redirection, ...] = ()


@node
class ArithmeticCommand(Node):
    """`(( expression ))`."""

    expression: ArithmeticExpression
    redirections: tuple[Redirection, ...] = ()


@node
class ConditionalCommand(Node):
    """`[[ expression ]]`; the expression is None only where recovery found none."""

    expression: ConditionalExpression | None
    redirections: tuple[Redirection, ...] = ()


@node
class FunctionDefinition(Node):
    """`name () body` or, when `keyword`, `function name [()] body`; the body carries its own redirections."""

    name: str
    body: Command
    keyword: bool = False


@node
class Coprocess(Node):
    """`coproc [name] command`."""

    name: str
    command: Command
    redirections: tuple[Redirection, ...] = ()


# Expressions of `[[ ]]`


@node
class ConditionalWord(Node):
    """A lone word: true when it isn't empty."""

    word: Word


@node
class ConditionalUnary(Node):
    """`-f word`."""

    operator: str
    operand: Word


@node
class ConditionalBinary(Node):
    """`left operator right`."""

    operator: str
    left: Word
    right: Word


@node
class ConditionalNot(Node):
    """`! expression`."""

    operand: ConditionalExpression


@node
class ConditionalAndOr(Node):
    """`left && right` or `left || right`; `&&` binds tighter."""

    operator: str
    left: ConditionalExpression
    right: ConditionalExpression


@node
class ConditionalGroup(Node):
    """`( expression )`."""

    expression: ConditionalExpression


# The whole


@node
class Comment(Node):
    """`#` to the end of the line; `start` is at the `#`."""


@node
class SyntaxIssue(Node):
    """Text that could not be parsed: the span is where the parser noticed.

    `message` says what was found and what was expected; `opened` lists constructs still open, innermost first,
    as (keyword, offset); `skipped` is the text that is in no node because of it. `deferred`: it is inside
    backticks, arithmetic or a here-document, which bash parses only when it runs them: `bash -n` accepts the script.
    """

    message: str
    opened: tuple[tuple[str, int], ...]
    skipped: Span
    deferred: bool = False


@node
class Script(Node):
    """A parsed text: its commands, comments in order, and what could not be parsed."""

    body: List
    comments: tuple[Comment, ...]
    issues: tuple[SyntaxIssue, ...]


WordPart = (
    Literal
    | Escape
    | SingleQuoted
    | AnsiCQuoted
    | DoubleQuoted
    | Glob
    | ExtendedGlob
    | ParameterExpansion
    | CommandSubstitution
    | ArithmeticExpansion
    | ProcessSubstitution
    | ArrayLiteral
)
ConditionalExpression = (
    ConditionalWord | ConditionalUnary | ConditionalBinary | ConditionalNot | ConditionalAndOr | ConditionalGroup
)
CompoundCommand = (
    BraceGroup
    | Subshell
    | IfClause
    | WhileLoop
    | ForLoop
    | ArithmeticFor
    | CaseClause
    | ArithmeticCommand
    | ConditionalCommand
)
Command = SimpleCommand | CompoundCommand | Pipeline | AndOrList | BackgroundCommand | FunctionDefinition | Coprocess
