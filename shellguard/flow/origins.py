"""Is this program run from a place that is wiped, and did the script put it there itself?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shellguard.flow.arguments import Argument
from shellguard.flow.consumers import Look
from shellguard.flow.lookups import Lookup
from shellguard.flow.paths import Mention, Run
from shellguard.flow.roles import Role
from shellguard.flow.structure import DECLARATIONS
from shellguard.flow.toolfiles import PathUse
from shellguard.flow.values import (
    WILDCARD,
    Alternative,
    Atom,
    Symbol,
    Value,
    concatenate,
    render,
    text_value,
    without_name,
)
from shellguard.source import Dialect
from shellguard.syntax.nodes import (
    AndOrList,
    Assignment,
    ConditionalCommand,
    Node,
    ParameterExpansion,
    SimpleCommand,
    Word,
)
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

EPHEMERAL_ROOTS: Final = ("/tmp", "/var/tmp", "/dev/shm", "/run/user")  # noqa: S108 (paths that scripts use)
EPHEMERAL_VARIABLES: Final = frozenset({"TMPDIR", "TMP", "TEMP", "TEMPDIR", "XDG_RUNTIME_DIR"})
# Variables that tell an interpreter where its modules are.
MODULE_PATHS: Final = frozenset({"PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "CLASSPATH"})
_NEW_EACH_RUN: Final = frozenset({"$", "BASHPID", "RANDOM", "SRANDOM", "EPOCHSECONDS"})
_SETTINGS: Final = (".conf", ".cfg", ".env", ".ini", ".config", ".settings", ".vars")
_NUMBERED_PART: Final = re.compile(r"\.d/(?:[^/]+/)*\d{2,}[-_.][^/]+\Z")
# These make a folder but put nothing in it.
_EMPTY_MAKERS: Final = frozenset({"mkdir", "chmod", "chown", "chgrp", "touch"})


@dataclass(frozen=True, slots=True, eq=False)
class EphemeralRun:
    """A program, script or module folder under a root that is wiped; `origin` is where its path was set."""

    command: SimpleCommand
    word: Node
    root: str
    path: str
    origin: Assignment | None


def ephemeral_runs(facts: Facts) -> Iterator[EphemeralRun]:
    """Yield what is run from an ephemeral place although nothing in the script put it there before."""
    if not any(name in facts.text for name in (*EPHEMERAL_ROOTS, *EPHEMERAL_VARIABLES)):
        return
    if _NUMBERED_PART.search(facts.source.path):
        return  # `install.d/10-agent`: a part that runs before it may put it there
    candidates = list(_candidates(facts))
    if not candidates:
        return
    history = _History(facts)
    reported: set[Node] = set()
    for run in candidates:
        if run.word in reported:
            continue
        for atoms in _full_path(run).alternatives:
            root = _root(atoms)
            path = render(atoms)
            if root and not history.explains(run, path, root):
                shown = "".join(atom if isinstance(atom, str) else f"${atom.name}" for atom in atoms)
                reported.add(run.word)
                yield EphemeralRun(run.command, run.word, root, shown, _origin(facts, run.word))
                break


class _History:
    """What the script does in ephemeral places before it runs something there."""

    def __init__(self, facts: Facts) -> None:
        """Index the commands that may make files, that test for them, and that work in ephemeral folders."""
        self._facts = facts
        self._makers = Lookup([mention for mention in facts.paths.mentions() if mention.makes])
        self._tests: dict[str, list[Node]] = {}
        self._workers: dict[str, list[SimpleCommand]] = {}
        for command in facts.structure.nodes(SimpleCommand, ConditionalCommand):
            situation = facts.situations.get(command)
            if situation is None:
                continue
            if not isinstance(command, SimpleCommand) or _asks(facts, command):
                for value in situation.arguments:
                    for atoms in value.alternatives:
                        self._tests.setdefault(render(atoms), []).append(command)
            elif (
                isinstance(command, SimpleCommand)
                and command.words
                and any(_root(_below(atoms)) for atoms in situation.folder.alternatives)
            ):
                self._add_worker(command, situation.folder)

    def _add_worker(self, command: SimpleCommand, folder: Value) -> None:
        """Note a command that works in an ephemeral folder and may leave something there."""
        works = self._facts.commands.classify(command).role in (Role.JOB, Role.FILTER, Role.CHORE)
        if works and command.words[0].literal not in {"cd", "pushd", "popd"}:
            for atoms in folder.alternatives:
                self._workers.setdefault(render(atoms).rstrip("/"), []).append(command)

    def explains(self, run: Run, path: str, root: str) -> bool:
        """Whether something that may run before makes the program, or looks whether it is there."""
        paths = self._facts.paths
        if _has_alternative(self._facts, run.command):
            return True
        if any(paths.may_follow(run.command, test) for test in self._tests.get(path, ())):
            return True
        for mention in self._makers.of(path):
            is_other = mention.command is not run.command and paths.may_follow(run.command, mention.command)
            if is_other and _makes(self._facts, mention, path, root):
                return True
        return any(
            command is not run.command and paths.may_follow(run.command, command)
            for folder in _folders(path)
            for command in self._workers.get(folder, ())
            if not _is_same_run(self._facts, command, path)
        )


def _folders(path: str) -> Iterator[str]:
    """Yield the folders that a path is in, innermost first."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _candidates(facts: Facts) -> Iterator[Run]:
    """Yield the runs, and the module paths that are set, whose place may be ephemeral."""
    for run in (*facts.paths.runs(), *_module_paths(facts)):
        if not _is_settings(facts, run) and any(_root(atoms) for atoms in _full_path(run).alternatives):
            yield run


def _is_settings(facts: Facts, run: Run) -> bool:
    """Whether a file is sourced that holds settings, or whose absence ends the script (errexit; any sh)."""
    if not run.command.words or run.command.words[0].literal not in {".", "source"}:
        return False
    if any(render(atoms).endswith(_SETTINGS) for atoms in run.path.alternatives):
        return True
    # POSIX: a special builtin that fails ends a shell that isn't interactive; bash does so in posix mode only.
    ends = facts.shell.dialect in (Dialect.SH, Dialect.DASH)
    return ends or facts.consumers.of(run.command).look is Look.STOPS


def _module_paths(facts: Facts) -> Iterator[Run]:
    """Yield each value given to a variable such as PYTHONPATH."""
    for command in facts.structure.simple_commands:
        situation = facts.situations.get(command)
        if situation is None:
            continue
        for assignment, value in zip(command.assignments, situation.assigned, strict=True):
            if assignment.name in MODULE_PATHS and isinstance(assignment.value, Word):
                for piece in _pieces(value):
                    yield Run(command, piece, assignment.value, situation.folder, is_operand=True)
        if command.words and command.words[0].literal in DECLARATIONS:
            for word, value in zip(command.words, situation.arguments, strict=True):
                name = value.known_start.partition("=")[0]
                if name in MODULE_PATHS:
                    for piece in _pieces(without_name(value, name)):
                        yield Run(command, piece, word, situation.folder, is_operand=True)


def _pieces(value: Value) -> Iterator[Value]:
    """Yield the elements of a list of paths separated by colons."""
    for atoms in value.alternatives:
        piece: list[Atom] = []
        for atom in atoms:
            first, *others = atom.split(":") if isinstance(atom, str) else (atom,)
            piece.append(first)
            for other in others:
                yield Value((tuple(piece),))
                piece = [other]
        yield Value((tuple(item for item in piece if item),))


def _full_path(run: Run) -> Value:
    """The path of a run; one that is relative to the working directory is put after it."""
    path = run.path.known_start
    if path.startswith(("/", "~")) or not (run.is_operand or "/" in path) or not path:
        return run.path
    folder = run.folder.literal
    if folder is None:
        return run.path
    return concatenate((text_value(f"{folder.rstrip('/')}/{path.removeprefix('./')}"), _after_start(run.path)))


def _after_start(value: Value) -> Value:
    """What follows the known start of a value."""
    return Value(tuple(atoms[1:] for atoms in value.alternatives))


def _root(atoms: Alternative) -> str:
    """The ephemeral root that a path is under, or an empty string; so too for a path found or made in this run."""
    if any(isinstance(atom, Symbol) and _is_of_this_run(atom) for atom in atoms):
        return ""
    first = atoms[0] if atoms else ""
    if isinstance(first, Symbol):
        return f"${first.name}" if first.name in EPHEMERAL_VARIABLES and len(atoms) > 1 else ""
    return next((root for root in EPHEMERAL_ROOTS if first.startswith(f"{root}/") and len(first) > len(root) + 1), "")


def _below(folder: Alternative) -> Alternative:
    """The path of some file in a folder."""
    if folder and isinstance(folder[-1], str):
        return (*folder[:-1], f"{folder[-1]}/x")
    return (*folder, "/x")


def _is_of_this_run(symbol: Symbol) -> bool:
    """Whether a part of a path is new in each run (`$$`), or was found by looking (a glob, a substitution)."""
    return symbol == WILDCARD or symbol.name in _NEW_EACH_RUN or symbol.name.startswith(("$(", "`", "a fresh"))


def _asks(facts: Facts, command: SimpleCommand) -> bool:
    """Whether a command only asks something: `[`, `test`, `command -v`."""
    return bool(command.words) and facts.commands.classify(command).role is Role.PROBE


def _has_alternative(facts: Facts, command: SimpleCommand) -> bool:
    """Whether other work is done when a command fails: `/tmp/x || ./x`."""
    outer = facts.structure.parents.get(command)
    if not isinstance(outer, AndOrList) or command is outer.commands[-1]:
        return False
    place = outer.commands.index(command)
    return outer.operators[place] == "||" and bool(facts.commands.jobs(outer.commands[place + 1]))


def _makes(facts: Facts, mention: Mention, path: str, root: str) -> bool:
    """Whether a mention can be what put the path there."""
    if not isinstance(mention.command, SimpleCommand):
        return True
    if facts.commands.classify(mention.command).inner_name in _EMPTY_MAKERS:
        return False
    # `cp run.sh /tmp` makes /tmp/run.sh, `tar x -C /tmp` whatever is in the archive; of a tool that is only told /tmp,
    # it takes a name: `rsync -a bench /tmp`, `git -C /tmp clone https://example.org/bench.git`.
    if mention.text.rstrip("/") != root or mention.use is PathUse.INTO or path.rpartition("/")[0] == root:
        return True
    return any(_brings(word, path[len(root) + 1 :]) for word in facts.commands.argv(mention.command))


def _brings(word: Argument, path: str) -> bool:
    """Whether a word may name what a path in a folder begins with: `host:src/bench.git` for `bench/run`."""
    if not isinstance(word, str):
        return True
    name = re.split(r"[/:]", word.rstrip("/"))[-1].removesuffix(".git")
    return "*" in name or name == path.partition("/")[0]


def _is_same_run(facts: Facts, command: SimpleCommand, path: str) -> bool:
    """Whether a command runs a program of the same folder: then it made nothing there as far as is known."""
    folder = path.rpartition("/")[0]
    return any(
        render(atoms).rpartition("/")[0] == folder
        for run in facts.paths.runs_of(command)
        for atoms in _full_path(run).alternatives
    )


def _origin(facts: Facts, word: Node) -> Assignment | None:
    """The assignment that gave a word's variable its ephemeral path."""
    names = {node.name for node in walk(word) if isinstance(node, ParameterExpansion)}
    for assignment in facts.structure.nodes(Assignment):
        if assignment.name in names and isinstance(assignment.value, Word):
            text = facts.text[assignment.value.start : assignment.value.end].lstrip("\"'")
            if text.startswith(EPHEMERAL_ROOTS) or any(f"${name}" in text for name in EPHEMERAL_VARIABLES):
                return assignment
    return None
