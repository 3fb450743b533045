"""Wrappers are seen through in every form that their own documentation gives."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shellguard.flow.arguments import Argument, Partial, Place
from shellguard.flow.wrappers import unwrap


def words(text: str) -> list[Argument]:
    """Split like a shell; a word that begins with `$` isn't known, one that holds a `$` only up to it."""
    return [_argument(word) for word in shlex.split(text)]


def _argument(word: str) -> Argument:
    known, dollar, _ = word.partition("$")
    if not dollar:
        return word
    return Partial(known) if known else None


# `|` stands before the command that is really run.
SEEN_THROUGH = """
timeout 10 | make
timeout -k 5 --signal=KILL 10s | make -j4
timeout -k5 -s9 .5h | make
timeout --preserve-status --foreground 1e3 | make
timeout -v 2d | make
timeout -- 2d | make
timeout $limit | make
timeout ${limit}s | make
timeout $options 10 | make
timeout $options -k 5 10 | make
timeout $limit | $command make
/usr/bin/timeout 5 | make
gtimeout 5 | make
nice | make
nice -n 5 | make
nice -n5 | make
nice -n -5 | make
nice -n$level | make
nice -5 | make
nice --adjustment=5 | make
nice --adjustment 5 | make
nohup | ./run.sh
nohup -- | ./run.sh
env A=1 B=2 | make
env -i - A=1 | make
env -u X -C /tmp | make
env --unset=X --ignore-environment | make
env A=$x PATH=$y | make
env -- A=1 | make
sudo -u root -E | make
sudo -nH -uroot A=1 -- | make
sudo --user=root --preserve-env=A,B | make
sudo A=1 | make
sudo -k | make
doas -n -u root | make
/usr/bin/time -v -o log -f '%e %M' | make
/usr/bin/time --output=log --append | make
time -p | make
stdbuf -oL | make
stdbuf -o L -e0 --input=0 | make
command | make
command -p | make
exec | make
exec -a name | make
exec -cl | make
builtin | cd x
flock file | make x
flock -n file | make x
flock -x -w 5 $lock | make x
flock --timeout 5 --conflict-exit-code=3 file | make
xargs | rm
xargs -0 -n1 -P 4 -I{} | rm {}
xargs -I {} -r | rm -f {}
xargs -i -t | rm {}
xargs --null --max-args=3 --max-procs 2 | rm
xargs -d '\\n' -a list | rm
setsid -w | make
ionice -c2 -n7 | make
ionice -c 3 -t | make
chrt -f 99 | make
chrt --batch 0 | make
taskset -c 0-3 | make
taskset 0x3 | make
taskset --cpu-list 0,2 | make
taskset -c $cpus | make
numactl --cpunodebind=0 -m 0 | make
chroot /mnt | make
chroot --userspec=a:b $root | make
runuser -u www -- | make
runuser -u www | make
gosu www | make
su-exec www:www | make
setpriv --reuid=1 --regid 1 --clear-groups | make
setarch i386 -R | make
setarch $arch -R | make
linux32 | make
prlimit --nofile=1024 -n512 | make
choom -n 5 -- | make
unshare -rn --mount-proc | make
nsenter -t 1 -m | make
pkexec --user www | make
chpst -u www -m 1000 | make
strace -f -o log -e trace=open | make
strace -ff --output=log -tt | make
ltrace -c -o log | make
perf stat -e cycles -r 5 | make
perf stat -- | make
perf record -g -o data -- | make
perf record --call-graph dwarf -F 99 | make
valgrind --leak-check=full -q --error-exitcode=1 | ./a
catchsegv | ./a
systemd-run --scope | make
systemd-run --wait --pipe -p A=b --unit=x | make
caffeinate -i -t 10 | make
unbuffer -p | make
script -q /dev/null | make x
dumb-init -- | make
tini -s -- | make
xvfb-run -a -s '-screen 0 1x1x24' | make
dbus-run-session -- | make
eatmydata -- | make
fakeroot -i state -s state -- | make
proot -r root -b /proc | make
faketime '2020-01-01 00:00' | make
faketime -f +1d | make
chronic -e | make
torsocks -i | curl x
proxychains4 -q -f conf | curl x
cgexec -g cpu:x | make
parallel -j 4 --halt now,fail=1 | gzip {} ::: a b
watch -n 5 -d | df -h
srun -n 4 --mem=4G -p gpu | python3 x
srun -N1 --exclusive --gres gpu:1 | ./a
mpirun -np 4 | ./a
mpirun --mca btl self,tcp -x A --hostfile hosts -n 4 | ./a
mpirun --allow-run-as-root -np $n --bind-to core | ./a
mpiexec -genv A b -n 2 -ppn 1 | ./a
busybox | tar x
toybox | tar x
poetry run | pytest -q
pipenv run | pytest
uv run --with x --python 3.12 | pytest
npx -y | jest
npm exec -- | jest
pnpm exec | jest
bundle exec | rspec
conda run -n env --no-capture-output | python x
rustup run nightly | cargo x
docker exec -it -e A=1 -w /x web | ls
docker -H host exec web | ls
podman exec --user=x web | ls
docker compose -f file exec -T web | ls
docker-compose exec web | ls
kubectl -n space exec -it pod -c main -- | ls
kubectl exec deploy/x -- | ls
lxc exec box -- | ls
apptainer exec --nv image.sif | python x
ip netns exec blue | ping x
sudo timeout 5 env A=1 nice -n3 xargs -r | rm
time nohup setsid -w ionice -c3 | tar cf x y
""".strip().splitlines()

ALONE = """
nice
env
env A=1
sudo -v
sudo -l
sudo -n -k
sudo -e file
command -v make
command -pv make
command -V make
exec
flock 9
flock -n 9
flock -u $fd
xargs -0
setsid -f make
ionice -c3 -p 55
chrt -p 5
taskset -cp 0 55
numactl --hardware
runuser -l www -c make
runuser www
timeout --version
time
perf list
perf record -p 5
systemd-run --unit=x make
systemd-run --user make
docker exec -d web make
docker run -it image make
uv sync
uv run -m pytest
busybox --list
parallel
strace -p 5
script typescript
""".strip().splitlines()

UNKNOWN = """
timeout --unheard-of 10 make
timeout ten make
sudo --unheard-of make
sudo $command make
sudo -$flags make
nice $options make
env $assignments make
xargs --max-args=3 $command
srun --unheard-of value ./a
mpirun -unheard-of ./a
kubectl exec pod ls
parallel ::: a b
chrt make x
""".strip().splitlines()

CODE = [
    ("env -S 'perl -w' x", Place(2)),
    ("env '-Sperl -w' x", Place(1, 2)),
    ("flock file -c 'make x'", Place(3)),
    ("flock -n file --command 'make x'", Place(4)),
    ("flock -c 'make x' file", Place(2)),
    ("script -qec 'make x' /dev/null", Place(2)),
    ("watch 'df | tail'", Place(1)),
    ("parallel -j2 'gzip {} && rm {}' ::: a", Place(2)),
    ("npx -c 'jest --ci'", Place(2)),
    ("sudo flock file -c 'make x'", Place(4)),
]


@pytest.mark.parametrize("line", SEEN_THROUGH)
def test_finds_the_command_behind_wrappers(line: str) -> None:
    wrapper, _, command = line.partition("| ")
    argv = words(wrapper) + words(command)
    assert unwrap(argv).inner == len(words(wrapper))


@pytest.mark.parametrize("line", ALONE)
def test_a_wrapper_that_wraps_nothing_is_the_command(line: str) -> None:
    found = unwrap(words(line))
    assert (found.inner, found.wrappers) == (0, ())


@pytest.mark.parametrize("line", UNKNOWN)
def test_says_unknown_where_options_cant_be_told_apart(line: str) -> None:
    found = unwrap(words(line))
    assert found.wrappers
    assert found.inner is None
    assert found.code is None


@pytest.mark.parametrize(("line", "place"), CODE)
def test_points_at_shell_code(line: str, place: Place) -> None:
    found = unwrap(words(line))
    assert found.inner is None
    assert found.code == place


def test_names_the_chain_outermost_first() -> None:
    found = unwrap(words("sudo -E docker exec web timeout 5 make"))
    assert [(use.name, use.word) for use in found.wrappers] == [("sudo", 0), ("docker exec", 2), ("timeout", 5)]


@pytest.mark.parametrize(
    ("line", "elsewhere"),
    [
        ("docker exec web ls", True),
        ("sudo chroot /mnt ls", True),
        ("nsenter -t 1 -m ls", True),
        ("sudo ls", False),
        ("fakeroot ls", False),
    ],
)
def test_tells_commands_that_see_other_files(line: str, elsewhere: bool) -> None:  # noqa: FBT001 - pytest passes by name
    assert unwrap(words(line)).elsewhere is elsewhere


@pytest.mark.parametrize("line", ["make", "./timeout 5 make", "/opt/bin/nice make", "$nice make", "find . -exec nice"])
def test_what_is_no_wrapper_is_its_own_command(line: str) -> None:
    assert unwrap(words(line)).inner == 0


def test_no_words_no_command() -> None:
    assert unwrap([]).inner is None


# What the tools installed here really do with the same words: they must run the command that stands after the bar.
RUNNABLE = [
    line.partition(" | ")[0]
    for line in [
        "timeout 10 | x",
        "timeout -k 5 --signal=KILL 10s | x",
        "timeout -k5 -s9 .5h | x",
        "timeout --preserve-status --foreground 1e3 | x",
        "timeout -v 2d | x",
        "timeout -- 2d | x",
        "nice | x",
        "nice -n 5 | x",
        "nice -n5 | x",
        "nice -5 | x",
        "nice --adjustment 5 | x",
        "nohup -- | x",
        "env A=1 B=2 | x",
        "env -u X -C / | x",
        "env -- A=1 | x",
        "env --unset=X | x",
        "stdbuf -o L -e0 --input=0 | x",
        "flock /dev/null | x",
        "flock --timeout 5 --conflict-exit-code=3 /dev/null | x",
        "flock -x -w 5 /dev/null | x",
        "setsid -w | x",
        "ionice -c3 -t | x",
        "ionice -c 2 -n 7 | x",
        "chrt --batch 0 | x",
        "prlimit --nofile=1024 -n512 | x",
        "choom -n 5 -- | x",
        "xargs -0 -n1 -P 4 | x",
        "xargs -d x -E y | x",
        "time -v -o /dev/null -f '%e' | x",
        "nice -n3 env A=1 timeout 5 stdbuf -oL | x",
    ]
]


@pytest.mark.skipif(sys.platform != "linux", reason="the options are those of GNU and util-linux")
@pytest.mark.parametrize("prefix", RUNNABLE)
def test_the_real_tools_agree(prefix: str) -> None:
    wrapper = [str(word) for word in words(prefix)]
    program = shutil.which(wrapper[0])
    if program is None:
        pytest.skip(f"{wrapper[0]} isn't installed")
    argv = [*wrapper, "printf", "ran"]
    assert unwrap(argv).inner == len(wrapper)
    run = subprocess.run([program, *argv[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert "ran" in run.stdout, run.stderr


tokens = st.one_of(
    st.sampled_from(
        ["sudo", "env", "timeout", "-k", "5", "--", "-", "A=1", "docker", "exec", "flock", "-c", "xargs", "find"]
    ),
    st.sampled_from(
        ["mpirun", "--mca", "perf", "record", "watch", "a b", "", "--x=", "-n", "kubectl", ":::", "git", "diff"]
    ),
    st.none(),
    st.builds(Partial, st.sampled_from(["", "-", "--", "--output=", "A=", "-o", "/opt/"])),
    st.text(max_size=4),
)


@given(st.lists(tokens, max_size=8))
def test_any_words_are_survived(argv: Sequence[Argument]) -> None:
    found = unwrap(argv)
    places = [use.word for use in found.wrappers] + ([] if found.inner is None else [found.inner])
    assert places == sorted(set(places))
    assert all(0 <= place < len(argv) for place in places)
