"""Moot as a library: what the README shows, and what a program may rely on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import msgspec
import pytest
from tests.acceptance.provider import ADA, BOB, JO, ROSTER, TOPIC, Part, stage

import moot
from moot.engine.feed import TextWritten
from moot.errors import InvalidInput, NotFound, Refused
from moot.library import Debate
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.outcomes import Verdict
from moot.protocol.words import HIDDEN, Role, Status
from moot.testing.oracles import check_book, check_integrity, check_usage, read_book
from moot.testing.scripted import ScriptedModel, ScriptedModels

YAML = """
topic: Should cities be car-free?
premise: Private cars should be banned from city centres.
turns: 2
debaters:
  - {name: Ada, personality: You are Ada.}
  - {name: Bob, personality: You are Bob.}
judge: {name: Jo, personality: You are Jo.}
"""


async def test_creates_runs_and_inspects_a_debate_in_ten_lines(tmp_path: Path) -> None:
    models = ScriptedModels()
    async with moot.open(home=tmp_path, models=models) as m:
        debate = await m.create("Should cities be car-free?", turns=4)
        said = [turn async for turn in debate.run()]
        assert len(said) == 22
        assert debate.status is Status.COMPLETED
        assert isinstance(debate.outcome, Verdict)
        assert debate.outcome.winner in {one.name for one in debate.state.config.participants}
        assert sorted(one.step_key for one in said) == sorted(t.step_key for t in debate.turns)


async def test_loads_a_debate_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "cars.yaml"
    path.write_text(YAML)
    async with moot.open(home=tmp_path / "home", models=ScriptedModels()) as m:
        debate = await m.load(path, turns=1)
        assert debate.state.config.settings["turns"] == 1
        assert [turn.participant async for turn in debate.run()]
        assert debate.status is Status.COMPLETED


async def test_finds_a_debate_again_in_another_session(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with moot.open(home=tmp_path, models=ScriptedModels(model)) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=2)
        async for _ in debate.run():
            break  # leave after the first turn
    async with moot.open(home=tmp_path, models=ScriptedModels(model)) as m:
        again = await m.get(debate.id[:8])
        assert again.id == debate.id
        assert again.status.is_active
        async for _ in again.run():
            pass
        assert again.status is Status.COMPLETED
        assert len(again.turns) == 14
        with pytest.raises(NotFound):
            await m.get("nothing-like-it")


async def test_a_run_that_is_left_and_begun_again_buys_and_gives_every_turn_once(
    tmp_path: Path,
) -> None:
    model = ScriptedModel()
    async with moot.open(home=tmp_path, models=ScriptedModels(model)) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=2)
        said: list[str] = []
        while debate.status is not Status.COMPLETED:
            async for turn in debate.run():
                said.append(turn.step_key)
                break  # at once, after every single turn
        assert len(said) == len(model.requests) == 14
        assert sorted(said) == sorted(turn.step_key for turn in debate.turns)


async def test_a_run_that_was_left_is_seen_after_a_refresh(tmp_path: Path) -> None:
    assert "await debate.refresh()" in (moot.Debate.run.__doc__ or "")
    async with moot.open(home=tmp_path, models=ScriptedModels(ScriptedModel())) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=2)
        async for _ in debate.run():
            break
        await debate.refresh()
        assert debate.status is Status.RUNNING
        assert debate.turns


async def test_calls_under_way_are_kept_when_moot_is_closed(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with moot.open(home=tmp_path, models=ScriptedModels(model)) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=2)
        async for _ in debate.run():
            break
    async with moot.open(home=tmp_path, models=ScriptedModels(model)) as m:
        await (await m.get(debate.id)).finish()
    assert len(model.requests) == 14


async def test_finishes_and_gives_the_outcome(tmp_path: Path) -> None:
    prices = ScriptedModels(price=lambda _model, _usage: 0.25)
    async with moot.open(home=tmp_path, models=prices) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=2)
        assert (debate.outcome, debate.winner, debate.scores) == (None, None, None)
        outcome = await debate.finish()
        assert isinstance(outcome, moot.Verdict)
        assert outcome == debate.outcome == await debate.finish()
        assert debate.winner == outcome.winner == "Ada"
        assert debate.scores == outcome.scores
        assert debate.cost_usd == 14 * 0.25


async def test_finish_raises_what_keeps_it_from_its_end(tmp_path: Path) -> None:
    def refusing(messages: list[dict[str, str]]) -> str:
        raise ValueError("no such weights")

    me = msgspec.structs.replace(BOB, model="human")
    models = {"mine": refusing}
    async with moot.open(home=tmp_path, models=models) as m:
        debate = await m.create(TOPIC, participants=ROSTER, model="mine")
        with pytest.raises(moot.Failed, match=r"'mine'.*no such weights; once that is") as failed:
            await debate.finish()
        assert failed.value.debate_id == debate.id
        assert failed.value.reason == "function_failed"
        await debate.command("cancel")
        with pytest.raises(moot.Canceled):
            await debate.finish()
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        debate = await m.create(TOPIC, participants=[ADA, me, JO], turns=2)
        with pytest.raises(moot.WaitingForPeople, match="answer") as waiting:
            await debate.finish()
        assert waiting.value.questions == tuple(debate.state.questions)
        while debate.status is Status.WAITING:
            await debate.answer(next(iter(debate.state.questions)), "Trains.")
            try:
                await debate.finish()
            except moot.WaitingForPeople:
                continue
        assert debate.status is Status.COMPLETED


async def test_a_debate_that_nobody_runs_can_be_stopped_and_deleted(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=2)
        await debate.command("start")
        with pytest.raises(Refused):
            await debate.delete()
        await debate.command("stop")
        assert debate.status is Status.STOPPED
        await debate.delete()
        with pytest.raises(NotFound):
            await m.get(debate.id)
        assert await m.list() == []


async def test_lists_debates_as_rows(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        made = [await m.create(f"{TOPIC} {n}", participants=ROSTER, turns=1) for n in range(4)]
        await made[0].finish()
        (row,) = await m.list(status="completed")
        assert (row.id, row.turns) == (made[0].id, len(made[0].turns))
        assert [one.id for one in await m.list(limit=2)] == [made[3].id, made[2].id]
        assert [one.topic for one in await m.list(query="free? 1")] == [f"{TOPIC} 1"]
        assert await m.list(format="room") == []
        with pytest.raises(InvalidInput, match="completed"):
            await m.list(status="done")


async def test_lists_more_than_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.library.opening.PAGE", 2)
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        made = [(await m.create(TOPIC, participants=ROSTER)).id for _ in range(5)]
        assert [row.id for row in await m.list(limit=4)] == made[:0:-1]
        assert len(await m.list()) == 5


async def test_makes_a_debate_once_per_key(tmp_path: Path) -> None:
    async def make(m: moot.Moot, topic: str = TOPIC) -> str:
        return (await m.create(topic, participants=ROSTER, idempotency_key="cars-1")).id

    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        one, other = await asyncio.gather(make(m), make(m))
        assert one == other
        with pytest.raises(InvalidInput, match="idempotency_key: has created another"):
            await make(m, "Another topic")
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        assert await make(m) == one
        assert len(await m.list()) == 1


async def test_forks_and_exports(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with moot.open(home=tmp_path, models=ScriptedModels(model)) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=2)
        await debate.finish()
        fork = await debate.fork(at=debate.state.seq - 8, models={"jo": "other:judge"})
        asked = len(model.requests)
        assert isinstance(await fork.finish(), moot.Verdict)
        assert {one.model for one in model.requests[asked:]} == {"other:judge"}
        with pytest.raises(InvalidInput):
            await debate.fork(at=10_000)
        assert (await debate.export()).startswith(f"# {TOPIC}")
        assert "<html" in await debate.export("html")
        with pytest.raises(InvalidInput, match="known: md"):
            await debate.export("pdf")


async def test_personas_sit_where_their_format_has_them(tmp_path: Path) -> None:
    ada, bo = moot.Persona(name="Ada", model="a:b"), moot.Persona(name="Bo")
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        council = await m.create(TOPIC, format="council", participants=[ada, bo])
        duel = await m.create(TOPIC, participants=[ada, bo, JO])
    roles = [
        {one.id: one.role for one in debate.state.config.participants} for debate in (council, duel)
    ]
    assert roles[0].items() >= {"ada": Role.MEMBER, "bo": Role.MEMBER}.items()
    assert roles[1] == {"ada": Role.DEBATER, "bo": Role.DEBATER, "jo": Role.JUDGE}
    assert duel.state.participants["ada"].model == "a:b"


async def test_a_mistake_is_told_by_the_name_that_the_program_has_given(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels(ScriptedModel())) as m:
        people = [moot.Persona(name="Ada"), moot.Persona(name="Bo")]
        with pytest.raises(moot.InvalidInput) as refused:
            await m.create(TOPIC, participants=people, judge_model="x:y")
        assert refused.value.field == "judge_model"
        debate = await m.create(TOPIC, participants=people)
        with pytest.raises(moot.InvalidInput) as refused:
            await debate.fork(models={"nobody": "x:y"})
        assert "--" not in str(refused.value)


async def test_a_role_may_be_a_plain_word(tmp_path: Path) -> None:
    jo = msgspec.structs.replace(ROSTER[2], role=cast("moot.Role", "judge"))
    wrong = msgspec.structs.replace(ROSTER[2], role=cast("moot.Role", "jugde"))
    async with moot.open(home=tmp_path, models=ScriptedModels(ScriptedModel())) as m:
        debate = await m.create(TOPIC, participants=[*ROSTER[:2], jo], turns=1)
        assert debate.state.config.participants[2].role is moot.Role.JUDGE
        with pytest.raises(moot.InvalidInput, match="there is no role 'jugde'; known: ") as no:
            await m.create(TOPIC, participants=[*ROSTER[:2], wrong])
        assert no.value.field == "participants.2.role"
        assert len(await m.list()) == 1


async def test_streams_text_that_adds_up_to_the_turns(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        debate = await on.moot.create(TOPIC, participants=ROSTER, turns=1)
        text: dict[str, str] = {}
        async for item in debate.stream(text=True):
            if isinstance(item, TextWritten):
                text[item.step.key] = text.get(item.step.key, "") + item.text
        assert text == {turn.step_key: turn.content for turn in debate.turns}


async def test_gives_every_event_in_order(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        debate = await on.moot.create(TOPIC, participants=ROSTER, turns=1)
        seqs = [item.seq async for item in debate.stream() if isinstance(item, Recorded)]
        assert seqs == list(range(2, debate.state.seq + 1))


async def test_takes_a_persons_answers(tmp_path: Path) -> None:
    me = msgspec.structs.replace(BOB, model="human")
    async with stage(tmp_path) as on:
        debate = await on.duel([ADA, me, JO], turns=2)
        while debate.status is Status.WAITING:
            (question,) = debate.state.questions
            with pytest.raises(InvalidInput):
                await debate.answer(question, "x" * 20_001)
            await debate.answer(question, f"I say: {question}.")
            with pytest.raises((NotFound, Refused)):
                await debate.answer(question, "I say it again.")
            await on.go_on(debate)
        assert debate.status is Status.COMPLETED
        mine = [turn.content for turn in debate.turns if turn.participant == "bob"]
        assert len(mine) == 3
        assert len(on.calls) == 14 - 3


def told(debate: Debate, key: str) -> str:
    """The words of a turn, or that they are hidden."""
    (said,) = [turn for turn in debate.turns if turn.step_key == key]
    return "hidden" if HIDDEN in said.flags else said.content


async def test_shows_what_people_may_see_while_they_take_part(tmp_path: Path) -> None:
    ada, jo = (msgspec.structs.replace(one, model="human") for one in (ADA, JO))
    plan, score = "planning/1/bob/plan", "opening/1/jo/evaluate/ada"
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        debate = await m.create(TOPIC, participants=[ada, BOB, jo], turns=1)
        items = [item async for item in debate.stream(text=True)]
        turns = [item.event for item in items if isinstance(item, Recorded)]
        said = [one for one in turns if isinstance(one, TurnRecorded)]
        assert [(one.content, one.flags) for one in said if one.step_key == plan] == [
            ("", (HIDDEN,))
        ]
        assert not [item for item in items if isinstance(item, TextWritten)]
        assert told(await m.get(debate.id), plan) == "hidden"
        while not any(one.startswith("opening/1/jo") for one in debate.state.questions):
            await debate.answer(next(iter(debate.state.questions)), "Trains.")
            [one async for one in debate.run()]
        (question,) = debate.state.questions
        await debate.answer(question, {"score": 7, "reasoning": "Well said."})
        await debate.refresh()

        views = [debate, await debate.seen_by("ada"), await debate.seen_by("jo")]
        assert [told(one, plan) for one in views] == ["hidden"] * 3
        assert [told(one, score) for one in views] == ["hidden", "hidden", "Well said."]
        everything = await debate.unveiled()
        assert told(everything, plan) not in ("", "hidden")
        for nobody in ("bob", "zoe"):
            with pytest.raises(InvalidInput):
                await debate.seen_by(nobody)
        await debate.reveal()
        await debate.refresh()
        assert told(debate, plan) == told(everything, plan)


async def test_obeys_commands_and_refuses_those_that_do_not_fit(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        debate = await on.moot.create(TOPIC, participants=ROSTER, turns=1)
        with pytest.raises(Refused):
            await debate.command("resume")
        await debate.command("cancel")
        await debate.refresh()
        assert debate.status is Status.CANCELED
        await on.go_on(debate)
        assert on.calls == []


async def test_records_what_the_provider_counted(tmp_path: Path) -> None:
    async with stage(tmp_path, Part(first_score=["no", '{"score": 3, "reasoning": ""}'])) as on:
        debate = await on.duel(turns=2)
        store = on.moot.service._store
        book = await read_book(store, debate.id)
        check_book(book)
        check_usage(on.calls, [book])
    check_integrity(tmp_path / "moot.db")
    assert (tmp_path / "moot.db").stat().st_mode & 0o777 == 0o600
