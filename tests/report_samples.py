"""Reports to render: made-up findings in small scripts, and strategies for hostile ones."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from shellguard.finding import (
    Applicability,
    Edit,
    FileReport,
    Finding,
    Fix,
    NotChecked,
    Related,
    Report,
    Severity,
)
from shellguard.source import Source, Span


@dataclass(frozen=True)
class Rule:
    """As much of a rule as reports look at."""

    code: str
    name: str
    severity: Severity = Severity.ERROR


RULES = {
    code: Rule(code, name)
    for code, name in (
        ("SG001", "syntax-error"),
        ("SG101", "status-after-substitution"),
        ("SG201", "pipe-masks-status"),
        ("SG301", "output-never-checked"),
        ("SG501", "harness-in-ephemeral-path"),
    )
}

NIGHTLY = Source(
    "bench/nightly.sh",
    """\
#!/usr/bin/env bash
set -u
LIB=/tmp/bench
OUT=/srv/results/$(date +%F)

for scenario in small large; do
\ttimeout 600 python3 "$LIB/run.py" "$scenario" > "$OUT/$scenario.json"

\techo "[$(date '+%H:%M:%S')] scenario $scenario ended, return $?" >> "$OUT/run.log"
done
"$LIB/check.py" "$OUT" --min-rows 100 \\
\t--reference /srv/reference \\
\t| tee -a "$OUT/run.log"
""",
)

HOSTILE = Source(
    "we\x1b[2Jird/\u202egnp.sh",
    "#!/bin/bash\r\n"
    "echo '\x1b[31m\x07\x9b1m' \u202e\u2066fi\u2069 \u200b| job\r\n"
    "echo \udce9t\udce9 \ud800 \x7f\u2028 $?\r\n",
)

WIDE = Source(
    "scripts/报告.sh",
    'echo "完了 ✅ — e\u0301te\u0301, ⚠\ufe0f ｈａｌｆ ﾊﾝｶｸ" "$(date)" "$?"\n'
    "\techo\t完\t$(date)\t$? # 終わり\n"
    "run --quiet --config /etc/benchmarks/nightly.toml --output '出力フォルダ/結果一覧' --retries 3 "
    "--verbose --label '毎晩の測定' | tee -a \"$LOG\"\n",
)


def span_of(source: Source, needle: str, occurrence: int = 1) -> Span:
    """The place of a text's n-th occurrence."""
    start = -1
    for _ in range(occurrence):
        start = source.text.index(needle, start + 1)
    return Span(start, start + len(needle))


def nightly_report() -> Report:
    """The four classic lies in one script, every kind of fix, and what was left out."""
    status = span_of(NIGHTLY, "$?")
    before_echo = span_of(NIGHTLY, "\n\techo").start
    job = span_of(NIGHTLY, 'timeout 600 python3 "$LIB/run.py" "$scenario" > "$OUT/$scenario.json"')
    guard = Span(span_of(NIGHTLY, '"$LIB/check').start, span_of(NIGHTLY, " \\\n\t| tee").start)
    findings = (
        Finding(
            "SG501",
            Severity.WARNING,
            span_of(NIGHTLY, '"$LIB/run.py"'),
            "after a reboot the harness is gone and every night fails: it lives in /tmp, and nothing here fills that",
            (Related(span_of(NIGHTLY, "LIB=/tmp/bench"), "the path is set here"),),
            Fix(
                Applicability.SUGGEST,
                'keep the harness beside the script: `LIB="$(dirname "$0")/harness"`',
                (Edit(span_of(NIGHTLY, "/tmp/bench"), '"$(dirname "$0")/harness"'),),
            ),
        ),
        Finding(
            "SG301",
            Severity.INFO,
            span_of(NIGHTLY, '"$OUT/$scenario.json"'),
            "an empty result counts as a good one: nothing looks at this file afterwards",
            (),
            Fix(Applicability.SUGGEST, 'test what was written: `[ -s "$OUT/$scenario.json" ] || exit 1`'),
        ),
        Finding(
            "SG101",
            Severity.ERROR,
            status,
            'the log says "return 0" whatever the harness returned: `$?` is the status of `date` here',
            (
                Related(job, "this failure is lost"),
                Related(span_of(NIGHTLY, "$(date '+%H:%M:%S')"), "`date` sets `$?` to 0 before it is read"),
            ),
            Fix(
                Applicability.SAFE,
                "keep the status in `rc` before anything else runs",
                (Edit(Span(before_echo, before_echo + 1), "\n\trc=$?\n"), Edit(status, "$rc")),
            ),
        ),
        Finding(
            "SG201",
            Severity.ERROR,
            guard,
            "the guard's verdict is thrown away: the pipeline ends with `tee`'s status, and `pipefail` is off",
            (Related(span_of(NIGHTLY, 'tee -a "$OUT/run.log"'), "the script sees this status instead"),),
            Fix(
                Applicability.UNSAFE,
                "let a pipeline fail when any of its commands fails",
                (Edit(span_of(NIGHTLY, "set -u"), "set -uo pipefail"),),
            ),
        ),
    )
    file = FileReport(NIGHTLY, findings, (), 13, 8, 2, tuple(f"{index:032x}" for index in range(len(findings))))
    return Report((file,), (NotChecked("bench/setup.zsh", "zsh is a shell that shellguard doesn't know"),))


def hostile_report() -> Report:
    """A script, a path, messages and a fix full of what must not reach a terminal."""
    findings = (
        Finding(
            "SG201",
            Severity.ERROR,
            span_of(HOSTILE, "job"),
            "lost: \x1b]0;title\x07 \u202e",
            (Related(span_of(HOSTILE, "\u2066fi\u2069"), "looks like \x1b[1mfi"),),
        ),
        Finding(
            "SG101",
            Severity.WARNING,
            span_of(HOSTILE, "$?"),
            "the status of \udcff",
            (),
            Fix(Applicability.SAFE, "use \x9b", (Edit(span_of(HOSTILE, "$?"), "\x1b[2J"),)),
        ),
    )
    skipped = (NotChecked(HOSTILE.path, "a line\nand \x1b[31mred", 2, 3),)
    return Report((FileReport(HOSTILE, findings, skipped, 3, 3, 0, ("a", "b")),))


def wide_report() -> Report:
    """Wide and combining characters and tabs before the underlined places, and a line to crop."""
    places = (
        (span_of(WIDE, "$?"), span_of(WIDE, "$(date)")),
        (span_of(WIDE, "$?", 2), span_of(WIDE, "$(date)", 2)),
        (span_of(WIDE, "--label '毎晩の測定'"), span_of(WIDE, "run --quiet")),
    )
    findings = tuple(
        Finding(
            "SG101", Severity.ERROR, place, "misaligned, if the marks aren't right below", (Related(other, "here"),)
        )
        for place, other in places
    )
    return Report((FileReport(WIDE, findings, (), 3, 3, 0, ("a", "b", "c")),))


SMALL_ALPHABET = 'ab $\t"|\\\r\n\x00\x1b\x7f\x85\x9b\u00a0\u200b\u200d\u202e\u2028\u3164\ufe0f\udc80\ud800é完✅e\u0301'

any_text = st.one_of(
    st.text(st.sampled_from(SMALL_ALPHABET), max_size=120),
    st.text(st.characters(exclude_categories=()), max_size=40),
)
"""Texts with everything that a script, a path or a message could hold, lone surrogates included."""


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Any report at all: texts, places, related places and fixes without rhyme or reason."""
    files = tuple(draw(_files()) for _ in range(draw(st.integers(0, 2))))
    lines = st.one_of(st.none(), st.integers(1, 99))
    entry = st.builds(NotChecked, any_text, any_text, lines, lines)
    return Report(files, tuple(draw(st.lists(entry, max_size=2))))


@st.composite
def _files(draw: st.DrawFn) -> FileReport:
    source = Source(draw(any_text), draw(any_text))
    findings = tuple(draw(st.lists(_findings(source), max_size=3)))
    return FileReport(source, findings, (), source.line_count, 0, 0, tuple(map(str, range(len(findings)))))


@st.composite
def spans(draw: st.DrawFn, source: Source) -> Span:
    """Any span of a source, the empty one at its end included."""
    ends = sorted(draw(st.tuples(*[st.integers(0, len(source.text))] * 2)))
    return Span(ends[0], ends[1])


@st.composite
def _findings(draw: st.DrawFn, source: Source) -> Finding:
    related = st.builds(Related, spans(source), any_text)
    return Finding(
        draw(st.sampled_from(sorted(RULES))),
        draw(st.sampled_from(Severity)),
        draw(spans(source)),
        draw(any_text),
        tuple(draw(st.lists(related, max_size=3))),
        draw(st.one_of(st.none(), _fixes(source))),
    )


@st.composite
def _fixes(draw: st.DrawFn, source: Source) -> Fix:
    span, text = draw(spans(source)), draw(any_text)
    edits = (Edit(span, text),) if text or span.end > span.start else ()
    applicability = draw(st.sampled_from(Applicability)) if edits else Applicability.SUGGEST
    return Fix(applicability, draw(any_text), edits)
