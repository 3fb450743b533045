"""Everything the checks may ask about one script."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shellguard.dialect import Shell
from shellguard.flow.commands import Commands
from shellguard.flow.consumers import Consumers
from shellguard.flow.insertion import unused_name
from shellguard.flow.paths import Paths
from shellguard.flow.reaching import Reaching
from shellguard.flow.situations import Situation, Walker
from shellguard.flow.structure import Structure, build_structure
from shellguard.source import Source
from shellguard.syntax.nodes import Node, Script, SimpleCommand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shellguard.flow.fates.table import CommandFate, Fate


@dataclass(slots=True)
class Facts:
    """A script and what is known of it. The index of facts is in `shellguard.flow`."""

    source: Source
    script: Script
    shell: Shell
    structure: Structure
    situations: dict[Node, Situation]
    commands: Commands
    consumers: Consumers
    _paths: Paths | None = field(default=None)
    _reaching: Reaching | None = field(default=None)
    _fates: Mapping[Node, CommandFate] | None = field(default=None)
    _status_variable: str = ""

    @property
    def text(self) -> str:
        """The script's text."""
        return self.source.text

    @property
    def is_part(self) -> bool:
        """Whether other scripts seem to read this file: only its name says that it is one, and no first line."""
        return self.shell.reason in {"extension", "file name"}

    @property
    def paths(self) -> Paths:
        """What is written where, what is run from where, and what looks at a path."""
        if self._paths is None:
            self._paths = Paths(self.structure, self.situations, self.commands, self.text)
        return self._paths

    @property
    def reaching(self) -> Reaching:
        """Which commands' status `$?` can hold where."""
        if self._reaching is None:
            self._reaching = Reaching(self.structure)
        return self._reaching

    def fate(self, command: SimpleCommand) -> Fate | None:
        """What becomes of a command's failure; None where it is no command that may fail."""
        found = self._all_fates().get(command)
        return found.fate if found is not None else None

    def stopped_by_first_line(self) -> list[SimpleCommand]:
        """The commands whose failure is noticed thanks to the options of the first line alone, in the text's order."""
        pairs = [(item.command, item.started) for item in self._all_fates().values() if item.started is not None]
        return [command for command, (named, bare) in pairs if named.claims is False and bare.claims is True]

    def _all_fates(self) -> Mapping[Node, CommandFate]:
        if self._fates is None:
            from shellguard.flow.fates.table import fates  # goes through the whole script: only findings ask

            self._fates = {item.command: item for item in fates(self)}
        return self._fates

    @property
    def status_variable(self) -> str:
        """A name for a variable that a fix saves a status in; it occurs nowhere in the script."""
        if not self._status_variable:
            self._status_variable = unused_name(self.text, ("rc", "status", "exit_status"))
        return self._status_variable


def analyse(source: Source, script: Script, shell: Shell) -> Facts:
    """Build the facts of a parsed script. Facts that few rules need are built when first asked for."""
    structure = build_structure(script)
    walker = Walker(structure, shell, source.text)
    walker.run()
    commands = Commands(structure, walker.situations, source.text)
    consumers = Consumers(structure, walker.situations, commands, source.text)
    return Facts(source, script, shell, structure, walker.situations, commands, consumers)
