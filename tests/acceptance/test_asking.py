"""A question for a panel, from a program: `m.ask`, and what else the library has of the page's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.acceptance.provider import ROSTER, TOPIC

import moot
from moot.protocol.settings import as_data
from moot.testing.scripted import ScriptedModel, ScriptedModels

QUESTION = "Postgres or SQLite for a desk app?"
PANEL = """
topic: Something else.
premise: Something else is so.
turns: 1
debaters:
  - {name: Ada, personality: You are Ada.}
  - {name: Bob, personality: You are Bob.}
judge: {name: Jo, personality: You are Jo.}
"""
NO_JUDGE = """
topic: Something else.
debaters:
  - {name: Ada, personality: You are Ada.}
  - {name: Bob, personality: You are Bob.}
"""


async def test_a_format_answers(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        answer = await m.ask("council", QUESTION, rounds=1)
        assert isinstance(answer.outcome, moot.Solution)
        assert str(answer) == answer.text
        assert answer.outcome.description in answer.text
        debate = await m.get(answer.debate_id)
        assert (debate.topic, debate.state.config.format) == (QUESTION, "council")
        assert await debate.export("answer") == answer.text + "\n"


async def test_a_poll_answers_without_a_judge(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        answer = await m.ask("poll", QUESTION, decision="majority", answer_type="yes_no", samples=2)
        assert isinstance(answer.outcome, moot.Solution)
        assert answer.outcome.answer == "yes"
        assert answer.text.startswith("**All 6 answers say yes**")


async def test_a_team_answers(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        answer = await m.ask("writing", QUESTION, rounds=1)
        names = {one.name for one in (await m.get(answer.debate_id)).state.participants.values()}
        assert names == {"Edith", "Jolanta", "Felix", "Judge Montalvo"}


async def test_a_file_answers_another_question_than_its_own(tmp_path: Path) -> None:
    panel = tmp_path / "panel.yaml"
    panel.write_text(PANEL)
    model = ScriptedModel()
    async with moot.open(home=tmp_path / "home", models=ScriptedModels(model)) as m:
        answer = await m.ask(panel, QUESTION + "\r\nQuickly.")
        assert isinstance(answer.outcome, moot.Verdict)
        assert answer.outcome.premise_upheld is None
        assert (await m.get(answer.debate_id)).topic == QUESTION + "\nQuickly."
    asked = str([request.messages for request in model.requests])
    assert "Postgres" in asked
    assert "Something else" not in asked


async def test_the_same_key_finds_the_same_answer(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with moot.open(home=tmp_path, models=ScriptedModels(model)) as m:
        once = await m.ask("duel", QUESTION, turns=1, idempotency_key="k")
        calls = len(model.requests)
        assert await m.ask("duel", QUESTION, turns=1, idempotency_key="k") == once
        assert len(model.requests) == calls


@pytest.mark.parametrize(
    ("panel", "question", "field", "told"),
    [
        ("room", QUESTION, "panel", "has no end"),
        ("remote-work", QUESTION, "panel", "topic of its own"),
        ("council", "  \n", "question", "blank"),
        ("no-judge.yaml", QUESTION, "panel", "a judge or a moderator"),
    ],
)
async def test_what_cannot_answer_is_refused_before_anything_is_made(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    panel: str,
    question: str,
    field: str,
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "no-judge.yaml").write_text(NO_JUDGE)
    model = ScriptedModel()
    async with moot.open(home=tmp_path / "home", models=ScriptedModels(model)) as m:
        with pytest.raises(moot.InvalidInput, match=told) as caught:
            await m.ask(panel, question)
        assert caught.value.field == field
        assert await m.list() == []
    assert not model.requests


async def test_an_unknown_panel_is_told_what_there_is(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        with pytest.raises(moot.NotFound, match=r"council.*design"):
            await m.ask("the wise", QUESTION)
        with pytest.raises(moot.NotFound, match=r"nowhere\.yaml"):
            await m.ask("nowhere.yaml", QUESTION)


async def test_a_debate_without_an_outcome_has_no_answer(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=1)
        with pytest.raises(moot.Refused, match="no outcome"):
            await debate.export("answer")


# --- panels ---------------------------------------------------------------------------------------

BOARD = moot.Panel(
    name="board",
    format="council",
    participants=["ada", moot.Persona(name="Zed", personality="You are Zed.", model="scripted:z")],
    settings={"rounds": 1},
    limits={"max_cost_usd": 0.5},
)


async def test_a_panel_of_a_program_answers(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        answer = await m.ask(BOARD, QUESTION)
        config = (await m.get(answer.debate_id)).state.config
        assert [one.name for one in config.participants[:2]] == ["Ada", "Zed"]
        assert config.participants[1].model == "scripted:z"
        assert (config.settings["rounds"], config.settings["max_cost_usd"]) == (1, 0.5)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "Two Words"}, "name"),
        ({"format": "room"}, "format"),
        ({"format": "counsel"}, "format"),
        ({"team": "design"}, "team"),
        ({"settings": {"turns": 2}}, "settings.turns"),
        ({"settings": "rounds"}, "settings"),
        ({"limits": {"max_turns": 2}}, "limits.max_turns"),
        ({"participants": ["nobody at all"]}, "participants.0.persona"),
        ({"participants": [3]}, "participants.0"),
        ({"answer": "poem"}, "answer"),
    ],
)
async def test_a_panel_that_will_not_do_is_refused_when_it_is_asked(
    tmp_path: Path, changes: dict[str, Any], field: str
) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        with pytest.raises((moot.InvalidInput, moot.NotFound)) as caught:
            await m.ask(msgspec.structs.replace(BOARD, **changes), QUESTION)
        told = [caught.value, *getattr(caught.value, "others", ())]
        assert field in [one.field for one in told]
        assert await m.list() == []


async def test_panels_are_listed_and_can_be_changed_and_asked(tmp_path: Path) -> None:
    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "mine.yaml").write_text(
        "name: mine\nabout: A.\nturns: 1\nlimits: {max_runtime_seconds: 60}\n"
        "for: [{name: Ada, temperature: 1}]\nagainst: [{name: Bo}]\naudience: [{name: Jo}]\n"
    )
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        mine, *others = await m.panels()
        assert (mine.name, mine.is_own, mine.settings) == ("mine", True, {"turns": 1})
        assert {"council", "red-team"} <= {one.name for one in others}
        for panel in ("mine", mine, msgspec.structs.replace(mine, settings={"turns": 2})):
            answer = await m.ask(panel, QUESTION)
            state = (await m.get(answer.debate_id)).state
            assert {one.name for one in state.participants.values()} == {"Ada", "Bo", "Jo"}
            ada = next(one for one in state.config.participants if one.name == "Ada")
            assert ada.sampling.temperature == 1
            assert state.config.settings["max_runtime_seconds"] == 60
        assert state.statements == 2
        for panel in others:
            if panel.format == "duel":
                await m.ask(panel, QUESTION, turns=1)


async def test_the_same_key_finds_the_answer_of_the_same_panel_only(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        once = await m.ask(BOARD, QUESTION, idempotency_key="k")
        assert await m.ask(BOARD, QUESTION, idempotency_key="k") == once
        other = msgspec.structs.replace(BOARD, settings={"rounds": 2})
        with pytest.raises(moot.InvalidInput, match="another debate"):
            await m.ask(other, QUESTION, idempotency_key="k")
        assert len(await m.list()) == 1


async def test_a_follow_up_is_told_the_earlier_question_and_answer(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with moot.open(home=tmp_path, models=ScriptedModels(model)) as m:
        first = await m.ask("duel", QUESTION, turns=1)
        debate = await m.get(first.debate_id)
        for after in (debate, first.debate_id, first.debate_id[:8]):
            model.requests.clear()
            answer = await m.ask("duel", "And on a server?", turns=1, after=after)
            assert (await m.get(answer.debate_id)).state.config.follows == first.debate_id
            assert all(QUESTION in str(one.messages) for one in model.requests)
        unasked = await m.create(QUESTION)
        with pytest.raises(moot.Refused, match="no answer to go on from yet"):
            await m.ask("duel", "And?", after=unasked)
        with pytest.raises(moot.NotFound):
            await m.ask("duel", "And?", after="nowhere")
        assert len(await m.list()) == 5


# --- who takes part, by name ---------------------------------------------------------------------


async def test_personas_and_teams_are_found_by_name(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        bo = moot.Persona(name="Bo", personality="You are Bo.")
        council = await m.create(QUESTION, format="council", participants=["Simone", bo])
        names = [one.name for one in council.state.config.participants]
        assert names[:2] == ["Simone", "Bo"]
        team = await m.create(QUESTION, team="writing")
        assert team.state.config.format == "council"
        assert "Edith" in [one.name for one in team.state.config.participants]
        with pytest.raises(moot.InvalidInput) as caught:
            await m.create(QUESTION, participants=["Nobody at all", bo])
        assert caught.value.field == "participants.0.persona"
        with pytest.raises(moot.InvalidInput, match="a list"):
            await m.create(QUESTION, participants="Simone")
        assert len(await m.list()) == 2


async def test_what_is_of_the_wrong_kind_is_refused_and_nothing_is_made(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        for one in ({"name": "Ada", "role": "debater"}, 3, None):
            with pytest.raises(moot.InvalidInput, match="must be a Participant") as caught:
                await m.create(QUESTION, participants=["Simone", one])  # type: ignore[list-item]
            assert caught.value.field == "participants.1"
        for given in ({"topic": 3}, {"topic": "T", "model": 3}, {"topic": "T", "team": []}):
            with pytest.raises(moot.InvalidInput, match="must be text"):
                await m.create(**given)
        with pytest.raises(moot.InvalidInput, match="topic"):
            await m.create(None)  # type: ignore[arg-type]
        assert await m.list() == []


async def test_a_participant_needs_no_id(tmp_path: Path) -> None:
    people = [
        moot.Participant(name="Ada", role=moot.Role.DEBATER),
        moot.Participant(name="Ada B", role=moot.Role.DEBATER, id="ada"),
        moot.Participant(name="Jo", role=moot.Role.JUDGE),
    ]
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        debate = await m.create(QUESTION, participants=people)
        ids = [one.id for one in debate.state.config.participants]
        assert len(set(ids)) == 3
        assert ids[1:] == ["ada", "jo"]


# --- what else the page can do -------------------------------------------------------------------


async def test_a_rematch_swaps_sides_and_shares_nothing(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=1)
        await debate.finish()
        again = await debate.rematch(swap=True)
        assert (again.state.config.rematch_of, again.turns) == (debate.id, [])
        sides = [one.participants for one in (debate.state.config, again.state.config)]
        swapped = [(old.stance, new.stance) for old, new in zip(*sides, strict=True)]
        assert swapped[0] == (moot.Stance.PRO, moot.Stance.CON)
        council = await m.create(TOPIC, format="council")
        with pytest.raises(moot.Refused, match="sides"):
            await council.rematch(swap=True)
        assert len(await m.list()) == 3


async def test_a_title_is_given_and_taken_back(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        debate = await m.create(TOPIC)
        await debate.rename("Cars")
        assert (debate.title, [row.title for row in await m.list()]) == ("Cars", ["Cars"])
        await debate.rename("")
        assert debate.title == ""


async def test_a_log_is_taken_in_elsewhere_once(tmp_path: Path) -> None:
    async with moot.open(home=tmp_path / "one", models=ScriptedModels()) as m:
        debate = await m.create(TOPIC, participants=ROSTER, turns=1)
        outcome = await debate.finish()
        log = await debate.export("log")
    file = tmp_path / "log.jsonl"
    file.write_text(log, encoding="utf-8")
    async with moot.open(home=tmp_path / "other", models=ScriptedModels()) as m:
        taken = await m.import_log(log.encode())
        assert taken.outcome == outcome
        assert (await m.import_log(file)).id == taken.id
        for wrong in (b"nothing", tmp_path / "nowhere.jsonl"):
            with pytest.raises(moot.InvalidInput):
                await m.import_log(wrong)
        assert len(await m.list()) == 1


async def test_a_room_is_led_by_code(tmp_path: Path) -> None:
    members = [moot.Persona(name=name, personality=f"You are {name}.") for name in ("Ada", "Bo")]
    async with moot.open(home=tmp_path, models=ScriptedModels()) as m:
        room = await m.create("Tea", format="room", participants=members, response_delay=1)
        await room.command("start")
        await room.pace("manual")
        await room.join(moot.Persona(name="Cy", personality="You are Cy."))
        await room.mute("bo")
        await room.say("Hello?")
        _ = [turn async for turn in room.run()]
        pending = {turn.said.participant: turn.seq for turn in room.state.pending}
        assert set(pending) == {"ada", "cy"}
        await room.choose([pending["ada"]])
        included = {turn.seq: turn.included for turn in room.state.transcript()}
        assert (included[pending["ada"]], included[pending["cy"]]) == (True, False)
        await room.include(pending["cy"])
        assert {turn.seq: turn.included for turn in room.state.transcript()}[pending["cy"]]
        await room.leave("cy")
        assert room.state.participants.keys() == {"ada", "bo"}
        await room.change(response_delay=3)
        assert as_data(room.state.settings)["response_delay"] == 3
        with pytest.raises(moot.InvalidInput, match="auto, manual"):
            await room.pace("slow")
