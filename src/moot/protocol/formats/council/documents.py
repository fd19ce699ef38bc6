"""The documents of a council: its report, and the record of its decision.

They read the log and the outcome and decide nothing: what a round came to, who chose what and which
proposal stood before the debate is as the format recorded it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.errors import InvalidInput
from moot.protocol.documents import (
    Block,
    Bullets,
    Fact,
    Facts,
    Heading,
    Line,
    Roster,
    Said,
    Spending,
    Stated,
    Table,
    Unfinished,
)
from moot.protocol.events import NoticePosted
from moot.protocol.formats.council.answers import unstopped
from moot.protocol.formats.council.closing import MEASURED
from moot.protocol.formats.council.order import (
    EVALUATION,
    settings_of,
)
from moot.protocol.formats.council.questions import (
    also_asked_by,
    clarifications,
    told_in_advance,
)
from moot.protocol.formats.council.seats import critics_names, members
from moot.protocol.outcome_words import doubts, worth
from moot.protocol.outcomes import Solution
from moot.protocol.roster import shared_model
from moot.protocol.state import DebateState, Turn
from moot.protocol.vocabulary import SOLUTION_PARTS
from moot.protocol.words import StepKind

POSITIONS = (StepKind.PROPOSE, StepKind.REFINE)
IN_ROUNDS = (*POSITIONS, StepKind.CRITIQUE, StepKind.EVALUATE)
CONSEQUENCES = {
    "trade_offs": "Trade-offs",
    "recommendations": "What to do",
    "unfulfilled_requirements": "Not fulfilled",
}
LEFT = {"open_questions": "Open questions", "dissent": "Dissent"}


def report(state: DebateState) -> Iterator[Block]:
    """The solution, and then how it came about: problem, members, clarifications, rounds."""
    yield from _front(state)
    found = _solution(state)
    if found is not None:
        yield from _solved(found)
    yield Heading(2, "Problem")
    yield from _problem(state)
    yield Heading(2, "Members")
    yield Roster(dict.fromkeys(found.sat_out if found else (), "sat out"))
    yield from (Line(aside=one) for one in shared_model(state.config.participants))
    yield from _clarified(state, level=2)
    yield from _rounds(state)
    if found is not None:
        yield from _ballots(found)
        yield from _before(found.before_debate or {})
    if remarks := [one.text for one in _notices(state) if one.code != MEASURED]:
        yield from (Heading(2, "Notices"), Bullets(tuple(remarks)))
    yield from (Heading(2, "Spending"), Spending())


def decision_record(state: DebateState) -> Iterator[Block]:
    """Context, decision and its reasons, what was rejected and why, consequences, options."""
    found = _solution(state)
    if found is None or not found.description:
        message = "this council has not decided anything yet; export it as a report"
        raise InvalidInput(message, field="as")
    yield Heading(1, state.name)
    yield from _deciders(state, found)
    yield Heading(2, "Context")
    yield from _problem(state)
    yield from _clarified(state, level=3)
    yield from (Heading(2, "Decision"), Line(text=_chosen(found.decision)), Said(found.description))
    yield from (Line(label="Note.", text=doubt) for doubt in doubts(found))
    yield from _listed(found, {"reasons": "Reasons"}, level=2)
    yield from _rejected(state, found)
    if any(_part(found, name) for name in CONSEQUENCES):
        yield Heading(2, "Consequences")
    yield from _listed(found, CONSEQUENCES, level=3)
    yield from _listed(found, LEFT, level=2)
    yield Heading(2, "Options")
    yield from _options(state)
    yield from _worth(found)


# --- what was debated, and by whom ----------------------------------------------------------------


def _front(state: DebateState) -> Iterator[Block]:
    settings = settings_of(state)
    yield Heading(1, f"Report: {state.name}")
    yield Unfinished()
    rounds = {turn.said.round for turn in _turns(state, *IN_ROUNDS)}
    yield Table(
        header=("Fact", "Value"),
        rows=(
            ("Debate", Fact.DEBATE),
            ("Status", Fact.STATUS),
            ("Created", Fact.CREATED),
            ("Rounds", f"{len(rounds)} of at most {settings.rounds}"),
            ("Decided by", settings.decision),
        ),
    )


def _deciders(state: DebateState, found: Solution) -> Iterator[Block]:
    # Somebody who only answered questions, or left a note, has decided nothing.
    deciders = ", ".join(one.name for one in state.config.participants)
    rows: tuple[tuple[str, str | Fact], ...] = (
        ("Date", Fact.UPDATED),
        ("Status", Fact.STATUS),
        ("Deciders", deciders),
        ("Confidence", _confidence(found)),
        ("Debate", Fact.DEBATE),
    )
    yield Facts(rows)


def _problem(state: DebateState) -> Iterator[Block]:
    yield Said(state.config.topic)
    files = state.config.attachments
    if files:
        yield Line(text="Files that everybody could read:")
        rows = tuple((one.name, f"{one.size_bytes:,}", one.sha256) for one in files)
        yield Table(header=("File", "Bytes", "SHA-256"), rows=rows)


def _clarified(state: DebateState, *, level: int) -> Iterator[Block]:
    asked, told = clarifications(state), told_in_advance(state)
    if asked or told:
        yield Heading(level, "Clarifications")
    if told:
        yield Line(text="Told in advance:")
        yield Bullets(tuple(f"{one.question} {one.answer}".strip() for one in told))
    names = {one.id: one.name for one in members(state)}
    for one in asked:
        if one.same_as:
            continue
        others = (names[each] for each in also_asked_by(state, one))
        askers = _and([names[one.member], *others])
        yield Line(text=f"{askers} asked ({one.iteration}.{one.number}):")
        yield Said(one.question)
        if one.answer is None:
            yield Line(aside="Not answered yet.")
        elif one.answer:
            yield from (Line(text="Answer:"), Said(one.answer))
        else:
            yield Line(aside="No answer was given.")


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


# --- the rounds -----------------------------------------------------------------------------------


def _rounds(state: DebateState) -> Iterator[Block]:
    numbers = sorted({turn.said.round for turn in _turns(state, *IN_ROUNDS)})
    if numbers:
        yield Heading(2, "Rounds")
    for number in numbers:
        yield Heading(3, f"Round {number}")
        yield from _group("Proposals", _turns(state, StepKind.PROPOSE, round_=number))
        critiques = _turns(state, StepKind.CRITIQUE, round_=number)
        yield from _group("Critiques", critiques, is_folded=True)
        yield from _group("Refinements", _turns(state, StepKind.REFINE, round_=number))
        for turn in _turns(state, StepKind.EVALUATE, round_=number):
            if turn.said.stage == EVALUATION:
                yield from (Heading(4, "Evaluation"), Stated(turn))
        about = f"{EVALUATION}/{number}"
        yield from (Line(aside=one.text) for one in _notices(state) if one.about == about)


def _group(title: str, turns: list[Turn], *, is_folded: bool = False) -> Iterator[Block]:
    if turns:
        yield Heading(4, title)
    yield from (Stated(turn, is_folded) for turn in turns)


def _turns(state: DebateState, *kinds: StepKind, round_: int | None = None) -> list[Turn]:
    found = (turn for turn in state.transcript() if turn.said.kind in kinds)
    return [turn for turn in found if round_ in (None, turn.said.round)]


def _notices(state: DebateState) -> list[NoticePosted]:
    events = (record.event for record in state.notices)
    return [event for event in events if isinstance(event, NoticePosted)]


def _options(state: DebateState) -> Iterator[Block]:
    """The last position of every member."""
    for member in members(state):
        own = [one for one in _turns(state, *POSITIONS) if one.said.participant == member.id]
        if own:
            yield Heading(3, f"The proposal of {member.name}")
            yield Said(own[-1].said.content)


# --- what came of it ------------------------------------------------------------------------------


def _solution(state: DebateState) -> Solution | None:
    return state.outcome if isinstance(state.outcome, Solution) else None


def _ballots(found: Solution) -> Iterator[Block]:
    points = found.decision.get("points")
    if points:
        yield Heading(2, "Vote")
        rows = tuple((str(name), f"{value:g}") for name, value in points.items())
        yield Table(header=("Proposal of", "Points"), rows=rows)
        yield Line(text=_chosen(found.decision))


def _chosen(decision: Mapping[str, Any]) -> str:
    """Who decided, and how."""
    rule = decision.get("rule")
    if decision.get("winner"):
        return f"The proposal of {decision['winner']} was chosen ({rule})."
    if decision.get("tied"):
        tied = ", ".join(map(str, decision["tied"]))
        return f"A tie ({rule}) between {tied}; the judge wrote it up."
    if decision.get("points"):
        return "No ballot could be counted; the judge wrote it up."
    return "The judge made one solution of what the members proposed."


def _solved(found: Solution) -> Iterator[Block]:
    yield Heading(2, "Solution")
    yield from (Line(label="Note.", text=doubt) for doubt in doubts(found))
    if found.description:
        yield Said(found.description)
    yield from _listed(found, SOLUTION_PARTS, level=3)
    yield Line(label="Confidence:", text=_confidence(found))
    if told := worth(found):
        yield Line(label="Was debating worth it?", text=told)


def _listed(found: Solution, parts: Mapping[str, str], *, level: int) -> Iterator[Block]:
    for name, title in parts.items():
        if texts := _part(found, name):
            yield from (Heading(level, title), Bullets(texts))


def _part(found: Solution, name: str) -> tuple[str, ...]:
    return tuple(text for text in getattr(found, name) if text)


def _confidence(found: Solution) -> str:
    return "not stated" if found.confidence is None else f"{found.confidence:g} of 100"


def _worth(found: Solution) -> Iterator[Block]:
    if told := worth(found):
        yield from (Heading(2, "Was debating worth it?"), Line(text=told))


def _rejected(state: DebateState, found: Solution) -> Iterator[Block]:
    """What the judge did not take, and which objections the members did not accept, and why."""
    points = tuple(_objections(state))
    if found.rejected or points:
        yield Heading(2, "Rejected")
    if found.rejected:
        yield Bullets(_part(found, "rejected"))
    if points:
        yield from (Line(text="Objections that members did not accept:"), Bullets(points))


def _objections(state: DebateState) -> Iterator[str]:
    for turn in _turns(state, StepKind.REFINE):
        said = turn.said
        names = critics_names(state, said.participant)
        for one in (said.data or {}).get("rejected") or ():
            by = names.get(one["from"], one["from"])
            critic = f" (raised by {by})" if by else ""
            why = f": {one['why']}" if one["why"] else ""
            point = unstopped(one["point"])
            yield f"{state.label_of(said.participant)} did not accept “{point}”{critic}{why}"


def _before(before: Mapping[str, Any]) -> Iterator[Block]:
    """What the members would have answered at once: it shows whether debating was worth it."""
    proposals, ratings = before.get("proposals") or {}, before.get("ratings") or {}
    if proposals:
        yield Heading(2, "Before the debate")
        told = (
            "What the members rated highest in their first critiques, before any proposal changed:"
        )
        yield Line(text=told)
    for name, text in proposals.items():
        rated = ratings.get(name)
        figure = f"(rated {rated:g})" if isinstance(rated, int | float) else ""
        yield from (Line(label=str(name), text=figure), Said(str(text)))


DOCUMENTS = {"report": report, "decision-record": decision_record}
