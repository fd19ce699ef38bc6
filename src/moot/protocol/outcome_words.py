"""An outcome in words: its title, its headline, how far to trust it, and what is missing from it.

One place for terminal, page and exports. Plain text; whoever shows it escapes it in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from moot.protocol import answer_words, certificate_words, judge_words
from moot.protocol.extracts import first_sentence
from moot.protocol.outcomes import (
    Certificate,
    Comparison,
    ExamReport,
    Outcome,
    OutcomeStatus,
    Solution,
    Summary,
    Verdict,
    is_contested,
)
from moot.protocol.row import DebateRow
from moot.protocol.vocabulary import OPEN_CARDS, SOLUTION_PARTS, TRUST
from moot.protocol.winners import TIE as TOLD_TIE
from moot.protocol.words import Role

TIE = "A tie"
NO_VERDICT = "No verdict"
CONTESTED = "Contested: the judge named a winner and gave the other side the higher score."
EVEN = "Contested: the judge named a winner and gave both sides the same score."
UNEVEN = "Contested: the judge called it a tie and gave the sides different scores."
OTHERWISE = "Contested: on record the judge decided for {winner}, in words for {told}."
UNCONFIRMED = (
    "Not confirmed: when asked only for the winner's name, the judge did not name exactly one of "
    "the two."
)
BLIND = "without knowing whose they were or which came first"
NO_BALLOT = "No ballot could be counted; the judge wrote the solution."
ONE_BALLOT = "Only one of {number} ballots counted."
OWN_BALLOT = "Only {winner} voted for the proposal of {winner}."
CHOSEN = "The solution is the proposal of {winner}, as the members chose it."
UNUSED = "The judge's answer could not be used: {reason}. Nothing was made up."

DOUBTS: Mapping[OutcomeStatus, str] = {
    OutcomeStatus.SCORES_UNKNOWN: (
        "The scores could not be read; the winner is the one the judge confirmed."
    ),
    OutcomeStatus.UNREADABLE: "The judge's answer could not be read, and nothing was made up.",
    OutcomeStatus.PASSED: "The judge passed.",
    OutcomeStatus.MISSING: "The debate ended before the judge had answered.",
    OutcomeStatus.TIED: answer_words.TIED,
}
"""What a reader must know about an outcome that is not simply `decided`."""

WHY_NONE: Mapping[OutcomeStatus, str] = {
    OutcomeStatus.UNREADABLE: "the judge's answer could not be read",
    OutcomeStatus.PASSED: "the judge passed",
    OutcomeStatus.MISSING: "it ended before the judge had answered",
}
"""Completes "No verdict: …" and "No solution: …"."""


def parts(solution: Solution) -> Mapping[str, str]:
    """SOLUTION_PARTS for this solution, with OF_TIE for a tie, from which nobody dissents."""
    if solution.status is not OutcomeStatus.TIED:
        return SOLUTION_PARTS
    return {**SOLUTION_PARTS, "dissent": answer_words.OF_TIE}


def title(outcome: Outcome) -> str:
    """What to call the outcome."""
    match outcome:
        case Verdict():
            return "Verdict"
        case Summary():
            return "Summary"
        case Solution(asked=asked):
            return answer_words.TITLE if asked else "Solution"
        case Certificate():
            return certificate_words.TITLE
        case ExamReport():
            return judge_words.TITLE
        case _:
            assert_never(outcome)


def headline(outcome: Outcome) -> str:
    """The outcome in one line: who won, or why nobody did. It claims no more than the record."""
    match outcome:
        case Verdict():
            return _named(outcome)
        case Summary(by=by):
            return f"Summed up by {by}"
        case Solution(asked=asked):
            return answer_words.headline(outcome) if asked else "What the council came to"
        case Certificate():
            return certificate_words.headline(outcome)
        case ExamReport():
            return judge_words.exam_headline(outcome)
        case _:
            assert_never(outcome)


def _named(verdict: Verdict) -> str:
    winner = verdict.winner
    if winner is None and verdict.is_contested:
        return "The judge called it a tie, against the scores"
    if winner is None:
        return TIE if verdict.is_tie else NO_VERDICT
    if verdict.told is not None:
        return f"The judge named {winner} on record, but not in words"
    if verdict.is_unconfirmed:
        return f"The judge named {winner}, but not twice"
    if verdict.is_contested:
        how = "with equal scores" if _is_even(verdict) else "against the scores"
        return f"The judge named {winner}, {how}"
    return f"{winner} wins"


def gist(outcome: Outcome) -> str:
    """What came of it, in one line of a list: "Ada won, 8 to 6"."""
    match outcome:
        case Verdict():
            return _who_won(outcome)
        case Summary(summary=text):
            return _in_quotes(text) or headline(outcome)
        case Solution(asked=asked) if asked:
            return _in_quotes("" if outcome.answer else outcome.description) or headline(outcome)
        case Solution(status=status, description=text):
            is_there = status not in WHY_NONE or outcome.decision.get("is_solution")
            return (_in_quotes(text) if is_there else "") or _none("No solution", status)
        case Certificate():
            return certificate_words.gist(outcome)
        case ExamReport():
            return judge_words.exam_headline(outcome)
        case _:
            assert_never(outcome)


def _who_won(verdict: Verdict) -> str:
    figures = _figures(verdict)
    if verdict.told is not None:
        record = f"{verdict.winner} won" if verdict.winner else "a tie"
        told = "a tie" if verdict.told == TOLD_TIE else verdict.told
        return f"On record {record}, in words {told}"
    if verdict.winner is None:
        tie = f"{TIE}, {figures}" if figures else TIE
        return tie if verdict.is_tie else _none(NO_VERDICT, verdict.status)
    if verdict.is_contested and figures:
        return f"Scored {figures}; the judge named {verdict.winner}"
    return f"{verdict.winner} won, {figures}" if figures else f"{verdict.winner} won"


def _figures(verdict: Verdict) -> str:
    """`8 to 6`, the winner's first; blank unless two were scored."""
    scores = verdict.scores or {}
    if len(scores) != 2:  # noqa: PLR2004 - of three, "8 to 6" would leave one out
        return ""
    winner_first = sorted(scores.items(), key=lambda one: one[0] != verdict.winner)
    return " to ".join(f"{score:g}" for _, score in winner_first)


def _none(what: str, status: OutcomeStatus) -> str:
    return f"{what}: {WHY_NONE[status]}" if status in WHY_NONE else what


def _in_quotes(text: str) -> str:
    found = first_sentence(text)
    return f"“{found}”" if found else ""


def trust(outcome: Outcome, *, has_open_cards: bool = False) -> str:
    """The most serious of what TRUST can say of it; "" if there is nothing to say."""
    found = {*_trust(outcome), *(("open_cards",) if has_open_cards else ())}
    return next((key for key in TRUST if key in found), "")


def trust_in(row: DebateRow) -> str:
    """`trust` for the outcome of a debate in a list. If a person judged, it is never
    `confirmed`: they are asked only once, by a form."""
    if row.outcome is None:
        return ""
    found = trust(row.outcome, has_open_cards=row.has_open_cards)
    is_person = any(one.is_person for one in row.cast or () if one.role is Role.JUDGE)
    return "" if found == "confirmed" and is_person else found


def _trust(outcome: Outcome) -> Iterator[str]:
    match outcome:
        case Verdict():
            yield from _trust_in_verdict(outcome)
        case Solution(asked=asked) if asked:
            yield from answer_words.trust(outcome)
        case Solution(status=status):
            if status in WHY_NONE and not outcome.decision.get("is_solution"):
                yield status.value
            if outcome.left_out or outcome.sat_out:
                yield "left_out"
        case Summary() | Certificate() | ExamReport():  # their headlines say it
            pass
        case _:
            assert_never(outcome)


def _trust_in_verdict(verdict: Verdict) -> Iterator[str]:
    if verdict.status in DOUBTS:
        yield verdict.status.value
    if verdict.is_contested:
        yield "contested"
    if verdict.is_unconfirmed:
        yield "unconfirmed"
    if verdict.is_tie:
        yield "tie"
    is_confirmed = verdict.winner is not None and verdict.confirmed_winner == verdict.winner
    if is_confirmed and not _doubts(verdict):
        yield "confirmed"


def doubts(outcome: Outcome, *, has_open_cards: bool = False) -> tuple[str, ...]:
    """What a reader must know before trusting the headline; empty if there is nothing."""
    return (*_doubts(outcome), *((OPEN_CARDS,) if has_open_cards else ()))


def _doubts(outcome: Outcome) -> tuple[str, ...]:
    match outcome:
        case Verdict(status=status, reason=reason):
            unconfirmed = (UNCONFIRMED,) if outcome.is_unconfirmed else ()
            return (*_doubt(status, reason), *unconfirmed, *_contest(outcome))
        case Solution(asked=asked) if asked:
            return (*answer_words.doubts(outcome), *_missing(outcome))
        case Solution(status=status, reason=reason):
            return (*_doubt(status, reason), *_chosen(outcome.decision), *_absences(outcome))
        case Certificate():
            return (certificate_words.NOT_RIGHT,)
        case ExamReport():
            return (judge_words.NOT_ALL,)
        case Summary():
            return ()
        case _:
            assert_never(outcome)


def counted(solution: Solution) -> tuple[str, ...]:
    """How often each answer was given, a line each; empty where nothing is to be compared."""
    return answer_words.counted(solution) if solution.asked else ()


def own_text(solution: Solution) -> str:
    """The text of the solution; "" if it is a short answer, which its headline has already."""
    return "" if solution.answer else solution.description


def worth(solution: Solution) -> str:
    """Whether debating was worth it, in a sentence; empty if that was not asked."""
    match solution.comparison:
        case None:
            return ""
        case Comparison(is_changed=False):
            return "Debating was not worth it: no proposal changed."
        case Comparison(before=int() | float() as before, after=int() | float() as after):
            verdict = "worth it" if after > before else "not worth it"
            rated = (
                f"the best proposal before the debate {before:g} and the best after it {after:g}"
            )
            return f"Debating was {verdict}: the judge rated {rated}, {BLIND}."
        case _:
            return (
                "It is not known whether debating was worth it: the judge did not rate the first "
                "and the last proposals."
            )


def _doubt(status: OutcomeStatus, reason: str) -> tuple[str, ...]:
    if status is OutcomeStatus.UNREADABLE and reason:
        return (UNUSED.format(reason=reason),)
    return (DOUBTS[status],) if status in DOUBTS else ()


def _contest(verdict: Verdict) -> tuple[str, ...]:
    if not verdict.is_contested:
        return ()
    if verdict.told is None:
        return (_contested_figures(verdict),)
    told = "a tie" if verdict.told == TOLD_TIE else verdict.told
    words = OTHERWISE.format(winner=verdict.winner or "a tie", told=told)
    is_wrong = is_contested(verdict.winner, verdict.scores, is_tie=verdict.is_tie)
    return (words, *((_contested_figures(verdict),) if is_wrong else ()))


def _contested_figures(verdict: Verdict) -> str:
    if verdict.winner is None:
        return UNEVEN
    return EVEN if _is_even(verdict) else CONTESTED


def _is_even(verdict: Verdict) -> bool:
    figures = verdict.scores or {}
    return len(figures) > 1 and len(set(figures.values())) == 1


def _chosen(decision: Mapping[str, Any]) -> Iterator[str]:
    if decision.get("is_solution"):
        yield CHOSEN.format(winner=decision["winner"])


def _absences(solution: Solution) -> Iterator[str]:
    """Who and what is missing from it, and what a vote stands on."""
    yield from _missing(solution)
    yield from _few_ballots(solution.decision)


def _missing(solution: Solution) -> Iterator[str]:
    if solution.left_out:
        yield f"Left out: {'; '.join(solution.left_out)}."


def _few_ballots(decision: Mapping[str, Any]) -> Iterator[str]:
    """What a vote stands on, if that is little."""
    ballots: Mapping[str, Sequence[str]] = decision.get("ballots") or {}
    cast = {voter: ballot for voter, ballot in ballots.items() if ballot}
    winner = decision.get("winner")
    if "points" in decision and not winner and not decision.get("tied"):
        yield NO_BALLOT
    elif len(cast) == 1:
        yield ONE_BALLOT.format(number=len(ballots))
    # The last place of a ranking is worth nothing.
    last = len(decision.get("points") or ()) - 1
    for_it = [voter for voter, ballot in cast.items() if winner in ballot[:last]]
    if winner and for_it == [winner]:
        yield OWN_BALLOT.format(winner=winner)
