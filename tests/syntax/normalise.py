"""What bash rewrites when it prints a function back (`declare -f`): both trees are brought to one form.

`normalise` turns a tree into nested tuples of text. What it leaves out: places, comments, layout, where
here-documents stand. Every rewrite of bash 5.2 has a function of its own, named in REWRITES.
"""

from __future__ import annotations

from itertools import groupby

from shellguard.syntax import nodes as n

Tree = str | tuple["Tree", ...]

REWRITES = {
    "elif": "`elif` is an `if` inside `else`",
    "pipe_both": "`a |& b` is `a 2>&1 | b`",
    "arithmetic_part": "an empty part of `for ((;;))` is 1",
    "for_words": '`for x` without `in` is `for x in "$@"`',
    "quoted": "`$'…'` is decoded and single-quoted, with `'` as `\\'`; `$\"…\"` is a plain double quote",
    "simple": "redirections stand after the words",
    "redirection": "descriptors are spelled out (`1<>` is `<>`), `>&file` is `&>file`, closing is `N>&-`",
    "here_document": "`<<-` bodies have no leading tabs (nor has our tree); a quoted delimiter is single-quoted",
    "function": "every function is `function f ()` with braces around a body that has none",
    "case_item": "`(a)` patterns have no parenthesis, and a last item ends in `;;`",
    "bangs": "`! !` is nothing, and `time !` is `! time`",
    "conditional": "a lone word of `[[ ]]` is `-n word`, and `! !` is nothing",
    "coprocess": "a coprocess without a name is called COPROC",
}


def normalise(node: n.Node) -> Tree:
    """Return what a node means, whatever its spelling."""
    match node:
        case n.List():
            return ("list", *map(normalise, node.commands))
        case n.SimpleCommand():
            return simple(node, ())
        case n.Pipeline():
            return pipeline(node)
        case n.AndOrList():
            return ("and-or", node.operators, *map(normalise, node.commands))
        case n.BackgroundCommand():
            return ("background", normalise(node.command))
        case n.FunctionDefinition():
            return function(node, ())
        case n.Coprocess():
            return coprocess(node, ())
    return piece(node)


def piece(node: n.Node) -> Tree:
    """What commands are made of, and compound commands."""
    match node:
        case n.Word():
            return word(node.parts)
        case n.Assignment():
            return assignment(node)
        case n.ArrayLiteral():
            elements = ((optional(e.subscript), e.operator, word(e.value.parts)) for e in node.elements)
            return ("array", *(("element", *element) for element in elements))
        case n.Redirection():
            return redirection(node)
    return compound(node, ())


def optional(node: n.Node | None) -> Tree:
    """Return what a node means, if there is one."""
    return "" if node is None else normalise(node)


def compound(node: n.Node, more: tuple[Tree, ...]) -> Tree:
    """Compound commands; `more` are redirections that a pipeline adds."""
    match node:
        case n.BraceGroup() | n.Subshell():
            inner: Tree = (type(node).__name__, normalise(node.body))
        case n.IfClause():
            inner = elif_(node.branches, node.else_body)
        case n.WhileLoop():
            inner = ("until" if node.until else "while", normalise(node.condition), normalise(node.body))
        case n.ForLoop():
            inner = ("select" if node.select else "for", node.variable, for_words(node), normalise(node.body))
        case n.ArithmeticFor():
            parts = map(arithmetic_part, (node.initial, node.condition, node.update))
            inner = ("arithmetic-for", *parts, normalise(node.body))
        case n.CaseClause():
            inner = ("case", normalise(node.word), *map(case_item, node.items))
        case n.ArithmeticCommand():
            inner = ("arithmetic", arithmetic(node.expression))
        case n.ConditionalCommand():
            inner = ("conditional", conditional(node.expression))
        case _:
            raise AssertionError(f"not a command: {node}")
    redirections = (*map(redirection, node.redirections), *more)
    return ("redirected", inner, *redirections) if redirections else inner


def simple(node: n.SimpleCommand, more: tuple[Tree, ...]) -> Tree:
    """Redirections stand after the words."""
    return (
        "simple",
        tuple(map(assignment, node.assignments)),
        tuple(map(normalise, node.words)),
        (*map(redirection, node.redirections), *more),
    )


def pipeline(node: n.Pipeline) -> Tree:
    """`a |& b` is `a 2>&1 | b`, for compound commands too; see `bangs` for the rest."""
    commands = []
    for command, operator in zip(node.commands, (*node.operators, "|"), strict=False):
        more = (("redirection", "2", ">&", ("1",)),) if operator == "|&" else ()
        if isinstance(command, n.SimpleCommand):
            commands.append(simple(command, more))
        elif isinstance(command, n.Coprocess):
            commands.append(coprocess(command, more))
        elif isinstance(command, n.FunctionDefinition):
            commands.append(function(command, more))
        elif more:
            commands.append(compound(command, more))
        else:
            commands.append(normalise(command))
    if len(commands) == 1 and not (node.negated or node.timed):
        return commands[0]
    return ("pipeline", bangs(node), *commands)


def bangs(node: n.Pipeline) -> Tree:
    """Return whether a pipeline is inverted and timed, in any order; two `!` are none."""
    return ("!" if node.negated else "", "time" if node.timed else "")


def elif_(branches: tuple[n.IfBranch, ...], else_body: n.List | None) -> Tree:
    """`elif` is an `if` inside `else`."""
    rest: Tree = "" if else_body is None else normalise(else_body)
    for branch in reversed(branches):
        clause = ("if", normalise(branch.condition), normalise(branch.body), rest)
        rest = ("list", clause)
    return clause


def for_words(node: n.ForLoop) -> Tree:
    """`for x` without `in` is `for x in "$@"`."""
    if node.words is None:
        return ((("quote", ("parameter", "@")),),)
    return tuple(map(normalise, node.words))


def case_item(node: n.CaseItem) -> Tree:
    """A last item ends in `;;`."""
    return ("item", tuple(map(normalise, node.patterns)), normalise(node.body), node.terminator or ";;")


def function(node: n.FunctionDefinition, more: tuple[Tree, ...]) -> Tree:
    """A body that has no braces gets some, and keeps its redirections inside."""
    body = node.body
    if isinstance(body, n.BraceGroup):
        return ("function", node.name, normalise(body.body), (*map(redirection, body.redirections), *more))
    return ("function", node.name, ("list", normalise(body)), more)


def coprocess(node: n.Coprocess, more: tuple[Tree, ...]) -> Tree:
    """A coprocess without a name is called COPROC, which bash prints even before a simple command."""
    command, name = node.command, node.name or "COPROC"
    if not isinstance(command, n.SimpleCommand):
        return ("coprocess", name, compound(command, more))
    if [word.literal for word in command.words[:1]] == ["COPROC"]:
        command = n.SimpleCommand(0, 0, command.assignments, command.words[1:], command.redirections)
    return ("coprocess", name, simple(command, more))


def assignment(node: n.Assignment) -> Tree:
    """An assignment, whose empty value is the same as none."""
    value = () if node.value is None else normalise(node.value)
    return ("assignment", node.name, optional(node.subscript), node.operator, value)


def redirection(node: n.Redirection) -> Tree:
    """Descriptors are spelled out, `>&file` is `&>file`, and closing is `N>&-`."""
    operator, target = node.operator, node.target.literal
    if node.here_document is not None:
        return ("redirection", node.descriptor or "0", "<<", here_document(node.here_document))
    descriptor = node.descriptor or ("0" if operator.startswith("<") else "1")
    if operator == ">&" and not node.descriptor and target is not None and not target.rstrip("-").isdigit():
        if target != "-":
            return ("redirection", "", "&>", normalise(node.target))
    elif operator in {"&>", "&>>"}:
        descriptor = ""
    if operator == "<>" and descriptor == "1":
        # Printed as `<>`, which is descriptor 0: bash's own mistake.
        descriptor = "0"
    if operator in {"<&", ">&"} and target == "-":
        return ("redirection", descriptor, ">&-")
    return ("redirection", descriptor, operator, normalise(node.target))


def here_document(node: n.HereDocument) -> Tree:
    """How the delimiter is quoted doesn't matter, only whether it is."""
    return ("here-document", node.delimiter, "quoted" if node.quoted else "", quoted(node.parts))


def arithmetic_part(node: n.ArithmeticExpression) -> Tree:
    """An empty part of `for ((;;))` is 1."""
    return arithmetic(node) or ("1",)


def arithmetic(node: n.ArithmeticExpression) -> Tree:
    """An expression without the blanks around it."""
    parts = list(quoted(node.parts))
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip(" \t\n")
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip(" \t\n")
    return tuple(part for part in parts if part != "")


def conditional(node: n.ConditionalExpression | None) -> Tree:
    """A lone word is `-n word`, and `! !` is nothing."""
    match node:
        case n.ConditionalWord():
            return ("-n", normalise(node.word))
        case n.ConditionalUnary():
            return (node.operator, normalise(node.operand))
        case n.ConditionalBinary():
            return (node.operator, normalise(node.left), normalise(node.right))
        case n.ConditionalNot(operand=n.ConditionalNot() as inner):
            return conditional(inner.operand)
        case n.ConditionalNot():
            return ("!", conditional(node.operand))
        case n.ConditionalAndOr():
            return (node.operator, conditional(node.left), conditional(node.right))
        case n.ConditionalGroup():
            return ("group", conditional(node.expression))
        case None:
            return ""


def word(parts: tuple[n.WordPart, ...]) -> Tree:
    """A word: runs of single-quoted text and escapes are one text, however they are quoted."""
    pieces: list[Tree] = []
    for is_quoted, run in groupby(parts, key=lambda part: isinstance(part, (n.SingleQuoted, n.AnsiCQuoted, n.Escape))):
        if is_quoted:
            text = "".join(part.value for part in run if isinstance(part, (n.SingleQuoted, n.AnsiCQuoted, n.Escape)))
            pieces.append(("single", text))
        else:
            pieces.extend(quoted(tuple(run)))
    return tuple(pieces)


def quoted(parts: tuple[n.WordPart, ...]) -> tuple[Tree, ...]:
    """The inside of double quotes and of here-documents: literals that touch are one."""
    pieces: list[Tree] = []
    for part in parts:
        piece = part.value if isinstance(part, n.Literal) else expansion(part)
        if isinstance(piece, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] += piece
        elif piece != "":
            pieces.append(piece)
    return tuple(pieces)


def expansion(part: n.WordPart) -> Tree:
    """One part of a word."""
    match part:
        case n.Literal() | n.Glob():
            return part.value
        case n.Escape() | n.SingleQuoted() | n.AnsiCQuoted():
            return ("single", part.value)
        case n.DoubleQuoted():
            return ("quote", *quoted(part.parts))
        case n.ExtendedGlob():
            return ("extglob", part.operator, *map(normalise, part.patterns))
        case n.ParameterExpansion():
            rest = (optional(part.subscript), part.operator, *map(normalise, part.operands))
            return (
                ("parameter", part.name)
                if rest == ("", "") and not part.prefix
                else ("parameter", part.prefix + part.name, *rest)
            )
        case n.CommandSubstitution():
            return ("substitution", "`" if part.style == "`" else "$(", normalise(part.body))
        case n.ArithmeticExpansion():
            return ("arithmetic", arithmetic(part.expression))
        case n.ProcessSubstitution():
            return ("process", part.direction, normalise(part.body))
        case n.ArrayLiteral():
            return normalise(part)
