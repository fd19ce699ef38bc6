"""The rounds: summaries, proposals, critiques, refinements."""

from __future__ import annotations

from collections.abc import Iterator

from moot.protocol.answers import Text
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.council import briefing
from moot.protocol.formats.council.answers import (
    PROPOSAL as PROPOSAL_ANSWER,
    REFINEMENT as REFINEMENT_ANSWER,
    critique_of,
)
from moot.protocol.formats.council.memory import history_tokens, since
from moot.protocol.formats.council.positions import (
    critique_key,
    holders,
    pairs,
    position,
    propose_key,
    refine_key,
)
from moot.protocol.formats.council.seats import active, index_of
from moot.protocol.formats.council.stages.making import (
    ROUNDS,
    SUMMARIZATION,
    is_long,
    lookups,
    member_step,
    still_open,
    then,
)
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.words import StepKind, View, Visibility


def pausing(state: DebateState) -> tuple[Step, ...]:
    """Between rounds the user may have a word, if the debate was told so."""
    is_last = state.limits or state.round >= int(state.config.settings["rounds"])
    place = (ROUNDS, state.round, LAST)
    pause = None if is_last else checkpoint(state, over=state.round, place=place)
    return (pause,) if pause else ()


def managed(state: DebateState) -> str | None:
    if pausing(state):
        return None
    is_more = state.round < int(state.config.settings["rounds"])
    return then(state, "BEGIN_ROUND" if is_more else "MAX_ROUNDS_REACHED")


def summarizing(state: DebateState) -> tuple[Step, ...]:
    """Each member decides for itself, by the length of its own history."""
    return still_open(state, _summarizing(state))


def _summarizing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        if not member.is_human and is_long(state, history_tokens(state, member.id)):
            yield member_step(
                state,
                member,
                key=f"{SUMMARIZATION}/{state.round}/{member.id}/summarize",
                kind=StepKind.SUMMARIZE,
                place=(ROUNDS, state.round, 0, index_of(state, member.id)),
                prompt=Prompt("council/summarize"),
                visibility=Visibility.PRIVATE,
                answer=Text(),
            )


def summarized(state: DebateState) -> str | None:
    return None if summarizing(state) else then(state, "CONTEXTS_READY")


def proposing(state: DebateState) -> tuple[Step, ...]:
    """Fresh proposals in the first round; later the refinements are carried over."""
    return still_open(state, _proposing(state)) if state.round == 1 else ()


def _proposing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        yield member_step(
            state,
            member,
            key=propose_key(member.id),
            kind=StepKind.PROPOSE,
            place=(ROUNDS, 1, 1, index_of(state, member.id)),
            prompt=briefing.propose_prompt(),
            # Written before anyone has seen another's.
            view=View.BLANK,
            answer=PROPOSAL_ANSWER,
            tools=lookups(state),
        )


def proposed(state: DebateState) -> str | None:
    return None if proposing(state) else then(state, "PROPOSALS_COMPLETE")


def criticizing(state: DebateState) -> tuple[Step, ...]:
    return still_open(state, _criticizing(state))


def _criticizing(state: DebateState) -> Iterator[Step]:
    for by, of in pairs(state, state.round):
        turn = position(state, of.id, state.round)
        if turn is None:
            continue
        seats = index_of(state, of.id), index_of(state, by.id)
        yield member_step(
            state,
            by,
            key=critique_key(state.round, by.id, of.id),
            kind=StepKind.CRITIQUE,
            place=(ROUNDS, state.round, 2, *seats),
            # All at once: none of them knows of the others.
            horizon=(ROUNDS, state.round, 2),
            prompt=briefing.critique_prompt(state, of, turn),
            answer=critique_of(of.name),
            tools=lookups(state),
        )


def criticized(state: DebateState) -> str | None:
    return None if criticizing(state) else then(state, "CRITIQUES_COMPLETE")


def refining(state: DebateState) -> tuple[Step, ...]:
    return still_open(state, _refining(state))


def _refining(state: DebateState) -> Iterator[Step]:
    for member in holders(state, state.round):
        turn = position(state, member.id, state.round)
        is_summarised = turn is not None and turn.place < since(state, member.id)
        is_forgotten = is_summarised or member.is_human
        yield member_step(
            state,
            member,
            key=refine_key(state.round, member.id),
            kind=StepKind.REFINE,
            place=(ROUNDS, state.round, 3, index_of(state, member.id)),
            prompt=briefing.refine_prompt(state, member, reminds=is_forgotten),
            answer=REFINEMENT_ANSWER,
            tools=lookups(state),
        )


def refined(state: DebateState) -> str | None:
    return None if refining(state) else then(state, "REFINEMENTS_COMPLETE")
