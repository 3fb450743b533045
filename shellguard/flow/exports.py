"""Does a later program get this path, or the folder it is in, in its environment?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shellguard.flow.paths import Write
from shellguard.flow.roles import Role
from shellguard.flow.structure import DECLARATIONS
from shellguard.flow.values import Value, render, without_name
from shellguard.syntax.nodes import ParameterExpansion, Redirection, SimpleCommand
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts


def is_exported(facts: Facts, write: Write) -> bool:
    """Whether a later job gets the path of a write, or that of a folder it is in, in its environment."""
    target = write.node.target if isinstance(write.node, Redirection) else write.node
    names = {node.name for node in walk(target) if isinstance(node, ParameterExpansion)}
    exported = _exported(facts)
    if names.isdisjoint(exported) and not _is_below(facts, write, exported):
        return False
    return any(
        command is not write.job and facts.paths.may_follow(command, write.job)
        for command in facts.structure.simple_commands
        if facts.commands.classify(command).role is Role.JOB
    )


def _is_below(facts: Facts, write: Write, exported: set[str]) -> bool:
    """Whether a file lies in a folder that an exported variable is set to (`export PUTTYDIR="$OBJ/.putty"`)."""
    folders = {
        render(atoms)
        for command in facts.structure.simple_commands
        if command in facts.situations
        for value in _assigned_to(facts, command, exported)
        for atoms in value.alternatives
    }
    paths = [render(atoms) for atoms in write.path.alternatives]
    return any(folder and path.startswith(f"{folder.rstrip('/')}/") for folder in folders for path in paths)


def _assigned_to(facts: Facts, command: SimpleCommand, names: set[str]) -> Iterator[Value]:
    """Yield the values that a command gives to some variables."""
    situation = facts.situations[command]
    for assignment, value in zip(command.assignments, situation.assigned, strict=True):
        if assignment.name in names:
            yield value
    if command.words and command.words[0].literal in DECLARATIONS:
        for word in situation.arguments[1:]:
            name, equals, _ = word.known_start.partition("=")
            if equals and name in names:
                yield without_name(word, name)


def _exported(facts: Facts) -> set[str]:
    """The variables that `export`, or a declaration with `-x`, marks."""
    found: set[str] = set()
    for command in facts.structure.named("export", "declare", "typeset"):
        texts = [facts.text[word.start : word.end] for word in command.words]
        if texts[0] == "export" or any(text.startswith("-") and "x" in text for text in texts):
            found.update(text.partition("=")[0] for text in texts[1:])
    return found
