"""Runs one script through the stages, and many in parallel."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from shellguard.dialect import BOM, Shell, Unsupported, detect
from shellguard.discovery import read_source
from shellguard.finding import Applicability, FileReport, Finding, NotChecked, Related, Report, Severity
from shellguard.source import Dialect, Source, Span, UndecodableSourceError, decode, encode
from shellguard.suppress.apply import suppress
from shellguard.syntax import parse, walk
from shellguard.syntax.nodes import Script, SimpleCommand, SyntaxIssue

if TYPE_CHECKING:
    from shellguard.checks import Check
    from shellguard.fixes import FixResult
    from shellguard.flow.facts import Facts

SYNTAX_ERROR = "SG001"
UNDECODABLE_SOURCE = "SG003"

_Results: TypeAlias = Generator[tuple[str, FileReport | NotChecked], None, None]

_IN_PROCESS_BYTES = 96 * 1024
"""Less shell than this is checked before worker processes would have started."""

_MAX_WORKERS = 64
"""Each takes three open files, and many systems allow 256."""

_BLANKS = " \t\r\n"

_WIDE_CHARACTER = 4
"""A NUL byte among the first ones is most likely half of a UTF-16 character, after a byte order mark or not."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages whose code is imported only when a run needs them."""

    analyse: Callable[[Source, Script, Shell], Facts]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run looks for. It travels to worker processes.

    Attributes:
        rules: Codes of the rules whose findings are wanted.
        dialect: The dialect to take every script for, whatever it says itself.
        raise_crashes: Let the exception of a crashing stage or rule through instead of listing it as not checked.
        load_stages: Gives the stages; a function of a module, so that workers can import it.
    """

    rules: frozenset[str]
    dialect: Dialect | None = None
    raise_crashes: bool = False
    load_stages: Callable[[], Stages] | None = None

    @property
    def stages(self) -> Stages:
        """The stages to run."""
        return (self.load_stages or shellguard_stages)()


def shellguard_stages() -> Stages:
    """The analysis and the checks of this package."""
    from shellguard.checks import CHECKS
    from shellguard.flow.facts import analyse

    return Stages(analyse, CHECKS)


def check_text(path: str, data: bytes, settings: Settings) -> FileReport | NotChecked:
    """Check a script's bytes, reported under `path`."""
    try:
        return check_source(Source(path, decode(data)), settings)
    except UndecodableSourceError as error:
        return _undecodable(path, error, settings)


def check_file(path: str, settings: Settings) -> FileReport | NotChecked:
    """Check a file, reported under the path given."""
    try:
        return check_source(read_source(path), settings)
    except OSError as error:
        return NotChecked(path, (error.strerror or str(error)).lower())
    except UndecodableSourceError as error:
        return _undecodable(path, error, settings)


def check_source(source: Source, settings: Settings) -> FileReport | NotChecked:
    """Check a script: its findings in order of place, and the lines that could not be analysed."""
    shell = detect(source, override=settings.dialect)
    if isinstance(shell, Unsupported):
        return NotChecked(source.path, shell.message)
    try:
        script = parse(source.text)
    except Exception as error:
        if settings.raise_crashes:
            raise
        return NotChecked(source.path, f"the parser crashed: {_crash(error)}")
    analysis = _analyse(source, script, shell, settings)
    errors = (issue for issue in script.issues if not issue.deferred)
    found = chain(map(_syntax_error, errors), analysis.findings)
    wanted = [finding for finding in found if finding.rule in settings.rules]
    left = suppress(source, script, wanted, settings.rules)
    findings = sorted(chain(left.findings, left.unused), key=lambda it: it.sort_key)
    return FileReport(
        source,
        findings=tuple(findings),
        not_checked=(*_skipped(source, script), *analysis.not_checked),
        lines=source.line_count,
        commands=len(analysis.commands),
        suppressed=left.silenced,
        fingerprints=tuple(_fingerprints(source, analysis.commands, findings)),
        is_blank=not source.text.removeprefix(BOM).strip(_BLANKS),
    )


def fix_file(
    file: FileReport, settings: Settings, applicabilities: Collection[Applicability]
) -> tuple[FixResult, FileReport | NotChecked]:
    """Apply the fixes of the given applicabilities to a checked script, as long as it parses no worse than before.

    With the result comes the report on the text that it holds.
    """
    from shellguard.fixes import fix_text

    reports: dict[str, FileReport | NotChecked] = {file.source.text: file}

    def find(text: str) -> Sequence[Finding]:
        if text not in reports:
            reports[text] = check_source(Source(file.source.path, text), settings)
        report = reports[text]
        return report.findings if isinstance(report, FileReport) else ()

    def parses(before: str, after: str) -> bool:
        known, now = (Counter(issue.message for issue in parse(text).issues) for text in (before, after))
        return not now - known

    result = fix_text(file.source.text, find, parses, applicabilities=applicabilities)
    return result, reports[result.text]


def check_files(
    paths: Sequence[str], settings: Settings, *, jobs: int = 1, progress: Callable[[int], None] | None = None
) -> Report:
    """Check files, with up to `jobs` worker processes when there is enough to do.

    `progress` is called with the number of files done so far. The report's order is that of `paths`, whichever worker
    was faster. A file whose worker died is listed as not checked.
    """
    sizes = {path: _size(path) for path in paths}
    settled: dict[str, FileReport | NotChecked] = {}
    parallel = jobs > 1 and len(sizes) > 1 and sum(sizes.values()) > _IN_PROCESS_BYTES
    # The largest files go first, so that no worker is left with one at the end.
    results = _in_workers(sorted(sizes, key=lambda path: -sizes[path]), settings, jobs) if parallel else None
    with closing(results or _in_process(list(sizes), settings)) as pairs:
        for path, result in pairs:
            settled[path] = result
            if progress:
                progress(len(settled))
    return gather([settled[path] for path in sizes])


def gather(results: Sequence[FileReport | NotChecked]) -> Report:
    """Put the results of files, in their order, into one report."""
    return Report(
        tuple(result for result in results if isinstance(result, FileReport)),
        tuple(result for result in results if isinstance(result, NotChecked)),
    )


def available_cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_process(paths: Iterable[str], settings: Settings) -> _Results:
    for path in paths:
        yield path, _check_briefly(path, settings)


def _in_workers(paths: Sequence[str], settings: Settings, jobs: int) -> _Results:
    from shellguard.pool import WorkerDied, run

    settings.stages  # noqa: B018 -- forked workers share what is imported here
    left = dict.fromkeys(paths)
    try:
        with closing(run(partial(_check_briefly, settings=settings), paths, jobs=min(jobs, _MAX_WORKERS))) as results:
            for index, result in results:
                path = paths[index]
                del left[path]
                if isinstance(result, WorkerDied):
                    yield path, NotChecked(path, f"the process that checked it was {result.reason}")
                else:
                    yield path, result
    except OSError:  # the system allows no more processes or open files
        yield from _in_process(left, settings)


def _check_briefly(path: str, settings: Settings) -> FileReport | NotChecked:
    """Check one of many files; its text is kept, and travels between processes, only if it has findings to show."""
    result = check_file(path, settings)
    if isinstance(result, FileReport):
        return replace(result, source=Source(path, result.source.text if result.findings else ""))
    return result


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 -- called for each file of a tree
    except OSError:
        return 0  # whoever reads it reports it


@dataclass(frozen=True, slots=True)
class _Analysis:
    """What the analysis and the checks come to."""

    commands: Sequence[SimpleCommand]
    findings: Sequence[Finding] = ()
    not_checked: Sequence[NotChecked] = ()


def _analyse(source: Source, script: Script, shell: Shell, settings: Settings) -> _Analysis:
    """Analyse a script and run the wanted checks; what crashes leaves a note, and the others go on."""
    stages = settings.stages
    try:
        facts = stages.analyse(source, script, shell)
    except Exception as error:
        if settings.raise_crashes:
            raise
        note = NotChecked(source.path, f"the analysis crashed: {_crash(error)}")
        return _Analysis([node for node in walk(script) if isinstance(node, SimpleCommand)], not_checked=(note,))
    findings: list[Finding] = []
    notes: list[NotChecked] = []
    for check in stages.checks:
        if check.code not in settings.rules:
            continue
        try:
            findings.extend(check.run(facts))
        except Exception as error:
            if settings.raise_crashes:
                raise
            notes.append(NotChecked(source.path, f"rule {check.code} crashed: {_crash(error)}"))
    return _Analysis(facts.structure.simple_commands, findings, notes)


def _crash(error: Exception) -> str:
    """Name an exception and the line of shellguard that raised it, in one line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}{place}"


def _syntax_error(issue: SyntaxIssue) -> Finding:
    related = tuple(
        Related(Span(offset, offset + len(keyword)), f"`{keyword}` opened here and still open")
        for keyword, offset in issue.opened
    )
    return Finding(SYNTAX_ERROR, Severity.ERROR, issue.span, issue.message, related)


def _skipped(source: Source, script: Script) -> Iterator[NotChecked]:
    """The lines that are not in the tree: because of a syntax error, or of what only the shell at run time judges.

    A syntax error that skips nothing (the script ends too early) leaves its own line in doubt.
    """
    for issue in script.issues:
        start = issue.start if issue.deferred else issue.skipped.start
        reason = issue.message if issue.deferred else "not analysed because of a syntax error"
        last = source.line_of(max(start, issue.skipped.end - 1))
        yield NotChecked(source.path, reason, source.line_of(start), last)


def _undecodable(path: str, error: UndecodableSourceError, settings: Settings) -> FileReport:
    """The report on a file with a NUL byte; its text is what stands before that byte."""
    source = Source(path, error.before)
    place = Span(len(source.text), len(source.text))
    message = "this file is not checked: it has a NUL byte here, so it is binary"
    if error.offset < _WIDE_CHARACTER:
        message += " or UTF-16, which no shell reads (`iconv -f utf-16 -t utf-8` converts it)"
    finding = Finding(UNDECODABLE_SOURCE, Severity.ERROR, place, message)
    findings = (finding,) if finding.rule in settings.rules else ()
    return FileReport(
        source,
        findings=findings,
        not_checked=(NotChecked(path, "it has a NUL byte, so it is no text", source.line_of(place.start)),),
        fingerprints=tuple(_fingerprints(source, (), findings)),
    )


def _fingerprints(source: Source, commands: Iterable[SimpleCommand], findings: Sequence[Finding]) -> Iterator[str]:
    """One per finding: the same as long as the rule, the path and the command's words stay, wherever the line goes."""
    if not findings:
        return
    from hashlib import sha256

    seen: Counter[str] = Counter()
    for finding, place in zip(findings, _innermost(commands, findings), strict=True):
        key = "\0".join((finding.rule, source.path, " ".join(source.excerpt(place).split())))
        seen[key] += 1
        numbered = key if seen[key] == 1 else f"{key}\0{seen[key]}"
        yield sha256(encode(numbered)).hexdigest()[:32]


def _innermost(commands: Iterable[SimpleCommand], findings: Iterable[Finding]) -> Iterator[Span]:
    """The innermost simple command around the start of each finding, in order of place; else the finding's own span."""
    coming = deque(sorted((command.span for command in commands), key=lambda span: (span.start, -span.end)))
    around: list[Span] = []
    for finding in findings:
        while coming and coming[0].start <= finding.span.start:
            around = [span for span in around if span.end > coming[0].start]
            around.append(coming.popleft())
        around = [span for span in around if span.end > finding.span.start]
        yield around[-1] if around else finding.span
