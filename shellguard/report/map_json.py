"""Maps of scripts' failures as JSON."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from shellguard.finding import MappedCommand, NotChecked, ScriptMap
from shellguard.report.map_text import FATES, coverage

if TYPE_CHECKING:
    from shellguard.source import Span

SCHEMA: Final = 1


def map_json(maps: list[ScriptMap], not_checked: list[NotChecked]) -> str:
    """The document: one entry for each script, and what could not be mapped."""
    document = {
        "schema": SCHEMA,
        "not_checked": [
            {"path": item.path, "reason": item.reason, "line": item.line, "end_line": item.end_line}
            for item in not_checked
        ],
        "files": [_file(script) for script in maps],
    }
    return json.dumps(document, ensure_ascii=True, indent=1) + "\n"


def _file(script: ScriptMap) -> dict[str, Any]:
    counts = Counter(command.fate for command in script.commands)
    return {
        "path": script.source.path,
        "dialect": str(script.dialect),
        "summary": {
            "commands": len(script.commands),
            **{fate: counts[fate] for fate in FATES},
            "coverage": round(coverage(script.commands), 4),
        },
        "assumptions": list(script.assumptions),
        "commands": [_command(script, command) for command in script.commands],
    }


def _command(script: ScriptMap, command: MappedCommand) -> dict[str, Any]:
    start, end = script.source.position(command.span.start), script.source.position(command.span.end)
    return {
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "name": command.name,
        "text": command.text,
        "role": command.role,
        "function": command.function,
        "fate": command.fate,
        "because": command.because,
        "sink": _place(script, command.sink),
    }


def _place(script: ScriptMap, span: Span | None) -> dict[str, int] | None:
    if span is None:
        return None
    position = script.source.position(span.start)
    return {"line": position.line, "column": position.column}
