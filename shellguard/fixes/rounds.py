"""Which fixes of a text can be applied, and what comes of applying them until nothing is left to fix?

Each round applies the fixes that don't exclude each other, by place, and looks again. A fix is given up when the text
no longer parses with it, or when its rule still speaks at the same place afterwards. If the rounds don't come to rest,
rules disagree, and the text stays as it was.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shellguard.finding import Applicability, Edit, Finding
from shellguard.fixes.edits import Displacement, apply_edits, are_in_conflict, fit_newlines
from shellguard.source import Source, Span

MAX_ROUNDS: Final = 10

Find = Callable[[str], Sequence[Finding]]
Parses = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class DroppedFix:
    """A fix that was not applied: its rule, the 1-based line of the resulting text, and why."""

    rule: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class FixResult:
    """The text after all rounds, how many fixes of which rule it took, and what was left.

    With a `problem`, a sentence for people, `text` is the original one.
    """

    text: str
    applied: tuple[tuple[str, int], ...] = ()
    dropped: tuple[DroppedFix, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A fix that may be applied: what it is for, and its edits as they fit the text."""

    rule: str
    span: Span
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """What a round comes to: the fixes it takes, the text with them, and what is found in it."""

    taken: list[_Candidate]
    text: str
    findings: Sequence[Finding]


def fix_text(text: str, find: Find, parses: Parses, *, applicabilities: Collection[Applicability]) -> FixResult:
    """Apply the fixes of the given applicabilities.

    `find` gives the findings of a text. `parses(before, after)` tells whether `after` has no syntax error that
    `before` hasn't. At most `MAX_ROUNDS` rounds change the text.
    """
    return _Rounds(text, find, parses, applicabilities).run()


class _Rounds:
    """The rounds for one text: where it stands, and what was applied and given up on the way."""

    def __init__(self, text: str, find: Find, parses: Parses, applicabilities: Collection[Applicability]) -> None:
        self._find = find
        self._parses = parses
        self._applicabilities = applicabilities
        self._text = text
        self._findings = find(text)
        self._given_up: list[tuple[str, Span, str]] = []
        self._earlier: list[str] = []
        self._rules: list[list[str]] = []

    def run(self) -> FixResult:
        """Go on until a round changes nothing, a text comes again, or the rounds are used up."""
        while step := self._next_step():
            if len(self._earlier) == MAX_ROUNDS:
                return self._unsettled(MAX_ROUNDS - 2)
            self._take(step)
            if self._text in self._earlier:
                return self._unsettled(self._earlier.index(self._text))
        source = Source("", self._text)
        applied = Counter(rule for rules in self._rules for rule in rules)
        dropped = (DroppedFix(rule, source.line_of(span.start), reason) for rule, span, reason in self._given_up)
        return FixResult(self._text, tuple(sorted(applied.items())), tuple(dropped))

    def _next_step(self) -> _Step | None:
        """The fixes that can be applied together and do what they should; None when nothing is left to try."""
        while chosen := _compatible(self._candidates()):
            accepted = self._parsing(chosen, [])
            text = apply_edits(self._text, _edits(accepted))
            step = _Step(accepted, text, self._find(text) if accepted else ())
            stubborn = self._stubborn(step)
            self._give_up(stubborn, "it would not silence the rule")
            if accepted and not stubborn:
                return step
        return None

    def _candidates(self) -> list[_Candidate]:
        """The fixes to try, by the places of their edits."""
        given_up = {(rule, span) for rule, span, _ in self._given_up}
        candidates = [
            _Candidate(finding.rule, finding.span, tuple(fit_newlines(self._text, edit) for edit in finding.fix.edits))
            for finding in self._findings
            if finding.fix and finding.fix.edits and finding.fix.applicability in self._applicabilities
            if (finding.rule, finding.span) not in given_up
        ]
        return sorted(candidates, key=lambda candidate: candidate.edits)

    def _parsing(self, candidates: list[_Candidate], accepted: list[_Candidate]) -> list[_Candidate]:
        """The accepted fixes and those of the candidates with which the text still parses.

        One that breaks the text all alone is given up; one that breaks it only beside others waits for a later round.
        """
        together = accepted + candidates
        if self._parses(self._text, apply_edits(self._text, _edits(together))):
            return together
        if len(candidates) > 1:
            middle = len(candidates) // 2
            return self._parsing(candidates[middle:], self._parsing(candidates[:middle], accepted))
        if not accepted:
            self._give_up(candidates, "it would add a syntax error")
        return accepted

    def _stubborn(self, step: _Step) -> list[_Candidate]:
        """The fixes whose rule finds as much at their place after the step as before it."""
        places = Displacement(_edits(step.taken))
        before, after = _Places(self._findings), _Places(step.findings)
        return [
            candidate
            for candidate in step.taken
            if after.count(candidate.rule, places.of(candidate.span)) >= before.count(candidate.rule, candidate.span)
        ]

    def _give_up(self, candidates: Iterable[_Candidate], reason: str) -> None:
        self._given_up += [(candidate.rule, candidate.span, reason) for candidate in candidates]

    def _take(self, step: _Step) -> None:
        places = Displacement(_edits(step.taken))
        self._earlier.append(self._text)
        self._rules.append([candidate.rule for candidate in step.taken])
        self._given_up = [(rule, places.of(span), reason) for rule, span, reason in self._given_up]
        self._text, self._findings = step.text, step.findings

    def _unsettled(self, first_round: int) -> FixResult:
        """The original text, and the rules that were at work from a round on."""
        rules = sorted({rule for rules in self._rules[first_round:] for rule in rules})
        names = " and ".join(filter(None, (", ".join(rules[:-1]), rules[-1])))
        remedy = "fix by hand, or leave one of them out" if rules[1:] else "fix by hand, or leave it out"
        problem = f"the fixes of {names} never come to rest, so nothing was changed: {remedy}"
        return FixResult(self._earlier[0], problem=problem)


def _compatible(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """The fixes to apply together: each, by place, that is in conflict with none chosen before."""
    taken: list[Edit] = []
    chosen = []
    for candidate in candidates:
        if not any(_meets(edit, taken) for edit in candidate.edits):
            for edit in candidate.edits:
                insort(taken, edit)
            chosen.append(candidate)
    return chosen


def _meets(edit: Edit, taken: list[Edit]) -> bool:
    """Whether an edit is in conflict with one of the sorted edits, which aren't among themselves."""
    index = bisect_left(taken, edit)
    return any(are_in_conflict(edit, neighbour) for neighbour in taken[max(0, index - 1) : index + 1])


def _edits(candidates: Iterable[_Candidate]) -> Iterator[Edit]:
    return (edit for candidate in candidates for edit in candidate.edits)


class _Places:
    """The spans of findings by rule, in order, so that those near a place are found at once."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._spans: dict[str, list[Span]] = {}
        for finding in findings:
            self._spans.setdefault(finding.rule, []).append(finding.span)
        for spans in self._spans.values():
            spans.sort()
        self._longest = {rule: max(span.end - span.start for span in spans) for rule, spans in self._spans.items()}

    def count(self, rule: str, place: Span) -> int:
        """How many findings of a rule overlap a place."""
        spans = self._spans.get(rule, [])
        if not spans:
            return 0
        first = bisect_left(spans, place.start - self._longest[rule], key=lambda span: span.start)
        last = bisect_right(spans, place.end, key=lambda span: span.start)
        return sum(_overlap(span, place) for span in spans[first:last])


def _overlap(one: Span, other: Span) -> bool:
    return one == other or (one.start < other.end and other.start < one.end)
