"""Command lists, pipelines and simple commands, and what to do where they can't be parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shellguard.syntax.compound import COMPOUND_READERS, read_parenthesised
from shellguard.syntax.expansions import make_word, read_subscript
from shellguard.syntax.nodes import (
    AndOrList,
    Assignment,
    BackgroundCommand,
    Coprocess,
    FunctionDefinition,
    List,
    Literal,
    Pipeline,
    Redirection,
    SimpleCommand,
    Word,
)
from shellguard.syntax.recovery import OPERATOR_CLOSERS, RESERVED_CLOSERS, recover, skip_to_separator
from shellguard.syntax.redirections import read_redirection
from shellguard.syntax.scanner import DESCRIPTOR, EOF_TOKEN, NEWLINE, REDIRECTION, WORD, SyntaxFailureError
from shellguard.syntax.words import read_array, read_word_parts, take_word

if TYPE_CHECKING:
    from shellguard.syntax.nodes import ArrayLiteral, Command, WordPart
    from shellguard.syntax.scanner import Scanner

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=)")
_ASSIGNMENT_START: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)")
# A name counts only before a compound command (coproc in bash's parse.y).
_COPROCESS_NAME: Final = re.compile(
    r"(\S+)(?:[ \t]|\\\n)+(?=\(|(?:\{|\[\[|if|for|while|until|case|select)(?:[ \t\n;]|\Z))"
)
# In the order in which a message lists them; `;&` and `;;&` are left out.
_SHOWN_CLOSERS: Final = ("then", "do", "elif", "else", "fi", "done", ";;", "esac", "}", ")")
_CLOSED_PARENS: Final = re.compile(r"(?:[ \t]|\\\n)*\)")


def read_list(scanner: Scanner, closers: frozenset[str]) -> List:
    """list: newline* (and_or (';' | '&' | newline+))* — up to one of the closers, which stays unread.

    Where none of them comes, an issue is recorded and what was read is returned.
    """
    commands: list[Command] = []
    start = scanner.tok_start
    while True:
        _read_commands(scanner, commands)
        key = scanner.key()
        if key in closers or (not closers and scanner.tok == EOF_TOKEN):
            break
        if scanner.tok == EOF_TOKEN or scanner.is_wanted_outside(key):
            scanner.record(scanner.tok_start, f"expected {_shown_closers(closers)}, found {scanner.shown()}")
            break
        scanner.record(scanner.tok_start, f"unexpected {scanner.shown()}", scanner.tok_end)
        scanner.advance()
    if not commands:
        return List(start, start, ())
    return List(commands[0].start, commands[-1].end, tuple(commands))


def _shown_closers(closers: frozenset[str]) -> str:
    """Name what would have closed the construct."""
    names = [
        f"`{name}`" for name in ("then", "do", "elif", "else", "fi", "done", ";;", "esac", "}", ")") if name in closers
    ]
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} or {names[-1]}" if names else "the end"


def _read_commands(scanner: Scanner, commands: list[Command]) -> None:
    """Read commands until something that can't start one."""
    while True:
        scanner.skip_newlines()
        tok = scanner.tok
        if tok == WORD:
            if scanner.tok_text in RESERVED_CLOSERS:
                return
        elif tok == EOF_TOKEN or tok in OPERATOR_CLOSERS:
            return
        depth, opened = scanner.depth, len(scanner.opened)
        start = scanner.tok_start
        try:
            command = read_and_or(scanner)
            _expect_separator(scanner)
        except SyntaxFailureError as failure:
            scanner.record(failure.position, failure.message)
            scanner.depth = depth
            del scanner.opened[opened:]
            recover(scanner, failure, start)
            continue
        if scanner.tok == "&":
            command = BackgroundCommand(command.start, scanner.tok_end, command)
            scanner.advance()
        elif scanner.tok == ";":
            scanner.advance()
        commands.append(command)


def _expect_separator(scanner: Scanner) -> None:
    """Note a command that is followed by something else than a separator or closer; the command is kept."""
    tok = scanner.tok
    if tok in {";", "&", NEWLINE, EOF_TOKEN} or tok in OPERATOR_CLOSERS:
        return
    if tok == WORD and scanner.tok_text in RESERVED_CLOSERS:
        return
    scanner.record(scanner.tok_start, f"unexpected {scanner.shown()}")
    skip_to_separator(scanner)


def read_and_or(scanner: Scanner) -> Command:
    """and_or: pipeline (('&&' | '||') newline* pipeline)*"""
    first = read_pipeline(scanner)
    if scanner.tok not in {"&&", "||"}:
        return first
    commands, operators = [first], []
    while scanner.tok in {"&&", "||"}:
        operators.append(scanner.tok)
        scanner.advance()
        scanner.skip_newlines()
        commands.append(read_pipeline(scanner))
    return AndOrList(first.start, commands[-1].end, tuple(commands), tuple(operators))


def read_pipeline(scanner: Scanner) -> Command:
    """pipeline: ['time' ['-p']] '!'* command (('|' | '|&') newline* command)*"""
    start, bangs, timed = scanner.tok_start, 0, False
    while scanner.tok == WORD:
        text = scanner.tok_text
        if text == "!" or (not text and scanner.text.startswith("!(", scanner.tok_start)):
            # Without extglob, which scripts rarely set, `!(cmd)` negates a subshell.
            bangs += 1
            scanner.pos = scanner.tok_start + 1
            scanner.advance()
        elif text == "time" and not timed:
            timed = True
            scanner.advance()
            if scanner.tok_text in {"-p", "--"} and scanner.tok == WORD:
                scanner.advance()
        else:
            break
    if (bangs or timed) and _ends_pipeline(scanner):
        return Pipeline(start, scanner.tok_start, (), (), bangs, timed)
    first = read_command(scanner)
    if scanner.tok not in {"|", "|&"}:
        if not (bangs or timed):
            return first
        return Pipeline(start, first.end, (first,), (), bangs, timed)
    commands, operators = [first], []
    while scanner.tok in {"|", "|&"}:
        operators.append(scanner.tok)
        scanner.advance()
        scanner.skip_newlines()
        commands.append(read_command(scanner))
    return Pipeline(start, commands[-1].end, tuple(commands), tuple(operators), bangs, timed)


def _ends_pipeline(scanner: Scanner) -> bool:
    """Whether nothing follows a `!` or `time` (bash then takes an empty pipeline)."""
    return scanner.tok in {";", "&", NEWLINE, EOF_TOKEN, "&&", "||"} or scanner.tok in OPERATOR_CLOSERS


def read_command(scanner: Scanner) -> Command:
    """command: compound_command redirection* | function_definition | simple_command"""
    tok = scanner.tok
    if tok == WORD:
        reader = _READERS.get(scanner.tok_text)
        if reader is not None:
            return reader(scanner)
        if scanner.tok_text == "in":
            # A reserved word wherever a command may start, though only `for` and `case` have a use for it.
            raise SyntaxFailureError(scanner.tok_start, "expected a command, found `in`")
    elif tok == "(":
        return read_parenthesised(scanner)
    return _read_simple(scanner)


def _read_simple(scanner: Scanner) -> Command:
    """simple_command: (assignment | redirection)* (word | redirection)*"""
    start = scanner.tok_start
    assignments: list[Assignment] = []
    words: list[Word] = []
    redirections: list[Redirection] = []
    while True:
        tok = scanner.tok
        if tok == WORD:
            if not words:
                assignment = _read_assignment(scanner)
                if assignment is not None:
                    assignments.append(assignment)
                    continue
            _read_argument(scanner, words)
        elif tok in {REDIRECTION, DESCRIPTOR}:
            redirections.append(read_redirection(scanner))
        elif tok == "(" and len(words) == 1 and not assignments and not redirections:
            found = _CLOSED_PARENS.match(scanner.text, scanner.tok_end, scanner.limit)
            if found is None:
                break
            scanner.pos = found.end()
            return _read_function(scanner, words[0])
        else:
            break
    if not (assignments or words or redirections):
        raise SyntaxFailureError(start, f"expected a command, found {scanner.shown()}")
    end = max(
        words[-1].end if words else start,
        redirections[-1].end if redirections else start,
        assignments[-1].end if assignments else start,
    )
    return SimpleCommand(start, end, tuple(assignments), tuple(words), tuple(redirections))


def _read_argument(scanner: Scanner, words: list[Word]) -> None:
    """Read one word of a command."""
    text = scanner.tok_text
    if text:
        start, end = scanner.tok_start, scanner.tok_end
        words.append(Word(start, end, (Literal(start, end, text),), text))
        scanner.advance()
    else:
        words.append(take_word(scanner))


def _read_assignment(scanner: Scanner) -> Assignment | None:
    """assignment: name ['[' subscript ']'] ('=' | '+=') [value]; None (nothing read) for another word."""
    start = scanner.tok_start
    text = scanner.tok_text
    if text:
        found = _ASSIGNMENT.match(text)
        if found is None:
            return None
        first = start + found.end()
        value_text = text[found.end() :]
        if not value_text:
            value = None
        else:
            value = Word(first, scanner.tok_end, (Literal(first, scanner.tok_end, value_text),), value_text)
        assignment = Assignment(start, scanner.tok_end, found.group(1), None, found.group(2), value)
        scanner.advance()
        return assignment
    found = _ASSIGNMENT_START.match(scanner.text, start, scanner.limit)
    if found is None:
        return None
    return _read_expanding_assignment(scanner, start, found)


def _read_expanding_assignment(scanner: Scanner, start: int, found: re.Match[str]) -> Assignment | None:
    """Read an assignment whose value or subscript needs the word parser."""
    scanner.pos = found.end()
    operator, subscript = found.group(2), None
    if operator == "[":
        scanner.pos = found.end() - 1
        try:
            subscript = read_subscript(scanner)
        except SyntaxFailureError:
            subscript = None
        if scanner.text.startswith(("=", "+="), scanner.pos) and subscript is not None:
            operator = "=" if scanner.text[scanner.pos] == "=" else "+="
            scanner.pos += len(operator)
        else:
            scanner.pos = start
            return None
    value = _read_value(scanner)
    end = scanner.pos
    scanner.advance()
    return Assignment(start, end, found.group(1), subscript, operator, value)


def _read_value(scanner: Scanner) -> Word | ArrayLiteral | None:
    """Read what follows the `=` at `pos`."""
    first = scanner.pos
    if first < scanner.limit and scanner.text[first] == "(":
        return read_array(scanner)
    parts: list[WordPart] = []
    read_word_parts(scanner, parts, first)
    if not parts:
        return None
    return make_word(first, scanner.pos, parts)


def _read_function(scanner: Scanner, name: Word) -> FunctionDefinition:
    """function_definition: name '(' ')' newline* compound_command; `pos` is after the parentheses."""
    scanner.advance()
    scanner.skip_newlines()
    body = read_command(scanner)
    text = scanner.text[name.start : name.end]
    return FunctionDefinition(name.start, body.end, text, body)


def _read_keyword_function(scanner: Scanner) -> Command:
    """function_definition: 'function' word ['(' ')'] newline* compound_command"""
    start = scanner.tok_start
    scanner.advance()
    if scanner.tok != WORD:
        raise SyntaxFailureError(scanner.tok_start, f"expected a name after `function`, found {scanner.shown()}")
    name = take_word(scanner)
    if scanner.tok == "(":
        found = _CLOSED_PARENS.match(scanner.text, scanner.tok_end, scanner.limit)
        if found is not None:
            scanner.pos = found.end()
            scanner.advance()
    scanner.skip_newlines()
    body = read_command(scanner)
    return FunctionDefinition(start, body.end, scanner.text[name.start : name.end], body, keyword=True)


def _read_coprocess(scanner: Scanner) -> Command:
    """coproc: 'coproc' ([name] compound_command redirection* | simple_command)"""
    start = scanner.tok_start
    scanner.advance()
    name = ""
    if scanner.tok == WORD and scanner.tok_text not in COMPOUND_READERS:
        found = _COPROCESS_NAME.match(scanner.text, scanner.tok_start, scanner.limit)
        if found is not None:
            name = found.group(1)
            take_word(scanner)
    command = read_command(scanner)
    return Coprocess(start, command.end, name, command)


_READERS: Final = {**COMPOUND_READERS, "function": _read_keyword_function, "coproc": _read_coprocess}
