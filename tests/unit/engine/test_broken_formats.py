"""A format that raises an error: the debate fails and says so, and nothing is bought twice for it.

Formats may be anybody's code, and what they stumble over may be what a model has said.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from tests.unit.engine.bench import (
    ADA,
    ALL_STEPS,
    BOB,
    JO,
    OPENING,
    PLANS,
    HeldModel,
    bench,
    finished,
    human,
)

from moot.engine.counting import Counts
from moot.engine.performer import Performer
from moot.engine.runner import Runner
from moot.errors import InvalidInput, ModelRefused, Refused
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.prompts import render
from moot.protocol import events as e
from moot.protocol.answers import OnUnreadable, Text, Unreadable
from moot.protocol.checker import check
from moot.protocol.deciding import open_steps
from moot.protocol.formats.duel.order import DuelOrder
from moot.protocol.formats.duel.rules import Duel
from moot.protocol.machine import walk
from moot.protocol.state import DebateState
from moot.protocol.steps import Next, Prompt, Run, Step
from moot.protocol.turns import Known
from moot.protocol.words import Status
from moot.store.rows import is_storable

TOLD = "a mistake in the format duel: ZeroDivisionError: a mistake"


def break_next(patch: pytest.MonkeyPatch, *, after: str) -> None:
    """Have the duel raise an error as soon as that step has its turn."""

    def cracked(self: Duel, state: DebateState, now: datetime) -> Next:
        del now
        if after in state.turns:
            raise ZeroDivisionError("a mistake")
        return walk(self, state)

    patch.setattr(Duel, "next", cracked)


def break_fold(patch: pytest.MonkeyPatch, *, at: str) -> None:
    """Have what the duel keeps beside the state raise an error when it is told of that turn."""

    def cracked(_self: DuelOrder, record: e.Recorded, _state: Known) -> None:
        if isinstance(record.event, e.TurnRecorded) and record.event.step_key == at:
            raise ZeroDivisionError("a mistake")

    patch.setattr(DuelOrder, "apply", cracked)


def break_runner(patch: pytest.MonkeyPatch) -> None:
    """Plant a mistake of ours where the results of steps are taken in."""

    def cracked(*_given: object) -> None:
        raise ZeroDivisionError("a mistake")

    patch.setattr(Runner, "_accept", cracked)


async def test_it_fails_with_all_that_was_paid_for_and_goes_on_once_the_format_is_mended() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            break_next(patch, after=PLANS[0])
            running = on.start(debate)
            await model.until(*PLANS)
            await model.answer(PLANS[0], then=[PLANS[1]])
            for _ in range(100):
                await asyncio.sleep(0)
            assert on.turns(debate) == [PLANS[0]]
            assert not running.done()  # the other reply is paid for, too
            model.let(PLANS[1])
            await finished(running, Status.FAILED)
            assert on.log(debate)[-1] == e.DebateFailed(error=TOLD, code="internal")
            assert on.turns(debate) == [*PLANS]

            # It can be looked at, and tried again, as often as somebody likes: for nothing.
            state = await on.state(debate)
            assert open_steps(Duel(), state, on.clock.now()) == ()
            assert (await on.service.summary(debate)).status is Status.FAILED
            await on.service.command(debate, "retry")
            assert (await on.service.run(debate)).status is Status.FAILED
            assert model.asked == [*PLANS]
        model.open()
        await on.service.command(debate, "retry")
        await finished(on.start(debate), Status.COMPLETED)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


class Careless(Text, frozen=True, kw_only=True):
    """Breaks when it reads."""

    def read(self, text: str) -> dict[str, Any] | Unreadable | None:
        raise ZeroDivisionError(text)


def ask_for(patch: pytest.MonkeyPatch, wrong: Any, *, after: str) -> None:
    """Have the duel ask for something else, too, as soon as that step has its turn."""

    def cracked(self: Duel, state: DebateState, now: datetime) -> Next:
        del now
        said = walk(self, state)
        if after not in state.turns or not isinstance(said, Run):
            return said
        more = dict(wrong) if isinstance(wrong, dict) else None
        some = {"key": "more", "place": (9,)}
        step = wrong if more is None else replace(said.steps[0], **some | more)
        return Run((*said.steps, step))

    patch.setattr(Duel, "next", cracked)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("a step", "a mistake in the format duel: 'a step' is no step"),
        ({"participant": "zoe"}, "the step more is for 'zoe', who does not take part"),
        ({"not_before": datetime(2026, 1, 1)}, "a time without a time zone"),  # noqa: DTZ001
        ({"key": PLANS[0]}, f"the step {PLANS[0]} has its turn already"),
        ({"key": PLANS[1]}, f"the step {PLANS[1]} has its turn already"),  # by then
        ({"key": "\ud800"}, "'\\ud800' cannot be the key of a step"),
        ({"stage": "nowhere"}, "the step more is in a stage called 'nowhere', and there is none"),
        (
            {"round": 2**70},
            "the step more is in the round 1180591620717411303424, which is no number",
        ),
        (
            {"place": (2**70,)},
            "the step more has the place (1180591620717411303424,), which is beyond",
        ),
        ({"max_tokens": 0}, "the step more may have 0 tokens"),
        ({"prompt": Prompt("missing", {})}, "there is no prompt called missing"),
        ({"prompt": Prompt("verbatim", {"text": 1})}, "it could not be asked for: "),  # type: ignore[dict-item]
    ],
)
async def test_what_cannot_be_asked_for_costs_nothing_that_was_paid_for(
    wrong: Any, told: str
) -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            ask_for(patch, wrong, after=PLANS[0])
            running = on.start(debate)
            await model.until(*PLANS)
            model.let(PLANS[0])
            for _ in range(100):
                await asyncio.sleep(0)
            assert not running.done()
            model.open()
            await finished(running, Status.FAILED)
            failure = on.log(debate)[-1]
            assert isinstance(failure, e.DebateFailed)
            assert failure.code == "internal"
            assert told in failure.error
            assert sorted(on.turns(debate)) == sorted(model.asked)
        await on.service.command(debate, "retry")
        await finished(on.start(debate), Status.COMPLETED)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_neither_does_a_question_that_no_person_can_be_asked() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create((ADA, BOB, human(JO)))
        with pytest.MonkeyPatch.context() as patch:
            ask_for(patch, {"prompt": Prompt("missing", {}), "participant": "jo"}, after=PLANS[0])
            running = on.start(debate)
            await model.until(*PLANS)
            await model.answer(PLANS[0], then=[PLANS[1]])
            model.let(PLANS[1])
            await finished(running, Status.FAILED)
        assert on.turns(debate) == [*PLANS]
        assert model.asked == [*PLANS]


async def test_a_reply_that_the_format_cannot_read_is_kept_with_its_cost() -> None:
    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Text, "read", Careless.read)
            await finished(on.start(debate), Status.FAILED)
        log = on.log(debate)
        kept = [one for one in log if isinstance(one, e.AttemptFailed)]
        assert [one.attempt_of for one in kept] == [*PLANS]
        assert all(one.reply and one.usage.output_tokens for one in kept)
        assert isinstance(log[-1], e.DebateFailed)
        assert "the format could not read the reply: ZeroDivisionError" in log[-1].error
        await on.service.command(debate, "retry")
        await finished(on.start(debate), Status.COMPLETED)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1) | dict.fromkeys(PLANS, 2)


@pytest.mark.usefixtures("unlogged")
@pytest.mark.parametrize(
    ("method", "made"),
    [
        ("read", {"a": object()}),
        ("read", {"a": "\ud800"}),
        ("read", {"a": "a\0b"}),
        ("shown", "\ud800"),
        ("shown", "a\0b"),
    ],
)
async def test_neither_is_one_lost_of_which_it_makes_what_cannot_be_recorded(
    method: str, made: Any
) -> None:
    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        on.store.before_append = refuse_what_cannot_be_stored
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Text, method, lambda *_: made)
            await finished(on.start(debate), Status.FAILED)
        log = on.log(debate)
        kept = [one for one in log if isinstance(one, e.AttemptFailed)]
        assert [one.attempt_of for one in kept] == [*PLANS]
        assert all("cannot be recorded" in one.error and one.usage.output_tokens for one in kept)
        assert isinstance(log[-1], e.DebateFailed)
        assert log[-1].error.startswith("internal error: ")
        await on.service.command(debate, "retry")
        await finished(on.start(debate), Status.COMPLETED)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1) | dict.fromkeys(PLANS, 2)


@pytest.fixture
def unlogged() -> Iterator[None]:
    """Half a surrogate pair in a traceback cannot be handed on to who collects reports of tests."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def refuse_what_cannot_be_stored(records: Sequence[e.Recorded]) -> None:
    """Do as every real store does."""
    if not all(is_storable(one.event) for one in records):
        raise InvalidInput("text must not contain lone surrogates", field="event")


@pytest.mark.parametrize(("method", "made"), [("read", [7]), ("shown", 7), ("shown", None)])
async def test_what_is_no_answer_is_a_reply_that_it_could_not_read(method: str, made: Any) -> None:
    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Text, method, lambda *_: made)
            await finished(on.start(debate), Status.FAILED)
        log = on.log(debate)
        assert [one.attempt_of for one in log if isinstance(one, e.AttemptFailed)] == [*PLANS]
        assert isinstance(log[-1], e.DebateFailed)
        assert "could not be recorded: its " in log[-1].error


async def test_a_turn_is_kept_if_what_it_leads_to_breaks_and_is_not_bought_again() -> None:
    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(DebateState, "summary", summary_broken_after(PLANS[1]))
            await finished(on.start(debate), Status.FAILED)
            assert sorted(on.turns(debate)) == sorted(PLANS)
        await on.service.command(debate, "retry")
        await finished(on.start(debate), Status.COMPLETED)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


class Mute(Exception):
    """An error that breaks whoever wants to know what it says."""

    def __str__(self) -> str:
        raise ZeroDivisionError


UNSPEAKABLE = [ValueError("\ud800"), ValueError("a\0b"), Mute(), ValueError("long " * 10_000)]


@pytest.mark.usefixtures("unlogged")
@pytest.mark.parametrize("error", UNSPEAKABLE, ids=["half", "nul", "mute", "long"])
@pytest.mark.parametrize("where", ["next", "prompt", "read"])
async def test_no_reply_is_lost_for_what_an_error_says(where: str, error: Exception) -> None:
    def cracked(*_given: object) -> None:
        raise error

    prepare = Performer.prepare

    def unprepared(self: Performer, live: Any, state: Any, step: Step, *more: Any) -> Any:
        return prepare(self, live, state, step, *more) if step.key in PLANS else cracked()

    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        on.store.before_append = refuse_what_cannot_be_stored
        with pytest.MonkeyPatch.context() as patch:
            match where:
                case "next":
                    patch.setattr(Duel, "next", next_broken_after(PLANS[0], error))
                case "prompt":
                    patch.setattr(Performer, "prepare", unprepared)
                case _:
                    patch.setattr(Text, "read", cracked)
            await finished(on.start(debate), Status.FAILED)
        failure = on.log(debate)[-1]
        assert isinstance(failure, e.DebateFailed)
        assert type(error).__name__ in failure.error
        assert len(failure.error) < 2000
        kept = [one.attempt_of for one in on.failed_tries(debate)]
        assert sorted([*on.turns(debate), *kept]) == sorted(model.asked)


def next_broken_after(key: str, error: Exception) -> Any:
    def cracked(self: Duel, state: DebateState, now: datetime) -> Next:
        del now
        if key in state.turns:
            raise error
        return walk(self, state)

    return cracked


@pytest.mark.usefixtures("unlogged")
@pytest.mark.parametrize("reason", ["\ud800", "a\0b", 7])
async def test_nor_for_the_reason_why_it_cannot_be_read(reason: Any) -> None:
    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        on.store.before_append = refuse_what_cannot_be_stored
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Text, "read", lambda *_: Unreadable(reason))
            patch.setattr(Text, "given_up", lambda *_: OnUnreadable.FAIL)
            await finished(on.start(debate), Status.FAILED)
        kept = [one.attempt_of for one in on.failed_tries(debate)]
        assert sorted(kept) == sorted(model.asked)
        assert len(kept) == len(PLANS) * 3
        assert isinstance(on.log(debate)[-1], e.DebateFailed)


class Rude(HeldModel):
    """Fails with words that nobody can record."""

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        reply = await super().reply(request, on_text)
        if (request.label or "").endswith(PLANS[1]):
            raise ModelRefused("no \ud800")
        return reply


@pytest.mark.usefixtures("unlogged")
async def test_nor_for_what_the_error_of_a_model_says() -> None:
    model = Rude()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        on.store.before_append = refuse_what_cannot_be_stored
        await finished(on.start(debate), Status.FAILED)
        assert sorted([*on.turns(debate), PLANS[1]]) == sorted(model.asked)
        failure = on.log(debate)[-1]
        assert isinstance(failure, e.DebateFailed)
        assert failure.code == "model_refused"


async def test_what_is_in_the_log_is_not_recorded_again_however_often_something_breaks() -> None:
    whole, broken = Counts.count, iter([True, True])

    def cracked(self: Counts, records: Sequence[e.Recorded]) -> None:
        whole(self, records)  # right after the commit
        if isinstance(records[0].event, e.TurnRecorded) and next(broken, False):
            raise ZeroDivisionError("a mistake")

    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Counts, "count", cracked)
            running = on.start(debate)
            await model.until(*PLANS)
            await model.answer(PLANS[0], then=[PLANS[1]])
            model.let(PLANS[1])
            await finished(running, Status.FAILED)
        assert on.turns(debate) == [*PLANS]
        assert on.failed_tries(debate) == []
        model.open()
        await on.service.command(debate, "retry")
        await finished(on.start(debate), Status.COMPLETED)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


def summary_broken_after(key: str) -> Any:
    """A mistake where an append is made ready, once after that step has its turn."""
    whole, broken = DebateState.summary, iter([True])

    def cracked(self: DebateState, *given: Any, **named: Any) -> Any:
        if key in self.turns and next(broken, False):
            raise ZeroDivisionError("a mistake")
        return whole(self, *given, **named)

    return cracked


@pytest.mark.parametrize("where", ["next", "fold", "prompt", "read"])
async def test_a_cancellation_of_its_own_is_a_mistake_like_any_other(where: str) -> None:
    def cracked(*_given: object) -> None:
        raise asyncio.CancelledError

    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            match where:
                case "next":
                    patch.setattr(Duel, "next", cracked)
                case "fold":
                    patch.setattr(DuelOrder, "apply", cracked)
                case "prompt":
                    patch.setattr(Performer, "prepare", cracked)
                case _:
                    patch.setattr(Text, "read", cracked)
            await finished(on.start(debate), Status.FAILED)
            failure = on.log(debate)[-1]
            assert isinstance(failure, e.DebateFailed)
            assert failure.error.endswith("CancelledError")
        if where == "fold":  # what it kept beside the state is gone from this process
            return
        await on.service.command(debate, "retry")
        await finished(on.start(debate), Status.COMPLETED)
        bought = 2 if where == "read" else 1
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1) | dict.fromkeys(PLANS, bought)


async def test_one_that_asks_for_step_after_step_is_ended() -> None:
    def endless(self: Duel, state: DebateState, now: datetime) -> Next:
        del now
        said = walk(self, state)
        if not isinstance(said, Run):
            return said
        number = len(state.turns)
        return Run((replace(said.steps[0], key=f"more/{number}", place=(9, number)),))

    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Duel, "next", endless)
            await finished(on.start(debate), Status.FAILED)
        failure = on.log(debate)[-1]
        assert isinstance(failure, e.DebateFailed)
        assert "it asks for step after step" in failure.error
        most = Duel().most_calls((await on.state(debate)).config)
        assert most < len(on.turns(debate)) <= 2 * most + 21


async def test_whoever_answers_then_is_told_why_that_cannot_be() -> None:
    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create((human(ADA), BOB, JO))
        await finished(on.start(debate), Status.WAITING)
        (question,) = (await on.state(debate)).questions
        with pytest.MonkeyPatch.context() as patch:
            break_next(patch, after=PLANS[1])
            with pytest.raises(Refused, match="nothing was changed: a mistake in the format duel"):
                await on.service.answer(debate, question, "My case.")
        assert question in (await on.state(debate)).questions
        await on.service.answer(debate, question, "My case.")
        assert question not in (await on.state(debate)).questions


async def test_a_process_that_leaves_records_what_was_under_way_then_too() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            break_next(patch, after=PLANS[0])
            running = on.start(debate)
            await model.until(*PLANS)
            leaving = asyncio.create_task(on.worker.drain(grace_s=5.0))
            await asyncio.sleep(0)
            await model.answer(PLANS[0], then=[PLANS[1]])
            for _ in range(100):
                await asyncio.sleep(0)
            model.let(PLANS[1])
            assert await leaving == 0
            await finished(running, Status.FAILED)
        assert on.turns(debate) == [*PLANS]
        assert model.dropped == []


async def test_its_log_can_be_read_although_its_own_fold_broke() -> None:
    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            break_fold(patch, at=OPENING[0])
            await finished(on.start(debate), Status.FAILED)
            assert on.log(debate)[-1] == e.DebateFailed(error=TOLD, code="internal")
            async with on.another() as other:
                assert set((await other.service.state(debate)).turns) == {*PLANS, OPENING[0]}
        async with on.another() as mended:
            await mended.service.command(debate, "retry")
            assert (await mended.service.run(debate)).status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_so_it_can_if_it_could_not_even_begin() -> None:
    def cracked(*_given: object) -> None:
        raise ZeroDivisionError("a mistake")

    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Duel, "fold", cracked)
            async with on.another() as other:
                await other.service.command(debate, "start")
                assert (await other.service.run(debate)).status is Status.FAILED
                assert on.log(debate)[-1] == e.DebateFailed(error=TOLD, code="internal")
                assert (await other.service.summary(debate)).status is Status.FAILED
        assert model.asked == []


@pytest.mark.parametrize("what", ["the format", "the runner"])
async def test_a_server_does_not_buy_the_same_replies_for_ever(what: str) -> None:
    model = HeldModel()
    model.open()
    with pytest.MonkeyPatch.context() as patch:
        if what == "the format":
            break_next(patch, after=PLANS[0])
        else:
            break_runner(patch)
        async with bench(model) as on:
            debate = await on.create()
            await on.service.command(debate, "start")
            async with on.serving():  # it looks for debates that should run, every few seconds
                await on.clock.until(on.clock.now() + timedelta(minutes=1))
            state = await on.state(debate)
            assert state.status is Status.FAILED
            assert state.failure is not None
            assert "ZeroDivisionError: a mistake" in state.failure.error
            assert on.asked() == dict.fromkeys(PLANS, 1)


async def test_the_checker_says_what_it_stumbles_over() -> None:
    with pytest.MonkeyPatch.context() as patch:
        break_next(patch, after="planning/1/ann/plan")
        wrong = [one for one in check(Duel(), render) if not one.ok]
    assert [one.detail for one in wrong] == ["ZeroDivisionError: a mistake"]
