"""Every command gets the role that a reader of the script would give it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shellguard.flow.arguments import Argument, Partial
from shellguard.flow.roles import (
    Role,
    classify,
    default_roles,
    expects_failure,
    is_infallible_in_substitution,
)


def words(text: str) -> list[Argument]:
    """Split like a shell; a word that begins with `$` isn't known."""
    return [None if word.startswith("$") else word for word in shlex.split(text)]


ROLES = {
    Role.JOB: """
        python3 x.py | python3 -c 'print(1)' | python3.11 -m pytest | bash x.sh | sh -c 'a; b' | node x
        perl x.pl | perl -e x | ./run | /opt/x/y | $lib/x | $command x | unheard-of-tool --x | make
        make -j4 all | cmake --build b | gcc-12 -o x y | pytest | go test ./... | cargo test | npm test | ctest
        mvn verify | tox | bats t | git clone x | git -C x pull | git push | git fetch | git $sub
        git checkout x | git commit -m x | git branch x | git tag v1 | docker build .
        docker run --rm -v a:/d -e d image cmd -d | docker push x | docker compose up
        docker compose up -d --wait | docker exec web cat x | kubectl apply -f x | kubectl wait x
        kubectl rollout status x | helm upgrade x | apt-get install x | apt-get update | pip install x | npm ci
        dpkg -i x | rpm -ivh x | rpm -Uvh x | pacman -Syu | tar czf a b | tar -xf a | rsync a b | scp a b
        restic backup x | borg create x | mysqldump db | pg_dump db | psql -f x | aws s3 cp a b | aws s3 sync a b
        gcloud compute instances create x | az vm create | curl x | wget x | ssh host x | sudo make
        timeout 5 $command | nohup ./x | env A=1 ./x | xargs ./x | srun ./x | mpirun -np 4 ./x | cp a b | mv a b
        install a b | dd if=a of=b | mktemp | mount /x | modprobe x | systemctl start x | systemctl restart x
        service x restart | gzip file | xz -9 file | sha256sum -c sums | gzip -t x | crontab file | hostname new
        date -s x | torchrun x.py | accelerate launch x.py | deepspeed x.py | eval x | . lib.sh | source lib.sh
        wait $pid | wait -n | false | find . -exec ./x {} + | find . -exec python3 {} ; | su - x -c y
        openssl req -new | openssl x509 -req -in x | update-initramfs -u | dpkg-maintscript-helper rm_conffile x
        adduser x | ip link set x up | ifconfig eth0 up
    """,
    Role.LAUNCHER: """
        docker run -d image | docker run -itd image | docker run --detach image | docker compose up -d
        docker-compose up --detach | docker start x | docker exec -d web x | sbatch x | qsub x | at now | batch
        screen -dmS x y | tmux new-session -d x | systemctl start --no-block x | systemctl --no-block restart x
        systemd-run --unit=x make | setsid -f x | ssh -f host x | start-stop-daemon --start --exec /x
        kubectl create job x | kubectl rollout restart x | gcloud builds submit --async | az vm start --no-wait
    """,
    Role.CHORE: """
        cd x | pushd x | popd | mkdir -p x | touch x | chmod 755 x | chown a x | ln -s a b | install -d x
        flock 9 | sed -i s/a/b/ x | sed -ni.bak p x | sed --in-place=.bak s/a/b/ x | perl -pi -e s/a/b/ x
        sort -u x -o x | awk -i inplace 1 x | git config a.b c | git init | systemctl daemon-reload
        systemctl enable x | sysctl -w a=b | ldconfig | update-rc.d x defaults | dos2unix x
        find . -exec chmod 644 {} +
    """,
    Role.CLEANUP: """
        rm -rf x | /bin/rm x | rmdir x | kill -9 1 | pkill x | killall x | umount x | docker rm x | docker stop x
        docker compose down | podman rmi x | docker image prune -f | docker system prune | kubectl delete x
        git clean -fd | git branch -D x | git stash drop | git worktree remove x | git config --unset x
        userdel x | swapoff x | losetup -d x | modprobe -r x | rmmod x | systemctl stop x | service x stop
        invoke-rc.d x stop | update-rc.d x remove | apt-get purge x | pip uninstall x | make clean
        make -C x distclean | find . -delete | find . -exec rm {} + | aws s3 rm x | iptables -F | dropdb x
        update-alternatives --remove a b | crontab -r | ip link del x | dmsetup remove x | fuser -k x | sudo rm x
        xargs rm
    """,
    Role.PROBE: """
        [ -f x ] | test -f x | command -v x | command -V x | type x | which x | hash x | read x | getopts a b
        expr 1 + 1 | git status | git rev-parse HEAD | git -C x log | git -c a=b describe | git config a.b
        git config --get a | git branch | git branch --show-current | git tag -l | git stash list | git remote -v
        git diff | git ls-remote x | docker inspect x | docker ps | docker images | docker image inspect x
        docker -H x logs y | docker compose ps | docker exec db pg_isready | kubectl get x
        kubectl -n a describe x | systemctl is-active x | systemctl status x | systemctl show -p A x
        service x status | dpkg -s x | dpkg -l x | dpkg --compare-versions 1 lt 2 | dpkg-query -W x | rpm -q x
        rpm -qi x | rpm -qa | pip show x | pip3 list | apt-cache policy | npm ls | brew --prefix | ls x | stat x
        find . -name x | find . -exec grep x {} ; | ps aux | pgrep x | pidof x | df | du | id x | who | uptime
        mount | mountpoint x | lsblk | blkid x | findmnt x | ip addr show | ip -o -4 addr | ping x | dig x
        nc -z host 1 | nvidia-smi | kill -0 1 | pkill -0 x | tar -tzf x | tar tf x | unzip -l x | date -d x
        readlink x | make -n | crontab -l | aws ec2 describe-instances | aws s3 ls
        gcloud compute instances list | az vm show | openssl x509 -noout -in x | gcc --version | ./x --help
        python3 -V | java -version | pg_isready | mysqladmin ping | psql -l | redis-cli ping | db_get x
        db_input high x | update-alternatives --query x | deb-systemd-helper was-enabled x | getent passwd
        ocf_is_probe | is_enabled x | has_binary x | assertEquals 1 2 | assert_file_has_content x | lsmod
        sysctl -n x | git show-ref x | git symbolic-ref HEAD | find . -exec sudo find . -exec rm ;
    """,
    Role.THREE_STATE: """
        grep -q x y | egrep x | zgrep x y | rg x | diff a b | cmp -s a b | git diff --quiet
        git -C x diff --exit-code HEAD | git grep x | kubectl diff -f x | sudo grep x y | xargs grep -l x
    """,
    Role.FILTER: """
        cat | cat x | tee x | sed s/a/b/ | sed -n -e s/i/x/ | sed -es/i/x/ | awk '{print}' | gawk 1 | sort -u
        sort -V | uniq | tr a b | head -1 | tail -f x | ts | gzip | gzip -c x | gunzip | zstd -c | xz -dc x | pv
        jq .x | column -t | cut -f1 | wc -l | nl | perl -pe s/a/b/ | perl -lne print | sudo tee x | sha256sum x
        base64 -d | xargs | openssl dgst -sha256 | zcat x | paste - - | iconv -f a | envsubst | sponge x | less
    """,
    Role.PRINTER: """
        echo x | printf x | logger x | print x | wall x | log x | info x | warn x | die x | log_daemon_msg x
        log_end_msg 1 | ocf_log info x | gettext x | yes | command echo x | fail x | skip x | log_info x | usage
    """,
    Role.INFALLIBLE: """
        date | date +%s | pwd | basename x | dirname x | hostname | hostname -f | id -u | id | nproc | uname -a
        whoami | seq 3 | readlink -f x | wait | env | arch | groups
    """,
    Role.BOOKKEEPING: """
        : | true | set -e | shopt -s x | shift | local x=1 | declare -a x | typeset x | readonly x | export x
        unset x | trap x EXIT | alias x=y | umask 022 | hash -r | ulimit -n 5 | sleep 1 | tput sgr0 | let x=1
        exec | jobs | break | mapfile x | sudo -k | builtin export x | stty -echo | db_stop
    """,
    Role.CONTROL: "exit 1 | return | logout",
}
CASES = [
    (line.strip(), role) for role, text in ROLES.items() for part in text.splitlines() for line in part.split(" | ")
]


@pytest.mark.parametrize(("line", "role"), [case for case in CASES if case[0]])
def test_role(line: str, role: Role) -> None:
    found = classify(words(line))
    assert found.role is role, found.why


def test_no_words_are_bookkeeping() -> None:
    assert classify([]).role is Role.BOOKKEEPING


def test_names_the_command_as_written_and_the_one_inside() -> None:
    found = classify(words("sudo -u x timeout 5 /usr/bin/git status"))
    assert (found.name, found.inner_name, found.inner) == ("sudo", "/usr/bin/git", 5)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("git -C x status", "`git status` is listed as probe"),
        ("gzip x", "`gzip` is listed as job"),
        ("podman ps", "`docker ps` is listed as probe"),
        ("./run", "it is a program of its own"),
        ("$x", "its name is known only at run time"),
        ("unheard-of", "commands that aren't listed count as jobs"),
        ("timeout --unheard-of 5 x", "what timeout runs can't be told"),
        ("flock x -c 'a; b'", "flock runs shell code"),
        ("node --version", "it only asks for a version or help"),
        ("docker exec web echo x", "it runs in another place, which may not be there"),
        ("log_end_msg 0", "`log_*` is listed as printer"),
        ("find . -exec rm {} ;", "find runs a command, and `rm` is listed as cleanup"),
    ],
)
def test_says_why(line: str, why: str) -> None:
    assert classify(words(line)).why == why


@pytest.mark.parametrize(
    ("line", "certain"),
    [
        ("./run", True),
        ("make clean", True),
        ("echo", True),
        ("unheard-of", False),
        ("$x", False),
        ("sudo $x", False),
    ],
)
def test_tells_guesses_from_knowledge(line: str, certain: bool) -> None:  # noqa: FBT001 - pytest passes by name
    assert classify(words(line)).certain is certain


def test_a_partly_known_path_is_a_program() -> None:
    found = classify([Partial("/opt/bench/"), "--all"])
    assert (found.role, found.name, found.certain) == (Role.JOB, None, True)


@pytest.mark.parametrize(
    ("line", "role", "inner"),
    [
        ("$sudo rm -f x", Role.CLEANUP, 1),
        ("$sudo docker exec -i c grep x", Role.THREE_STATE, 5),
        ("$run test", Role.JOB, 0),
    ],
)
def test_a_variable_before_a_common_command_is_a_wrapper(line: str, role: Role, inner: int) -> None:
    found = classify(words(line))
    assert (found.role, found.inner, found.certain) == (role, inner, False)


def test_a_partly_known_name_is_no_path() -> None:
    found = classify([Partial("do_"), "x"])
    assert (found.role, found.certain) == (Role.JOB, False)


def test_roles_say_whether_they_are_work_or_bookkeeping() -> None:
    assert {role for role in Role if role.is_work} == {Role.JOB, Role.LAUNCHER, Role.CHORE}
    assert {role for role in Role if role.is_bookkeeping} == {Role.PRINTER, Role.INFALLIBLE, Role.BOOKKEEPING}


def test_users_give_roles_without_changing_the_table() -> None:
    roles = {
        "notify": Role.PRINTER,
        "mytool status": Role.PROBE,
        "mytool -n": Role.PROBE,
        "ci/lint.sh": Role.CHORE,
        "lib_*": Role.PROBE,
    }
    table = default_roles().with_roles(roles)

    def role(line: str) -> Role:
        return table.classify(words(line)).role

    assert role("notify x") is Role.PRINTER
    assert role("sudo mytool --deep status") is Role.PROBE
    assert role("mytool run -n") is Role.PROBE
    assert role("mytool run") is Role.JOB
    assert role("ci/lint.sh") is Role.CHORE
    assert role("lib_x") is Role.PROBE
    assert role("git status") is Role.PROBE
    assert classify(["notify", "x"]).role is Role.JOB


def test_users_overrule_the_table() -> None:
    table = default_roles().with_roles({"rm": Role.JOB, "git status": Role.JOB})
    assert table.classify(["rm", "x"]).role is Role.JOB
    assert table.classify(["git", "status"]).role is Role.JOB
    assert table.classify(["git", "log"]).role is Role.PROBE


@pytest.mark.parametrize(
    "line",
    [
        *(
            "grep x y",
            "kill 1",
            "rm x",
            "diff a b",
            "mkdir x",
            "command -v x",
            "read x",
            "umount x",
            "pkill x",
            "sudo rm x",
        ),
        *(
            "git commit -m x",
            "git stash pop",
            "docker network create x",
            "useradd x",
            "find . -delete",
            "git diff --quiet",
        ),
    ],
)
def test_failure_is_expected(line: str) -> None:
    assert expects_failure(words(line))


@pytest.mark.parametrize(
    "line", ["make", "git push", "cp a b", "docker build .", "$x", "timeout $x", "echo x", "pytest", "cd x"]
)
def test_failure_isnt_expected(line: str) -> None:
    assert not expects_failure(words(line))


@pytest.mark.parametrize(
    "line",
    [
        "date",
        "pwd",
        "basename x",
        "echo x",
        "mktemp",
        "mktemp -d",
        "expr 1 + 1",
        "realpath x",
        "id -u",
        "tput cols",
        "sudo pwd",
    ],
)
def test_infallible_in_substitution(line: str) -> None:
    assert is_infallible_in_substitution(words(line))


@pytest.mark.parametrize(
    "line", ["make", "curl x", "cat x", "git rev-parse HEAD", "date -d x", "$x", "timeout $x", "docker exec web date"]
)
def test_fallible_in_substitution(line: str) -> None:
    assert not is_infallible_in_substitution(words(line))


PREFIXES = [
    *(
        "timeout 5",
        "nice -n 5",
        "nohup",
        "env A=1",
        "sudo -u x",
        "time -p",
        "stdbuf -oL",
        "command",
        "exec",
        "flock lock",
    ),
    *("srun -n 4", "mpirun -np 4", "xargs -0", "setsid", "ionice -c3", "taskset 1", "strace -f", "perf stat --"),
    *("fakeroot", "xvfb-run -a", "poetry run"),
]
WRAPPABLE = sorted(
    {
        line
        for line, role in CASES
        if line
        and role not in {Role.CONTROL, Role.BOOKKEEPING}
        and classify(words(line)).inner == 0
        and words(line)[0] is not None
    }
)


@given(st.lists(st.sampled_from(PREFIXES), max_size=4), st.sampled_from(WRAPPABLE))
def test_wrapping_never_changes_the_role(prefixes: list[str], line: str) -> None:
    wrapped = words(" ".join(prefixes)) + words(line)
    bare = classify(words(line))
    found = classify(wrapped)
    assert (found.role, found.inner_name, found.why) == (bare.role, bare.inner_name, bare.why)
    assert found.inner == len(wrapped) - len(words(line))


tokens = st.one_of(
    st.sampled_from(sorted(default_roles().tools.roles.branches)),
    st.sampled_from(
        ["find", "-exec", ";", "{}", "sudo", "--", "-", "-n", "-f", "--quiet", "docker", "exec", "tar", "czf", "*", ""]
    ),
    st.none(),
    st.builds(Partial, st.text(max_size=3)),
    st.text(max_size=4),
)


@given(st.lists(tokens, max_size=8))
def test_any_words_get_a_role(argv: Sequence[Argument]) -> None:
    found = classify(argv)
    assert found.inner is None or 0 <= found.inner < len(argv)
    assert expects_failure(argv) in (True, False)
    assert is_infallible_in_substitution(argv) in (True, False)


@pytest.mark.parametrize(
    "argv",
    [
        ["find", "-exec"] * 20_000,
        ["find", *["-exec", "true", ";"] * 20_000],
        ["sudo"] * 40_000,
        ["git", "-" + "a" * 40_000, "status"],
        ["docker", *["-H"] * 40_001],
        ["git"] * 40_000,
    ],
    ids=["nested", "actions", "wrappers", "cluster", "options", "operands"],
)
def test_long_commands_take_no_long_time_or_stack(argv: list[str]) -> None:
    assert classify(argv).role in Role
    assert expects_failure(argv) in (True, False)
