"""Help that groups a command's options under headings."""

from __future__ import annotations

from typing import Any

import click

HELP_NAMES = {"help_option_names": ["-h", "--help"]}
"""Context settings of every command: `-h` is help, too."""


OTHER = "Other"
"""The heading of options that name no other; `--help` is one. It comes last."""


class SectionOption(click.Option):
    """An option that knows the heading it is listed under."""

    def __init__(self, *declarations: Any, section: str, **attributes: Any) -> None:  # noqa: ANN401 -- click's own signature
        """Take click's arguments and the heading."""
        super().__init__(*declarations, **attributes)
        self.section = section


class SectionCommand(click.Command):
    """A command whose help lists options by section, in the order in which sections first occur."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list per section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            # click 8.2 and later would list arguments, too.
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                section = parameter.section if isinstance(parameter, SectionOption) else OTHER
                sections.setdefault(section, []).append(record)
        for section, records in sorted(sections.items(), key=lambda pair: pair[0] == OTHER):
            with formatter.section(section):
                formatter.write_dl(records)
