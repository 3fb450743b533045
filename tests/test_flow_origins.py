"""Where a script lies tells who may have put things under /tmp before it runs."""

from __future__ import annotations

import pytest
from controls.examples import find

from shellguard.source import Dialect, Source

SCRIPT = "cd /tmp/agent\n./installer.sh\n"


@pytest.mark.parametrize("path", ["image/install.d/10-agent", "hooks/post.d/sub/04-install-pip"])
def test_a_part_of_a_row_may_run_what_an_earlier_part_brought(path: str) -> None:
    assert find(Source(path, SCRIPT), Dialect.BASH, {"SG501"}) == ()


@pytest.mark.parametrize("path", ["install.d/agent", "scripts/10-agent", "10-agent"])
def test_other_scripts_may_not(path: str) -> None:
    (finding,) = find(Source(path, SCRIPT), Dialect.BASH, {"SG501"})
    assert "`./installer.sh` (`/tmp/agent/installer.sh`) is gone" in finding.message
