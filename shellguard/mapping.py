"""Maps where the failure of each command of a script goes."""

from __future__ import annotations

from shellguard.dialect import Shell, detect
from shellguard.discovery import read_source
from shellguard.finding import MappedCommand, NotChecked, ScriptMap
from shellguard.flow.facts import Facts, analyse
from shellguard.flow.fates.table import fates
from shellguard.flow.reasons import reason
from shellguard.source import Dialect, Source, UndecodableSourceError
from shellguard.syntax import parse


def map_file(path: str, *, dialect: Dialect | None = None) -> ScriptMap | NotChecked:
    """Map a script; what can't be read, parsed or understood is not checked."""
    try:
        source = read_source(path)
    except UndecodableSourceError:
        return NotChecked(path, "it has a NUL byte, so it is no text")
    except OSError as error:
        return NotChecked(path, (error.strerror or str(error)).lower())
    return map_source(source, dialect=dialect)


def map_source(source: Source, *, dialect: Dialect | None = None) -> ScriptMap | NotChecked:
    """Map a script that has been read."""
    shell = detect(source, override=dialect)
    if not isinstance(shell, Shell):
        return NotChecked(source.path, shell.message)
    script = parse(source.text)
    broken = next((issue for issue in script.issues if not issue.deferred), None)
    if broken is not None:
        return NotChecked(source.path, f"syntax error: {broken.message}", source.position(broken.start).line)
    facts = analyse(source, script, shell)
    commands = tuple(_commands(facts))
    if not commands:
        return NotChecked(source.path, "it has no command that may fail")
    return ScriptMap(source, shell.dialect, commands, tuple(_assumptions(facts)))


def _commands(facts: Facts) -> list[MappedCommand]:
    found = []
    for item in fates(facts):
        command = item.command
        because, sink = reason(facts, item)
        word = command.words[0]
        function = facts.structure.enclosing_function(command)
        found.append(
            MappedCommand(
                command.span,
                word.literal if word.literal is not None else facts.text[word.start : word.end],
                facts.text[command.start : command.end],
                str(facts.commands.classify(command).role),
                function.name if function is not None else None,
                str(item.fate),
                because,
                sink,
            )
        )
    return found


def _assumptions(facts: Facts) -> list[str]:
    """What is taken for granted of the files that a script reads: they aren't looked into."""
    found = []
    for command in facts.structure.named(".", "source"):
        line = facts.source.position(command.start).line
        text = facts.text[command.start : command.end].splitlines()[0]
        found.append(
            f"line {line}: `{text}` leaves options and traps alone, and defines what is called and isn't known"
        )
    return found
