"""The pre-commit hooks, installed by the real pre-commit into a repository of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import CHECKOUT, need

NIGHTLY = CHECKOUT / "examples" / "nightly-bench"
# What pre-commit needs to install the hooks from: the package, not its tests.
INSTALLED = ("shellguard", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
CONFIG = """\
repos:
  - repo: {path}
    rev: {revision}
    hooks:
      - id: shellguard
"""


@dataclass(frozen=True)
class Repository:
    """A git repository, and the environment that its hooks see."""

    folder: Path
    environment: dict[str, str]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in it; standard error comes with standard output."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def git(self, *arguments: str) -> str:
        """Run a git command that must work."""
        need("git")
        completed = self.run("git", *arguments)
        assert completed.returncode == 0, completed.stdout
        return completed.stdout.strip()

    def pre_commit(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run pre-commit, the one that is installed beside the running Python."""
        return self.run(sys.executable, "-m", "pre_commit", *arguments)

    def add(self, name: str, content: str) -> None:
        """Write a script and stage it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        path.chmod(0o755)
        self.git("add", name)


def runner(which: str) -> str:
    return (NIGHTLY / which / "nightly.sh").read_text(encoding="utf-8")


def make_repository(folder: Path, environment: dict[str, str]) -> Repository:
    folder.mkdir(exist_ok=True)
    repository = Repository(folder, environment)
    repository.git("init", "--quiet", "--initial-branch=main")
    return repository


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The caller's environment (how to reach the package index may be in it) with git and pre-commit set apart."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[user]\n\tname = Test\n\temail = test@example.org\n", encoding="utf-8")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    return inherited | {
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PYTHONPATH": "",
    }


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Repository:
    """What the checkout holds now, as a repository to install hooks from."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in INSTALLED:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    repository = make_repository(folder, environment)
    repository.git("add", ".")
    repository.git("commit", "--quiet", "--message", "Hooks")
    return repository


@pytest.fixture
def scratch(tmp_path: Path, environment: dict[str, str]) -> Repository:
    """An empty repository."""
    return make_repository(tmp_path / "scratch", environment)


@pytest.fixture
def guarded(scratch: Repository, hooks: Repository) -> Repository:
    """A repository that is configured to lint on commit, and has no commit yet."""
    scratch.add(".pre-commit-config.yaml", CONFIG.format(path=hooks.folder, revision=hooks.git("rev-parse", "HEAD")))
    installed = scratch.pre_commit("install")
    assert installed.returncode == 0, installed.stdout
    return scratch


def test_a_commit_of_the_broken_runner_is_blocked(guarded: Repository) -> None:
    guarded.add("bench/nightly", runner("broken"))
    commit = guarded.run("git", "commit", "--message", "Broken")
    assert commit.returncode == 1
    for code in ("SG101", "SG201", "SG301", "SG501"):
        assert code in commit.stdout
    assert guarded.run("git", "rev-parse", "--verify", "HEAD").returncode != 0


def test_a_commit_of_the_repaired_runner_passes(guarded: Repository) -> None:
    guarded.add("bench/nightly", runner("repaired"))
    guarded.git("commit", "--message", "Repaired")
    files = guarded.git("show", "--format=%s", "--name-only")
    assert files.split() == ["Repaired", ".pre-commit-config.yaml", "bench/nightly"]


def test_scripts_for_other_shells_are_left_alone(guarded: Repository) -> None:
    guarded.add("prompt.zsh", "#!/bin/zsh\nprint -P '%n'\n")
    guarded.add("suite.bats", '#!/usr/bin/env bats\n@test "it" {\n  true\n}\n')
    run = guarded.pre_commit("run", "--all-files")
    assert run.returncode == 0, run.stdout
    assert "no files to check" in run.stdout


def test_the_fixing_hook_fixes_and_stops_the_commit(scratch: Repository, hooks: Repository) -> None:
    scratch.add("run.sh", '#!/bin/bash\nrsync -a src dst\necho "End $(date +%T), return $?"\n')
    completed = scratch.pre_commit("try-repo", str(hooks.folder), "shellguard-fix", "--all-files")
    assert completed.returncode == 1
    assert "files were modified by this hook" in completed.stdout
    assert (scratch.folder / "run.sh").read_text(encoding="utf-8") == (
        '#!/bin/bash\nrsync -a src dst\nrc=$?\necho "End $(date +%T), return $rc"\n'
    )
