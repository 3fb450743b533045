"""Which part of shellguard may import which, and what must not be imported at start-up."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from conftest import CommandLine

import shellguard

PACKAGE = Path(shellguard.__file__).parent

# Each layer, and the layers it may import. A layer is a module or a package directly under `shellguard`; `shellguard`
# itself (the version) may be imported by all.
ALLOWED: dict[str, set[str]] = {
    "source": set(),
    "finding": {"source"},
    "syntax": {"source"},
    "dialect": {"source"},
    "gitignore": set(),
    "discovery": {"source", "finding", "dialect", "gitignore"},
    "pages": {"source", "finding"},
    "flow": {"source", "dialect", "syntax"},
    "checks": {"source", "finding", "syntax", "flow"},
    "suppress": {"source", "finding", "pages", "syntax"},
    "fixes": {"source", "finding"},
    "pool": set(),
    "engine": {"source", "finding", "discovery", "dialect", "syntax", "flow", "checks", "suppress", "fixes", "pool"},
    "mapping": {"source", "finding", "discovery", "dialect", "syntax", "flow"},
    "report": {"source", "finding", "fixes"},
    "selfcheck": {"source", "finding", "pages", "engine", "suppress"},
    "cli": {"source", "finding", "discovery", "dialect", "syntax", "engine", "fixes", "mapping", "pages", "report"}
    | {"selfcheck"},
    "__main__": {"cli"},
}

# Loading one of these takes longer than checking a small script.
HEAVY = {"rich", "yaml", "libcst", "asyncio", "concurrent.futures", "multiprocessing", "subprocess", "difflib"}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module's name without `shellguard.`, and its file."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imported(path: Path, *, runtime_only: bool) -> Iterator[str]:
    """The modules of shellguard that a module imports anywhere, without `shellguard.`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(node)
        for branch in ast.walk(tree)
        if runtime_only and isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.dump(branch.test)
        for statement in branch.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative imports hide the direction"
            names = [node.module or ""]
            names += [f"{node.module}.{alias.name}" for alias in node.names if is_module(f"{node.module}.{alias.name}")]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("shellguard.") for name in names if name.startswith("shellguard."))


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


@pytest.mark.parametrize(("module", "path"), [pytest.param(*pair, id=pair[0]) for pair in modules() if pair[0]])
def test_a_module_imports_only_what_its_layer_may(module: str, path: Path) -> None:
    layer = module.partition(".")[0]
    assert layer in ALLOWED, f"{layer} is new: add it to ALLOWED, and to DESIGN.md"
    used = {name.split(".")[0] for name in imported(path, runtime_only=False)} - {layer}
    assert used <= ALLOWED[layer], f"{path} imports {', '.join(sorted(used - ALLOWED[layer]))}"


@pytest.mark.parametrize("path", [pytest.param(path, id=name) for name, path in modules() if name.startswith("checks")])
def test_checks_see_nodes_but_no_parser(path: Path) -> None:
    used = {name for name in imported(path, runtime_only=False) if name.startswith("syntax")}
    assert used <= {"syntax.nodes"}


def test_the_layers_are_in_order() -> None:
    order = list(TopologicalSorter(ALLOWED).static_order())
    assert order.index("source") < order.index("flow") < order.index("checks") < order.index("engine")


def test_no_modules_import_each_other_at_run_time() -> None:
    graph = {name: set(imported(path, runtime_only=True)) - {name} for name, path in modules()}
    list(TopologicalSorter(graph).static_order())


def loaded(cli: CommandLine, *arguments: str) -> set[str]:
    """The modules that are loaded after a run of the command line."""
    program = (
        "import sys; from shellguard.cli import main; sys.argv[0] = 'shellguard'; main();"
        "sys.stdout.flush(); print(*sorted(sys.modules), file=sys.stderr)"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=cli.folder,
        env=cli.environment(),
        capture_output=True,
        check=True,
        text=True,
    )
    return set(completed.stderr.split())


def test_version_loads_no_more_than_it_needs(cli: CommandLine) -> None:
    modules = loaded(cli, "--version")
    assert not HEAVY & modules
    assert {name for name in modules if name.startswith("shellguard.")} == {
        "shellguard.cli",
        "shellguard.cli.app",
        "shellguard.cli.errors",
        "shellguard.cli.streams",
    }


@pytest.mark.parametrize("form", ["concise", "text"])
def test_linting_a_small_script_loads_nothing_heavy(cli: CommandLine, form: str) -> None:
    cli.write("run.sh", 'false; echo "$(date) $?"\n')
    modules = loaded(cli, "lint", "--format", form, "run.sh")
    assert not HEAVY & modules
    assert "shellguard.pool" not in modules
    assert "shellguard.flow.facts" in modules
