"""Is what this script prints compared with a recorded output by what runs it?

Then whatever a failed job prints, or doesn't print, is seen. Known by the first line that such tests print, as the
`new` script of xfstests writes it and as the test suites of xfsprogs, QEMU, blktests and PCP have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shellguard.flow.roles import Role

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_MARK: Final = "QA output created by"


def is_compared(facts: Facts) -> bool:
    """Whether the script prints the mark of a test whose output is compared."""
    return _MARK in facts.text and any(
        _MARK in facts.text[command.start : command.end] and facts.commands.classify(command).role is Role.PRINTER
        for command in facts.structure.simple_commands
    )
