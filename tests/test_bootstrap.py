"""Setting up with a bare Python: what `bootstrap.py` does where something is missing."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import threading
import venv
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import CHECKOUT

BOOTSTRAP = CHECKOUT / "bootstrap.py"
# Stands for pip: what it is asked to install, it "installs" by leaving a module behind.
FAKE_PIP = """\
import sys, sysconfig
from pathlib import Path
wheel = Path(sys.argv[-1])
(Path(sysconfig.get_path("purelib")) / "pip.py").write_text(f"came_from = {wheel.name!r}")
"""


def fake_wheel() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("pip/__init__.py", "")
        archive.writestr("pip/__main__.py", FAKE_PIP)
    return content.getvalue()


def link(wheel: bytes, name: str) -> str:
    return f'<a href="../../files/{name}#sha256={hashlib.sha256(wheel).hexdigest()}">{name}</a><br/>\n'


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """A package index on this machine that has the pages put into it; bootstrap.py is pointed at it."""
    pages: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            self.send_response(404 if page is None else 200)
            self.end_headers()
            self.wfile.write(page or b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield pages
        server.shutdown()


def bootstrap(folder: Path, *, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run bootstrap.py to its end, after some Python that takes away what should be missing."""
    run = f"import runpy\nsys.argv[0] = {str(BOOTSTRAP)!r}\nrunpy.run_path(sys.argv[0], run_name='__main__')"
    command = [sys.executable, "-c", f"import sys\n{before}\n{run}", "--venv", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


WITHOUT_PIP = "sys.modules['ensurepip'] = None"


def test_pip_is_fetched_where_python_has_none(index: dict[str, bytes], tmp_path: Path) -> None:
    wheel = fake_wheel()
    names = ["pip-9.0.3-py3-none-any.whl", "pip-26.10-py3-none-any.whl", "pip-26.3-py3-none-any.whl"]
    index["/simple/pip/"] = "".join(link(wheel, name) for name in [*names, "pip-27.0b1-py3-none-any.whl"]).encode()
    index["/files/pip-26.10-py3-none-any.whl"] = wheel
    folder = tmp_path / "env"
    assert bootstrap(folder, before=WITHOUT_PIP).returncode == 0
    asked = [str(folder / "bin" / "python"), "-c", "import pip; print(pip.came_from)"]
    assert subprocess.run(asked, capture_output=True, text=True, check=True).stdout == f"{names[1]}\n"


def test_a_wheel_with_another_checksum_is_not_run(index: dict[str, bytes], tmp_path: Path) -> None:
    name = "pip-26.3-py3-none-any.whl"
    index["/simple/pip/"] = link(b"what the index promises", name).encode()
    index[f"/files/{name}"] = fake_wheel()
    completed = bootstrap(tmp_path / "env", before=WITHOUT_PIP)
    assert completed.returncode == 2
    assert f"../../files/{name} doesn't have the checksum" in completed.stderr


@pytest.mark.parametrize(
    ("page", "message"),
    [
        pytest.param(None, "bootstrap.py: cannot download http://127.0.0.1:", id="unreachable"),
        pytest.param(b"<a href='pip-1.tar.gz'>", "lists no wheel of pip: install python3-pip", id="no-wheel"),
    ],
)
def test_what_to_do_without_an_index(index: dict[str, bytes], tmp_path: Path, page: bytes | None, message: str) -> None:
    if page is not None:
        index["/simple/pip/"] = page
    completed = bootstrap(tmp_path / "env", before=WITHOUT_PIP)
    assert completed.returncode == 2
    assert message in completed.stderr
    assert "Traceback" not in completed.stderr


def test_a_folder_that_is_no_environment_is_kept(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("three years of work", encoding="utf-8")
    completed = bootstrap(tmp_path)
    assert completed.returncode == 2
    assert f"{tmp_path} is there and is no virtual environment" in completed.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_an_environment_without_pip_is_made_anew(index: dict[str, bytes], tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=False)
    (tmp_path / "leftover").touch()
    index["/simple/pip/"] = link(fake_wheel(), "pip-26.3-py3-none-any.whl").encode()
    index["/files/pip-26.3-py3-none-any.whl"] = fake_wheel()
    bootstrap(tmp_path, before=WITHOUT_PIP)
    assert not (tmp_path / "leftover").exists()
    assert (tmp_path / "bin" / "python").exists()


OLD = "sys.version_info = (3, 9)"


def test_an_old_python_hands_over_to_a_newer_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = tmp_path / "python3.12"
    newer.write_text('#!/bin/sh\necho "newer python: $*"\nexit 7\n', encoding="utf-8")
    newer.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    completed = bootstrap(tmp_path / "env", before=OLD)
    assert completed.returncode == 7
    assert completed.stdout == f"newer python: {BOOTSTRAP} --venv {tmp_path / 'env'}\n"


def test_an_old_python_without_a_newer_one_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    completed = bootstrap(tmp_path / "env", before=OLD)
    assert completed.returncode == 2
    assert completed.stderr == (
        "bootstrap.py: this is Python 3.9, and PATH has no newer one: install Python 3.11 or newer\n"
    )
