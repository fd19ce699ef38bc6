"""One step: its prompt, its call, its answer, and what becomes of what cannot be used."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any, cast

import msgspec
import pytest
from tests.unit.engine.bench import ROSTER

from moot import prompts
from moot.engine.counting import Counts
from moot.engine.feed import StepBegan, TextVoided, TextWritten, Viewer
from moot.engine.files import NO_FILES
from moot.engine.live import LiveDebate
from moot.engine.performer import MAX_REASONING, Performer
from moot.engine.work import Work
from moot.errors import ModelRefused, ModelUnavailable, NoModel, RateLimited, ReplyBroken
from moot.models.messages import TokenEstimator
from moot.models.port import ChatReply, ChatRequest, Learned, ModelFacts, OnText
from moot.protocol import events as e
from moot.protocol.answers import OnUnreadable, Text
from moot.protocol.formats.duel.answers import ScoreAnswer
from moot.protocol.log import fold
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Config, Message, Sampling, Usage
from moot.protocol.words import Effort, Finish, StepKind, Visibility
from moot.store.port import Store
from moot.testing.clock import FakeClock
from moot.testing.scripted import Said, ScriptedModel, ScriptedModels

NOW = datetime(2030, 1, 1, tzinfo=UTC)
ASK_AGAIN = "Reply again with nothing but what was asked for"
JUST_SO = Usage(input_tokens=11, output_tokens=7, cost_usd=0.5)


def _step(key: str = "opening/1/jo/score/ada", **changes: object) -> Step:
    parts: dict[str, object] = {
        "key": key,
        "participant": "jo",
        "kind": StepKind.SCORE,
        "stage": "opening",
        "round": 1,
        "place": (1, 1, 3),
        "prompt": Prompt("duel/score_first", {"speaker": "Ada"}),
        "system": Prompt("verbatim", {"text": "You are Jo."}),
        "visibility": Visibility.PRIVATE,
        "max_tokens": 500,
        "answer": ScoreAnswer(),
    }
    return Step(**{**parts, **changes})  # type: ignore[arg-type]


SAY = _step(kind=StepKind.SPEAK, answer=Text(on_unreadable=OnUnreadable.FAIL))


def _state(*events: e.AnyEvent, **settings: object) -> DebateState:
    replace = msgspec.structs.replace
    wished = cast("dict[str, Sampling]", settings.pop("wished", {}))
    roster = tuple(
        replace(one, model=f"scripted:{one.id}", sampling=wished.get(one.id, Sampling()))
        for one in ROSTER
    )
    config = Config(
        format="duel",
        topic="Is it so?",
        settings={"call_timeout_seconds": 9, **settings},
        participants=roster,
    )
    happened: list[e.AnyEvent] = [e.DebateCreated(config=config), e.DebateStarted(), *events]
    return fold(e.Recorded(seq, NOW, event) for seq, event in enumerate(happened, 1))


def _reply(content: str, finish: Finish = Finish.STOP, **fields: Any) -> ChatReply:
    return ChatReply(
        content=content, finish=finish, usage=JUST_SO, model="scripted", duration_ms=3, **fields
    )


def live() -> LiveDebate:
    """A debate that is shown what happens, and has just been started."""
    made = LiveDebate(
        "d1",
        store=cast("Store", None),  # nothing is read or written here
        clock=FakeClock(),
        counts=Counts(),
        text_pause_s=lambda: 0.05,
    )
    config = Config(format="duel", topic="?", settings={}, participants=ROSTER)
    begun: tuple[e.AnyEvent, ...] = (e.DebateCreated(config=config), e.DebateStarted())
    made.begin([e.Recorded(seq, NOW, event) for seq, event in enumerate(begun, 1)])
    return made


class Table:
    """A performer and everything it told."""

    def __init__(self, *replies: Said, facts: ModelFacts | None = None) -> None:
        self.model = ScriptedModel(replies)
        self.live = live()
        self.files = NO_FILES
        self.reported: list[e.AttemptFailed] = []
        self.used: list[e.ToolUsed] = []
        self.performer = Performer(
            models=ScriptedModels(self.model, facts=facts),
            estimator=TokenEstimator(),
        )

    def prepare(self, step: Step, state: DebateState | None = None) -> Work:
        return self.performer.prepare(self.live, state or _state(), step, self.files)

    async def perform(
        self, step: Step, state: DebateState | None = None
    ) -> e.TurnRecorded | e.StepFailed:
        return await self.performer.perform(self.prepare(step, state), self._report)

    async def turn(self, step: Step, state: DebateState | None = None) -> e.TurnRecorded:
        turn = await self.perform(step, state)
        assert isinstance(turn, e.TurnRecorded)
        return turn

    async def _report(self, *events: e.AttemptFailed | e.ToolUsed) -> None:
        # Whoever waits for the log must find the model asked no further meanwhile.
        asked = len(self.model.requests)
        await asyncio.sleep(0)
        assert len(self.model.requests) == asked
        self.reported += [one for one in events if isinstance(one, e.AttemptFailed)]
        self.used += [one for one in events if isinstance(one, e.ToolUsed)]

    def sent(self, number: int) -> list[tuple[str, str]]:
        return [(one.role, one.content) for one in self.model.requests[number].messages]


GOOD = '{"score": 7, "reasoning": "Clear."}'


async def test_sends_system_prompt_own_history_and_prompt() -> None:
    earlier = e.TurnRecorded(
        step_key="opening/1/jo/evaluate/ada",
        participant="jo",
        kind=StepKind.EVALUATE,
        stage="opening",
        round=1,
        place=(1, 1, 2),
        visibility=Visibility.PRIVATE,
        content="Sound.",
        prompt="Consider.",
        model="scripted:jo",
    )
    table = Table(GOOD)
    turn = await table.turn(_step(), _state(earlier))
    prompt = prompts.render(_step().prompt)
    assert table.sent(0) == [
        ("system", "You are Jo."),
        ("user", "Consider."),
        ("assistant", "Sound."),
        ("user", prompt),
    ]
    assert turn.prompt == prompt
    request = table.model.requests[0]
    assert (request.model, request.deadline_s, request.max_tokens) == ("scripted:jo", 9.0, 500)
    assert request.label == "d1/opening/1/jo/score/ada"
    assert request.schema == ScoreAnswer().schema


async def test_sends_no_system_message_where_there_is_nothing_to_say() -> None:
    table = Table(GOOD)
    await table.perform(_step(system=Prompt("verbatim", {"text": ""})))
    assert [role for role, _ in table.sent(0)] == ["user"]


async def test_records_what_was_said_with_its_data_and_usage() -> None:
    turn = await Table(_reply(GOOD)).turn(_step())
    assert turn.data == {"score": 7, "reasoning": "Clear."}
    assert turn.content == GOOD
    assert turn.usage == JUST_SO
    assert (turn.attempts, turn.flags, turn.duration_ms) == (1, (), 3)
    assert turn.model == "scripted:jo"


async def test_asks_again_with_the_error_and_the_unusable_reply() -> None:
    bad = '{"score": 11, "reasoning": "Wow."}'
    table = Table(_reply(bad), _reply(GOOD))
    turn = await table.turn(_step())
    assert turn.attempts == 2
    (failed,) = table.reported
    assert (failed.code, failed.attempt, failed.reply) == ("unreadable", 1, bad)
    assert failed.usage == JUST_SO
    *first, again, question = table.sent(1)
    assert first == table.sent(0)
    assert again == ("assistant", bad)
    assert "must be a whole number from 0 to 10" in question[1]
    assert ASK_AGAIN in question[1]


@pytest.mark.parametrize(
    "bad",
    [
        '{"score": 11, "reasoning": ""}',
        '{"score": "seven", "reasoning": ""}',
        '{"score": 7.5, "reasoning": ""}',
        '{"score": true, "reasoning": ""}',
        '{"reasoning": "no score"}',
        "A solid seven, I would say.",
        "",
        "[7]",
        '{"score": 1e999}',
        "null",
    ],
)
async def test_records_an_unreadable_score_as_such_after_three_tries(bad: str) -> None:
    table = Table(_reply(bad), _reply(bad), _reply(bad), _reply(GOOD))
    turn = await table.turn(_step())
    assert turn.flags == ("unreadable",)
    assert not (turn.data or {}).get("score")
    assert turn.content == bad
    assert turn.attempts == 3
    assert len(table.model.requests) == 3
    assert [one.attempt for one in table.reported] == [1, 2]


async def test_fails_a_statement_that_stays_blank_and_keeps_what_it_cost() -> None:
    table = Table(_reply(""), _reply(" \n"), _reply("\t"), _reply("At last."))
    failed = await table.perform(SAY)
    assert failed == e.StepFailed(
        failed_key=SAY.key, code="unreadable", error="the reply was empty", attempts=3
    )
    assert len(table.model.requests) == 3
    assert [one.usage for one in table.reported] == [JUST_SO] * 3


async def test_asks_the_same_again_after_a_blank_reply() -> None:
    """Providers refuse blank messages, so there is nothing to quote."""
    table = Table("", "Well then.")
    await table.turn(SAY)
    assert table.sent(1) == table.sent(0)


async def test_reports_each_failed_try_of_the_transport_before_the_next() -> None:
    table = Table(ModelUnavailable("reset"), ReplyBroken("half a reply"), _reply(GOOD))
    turn = await table.turn(_step())
    assert [(one.attempt, one.code, one.error) for one in table.reported] == [
        (1, "model_unavailable", "reset"),
        (2, "reply_broken", "half a reply"),
    ]
    assert all(one.retry_in_s is not None for one in table.reported)
    assert turn.attempts == 3


async def test_a_refused_call_is_one_call_and_one_failed_try() -> None:
    table = Table(ModelRefused("no such model"), _reply(GOOD))
    failed = await table.perform(_step())
    assert failed == e.StepFailed(
        failed_key=_step().key, code="model_refused", error="no such model", attempts=1
    )
    assert [one.code for one in table.reported] == ["model_refused"]
    assert len(table.model.requests) == 1


async def test_gives_up_when_the_transport_does_and_has_told_of_every_try() -> None:
    table = Table(*[ModelUnavailable("openai: down")] * 99)
    failed = await table.perform(_step())
    assert isinstance(failed, e.StepFailed)
    assert failed.attempts == len(table.reported) == len(table.model.requests)
    assert failed.error == (
        "openai has not answered for 10 minutes: down; try again when it answers"
    )


async def test_even_who_has_to_answer_in_time_waits_for_a_provider_that_is_away() -> None:
    step = msgspec.structs.replace(SAY, is_patient=False, silence_s=5.0)
    table = Table(*[ModelUnavailable("openai: down")] * 9, _reply("Here I am."))
    turn = await table.perform(step)
    assert isinstance(turn, e.TurnRecorded)
    assert sum(table.performer._models.clock.slept) > 60  # type: ignore[attr-defined]


async def test_who_does_not_answer_in_time_is_not_asked_again() -> None:
    step = msgspec.structs.replace(SAY, is_patient=False, silence_s=0.02)

    class Slow(ScriptedModel):
        async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
            self.requests.append(request)
            await asyncio.sleep(request.silence_s or 0)
            raise ModelUnavailable("nothing was heard in time")

    table = Table()
    table.model = table.performer._models.model = Slow()  # type: ignore[attr-defined]
    failed = await table.perform(step)
    assert isinstance(failed, e.StepFailed)
    assert len(table.model.requests) == 1
    assert [one.retry_in_s for one in table.reported] == [None]


async def test_no_next_try_is_promised_to_who_is_turned_away_and_will_not_wait() -> None:
    step = msgspec.structs.replace(SAY, is_patient=False, silence_s=5.0)
    table = Table(RateLimited("slow down", retry_after_s=15))
    failed = await table.perform(step)
    assert isinstance(failed, e.StepFailed)
    assert failed.retry_in_s == 15
    assert [one.retry_in_s for one in table.reported] == [None]


async def test_a_model_that_cannot_be_had_any_more_fails_the_step() -> None:
    table = Table(GOOD)

    def gone(name: str) -> object:
        raise NoModel("the key is gone")

    table.performer._models.get = gone  # type: ignore[method-assign,assignment]
    failed = await table.perform(_step())
    assert isinstance(failed, e.StepFailed)
    assert (failed.code, failed.error) == ("no_model", "the key is gone")


def _tried(attempt: int, reply: str, code: str = "unreadable") -> e.AttemptFailed:
    return e.AttemptFailed(
        attempt_of=_step().key,
        attempt=attempt,
        code=code,
        error="there is no JSON object in it",
        reply=reply,
        usage=JUST_SO,
    )


async def test_goes_on_counting_after_a_crash_between_two_tries() -> None:
    state = _state(_tried(1, "seven"), _tried(2, "", code="model_unavailable"), _tried(3, "eight"))
    table = Table(_reply("nine"), _reply(GOOD))
    turn = await table.turn(_step(), state)
    assert turn.flags == ("unreadable",)
    assert turn.attempts == 4
    assert len(table.model.requests) == 1
    said = [content for role, content in table.sent(0) if role == "assistant"]
    assert said == ["seven", "eight"]


async def test_buys_nothing_more_when_the_crash_came_after_the_last_try() -> None:
    state = _state(_tried(1, "a"), _tried(2, "b"), _tried(3, "c"))
    table = Table(_reply("d"))
    failed = await table.perform(SAY, state)
    assert isinstance(failed, e.StepFailed)
    assert (failed.code, failed.attempts) == ("unreadable", 3)
    assert table.model.requests == []


async def test_forgets_tries_from_before_a_retry() -> None:
    failed = e.DebateFailed(error="unreadable")
    state = _state(_tried(1, "a"), _tried(2, "b"), failed, e.DebateRetried())
    table = Table(GOOD)
    turn = await table.turn(_step(), state)
    assert turn.attempts == 1
    assert [role for role, _ in table.sent(0)] == ["system", "user"]


@pytest.mark.parametrize(
    ("finish", "flags"),
    [
        (Finish.STOP, ()),
        (Finish.LENGTH, ("truncated",)),
        (Finish.FILTER, ("filtered",)),
        (Finish.OTHER, ()),
    ],
)
async def test_flags_a_reply_that_was_cut_short(finish: Finish, flags: tuple[str, ...]) -> None:
    turn = await Table(_reply("Well", finish)).turn(SAY)
    assert (turn.finish, turn.flags) == (finish, flags)


def _long_state() -> DebateState:
    turns = [
        e.TurnRecorded(
            step_key=f"opening/{n}/jo/evaluate/ada",
            participant="jo",
            kind=StepKind.EVALUATE,
            stage="opening",
            round=n,
            place=(1, 0, n),
            visibility=Visibility.PRIVATE,
            content=f"thought {n} " * 40,
            prompt=f"question {n}",
            model="scripted:jo",
        )
        for n in range(1, 9)
    ]
    return _state(*turns)


async def test_leaves_the_oldest_out_of_a_full_window_and_says_so() -> None:
    table = Table(GOOD, facts=ModelFacts(context_window=1100, reply_cap=200))
    turn = await table.turn(_step(), _long_state())
    sent = table.sent(0)
    assert turn.flags == ("shortened",)
    assert len(sent) < 18
    assert sent[0] == ("system", "You are Jo.")
    assert sent[1][0] == "user"
    assert sent[-1] == ("user", turn.prompt)
    assert table.model.requests[0].max_tokens == 200


async def test_a_prompt_that_no_window_can_hold_is_flagged() -> None:
    """Many servers cut off what is too much, and say nothing."""
    table = Table(GOOD, GOOD, facts=ModelFacts(context_window=220, reply_cap=200))
    turn = await table.turn(_step(), _long_state())
    assert turn.flags == ("shortened", "overfull")
    alone = await table.turn(_step())
    assert alone.flags == ("overfull",)
    assert alone.content  # it is asked all the same: nobody knows what the server does


async def test_a_window_has_room_for_the_thoughts_of_a_model_that_thinks() -> None:
    class Thinking(ScriptedModels):
        def learned(self, name: str) -> Learned:
            return Learned(allowance=16_000)

    facts = ModelFacts(context_window=2000)
    plain, thinking = Table(GOOD, facts=facts), Table(GOOD, facts=facts)
    models = Thinking(thinking.model, facts=facts)
    thinking.performer = Performer(models=models, estimator=TokenEstimator())
    assert (await plain.turn(_step(), _long_state())).flags == ()
    assert (await thinking.turn(_step(), _long_state())).flags == ("shortened",)
    assert len(thinking.sent(0)) > 4


async def test_whole_histories_are_not_flagged() -> None:
    table = Table(GOOD, facts=ModelFacts(context_window=100_000))
    assert (await table.turn(_step())).flags == ()


async def test_tells_viewers_what_began_what_was_written_and_what_is_void() -> None:
    table = Table("No score here", GOOD)
    viewer = Viewer(table.live, wants_text=True)
    table.live.enter(viewer)
    await table.turn(_step())
    viewer.close()
    items = [item async for item in viewer.items(after=table.live.seq)]
    assert isinstance(items[0], StepBegan)
    void = next(n for n, item in enumerate(items) if isinstance(item, TextVoided))
    before = "".join(item.text for item in items[:void] if isinstance(item, TextWritten))
    after = "".join(item.text for item in items[void:] if isinstance(item, TextWritten))
    # What is void before it was sent, because text is gathered, need not be sent any more.
    assert before
    assert "No score here".startswith(before)
    assert after == GOOD


async def test_the_state_may_move_on_once_the_work_is_prepared() -> None:
    table, state = Table(GOOD), _state()
    work = table.prepare(_step(), state)
    before = list(work.messages)
    state.apply(e.Recorded(state.seq + 1, NOW, e.ParticipantMuted(participant="jo")))
    assert work.messages == before
    assert work.messages[-1] == Message(role="user", content=work.prompt)


# --- wishes and thoughts --------------------------------------------------------------------------


HOT = Sampling(temperature=1.5, reasoning_effort=Effort.LOW)
ADA_SAYS = _step("opening/1/ada/speak", participant="ada", kind=StepKind.SPEAK, answer=Text())

SENT: dict[str, tuple[Step, Sampling, tuple[str, ...], Sampling, tuple[str, ...]]] = {
    "nothing where nothing is wished": (ADA_SAYS, Sampling(), (), Sampling(), ()),
    "what is wished": (ADA_SAYS, HOT, (), HOT, ()),
    "a judge's default": (SAY, Sampling(), (), Sampling(temperature=0), ()),
    "a wish before a judge's default": (SAY, HOT, (), HOT, ()),
    "a default beside a wish": (
        SAY,
        Sampling(seed=7),
        (),
        Sampling(temperature=0, seed=7),
        (),
    ),
    "a wish that was not taken": (
        ADA_SAYS,
        HOT,
        ("temperature", "max_tokens"),
        Sampling(reasoning_effort=Effort.LOW),
        ("sampling_ignored",),
    ),
    "a default that was not taken": (SAY, Sampling(seed=7), ("temperature",), Sampling(seed=7), ()),
    "what nobody wished was not taken": (ADA_SAYS, HOT, ("top_p", "stream_options"), HOT, ()),
}


@pytest.mark.parametrize("case", SENT)
async def test_sends_and_records(case: str) -> None:
    step, wished, ignored, recorded, flags = SENT[case]
    table = Table(_reply("So it is.", ignored=ignored))
    turn = await table.turn(step, _state(wished={step.participant: wished}))
    is_judge = step.participant == "jo"
    asked = wished.over(Sampling(temperature=0)) if is_judge else wished
    assert [request.sampling for request in table.model.requests] == [asked]
    assert (turn.sampling, turn.flags) == (recorded, flags)
    assert e.encode(e.decode(e.encode(turn))) == e.encode(turn), "read again it is another"


async def test_keeps_what_was_thought_with_the_turn_up_to_a_length() -> None:
    table = Table(_reply("So.", thought="Let me see."), _reply("So.", thought="x" * 30_000))
    assert (await table.turn(SAY)).reasoning == "Let me see."
    kept = (await table.turn(SAY)).reasoning
    assert kept.startswith("x" * MAX_REASONING)
    assert kept.endswith("[… 10,000 more characters were not kept]")


async def test_sends_no_thought_back_when_it_asks_again() -> None:
    good = '{"score": 7, "reasoning": "sound"}'
    table = Table(_reply("seven", thought="canary"), _reply(good, thought="better"))
    turn = await table.turn(_step())
    assert turn.reasoning == "better"
    assert [attempt.reply for attempt in table.reported] == ["seven"]
    sent = [message.content for request in table.model.requests for message in request.messages]
    assert not [text for text in sent if "canary" in text]


async def test_tidies_what_is_spoken_and_says_what_it_cut_off() -> None:
    speak = msgspec.structs.replace(SAY, participant="ada")
    table = Table("[Ada]: Well, no.\n\n[Bob]: But yes!")
    turn = await table.perform(speak)
    assert isinstance(turn, e.TurnRecorded)
    assert (turn.content, turn.flags) == ("Well, no.", ("trimmed",))
    plain = await Table("Ada and Bob: both.").perform(speak)
    assert isinstance(plain, e.TurnRecorded)
    assert (plain.content, plain.flags) == ("Ada and Bob: both.", ())


async def test_leaves_typed_answers_as_they_are() -> None:
    text = 'Jo: {"score": 7}\nAda: {}'
    turn = await Table(text, text, text).perform(_step())
    assert isinstance(turn, e.TurnRecorded)
    assert turn.content == text


async def test_a_thought_that_was_shown_is_voided_and_the_speech_shown_in_its_place() -> None:
    reply = msgspec.structs.replace(_reply("Yes."), thought="Hm.", is_retracted=True)
    table = Table(reply)
    viewer = Viewer(table.live, wants_text=True)
    table.live.enter(viewer)
    turn = await table.turn(SAY)
    viewer.close()
    assert turn.content == "Yes."
    items = [item async for item in viewer.items(after=table.live.seq)]
    void = next(n for n, item in enumerate(items) if isinstance(item, TextVoided))
    assert "".join(one.text for one in items[void:] if isinstance(one, TextWritten)) == "Yes."
