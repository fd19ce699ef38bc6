"""How a council ends: the ballots, the judge's solution, why it ended, and what came of it.

What is told about each round, and what happens if a step fails for good, is here too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from moot.protocol.answers import Text, Unreadable
from moot.protocol.ballots import BallotAnswer
from moot.protocol.bench.telling import is_ballot
from moot.protocol.briefs import brief as for_people
from moot.protocol.events import NoticePosted, StageEntered
from moot.protocol.formats.council import ballots, briefing
from moot.protocol.formats.council.answers import NOTHING, SOLUTION
from moot.protocol.formats.council.briefing import (
    BEGINNING,
    Steps,
    by_judge,
    by_member,
    is_long,
    judge_tokens,
    since,
    still_open,
)
from moot.protocol.formats.council.order import (
    COMPARE,
    EVALUATION,
    MEASURES,
    REFINE,
    SUM_UP,
    SYNTHESIS,
    SYNTHESIZE,
    VOTE,
    settings_of,
)
from moot.protocol.formats.council.positions import (
    figure,
    final_position,
    has_proposals,
    is_reached,
    number,
    stability,
    text_of,
)
from moot.protocol.formats.council.seats import (
    FEWEST,
    active,
    authors,
    critics_names,
    judge,
    members,
)
from moot.protocol.formats.council.steps import evaluating
from moot.protocol.labelling import named
from moot.protocol.machine import FALLBACK, RETRY
from moot.protocol.outcomes import OutcomeStatus, Solution
from moot.protocol.recovering import LEFT_OUT, SAT_OUT, is_settled, missing, sat_out
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Next, Prompt, Record, Step
from moot.protocol.vocabulary import FLAGS, KINDS
from moot.protocol.words import StepKind, StopReason, View, Visibility

# --- the steps ------------------------------------------------------------------------------------


def synthesizing(state: DebateState) -> Steps:
    """The members' ballots if they decide; the judge's own summary if need be; the solution
    and the comparison."""
    if ballots.is_voted(state) and not ballots.are_in(state):
        return still_open(state, _voting(state))
    return still_open(state, _summing_up(state)) or (
        *still_open(state, _synthesizing(state)),
        *still_open(state, _comparing(state)),
    )


def _voting(state: DebateState) -> Iterator[Step]:
    standing = ballots.candidates(state)
    labels = tuple(one.label for one in standing)
    for member in active(state):
        yield by_member(
            state,
            VOTE,
            member,
            prompt=briefing.ballot_prompt(state, [(one.label, one.text) for one in standing]),
            # With its own history a member would know which proposal is whose.
            view=View.BLANK,
            answer=BallotAnswer(
                names={one.label: one.member.name for one in standing},
                labels=labels,
                is_ranked=ballots.rule(state) == "rank",
            ),
        )


def _summing_up(state: DebateState) -> Iterator[Step]:
    if not judge(state).is_human and is_long(state, judge_tokens(state)):
        yield by_judge(
            state,
            SUM_UP,
            prompt=Prompt("council/judge_summary"),
            visibility=Visibility.PRIVATE,
            answer=Text(),
        )


def _synthesizing(state: DebateState) -> Iterator[Step]:
    count = ballots.count(state) if ballots.is_voted(state) else None
    winners = None if count is None else ballots.leaders(state, count)
    chair = judge(state)
    is_forgotten = chair.is_human or since(state, chair.id) > BEGINNING
    prompt = briefing.synthesize_prompt(state, reminds=is_forgotten, winners=winners)
    yield by_judge(
        state,
        SYNTHESIZE,
        prompt=prompt,
        for_people=for_people(state, chair, briefing.synthesize_for_person(state, prompt)),
        answer=msgspec.structs.replace(SOLUTION, names=authors(state)),
    )


def _comparing(state: DebateState) -> Iterator[Step]:
    if not ballots.is_rated(state):
        return
    texts = ballots.labelled(state)
    yield by_judge(
        state,
        COMPARE,
        prompt=briefing.compare_prompt(texts),
        # A judge who knew the debate would know which text came first.
        view=View.BLANK,
        answer=ballots.RatingsAnswer(labels=tuple(texts), names=ballots.descriptions(state)),
    )


def synthesized(state: DebateState) -> str | None:
    is_solved = SYNTHESIZE.key(state.round, judge(state).id) in state.turns
    return "COMPLETE" if is_solved and not still_open(state, _comparing(state)) else None


# --- why it ended, and what came of it ------------------------------------------------------------

MEASURED = "round_measured"
"""The code of the notice that tells what a round came to."""
CUT_OFF = ("truncated", "partial")
"""The flags of an answer that was taken as far as it came."""
UNWRITTEN = (OutcomeStatus.UNREADABLE, OutcomeStatus.PASSED)
"""The judge was asked for the solution and has written none."""
NEEDED = frozenset({StepKind.PROPOSE, StepKind.REFINE})
"""The steps without which a member cannot go on."""


def reached(state: DebateState) -> StopReason | None:
    """Why the debate ends if the rounds alone have brought it to its end; None if they have not."""
    if is_reached(state, state.round):
        is_measured = settings_of(state).termination == "stable"
        return StopReason.STABLE if is_measured else StopReason.CONSENSUS
    is_last = state.round >= settings_of(state).rounds
    return StopReason.MAX_ROUNDS if is_last and _is_refined(state) else None


def _is_refined(state: DebateState) -> bool:
    return all(is_settled(state, REFINE.key(state.round, one.id)) for one in active(state))


def outcome(state: DebateState) -> Solution | None:
    """The solution, and beside it what the members would have chosen without a debate."""
    return solution(state) if has_proposals(state) else None


def solution(state: DebateState) -> Solution:
    """The judge's answer. If it could not be read, or a person who judges has passed, it is the
    proposal that the members chose. If they chose none, the judge's text is the description and
    nothing else is known; the description is empty if the text only repeats its prompt or says
    SKIP."""
    answered, decision = _answered(state), _decision(state)
    chosen = _chosen(state, decision) if answered["status"] in UNWRITTEN else None
    if chosen is not None:
        names = critics_names(state, chosen.said.participant)
        answered["description"] = named(text_of(chosen), names)
        decision["is_solution"] = True
    written = chosen or state.turn(SYNTHESIZE.key(state.round, judge(state).id))
    return msgspec.convert(
        {
            **answered,
            "decision": decision,
            "before_debate": ballots.before_debate(state),
            "comparison": ballots.comparison(state),
            "rounds": state.round,
            "sat_out": sat_out(state),
            "left_out": tuple(_left_out(state, written)),
        },
        Solution,
    )


def _decision(state: DebateState) -> dict[str, Any]:
    return ballots.count(state) if ballots.is_voted(state) else {"rule": "synthesis"}


def _chosen(state: DebateState, decision: Mapping[str, Any]) -> Turn | None:
    """The proposal that has won; a tie chooses none."""
    winner = decision.get("winner_id")
    return final_position(state, winner) if winner else None


def _left_out(state: DebateState, written: Turn | None) -> Iterator[str]:
    """`written` is the turn that has the solution."""
    yield from missing(state, lambda key: not is_ballot(key))
    if ballots.is_voted(state):
        yield from ballots.uncounted(state)
    cut = next((flag for flag in CUT_OFF if written and flag in written.said.flags), None)
    if written and cut:
        author = state.label_of(written.said.participant)
        yield f"{author}: the end of the solution ({FLAGS[cut]})"


def _answered(state: DebateState) -> dict[str, Any]:
    turn = state.turn(SYNTHESIZE.key(state.round, judge(state).id))
    if turn is None:
        return {"status": OutcomeStatus.MISSING}
    data = turn.said.data or SOLUTION.fallback("")
    names = authors(state)
    read = {field.name: _named(data.get(field.name), names) for field in SOLUTION.fields}
    fields = {name: value for name, value in read.items() if value is not None}
    if fields.get("description"):
        return {"status": OutcomeStatus.DECIDED, **fields}
    if turn.is_silent:
        return {"status": OutcomeStatus.PASSED, "description": turn.said.content}
    reason = data.get("reason", "")
    text = "" if Unreadable(reason) in NOTHING else turn.said.content
    return {"status": OutcomeStatus.UNREADABLE, "description": text, "reason": reason}


def _named(value: Any, names: Mapping[str, str]) -> Any:
    """What people read: the judge knows proposals by their letters only."""
    if isinstance(value, str):
        return named(value, names)
    return [named(one, names) for one in value] if isinstance(value, list) else value


# --- what is told about a round -------------------------------------------------------------------


def announced(state: DebateState, decision: Next) -> Next:
    """`decision`; if it leaves the evaluation of a round, what the round came to goes before it."""
    if state.stage != EVALUATION or not isinstance(decision, Record) or evaluating(state):
        return decision
    entered = decision.events[-1]
    if not isinstance(entered, StageEntered) or entered.by in (RETRY, FALLBACK):
        return decision
    about = f"{EVALUATION}/{state.round}"
    known = (record.event for record in state.notices)
    if any(isinstance(one, NoticePosted) and one.about == about for one in known):
        return decision
    notice = NoticePosted(code=MEASURED, text=_measured(state), about=about)
    return Record((notice, *decision.events))


def _measured(state: DebateState) -> str:
    settings, round_ = settings_of(state), state.round
    kept = stability(state, round_)
    facts = [f"{kept} % of the positions unchanged"] if kept is not None else []
    if measure := MEASURES.get(settings.termination):
        agreement, quality = (number(state, round_, one) for one in ("confidence", "quality"))
        facts += [f"agreement {_figure(agreement)}", f"quality {_figure(quality)}"]
        name = "agreement" if measure == "confidence" else measure
        facts.append(f"the {name} asked for is {settings.threshold}: {_verdict(state)}")
    elif settings.termination == "stable" and kept is not None:
        least = _figure(figure(state, round_))
        asked = f"the council may end at {settings.threshold} %: {_verdict(state)}"
        facts.append(f"the proposal that changed most kept {least} % of its position; {asked}")
    return f"Round {round_} of {settings.rounds}: {', '.join(facts) or 'nothing was refined'}."


def _verdict(state: DebateState) -> str:
    return "reached" if is_reached(state, state.round) else "not reached"


def _figure(number_: float | None) -> str:
    return "unknown" if number_ is None else f"{number_:g}"


# --- doing without --------------------------------------------------------------------------------


def retries(state: DebateState) -> int:
    return settings_of(state).step_retries


def without(state: DebateState, step: Step) -> NoticePosted | None:
    """DESIGN section 9: a critique is left out, a member sits out while two remain."""
    error = state.failures[step.key].error
    if step.kind is StepKind.SYNTHESIZE:
        return None
    if step.kind not in NEEDED:
        is_comparison = step.stage == SYNTHESIS and step.kind is StepKind.EVALUATE
        what = "rating of before and after" if is_comparison else KINDS[step.kind].noun
        text = f"{_name(state, step)}: no {what} ({error})"
        return NoticePosted(code=LEFT_OUT, text=text, participant=step.participant, about=step.key)
    if len(active(state)) <= FEWEST:
        return None
    text = f"{_name(state, step)} sits out: could not {step.kind} ({error})"
    return NoticePosted(code=SAT_OUT, text=text, participant=step.participant, about=step.key)


def _name(state: DebateState, step: Step) -> str:
    everybody = {one.id: one.name for one in (*members(state), *state.participants.values())}
    return everybody.get(step.participant, step.participant)
