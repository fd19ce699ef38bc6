"""What a format is asked of a debate that is only looked at, or is not there yet."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.unit.engine.bench import ADA, BOB, JO, PLANS, HeldModel, bench, finished, human

from moot.engine import looking
from moot.engine.creation import NewDebate
from moot.engine.forecast import forecast, price_of
from moot.engine.hearings import heard_itself
from moot.errors import InvalidInput, Refused
from moot.protocol import events as e
from moot.protocol.answers import Text
from moot.protocol.formats.duel.rules import Duel
from moot.protocol.words import Status

TOLD = "a mistake in the format duel: ZeroDivisionError: a mistake"
MISTAKES = (ZeroDivisionError("a mistake"), SystemExit(0), asyncio.CancelledError())


def raising(error: BaseException) -> Any:
    def cracked(*_given: object) -> Any:
        raise error

    return cracked


@pytest.fixture(autouse=True)
def _nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "_told", set())


@pytest.mark.parametrize("error", MISTAKES, ids=repr)
async def test_a_mistake_costs_what_it_would_have_shown_and_is_logged_once(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        row, state = await on.service.standing(debate)
        assert looking.upcoming(Duel(), state)
        for name in ("upcoming", "refusal", "certificate", "cautions"):
            monkeypatch.setattr(Duel, name, raising(error))
        for _ in range(2):
            assert looking.upcoming(Duel(), state) == ()
            assert looking.allowed(Duel(), state) == ()
            assert looking.cautions(Duel(), state.config) == ()
            assert heard_itself(row, state) is None
    asked = [vars(one)["asked"] for one in caplog.records if one.message == "format broke"]
    assert asked == ["upcoming", "refusal", "cautions", "certificate"]


@pytest.mark.parametrize(
    ("name", "said"), [("upcoming", (7,)), ("certificate", "stable"), ("cautions", 7)]
)
async def test_what_cannot_be_shown_is_a_mistake_too(
    name: str, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Duel, name, lambda *_given: said)
    async with bench() as on:
        state = await on.state(await on.create())
        about = state.config if name == "cautions" else state
        assert not getattr(looking, name)(Duel(), about)


@pytest.mark.parametrize("name", ["opening", "cast", "check"])
async def test_no_debate_is_created_that_its_format_stumbles_over(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Duel, name, raising(ZeroDivisionError("a mistake")))
    async with bench() as on:
        new = NewDebate(topic="Is it so?", participants=(ADA, BOB, JO))
        for begin in (on.service.create, on.service.plan):
            with pytest.raises(InvalidInput, match=TOLD):
                await begin(new)
        assert not on.store.rows


async def test_neither_is_one_with_an_opening_that_nobody_could_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench() as on:
        for said in (("Hear, hear!",), (e.NoticePosted(code="x", text=7),), None):  # type: ignore[arg-type]
            monkeypatch.setattr(Duel, "opening", lambda *_given, said=said: said)
            with pytest.raises(InvalidInput, match="a mistake in the format duel: "):
                await on.create()
        assert not on.store.rows


@pytest.mark.parametrize("name", ["cautions", "most_calls", "longest_chain", "reads"])
async def test_no_forecast_is_made_either(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as on:
        config = (await on.state(await on.create())).config
        monkeypatch.setattr(Duel, name, raising(ZeroDivisionError("a mistake")))
        with pytest.raises(InvalidInput, match=TOLD):
            forecast(config, on.models, price_of(on.models))


async def test_what_somebody_wants_then_is_refused_and_nothing_is_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench() as on:
        debate = await on.create()
        before = on.log(debate)
        monkeypatch.setattr(Duel, "refusal", raising(ZeroDivisionError("a mistake")))
        with pytest.raises(Refused, match=f"nothing was changed: {TOLD}"):
            await on.service.rename(debate, "Tea")
        assert on.log(debate) == before


FLAGS = {"flags": lambda *_given: (7,)}
SHOWN = {"shown": lambda *_given: 7}


@pytest.mark.parametrize("wrong", [FLAGS, SHOWN], ids=["flags", "shown"])
async def test_no_turn_is_recorded_that_could_not_be_read_again(
    wrong: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = HeldModel()
    model.open()
    async with bench(model) as on:
        debate = await on.create()
        with pytest.MonkeyPatch.context() as patch:
            for name, said in wrong.items():
                patch.setattr(Text, name, said)
            await finished(on.start(debate), Status.FAILED)
            failed = on.log(debate)[-1]
            assert isinstance(failed, e.DebateFailed)
            assert "could not be recorded: its " in failed.error
            assert on.turns(debate) == []
            assert {one.attempt_of for one in on.failed_tries(debate)} == {*PLANS}
        for event in on.log(debate):
            assert e.decode(e.encode(event)) == event
        await on.service.command(debate, "retry")
        await finished(on.start(debate), Status.COMPLETED)


async def test_neither_is_what_a_person_answers_then(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as on:
        debate = await on.create((human(ADA), BOB, JO))
        await finished(on.start(debate), Status.WAITING)
        (question,) = (await on.state(debate)).questions
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Text, "flags", FLAGS["flags"])
            with pytest.raises(Refused, match="nothing was changed: a mistake in the format duel"):
                await on.service.answer(debate, question, "My case.")
        await on.service.answer(debate, question, "My case.")
