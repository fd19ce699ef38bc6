"""The steps that bring a council to its end: the members' ballots, the judge's solution."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from moot.protocol.answers import Text
from moot.protocol.ballots import BallotAnswer
from moot.protocol.briefs import brief as for_people
from moot.protocol.formats.council import ballots, briefing, ratings
from moot.protocol.formats.council.answers import SOLUTION
from moot.protocol.formats.council.briefing import BEGINNING, judge_tokens, since
from moot.protocol.formats.council.labels import authors
from moot.protocol.formats.council.making import (
    Steps,
    by_judge,
    by_member,
    is_long,
    still_open,
)
from moot.protocol.formats.council.order import COMPARE, SUM_UP, SYNTHESIZE, VOTE
from moot.protocol.formats.council.seats import active, judge
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.words import View, Visibility


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
    if not ratings.is_rated(state):
        return
    texts = ratings.labelled(state)
    yield by_judge(
        state,
        COMPARE,
        prompt=briefing.compare_prompt(texts),
        # A judge who knew the debate would know which text came first.
        view=View.BLANK,
        answer=ratings.RatingsAnswer(labels=tuple(texts), names=ratings.descriptions(state)),
    )


def synthesized(state: DebateState) -> str | None:
    is_solved = SYNTHESIZE.key(state.round, judge(state).id) in state.turns
    return "COMPLETE" if is_solved and not still_open(state, _comparing(state)) else None
