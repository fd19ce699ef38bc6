"""Chairs that people sit in: the debate waits, and their answer is a turn like any other."""

from __future__ import annotations

import pytest
from tests.unit.engine.bench import (
    ADA,
    ALL_STEPS,
    BOB,
    JO,
    OPENING,
    PLANS,
    WEIGHED,
    HeldModel,
    bench,
    finished,
    human,
)

from moot.engine.people import Given
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol import events as e
from moot.protocol.outcomes import Verdict
from moot.protocol.words import Status, StopReason


async def test_opens_a_question_and_suspends_when_only_people_are_left() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        state = await on.service.run(debate)
        assert state.status is Status.WAITING
        assert list(state.questions) == [PLANS[0]]
        question = state.questions[PLANS[0]]
        assert question.participant == "ada"
        assert question.text.startswith("You are Ada, a debater.\nThe topic is: Is it so?")
        assert "plan in private" in question.text
        assert on.names(debate)[-1] == "DebateSuspended"
        assert on.asked() == {PLANS[1]: 1}


async def test_goes_on_with_the_answer_and_asks_nobody_twice() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        state = await on.service.run(debate)
        answered = 0
        while state.status is Status.WAITING:
            (question,) = state.questions
            await on.service.answer(debate, question, f"My answer to {question}.")
            answered += 1
            state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert answered == 3
        own = [
            key for key in ALL_STEPS if "/ada/" in key and key.endswith(("plan", "think", "speak"))
        ]
        assert [key for key in on.turns(debate) if not state.turns[key].said.model] == own
        assert state.calls == len(ALL_STEPS) - 3 == sum(on.asked().values())
        opened = [one.question_id for one in on.log(debate) if isinstance(one, e.QuestionOpened)]
        assert opened == own


async def test_lets_others_work_while_a_question_is_open() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create((human(ADA), BOB, JO))
        running = on.start(debate)
        await model.until(PLANS[1])
        assert list((await on.state(debate)).questions) == [PLANS[0]]
        await on.service.answer(debate, PLANS[0], "I shall begin with the cost.")
        # The same run takes it up: A is asked for the thought that follows.
        model.open()
        state = await finished(running, Status.WAITING)
        assert list(state.questions) == [OPENING[0]]


async def test_refuses_a_second_answer_and_changes_nothing() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        await on.service.run(debate)
        await on.service.answer(debate, PLANS[0], "Once.")
        before = on.log(debate)
        with pytest.raises(Refused, match="answered already"):
            await on.service.answer(debate, PLANS[0], "Twice.")
        with pytest.raises(NotFound):
            await on.service.answer(debate, "opening/1/bob/think", "Not mine.")
        assert on.log(debate) == before


@pytest.mark.parametrize("text", ["seven", '{"score": 11, "reasoning": ""}'])
async def test_refuses_an_answer_of_the_wrong_shape_and_changes_nothing(text: str) -> None:
    async with bench() as on:
        debate = await on.create((ADA, BOB, human(JO)))
        state = await on.service.run(debate)
        while WEIGHED[1] not in state.questions:
            (question,) = state.questions
            await on.service.answer(debate, question, "Sound enough.")
            state = await on.service.run(debate)
        before = on.log(debate)
        with pytest.raises(InvalidInput) as refused:
            await on.service.answer(debate, WEIGHED[1], text)
        assert refused.value.field == "answer"
        assert on.log(debate) == before
        await on.service.answer(debate, WEIGHED[1], '{"score": 6, "reasoning": "Fair."}')
        turn = (await on.state(debate)).turn(WEIGHED[1])
        assert turn is not None
        assert turn.said.data == {"score": 6, "reasoning": "Fair."}


async def test_a_blank_answer_passes_and_nothing_is_invented() -> None:
    async with bench() as on:
        debate = await on.create((ADA, BOB, human(JO)))
        state = await on.service.run(debate)
        while WEIGHED[1] not in state.questions:
            (question,) = state.questions
            await on.service.answer(debate, question, "Sound enough.")
            state = await on.service.run(debate)
        await on.service.answer(debate, WEIGHED[1], " \n")
        turn = (await on.state(debate)).turn(WEIGHED[1])
        assert turn is not None
        assert (turn.said.content, turn.said.flags, turn.is_silent) == ("", ("passed",), True)
        assert not (turn.said.data or {}).get("score")


async def test_refuses_an_answer_to_a_debate_that_was_stopped() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        await on.service.run(debate)
        summary = await on.service.command(debate, "stop")
        assert (summary.status, summary.stop_reason) == (Status.STOPPED, StopReason.STOPPED)
        with pytest.raises(Refused):
            await on.service.answer(debate, PLANS[0], "Too late.")
        # Going on asks the same question again, without a second copy of it in the log.
        state = await on.service.run(debate)
        assert state.status is Status.WAITING
        await on.service.answer(debate, PLANS[0], "In time.")


async def test_waiting_costs_no_running_time() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO), max_runtime_seconds=60)
        await on.service.run(debate)
        on.clock.advance(86_400)
        await on.service.answer(debate, PLANS[0], "Slept on it.")
        state = await on.service.run(debate)
        assert state.limits == {}
        assert state.status is Status.WAITING


async def test_takes_several_answers_together_or_none_of_them() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), human(BOB), JO))
        await on.service.run(debate)
        before = on.log(debate)
        with pytest.raises(InvalidInput) as refused:
            await on.service.answer_all(debate, {PLANS[0]: "Mine.", PLANS[1]: {"text": "no form"}})
        assert refused.value.field == f"answers.{PLANS[1]}"
        with pytest.raises(NotFound):
            await on.service.answer_all(debate, {PLANS[0]: "Mine.", "opening/1/ada/speak": "x"})
        assert on.log(debate) == before
        await on.service.answer_all(debate, {PLANS[0]: "Mine.", PLANS[1]: ""})
        state = await on.state(debate)
        assert [state.turns[key].said.flags for key in PLANS] == [(), ("passed",)]


async def test_takes_answers_one_after_the_other_while_nobody_runs_the_debate() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), human(BOB), JO), turns=1)
        await on.service.run(debate)
        for question in PLANS:  # after the first, the format wants a stage entered first
            await on.service.answer(debate, question, "A plan.")
        state = await on.service.run(debate)
        assert [state.turns[key].said.content for key in PLANS] == ["A plan.", "A plan."]


async def test_cleans_what_people_write_as_it_cleans_what_models_write() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        await on.service.run(debate)
        with pytest.raises(InvalidInput):
            await on.service.answer(debate, PLANS[0], "x" * 20_001)
        await on.service.answer(debate, PLANS[0], "a\x00b\x1b[31mc\ud800\r\nd\u202e")
        turn = (await on.state(debate)).turns[PLANS[0]]
        assert turn.said.content == "abc\ufffd\nd"


async def test_a_judge_fills_in_forms_and_decides() -> None:
    """Everything a person judges with is a form, and what they pass is not made up."""
    async with bench() as on:
        debate = await on.create((ADA, BOB, human(JO)))
        given: dict[str, Given] = {
            "score/ada": {"score": 6, "reasoning": "Fair."},
            "score/bob": {"score": "7"},
            "confirm": {"winner": "bob"},
            "record": {"winner": "Bob", "score_1": 6, "score_2": 8},
            "announce": "Bob it is.",
        }
        state = await on.service.run(debate)
        while state.status is Status.WAITING:
            ((key, question),) = state.questions.items()
            answer = next((one for end, one in given.items() if key.endswith(end)), "")
            assert (question.form is not None) == isinstance(answer, dict)
            await on.service.answer(debate, key, answer)
            state = await on.service.run(debate)
        assert isinstance(state.outcome, Verdict)
        assert (state.outcome.winner, state.outcome.scores) == ("Bob", {"Ada": 6, "Bob": 8})
        assert (state.outcome.status, state.outcome.reasoning) == ("decided", "Bob it is.")


async def test_a_judge_who_passes_everything_decides_nothing() -> None:
    async with bench() as on:
        debate = await on.create((ADA, BOB, human(JO)))
        state = await on.service.run(debate)
        while state.status is Status.WAITING:
            await on.service.answer_all(debate, dict.fromkeys(state.questions, ""))
            state = await on.service.run(debate)
        assert isinstance(state.outcome, Verdict)
        assert (state.outcome.winner, state.outcome.scores) == (None, None)
        assert state.outcome.status == "unreadable"


async def test_a_statement_that_was_passed_is_not_put_into_anybodys_mouth() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        state = await on.service.run(debate)
        while state.status is Status.WAITING:
            await on.service.answer_all(debate, dict.fromkeys(state.questions, ""))
            state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert state.statements == 2
        assert "(nothing: they passed)" in state.turns["exchange/1/bob/think"].said.prompt
