"""Chairs that people sit in: the debate waits, and their answer is a turn like any other."""

from __future__ import annotations

import pytest
from tests.unit.engine.bench import (
    ADA,
    ANSWER,
    ANSWER_WEIGHED,
    BOB,
    JO,
    OPENING,
    PLANS,
    VERDICT,
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

SPEECH = OPENING[1]


async def test_opens_a_question_and_suspends_when_only_people_are_left() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        state = await on.service.run(debate)
        assert state.status is Status.WAITING
        assert list(state.questions) == [SPEECH]
        question = state.questions[SPEECH]
        assert question.participant == "ada"
        assert question.text.startswith("You are Ada, a debater.\nThe topic is: Is it so?")
        assert "Open the debate against Bob" in question.text
        assert on.names(debate)[-1] == "DebateSuspended"
        assert on.asked() == {PLANS[1]: 1}


async def test_a_debater_gets_one_form_for_each_speech_and_the_log_has_every_step() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO), turns=3)
        state = await on.service.run(debate)
        answered: list[str] = []
        while state.status is Status.WAITING:
            (question,) = state.questions
            given = {"text": f"I say {question}.", "notes": "Mind the gap." if answered else ""}
            await on.service.answer(debate, question, given)
            answered.append(question)
            state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert answered == [SPEECH, "exchange/1/ada/speak"]
        opened = [one.question_id for one in on.log(debate) if isinstance(one, e.QuestionOpened)]
        assert opened == answered
        own = {turn.said.step_key: turn.said for turn in state.own_turns["ada"]}
        assert {key: (said.content, said.flags) for key, said in own.items()} == {
            PLANS[0]: ("", ("passed",)),
            OPENING[0]: ("", ("passed",)),
            SPEECH: (f"I say {SPEECH}.", ()),
            "exchange/1/ada/think": ("Mind the gap.", ()),
            "exchange/1/ada/speak": ("I say exchange/1/ada/speak.", ()),
        }
        assert own["exchange/1/ada/think"].visibility == "private"
        assert own[SPEECH].data is None
        assert state.calls == sum(on.asked().values()) == len(state.turns) - len(own)


async def test_a_plain_text_is_the_speech() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        await on.service.run(debate)
        await on.service.answer(debate, SPEECH, "Just words.")
        state = await on.state(debate)
        assert [state.turns[key].said.content for key in OPENING] == ["", "Just words."]


async def test_lets_others_work_while_a_question_is_open() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create((ADA, BOB, human(JO)))
        running = on.start(debate)
        await model.until(*PLANS)
        await model.answer(*PLANS, then=[OPENING[0]])
        await model.answer(OPENING[0], then=[SPEECH])
        await model.answer(SPEECH, then=[ANSWER[0]])
        assert list((await on.state(debate)).questions) == [WEIGHED[1]]
        await on.service.answer(debate, WEIGHED[1], {"score": 6})
        model.open()
        state = await finished(running, Status.WAITING)
        assert list(state.questions) == [ANSWER_WEIGHED[1]]


async def test_refuses_a_second_answer_and_changes_nothing() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        await on.service.run(debate)
        await on.service.answer(debate, SPEECH, "Once.")
        before = on.log(debate)
        with pytest.raises(Refused, match="answered already"):
            await on.service.answer(debate, SPEECH, "Twice.")
        with pytest.raises(NotFound):
            await on.service.answer(debate, ANSWER[0], "Not mine.")
        assert on.log(debate) == before


@pytest.mark.parametrize("text", ["seven", '{"score": 11, "reasoning": ""}'])
async def test_refuses_an_answer_of_the_wrong_shape_and_changes_nothing(text: str) -> None:
    async with bench() as on:
        debate = await on.create((ADA, BOB, human(JO)))
        await on.service.run(debate)
        before = on.log(debate)
        with pytest.raises(InvalidInput) as refused:
            await on.service.answer(debate, WEIGHED[1], text)
        assert refused.value.field == "answer"
        assert on.log(debate) == before
        await on.service.answer(debate, WEIGHED[1], '{"score": 6, "reasoning": "Fair."}')
        state = await on.state(debate)
        weighed, scored = (state.turns[key].said for key in WEIGHED)
        assert (weighed.content, weighed.kind) == ("Fair.", "evaluate")
        assert scored.data == {"score": 6, "reasoning": "Fair."}


async def test_a_blank_answer_passes_and_nothing_is_invented() -> None:
    async with bench() as on:
        debate = await on.create((ADA, BOB, human(JO)))
        await on.service.run(debate)
        await on.service.answer(debate, WEIGHED[1], " \n")
        for turn in [(await on.state(debate)).turns[key] for key in WEIGHED]:
            assert (turn.said.content, turn.said.flags, turn.is_silent) == ("", ("passed",), True)
            assert not (turn.said.data or {}).get("score")


async def test_refuses_an_answer_to_a_debate_that_was_stopped() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        await on.service.run(debate)
        summary = await on.service.command(debate, "stop")
        assert (summary.status, summary.stop_reason) == (Status.STOPPED, StopReason.STOPPED)
        with pytest.raises(Refused):
            await on.service.answer(debate, SPEECH, "Too late.")
        # Going on asks the same question again, without a second copy of it in the log.
        state = await on.service.run(debate)
        assert state.status is Status.WAITING
        await on.service.answer(debate, SPEECH, "In time.")


async def test_waiting_costs_no_running_time() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO), max_runtime_seconds=60, turns=3)
        await on.service.run(debate)
        on.clock.advance(86_400)
        await on.service.answer(debate, SPEECH, "Slept on it.")
        state = await on.service.run(debate)
        assert state.limits == {}
        assert state.status is Status.WAITING


async def test_takes_several_answers_together_or_none_of_them() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, human(JO)), turns=3)
        await on.service.run(debate)
        await on.service.answer(debate, SPEECH, "Mine.")
        await on.service.run(debate)
        speech, score = "exchange/1/ada/speak", WEIGHED[1]
        before = on.log(debate)
        with pytest.raises(InvalidInput) as refused:
            await on.service.answer_all(debate, {speech: "Mine.", score: {"points": 3}})
        assert refused.value.field == f"answers.{score}"
        with pytest.raises(NotFound):
            await on.service.answer_all(debate, {speech: "Mine.", ANSWER[1]: "x"})
        assert on.log(debate) == before
        await on.service.answer_all(debate, {speech: "Mine.", score: ""})
        state = await on.state(debate)
        assert [state.turns[key].said.flags for key in (speech, score)] == [(), ("passed",)]


async def test_takes_answers_one_after_the_other_while_nobody_runs_the_debate() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, human(JO)), turns=3)
        await on.service.run(debate)
        await on.service.answer(debate, SPEECH, "Mine.")
        await on.service.run(debate)
        # After the first, the format wants a stage entered first.
        await on.service.answer(debate, "exchange/1/ada/speak", "Again.")
        await on.service.answer(debate, WEIGHED[1], {"score": 5})
        state = await on.service.run(debate)
        assert (state.turns[WEIGHED[1]].said.data or {})["score"] == 5


async def test_cleans_what_people_write_as_it_cleans_what_models_write() -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        await on.service.run(debate)
        with pytest.raises(InvalidInput):
            await on.service.answer(debate, SPEECH, "x" * 20_001)
        await on.service.answer(debate, SPEECH, "a\x00b\x1b[31mc\ud800\r\nd\u202e")
        turn = (await on.state(debate)).turns[SPEECH]
        assert turn.said.content == "abc\ufffd\nd"


VERDICT_FORM: Given = {"winner": "bob", "score_1": 6, "score_2": 8, "reasoning": "Bob it is."}


@pytest.mark.parametrize("turns", [2, 6])
async def test_a_judge_gets_one_form_for_each_statement_and_one_for_the_verdict(turns: int) -> None:
    """And the log has every step of seed 001."""
    async with bench() as on:
        debate = await on.create((ADA, BOB, human(JO)), turns=turns)
        state = await on.service.run(debate)
        forms = 0
        while state.status is Status.WAITING:
            ((key, question),) = state.questions.items()
            assert question.form is not None
            names = [field["name"] for field in question.form["fields"]]
            is_last = key == VERDICT[-1]
            assert is_last or names == ["score", "reasoning"]
            await on.service.answer(debate, key, VERDICT_FORM if is_last else {"score": "7"})
            forms += 1
            state = await on.service.run(debate)
        assert forms == turns + 1
        assert len(state.turns) == 4 * turns + 6
        assert set(VERDICT) <= set(state.turns)
        outcome = state.outcome
        assert isinstance(outcome, Verdict)
        assert (outcome.winner, outcome.scores) == ("Bob", {"Ada": 6, "Bob": 8})
        assert (outcome.status, outcome.reasoning) == ("decided", "Bob it is.")
        assert (outcome.confirmed_winner, outcome.is_unconfirmed) == ("Bob", False)
        said = [state.turns[key].said for key in VERDICT]
        assert [one.content for one in said[:2]] == ["Bob it is.", "Bob"]
        assert (said[2].data, said[3].content) == (
            {"winner": "Bob", "scores": {"Ada": 6, "Bob": 8}},
            "Bob it is.",
        )


@pytest.mark.parametrize(
    "wrong",
    [
        {"winner": "Bob", "score_1": 6, "score_2": 8},
        {"winner": "Cy", "score_1": 6, "score_2": 8, "reasoning": "So."},
        {"winner": "Bob", "score_1": 6.5, "score_2": 8, "reasoning": "So."},
        "Bob, of course.",
    ],
)
async def test_a_verdict_that_is_not_filled_in_is_refused_and_changes_nothing(wrong: Given) -> None:
    async with bench() as on:
        debate = await on.create((ADA, BOB, human(JO)), turns=1)
        await on.service.run(debate)
        await on.service.answer(debate, WEIGHED[1], {"score": 8})
        await on.service.run(debate)
        before = on.log(debate)
        with pytest.raises(InvalidInput):
            await on.service.answer(debate, VERDICT[-1], wrong)
        assert on.log(debate) == before
        # The figures of the prompt's example are no echo where a person gives them.
        fair = {"winner": "Ada", "score_1": 8, "score_2": 6, "reasoning": "So."}
        await on.service.answer(debate, VERDICT[-1], fair)
        outcome = (await on.service.run(debate)).outcome
        assert isinstance(outcome, Verdict)
        assert (outcome.winner, outcome.status) == ("Ada", "decided")


async def test_a_judge_who_passes_everything_decides_nothing() -> None:
    async with bench() as on:
        debate = await on.create((ADA, BOB, human(JO)))
        state = await on.service.run(debate)
        while state.status is Status.WAITING:
            await on.service.answer_all(debate, dict.fromkeys(state.questions, ""))
            state = await on.service.run(debate)
        assert isinstance(state.outcome, Verdict)
        assert (state.outcome.winner, state.outcome.scores) == (None, None)
        assert state.outcome.status == "passed"


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
