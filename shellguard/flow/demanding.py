"""Which commands fail by themselves when what they read is empty or cut off?

Run with gzip 1.12, bzip2 1.0.8, xz 5.4, zstd 1.5, GNU tar 1.34, GNU cpio 2.13, GnuPG 2.2, OpenSSL 3.0, cryptsetup 2.6,
coreutils 9.1, git 2.39, libxml2 2.9 and funzip 3.95. `patch`, `jq`, `base64 -d`, `lz4 -d`, `psql`, `bash` and bsdtar
are content with an empty input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shellguard.flow.arguments import Argument, Part, scan
from shellguard.flow.tools import load_tools
from shellguard.syntax.nodes import AndOrList, BraceGroup, Command, SimpleCommand, Subshell

if TYPE_CHECKING:
    from shellguard.flow.facts import Facts

_ALWAYS: Final = frozenset(
    {"gunzip", "zcat", "bunzip2", "bzcat", "unxz", "xzcat", "unzstd", "zstdcat", "unlzma", "cryptsetup"}
    | {"funzip", "xmllint"}
)
_WITH_OPTION: Final = {
    **dict.fromkeys(
        ("gzip", "pigz", "bzip2", "pbzip2", "xz", "zstd", "lzop", "gpg", "openssl"),
        frozenset({"-d", "--decompress", "--uncompress", "--decrypt"}),
    ),
    "sha256sum": frozenset({"-c", "--check"}),
}
_SUBCOMMANDS: Final = frozenset(
    {("git", "am"), ("git", "apply"), ("openssl", "x509"), ("openssl", "rsa"), ("openssl", "pkcs12")}
)
_CREATES: Final = frozenset({"-o", "--create"})
_TAKES_OUT: Final = frozenset({"-x", "--extract", "--get"})


def demands_all(facts: Facts, command: Command) -> bool:
    """Whether a command fails when its input is empty or cut off: a decoder, an archive's member that is asked for."""
    if isinstance(command, (BraceGroup, Subshell, AndOrList)):
        inner = command.commands if isinstance(command, AndOrList) else command.body.commands
        return demands_all(facts, inner[-1])
    found = _read(facts, command)
    if found is None:
        return False
    written, name, parts, words = found
    names = {part.name for part in parts}
    if name == "cpio":
        return _CREATES.isdisjoint(names)
    if name == "tar":
        return not _TAKES_OUT.isdisjoint(names) and any(not part.name for part in parts)
    return (
        not _ALWAYS.isdisjoint({name, written.rpartition("/")[2]})
        or (name, words[0] if words else None) in _SUBCOMMANDS
        or not _WITH_OPTION.get(name, frozenset()).isdisjoint(names)
    )


def unpacks(facts: Facts, command: Command) -> bool:
    """Whether a command is `tar x`: it fails on an empty archive, though not on one cut between two files."""
    found = _read(facts, command)
    return found is not None and found[1] == "tar" and any(part.name in _TAKES_OUT for part in found[2])


def _read(facts: Facts, command: Command) -> tuple[str, str, list[Part], list[Argument]] | None:
    """The tool that a command runs, by the name written and the table's name, its options and operands, its words."""
    if not isinstance(command, SimpleCommand):
        return None
    found = facts.commands.classify(command)
    tools = load_tools()
    argv = facts.commands.argv(command)
    name = tools.canonical(argv[found.inner]) if found.inner is not None else None
    if name is None or found.inner is None or found.inner_name is None:
        return None
    return found.inner_name, name, list(scan(argv, tools.grammar(name), found.inner + 1)), argv[found.inner + 1 :]
