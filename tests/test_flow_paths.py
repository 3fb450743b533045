"""Where jobs' output goes, what is run by its path, and which commands have to do with a path."""

from __future__ import annotations

import pytest
from flow_scripts import command, facts_of, shown
from hypothesis import given
from hypothesis import strategies as st

from shellguard.flow.lookups import Lookup
from shellguard.flow.paths import Mention
from shellguard.flow.values import WILDCARD, Symbol, Value, render


def texts(value: Value) -> str:
    """A value with its symbols as `<name>`, its alternatives parted by `|`."""
    return "|".join(
        "".join(atom if isinstance(atom, str) else f"<{atom.name}>" for atom in atoms) for atoms in value.alternatives
    )


def writes(script: str) -> list[tuple[str, str, str]]:
    """Each write: the job's first word, the path, and the text that says so."""
    facts = facts_of(script)
    return [
        (shown(facts, write.job.words[0]), texts(write.path), shown(facts, write.node))
        for write in facts.paths.writes()
    ]


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("make > log", ("make", "log", "> log")),
        ("make >> log 2>&1", ("make", "log", ">> log")),
        ("make &> log", ("make", "log", "&> log")),
        ("make >| log", ("make", "log", ">| log")),
        ("make >& log", ("make", "log", ">& log")),
        ("make 1> log", ("make", "log", "1> log")),
        ("> log make", ("make", "log", "> log")),
        ('./bench > "$OUT/a.txt"', ("./bench", "<OUT>/a.txt", '> "$OUT/a.txt"')),
        ("OUT=/srv/x; ./bench > ${OUT}/a.txt", ("./bench", "/srv/x/a.txt", "> ${OUT}/a.txt")),
        ("sudo -u db timeout 9 pg_dump x > dump", ("sudo", "dump", "> dump")),
        ("f() { make; }; f > log", ("f", "log", "> log")),
        ("make | tee log", ("make", "log", "log")),
        ('make 2>&1 | tee -a "$D/log"', ("make", "<D>/log", '"$D/log"')),
        ("a | make | sudo tee log > /dev/null", ("a", "log", "log")),
        ("curl -fo page https://x", ("curl", "page", "page")),
        ("wget -O page https://x", ("wget", "page", "page")),
        ("gcc a.c -o prog", ("gcc", "prog", "prog")),
        ("pytest --junitxml=report.xml", ("pytest", "report.xml", "--junitxml=report.xml")),
        ("./bench --output result.json", ("./bench", "result.json", "result.json")),
        ("{ date; make; } > log", ("make", "log", "> log")),
        ("(make) > log", ("make", "log", "> log")),
        ("for i in a b; do make $i; done >> log", ("make", "log", ">> log")),
        ("while read x; do make $x; done < list > log", ("make", "log", "> log")),
        ("if a; then make; fi > log", ("make", "log", "> log")),
    ],
)
def test_the_output_of_a_job_goes_to_a_file(script: str, found: tuple[str, str, str]) -> None:
    assert writes(script) == [found]


@pytest.mark.parametrize(
    "script",
    [
        "make > /dev/null",
        "make > /dev/stderr",
        "make 2> errors",
        "make >&2",
        "make 2>&1",
        "make >&-",
        "make < input",
        "echo x > log",
        "date >> log",
        "cat a > b",
        "sort -o a b",
        "cat a | tee b",
        "make | grep x",
        "make | tee",
        "make | tee >(gzip > log.gz)",
        "{ make > /dev/null; } > log",
        "{ echo a; date; } > log",
        'make > "$1"',
        "make > /etc/x.conf",
        "make > /var/lib/x/state",
        "./bench --output json",
        ". ./lib.sh > log",
        'eval "$x" > log',
    ],
)
def test_no_job_writes_a_file_that_stays(script: str) -> None:
    assert writes(script) == []


def test_one_job_may_write_several_files() -> None:
    assert [path for _, path, _ in writes("make | tee a b; pytest --junitxml=c > d")] == ["d", "c", "a", "b"]


def test_a_parameter_is_known_where_the_function_is_called_once() -> None:
    assert writes('f() { make > "$1"; }; f log') == [("make", "log", '> "$1"')]
    assert writes('f() { make > "$1"; }; f a; f b') == []


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("python3 a.py", ("a.py", True)),
        ("bash -x b.sh arg", ("b.sh", True)),
        ("./c --flag", ("./c", False)),
        ("sudo nice -n 5 /opt/d", ("/opt/d", False)),
        (". lib.sh", ("lib.sh", True)),
        ('source "$L/lib.sh"', ("<L>/lib.sh", True)),
        ('L=/srv; "$L/run"', ("/srv/run", False)),
        ("java -jar x.jar", ("x.jar", True)),
        ("if c; then L=/a; else L=/b; fi; node $L/x.js", ("/a/x.js|/b/x.js", True)),
    ],
)
def test_what_is_run_by_its_path(script: str, found: tuple[str, bool]) -> None:
    facts = facts_of(script)
    assert [(texts(run.path), run.is_operand) for run in facts.paths.runs()] == [found]


@pytest.mark.parametrize(
    "script", ["python3 -m x", "python3 -c 'x'", "make", "cat ./x", "ssh host ./x", "f() { :; }; f ./x", "bash -c ./x"]
)
def test_nothing_is_run_by_its_path(script: str) -> None:
    assert [texts(run.path) for run in facts_of(script).paths.runs()] == []


def test_a_run_knows_its_folder() -> None:
    facts = facts_of("cd /srv/x && ./run; (cd y; ./other); ./third")
    folders = {shown(facts, run.command): texts(run.folder) for run in facts.paths.runs()}
    assert folders["./run"] == "/srv/x"
    assert folders["./other"].endswith("/y")
    assert not folders["./third"].endswith("/y")


def mention_of(script: str, path: str) -> Mention:
    """The only mention of a path."""
    found = [mention for mention in facts_of(script).paths.mentions() if mention.text == path]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("script", "looks", "makes"),
    [
        ("cat f", True, False),
        ("grep x f", True, False),
        ("[ -s f ]", True, False),
        ("[[ -s f ]]", True, False),
        ("stat -c %s f", True, False),
        ("wc -l < f", True, False),
        ("while read x; do :; done < f", True, False),
        ("case f in x) ;; esac", True, False),
        ("for x in f; do :; done", True, False),
        ("rm f", True, False),
        ("A=f ./job", True, False),
        ("python3 f", True, False),
        ("aws s3 cp f s3://b/", True, True),
        ("unknown-tool f", True, True),
        ("cp x f", True, True),
        ("curl -o f u", False, True),
        ("make | tee f", False, True),
        ("mkdir f", False, True),
        ("touch f", False, True),
        ("echo x > f", False, True),
        ("make >> f", False, True),
        ("{ a; } > f", False, True),
        ("chmod +x f", False, False),
        ("echo f", False, False),
        ("logger f", False, False),
        ("x=f", False, False),
    ],
)
def test_what_a_command_has_to_do_with_a_path(script: str, *, looks: bool, makes: bool) -> None:
    mention = mention_of(script, "f")
    assert (mention.looks, mention.makes) == (looks, makes)


def test_each_alternative_is_mentioned() -> None:
    facts = facts_of("if a; then x=1; else x=2; fi; cat $x.txt")
    assert {mention.text for mention in facts.paths.mentions()} >= {"1.txt", "2.txt"}


@pytest.mark.parametrize(
    ("script", "follows"),
    [
        ("early; late", True),
        ("late; early", False),
        ("if early; then late; fi", True),
        ("if a; then late; fi; early", False),
        ("for i in 1 2; do late; early; done", True),
        ("while a; do late; done; early", False),
        ("while late; do early; done", True),
        ("f() { late; }; early; f", True),
        ("f() { early; }; f; late", True),
        ("f() { early; }; late; f", False),
        ("f() { late; }; early", True),
    ],
)
def test_what_may_run_after(script: str, *, follows: bool) -> None:
    facts = facts_of(script)
    assert facts.paths.may_follow(command(facts, "late"), command(facts, "early")) is follows


def test_a_condition_comes_before_what_it_guards() -> None:
    facts = facts_of("[[ -f x ]] && late")
    guard = next(mention.command for mention in facts.paths.mentions() if mention.text == "x")
    assert facts.paths.may_follow(command(facts, "late"), guard)


# Lookups


def found(path: str, *mentions: str) -> list[str]:
    """Which of these texts concern a path; `*` stands for a glob, `<x>` for a symbol."""
    facts = facts_of("cat x")
    node = facts.structure.simple_commands[0]
    use = mention_of("cat x", "x").use
    every = [Mention(node, 0, coded(text), looks=True, makes=False, use=use) for text in mentions]
    answers = {mention.text for mention in Lookup(every).of(coded(path))}
    return [text for text in mentions if coded(text) in answers]


def coded(text: str) -> str:
    """A rendered path."""
    star, symbol = render((WILDCARD,)), render((Symbol("OUT"),))
    return text.replace("*", star).replace("<OUT>", symbol)


@pytest.mark.parametrize(
    ("path", "mention"),
    [
        ("a.txt", "a.txt"),
        ("./a.txt", "a.txt"),
        ("a.txt", "./a.txt"),
        ("/srv/x/a.txt", "/srv/x/a.txt"),
        ("/srv/x/a.txt", "/srv/x"),
        ("/srv/x/a.txt", "/srv/x/"),
        ("/srv/x/a.txt", "/srv"),
        ("/srv/x/a.txt", "--log=/srv/x/a.txt"),
        ("/srv/x/a.txt", "--prefix=/srv/x"),
        ("/srv/x/a.txt", "/data:/srv/x"),
        ("/srv/x/a.txt", "grep -q ERROR /srv/x/a.txt && mail"),
        ("/srv/x/a.txt", "/srv/x/*"),
        ("/srv/x/a.txt", "/srv/*/a.txt"),
        ("/srv/x/a.txt", "/srv/x/*.txt"),
        ("/srv/x/a.txt", "/srv/*"),
        ("/srv/x/a.txt", "x/a.txt"),
        ("/srv/x/a.txt", "a.txt"),
        ("<OUT>/a.txt", "<OUT>/a.txt"),
        ("<OUT>/a.txt", "<OUT>"),
        ("<OUT>/a.txt", "<OUT>/*.txt"),
        ("a.txt", "."),
        ("a.txt", "*.txt"),
        ("x/a.txt", "x"),
    ],
)
def test_a_mention_concerns_the_path(path: str, mention: str) -> None:
    assert found(path, "unrelated", mention, "other") == [mention]


@pytest.mark.parametrize(
    ("path", "mention"),
    [
        ("/srv/x/a.txt", "/srv/x/b.txt"),
        ("/srv/x/a.txt", "/srv/x/a"),
        ("/srv/x/a.txt", "/srv/xy"),
        ("/srv/x/a.txt", "/srv/x/*.log"),
        ("/srv/x/a.txt", "/srv/y/*"),
        ("/srv/x/a.txt", "."),
        ("/srv/x/a.txt", "txt"),
        ("<OUT>/a.txt", "<OUT>/b.txt"),
        ("<OUT>/a.txt", "OUT"),
        ("a.txt", "b.txt"),
    ],
)
def test_a_mention_of_something_else(path: str, mention: str) -> None:
    assert found(path, mention) == []


NAMES = st.sampled_from(["a", "b", "ab", "a.txt"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join) | st.lists(NAMES, min_size=1, max_size=3).map(
    lambda names: "/" + "/".join(names)
)


@given(PATHS, st.lists(PATHS, max_size=8))
def test_the_path_itself_and_its_folders_are_always_found(path: str, others: list[str]) -> None:
    folders = [path.rsplit("/", count)[0] for count in range(1, path.count("/") + 1)]
    wanted = [path, *(folder for folder in folders if folder)]
    assert set(wanted) <= set(found(path, *others, *wanted))


@given(PATHS, st.lists(PATHS, max_size=8))
def test_what_is_found_shares_a_name_or_a_folder(path: str, mentions: list[str]) -> None:
    for mention in found(path, *mentions):
        same_name = mention.rsplit("/", 1)[-1] == path.rsplit("/", 1)[-1]
        assert same_name or path.startswith(f"{mention}/") or path in mention
