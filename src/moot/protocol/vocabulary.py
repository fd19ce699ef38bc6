"""The words people read for the closed sets of `words`: one table for terminal, page and exports.

Plain text; whoever shows it escapes it in its own way. The page gets the tables from the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, assert_never

from moot.protocol import answer_words, certificate_words, judge_words
from moot.protocol.extracts import first_sentence
from moot.protocol.format_words import FORMATS, PROVIDERS
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
from moot.protocol.values import Config, Usage
from moot.protocol.winners import TIE as TOLD_TIE
from moot.protocol.words import Role, Status, StepKind, StopReason


class Kind(NamedTuple):
    """A step kind in three forms: the turn it makes, "Ada …" once it is done, "Ada is …" before."""

    noun: str
    does: str
    doing: str


KINDS: Mapping[StepKind, Kind] = {
    StepKind.PLAN: Kind("plan", "plans", "planning"),
    StepKind.THINK: Kind("thought", "thinks", "thinking"),
    StepKind.SPEAK: Kind("statement", "speaks", "speaking"),
    StepKind.EVALUATE: Kind("evaluation", "weighs it", "weighing the argument"),
    StepKind.SCORE: Kind("score", "scores", "scoring"),
    StepKind.DELIBERATE: Kind("deliberation", "deliberates", "deliberating"),
    StepKind.CONFIRM: Kind("choice of winner", "settles the verdict", "settling the verdict"),
    StepKind.VERDICT: Kind("verdict", "gives the verdict", "reaching a verdict"),
    StepKind.ASK: Kind("question", "asks", "looking for questions"),
    StepKind.SUMMARIZE: Kind("summary", "sums up", "summing up"),
    StepKind.PROPOSE: Kind("proposal", "proposes", "writing a proposal"),
    StepKind.CRITIQUE: Kind("critique", "criticises", "writing a critique"),
    StepKind.REFINE: Kind("refined proposal", "refines", "refining the proposal"),
    StepKind.SYNTHESIZE: Kind("solution", "writes the solution", "writing the solution"),
    StepKind.VOTE: Kind("ballot", "votes", "voting"),
    StepKind.ANSWER: Kind("answer", "answers", "answering"),
}

FLAGS: Mapping[str, str] = {
    "truncated": "cut off at the length limit",
    "filtered": "cut off by the provider's filter",
    "unreadable": "could not be read",
    "echo": "repeats the words of its prompt",
    "trimmed": "lines written for somebody else were left out",
    "relabeled": "began with somebody else's name, which was left out",
    "passed": "passed",
    "expired": "the time to answer was up",
    "skipped": "skipped",
    "shortened": "written without the oldest turns, which no longer fitted the model's window",
    "overfull": "the prompt was longer than the model's window, so it may not have been read whole",
    "sampling_ignored": "the provider did not accept all of the sampling settings",
    "plain_text": "used as written, because it is not JSON",
    "partial": "incomplete; used as far as it goes",
    "hidden": "hidden while somebody takes part who may not know it",
    "inherited": "shared with the debate it was forked from",
}

ERRORS = frozenset({"failed", "rate_limit", "paused_rate_limited", "context_full"})
"""Codes of notices that are errors; all others are system messages (seed 002, "Message Types")."""

FILES_LEFT_OUT, BUDGET_NOT_HELD = "files_left_out", "budget_not_held"
WARNINGS = frozenset({FILES_LEFT_OUT, BUDGET_NOT_HELD})
"""Codes of notices that come with a debate's creation: files that were named and are not attached,
and a cap on money that cannot be held because a price is not known."""

CAPS = frozenset({StopReason.MAX_COST, StopReason.MAX_RUNTIME, StopReason.MAX_TOKENS})
"""Limits after which an outcome is what could be said until then."""
REASONS: Mapping[StopReason, str] = {
    StopReason.DONE: "everything was said",
    StopReason.MAX_ROUNDS: "all rounds were played",
    StopReason.MAX_RUNTIME: "the time limit was reached",
    StopReason.MAX_TOKENS: "the token limit was reached",
    StopReason.MAX_COST: "the cost limit was reached",
    StopReason.ENDED: "it was ended by hand",
    StopReason.STOPPED: "it was stopped",
    StopReason.CANCELED: "it was canceled",
    StopReason.CONSENSUS: "they agreed",
    StopReason.STABLE: "nobody changed their position any more",
    StopReason.NO_NEW_ARGUMENTS: "nothing new was said",
    StopReason.ALL_SKIPPED: "nobody had more to say",
    StopReason.ERROR: "a step failed",
}
"""Completes "It ended because …"."""


class StatusWord(NamedTuple):
    """What a status is called, and its tone: idle, live, wait, bad or done."""

    label: str
    tone: str


STATUSES: Mapping[Status, StatusWord] = {
    Status.CREATED: StatusWord("Ready", "idle"),
    Status.RUNNING: StatusWord("Running", "live"),
    Status.WAITING: StatusWord("Waiting for you", "wait"),
    Status.STOPPING: StatusWord("Stopping", "live"),
    Status.STOPPED: StatusWord("Stopped", "idle"),
    Status.FAILED: StatusWord("Failed", "bad"),
    Status.COMPLETED: StatusWord("Completed", "done"),
    Status.CANCELED: StatusWord("Canceled", "idle"),
}

SAMPLE, FILE = "import/sample", "import/file"
ORIGINS: Mapping[str, str] = {
    SAMPLE: "A sample, written by the people who make Moot. No model said this.",
    FILE: "Imported from a file. Moot cannot tell whether it happened as it says.",
}
"""What a reader must know of a debate that was not held here, by the origin of its row."""
FORKED_ORIGINS: Mapping[str, str] = {
    SAMPLE: (
        "It begins with a sample, written by the people who make Moot. No model said what was taken"
        " over from it."
    ),
    FILE: (
        "It begins with a debate that was imported from a file. Moot cannot tell whether that "
        "happened as it says."
    ),
}
"""The same of a debate that was forked from such a one."""
ORIGIN_LABELS: Mapping[str, str] = {
    SAMPLE: "sample",
    FILE: "imported",
    "v1": "asked over /v1",
    "mcp": "asked over MCP",
}
"""By which door a debate came, in a word or three, for lists."""
NOTHING_ASKED = "no model was asked, and nothing was spent"

NO_SCORE = "no readable score"
TIE = "A tie"
NO_VERDICT = "No verdict"
PREMISE: Mapping[bool, str] = {True: "Premise upheld", False: "Premise rejected"}
CONTESTED = "Contested: the judge named a winner and gave the other side the higher score."
EVEN = "Contested: the judge named a winner and gave both sides the same score."
UNEVEN = "Contested: the judge called it a tie and gave the sides different scores."
OTHERWISE = "Contested: on record the judge decided for {winner}, in words for {told}."
UNCONFIRMED = (
    "Not confirmed: when asked only for the winner's name, the judge did not name exactly one of "
    "the two."
)
OPEN_CARDS = (
    "Played with open cards: a person who took part was shown before the end what is private."
)
BLIND = "without knowing whose they were or which came first"
OUTCOME_HIDDEN = (
    "The outcome is hidden for now, because somebody still has to answer in the debate that this "
    "one was forked from."
)
REVEALS = (
    "Open cards show everybody who looks at this debate what the others plan and think, how the "
    "judge weighs and scores, and what others write while you still owe an answer. This cannot be "
    "undone, and the result will say that the debate was played with open cards."
)
"""What a person gives away who opens the cards; told before it is done."""
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

TRUST: Mapping[str, str] = {
    "missing": "No verdict",
    "unreadable": "Unreadable",
    "passed": "Passed",
    "contested": "Contested",
    "unconfirmed": "Not confirmed",
    "scores_unknown": "Scores unknown",
    "left_out": "Somebody was left out",
    "open_cards": "Open cards",
    "tie": "Tie",
    "confirmed": "Confirmed",
}
"""How far an outcome can be relied on, in a word or two, the most serious first."""

SOLUTION_PARTS: Mapping[str, str] = {
    "reasons": "Why this",
    "rejected": "Rejected",
    "trade_offs": "Trade-offs",
    "recommendations": "Recommendations",
    "unfulfilled_requirements": "Unfulfilled requirements",
    "open_questions": "Open questions",
    "dissent": "Dissent",
}
"""The parts of a solution that are lists, in the order in which people read them."""


def parts(solution: Solution) -> Mapping[str, str]:
    """SOLUTION_PARTS for that one: from a tie nobody dissents."""
    if solution.status is not OutcomeStatus.TIED:
        return SOLUTION_PARTS
    return {**SOLUTION_PARTS, "dissent": answer_words.OF_TIE}


def written(usage: Usage) -> str:
    """How many tokens were written; those that were only thought are told apart."""
    thought = f", {usage.thought_tokens:,} thought" if usage.thought_tokens else ""
    return f"{usage.answer_tokens:,} out{thought}"


def message_type(code: str) -> str:
    """What a notice with that code is: `error` or `system`."""
    return "error" if code in ERRORS else "system"


def title(outcome: Outcome) -> str:
    """What to call it."""
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


def provenance(config: Config) -> str:
    """Where a debate comes from that was not held here, in a sentence or two; else ""."""
    if config.origin is None:
        return ""
    told = FORKED_ORIGINS if config.forked_from else ORIGINS
    return told.get(config.origin.label, "")


def is_sample(config: Config) -> bool:
    """Whether all of it was written by the people who make Moot."""
    origin = config.origin.label if config.origin else ""
    return origin == SAMPLE and config.forked_from is None


def trust(outcome: Outcome, *, has_open_cards: bool = False) -> str:
    """The most serious of what TRUST can say of it; "" if there is nothing to say."""
    found = {*_trust(outcome), *(("open_cards",) if has_open_cards else ())}
    return next((key for key in TRUST if key in found), "")


def trust_in(row: DebateRow) -> str:
    """`trust` in what came of a debate that is listed. A person who judges is asked once, by a
    form, so that nothing is confirmed."""
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


def early(reason: StopReason | None) -> tuple[str, ...]:
    """That a limit ended it before its time, if one did."""
    return (f"It ended early: {REASONS[reason]}.",) if reason in CAPS else ()


def counted(solution: Solution) -> tuple[str, ...]:
    """How often each answer was given, a line each; empty where nothing is to be compared."""
    return answer_words.counted(solution) if solution.asked else ()


def own_text(solution: Solution) -> str:
    """The solution itself, but for a short answer that its headline has already."""
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
    # The last of a ranking gets nothing by it.
    last = len(decision.get("points") or ()) - 1
    for_it = [voter for voter, ballot in cast.items() if winner in ballot[:last]]
    if winner and for_it == [winner]:
        yield OWN_BALLOT.format(winner=winner)


def as_data() -> dict[str, Any]:
    """All tables, for whoever cannot import them: the page."""
    return {
        "kinds": {kind.value: words._asdict() for kind, words in KINDS.items()},
        "flags": dict(FLAGS),
        "reasons": {reason.value: text for reason, text in REASONS.items()},
        "statuses": {
            status.value: {**words._asdict(), "is_over": status.is_terminal}
            for status, words in STATUSES.items()
        },
        "premise": {"upheld": PREMISE[True], "rejected": PREMISE[False]},
        "solution_parts": dict(SOLUTION_PARTS),
        "of_tie": answer_words.OF_TIE,
        "certificates": {
            status.value: {"label": label, "meaning": certificate_words.MEANINGS[status]}
            for status, label in certificate_words.STATUSES.items()
        },
        "no_score": NO_SCORE,
        "trust": dict(TRUST),
        "formats": {name: words._asdict() for name, words in FORMATS.items()},
        "providers": dict(PROVIDERS),
        "cards": {"open": OPEN_CARDS, "reveals": REVEALS},
        "origins": dict(ORIGINS),
        "forked_origins": dict(FORKED_ORIGINS),
        "origin_labels": dict(ORIGIN_LABELS),
    }
