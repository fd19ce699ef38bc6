"""What a debate ends with: a Verdict, a Summary, a Solution or, if it is a hearing, a Certificate,
each a type of its own. A debate that had a bench of its own has the certificate in its outcome.

Readers `match` on the type and close with `assert_never`; nobody guesses a kind from its keys.
Logs of 0.1 carry no `type`: `read` is the one place that still knows how those looked.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, assert_never

import msgspec

from moot.protocol.extracts import LONGEST, cut, first_sentence
from moot.protocol.hearing.certificate import CertificateStatus
from moot.protocol.hearing.exam import Exam
from moot.protocol.words import HUMAN
from moot.structs import ready

LOWEST, HIGHEST = 0, 10
"""The bounds of a judge's score, where a judge scores debaters."""
MOST_ABSENCES, LONGEST_ABSENCE = 3, 100
MOST_COUNTED, LONGEST_COUNTED = 5, 80
"""What the short form of an outcome keeps of what is missing, and of the answers counted: how many
entries, and how many characters of each."""


class OutcomeStatus(StrEnum):
    """How far an outcome can be relied on."""

    DECIDED = "decided"
    SCORES_UNKNOWN = "scores_unknown"
    """There is a winner, confirmed by the judge; the figures could not be read."""
    UNREADABLE = "unreadable"
    """The judge's answer could not be read, and none was invented."""
    PASSED = "passed"
    """A person was to decide and passed."""
    MISSING = "missing"
    """It was never asked for, or never came."""
    TIED = "tied"
    """Answers were counted, and several have the most: none of them was chosen."""


class _Outcome(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Recorded with every field, so that a reader of the log needs no defaults of ours."""


class Verdict(_Outcome, frozen=True, kw_only=True, tag="verdict"):
    """Who won. `winner` is a name; without one it is a tie (`is_tie`) or there is no verdict."""

    status: OutcomeStatus
    winner: str | None = None
    winner_id: str | None = None
    is_tie: bool = False
    scores: dict[str, int | float] | None = None
    """By name."""
    is_contested: bool = False
    """The winner has no more points than another, or a tie has unequal points, or `told` is set."""
    told: str | None = None
    """Whom the judge's own words call the winner, or `tie`, if that differs from `winner`."""
    is_unconfirmed: bool = False
    """Asked for nothing but the winner's name, the judge named nobody or both."""
    confirmed_winner: str | None = None
    """Whom the judge named when asked for nothing but the name, where a format asks that."""
    premise_upheld: bool | None = None
    """None where there is no premise, or no winner."""
    reasoning: str = ""
    reason: str = ""
    """Why there is no verdict, if an answer could not be used."""
    certificate: Certificate | None = None
    """What the debate's own bench said after the verdict; None if there was no bench."""


class Summary(_Outcome, frozen=True, kw_only=True, tag="summary"):
    """What the moderator wrote at the end of a debate that nobody was to win."""

    summary: str
    by: str
    by_id: str
    certificate: Certificate | None = None
    """What a bench said about the debate, if one was asked."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The best proposals before and after a debate, rated by one who did not know which is which.

    The figures are None if none could be read.
    """

    is_changed: bool
    """Whether any member ended with another proposal than its own first; if not, nothing was
    rated."""
    before: int | float | None = None
    after: int | float | None = None
    best_before: tuple[str, ...] = ()
    best_after: tuple[str, ...] = ()
    """The authors of the best proposals, by name; several if these are equal."""


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, how often it was given, and by whom."""

    answer: str
    count: int
    by: tuple[str, ...] = ()
    """Their names, each once."""


class Solution(_Outcome, frozen=True, kw_only=True, tag="solution"):
    """What a council came to, or what participants say who were asked alone. Only a solution that
    is `decided` has more than a description; a tie has the dissent, too."""

    status: OutcomeStatus
    description: str = ""
    reasons: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    """What was not taken, each with the reason."""
    trade_offs: tuple[str, ...] = ()
    recommendations: tuple[str, ...] = ()
    unfulfilled_requirements: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    dissent: tuple[str, ...] = ()
    confidence: int | float | None = None
    decision: dict[str, Any] = {}
    """How it was decided: the rule, and where there were ballots the points and who leads;
    `is_solution` if the description is the winner's proposal, because the judge wrote none."""
    before_debate: dict[str, Any] | None = None
    """What the members would have chosen without a debate."""
    comparison: Comparison | None = None
    """Whether debating was worth it; None if that was not asked."""
    rounds: int = 0
    sat_out: tuple[str, ...] = ()
    """Members that did not take part to the end."""
    left_out: tuple[str, ...] = ()
    """What and who was done without, each with the reason."""
    reason: str = ""
    """Why there is no solution, if an answer could not be used."""
    answer: str = ""
    """The short answer, where answers are given alone and have a type."""
    counts: tuple[Count, ...] = ()
    """How often each short answer was given, the most frequent first."""
    asked: int = 0
    """How many answers were asked for; 0 unless everybody answers alone."""
    answers: int = 0
    """How many of them could be read."""
    unreadable: int = 0
    """How many came and could not be read."""
    certificate: Certificate | None = None
    """What the debate's own bench said of the proposals afterwards; None if there was no bench."""


class HeardSide(msgspec.Struct, frozen=True, kw_only=True):
    """One of the sides that a bench was asked about."""

    id: str
    name: str
    words: int
    """How many words it said in all, or its proposal has."""
    opened: bool = False
    had_last_word: bool = False
    """An advantage that no order of the names can cancel. No proposal has it."""


class HeardJudge(msgspec.Struct, frozen=True, kw_only=True):
    """One judge of a bench. `one` and `two` are its ballots in each order, by the id of a side, or
    `tie`; `is_for` is the one that most of them are for in each order, if it is the same."""

    id: str
    name: str
    model: str
    family: str | None = None
    """None if it is not known, and for people."""
    one: dict[str, int]
    two: dict[str, int]
    unreadable: int = 0
    """Ballots that could not be read, did not come, or do not count."""
    echoes: int = 0
    """How many of those gave back what was asked."""
    is_for: str | None = None
    kin: tuple[str, ...] = ()
    """The sides that a model of its family spoke for."""
    is_own: bool = False
    """Whether its own model spoke for one of the sides."""
    judged: bool = False
    """Whether its model judged the debate itself, too."""
    people: tuple[str, ...] = ()
    """If the judge is a person, the sides that a person spoke for: it may be the same person."""

    @property
    def is_person(self) -> bool:
        return self.model == HUMAN


class Certificate(_Outcome, frozen=True, kw_only=True, tag="certificate"):
    """What a bench said about another debate, and whether it agrees more than chance explains.

    It never says that the bench is right. `votes` of `ballots` are for whoever leads; `winner` is
    set only if that is stable. `by_chance` is how often coin flips would agree as much.
    """

    status: CertificateStatus
    winner: str | None = None
    winner_id: str | None = None
    votes: int = 0
    ballots: int = 0
    needed: int | None = None
    """How many of the ballots a winner needs; None if even all of them would not be enough."""
    by_chance: float | None = None
    ties: int = 0
    unreadable: int = 0
    counts: dict[str, int] = {}
    """Ballots by side, ties left out."""
    looks: int = 1
    """How often it was checked whether the ballots decide."""
    is_both_orders: bool = True
    is_finished: bool = True
    """Whether all ballots were cast that the rule asks for. If not, nothing is certified."""
    are_proposals: bool = False
    sides: tuple[HeardSide, ...] = ()
    judges: tuple[HeardJudge, ...] = ()
    verdict: str | None = None
    """Whom the debate itself ended with: the id of a side, `tie`, or None if it named nobody."""
    repeated: int = 0
    """Ballots that are word for word what the same judge had written before. They are not among
    `ballots`."""
    left_out: tuple[str, ...] = ()
    not_counted: tuple[str, ...] = ()
    """Whose ballots came and count for nobody, and why."""
    pair: tuple[str, str] = ("X", "Y")
    """What two sides were called, the first listed first."""
    debate: str = ""
    at: int = 0
    """Which debate it is about, and as of which event."""
    prompt: int = 1
    """The version of what the judges were asked."""

    def name_of(self, side: str | None) -> str:
        """What people read for the id of a side."""
        return next((one.name for one in self.sides if one.id == side), side or "")


class ExamReport(_Outcome, frozen=True, kw_only=True, tag="exam"):
    """How a judge did in an exam. `version` is that of the pairs."""

    judge: str
    model: str
    version: str
    exam: Exam
    is_finished: bool = True
    left_out: tuple[str, ...] = ()


Outcome = Verdict | Summary | Solution | Certificate | ExamReport
ready(Outcome)


def is_contested(
    winner: str | None, scores: Mapping[str, int | float] | None, *, is_tie: bool = False
) -> bool:
    """Whether the scores do not bear the judgement out."""
    if scores is None:
        return False
    if winner is None:
        return is_tie and len(set(scores.values())) > 1
    return any(score >= scores[winner] for name, score in scores.items() if name != winner)


ALONE = ("rule", "is_majority", "tied", "winner", "points", "is_unanimous", "is_sampled")
"""What lists keep of `decision`, where answers were given alone."""


def shortened(outcome: Outcome) -> Outcome:
    """The outcome for a list: of the same type, its texts cut, its lists and reasoning left out.

    It still says who is missing from a solution, and if it is a proposal that the members chose.
    """
    replace = msgspec.structs.replace
    match outcome:
        case Verdict():
            return replace(
                outcome,
                reasoning="",
                reason=cut(outcome.reason, LONGEST),
                certificate=_short_certificate(outcome.certificate),
            )
        case Summary():
            return replace(outcome, summary=first_sentence(outcome.summary))
        case Solution():
            return _short_solution(outcome)
        case Certificate() | ExamReport():
            return replace(outcome, left_out=_few(outcome.left_out))
        case _:
            assert_never(outcome)


def _short_certificate(told: Certificate | None) -> Certificate | None:
    return told and msgspec.structs.replace(told, left_out=_few(told.left_out))


def with_certificate(outcome: Outcome, told: Certificate) -> Outcome:
    """The outcome with what a bench said about its debate; a hearing's own stays as it is."""
    match outcome:
        case Certificate() | ExamReport():
            return outcome
        case Verdict() | Summary() | Solution():
            return msgspec.structs.replace(outcome, certificate=told)
        case _:
            assert_never(outcome)


def certificate_in(outcome: Outcome | None) -> Certificate | None:
    """What a bench came to in a debate with this outcome, whether that is a hearing or had a bench
    of its own."""
    match outcome:
        case Certificate():
            return outcome
        case Verdict(certificate=told) | Solution(certificate=told) | Summary(certificate=told):
            return told
        case ExamReport() | None:
            return None
        case _:
            assert_never(outcome)


def _short_solution(solution: Solution) -> Solution:
    chosen = ("is_solution", "winner") if solution.decision.get("is_solution") else ()
    kept = ALONE if solution.asked else chosen
    return Solution(
        status=solution.status,
        description=first_sentence(solution.description),
        confidence=solution.confidence,
        decision={
            name: _short(solution.decision[name]) for name in kept if name in solution.decision
        },
        rounds=solution.rounds,
        sat_out=_few(solution.sat_out),
        left_out=_few(solution.left_out),
        reason=cut(solution.reason, LONGEST),
        answer=cut(solution.answer, LONGEST_COUNTED),
        counts=_most_given(solution.counts),
        asked=solution.asked,
        answers=solution.answers,
        unreadable=solution.unreadable,
        certificate=_short_certificate(solution.certificate),
    )


def _short(value: Any) -> Any:
    """A name or a list of them, as far as there is room."""
    if isinstance(value, str):
        return cut(value, LONGEST)
    return [_short(one) for one in value[:MOST_COUNTED]] if isinstance(value, list) else value


def _most_given(counts: tuple[Count, ...]) -> tuple[Count, ...]:
    """The first few, without names."""
    return tuple(
        Count(answer=cut(one.answer, LONGEST_COUNTED), count=one.count)
        for one in counts[:MOST_COUNTED]
    )


def _few(absences: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cut(one, LONGEST_ABSENCE) for one in absences[:MOST_ABSENCES])


def read(data: Mapping[str, Any] | None) -> Outcome | None:
    """The outcome that a log of any version has recorded."""
    if data is None:
        return None
    found: Outcome = msgspec.convert(data if "type" in data else _tagged(data), Outcome)
    return found


def _tagged(data: Mapping[str, Any]) -> dict[str, Any]:
    """An outcome as 0.1 wrote it: a plain object whose keys say what it is."""
    if "by_id" in data:
        return {"type": "summary", **data}
    if "winner" in data:
        return {"type": "verdict", "status": OutcomeStatus.DECIDED, **data}
    known = {key: value for key, value in data.items() if value is not None}
    return {"type": "solution", "status": OutcomeStatus.MISSING, **known}
