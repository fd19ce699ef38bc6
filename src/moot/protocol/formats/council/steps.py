"""The steps of every stage but the last, and the event that the stage emits once it is through.

Steps of a stage that has begun are finished even if a limit is reached; only questions to the user
and a pause between rounds are not worth beginning then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from moot.protocol import forms
from moot.protocol.answers import Text, Unreadable
from moot.protocol.briefs import brief as for_people
from moot.protocol.checkpoints import LAST, checkpoint
from moot.protocol.formats.council import briefing
from moot.protocol.formats.council.answers import (
    CRITIQUE as CRITIQUE_ANSWER,
    EVALUATION as EVALUATION_ANSWER,
    HIGHEST,
    LOWEST,
    PROPOSAL as PROPOSAL_ANSWER,
    REFINEMENT as REFINEMENT_ANSWER,
    RecordAnswer,
    revision,
)
from moot.protocol.formats.council.briefing import (
    Steps,
    any_open,
    by_judge,
    by_member,
    history_tokens,
    is_long,
    since,
    still_open,
)
from moot.protocol.formats.council.order import (
    ASK,
    CLARIFICATION_INPUT,
    CRITICIZE,
    EVALUATE,
    PROPOSE,
    QUESTIONS,
    REFINE,
    ROUNDS,
    SUMMARIZE,
    settings_of,
)
from moot.protocol.formats.council.positions import (
    has_proposed,
    holders,
    is_reached,
    pairs,
    position,
    text_of,
)
from moot.protocol.formats.council.questions import (
    Clarification,
    QuestionsAnswer,
    also_asked_by,
    asked_in,
    has_asked,
    known_questions,
    may_ask,
)
from moot.protocol.formats.council.seats import (
    active,
    authors,
    critic_label,
    critics_names,
    index_of,
    judge,
    proposal_label,
)
from moot.protocol.parsing import read_number, read_object
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Participant
from moot.protocol.words import USER, StepKind, View, Visibility


def no_steps(_state: DebateState) -> Steps:
    return ()


# --- before the rounds: what members want to know, and what the user tells them -------------------


def initialized(_state: DebateState) -> str:
    return "START"


def asking(state: DebateState) -> Steps:
    return still_open(state, _asking(state)) if may_ask(state) else ()


def _asking(state: DebateState) -> Iterator[Step]:
    known = known_questions(state)
    most = settings_of(state).clarifications_max_per_agent
    for member in active(state):
        yield by_member(
            state,
            ASK,
            member,
            prompt=briefing.ask_prompt(state),
            view=View.BLANK,
            answer=QuestionsAnswer(most=most, known=known),
            is_owed=False,
        )


def clarified(state: DebateState) -> str | None:
    if not may_ask(state):
        return "ALL_CLEAR"
    if not has_asked(state):
        return None
    return "QUESTIONS_PENDING" if any(asked_in(state, state.round)) else "ALL_CLEAR"


def answering(state: DebateState) -> Steps:
    return still_open(state, _answering(state))


def _answering(state: DebateState) -> Iterator[Step]:
    for one in asked_in(state, state.round):
        if one.same_as:
            continue
        yield Step(
            key=one.key,
            participant=USER,
            kind=StepKind.ANSWER,
            stage=CLARIFICATION_INPUT,
            round=state.round,
            place=(QUESTIONS, state.round, 1, index_of(state, one.member), one.number),
            prompt=_asked(state, one),
            system=Prompt("verbatim", {"text": ""}),
            view=View.BLANK,
            answer=Text(),
            asker=one.member,
            is_owed=True,
        )


def _asked(state: DebateState, one: Clarification) -> Prompt:
    others = ", ".join(state.label_of(each) for each in also_asked_by(state, one))
    if not others:
        return Prompt("verbatim", {"text": one.question})
    return Prompt("council/asked_by_several", {"question": one.question, "others": others})


def answered(state: DebateState) -> str | None:
    return None if any_open(state, _answering(state)) else "ANSWERS_SUBMITTED"


# --- the rounds: summaries, proposals, critiques, refinements -------------------------------------


def pausing(state: DebateState) -> Steps:
    """Between rounds the user may have a word, if the settings say so."""
    is_last = state.round >= settings_of(state).rounds
    place = (ROUNDS, state.round, LAST)
    pause = None if is_last else checkpoint(state, over=state.round, place=place)
    return (pause,) if pause else ()


def managed(state: DebateState) -> str | None:
    if state.round >= settings_of(state).rounds:
        return "MAX_ROUNDS_REACHED"
    return None if pausing(state) else "BEGIN_ROUND"


def summarizing(state: DebateState) -> Steps:
    """Each member decides for itself, by the length of its own history."""
    return still_open(state, _summarizing(state))


def _summarizing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        if not member.is_human and is_long(state, history_tokens(state, member.id)):
            yield by_member(
                state,
                SUMMARIZE,
                member,
                prompt=Prompt("council/summarize"),
                visibility=Visibility.PRIVATE,
                answer=Text(),
            )


def summarized(state: DebateState) -> str | None:
    return None if any_open(state, _summarizing(state)) else "CONTEXTS_READY"


def proposing(state: DebateState) -> Steps:
    """Fresh proposals in the first round; later the refinements are carried over, and only a
    member whom a retry has brought back has yet to propose."""
    return still_open(state, _proposing(state))


def _proposing(state: DebateState) -> Iterator[Step]:
    for member in active(state):
        if has_proposed(state, member.id):
            continue
        yield by_member(
            state,
            PROPOSE,
            member,
            prompt=briefing.propose_prompt(),
            # Written before anyone has seen another's.
            view=View.BLANK,
            answer=PROPOSAL_ANSWER,
            tools=settings_of(state).max_tool_calls,
        )


def proposed(state: DebateState) -> str | None:
    return None if any_open(state, _proposing(state)) else "PROPOSALS_COMPLETE"


def lacks_proposals(state: DebateState) -> bool:
    return any_open(state, _proposing(state))


def criticizing(state: DebateState) -> Steps:
    return still_open(state, _criticizing(state))


def _criticizing(state: DebateState) -> Iterator[Step]:
    by_people: dict[str, list[Step]] = {}
    for by, of in pairs(state, state.round):
        # A person's are made even if settled: whether they are one question depends on them all.
        is_done = not by.is_human and is_settled(state, CRITICIZE.key(state.round, by.id, of.id))
        if is_done or (step := _critique(state, by, of)) is None:
            continue
        if by.is_human:
            by_people.setdefault(by.id, []).append(step)
        else:
            yield step
    for by in active(state):
        if by.id in by_people:
            yield from _one_form(state, by, by_people[by.id])


def _critique(state: DebateState, by: Participant, of: Participant) -> Step | None:
    turn = position(state, of.id, state.round)
    if turn is None:
        return None
    return by_member(
        state,
        CRITICIZE,
        by,
        of,
        prompt=briefing.critique_prompt(state, of, turn),
        answer=msgspec.structs.replace(
            CRITIQUE_ANSWER,
            heading=f"On the proposal of {of.name}, as {critic_label(state, by.id, of.id)}:",
            names=authors(state),
        ),
        tools=settings_of(state).max_tool_calls,
    )


def criticized(state: DebateState) -> str | None:
    return None if any_open(state, _criticizing(state)) else "CRITIQUES_COMPLETE"


def lacks_critiques(state: DebateState) -> bool:
    return any_open(state, _criticizing(state))


def refining(state: DebateState) -> Steps:
    return still_open(state, _refining(state))


def _refining(state: DebateState) -> Iterator[Step]:
    for member in holders(state, state.round):
        if is_settled(state, REFINE.key(state.round, member.id)):
            continue
        turn = position(state, member.id, state.round)
        is_summarised = turn is not None and turn.place < since(state, member.id)
        is_forgotten = is_summarised or member.is_human
        answer = revision(text_of(turn)) if turn and member.is_human else REFINEMENT_ANSWER
        yield by_member(
            state,
            REFINE,
            member,
            prompt=briefing.refine_prompt(state, member, reminds=is_forgotten),
            answer=msgspec.structs.replace(answer, names=critics_names(state, member.id)),
            tools=settings_of(state).max_tool_calls,
        )


def refined(state: DebateState) -> str | None:
    return None if any_open(state, _refining(state)) else "REFINEMENTS_COMPLETE"


def lacks_refinements(state: DebateState) -> bool:
    return any_open(state, _refining(state))


# --- the critiques of a person, all in one form ---------------------------------------------------

REMARK, RATING = "critique", "rating"
NO_REMARK = "say something about one of the proposals, or pass"


class Remark(RecordAnswer, frozen=True, kw_only=True):
    """What a person says of one proposal, in their own words, and a rating if they like. `labels`
    are the proposals that the form has; a remark without any is part of another remark's form."""

    label: str
    labels: tuple[str, ...] = ()

    @property
    def form(self) -> dict[str, Any] | None:
        fields = (field for label in self.labels for field in _fields(label))
        return forms.form(*fields) if self.labels else None

    @property
    def may_be_left(self) -> bool:
        return True

    def written(self, filled: dict[str, Any]) -> str:
        said = {name: filled.get(_field(name, self.label)) for name in (REMARK, RATING)}
        return msgspec.json.encode(said).decode()

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return self._as_plain(text) if len(self.labels) == 1 and text.strip() else found
        said = found.get(REMARK)
        number = read_number(found.get(RATING), lowest=LOWEST, highest=HIGHEST, name=RATING)
        rating = None if isinstance(number, Unreadable) else number
        if isinstance(said, str) and said.strip():
            return {**self._as_plain(said), RATING: rating}
        return Unreadable(NO_REMARK) if rating is None else {**self._nothing(), RATING: rating}

    def flags(self, data: dict[str, Any] | None) -> tuple[str, ...]:
        """None: that a person wrote prose is nothing a reader must be told."""
        del data
        return ()


def _field(name: str, label: str) -> str:
    """`critique_b` for Proposal B."""
    return f"{name}_{label.rsplit(maxsplit=1)[-1].lower()}"


def _fields(label: str) -> tuple[forms.Field, forms.Field]:
    rating = forms.number(
        _field(RATING, label), f"Rating of {label}", minimum=LOWEST, maximum=HIGHEST
    )
    said = forms.text(_field(REMARK, label), f"What you think of {label}", required=False)
    return said, {**rating, "required": False}


def _one_form(state: DebateState, critic: Participant, steps: Sequence[Step]) -> tuple[Step, ...]:
    """The critiques of one person as one question; one by one if 0.1 has asked them that way.

    The log has one turn for each critique, as it has for models; see `occasions`. Where a person
    leaves a critique empty, they pass, but the form as a whole must say something.
    """
    # By seats, not by labels: keys have names, and the order of labels would tell whose they are.
    *along, last = steps
    keys = [step.key for step in along]
    if last.key in state.turns or any(key in state.turns or key in state.questions for key in keys):
        return tuple(steps)
    prompt = briefing.critiques_prompt(state, [step.about for step in steps])
    parts = [_part(step, proposal_label(state, step.about)) for step in steps]
    labels = tuple(sorted(proposal_label(state, step.about) for step in steps))
    replace = msgspec.structs.replace
    return (
        replace(
            parts[-1],
            answer=replace(parts[-1].answer, labels=labels),
            for_people=for_people(state, critic, prompt),
            along=tuple(parts[:-1]),
        ),
    )


def _part(step: Step, label: str) -> Step:
    heading = step.answer.heading if isinstance(step.answer, RecordAnswer) else ""
    same = {name: getattr(CRITIQUE_ANSWER, name) for name in ("name", "main", "fields")}
    return msgspec.structs.replace(step, answer=Remark(**same, heading=heading, label=label))


# --- the judge: how far it has come ---------------------------------------------------------------


def evaluating(state: DebateState) -> Steps:
    is_asked = EVALUATE.times(settings_of(state)) and holders(state, state.round)
    return still_open(state, _evaluating(state)) if is_asked else ()


def _evaluating(state: DebateState) -> Iterator[Step]:
    prompt = briefing.evaluate_prompt(state)
    answer = msgspec.structs.replace(EVALUATION_ANSWER, names=authors(state))
    step = by_judge(state, EVALUATE, prompt=prompt, answer=answer)
    chair = judge(state)
    if chair.is_human:  # who has no history to look at
        asked = for_people(state, chair, briefing.evaluate_for_person(state))
        step = msgspec.structs.replace(step, for_people=asked)
    yield step


def lacks_evaluation(state: DebateState) -> bool:
    return bool(evaluating(state))


def evaluated(state: DebateState) -> str | None:
    settings = settings_of(state)
    if evaluating(state):
        return None
    if is_reached(state, state.round):
        return "POSITIONS_STABLE" if settings.termination == "stable" else "CONSENSUS_REACHED"
    is_beyond = state.round > settings.rounds  # the guardrail of seed 004
    return "MAX_ROUNDS_REACHED" if is_beyond else "CONTINUE"
