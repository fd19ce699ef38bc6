"""Polls with the engine that ships: models that echo or write nothing, and people."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.engine.bench import bench, human, key_of
from tests.unit.engine.test_echoing import echoed

from moot.engine.creation import NewDebate
from moot.engine.people import Given
from moot.errors import InvalidInput
from moot.models.port import ChatRequest
from moot.protocol import outcome_words
from moot.protocol.events import AttemptFailed
from moot.protocol.outcomes import OutcomeStatus, Solution
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import Role, Status
from moot.testing.scripted import ScriptedModel

ADA, BOB, CYD = (
    Participant(id=name.lower(), name=name, role=Role.MEMBER) for name in ("Ada", "Bob", "Cyd")
)


def new(*people: Participant, **settings: Any) -> NewDebate:
    return NewDebate(topic="Is it so?", format="poll", settings=settings, participants=people)


def said(answer: object) -> str:
    return json.dumps({"reasons": "It has been seen.", "answer": answer})


def found(state: DebateState) -> Solution:
    assert isinstance(state.outcome, Solution)
    return state.outcome


@pytest.mark.parametrize("answer_type", ["text", "number", "yes_no", "choice"])
async def test_what_the_prompt_says_is_no_answer_whatever_its_type(answer_type: str) -> None:
    choices = ["Tea", "Coffee"] if answer_type == "choice" else []
    made = new(ADA, BOB, answer_type=answer_type, choices=choices)
    async with bench(ScriptedModel(echoed)) as on:
        debate = await on.service.create(made)
        state = await on.service.run(debate)
        tries = [one for one in on.log(debate) if isinstance(one, AttemptFailed)]
    assert state.status is Status.COMPLETED
    assert (found(state).status, found(state).unreadable) == (OutcomeStatus.UNREADABLE, 2)
    assert outcome_words.headline(found(state)) == "No answer: none could be read"
    assert len(tries) == 2  # each was asked again


@pytest.mark.parametrize("decision", ["vote", "rank"])
async def test_no_ballot_that_repeats_its_prompt_counts(decision: str) -> None:
    def script(request: ChatRequest) -> str:
        return echoed(request) if "/vote" in key_of(request) else f"It is {key_of(request)}."

    async with bench(ScriptedModel(script)) as on:
        debate = await on.service.create(new(ADA, BOB, CYD, decision=decision))
        state = await on.service.run(debate)
    assert outcome_words.headline(found(state)) == "No answer: no ballot could be counted"
    assert sum("no ballot" in one for one in found(state).left_out) == 3


async def test_a_model_that_is_asked_again_may_still_answer() -> None:
    replies = iter(["Who knows, it may well be so, or it may not be so at all.", said("yes")])
    async with bench(ScriptedModel(lambda _: next(replies))) as on:
        state = await on.service.run(await on.service.create(new(ADA, answer_type="yes_no")))
    assert outcome_words.headline(found(state)) == "One answer: yes"
    assert state.calls == 2


async def test_a_member_that_writes_nothing_is_left_out() -> None:
    def script(request: ChatRequest) -> str:
        return "" if "/ada/" in key_of(request) else said("no")

    async with bench(ScriptedModel(script)) as on:
        made = new(ADA, BOB, answer_type="yes_no", step_retries=0)
        state = await on.service.run(await on.service.create(made))
    assert outcome_words.headline(found(state)) == "1 of 2 says no"
    assert found(state).left_out[0].startswith("Ada: no answer (")


async def test_a_poll_of_which_nothing_comes_fails_and_can_be_retried() -> None:
    is_mute = True

    def script(_request: ChatRequest) -> str:
        return "" if is_mute else said("no")

    async with bench(ScriptedModel(script)) as on:
        debate = await on.service.create(new(ADA, BOB, answer_type="yes_no", step_retries=0))
        state = await on.service.run(debate)
        assert state.status is Status.FAILED
        is_mute = False
        state = await on.service.run(debate)
    assert outcome_words.headline(found(state)) == "All 2 say no"
    assert found(state).left_out == ()


async def test_a_person_answers_by_a_form_and_votes_without_names() -> None:
    def script(request: ChatRequest) -> str:
        is_ballot = "/vote" in key_of(request)
        return '{"reasons": "", "choice": "A"}' if is_ballot else said("no")

    async with bench(ScriptedModel(script)) as on:
        made = new(human(ADA), BOB, CYD, answer_type="yes_no", decision="vote")
        debate = await on.service.create(made)
        state = await on.service.run(debate)
        assert state.status is Status.WAITING
        (question,) = state.questions.values()
        assert [one["name"] for one in (question.form or {})["fields"]] == ["answer", "reasons"]
        await on.service.answer(debate, question.question_id, {"answer": "Yes"})
        state = await on.service.run(debate)
        (ballot,) = state.questions.values()
        assert "[Answer A]: " in ballot.text
        assert "Bob" not in ballot.text
        await on.service.answer(debate, ballot.question_id, {"choice": "Answer A"})
        state = await on.service.run(debate)
    assert found(state).decision["points"][found(state).answer] == 3
    assert found(state).counts[0].by == ("Bob", "Cyd")


CHOICES = ["SQLite", "Postgres", "plain files"]


async def test_a_bare_text_is_for_the_one_field_that_must_be_filled_in() -> None:
    async with bench(ScriptedModel()) as on:
        debate = await on.service.create(new(human(ADA), answer_type="choice", choices=CHOICES))
        (question,) = (await on.service.run(debate)).questions
        with pytest.raises(InvalidInput, match="must be one of SQLite, Postgres, plain files"):
            await on.service.answer(debate, question, "Oracle")
        await on.service.answer(debate, question, "plain files")
        assert found(await on.service.run(debate)).answer == "plain files"


@pytest.mark.parametrize(
    "given",
    [
        "B A C",
        "b,a, c",
        "B > A > C",
        "Answer B, Answer A, Answer C",
        {"ranking": "B\nA\nC"},
        {"ranking": "B, A, C"},
        {"ranking": ["B", "A", "C"]},
    ],
)
async def test_letters_are_ranked_however_they_are_separated(given: Given) -> None:
    def script(request: ChatRequest) -> str:
        name = key_of(request).split("/")[2]
        return said({"bob": "Postgres", "cyd": "plain files"}[name])

    made = new(*(human(ADA), BOB, CYD), answer_type="choice", choices=CHOICES, decision="rank")
    async with bench(ScriptedModel(script)) as on:
        debate = await on.service.create(made)
        (question,) = (await on.service.run(debate)).questions
        await on.service.answer(debate, question, "SQLite")
        (ballot,) = (await on.service.run(debate)).questions
        for wrong in ("B, A", "B A A", "I like B and a C"):
            with pytest.raises(InvalidInput, match="ranking must have each of A, B, C once"):
                await on.service.answer(debate, ballot, wrong)
        await on.service.answer(debate, ballot, given)
        turn = (await on.service.state(debate)).turns[ballot]
    assert (turn.said.data or {})["ranking"] == ["B", "A", "C"]
