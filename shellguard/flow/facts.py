"""Everything the checks may ask about one script."""

from __future__ import annotations

from dataclasses import dataclass, field

from shellguard.dialect import Shell
from shellguard.flow.commands import Commands
from shellguard.flow.consumers import Consumers
from shellguard.flow.paths import Paths
from shellguard.flow.situations import Situation, Walker
from shellguard.flow.structure import Structure, build_structure
from shellguard.source import Source
from shellguard.syntax.nodes import Node, Script


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

    @property
    def text(self) -> str:
        """The script's text."""
        return self.source.text

    @property
    def paths(self) -> Paths:
        """What is written where, what is run from where, and what looks at a path."""
        if self._paths is None:
            self._paths = Paths(self.structure, self.situations, self.commands, self.text)
        return self._paths

    def line(self, offset: int) -> int:
        """The 1-based line of an offset."""
        return self.source.line_of(offset)


def analyse(source: Source, script: Script, shell: Shell) -> Facts:
    """Build the facts of a parsed script. Facts that few rules need are built when first asked for."""
    structure = build_structure(script)
    walker = Walker(structure, shell, source.text)
    walker.run()
    commands = Commands(structure, walker.situations, source.text)
    consumers = Consumers(structure, walker.situations, commands, source.text)
    return Facts(source, script, shell, structure, walker.situations, commands, consumers)
