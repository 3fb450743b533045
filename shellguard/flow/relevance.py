"""Does it matter that a pipeline hides a job's status? Not where an answer, a value or a mere display is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from shellguard.flow.consumers import Consumer, Look
from shellguard.flow.demanding import demands_all
from shellguard.flow.lookups import Lookup
from shellguard.flow.paths import has_output, is_file, is_output
from shellguard.flow.roles import Role
from shellguard.flow.toolfiles import PathUse
from shellguard.flow.values import Value, render
from shellguard.syntax.nodes import (
    AndOrList,
    Assignment,
    BackgroundCommand,
    Command,
    CommandSubstitution,
    CompoundCommand,
    FunctionDefinition,
    Node,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    SimpleCommand,
)
from shellguard.syntax.walk import walk

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

# Filters that pass everything on, to a log, a terminal or a smaller file: what they get is meant to be kept.
_RECORDERS: Final = frozenset(
    {"cat", "tee", "ts", "logger", "systemd-cat", "pv", "dd", "split", "rotatelogs", "multilog", "svlogd"}
    | {"gzip", "pigz", "bzip2", "pbzip2", "xz", "zstd", "lz4", "lzop", "compress", "gpg", "openssl"}
)
_JUDGING_NAME: Final = re.compile(r"compar|cmp|diff|same|equal|check|verif|valid|assert|expect", re.IGNORECASE)
# `$? = 128`, `$? -eq 2`, `$? == 77`: an answer that a command gives on purpose.
_COMPARED: Final = re.compile(r"\$\{?\?\}?\"?'?\s*(?:==?|!=|-eq|-ne)\s*[\"']?(?:[2-9]|[1-9]\d+)\b")
# These hand text to a person.
_MAILERS: Final = frozenset(
    {"mail", "mailx", "mutt", "s-nail", "sendmail", "/usr/sbin/sendmail", "/usr/lib/sendmail"}
    | {"less", "more", "most", "pager", "sensible-pager"}
)

LOOKS: Final = (Look.TESTED, Look.RETURNED, Look.STOPS)


class Examinations:
    """The paths whose content the script looks into (`diff`, `grep`, `awk`), indexed when first asked for."""

    def __init__(self, facts: Facts) -> None:
        """Keep the facts."""
        self._facts = facts
        self._looking: Lookup | None = None
        self._comparing: Lookup | None = None
        self._judging: dict[str, list[Node]] | None = None

    def follow(self, path: Value, pipeline: Pipeline, *, in_full: bool = False) -> bool:
        """Whether a later command looks into the file (`in_full`: compares it), so that a failure shows."""
        paths = self._facts.paths
        lookup = self._comparisons() if in_full else self._looks()
        for atoms in path.alternatives:
            rendered = render(atoms)
            commands = [mention.command for mention in lookup.of(rendered)]
            if any(paths.may_follow(command, pipeline) for command in commands + self._judges().get(rendered, [])):
                return True
        return False

    def _looks(self) -> Lookup:
        """What looks into files."""
        if self._looking is None:
            paths = self._facts.paths
            self._looking = Lookup(paths.mentions_in(paths.examiners()))
        return self._looking

    def _comparisons(self) -> Lookup:
        """What compares files."""
        if self._comparing is None:
            paths = self._facts.paths
            self._comparing = Lookup(paths.mentions_in(paths.comparers()))
        return self._comparing

    def _judges(self) -> dict[str, list[Node]]:
        """By path, the commands that judge by their name, and whose status decides (`compare expected actual || …`)."""
        if self._judging is None:
            facts = self._facts
            commands = {
                command
                for command in facts.structure.simple_commands
                if _JUDGING_NAME.search(facts.commands.classify(command).inner_name or "")
                and facts.consumers.of(command).look in LOOKS
            }
            self._judging = {}
            for mention in facts.paths.mentions_in(frozenset(commands)):
                self._judging.setdefault(mention.text, []).append(mention.command)
        return self._judging


def matters(
    facts: Facts, pipeline: Pipeline, job: SimpleCommand, consumer: Consumer, examinations: Examinations
) -> bool:
    """Whether somebody would want to know that this job's status is lost in this pipeline.

    Where the pipeline's status is looked at, or told to people: unless the test wants an answer (`if job | grep x`),
    the value is tested instead, or the last command fails by itself on what a failed job leaves (`fetch | gunzip`).
    Where nothing looks: only when the job's output is kept in a file or worked on.
    """
    last = pipeline.commands[-1]
    if _is_filter(facts, pipeline) or _is_forgiven(facts, pipeline) or _is_mailed(facts, last):
        return False
    if consumer.look is Look.TESTED and (_may_answer(facts, last) or _asks_for_number(facts, consumer.node)):
        return False
    if consumer.look in LOOKS or consumer.look is Look.LOGGED:
        if demands_all(facts, last):
            return False
        guessed = consumer.look is Look.RETURNED or facts.consumers.has_other_files()
        if guessed and not facts.commands.classify(job).certain:
            return _keeps(facts, pipeline, examinations)
        if any(examinations.follow(path, pipeline, in_full=True) for path in _targets(facts, last)):
            return False
        return not (_is_value(facts, pipeline) and (_is_examined(facts, pipeline) or _is_hushed(facts, job)))
    if isinstance(facts.structure.parents.get(pipeline), BackgroundCommand):
        return False  # its status is for a `wait`, with or without pipefail
    if _is_value(facts, pipeline) or has_output(job) or is_cleanup(facts, pipeline) or not _is_named(facts, job):
        return False
    return _keeps(facts, pipeline, examinations)


def is_known_work(facts: Facts, job: SimpleCommand) -> bool:
    """Whether a job is work of its own: not shell code that isn't known, nor a function of a file that isn't seen."""
    found = facts.commands.classify(job)
    if found.inner_name == "eval":
        return False
    if found.certain or found.inner_name is None or "/" in found.inner_name:
        return True
    return not facts.consumers.may_call_others_functions()


def _is_forgiven(facts: Facts, pipeline: Pipeline) -> bool:
    """Whether the author says that failure is no matter: `job | tee log || true`."""
    parent = facts.structure.parents.get(pipeline)
    if not isinstance(parent, AndOrList) or parent.operators[-1] != "||":
        return False
    last = parent.commands[-1]
    words = [word.literal for word in last.words] if isinstance(last, SimpleCommand) else []
    return words in (["true"], [":"])


def _is_mailed(facts: Facts, last: Command) -> bool:
    """Whether a person gets what the pipeline's jobs print, and so sees what is missing."""
    if not isinstance(last, SimpleCommand):
        return False
    if facts.commands.classify(last).inner_name in _MAILERS:
        return True
    return any(
        node.name == "PAGER" for word in last.words for node in walk(word) if isinstance(node, ParameterExpansion)
    )


def _is_filter(facts: Facts, node: Node) -> bool:
    """Whether a node stands in a function that is only called to work on its standard input."""
    function = facts.structure.enclosing_function(node)
    calls = facts.structure.calls.get(function.name, ()) if function is not None else ()
    return bool(calls) and all(_gets_input(facts, call) for call in calls)


def _gets_input(facts: Facts, call: SimpleCommand) -> bool:
    """Whether a command gets its input from a pipe or a redirection."""
    if any(item.operator.startswith("<") and item.descriptor in {"", "0"} for item in call.redirections):
        return True
    parent = facts.structure.parents.get(call)
    return isinstance(parent, Pipeline) and parent.commands[0] is not call


def _may_answer(facts: Facts, command: Command) -> bool:
    """Whether a command's status may be an answer about its input, which is then what the test is for."""
    if not isinstance(command, SimpleCommand):
        return False
    found = facts.commands.classify(command)
    return found.role in (Role.THREE_STATE, Role.PROBE) or found.inner_name in (None, *facts.structure.functions)


def _asks_for_number(facts: Facts, test: Node | None) -> bool:
    """Whether a test compares `$?` with a number that means something to the script (`[ $? -eq 128 ]`): not 0 or 1."""
    if not isinstance(test, Command):
        return False
    return _COMPARED.search(facts.text[test.start : test.end].split("\n")[0]) is not None


def _is_value(facts: Facts, node: Node) -> bool:
    """Whether a command's output is wanted as a value: it stands in `$(…)`, or in a function called only there."""
    for outer in facts.structure.ancestors(node):
        if isinstance(outer, (CommandSubstitution, ProcessSubstitution)):
            return True
        if isinstance(outer, FunctionDefinition):
            calls = facts.structure.calls.get(outer.name, ())
            return bool(calls) and all(_in_substitution(facts, call) for call in calls)
    return False


def _in_substitution(facts: Facts, node: Node) -> bool:
    """Whether a node stands in a substitution."""
    outer = facts.structure.ancestors(node)
    return any(isinstance(item, (CommandSubstitution, ProcessSubstitution)) for item in outer)


def _is_examined(facts: Facts, pipeline: Pipeline) -> bool:
    """Whether the variable that takes a pipeline's output is tested somewhere (`[ -n "$x" ]`, `case`, `${x:?}`)."""
    outer = next((node for node in facts.structure.ancestors(pipeline) if isinstance(node, Assignment)), None)
    return outer is not None and facts.consumers.is_examined(outer.name)


def _is_hushed(facts: Facts, job: SimpleCommand) -> bool:
    """Whether a job's error messages are thrown away, as its failure only means that there is no such value."""
    situation = facts.situations.get(job)
    targets = situation.targets if situation is not None else ()
    pairs = zip(job.redirections, targets, strict=True)
    return any(item.descriptor == "2" and target.literal == "/dev/null" for item, target in pairs)


def is_cleanup(facts: Facts, node: Node) -> bool:
    """Whether a node stands in a function that only a trap calls."""
    function = facts.structure.enclosing_function(node)
    if function is None or facts.structure.calls.get(function.name):
        return False
    return any(function.name in code for code, _ in facts.consumers.traps())


def _is_named(facts: Facts, job: SimpleCommand) -> bool:
    """Whether a job is a tool or path that the script names, not whatever a variable holds (`$PS -ef | …`)."""
    found = facts.commands.classify(job)
    word = job.words[found.inner or 0]
    return found.inner_name is not None or "/" in facts.text[word.start : word.end]


def _keeps(facts: Facts, pipeline: Pipeline, examinations: Examinations) -> bool:
    """Whether what a pipeline's jobs print is kept in a file of its own, or handed to a command that works on it."""
    last = pipeline.commands[-1]
    targets = list(_targets(facts, last))
    if any(examinations.follow(path, pipeline) for path in targets):
        return False
    if files := [path for path in targets if is_file(path)]:
        return not all(facts.paths.is_shared_log(path) for path in files)
    if not isinstance(last, SimpleCommand):
        return False
    found = facts.commands.classify(last)
    if found.inner_name in facts.structure.functions:
        return False
    return found.inner_name in _RECORDERS or (found.role is Role.JOB and found.certain)


def _targets(facts: Facts, command: Command) -> Iterator[Value]:
    """Yield what a command's output goes to: files, devices, whatever a variable holds."""
    situation = facts.situations.get(command)
    if situation is None or not isinstance(command, SimpleCommand | CompoundCommand):
        return
    for redirection, target in zip(command.redirections, situation.targets, strict=True):
        if is_output(redirection):
            yield target
    if isinstance(command, SimpleCommand) and facts.commands.classify(command).inner_name == "tee":
        for word, use in facts.paths.used_words(command):
            if use is PathUse.OUTPUT:
                yield situation.arguments[word]
