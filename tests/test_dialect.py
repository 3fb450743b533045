"""Which shell a script is in: option, directive, shebang and file name, in this order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shellguard.dialect import Shell, Unsupported, detect, language_of_name, parse_shebang
from shellguard.source import Dialect, Source, decode


def detected(text: str, path: str = "script", override: Dialect | None = None) -> Shell | Unsupported:
    return detect(Source(path, text), override=override)


@pytest.mark.parametrize(
    ("line", "dialect", "options"),
    [
        ("#!/bin/bash", Dialect.BASH, ()),
        ("#! /bin/sh -e", Dialect.SH, ("-e",)),
        ("#!/bin/bash -eu", Dialect.BASH, ("-eu",)),
        ("#!/bin/bash -e -o pipefail", Dialect.BASH, ("-e", "-o", "pipefail")),
        ("#!/bin/bash -euo pipefail", Dialect.BASH, ("-euo", "pipefail")),
        ("#!/bin/bash +e -O extglob", Dialect.BASH, ("+e", "-O", "extglob")),
        ("#!/bin/bash --posix -e", Dialect.BASH, ("-o", "posix", "-e")),
        ("#!/bin/bash --rcfile -x -e", Dialect.BASH, ("-e",)),
        ("#!/bin/bash --norc -x", Dialect.BASH, ("-x",)),
        ("#!/bin/sh -", Dialect.SH, ()),
        ("#!/bin/sh -- -e", Dialect.SH, ()),
        ("#!/bin/sh /etc/rc.common -e", Dialect.SH, ()),
        ("#!/usr/local/bin/bash-5.2", Dialect.BASH, ()),
        ("#!/opt/bash5", Dialect.BASH, ()),
        ("#!/bin/bash-static", Dialect.BASH, ()),
        ("#!/bin/rbash", Dialect.BASH, ()),
        ("#!/bin/dash -u", Dialect.DASH, ("-u",)),
        ("#!/bin/ash", Dialect.DASH, ()),
        ("#!/bin/busybox sh", Dialect.DASH, ()),
        ("#!/bin/busybox ash -e", Dialect.DASH, ("-e",)),
        ("#!/bin/busybox", Dialect.DASH, ()),
        ("#!/bin/ksh", Dialect.KSH, ()),
        ("#!/usr/bin/ksh93 -e", Dialect.KSH, ("-e",)),
        ("#!/bin/ksh93u+", Dialect.KSH, ()),
        ("#!/bin/mksh-static", Dialect.KSH, ()),
        ("#!/bin/pdksh", Dialect.KSH, ()),
        ("#!/bin/oksh", Dialect.KSH, ()),
        ("#!/bin/lksh", Dialect.KSH, ()),
        ("#!/sbin/openrc-run", Dialect.SH, ()),
        ("#!/usr/bin/env bash", Dialect.BASH, ()),
        ("#!/usr/bin/env -S bash -e", Dialect.BASH, ("-e",)),
        ("#!/usr/bin/env -Sbash -eu", Dialect.BASH, ("-eu",)),
        ("#!/usr/bin/env -iS LANG=C bash -e", Dialect.BASH, ("-e",)),
        ("#!/usr/bin/env --split-string=dash -e", Dialect.DASH, ("-e",)),
        ("#!/usr/bin/env -S -u HOME sh", Dialect.SH, ()),
        ("#!/usr/bin/with-contenv bash", Dialect.BASH, ()),
        ("#!/usr/bin/sudo -u root /bin/bash -e", Dialect.BASH, ("-e",)),
        ("#!/usr/bin/env -S sudo bash -e", Dialect.BASH, ("-e",)),
    ],
)
def test_shebang(line: str, dialect: Dialect, options: tuple[str, ...]) -> None:
    assert detected(f"{line}\necho hi\n") == Shell(dialect, options, "shebang")


def test_env_without_split_passes_no_options() -> None:
    # Linux looks for a program called "bash -e"; whoever runs this script says `bash script`, without -e.
    assert detected("#!/usr/bin/env bash -e\n") == Shell(Dialect.BASH, (), "shebang")


@pytest.mark.parametrize("text", ["#!/bin/sh -e\r\necho hi\r\n", "\ufeff#!/bin/sh -e\n", "#!/bin/sh -e"])
def test_crlf_byte_order_mark_and_missing_newline(text: str) -> None:
    assert detected(text) == Shell(Dialect.SH, ("-e",), "shebang")


def test_nix_shell_names_its_interpreter_below() -> None:
    text = "#!/usr/bin/env nix-shell\n#! nix-shell -p curl\n#! nix-shell --pure -i bash\ncurl x\n"
    assert detected(text) == Shell(Dialect.BASH, (), "shebang")


@pytest.mark.parametrize("text", ["#!/usr/bin/env nix-shell\n", "#!/usr/bin/env nix-shell\n# -i bash\n"])
def test_nix_shell_without_interpreter(text: str) -> None:
    assert detected(text) == Unsupported("nix-shell", "shebang")


@pytest.mark.parametrize(
    ("line", "language", "is_shell"),
    [
        ("#!/bin/zsh", "zsh", True),
        ("#!/usr/bin/env fish", "fish", True),
        ("#!/bin/csh -f", "csh", True),
        ("#!/usr/local/bin/tcsh", "tcsh", True),
        ("#!/bin/zsh-5.9", "zsh", True),
        ("#!/usr/bin/env bats", "bats", True),
        ("#!/usr/bin/env python3", "python3", False),
        ("#!/usr/bin/perl -w", "perl", False),
        ("#!/usr/bin/make -f", "make", False),
        ("#!/usr/bin/env", "env", False),
        ("#!/usr/bin/sudo -u root", "sudo", False),
        ("#!/bin/busybox awk", "awk", False),
        ("#!/", "/", False),
    ],
)
def test_interpreters_that_are_not_checked(line: str, language: str, is_shell: bool) -> None:  # noqa: FBT001 - a column
    found = detected(line + "\n", "x.sh")
    assert found == Unsupported(language, "shebang")
    assert isinstance(found, Unsupported)
    assert found.is_shell is is_shell


@pytest.mark.parametrize(
    ("path", "dialect", "reason"),
    [
        ("a/b.sh", Dialect.BASH, "extension"),
        ("a/b.SH", Dialect.BASH, "extension"),
        ("b.bash", Dialect.BASH, "extension"),
        ("b.sh.in", Dialect.BASH, "extension"),
        ("b.dash", Dialect.DASH, "extension"),
        ("b.ksh", Dialect.KSH, "extension"),
        ("x.ebuild", Dialect.BASH, "extension"),
        ("home/.bashrc", Dialect.BASH, "file name"),
        ("home/.profile", Dialect.SH, "file name"),
        ("PKGBUILD", Dialect.BASH, "file name"),
        (".mkshrc", Dialect.KSH, "file name"),
        ("-", Dialect.BASH, "default"),
        ("a.sh/run", Dialect.BASH, "default"),
        ("sh", Dialect.BASH, "default"),
        ("notes.txt", Dialect.BASH, "default"),
    ],
)
def test_file_name_when_there_is_no_shebang(path: str, dialect: Dialect, reason: str) -> None:
    assert detected("echo hi\n", path) == Shell(dialect, (), reason)


@pytest.mark.parametrize(
    ("path", "language", "reason"),
    [
        ("x.zsh", "zsh", "extension"),
        (".zshrc", "zsh", "file name"),
        ("x.fish", "fish", "extension"),
        ("x.csh", "csh", "extension"),
        ("x.tcsh", "tcsh", "extension"),
        ("x.bats", "bats", "extension"),
        (".login", "csh", "file name"),
    ],
)
def test_file_names_of_shells_that_are_not_checked(path: str, language: str, reason: str) -> None:
    found = detected("echo hi\n", path)
    assert found == Unsupported(language, reason)
    assert found.message == f"{language} is not checked (only sh, bash, dash and ksh are); known by its {reason}"


@pytest.mark.parametrize("line", ["#!@SHELL@", "#!{{ bash_path }}", "#!${SHELL} -e", "#!%SH%", "#!", "#!  "])
def test_template_shebang_leaves_it_to_the_name(line: str) -> None:
    assert detected(f"{line}\n", "x.ksh") == Shell(Dialect.KSH, (), "extension")


@pytest.mark.parametrize(
    "comments",
    [
        "# shellguard: dialect=dash\n",
        "#shellguard:dialect = DASH\n",
        "# shellguard: ignore=SG101 dialect=dash\n",
        "# shellguard: dialect=dash, ignore=SG101\n",
        "# shellcheck shell=dash\n",
        "# shellcheck disable=SC2034 shell=dash # sourced\n",
        "\n# Licence\n\n   # shellcheck shell=dash\n",
        "# shellcheck shell=busybox\n",
        "# shellcheck shell=bash\n# shellguard: dialect=dash\n",
        "# shellguard: dialect=dash\n# shellcheck shell=bash\n",
        "# shellcheck shell=dash\n# shellcheck shell=bash\n",
    ],
)
def test_directive_wins_over_shebang(comments: str) -> None:
    assert detected("#!/bin/bash -e\n" + comments + "echo hi\n") == Shell(Dialect.DASH, ("-e",), "directive")
    assert detected("\ufeff" + comments) == Shell(Dialect.DASH, (), "directive")


@pytest.mark.parametrize(
    "text",
    [
        "echo hi\n# shellguard: dialect=dash\n",
        "# shellguard dialect=dash\n",
        "# use shellcheck with shell=dash\n",
        "# shellcheck source=shell.sh\n",
        "# shellguard: no-dialect\n",
    ],
)
def test_what_is_no_directive(text: str) -> None:
    assert detected("#!/bin/sh\n" + text) == Shell(Dialect.SH, (), "shebang")


def test_directive_may_claim_a_script_from_another_interpreter() -> None:
    text = "#!/usr/bin/env wrapper -e\n# shellguard: dialect=bash\n"
    assert detected(text) == Shell(Dialect.BASH, (), "directive")


def test_unknown_dialect_in_a_directive_is_not_passed_over() -> None:
    found = detected("#!/bin/bash\n# shellguard: dialect=bahs\n")
    assert found == Unsupported("bahs", "directive")
    assert found.message == "its directive asks for the dialect 'bahs'; known are bash, sh, dash, ksh"


def test_zsh_by_directive() -> None:
    found = detected("# shellcheck shell=zsh\n", "x.sh")
    assert found == Unsupported("zsh", "directive")
    assert found.is_shell


@pytest.mark.parametrize("text", ["#!/bin/zsh\n", "# shellguard: dialect=ksh\n", "echo\n", "#!/usr/bin/python3 -e\n"])
def test_override_wins_over_everything(text: str) -> None:
    assert detected(text, "x.fish", Dialect.DASH) == Shell(Dialect.DASH, (), "--dialect")


def test_override_keeps_the_options_of_the_shebang() -> None:
    assert detected("#!/bin/bash -e\n", override=Dialect.KSH) == Shell(Dialect.KSH, ("-e",), "--dialect")


def test_message_has_no_control_characters() -> None:
    found = detected("#!/bin/\x1b[31m\udcff\n")
    assert isinstance(found, Unsupported)
    assert found.message == "its shebang names '\\x1b[31m\\udcff', which is not a shell that can be checked"


def test_language_of_name() -> None:
    assert language_of_name("a/b.zsh") == ("zsh", "extension")
    assert language_of_name("a.sh/b") is None
    assert language_of_name(".sh") == ("bash", "extension")


@given(st.binary(max_size=80).filter(lambda data: b"\0" not in data))
def test_any_first_line_is_read(data: bytes) -> None:
    shebang = parse_shebang("#!" + decode(data))
    assert shebang is None or shebang.interpreter
    assert detect(Source("x", "#" + decode(data))).reason in ("default", "directive", "shebang")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#!/bin/sh\n#! -*-perl-*-\neval 'exec perl -x \"$0\"'\n", "perl"),
        ("#!/bin/sh\n# -*- mode: Python; coding: utf-8 -*-\n", "python"),
        ("#!/bin/sh\n# -*- tcl -*-\n", "tcl"),
    ],
)
def test_a_mode_line_names_another_language(text: str, language: str) -> None:
    assert detected(text) == Unsupported(language, "mode line")


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh\n# -*- mode: sh -*-\n",
        "#!/bin/sh\n# -*- shell-script -*-\n",
        "#!/bin/sh\n# -*- coding: utf-8 -*-\n",
        "#!/bin/sh\n#\n# -*- perl -*- is what the next script is\n",
        "#!/bin/sh\necho '-*- perl -*-'\n",
    ],
)
def test_other_mode_lines_change_nothing(text: str) -> None:
    assert detected(text) == Shell(Dialect.SH, (), "shebang")


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ('\'\'\'exec\' "/srv/a folder/bin/python3.12" "$0" "$@"', "python"),
        ('\'\'\'exec\' "$(dirname -- "$(realpath -- "$0")")/python3" "$0" "$@"', "python"),
        ('# restarted by tclsh \\\nexec tclsh "$0" "$@"', "tcl"),
        ("eval 'exec perl -wS $0 ${1+\"$@\"}'\n  if 0;", "perl"),
        ('"exec" "/usr/bin/python" "$0" "$@"', "python"),
    ],
)
def test_the_first_command_may_hand_the_script_to_another_interpreter(line: str, language: str) -> None:
    assert detected(f"#!/bin/sh\n\n{line}\nrest of it\n") == Unsupported(language, "first command")


@pytest.mark.parametrize(
    "line", ['exec python3 run.py "$@"', 'exec "$0.real"', '[ "$X" ] || exec perl "$0"', "exec 3>&1"]
)
def test_other_first_commands_leave_it_a_shell_script(line: str) -> None:
    assert detected(f"#!/bin/sh\n{line}\n") == Shell(Dialect.SH, (), "shebang")
