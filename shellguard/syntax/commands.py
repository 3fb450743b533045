"""Command lists, pipelines and simple commands, and what to do where they can't be parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shellguard.syntax.assembly import make_word
from shellguard.syntax.compound import COMPOUND_READERS, read_parenthesised
from shellguard.syntax.expansions import read_subscript
from shellguard.syntax.nodes import (
    AndOrList,
    ArrayLiteral,
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
from shellguard.syntax.parens import UNMATCHED, bracket_end
from shellguard.syntax.recovery import OPERATOR_CLOSERS, RESERVED_CLOSERS, recover, skip_separator, skip_to_separator
from shellguard.syntax.redirections import read_redirection
from shellguard.syntax.scanner import DESCRIPTOR, EOF_TOKEN, NEWLINE, REDIRECTION, WORD, SyntaxFailureError
from shellguard.syntax.words import GLOB_FUNCTION, bracket_parts, continue_word, read_array, read_word_parts, take_word

if TYPE_CHECKING:
    from shellguard.syntax.nodes import Command, CompoundCommand, WordPart
    from shellguard.syntax.scanner import Scanner

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=)")
_ASSIGNMENT_START: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)")
# In the order in which a message lists them; `;&` and `;;&` are left out.
_SHOWN_CLOSERS: Final = ("then", "do", "elif", "else", "fi", "done", ";;", "esac", "}", ")")
# Reserved wherever a command may start, though they can't start one.
_NEVER_COMMANDS: Final = RESERVED_CLOSERS | {"in", "]]", "!"}
# Builtins that take `name=(…)` as an argument (the assignment builtins of bash's builtins/, and parse.y).
_ARRAY_BUILTINS: Final = frozenset({"declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"})
# What may follow a subshell directly; anything else makes `!(…)` an extended glob.
_AFTER_SUBSHELL: Final = frozenset(" \t\n\\;&|()<>")
_AFTER_ARRAY: Final = frozenset(" \t\n;&|()<>")
_ASSIGNMENT_OPERATOR: Final = re.compile(r"\+?=")
_CLOSED_PARENS: Final = re.compile(r"(?:[ \t]|\\\n)*\)")


def read_list(scanner: Scanner, closers: frozenset[str]) -> List:
    """list: newline* (and_or (';' | '&' | newline+))* — up to one of the closers, which stays unread.

    Where none of them comes, an issue is recorded and what was read is returned.
    """
    start = scanner.tok_start
    commands: list[Command] = []
    read_commands(scanner, closers, commands)
    if not commands:
        return List(start, start, ())
    return List(commands[0].start, commands[-1].end, tuple(commands))


def read_commands(scanner: Scanner, closers: frozenset[str], commands: list[Command]) -> None:
    """Read a list as `read_list` does, and append its commands: they are kept when nesting becomes too deep."""
    while True:
        _read_some_commands(scanner, commands)
        key = scanner.key()
        if key in closers or (not closers and scanner.tok == EOF_TOKEN):
            return
        if scanner.tok == EOF_TOKEN or scanner.is_wanted_outside(key):
            scanner.record(scanner.tok_start, f"expected {_shown_closers(closers)}, found {scanner.shown()}")
            return
        scanner.record(scanner.tok_start, f"unexpected {scanner.shown()}", scanner.tok_end)
        scanner.advance()
        skip_separator(scanner)


def _shown_closers(closers: frozenset[str]) -> str:
    """Name what would have closed the construct."""
    names = [f"`{name}`" for name in _SHOWN_CLOSERS if name in closers]
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} or {names[-1]}" if names else "the end"


def _read_some_commands(scanner: Scanner, commands: list[Command]) -> None:
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
    """pipeline: ('time' ['-p'] '--'* | '!')* command (('|' | '|&') newline* command)*"""
    start, bangs, timed = scanner.tok_start, 0, False
    while scanner.tok == WORD:
        text = scanner.tok_text
        if text == "!" or (not text and _is_negated_subshell(scanner)):
            bangs += 1
            scanner.pos = scanner.tok_start + 1
            scanner.advance()
        elif text == "time":
            timed = True
            scanner.advance()
            if scanner.tok == WORD and scanner.tok_text == "-p":
                scanner.advance()
            while scanner.tok == WORD and scanner.tok_text == "--":
                scanner.advance()
        else:
            break
    if (bangs or timed) and (_ends_pipeline(scanner) or (timed and _fills_substitution(scanner, start))):
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


def _is_negated_subshell(scanner: Scanner) -> bool:
    """Whether `!(` is here and can be read as it is without extglob, which scripts rarely set."""
    text, start = scanner.text, scanner.tok_start
    if not text.startswith("!(", start) or text.startswith(")", start + 2):
        return False
    end = bracket_end(scanner, start + 1)
    return end == UNMATCHED or end + 1 >= scanner.limit or text[end + 1] in _AFTER_SUBSHELL


def _ends_pipeline(scanner: Scanner) -> bool:
    """Whether nothing follows a `!` or `time` (bash then takes an empty pipeline: list_terminator in its parse.y)."""
    return scanner.tok in {";", NEWLINE} or (scanner.tok == EOF_TOKEN and not scanner.opened)


def _fills_substitution(scanner: Scanner, start: int) -> bool:
    """Whether a `time` from `start` is all there is in a `$(…)`, where bash takes it though not in `(…)`."""
    if scanner.tok != ")" or not scanner.opened:
        return False
    opener, offset, _ = scanner.opened[-1]
    return opener in {"$(", "<(", ">("} and not scanner.text[offset + len(opener) : start].strip()


def read_command(scanner: Scanner) -> Command:
    """command: compound_command redirection* | function_definition | simple_command"""
    tok = scanner.tok
    if tok == WORD:
        reader = _READERS.get(scanner.tok_text)
        if reader is not None:
            return reader(scanner)
        if scanner.tok_text in _NEVER_COMMANDS:
            raise SyntaxFailureError(scanner.tok_start, f"expected a command, found `{scanner.tok_text}`")
    elif tok == "(":
        return read_parenthesised(scanner)
    return _read_simple(scanner)


def _read_simple(scanner: Scanner) -> Command:
    """simple_command | function_definition: word '(' ')' newline* compound_command redirection*"""
    command = _read_elements(scanner, scanner.tok_start, [], [])
    if scanner.tok == "(" and len(command.words) == 1 and not command.assignments and not command.redirections:
        found = _CLOSED_PARENS.match(scanner.text, scanner.tok_end, scanner.limit)
        if found is not None:
            scanner.pos = found.end()
            return _read_function(scanner, command.words[0])
    return command


def _read_elements(scanner: Scanner, start: int, assignments: list[Assignment], words: list[Word]) -> SimpleCommand:
    """simple_command: (assignment | redirection)* (word | redirection)* — those given have been read."""
    redirections: list[Redirection] = []
    arrays = bool(words) and _takes_arrays(words[0])
    # After an assignment and a redirection, bash takes no compound assignment any more, and no declaration.
    compound = True
    while True:
        tok = scanner.tok
        if tok == WORD:
            if words:
                words.append(take_word(scanner, arrays=arrays))
                continue
            first = _read_first(scanner, compound=compound)
            if isinstance(first, Word):
                words.append(first)
                arrays = compound and _takes_arrays(first)
            else:
                assignments.append(first)
        elif tok in {REDIRECTION, DESCRIPTOR}:
            redirections.append(read_redirection(scanner))
            # Bash forgets at every operator that it is reading a declaration.
            arrays = False
            compound = compound and not assignments
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


def _takes_arrays(word: Word) -> bool:
    """Whether a command's first word makes `name=(…)` one word among its arguments."""
    return word.literal in _ARRAY_BUILTINS and isinstance(word.parts[0], Literal) and len(word.parts) == 1


def _read_first(scanner: Scanner, *, compound: bool = True) -> Assignment | Word:
    """Read the word that may be an assignment: name ['[' subscript ']'] ('=' | '+=') [value]

    Without `compound`, the value can't be an array.
    """
    start, text = scanner.tok_start, scanner.tok_text
    if text:
        found = _ASSIGNMENT.match(text)
        if found is None:
            return take_word(scanner)
        first, end = start + found.end(), scanner.tok_end
        value_text = text[found.end() :]
        value = Word(first, end, None, value_text) if value_text else None
        scanner.advance()
        return Assignment(start, end, found.group(1), None, found.group(2), value)
    found = _ASSIGNMENT_START.match(scanner.text, start, scanner.limit)
    if found is not None:
        return _read_expanding_assignment(scanner, found, compound=compound)
    if GLOB_FUNCTION.match(scanner.text, start, scanner.limit):
        scanner.tok_text = scanner.text[start]
        scanner.tok_end = scanner.pos = start + 1
    return take_word(scanner)


def _read_expanding_assignment(scanner: Scanner, found: re.Match[str], *, compound: bool) -> Assignment | Word:
    """Read an assignment whose value or subscript needs the word parser, or `name[…]…` that is none."""
    start = found.start()
    scanner.pos = found.end()
    operator, subscript = found.group(2), None
    if operator == "[":
        scanner.pos = found.end() - 1
        subscript = read_subscript(scanner)
        following = _ASSIGNMENT_OPERATOR.match(scanner.text, scanner.pos, scanner.limit)
        if following is None:
            name = Literal(start, found.end() - 1, found.group(1))
            return continue_word(scanner, [name, *bracket_parts(scanner, subscript)])
        operator = following.group()
        scanner.pos = following.end()
    value = _read_value(scanner, compound=compound)
    end = scanner.pos if value is None else value.end
    scanner.advance()
    return Assignment(start, end, found.group(1), subscript, operator, value)


def _read_value(scanner: Scanner, *, compound: bool) -> Word | ArrayLiteral | None:
    """Read what follows the `=` at `pos`."""
    first = scanner.pos
    parts: list[WordPart] = []
    if compound and first < scanner.limit and scanner.text[first] == "(":
        array = read_array(scanner)
        if scanner.pos >= scanner.limit or scanner.text[scanner.pos] in _AFTER_ARRAY:
            return array
        # In `x=(1)a`, bash takes all of it for one value, which is no array.
        parts.append(array)
    read_word_parts(scanner, parts, first)
    if not parts:
        return None
    word = make_word(first, scanner.pos, parts)
    # A line continuation may follow the array.
    return only if len(word.parts) == 1 and isinstance(only := word.parts[0], ArrayLiteral) else word


def _read_function(scanner: Scanner, name: Word) -> Command:
    """function_definition: name '(' ')' newline* compound_command; `pos` is after the parentheses."""
    scanner.advance()
    return _read_definition(scanner, name.start, name, keyword=False)


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
    return _read_definition(scanner, start, name, keyword=True)


def _read_definition(scanner: Scanner, start: int, name: Word, *, keyword: bool) -> Command:
    """function_body: newline* compound_command redirection* — where there is none, the next command is kept."""
    scanner.skip_newlines()
    text = scanner.text[name.start : name.end]
    body = _read_compound(scanner)
    if body is not None:
        return FunctionDefinition(start, body.end, text, body, keyword)
    message = f"expected `{{` or another compound command as the body of `{text}`, found {scanner.shown()}"
    if scanner.tok != WORD or scanner.tok_text in _NEVER_COMMANDS:
        raise SyntaxFailureError(scanner.tok_start, message)
    scanner.record(scanner.tok_start, message)
    return _read_simple(scanner)


def _read_compound(scanner: Scanner) -> CompoundCommand | None:
    """Read a compound command, or nothing where none starts."""
    if scanner.tok == "(":
        return read_parenthesised(scanner)
    reader = COMPOUND_READERS.get(scanner.tok_text) if scanner.tok == WORD else None
    return reader(scanner) if reader is not None else None


def _read_coprocess(scanner: Scanner) -> Command:
    """coproc: 'coproc' ([name] compound_command redirection* | simple_command)"""
    start = scanner.tok_start
    scanner.advance()
    command: Command | None = _read_compound(scanner)
    if command is not None:
        return Coprocess(start, command.end, "", command)
    first_start = scanner.tok_start
    assignments: list[Assignment] = []
    words: list[Word] = []
    if scanner.tok == WORD:
        _refuse_reserved(scanner)
        first = _read_first(scanner)
        if isinstance(first, Word):
            words.append(first)
            command = _read_compound(scanner)
            if command is not None:
                return Coprocess(start, command.end, scanner.text[first.start : first.end], command)
            # The word after the name can be reserved, too.
            _refuse_reserved(scanner)
        else:
            assignments.append(first)
    command = _read_elements(scanner, first_start, assignments, words)
    return Coprocess(start, command.end, "", command)


def _refuse_reserved(scanner: Scanner) -> None:
    """Raise where the current token is a reserved word that starts no compound command."""
    if scanner.tok == WORD and (scanner.tok_text in _NEVER_COMMANDS or scanner.tok_text in _READERS):
        raise SyntaxFailureError(scanner.tok_start, f"expected a command after `coproc`, found {scanner.shown()}")


_READERS: Final = {**COMPOUND_READERS, "function": _read_keyword_function, "coproc": _read_coprocess}
