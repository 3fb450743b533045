"""Which files does the script write, run and look at? Paths are compared as values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, get_args

from shellguard.flow.commands import Commands, simple_commands
from shellguard.flow.roles import Role
from shellguard.flow.situations import Situation
from shellguard.flow.structure import Structure
from shellguard.flow.toolfiles import WRITTEN, PathArgument, PathUse, path_arguments
from shellguard.flow.values import SCRIPT_FOLDER, WORKING_FOLDER, Alternative, Symbol, Value, render
from shellguard.syntax.nodes import (
    ArithmeticFor,
    Command,
    CompoundCommand,
    ForLoop,
    Node,
    Pipeline,
    Redirection,
    SimpleCommand,
    WhileLoop,
    Word,
)

COMPOUND_KINDS: Final = get_args(CompoundCommand)
_OUTPUT_OPERATORS: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&"})
_FILLERS: Final = ("if=/dev/zero", "if=/dev/urandom", "if=/dev/random")
_NO_FILES: Final = ("/dev/", "/proc/", "/sys/")
_LOOPS: Final = (ForLoop, WhileLoop, ArithmeticFor)
_OWN_JOBS: Final = frozenset({".", "source", "eval", "exec", "false", "fg", "wait"})
# What is written here is read by other programs: it is the system's state, no evidence of a run.
_STATE: Final = ("/etc/", "/usr/", "/boot/", "/lib/", "/run/", "/var/lib/", "/var/cache/", "/var/run/", "/var/spool/")
_STATE_VARIABLES: Final = frozenset(
    {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"}
)
# Commands that mention a path without looking into it.
_BLIND: Final = frozenset({"mkdir", "touch", "chmod", "chown", "chgrp", "install", "mktemp", "umask", "set"})


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A job's output goes to a file: the job, the path, and the node that says so (a redirection or a word).

    The path begins `offset` characters after the node's word does (`of=FILE`).
    """

    job: SimpleCommand
    path: Value
    node: Node
    command: Command
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A command runs a program or script at this path; `word` says so.

    `is_operand`: it is what an interpreter is told to run, so a bare name is a file of the working directory
    (`folder`), not a program to be found in PATH.
    """

    command: SimpleCommand
    path: Value
    word: Word
    folder: Value
    is_operand: bool


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """A command has a path (or something that holds one) among its words or redirections.

    `use` is what a tool that is known does with it; None where that isn't told. `is_document`: the text is a
    here-document's, which may be looked into at any later time.
    """

    command: Node
    order: int
    text: str
    looks: bool
    makes: bool
    use: PathUse | None = None
    is_document: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _FileOutput:
    """A command's output goes to a file; `is_note`: it is a message, or a copy taken in the middle of a pipeline."""

    command: SimpleCommand
    path: str
    appends: bool
    is_note: bool


@dataclass(slots=True)
class Paths:
    """The files of a script."""

    structure: Structure
    situations: dict[Node, Situation]
    commands: Commands
    text: str
    _mentions: list[Mention] | None = field(default=None)
    _logs: frozenset[str] | None = field(default=None)
    _arguments: dict[SimpleCommand, tuple[PathArgument, ...]] = field(default_factory=dict)

    def _path_arguments(self, command: SimpleCommand) -> tuple[PathArgument, ...]:
        """What the tables of tools say of the paths among a command's words."""
        known = self._arguments.get(command)
        if known is None:
            known = path_arguments(self.commands.argv(command))
            self._arguments[command] = known
        return known

    # What is written

    def writes(self) -> Iterator[Write]:
        """Yield the places where a job's output goes to a file."""
        for command in self.structure.simple_commands:
            yield from self._job_writes(command)
        for pipeline in self.structure.nodes(Pipeline):
            yield from self._tee_writes(pipeline)
        for compound in self.structure.nodes(*COMPOUND_KINDS):
            yield from self._compound_writes(compound)

    def _is_job(self, command: SimpleCommand) -> bool:
        """Whether the command is work: a program or a function, not the shell's own `.` or `eval`."""
        if not command.words or command.words[0].literal in _OWN_JOBS:
            return False
        return self.commands.classify(command).role is Role.JOB

    def _is_known_job(self, command: SimpleCommand) -> bool:
        """Whether the command is work for certain: one that isn't known may be a message function of another file."""
        return self._is_job(command) and self.commands.classify(command).certain

    def _job_writes(self, command: SimpleCommand) -> Iterator[Write]:
        """Yield where one job's own redirections and options send its output."""
        situation = self.situations.get(command)
        if situation is None or not self._is_job(command):
            return
        for redirection, target in zip(command.redirections, situation.targets, strict=True):
            if takes_results(redirection) and is_file(target):
                yield Write(command, target, redirection, command)
        if any(value.known_start.startswith(_FILLERS) for value in situation.arguments):
            return  # `dd if=/dev/zero` makes a load, or room
        for path in self._path_arguments(command):
            if path.use is PathUse.OUTPUT and path.place is not None:
                value = _from_offset(situation.arguments[path.place.word], path.place.offset)
                if value is not None and is_file(value):
                    yield Write(command, value, command.words[path.place.word], command, path.place.offset)

    def _tee_writes(self, pipeline: Pipeline) -> Iterator[Write]:
        """Yield where a pipeline's `tee` or last redirection sends a job's output."""
        last = pipeline.commands[-1] if len(pipeline.commands) > 1 else None
        situation = self.situations.get(last) if last is not None else None
        if not isinstance(last, SimpleCommand) or situation is None:
            return
        job = next((job for part in pipeline.commands[:-1] for job in self.commands.jobs(part)), None)
        found = self.commands.classify(last)
        if job is None or found.inner_name != "tee" or found.inner is None:
            return
        for path in self._path_arguments(last):
            if path.use is PathUse.OUTPUT and path.place is not None:
                value = _from_offset(situation.arguments[path.place.word], path.place.offset)
                if value is not None and is_file(value):
                    yield Write(job, value, last.words[path.place.word], pipeline, path.place.offset)

    def _compound_writes(self, command: CompoundCommand) -> Iterator[Write]:
        """Yield where the redirections of a group or loop send the output of the jobs in it."""
        situation = self.situations.get(command)
        if situation is None or not any(is_output(item) for item in command.redirections):
            return
        jobs = [job for job in simple_commands(command) if self._is_known_job(job) and not has_output(job)]
        for redirection, target in zip(command.redirections, situation.targets, strict=True):
            if jobs and takes_results(redirection) and is_file(target):
                yield Write(jobs[0], target, redirection, command)

    def outputs(self, command: SimpleCommand) -> Iterator[Value]:
        """Yield every file that a command writes to, error messages included."""
        situation = self.situations.get(command)
        if situation is None:
            return
        for redirection, target in zip(command.redirections, situation.targets, strict=True):
            if is_output(redirection):
                yield target
        for path in self._path_arguments(command):
            if path.use is PathUse.OUTPUT and path.place is not None:
                value = _from_offset(situation.arguments[path.place.word], path.place.offset)
                if value is not None:
                    yield value

    # What is run

    def runs(self) -> Iterator[Run]:
        """Yield the programs and scripts that the script runs by a path."""
        for command in self.structure.simple_commands:
            yield from self.runs_of(command)

    def runs_of(self, command: SimpleCommand) -> Iterator[Run]:
        """Yield what one command runs by a path."""
        situation = self.situations.get(command)
        if situation is None or not command.words or situation.arguments[0].literal in self.structure.functions:
            return
        for path in self._path_arguments(command):
            if path.use is PathUse.SCRIPT and path.place is not None:
                value = _from_offset(situation.arguments[path.place.word], path.place.offset)
                if value is not None:
                    is_operand = path.place.word != self.commands.classify(command).inner
                    yield Run(command, value, command.words[path.place.word], situation.folder, is_operand)

    # What is mentioned

    def mentions(self) -> list[Mention]:
        """Every command that has a path, or anything that could hold one, among its words."""
        if self._mentions is None:
            self._mentions = list(self._find_mentions())
        return self._mentions

    def _find_mentions(self) -> Iterator[Mention]:
        """Yield the mentions of all commands in the script's order."""
        for command in self.structure.simple_commands:
            yield from self._command_mentions(command)
        for compound in self.structure.nodes(*COMPOUND_KINDS):
            yield from self._compound_mentions(compound)

    def _command_mentions(self, command: SimpleCommand) -> Iterator[Mention]:
        """Yield what a simple command mentions."""
        situation = self.situations.get(command)
        if situation is None:
            return
        found = self.commands.classify(command)
        printing = found.role is Role.PRINTER
        removing = found.role is Role.CLEANUP
        blind = found.inner_name in _BLIND
        uses = {path.place.word: path.use for path in self._path_arguments(command) if path.place is not None}
        for index, value in enumerate(situation.arguments):
            use = uses.get(index)
            # Work may make whatever it is told of, but not what it runs.
            works = index > 0 and (found.role is Role.JOB or (found.role is Role.FILTER and _is_program(value)))
            makes = use in WRITTEN or (works and use is not PathUse.SCRIPT)
            # What a tool writes is no look at it; what is taken away afterwards was never meant to be kept.
            looks = removing or not (printing or blind or use is PathUse.OUTPUT)
            for atoms in value.alternatives:
                text = render(atoms)
                # A command that is run by its path has been looked at; a bare name is no path.
                is_looked_at = (looks and index > 0) or (index == 0 and "/" in text)
                yield Mention(command, situation.order, text, looks=is_looked_at, makes=makes, use=use)
        for value in situation.assigned:
            for atoms in value.alternatives:
                yield Mention(command, situation.order, render(atoms), looks=bool(command.words), makes=False)
        for redirection, target in zip(command.redirections, situation.targets, strict=True):
            yield self._redirection_mention(command, redirection, target)

    def _compound_mentions(self, command: CompoundCommand) -> Iterator[Mention]:
        """Yield what the words and redirections of a compound command mention."""
        situation = self.situations.get(command)
        if situation is None:
            return
        for value in situation.arguments:
            for atoms in value.alternatives:
                yield Mention(command, situation.order, render(atoms), looks=True, makes=False)
        for redirection, target in zip(command.redirections, situation.targets, strict=True):
            yield self._redirection_mention(command, redirection, target)

    def _redirection_mention(self, command: Node, redirection: Redirection, target: Value) -> Mention:
        """The mention in a redirection: reading looks, writing makes."""
        order = self.situations[command].order if command in self.situations else 0
        body = redirection.here_document
        if body is not None:
            # `python3 - <<EOF` may do anything with the paths in its program, and what reads the settings that
            # `cat > conf <<EOF` writes looks at those in them; `cat <<EOF` only tells them.
            works = isinstance(command, SimpleCommand) and self.commands.classify(command).role is Role.JOB
            keeps = isinstance(command, SimpleCommand) and has_output(command)
            text = self.text[body.start : body.end]
            return Mention(command, order, text, looks=works or keeps, makes=works, is_document=True)
        text = "\n".join(render(atoms) for atoms in target.alternatives)
        output = redirection.operator in _OUTPUT_OPERATORS
        return Mention(command, order, text, looks=not output, makes=output)

    def mentions_in(self, commands: frozenset[Node]) -> list[Mention]:
        """The mentions of some commands that look at what they mention."""
        return [mention for mention in self.mentions() if mention.looks and mention.command in commands]

    def examiners(self) -> frozenset[Node]:
        """The commands that look into files (`diff`, `grep`, `awk`), and the calls of functions that hold one."""
        roles = (Role.THREE_STATE, Role.FILTER)
        return self._with_calls(
            command
            for command in self.structure.simple_commands
            if command.words and self.commands.classify(command).role in roles
        )

    def comparers(self) -> frozenset[Node]:
        """The commands that compare files, and the calls of functions that hold one."""
        return self._with_calls(self.structure.named("diff", "cmp", "sdiff", "colordiff"))

    def _with_calls(self, commands: Iterable[SimpleCommand]) -> frozenset[Node]:
        """Some commands, and the calls of the functions that they stand in."""
        direct = set(commands)
        functions = {function.name for item in direct if (function := self.structure.enclosing_function(item))}
        calls = {call for name in functions for call in self.structure.calls.get(name, ())}
        return frozenset(direct | calls)

    def _name(self, command: SimpleCommand) -> str | None:
        """The name of the command that does the work."""
        return self.commands.classify(command).inner_name

    def fifos(self) -> frozenset[str]:
        """The paths that the script makes named pipes of."""
        return frozenset(
            render(atoms)
            for command in self.structure.named("mkfifo")
            if command in self.situations
            for value in self.situations[command].arguments[1:]
            for atoms in value.alternatives
        )

    def used_words(self, command: SimpleCommand) -> Iterator[tuple[int, PathUse]]:
        """Yield which words of a command name paths, and what becomes of them."""
        for path in self._path_arguments(command):
            if path.place is not None:
                yield path.place.word, path.use

    def is_shared_log(self, path: Value) -> bool:
        """Whether a file is a log that several commands and messages are appended to, rather than a result."""
        if self._logs is None:
            self._logs = self._shared_logs()
        return bool(path.alternatives) and all(render(atoms) in self._logs for atoms in path.alternatives)

    def _shared_logs(self) -> frozenset[str]:
        """The files that several commands append to and that are logs by name, or get messages or taps as well."""
        appended: dict[str, set[Node]] = {}
        noted: set[str] = set()
        overwritten: set[str] = set()
        for output in self._file_outputs():
            if output.is_note:
                noted.add(output.path)
            elif output.appends:
                appended.setdefault(output.path, set()).add(output.command)
            elif output.command.words:
                overwritten.add(output.path)
        return frozenset(
            path
            for path, writers in appended.items()
            if len(writers) > 1 and path not in overwritten and (path in noted or path.endswith(".log"))
        )

    def _file_outputs(self) -> Iterator[_FileOutput]:
        """Yield what goes to which file."""
        for command in self.structure.simple_commands:
            situation = self.situations.get(command)
            if situation is None:
                continue
            tells = self._tells(command)
            for redirection, target in zip(command.redirections, situation.targets, strict=True):
                if is_output(redirection):
                    for atoms in target.alternatives:
                        yield _FileOutput(command, render(atoms), redirection.operator in {">>", "&>>"}, tells)
            if command.words and self._name(command) == "tee":
                yield from self._tee_outputs(command, situation)

    def _tee_outputs(self, command: SimpleCommand, situation: Situation) -> Iterator[_FileOutput]:
        """Yield what a `tee` writes: a note when a message is piped into it, or when the pipeline goes on."""
        appends = any(word.literal in {"-a", "--append"} for word in command.words)
        pipeline = self.structure.parents.get(command)
        first = pipeline.commands[0] if isinstance(pipeline, Pipeline) else command
        goes_on = isinstance(pipeline, Pipeline) and pipeline.commands[-1] is not command
        tells = goes_on or (isinstance(first, SimpleCommand) and self._tells(first))
        for word, use in self.used_words(command):
            if use is PathUse.OUTPUT:
                for atoms in situation.arguments[word].alternatives:
                    yield _FileOutput(command, render(atoms), appends, tells)

    def _tells(self, command: SimpleCommand) -> bool:
        """Whether a command writes a message, or copies a file into another."""
        return self.commands.classify(command).role in (Role.PRINTER, Role.INFALLIBLE) or self._name(command) == "cat"

    # Order

    def may_follow(self, later: Node, earlier: Node) -> bool:
        """Whether a command can run after another: it comes later, shares a loop, or is in a function."""
        if self._order(later) > self._order(earlier):
            return True
        if self.structure.enclosing_function(later) is not None:
            return True
        loops = {item for item in self.structure.ancestors(earlier) if isinstance(item, _LOOPS)}
        return any(item in loops for item in self.structure.ancestors(later))

    def _order(self, node: Node) -> int:
        """When the walk first reached a command."""
        situation = self.situations.get(node)
        return situation.order if situation is not None else node.start


def is_output(redirection: Redirection) -> bool:
    """Whether a redirection sends output to a file (rather than to another descriptor)."""
    if redirection.operator not in _OUTPUT_OPERATORS or redirection.descriptor not in {"", "1", "2"}:
        return False
    if redirection.operator == ">&":
        literal = redirection.target.literal
        return literal is None or not (literal.isdigit() or literal == "-")
    return True


def takes_results(redirection: Redirection) -> bool:
    """Whether a redirection takes standard output (not only the error messages) to a file."""
    return is_output(redirection) and redirection.descriptor != "2"


def has_output(command: SimpleCommand) -> bool:
    """Whether a command's own redirections take its standard output elsewhere."""
    return any(is_output(item) and item.descriptor in {"", "1"} for item in command.redirections)


def is_file(path: Value) -> bool:
    """Whether a path names a file that stays: not a device, and not something of which nothing is known."""
    return all(_is_file(atoms) for atoms in path.alternatives)


def _is_file(atoms: Alternative) -> bool:
    """Whether one possible path does."""
    if not atoms or (len(atoms) == 1 and isinstance(atoms[0], Symbol)):
        return False
    first = atoms[0]
    if isinstance(first, Symbol):
        if first.name in _STATE_VARIABLES:
            return False
        return first in {SCRIPT_FOLDER, WORKING_FOLDER} or "\0" not in first.name
    return not first.startswith((*_NO_FILES, *_STATE)) and not first.startswith((">(", "<("))


def _is_program(value: Value) -> bool:
    """Whether a word is a program rather than a path: `awk 'BEGIN { print > "/tmp/x" }'`."""
    return any(isinstance(atom, str) and " " in atom for atoms in value.alternatives for atom in atoms)


def _from_offset(value: Value, offset: int) -> Value | None:
    """The rest of a value after its first characters; None where they aren't known."""
    if not offset:
        return value
    rests = []
    for atoms in value.alternatives:
        first = atoms[0] if atoms else ""
        if not isinstance(first, str) or len(first) < offset:
            return None
        rests.append((first[offset:], *atoms[1:]) if first[offset:] else atoms[1:])
    return Value(tuple(rests))
