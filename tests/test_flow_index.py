"""The index of facts names every module of facts, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import shellguard.flow


def test_each_fact_is_in_the_index_once() -> None:
    index = re.findall(r"^    (\w+)  ", shellguard.flow.__doc__ or "", re.MULTILINE)
    modules = {path.stem for path in Path(shellguard.flow.__file__).parent.glob("*.py")} - {"__init__", "facts"}
    assert sorted(index) == sorted(modules)
