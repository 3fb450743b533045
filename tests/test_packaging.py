"""What `pip` gets: the wheel, the wheel made from the sdist, and the editable install all carry the rule pages."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path

import pytest
from conftest import CHECKOUT, copy_checkout

from shellguard import __version__

PAGES = sorted(path.name for path in (CHECKOUT / "rules").glob("*.md"))


@dataclass(frozen=True)
class Environment:
    """A fresh virtual environment that borrows the dependencies (not shellguard) of the one that runs the tests."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> Environment:
        """Make it."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        environment = cls(folder)
        # A folder named in a .pth file is searched last, and .pth files in it (an editable shellguard) aren't read.
        (environment.packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
        return environment

    @property
    def packages(self) -> Path:
        """Where packages are installed."""
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.folder / "lib" / version / "site-packages"

    def install(self, *what: str | Path) -> None:
        """Run `pip install` for this environment, without the package index."""
        options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
        command = [sys.executable, "-m", "pip", "--python", str(self.folder), "install", *options, *map(str, what)]
        completed = subprocess.run(command, capture_output=True, text=True, check=False)
        assert completed.returncode == 0, completed.stderr

    def shellguard(self, *arguments: str) -> str:
        """Run the installed command far from the checkout, and give what it prints."""
        completed = subprocess.run(
            [self.folder / "bin" / "shellguard", *arguments],
            cwd=self.folder,
            env={"PATH": os.defpath, "HOME": str(self.folder), "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert completed.returncode == 0, completed.stderr
        return completed.stdout


def build(source: Path, target: Path, *options: str) -> Path:
    """Build a wheel with the `hatchling` that is here, and give its path."""
    command = [sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(target), str(source)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel built from the checkout."""
    return build(CHECKOUT, tmp_path_factory.mktemp("wheel"), "--wheel")


@pytest.fixture(scope="module")
def sdist_and_wheel(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel that was built from it."""
    target = tmp_path_factory.mktemp("sdist")
    wheel = build(CHECKOUT, target)
    (sdist,) = target.glob("*.tar.gz")
    return sdist, wheel


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel by name."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_holds_the_package_and_the_pages_and_nothing_else(wheel: Path) -> None:
    package = (path for path in (CHECKOUT / "shellguard").rglob("*") if path.is_file() and path.suffix != ".pyc")
    files = {path.relative_to(CHECKOUT).as_posix() for path in package}
    pages = {f"shellguard/_rules/{name}" for name in PAGES}
    assert "SG101.md" in PAGES
    packaged = {name for name in contents(wheel) if ".dist-info/" not in name}
    assert packaged == files | pages
    assert {"shellguard/__init__.py", "shellguard/py.typed"} <= packaged


def test_the_pages_in_the_wheel_are_those_of_the_checkout(wheel: Path) -> None:
    files = contents(wheel)
    for name in PAGES:
        assert files[f"shellguard/_rules/{name}"] == (CHECKOUT / "rules" / name).read_bytes()


def test_the_wheel_from_the_sdist_holds_the_same(wheel: Path, sdist_and_wheel: tuple[Path, Path]) -> None:
    assert contents(sdist_and_wheel[1]) == contents(wheel)


def test_the_sdist_holds_what_is_needed_to_work_on_it(sdist_and_wheel: tuple[Path, Path]) -> None:
    with tarfile.open(sdist_and_wheel[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        ".ci/run",
        ".pre-commit-hooks.yaml",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "README.md",
        "benchmarks/packages.txt",
        "bootstrap.py",
        "examples/nightly-bench/broken/nightly.sh",
        "pyproject.toml",
        "rules/SG101.md",
        "tests/conftest.py",
    }
    assert wanted - names == set()


def test_metadata_and_entry_point(wheel: Path) -> None:
    files = contents(wheel)
    prefix = f"shellguard_lint-{__version__}.dist-info"
    metadata = message_from_bytes(files[f"{prefix}/METADATA"])
    assert metadata["Name"] == "shellguard-lint"
    assert metadata["Version"] == __version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert files[f"{prefix}/entry_points.txt"].decode().split() == [
        "[console_scripts]",
        "shellguard",
        "=",
        "shellguard.cli:main",
    ]
    assert b"The shellguard authors" in files[f"{prefix}/licenses/LICENSE"]


def test_the_installed_wheel_knows_its_rules(wheel: Path, tmp_path: Path) -> None:
    environment = Environment.create(tmp_path / "venv")
    environment.install(wheel)
    table = environment.shellguard("rules")
    assert [page for page in PAGES if page.startswith("SG") and page.removesuffix(".md") not in table] == []
    assert "status-after-substitution" in environment.shellguard("explain", "SG101")


def test_an_editable_install_reads_the_pages_of_the_checkout(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path / "checkout")
    environment = Environment.create(tmp_path / "venv")
    environment.install("--editable", checkout)
    page = checkout / "rules" / "SG101.md"
    page.write_text(
        page.read_text(encoding="utf-8").replace("name: status-after-substitution", "name: edited-afterwards"),
        encoding="utf-8",
    )
    assert "edited-afterwards" in environment.shellguard("rules")
