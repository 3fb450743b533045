"""The words that name files are found, and what becomes of the files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shellguard.flow.arguments import Argument, Partial, Place, known_start
from shellguard.flow.toolfiles import (
    PathUse,
    creates_paths,
    input_files,
    output_file_options,
    path_arguments,
    script_files,
)
from shellguard.flow.tools import load_tools

# Command, then what is expected: `use path`, the path without what stands before it in its word; `.` is the working
# directory. A `$` ends what is known of a word.
CASES = """
cp a b                              > input a, placed b
cp a b c                            > input a, input b, into c
cp -r a b/                          > input a, into b/
cp -t d a b                         > into d, input a, input b
cp --target-directory=$d a          > into, input a
cp -r $from $to                     > input, placed
mv a b                              > input a, placed b
ln -s a b                           > input a, placed b
ln -s ../a                          > named-after ../a
install -m 755 a b                  > input a, placed b
mkdir -p a b                        > placed a, placed b
touch a                             > placed a
touch -r a b                        > input a, placed b
tee a b                             > output a, output b
tee -a -                            >
tee -a $log                         > output
sudo tee /etc/x                     > output /etc/x
$sudo tee /etc/x                    > output /etc/x
sponge a                            > output a
dd if=a of=b bs=1M                  > input a, output b
dd of=$b                            > output
sort -o a b                         > output a, input b
sort -uo a b                        > output a, input b
sort --output=a b                   > output a, input b
uniq a b                            > input a, output b
split -b 1M a                       > input a
gcc -O2 -Wall -fopenmp -o a x.c -lm > output a, input x.c
gcc -Ifoo x.c -o$a                  > input x.c, output
g++-12 -o a x.cc                    > output a, input x.cc
ld -o a x.o                         > output a, input x.o
ar rcs a.a x.o                      > output a.a, input x.o
go build -o a ./cmd                 > output a, input ./cmd
go test -coverprofile=c.out ./...   > output c.out, input ./...
tar czf a b c                       > output a, input b, input c
tar -czf a b                        > output a, input b
tar cfC a b c                       > output a, input c
tar --create --file=$a b            > output, input b
tar -cf - b                         > input b
tar xf a                            > input a, into .
tar -xzf a -C b                     > input a, into b
tar tf a                            > input a
zip -qr a.zip b                     > output a.zip, input b
unzip -o a.zip                      > input a.zip, into .
unzip -q a.zip -d b                 > input a.zip, into b
7z a a.7z b                         > output a.7z, input b
curl -o a https://x/b               > output a
curl -fsSLo a https://x/b           > output a
curl --output=$a https://x/b        > output
curl -sO https://x/b                > named-after https://x/b
curl -D h -o - https://x/b          > output h
curl -T a https://x/b               > input a
wget https://x/b                    > named-after https://x/b
wget -O a https://x/b               > output a
wget -qO- https://x/b               >
wget -P d -o log https://x/b        > into d, output log
git clone https://x/b               > named-after https://x/b
git clone --depth 1 https://x/b d   > placed d
git -C x archive -o a HEAD          > output a, input HEAD
git worktree add d branch           > placed d, input branch
rsync -a a/ b                       > input a/, placed b
rsync -a a/ host:b                  > input a/
rsync -a --log-file=l host:a b      > output l, placed b
scp a b host:c                      > input a, input b
docker cp c:/a ./b                  > placed ./b
docker save -o a image              > output a, input image
docker build --iidfile=a .          > output a, input .
docker exec c tee a                 >
chroot /mnt tee a                   >
pg_dump -Fc -f a db                 > output a, input db
mysqldump --result-file=a db        > output a
psql -f a -o b                      > input a, output b
openssl req -x509 -keyout a -out b  > output a, output b
nvidia-smi -q -f a                  > output a
ffmpeg -y -i a -c:v x b.mp4         > input a, output b.mp4
pandoc a -o b                       > input a, output b
xmllint --noout --output a b        > output a, input b
pytest --junitxml=a tests           > output a, script tests
python3 -m pytest --junitxml a t    > output a, script t
python3 -m venv a                   > placed a
pip install -r a -t b c             > input a, into b, input c
cmake -S . -B b                     > into b
make -C a                           > into a
make                                > into .
perf record -g -o a ./b             > output a, script ./b
strace -f -o a ./b c                > output a, script ./b, input c
/usr/bin/time -v -o a sort b        > output a, input b
timeout 5 sort -o a b               > output a, input b
xargs -0 cp -t d                    > into d
ctest --output-junit a              > output a
hyperfine --export-json a 'x y'     > output a, input x y
python3 a.py --output b c           > script a.py, input c
python3 a.py --output b.json c      > script a.py, output b.json, input c
python3 -u $lib/a.py -o b.txt       > script, output b.txt
python3 a.py -o fast                > script a.py
./bench --log-file=$l in            > script ./bench, output, input in
$command --output $a b              > script, output, input b
unheard-of --junit-xml=a/b c        > output a/b, input c
torchrun --nproc_per_node 4 a.py    > script a.py
bash -x a.sh b                      > script a.sh, input b
bash -c 'x y' b                     > input b
. ./a.sh                            > script ./a.sh
source $lib                         > script
node a.js                           > script a.js
perl -ne print a                    > input a
java -jar a.jar b                   > script a.jar, input b
grep -q x a b                       > input a, input b
grep -e x a                         > input a
grep -f a b                         > input a, input b
sed s/a/b/ a                        > input a
sed -n -e p a                       > input a
awk -F: '{print}' a                 > input a
jq .x a                             > input a
cat a -                             > input a
chmod 755 a                         > input a
rm a                                >
echo a                              >
tr a b                              >
kill 5                              >
""".strip().splitlines()


def words(text: str) -> list[Argument]:
    """Split like a shell; what follows a `$` isn't known."""
    return [_argument(word) for word in shlex.split(text)]


def _argument(word: str) -> Argument:
    known, dollar, _ = word.partition("$")
    if not dollar:
        return word
    return Partial(known) if known else None


def shown(argv: Sequence[Argument]) -> list[str]:
    """Uses with as much of their paths as is known."""
    return sorted(
        f"{path.use} {'.' if path.place is None else known_start(argv[path.place.word])[path.place.offset :]}".strip()
        for path in path_arguments(argv)
    )


@pytest.mark.parametrize("case", CASES)
def test_paths(case: str) -> None:
    line, _, expected = case.partition(" >")
    assert shown(words(line)) == sorted(filter(None, map(str.strip, expected.split(","))))


def test_places_are_exact() -> None:
    argv = words("timeout 5 sort --output=a -k2 b")
    assert [path.place for path in path_arguments(argv)] == [Place(3, 9), Place(5)]


def test_a_value_attached_to_a_letter_begins_after_it() -> None:
    assert [path.place for path in output_file_options(words("gcc x.c -oa"))] == [Place(2, 2)]


def test_questions_give_their_share() -> None:
    argv = words("sudo cp a b")
    assert [path.use for path in creates_paths(argv)] == [PathUse.PLACED]
    assert [path.use for path in input_files(argv)] == [PathUse.INPUT]
    assert output_file_options(argv) == ()
    assert [path.place for path in script_files(words("nice bash x.sh"))] == [Place(2)]


tokens = st.one_of(
    st.sampled_from(sorted({path.split()[0] for path in load_tools().section("writes").entries})),
    st.sampled_from(
        [
            "-o",
            "--output",
            "--output=x",
            "-",
            "--",
            "of=x",
            "tar",
            "xfC",
            "python3",
            "-m",
            "sudo",
            "curl",
            "-O",
            "a/b",
            "",
        ]
    ),
    st.none(),
    st.builds(Partial, st.sampled_from(["", "-", "--output=", "of=", "-o"])),
    st.text(max_size=4),
)


@given(st.lists(tokens, max_size=8))
def test_any_words_are_survived(argv: Sequence[Argument]) -> None:
    for path in path_arguments(argv):
        if path.place is not None:
            assert 0 <= path.place.word < len(argv)
            assert path.place.offset <= len(known_start(argv[path.place.word]))


def test_long_commands_take_no_long_time_or_stack() -> None:
    assert path_arguments(["time"] * 40_000 + ["tee", "x"])[-1].use is PathUse.OUTPUT
    assert path_arguments(["python3", "-m"] * 20_000) == ()
    assert len(path_arguments(["tee"] * 40_000)) == 39_999
