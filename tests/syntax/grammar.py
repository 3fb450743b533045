"""Scripts made by a grammar, for Hypothesis: every construct, nested a few levels, and slightly broken ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

NAMES = ["a", "b1", "_c"]
PLAIN = ["x", "y-z", "f.txt", "1", "--opt=v", "a/b", "é", "if", "in", "{}", "a#b", "~", "+", "%"]
QUOTED = [
    "'s t'",
    '"d q"',
    r"\ y",
    r"\$",
    "$'\\t\\'x'",
    '$"l"',
    '""',
    "'\"'",
    '"\\"\\\\n"',
    "'a\nb'",
    '"a\\\nb"',
    "`x \\`y\\``",
]
EXPANDED = ["$a", "${a}", "$1", "$?", "${#a}", "${!a}", "${a[1]}", "${a[@]}", "${a@Q}", "${a:1:2}", "$((1 + $a))"]
GLOBS = ["*", "?", "[a-c]", "@(a|b)", "$@"]
OPERATORS = [":-", "-", ":=", "+", ":?", "#", "##", "%", "%%", "/", "//", "^^", ",", ":"]
SEPARATORS = [
    "; ",
    "\n",
    " &\n",
    " # c\n",
    "\n\n",
    " & ",
    " <<E\nh $a\nE\n",
    " <<-'E' >f\n\th $(\n\tE\n",
    " <<E <<F\n1\nE\n$(x)\nF\n",
]
REDIRECTIONS = [">f", "2>&1", ">>f", "<f", "&>f", "<<<w", "3<>f", "{fd}>f", ">&2", "2>&-", "< <(x)", ">|f"]
CONDITIONS = ["-f x", "a == b*", "! a && ( b || c )", "a =~ (b|c)", "a < b", "-n $a\n|| b"]
TOKENS = re.compile(r"\s|\w+|&&|\|\||;;|<<|\$\(\(|\$\(|\$\{|.", re.DOTALL)


@dataclass(frozen=True)
class Writer:
    """Writes text by Hypothesis's choices."""

    draw: st.DrawFn

    def one(self, choices: Sequence[str]) -> str:
        """One of some texts."""
        return self.draw(st.sampled_from(choices))

    def some(self, write: Callable[[int], str], depth: int, joint: str, *, least: int = 0) -> str:
        """A few texts of a kind."""
        return joint.join(write(depth) for _ in range(self.draw(st.integers(least, 2))))

    def word(self, depth: int) -> str:
        """One or two pieces."""
        return self.some(self.piece, depth, "", least=1)

    def piece(self, depth: int) -> str:
        """A piece of a word."""
        kinds = ["plain", "quoted", "expanded", "glob"] + ["$(", '"$(', "<(", "${", '"${'] * (depth > 0)
        match self.one(kinds):
            case "plain":
                return self.one(PLAIN)
            case "quoted":
                return self.one(QUOTED)
            case "expanded":
                return self.one(EXPANDED)
            case "glob":
                return self.one(GLOBS)
            case "${":
                return f"${{{self.one(NAMES)}{self.one(OPERATORS)}{self.word(depth - 1)}}}"
            case '"${':
                return f'"${{{self.one(NAMES)}:-{self.one(EXPANDED)}}}"'
            case '"$(':
                return f'"$({self.substituted(depth - 1)})"'
            case opener:
                return f"{opener}{self.substituted(depth - 1)})"

    def substituted(self, depth: int) -> str:
        """The inside of a substitution, which neither begins as arithmetic does nor with `time` (see the tests)."""
        return " " + self.commands(depth).removeprefix("time ")

    def commands(self, depth: int) -> str:
        """Commands one after another, each with what ends it."""
        return "".join(self.and_or(depth) + self.one(SEPARATORS) for _ in range(self.draw(st.integers(1, 2))))

    def and_or(self, depth: int) -> str:
        """An AND-OR list of pipelines."""
        return self.some(self.pipeline, depth, self.one([" && ", " || ", " &&\n"]), least=1)

    def pipeline(self, depth: int) -> str:
        """A pipeline, perhaps inverted or timed."""
        return self.one(["", "", "! ", "time "]) + self.some(self.command, depth, self.one([" | ", " |& "]), least=1)

    def command(self, depth: int) -> str:
        """Any command."""
        return (
            self.compound(depth - 1)
            if depth > 0 and self.one(["simple", "compound"]) == "compound"
            else self.simple(depth)
        )

    def simple(self, depth: int) -> str:
        """Assignments, words and redirections."""
        assignment = ""
        match self.one(["none", "value", "array"]):
            case "value":
                assignment = f"{self.one(NAMES)}{self.one(['=', '+=', '[1]='])}{self.word(depth)} "
            case "array":
                assignment = f"{self.one(NAMES)}=({self.some(self.word, depth, ' ')}) "
        name = self.one(["x", "declare", "[", "f", "local b1=(1 2)"])
        return f"{assignment}{name} {self.some(self.word, depth, ' ')} {self.one(['', *REDIRECTIONS])}"

    def compound(self, depth: int) -> str:
        """A compound command, a function or a coprocess."""
        function = self.one(["", "", "", "f() ", "function f ", "function f() ", "coproc "])
        return f"{function}{self.body(depth)} {self.one(['', *REDIRECTIONS])}"

    def body(self, depth: int) -> str:
        """A compound command."""
        first, second = self.commands(depth), self.commands(depth)
        templates = [
            f"{{ {first}}}",
            f"( {first})",
            f"if {first}then {second}fi",
            f"if {first}then {second}elif x; then {first}else {second}fi",
            f"{self.one(['while', 'until'])} {first}do {second}done",
            f"{self.one(['for', 'select'])} a in {self.word(depth)}; do {first}done",
            f"for a; do {first}done",
            f"for ((i = 0; i < 3; i++)); do {first}done",
            f"case {self.word(depth)} in {self.one(PLAIN)}) {first};; (x | *) {second}esac",
            f"[[ {self.one(CONDITIONS)} ]]",
            "((a + 1))",
            "(( a[1] << 2 ))",
        ]
        return self.one(templates)


@st.composite
def scripts(draw: st.DrawFn) -> str:
    """Whole scripts that bash accepts, nearly always."""
    return Writer(draw).commands(draw(st.integers(0, 2)))


@st.composite
def broken_scripts(draw: st.DrawFn) -> str:
    """Scripts in which a token or two is missing, doubled or out of place."""
    pieces = TOKENS.findall(draw(scripts()))
    for _ in range(draw(st.integers(1, 2))):
        index = draw(st.integers(0, len(pieces) - 1))
        change = draw(st.sampled_from(["delete", "double", "move"]))
        piece = pieces.pop(index)
        if change == "double":
            pieces.insert(index, piece * 2)
        elif change == "move":
            pieces.insert(draw(st.integers(0, len(pieces))), piece)
    return "".join(pieces)
