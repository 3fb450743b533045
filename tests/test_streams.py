"""Readers that may leave early are told from those that read to the end."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shellguard.flow.arguments import Argument
from shellguard.flow.streams import InputUse, early_closing_reader, input_use, is_pure_copier, reads_stdin_to_end

EARLY = [
    *(
        "head",
        "head -5",
        "head -n 3",
        "head -c5",
        "sudo head",
        "timeout 5 head -1",
        "grep -q x",
        "grep -m1 x",
        "egrep -qi x",
    ),
    *("grep -l x", "grep --max-count=2 x", "grep -iqe x", "sed q", "sed 5q", "sed -n '1{p;q}'", "sed -n '5{p\nq\n}'"),
    *(
        "sed '/x/q'",
        "sed -e s/a/b/ -e '/x/q'",
        "sed '1,/q/d;Q'",
        "sed 's/[^/]*$//;5q'",
        r"sed '\,x,q'",
        "sed '/x/q5'",
    ),
    *("awk 'NR==1{print;exit}'", "awk 'NR>3 {exit} {print}'", "awk 'BEGIN{exit}'", "awk 'function f(){exit} {f()}'"),
    *(
        "perl -ne 'print; last'",
        "ruby -ne 'exit if $_'",
        "read x",
        "true",
        ":",
        "echo x",
        "sleep 5",
        "[ -f x ]",
        "date",
    ),
    *("dd count=1", "dd if=x", "od -N 4", "xxd -l 5", "hexdump -n 5", "cmp - x", "jq -n .", "mapfile -n 5 x"),
]
TO_END = [
    *(
        "cat",
        "cat -",
        "cat -n",
        "sort",
        "sort -u -k2",
        "wc -l",
        "uniq -c",
        "tr a b",
        "cut -f1",
        "tail -5",
        "tail -n +2",
        "tee x",
    ),
    *(
        "tee -a x y",
        "sudo tee x",
        "grep x",
        "grep -c x",
        "grep -v -e x",
        "grep x -",
        "sed s/a/b/",
        "sed 's/q/Q/;p'",
        "sed -n p",
    ),
    *(
        "sed '/q/d'",
        r"sed '\,q,d'",
        "sed 'y/abq/qab/'",
        r"sed ':q;N;$!bq;s/\n/ /g'",
        "sed 's/[/]/;q/'",
        r"sed 'a\ q'",
        "sed '#q'",
    ),
    *(
        "awk '{print $1}'",
        "awk 'END{exit 1}'",
        "awk '/x/{f=1} END{exit !f}'",
        "awk '{print \"exit\"}'",
        "awk -F: '{print}'",
    ),
    *(
        "perl -pe s/a/b/",
        "perl -ne 'print if /x/'",
        "xargs rm",
        "xargs -n1 ./x",
        "head -n -3",
        "head -c -1",
        "gzip",
        "gzip -c",
    ),
    *(
        "jq .x",
        "dd of=x",
        "dd bs=1M",
        "od -c",
        "sha256sum",
        "column -t -s ,",
        "ts '%H'",
        "envsubst '$A'",
        "timeout 5 cat",
    ),
    *("mapfile -t x", "nice sort", "diff - x", "comm - x", "paste - -"),
]
UNKNOWN = [
    *(
        "./x",
        "$x",
        "python3 x.py",
        "ssh host x",
        "psql",
        "cat x",
        "sort x",
        "grep x y",
        "sed p x",
        "sed -f x",
        "awk -f x",
        "gzip x",
    ),
    *(
        "awk $program",
        "sed $script",
        "perl x.pl",
        "perl -e 'print <>'",
        "xargs -a x rm",
        "sha256sum -c x",
        "timeout $x",
        "less",
        "jq . x",
    ),
]


def words(text: str) -> list[Argument]:
    """Split like a shell; a word that begins with `$` isn't known."""
    return [None if word.startswith("$") and word[1:].isalpha() else word for word in shlex.split(text)]


@pytest.mark.parametrize("line", EARLY)
def test_early_closing_reader(line: str) -> None:
    assert early_closing_reader(words(line))
    assert not reads_stdin_to_end(words(line))


@pytest.mark.parametrize("line", TO_END)
def test_reads_stdin_to_end(line: str) -> None:
    assert reads_stdin_to_end(words(line))
    assert not early_closing_reader(words(line))


@pytest.mark.parametrize("line", UNKNOWN)
def test_neither_is_claimed_of_what_isnt_known(line: str) -> None:
    assert input_use(words(line)) is InputUse.UNKNOWN


@pytest.mark.parametrize("line", ["cat", "cat -", "cat -u", "tee", "/bin/cat"])
def test_pure_copier(line: str) -> None:
    assert is_pure_copier(words(line))


@pytest.mark.parametrize("line", ["cat x", "cat -n", "tee x", "sudo cat", "sort", "$x", ""])
def test_no_pure_copier(line: str) -> None:
    assert not is_pure_copier(words(line))


# The producer writes more than a pipe holds. What the reader prints goes to a pipe too: GNU grep drains its input when
# its output is /dev/null.
REAL = [
    line
    for line in EARLY + TO_END
    if shlex.split(line)[0]
    in {"head", "grep", "egrep", "sed", "awk", "perl", "cat", "sort", "tail", "wc", "uniq", "od", "cut", "tr"}
]


@pytest.mark.skipif(sys.platform != "linux", reason="the options are those of the GNU tools")
@pytest.mark.parametrize("line", REAL)
def test_the_real_tools_agree(line: str) -> None:
    argv = shlex.split(line)
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} isn't installed")
    script = 'yes "x a q 1" | head -n 200000 | "$@" | cat >/dev/null; printf "%s\\n" "${PIPESTATUS[1]}"'
    run = subprocess.run(["bash", "-c", script, "bash", *argv], capture_output=True, text=True, check=True)
    died_of_sigpipe = run.stdout.strip() == "141"
    assert died_of_sigpipe is early_closing_reader(argv), run.stderr


@given(
    st.lists(
        st.one_of(st.none(), st.sampled_from(["sed", "awk", "-e", "perl", "-n", "head", "-c"]), st.text(max_size=12)),
        max_size=5,
    )
)
def test_any_words_are_survived(argv: Sequence[Argument]) -> None:
    assert input_use(argv) in InputUse


@pytest.mark.parametrize(
    "script", ["s" + "\\a" * 20_000, "/" + "[" * 20_000, "s,[" * 10_000, "\\,\\" * 10_000, "sxyz" * 10_000]
)
def test_no_sed_script_takes_long(script: str) -> None:
    assert input_use(["sed", script]) in InputUse
