r"""What `$`, backticks and double quotes introduce: quoted strings, parameters, substitutions, arithmetic.

Each reader starts at `scanner.pos`, leaves it after what it read, and returns the node. Readers that meet a
nested command list hand over to `scanner.read_list`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shellguard.syntax.assembly import make_word
from shellguard.syntax.nodes import (
    ArithmeticExpansion,
    ArithmeticExpression,
    CommandSubstitution,
    DoubleQuoted,
    Escape,
    Literal,
    ParameterExpansion,
    ProcessSubstitution,
    Word,
)
from shellguard.syntax.parens import NOT_ARITHMETIC, UNMATCHED, arithmetic_end, bracket_end
from shellguard.syntax.quotes import ANSI_C, read_ansi_c, read_single_quoted
from shellguard.syntax.remap import read_unescaped
from shellguard.syntax.scanner import SyntaxFailureError

if TYPE_CHECKING:
    from shellguard.syntax.nodes import List, WordPart
    from shellguard.syntax.scanner import Scanner

CLOSE_PAREN: Final = frozenset({")"})
CLOSE_BRACE: Final = frozenset({"}"})
_NO_CLOSERS: Final[frozenset[str]] = frozenset()

_PARAMETER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]|[@*#?$!-]")
# `$` isn't a name where it begins an expansion, which bash finds wrong only when it runs it.
_BRACED_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?!-]|\$(?![{(\[])")
_BRACED_PLAIN: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])\}")
_OPERATOR: Final = re.compile(r":[-=?+]|[-=?+]|##?|%%?|//|/[#%]?|\^\^?|,,?|@|:|\*")
_PLAIN_DOUBLE: Final = re.compile(r'"([^"$`\\]*)"')
_WORD_GOES_ON: Final = re.compile(r"[^\s;&|()<>'`}\]\\]")
_DOUBLE_CHUNK: Final = re.compile(r'[^"$`\\]+')
_BACKTICK: Final = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_BODY_CHUNK: Final = re.compile(r"[^$`\\]+")

_OPERAND_TEXT: Final = re.compile(r"""[^]\[}"'`$\\/:<>()?]+""")

# Python frames that one level of nesting costs at most (see scanner.MAX_DEPTH).
_SUBSTITUTION_FRAMES: Final = 22
_EXPANSION_FRAMES: Final = 9
# Operators whose operand is a pattern: single quotes quote inside it even within double quotes.
# What stands before a brace that closes a group of commands.
_BEFORE_CLOSING_BRACE: Final = (";", "&", "\n", ")", "}")
_PATTERN_OPERATORS: Final = frozenset({"#", "##", "%", "%%", "/", "//", "/#", "/%", "^", "^^", ",", ",,"})


def read_double_quoted(scanner: Scanner, start: int) -> DoubleQuoted:
    """Read `"…"` whose opening quote is at `pos`; `start` is before it for `$"…"`."""
    opening = scanner.pos
    if opening == scanner.unended_quote and not scanner.is_nested:
        resume = scanner.text.find("\n", opening, scanner.limit)
        message = "this double quote isn't closed where it should be"
        raise SyntaxFailureError(start, message, resume if resume >= 0 else scanner.limit)
    found = _PLAIN_DOUBLE.match(scanner.text, opening, scanner.limit)
    locale = start != opening
    if found is not None:
        inner, end = found.span(1)[0], found.end()
        scanner.pos = end
        value = found.group(1)
        if "\n" in value:
            _note_torn(scanner, opening)
        return DoubleQuoted(start, end, (Literal(inner, end - 1, value),) if value else (), locale)
    scanner.pos += 1
    parts = _read_quoted_parts(scanner, start)
    if scanner.text.find("\n", opening, scanner.pos) >= 0:
        _note_torn(scanner, opening)
    return DoubleQuoted(start, scanner.pos, parts, locale)


def _note_torn(scanner: Scanner, opening: int) -> None:
    """Remember a quote over several lines where a word goes on after it."""
    if _WORD_GOES_ON.match(scanner.text, scanner.pos, scanner.limit):
        scanner.torn_quotes.append(opening)


def _read_quoted_parts(scanner: Scanner, start: int) -> tuple[WordPart, ...]:
    """Read the inside of double quotes and the closing quote."""
    text, limit = scanner.text, scanner.limit
    parts: list[WordPart] = []
    while True:
        found = _DOUBLE_CHUNK.match(text, scanner.pos, limit)
        if found is not None:
            parts.append(Literal(found.start(), found.end(), found.group()))
            scanner.pos = found.end()
        if scanner.pos >= limit:
            raise scanner.fail_unterminated("double quote", start)
        char = text[scanner.pos]
        if char == '"':
            scanner.pos += 1
            return tuple(parts)
        _append_quoted_part(scanner, parts, char, '$`"\\')


def _append_quoted_part(scanner: Scanner, parts: list[WordPart], char: str, escapable: str) -> None:
    """Read the `$`, backtick or backslash construct at `pos` as double quotes have it."""
    if char == "$":
        parts.append(read_dollar(scanner, quoted=True))
    elif char == "`":
        parts.append(read_backtick(scanner, quoted=escapable.find('"') >= 0))
    else:
        _append_escape(scanner, parts, escapable)


def _append_escape(scanner: Scanner, parts: list[WordPart], escapable: str) -> None:
    """Read the backslash at `pos`, which quotes only the characters of `escapable`."""
    pos = scanner.pos
    following = scanner.text[pos + 1 : min(pos + 2, scanner.limit)]
    if following == "\n":
        scanner.pos = pos + 2
    elif following and following in escapable:
        parts.append(Escape(pos, pos + 2, following))
        scanner.pos = pos + 2
    else:
        parts.append(Literal(pos, pos + 1, "\\"))
        scanner.pos = pos + 1


def read_expanded_text(scanner: Scanner, start: int, end: int, escapable: str) -> tuple[WordPart, ...]:
    """Read the text between two offsets, in which only expansions and the escapes of `escapable` mean something.

    Bash looks into here-documents and arithmetic only when it runs them: what can't be parsed is noted as deferred,
    and the rest is kept as text.
    """
    state = (scanner.limit, scanner.depth, scanner.pending, scanner.opened)
    scanner.pos, scanner.limit, scanner.pending, scanner.opened = start, end, [], []
    first_issue = len(scanner.issues)
    parts: list[WordPart] = []
    try:
        _read_expanded_parts(scanner, parts, escapable)
    except SyntaxFailureError as failure:
        rest = parts[-1].end if parts else start
        scanner.record(failure.position, failure.message, end)
        parts.append(Literal(rest, end, scanner.text[rest:end]))
    scanner.pos = end
    scanner.limit, scanner.depth, scanner.pending, scanner.opened = state
    _defer(scanner, first_issue)
    return tuple(parts)


def _read_expanded_parts(scanner: Scanner, parts: list[WordPart], escapable: str) -> None:
    """Read parts up to the limit."""
    text, limit = scanner.text, scanner.limit
    while scanner.pos < limit:
        found = _BODY_CHUNK.match(text, scanner.pos, limit)
        if found is not None:
            parts.append(Literal(found.start(), found.end(), found.group()))
            scanner.pos = found.end()
        else:
            _append_quoted_part(scanner, parts, text[scanner.pos], escapable)


def _defer(scanner: Scanner, first_issue: int) -> None:
    """Mark the issues noted since there were `first_issue` of them as bash's to find when it runs the text."""
    for issue in scanner.issues[first_issue:]:
        object.__setattr__(issue, "deferred", True)


def read_dollar(scanner: Scanner, *, quoted: bool) -> WordPart:
    """Read what starts with the `$` at `pos`; a `$` that introduces nothing is a literal."""
    text, start = scanner.text, scanner.pos
    following = text[start + 1 : min(start + 2, scanner.limit)]
    if following == "{":
        return read_braced(scanner, quoted=quoted)
    if following == "(":
        return read_dollar_paren(scanner)
    found = _PARAMETER.match(text, start + 1, scanner.limit)
    if found is not None:
        scanner.pos = found.end()
        return ParameterExpansion(start, scanner.pos, scanner.shared(found.group()))
    if following == "'" and not quoted:
        return read_ansi_c(scanner)
    if following == '"' and not quoted:
        scanner.pos += 1
        return read_double_quoted(scanner, start)
    if following == "[":
        return _read_old_arithmetic(scanner)
    scanner.pos += 1
    return Literal(start, start + 1, "$")


def _read_old_arithmetic(scanner: Scanner) -> WordPart:
    """Read `$[…]`, which bash still takes."""
    start = scanner.pos
    end = bracket_end(scanner, start + 1)
    if end == UNMATCHED:
        raise scanner.fail_unterminated("`$[`", start)
    expression = read_arithmetic_expression(scanner, start + 2, end)
    scanner.pos = end + 1
    return ArithmeticExpansion(start, scanner.pos, "$[", expression)


def read_arithmetic_expression(scanner: Scanner, start: int, end: int) -> ArithmeticExpression:
    """Read the arithmetic expression between two offsets."""
    scanner.enter(_EXPANSION_FRAMES, start)
    parts = read_expanded_text(scanner, start, end, "$`\\\n")
    scanner.depth -= _EXPANSION_FRAMES
    return ArithmeticExpression(start, end, parts)


def read_dollar_paren(scanner: Scanner) -> WordPart:
    """Read `$(…)` or what begins with `$((`; one that was read before is remembered."""
    start = scanner.pos
    known = scanner.substitutions.pop(start, None)
    # It was read by other rules where the part of the text that is now being read ends inside it.
    if known is not None and known.end <= scanner.limit:
        scanner.pos = known.end
        return known
    if scanner.text.startswith("((", start + 1) and start + 3 <= scanner.limit:
        return _read_dollar_parens(scanner)
    scanner.pos = start + 2
    body = _read_nested_list(scanner, "$(", start, CLOSE_PAREN)
    return CommandSubstitution(start, scanner.pos, "$(", body)


def _read_dollar_parens(scanner: Scanner) -> WordPart:
    """Read `$((…))`, or `$(…)` where the parentheses don't close as those of arithmetic do.

    Bash then finds the end by counting parentheses all the same, and parses the commands when it runs them.
    """
    start = scanner.pos
    end = arithmetic_end(scanner, start + 1)
    if end == UNMATCHED:
        raise scanner.fail_unterminated("`$((`", start)
    if end != NOT_ARITHMETIC:
        expression = read_arithmetic_expression(scanner, start + 3, end)
        scanner.pos = end + 2
        return ArithmeticExpansion(start, scanner.pos, "$((", expression)
    end = bracket_end(scanner, start + 1)
    if end == UNMATCHED:
        raise scanner.fail_unterminated("`$((`", start)
    return _read_deferred_substitution(scanner, "$(", start, end)


def _read_deferred_substitution(scanner: Scanner, style: str, start: int, end: int) -> CommandSubstitution:
    """Read a substitution whose end is known, because bash parses its commands only when it runs them."""
    body = _read_deferred_list(scanner, start, start + len(style), end)
    return CommandSubstitution(start, scanner.pos, style, body)


def _read_deferred_list(scanner: Scanner, start: int, first: int, end: int) -> List:
    """Read the commands between `first` and the bracket at `end`; the construct begins at `start`."""
    scanner.enter(_SUBSTITUTION_FRAMES, start)
    first_issue = len(scanner.issues)
    body = read_region(scanner, first, end)
    _defer(scanner, first_issue)
    scanner.depth -= _SUBSTITUTION_FRAMES
    scanner.pos = end + 1
    return body


def _read_nested_list(scanner: Scanner, opener: str, start: int, closers: frozenset[str]) -> List:
    """Read commands from `pos` to the closer, and the closer."""
    scanner.enter(_SUBSTITUTION_FRAMES, start)
    outer_pending, scanner.pending = scanner.pending, []
    scanner.opened.append((opener, start, closers))
    scanner.advance()
    body = scanner.read_list(scanner, closers)
    # The closing token is read but the one after it isn't: what follows is the rest of a word.
    if scanner.key() in closers:
        scanner.pos = scanner.tok_end
    else:
        scanner.pos = scanner.tok_start
    scanner.opened.pop()
    scanner.pending = outer_pending + scanner.pending
    scanner.depth -= _SUBSTITUTION_FRAMES
    return body


def read_process_substitution(scanner: Scanner) -> ProcessSubstitution:
    """Read `<(…)` or `>(…)` at `pos`."""
    start = scanner.pos
    direction = scanner.text[start]
    if scanner.text.startswith("((", start + 1):
        # Bash takes `((` for arithmetic here, too (parse_comsub in its parse.y), and only counts parentheses.
        end = bracket_end(scanner, start + 1)
        if end == UNMATCHED:
            raise scanner.fail_unterminated(f"`{direction}(`", start)
        return ProcessSubstitution(start, end + 1, direction, _read_deferred_list(scanner, start, start + 2, end))
    scanner.pos += 2
    body = _read_nested_list(scanner, f"{direction}(", start, CLOSE_PAREN)
    return ProcessSubstitution(start, scanner.pos, direction, body)


def read_backtick(scanner: Scanner, *, quoted: bool) -> CommandSubstitution:
    """Read a backtick substitution: its text loses one level of backslashes, then is a script of its own."""
    start = scanner.pos
    found = _BACKTICK.match(scanner.text, start, scanner.limit)
    if found is None:
        raise scanner.fail_unterminated("backtick", start)
    scanner.enter(_SUBSTITUTION_FRAMES, start)
    inner, end = found.span(1)
    first_issue = len(scanner.issues)
    if "\\" in found.group(1):
        body = read_unescaped(scanner, inner, end, quoted=quoted)
    else:
        body = read_region(scanner, inner, end)
    _defer(scanner, first_issue)
    scanner.depth -= _SUBSTITUTION_FRAMES
    scanner.pos = end + 1
    return CommandSubstitution(start, scanner.pos, "`", body)


def read_region(scanner: Scanner, start: int, end: int) -> List:
    """Read commands that fill the text from `start` to `end`, as if nothing else were there."""
    state = (scanner.limit, scanner.pending, scanner.opened)
    scanner.pos, scanner.limit, scanner.pending, scanner.opened = start, end, [], []
    scanner.advance()
    body = scanner.read_list(scanner, _NO_CLOSERS)
    if scanner.pending:
        scanner.read_here_documents(scanner)
    scanner.limit, scanner.pending, scanner.opened = state
    return body


def read_braced(scanner: Scanner, *, quoted: bool) -> WordPart:
    """Read `${…}`."""
    text, start = scanner.text, scanner.pos
    found = _BRACED_PLAIN.match(text, start + 2, scanner.limit)
    if found is not None:
        scanner.pos = found.end()
        return ParameterExpansion(start, scanner.pos, scanner.shared(found.group(1)), braced=True)
    if text[start + 2 : start + 3] in {" ", "\t", "\n", "|"}:
        return _read_function_substitution(scanner)
    scanner.enter(_EXPANSION_FRAMES, start)
    expansion = _read_braced_parameter(scanner, quoted=quoted)
    scanner.depth -= _EXPANSION_FRAMES
    return expansion


def _read_function_substitution(scanner: Scanner) -> WordPart:
    """Read `${ …; }` (bash 5.3, ksh, mksh); bash 5.2 finds its end by counting braces, and fails when it runs it."""
    text, start = scanner.text, scanner.pos
    end = bracket_end(scanner, start + 1)
    if end == UNMATCHED:
        raise scanner.fail_unterminated("`${`", start)
    if text[start + 2] != "|" and not text[start + 3 : end].rstrip(" \t").endswith(_BEFORE_CLOSING_BRACE):
        return _read_bad_substitution(scanner, start, quoted=False)
    style = "${|" if text[start + 2] == "|" else "${ "
    return _read_deferred_substitution(scanner, style, start, end)


def _read_braced_parameter(scanner: Scanner, *, quoted: bool) -> ParameterExpansion:
    """Read the prefix, name, subscript, operator and operands of `${…}`."""
    text, limit, start = scanner.text, scanner.limit, scanner.pos
    pos = start + 2
    prefix = _expansion_prefix(text, pos, limit)
    pos += len(prefix)
    found = _BRACED_NAME.match(text, pos, limit)
    name = found.group() if found is not None else ""
    scanner.pos = pos + len(name)
    subscript = None
    if name and text[scanner.pos : min(scanner.pos + 1, limit)] == "[":
        subscript = _read_expansion_subscript(scanner)
        if subscript is None:
            return _read_bad_substitution(scanner, start, quoted=quoted)
    operator = ""
    found = _OPERATOR.match(text, scanner.pos, limit)
    if found is not None:
        operator = found.group()
        scanner.pos = found.end()
    elif text[scanner.pos : min(scanner.pos + 1, limit)] != "}":
        return _read_bad_substitution(scanner, start, quoted=quoted)
    operands = _read_operands(scanner, operator, start, quoted=quoted)
    return ParameterExpansion(start, scanner.pos, name, True, prefix, subscript, operator, operands)  # noqa: FBT003


def _expansion_prefix(text: str, pos: int, limit: int) -> str:
    """Return `#` or `!` where it is a prefix rather than the parameter of that name."""
    char = text[pos : min(pos + 1, limit)]
    if char not in {"#", "!"} or not char:
        return ""
    found = _BRACED_NAME.match(text, pos + 1, limit)
    if found is None:
        return ""
    if found.group() in "@*#?$!-" and char == "#":
        # `${#-}` is the length of `$-`, `${#-x}` is `$#` with a default.
        return char if text[found.end() : found.end() + 1] == "}" else ""
    if found.group() in "?$!-" and char == "!":
        return ""
    return char


def _read_bad_substitution(scanner: Scanner, start: int, *, quoted: bool) -> ParameterExpansion:
    """Read `${…}` that bash finds wrong when it expands it: its text becomes the only operand."""
    scanner.pos = start + 2
    operands = _read_operands(scanner, "", start, quoted=quoted)
    return ParameterExpansion(start, scanner.pos, "", True, operands=operands)  # noqa: FBT003


def _read_expansion_subscript(scanner: Scanner) -> Word | None:
    """Read the `[…]` of `${name[…]}`; None when the brace closes first."""
    scanner.pos += 1
    word = _read_operand(scanner, "]}", quoted=False)
    if word is None or scanner.text[scanner.pos] == "}":
        return None
    scanner.pos += 1
    return word


def read_subscript(scanner: Scanner) -> Word:
    """Read `[…]`, quotes and expansions inside it respected; `pos` is at the bracket."""
    scanner.pos += 1
    start = scanner.pos
    word = _read_operand(scanner, "]", quoted=False)
    if word is None:
        raise scanner.fail_unterminated("subscript", start - 1)
    scanner.pos += 1
    return word


def _read_operands(scanner: Scanner, operator: str, start: int, *, quoted: bool) -> tuple[Word, ...]:
    """Read up to the closing brace and the brace itself."""
    # Inside double quotes, bash gives single quotes a meaning only in pattern operands.
    quoted = quoted and operator not in _PATTERN_OPERATORS
    separator = "/" if operator[:1] == "/" else ":" if operator == ":" else ""
    operands: list[Word] = []
    while True:
        word = _read_operand(scanner, "}" + separator, quoted=quoted)
        if word is None:
            raise scanner.fail_unterminated("`${`", start)
        closed = scanner.text[scanner.pos] == "}"
        if word.parts or operands or not closed:
            operands.append(word)
        scanner.pos += 1
        if closed:
            return tuple(operands)
        separator = ""


def _read_operand(scanner: Scanner, ends: str, *, quoted: bool) -> Word | None:
    """Read a word up to one of the characters `ends`, which stays unread; None when the text ends first."""
    text, limit = scanner.text, scanner.limit
    first = scanner.pos
    parts: list[WordPart] = []
    brackets = parens = 0
    while scanner.pos < limit:
        pos = scanner.pos
        char = text[pos]
        if char in ends and not ((char == "]" and brackets) or (char == ":" and parens)):
            return make_word(first, pos, parts)
        brackets += (char == "[") - (char == "]")
        # The `:` of `?:` and one inside parentheses doesn't separate offset and length.
        if char in "(?":
            parens += 1
        elif char in "):" and parens:
            parens -= 1
        _append_operand_part(scanner, parts, char, quoted=quoted)
    scanner.pos = first
    return None


def _append_operand_part(scanner: Scanner, parts: list[WordPart], char: str, *, quoted: bool) -> None:
    """Read one part of an operand at `pos`."""
    start = scanner.pos
    if char == "$":
        parts.append(read_dollar(scanner, quoted=quoted))
    elif char == '"':
        parts.append(read_double_quoted(scanner, start))
    elif char == "'" and not quoted:
        parts.append(read_single_quoted(scanner))
    elif char == "'":
        _append_quoted_quote(scanner, parts)
    elif char == "`":
        parts.append(read_backtick(scanner, quoted=quoted))
    elif char == "\\":
        _append_operand_escape(scanner, parts)
    elif char in "<>" and scanner.text.startswith("(", start + 1):
        substitution = read_process_substitution(scanner)
        # In double quotes bash parses it all the same, but leaves it as it is.
        literal = Literal(start, scanner.pos, scanner.text[start : scanner.pos])
        parts.append(literal if quoted else substitution)
    else:
        _append_operand_literal(scanner, parts, char)


def _append_quoted_quote(scanner: Scanner, parts: list[WordPart]) -> None:
    """Read `'…'` in an operand inside double quotes: it hides `}` and `"`, but quotes nothing.

    POSIX gives the single quote no meaning there, which is how parsing goes on when it is alone.
    """
    start = scanner.pos
    if scanner.text[start - 1] == "$" and parts and isinstance(parts[-1], Literal):
        found = ANSI_C.match(scanner.text, start - 1, scanner.limit)
        end = found.end() - 1 if found is not None else -1
    else:
        end = scanner.text.find("'", start + 1, scanner.limit)
    scanner.pos = start + 1
    parts.append(Literal(start, scanner.pos, "'"))
    if end < 0:
        scanner.record(start, "this single quote is never closed")
    else:
        parts.extend(read_expanded_text(scanner, scanner.pos, end, '$`"\\'))
        scanner.pos = end + 1
        parts.append(Literal(end, scanner.pos, "'"))


def _append_operand_escape(scanner: Scanner, parts: list[WordPart]) -> None:
    """Read a backslash and the character after it."""
    pos = scanner.pos
    following = scanner.text[pos + 1 : min(pos + 2, scanner.limit)]
    scanner.pos = min(pos + 2, scanner.limit)
    if following != "\n":
        parts.append(Escape(pos, scanner.pos, following or "\\"))


def _append_operand_literal(scanner: Scanner, parts: list[WordPart], char: str) -> None:
    """Read literal text: a run of ordinary characters, or the one special character at `pos`."""
    pos = scanner.pos
    found = _OPERAND_TEXT.match(scanner.text, pos, scanner.limit)
    value = found.group() if found is not None else char
    scanner.pos = pos + len(value)
    parts.append(Literal(pos, scanner.pos, value))
