"""Which files the given paths come to, and what is listed as not checked."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from conftest import need
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shellguard import discovery
from shellguard.discovery import MAX_MEBIBYTES, Discovery, ExcludePatternError, FoundFile, discover, read_source
from shellguard.finding import NotChecked
from shellguard.gitignore import Git
from shellguard.source import Dialect, UndecodableSourceError, encode

SH = b"#!/bin/sh\necho hi\n"


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory, and no git configuration or repository from outside."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)


@pytest.fixture(params=["git", "no git", "git refuses"])
def _repository(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The working directory is a git repository, which git itself may not be able to tell about."""
    git("init", "-q")
    if request.param == "no git":
        monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    elif request.param == "git refuses":
        # As when the checkout belongs to somebody else, which is common in containers.
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        assert subprocess.run(["git", "status"], capture_output=True, check=False).returncode == 128


def git(*arguments: str, cwd: Path | None = None) -> None:
    need("git")
    subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True)


def write(path: str, data: bytes | str = SH) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return file


def found(*paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    discovery = discover(paths, exclude=exclude)
    assert discovery.not_checked == ()
    return [file.path for file in discovery.files]


@contextmanager
def unprivileged() -> Iterator[None]:
    """Act as a user for whom permissions hold; a no-op for everybody but root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory that every user can enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        monkeypatch.chdir(folder)
        yield folder
        monkeypatch.undo()


# Files given by name


@pytest.mark.parametrize("name", ["run.sh", "run", "notes.txt", "job.conf", "run.sh.in", ".hidden", "-"])
def test_given_files_are_checked_whatever_their_name(name: str) -> None:
    write(name, "echo hi\n")
    assert discover([name]) == Discovery((FoundFile(name, explicit=True),))


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("ci.yml", "yaml"),
        ("Dockerfile", "dockerfile"),
        ("Makefile", "makefile"),
        ("tool.py", "python"),
        ("x.ini", "ini"),
    ],
)
def test_a_given_file_of_another_language_is_listed_unless_it_says_shell_itself(name: str, language: str) -> None:
    write(name, "echo: hi\n")
    (entry,) = discover([name]).not_checked
    assert entry.reason == f"its name says {language}, and no first line says shell; --dialect checks it all the same"
    assert discover([name], override=Dialect.BASH).files == (FoundFile(name, explicit=True),)
    write(name, "#!/bin/sh\necho hi\n")
    assert discover([name]).files == (FoundFile(name, explicit=True),)


def test_given_files_are_checked_though_ignored_and_excluded() -> None:
    git("init", "-q")
    write(".gitignore", "*\n")
    write("out/run.sh")
    assert found("out/run.sh", exclude=("*.sh",)) == ["out/run.sh"]


@pytest.mark.parametrize(
    ("given_path", "reported"), [("./a.sh", "a.sh"), ("d//./a.sh", "d/a.sh"), ("d/../a.sh", "d/../a.sh")]
)
def test_reported_path_is_the_given_one_tidied(given_path: str, reported: str) -> None:
    write("a.sh")
    write("d/a.sh")
    assert found(given_path) == [reported]


def test_absolute_paths_stay_absolute() -> None:
    file = write("d/a.sh").resolve()
    assert found(str(file)) == [str(file)]
    assert found(str(file.parent)) == [str(file)]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("nowhere.sh", "no such file or directory"),
        ("", "no such file or directory"),
        ("a.sh/b.sh", "not a directory"),
        ("loop", "too many levels of symbolic links"),
        ("gone", "no such file or directory"),
    ],
)
def test_given_paths_that_lead_nowhere(path: str, reason: str) -> None:
    write("a.sh")
    Path("loop").symlink_to("loop")
    Path("gone").symlink_to("nowhere")
    assert discover([path, path]) == Discovery((), (NotChecked(path, reason),))


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("x.zsh", "echo\n", "zsh is not checked (only sh, bash, dash and ksh are); known by its extension"),
        ("x", "#!/bin/zsh\n", "zsh is not checked (only sh, bash, dash and ksh are); known by its shebang"),
        ("x.fish", "", "fish is not checked (only sh, bash, dash and ksh are); known by its extension"),
        ("x.csh", "", "csh is not checked (only sh, bash, dash and ksh are); known by its extension"),
        ("x.bats", "", "bats is not checked (only sh, bash, dash and ksh are); known by its extension"),
        ("x", "#!/usr/bin/python3\n", "its shebang names python3, which is not a shell that can be checked"),
    ],
)
def test_given_files_that_cannot_be_checked(name: str, text: str, reason: str) -> None:
    write(name, text)
    assert discover([name]) == Discovery((), (NotChecked(name, reason),))


def test_override_has_given_files_checked_in_any_shell() -> None:
    write("given.zsh")
    write("d/found.zsh", "")
    discovery = discover(["given.zsh", "d"], override=Dialect.BASH)
    assert discovery.files == (FoundFile("given.zsh", explicit=True),)
    assert [left_out.path for left_out in discovery.not_checked] == ["d/found.zsh"]


def test_given_fifo_socket_and_device_are_not_opened() -> None:
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        discovery = discover(["fifo", "socket", "/dev/null"])
    hint = "pass its text on standard input instead, with - as the path"
    assert discovery == Discovery(
        (),
        (
            NotChecked("/dev/null", f"not a regular file but a device; {hint}"),
            NotChecked("fifo", f"not a regular file but a FIFO; {hint}"),
            NotChecked("socket", f"not a regular file but a socket; {hint}"),
        ),
    )


def test_huge_files_are_listed() -> None:
    for name in ("huge.sh", "huge.dat"):
        with Path(name).open("wb") as file:
            file.write(b"# \n")
            file.truncate(MAX_MEBIBYTES * 1024 * 1024 + 1)
    # A hole reads as NUL bytes, so that the first bytes must be real ones.
    Path("huge.sh").write_bytes(b"#" * 4096)
    os.truncate("huge.sh", MAX_MEBIBYTES * 1024 * 1024 + 1)
    assert discover(["."]) == Discovery((), (NotChecked("huge.sh", "larger than 64 MiB"),))
    with pytest.raises(OSError, match="larger than 64 MiB"):
        read_source("huge.sh")


# Folders


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sh", ""),
        ("a.bash", ""),
        ("a.ksh", ""),
        ("a.dash", ""),
        ("A.SH", ""),
        ("a.sh.in", ""),
        (".bashrc", ""),
        ("PKGBUILD", ""),
        ("a", "#!/bin/sh\n"),
        ("a", "#!/usr/bin/env bash\n"),
        ("a", "#! /bin/dash -e\r\n"),
        ("a", "\ufeff#!/bin/ksh93\n"),
        ("a", "# Functions\n# shellcheck shell=sh\nf() { :; }\n"),
        ("a", "# shellguard: dialect=bash\n"),
        ("a.cgi", "#!/bin/sh\n"),
        ("a.conf", "#!/bin/sh\n"),
        ("a.txt", "#!/bin/bash\n"),
        (".hidden/a", "#!/bin/sh\n"),
        ("node_modules/a.sh", ""),
        ("a\nb.sh", ""),
    ],
)
def test_shell_is_found_by_name_shebang_and_directive(name: str, text: str) -> None:
    write(name, text)
    assert discover(["."]) == Discovery((FoundFile(name, explicit=False),))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "#!/bin/sh\n''''exec python3 \"$0\"\n"),
        ("a.tcl", '#!/bin/sh\n# next line is sh only \\\nexec tclsh "$0"\n'),
        ("a", "#!/usr/bin/python3\n"),
        ("a", "#!/usr/bin/perl\n"),
        ("a", "echo hi\n"),
        ("a", "# a comment\n"),
        ("a", ""),
        ("a.txt", "run: #!/bin/sh\n"),
        ("a.png", "#!/bin/sh\n"),
        ("README", "# shell\n"),
        ("a.sh.j2", "#!/bin/sh\n"),
        ("a", "#!@SHELL@\n"),
        ("a", "\x7fELF\0#!/bin/sh\n"),
    ],
)
def test_what_is_no_shell_is_left_out(name: str, text: str) -> None:
    write(name, text)
    assert discover(["."]) == Discovery()


def test_shell_that_is_not_checked_is_listed_in_folders_too() -> None:
    write("d/z", "#!/bin/zsh\n")
    write("d/rc.fish", "")
    write("d/odd.sh", "#!/usr/bin/expect\n")
    write("d/typo", "#!/bin/sh\n# shellguard: dialect=bahs\n")
    write("d/ok.sh")
    assert discover(["d"]) == Discovery(
        (FoundFile("d/ok.sh", explicit=False),),
        (
            NotChecked("d/odd.sh", "its shebang names expect, which is not a shell that can be checked"),
            NotChecked("d/rc.fish", "fish is not checked (only sh, bash, dash and ksh are); known by its extension"),
            NotChecked("d/typo", "its directive asks for the dialect 'bahs'; known are bash, sh, dash, ksh"),
            NotChecked("d/z", "zsh is not checked (only sh, bash, dash and ksh are); known by its shebang"),
        ),
    )


def test_scripts_with_nul_bytes_are_left_to_whoever_reads_them() -> None:
    write("packed.sh", "#!/bin/sh\nexit\n\0")
    write("packed", "#!/bin/sh\nexit\n\0")
    write("wide.sh", "\ufeffecho hi\n".encode("utf-16"))
    write("program", b"\x7fELF\0")
    assert found(".") == ["packed", "packed.sh", "wide.sh"]
    assert found("program") == ["program"]
    with pytest.raises(UndecodableSourceError):
        read_source("packed")


def test_order_is_by_path_and_each_file_comes_once() -> None:
    for name in ("b.sh", "a/z.sh", "a.sh", "a/b/c.sh"):
        write(name)
    assert found(".", "a", "a/b/c.sh", "./a.sh", "a", ".") == ["a.sh", "a/b/c.sh", "a/z.sh", "b.sh"]
    assert discover(["a", "a/z.sh"]).files == (
        FoundFile("a/b/c.sh", explicit=False),
        FoundFile("a/z.sh", explicit=True),
    )


def test_file_names_that_are_no_utf8() -> None:
    Path(os.fsdecode(b"d\xff")).mkdir()
    name = os.fsdecode(b"d\xff/\xe9.sh")
    write(name)
    assert found(".") == [name]
    assert read_source(name).path == name


def test_empty_and_deep_folders() -> None:
    Path("empty").mkdir()
    assert discover(["empty"]) == Discovery()
    deep = "/".join(["d"] * 300)
    write(f"deep/{deep}/a.sh")
    assert found("deep") == [f"deep/{deep}/a.sh"]


def test_special_files_in_folders_are_passed_over() -> None:
    os.mkfifo("pipe.sh")
    Path("link.sh").symlink_to("pipe.sh")
    assert discover(["."]) == Discovery()


@pytest.mark.parametrize("name", [".git", ".hg", ".svn", ".jj"])
def test_version_control_folders_are_skipped_unless_given(name: str) -> None:
    write(f"{name}/hooks/pre-commit")
    assert discover(["."]) == Discovery()
    assert found(name) == [f"{name}/hooks/pre-commit"]


# Symbolic links


def test_links_to_files_are_checked_once() -> None:
    write("lib/real.sh")
    Path("lib/zlink").symlink_to("real.sh")
    assert found("lib") == ["lib/real.sh"]
    Path("lib/link").symlink_to("real.sh")
    assert found("lib") == ["lib/link"]
    assert found("lib", "lib/zlink") == ["lib/zlink"]
    assert found("lib/real.sh", "lib/link") == ["lib/link"]


def test_link_that_hides_the_shell_does_not_hide_the_file() -> None:
    write("real.sh", "echo hi\n")
    Path("alias").symlink_to("real.sh")
    Path("alias.zsh").symlink_to("real.sh")
    assert found(".") == ["real.sh"]


def test_links_to_folders_are_not_followed_unless_given() -> None:
    write("a/b/run.sh")
    Path("a/b/up").symlink_to("..")
    Path("a/self").symlink_to(".")
    Path("other").symlink_to("a")
    assert found(".") == ["a/b/run.sh"]
    assert found("other") == ["other/b/run.sh"]
    assert found("a/self", "a") == ["a/b/run.sh"]


def test_links_that_lead_nowhere() -> None:
    Path("gone.sh").symlink_to("nowhere")
    Path(".#lock").symlink_to("user@host.1234")
    Path("loop.sh").symlink_to("loop.sh")
    assert discover(["."]) == Discovery(
        (),
        (
            NotChecked("gone.sh", "a symbolic link that leads nowhere"),
            NotChecked("loop.sh", "a symbolic link that leads nowhere"),
        ),
    )


# Permissions


def test_unreadable_files_and_folders_are_listed(open_folder: Path) -> None:
    write("closed/a.sh")
    write("secret.sh").chmod(0)
    write("unknown", "data").chmod(0)
    write("secret.py", "data").chmod(0)
    write("target/b.sh")
    Path("link").symlink_to("target/b.sh")
    write("open.sh")
    for folder in ("closed", "target"):
        (open_folder / folder).chmod(0)
    with unprivileged():
        discovery = discover(["."])
        given_by_name = discover(["closed/a.sh", "closed", "secret.py"])
    for folder in ("closed", "target"):
        (open_folder / folder).chmod(0o755)
    denied = "permission denied"
    assert discovery == Discovery(
        (FoundFile("open.sh", explicit=False),),
        tuple(NotChecked(path, denied) for path in ("closed", "link", "secret.sh", "target", "unknown")),
    )
    assert given_by_name == Discovery(
        (), tuple(NotChecked(path, denied) for path in ("closed", "closed/a.sh", "secret.py"))
    )


# What git ignores


@pytest.mark.usefixtures("_repository")
def test_ignored_files_are_left_out() -> None:
    write(".gitignore", "build/\n*.log.sh\n!keep.log.sh\n/top.sh\n\\#odd.sh\nspaced.sh  \n")
    write("sub/.gitignore", "local.sh\n!a.log.sh\n")
    write(".git/info/exclude", "mine.sh\n")
    kept = ["a.sh", "build.sh", "keep.log.sh", "sub/a.log.sh", "sub/deep/top.sh", "sub/top.sh"]
    ignored = ["build/a.sh", "sub/build/x/a.sh", "a.log.sh", "top.sh", "#odd.sh", "spaced.sh", "mine.sh"]
    for path in (*kept, *ignored, "sub/local.sh", "sub/deep/local.sh", "sub/deep/b.log.sh"):
        write(path)
    assert found(".") == kept
    assert found("sub") == ["sub/a.log.sh", "sub/deep/top.sh", "sub/top.sh"]
    assert found("sub/deep") == ["sub/deep/top.sh"]


@pytest.mark.usefixtures("_repository")
def test_what_is_taken_back_in() -> None:
    write(".gitignore", "*\n!*/\n!*.sh\nold.sh\n!new/\n")
    write("a.sh")
    write("new/b.sh")
    write("new/run")
    write("new/old.sh")
    assert found(".") == ["a.sh", "new/b.sh"]


@pytest.mark.usefixtures("_repository")
def test_ignored_folder_is_searched_when_given() -> None:
    write(".gitignore", "build/\n*.tmp.sh\n")
    write("build/deep/a.sh")
    write("build/deep/a.tmp.sh")
    everything = ["build/deep/a.sh", "build/deep/a.tmp.sh"]
    assert found("build") == everything
    assert found("build/deep") == everything
    assert discover(["."]) == Discovery()


@pytest.mark.usefixtures("_repository")
def test_folder_that_ignores_itself() -> None:
    write("venv/.gitignore", "*\n")
    write("venv/bin/activate.sh")
    write("a.sh")
    assert found(".") == ["a.sh"]
    assert discover(["venv"]) == Discovery()


@pytest.mark.usefixtures("_repository")
def test_folder_given_through_a_link() -> None:
    write(".gitignore", "out.sh\n")
    write("sub/out.sh")
    write("sub/a.sh")
    Path("link").symlink_to("sub")
    assert found("link") == ["link/a.sh"]


def test_tracked_files_are_not_ignored() -> None:
    git("init", "-q")
    write(".gitignore", "build/\n")
    write("build/tracked.sh")
    write("build/other.sh")
    git("add", "--force", "build/tracked.sh")
    assert found(".") == ["build/tracked.sh"]


def test_excludes_file_of_the_user_counts() -> None:
    git("init", "-q")
    write("excludes", "scratch.sh\n")
    git("config", "--global", "core.excludesFile", str(Path("excludes").resolve()))
    write("scratch.sh")
    write("a.sh")
    assert found(".") == ["a.sh"]


def test_nested_repositories_have_their_own_rules() -> None:
    git("init", "-q")
    write(".gitignore", "out.sh\n")
    for path in ("inner/out.sh", "inner/in.sh", "inner/sub/in.sh", "out.sh"):
        write(path)
    git("init", "-q", "inner")
    write("inner/.gitignore", "in.sh\n")
    assert found(".") == ["inner/out.sh"]


def test_linked_work_tree() -> None:
    git("init", "-q", "main")
    write("main/.gitignore", "out.sh\n")
    git("add", ".", cwd=Path("main"))
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "x", cwd=Path("main"))
    git("worktree", "add", "-q", "../tree", cwd=Path("main"))
    write("tree/out.sh")
    write("tree/a.sh")
    assert found("tree") == ["tree/a.sh"]


def test_ignore_files_count_without_a_repository() -> None:
    write("d/.gitignore", b"\xef\xbb\xbfout.sh\r\n# comment\r\n\xff.sh\n!\n")
    write("d/out.sh")
    write("d/a.sh")
    assert found("d") == ["d/a.sh"]


def test_odd_ignore_files_are_survived(open_folder: Path) -> None:
    os.mkfifo("fifo")
    for folder in ("a", "b", "c", "d"):
        write(f"{folder}/x.sh")
    Path("a/.gitignore").symlink_to("../fifo")
    Path("b/.gitignore").mkdir()
    write("c/.gitignore", "x.sh\n").chmod(0)
    Path("d/.gitignore").symlink_to("nowhere")
    open_folder.chmod(0o755)
    with unprivileged():
        assert found(".") == ["a/x.sh", "b/x.sh", "c/x.sh", "d/x.sh"]


def test_a_git_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "Git", partial(Git, patience=0.5))
    git("init", "-q")
    os.mkfifo(write("lib/a.sh").with_name(".gitignore"))
    write(".gitignore", "out.sh\n")
    write("lib/out.sh")
    assert found(".") == ["lib/a.sh"]


def test_a_git_that_hangs_is_asked_only_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(discovery, "Git", partial(Git, patience=0.5))
    for repository in ("one", "two"):
        git("init", "-q", repository)
        write(f"{repository}/.gitignore", "out.sh\n")
        write(f"{repository}/out.sh")
        write(f"{repository}/a.sh")
    calls = tmp_path / "calls"
    write(f"{tmp_path}/bin/git", f"#!/bin/sh\necho called >>'{calls}'\nexec sleep 60\n").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.defpath}")
    assert found("one", "two") == ["one/a.sh", "two/a.sh"]
    assert calls.read_text() == "called\n"


@pytest.mark.parametrize(
    "pattern", ["*a" * 12, "a*" * 12 + "b", "[a-z]*" * 12 + "0", "*" * 30 + "b", "**/a/" * 12 + "b"]
)
def test_patterns_without_end_are_passed_over(pattern: str) -> None:
    write("d/.gitignore", f"{pattern}\nout.sh\n")
    names = ["a" * 60 + ".sh", "a/" * 60 + "a.sh", "out.sh"]
    for name in names:
        write(f"d/{name}")
    assert found("d") == sorted(f"d/{name}" for name in names[:2])


def test_an_ignore_file_of_unreasonable_size_is_passed_over() -> None:
    write("d/.gitignore", "a.sh\n" * 300_000)
    write("d/a.sh")
    assert found("d") == ["d/a.sh"]


def test_git_hooks_environment_does_not_mislead(monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "-q", "here")
    git("init", "-q", "elsewhere")
    write("here/.gitignore", "out.sh\n")
    write("here/out.sh")
    write("here/a.sh")
    elsewhere = Path("elsewhere").resolve()
    monkeypatch.setenv("GIT_DIR", str(elsewhere / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(elsewhere))
    monkeypatch.setenv("GIT_INDEX_FILE", str(elsewhere / ".git/index"))
    assert found("here") == ["here/a.sh"]


def test_repository_cannot_start_programs() -> None:
    git("init", "-q")
    monitor = write("monitor", f"#!/bin/sh\ntouch '{Path('started').resolve()}'\n")
    monitor.chmod(0o755)
    write("a.sh")
    git("add", "a.sh")
    git("config", "core.fsmonitor", str(monitor.resolve()))
    assert found(".") == ["a.sh", "monitor"]
    assert not Path("started").exists()
    git("ls-files", "--others")
    assert Path("started").exists(), "this git would not have started it anyway: the test proves nothing"


IGNORE_LINES = st.sampled_from(
    [
        *("a", "/a", "a/", "b/", "[ab]", "?", "a ", "\\!a", "a\\", "**/b", "a/b", "a/*", "a/**", "foo/**", "foo/*/a"),
        *("*", "/*", "*.sh", "!c.sh", "!a/c.sh", "!foo", "!foo/", "!/a/", "!*/", "", "#x", "!", "***", "["),
    ]
)


@given(st.lists(IGNORE_LINES, max_size=4), st.lists(IGNORE_LINES, max_size=3))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ignore_files_read_here_mean_what_git_means(top: list[str], nested: list[str]) -> None:
    paths = ["a", "c.sh", "foo/a/c.sh", "foo/b/a", "foo/c.sh", "b/a/b/c.sh", "b/foo/a/a", "b/c.sh"]
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.chdir(name)
        git("init", "-q")
        for path in paths:
            write(path)
        write(".gitignore", "\n".join(top) + "\n")
        write("foo/.gitignore", "\n".join(nested) + "\n")
        by_git = [found("."), found("foo")]
        patch.setenv("PATH", "/nonexistent")
        assert [found("."), found("foo")] == by_git


# Patterns of the user


@pytest.mark.parametrize(
    ("exclude", "expected"),
    [
        ((), ["a.sh", "lib/a.sh", "lib/old/b.sh", "vendor/c.sh"]),
        (("vendor/",), ["a.sh", "lib/a.sh", "lib/old/b.sh"]),
        (("/a.sh",), ["lib/a.sh", "lib/old/b.sh", "vendor/c.sh"]),
        (("lib/old", "vendor"), ["a.sh", "lib/a.sh"]),
        (("*.sh", "!b.sh"), ["lib/old/b.sh"]),
        (("**/old/**",), ["a.sh", "lib/a.sh", "vendor/c.sh"]),
    ],
)
def test_exclude(exclude: tuple[str, ...], expected: list[str]) -> None:
    for path in ("a.sh", "lib/a.sh", "lib/old/b.sh", "vendor/c.sh"):
        write(path)
    assert found(".", exclude=exclude) == expected
    absolute = str(Path.cwd())
    assert found(absolute, exclude=exclude) == [f"{absolute}/{path}" for path in expected]


def test_exclude_is_relative_to_the_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("lib/a.sh", "lib/sub/a.sh", "here/x"):
        write(path)
    assert found("lib", exclude=("lib/sub",)) == ["lib/a.sh"]
    assert found("lib", exclude=("/sub",)) == ["lib/a.sh", "lib/sub/a.sh"]
    monkeypatch.chdir("here")
    assert found("../lib", exclude=("lib/sub",)) == ["../lib/a.sh"]


def test_excluded_shells_are_not_listed() -> None:
    write("z.zsh", "")
    write("a.sh")
    assert found(".", exclude=("*.zsh",)) == ["a.sh"]


def test_exclude_pattern_that_cannot_be_read() -> None:
    with pytest.raises(ExcludePatternError, match="not a gitignore pattern: '!'"):
        discover(["."], exclude=["ok", "!"])


# Reading


@pytest.mark.parametrize("data", [b"", b"echo\r\n\xe9 \xff", "\ufeff#!/bin/sh\n".encode()])
def test_read_source_keeps_every_byte(data: bytes) -> None:
    write("x.sh", data)
    source = read_source("x.sh")
    assert source.path == "x.sh"
    assert encode(source.text) == data


def test_read_source_names_what_is_wrong() -> None:
    write("nul.sh", b"echo\n\0")
    os.mkfifo("fifo")
    with pytest.raises(UndecodableSourceError) as undecodable:
        read_source("nul.sh")
    assert undecodable.value.offset == 5
    with pytest.raises(FileNotFoundError):
        read_source("nowhere")
    with pytest.raises(OSError, match="not a regular file but a FIFO"):
        read_source("fifo")
    with pytest.raises(OSError, match="not a regular file but a folder"):
        read_source(".")


def test_discovery_leaves_files_alone() -> None:
    file = write("a.sh")
    file.chmod(0o640)
    before = file.stat()
    discover(["."])
    after = file.stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert stat.S_IMODE(after.st_mode) == 0o640
