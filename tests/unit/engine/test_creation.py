"""Creation: everything is checked before anything is written, and frozen afterwards (P6)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.unit.engine.bench import ADA, BOB, JO, ROSTER, bench, human

from moot.engine.creation import MAX_PARTICIPANTS, MAX_TEXT, MAX_TOPIC, NewDebate, configure
from moot.errors import InvalidInput, NoModel, NotFound
from moot.models.port import Caller
from moot.protocol.events import DebateCreated
from moot.protocol.values import Config, Draw, Participant, Sampling
from moot.protocol.words import Effort, Role, Stance
from moot.testing.scripted import ScriptedModels


def _configured(
    participants: tuple[Participant, ...] = ROSTER,
    *,
    topic: str = "Is it so?",
    format: str = "duel",  # noqa: A002 - the glossary's word
    **settings: Any,
) -> Config:
    new = NewDebate(topic=topic, format=format, settings=settings, participants=participants)
    return configure(new, ScriptedModels(), version="9.9")


def _with(one: Participant, **changes: Any) -> Participant:
    return msgspec.structs.replace(one, **changes)


REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "no topic": ({"topic": " \n"}, "topic"),
    "an endless topic": ({"topic": "x" * (MAX_TOPIC + 1)}, "topic"),
    "an unknown setting": ({"rounds": 3}, "settings.rounds"),
    "no statements": ({"turns": 0}, "settings.turns"),
    "too many statements": ({"turns": 101}, "settings.turns"),
    "a number as text": ({"turns": "6"}, "settings.turns"),
    "a fraction": ({"turns": 2.5}, "settings.turns"),
    "a negative limit": ({"max_cost_usd": -1}, "settings.max_cost_usd"),
    "an endless premise": ({"premise": "x" * 2001}, "settings.premise"),
    "nobody": ({"participants": ()}, "participants"),
    "one debater": ({"participants": (ADA, JO)}, "participants"),
    "three debaters": (
        {"participants": (ADA, BOB, Participant(id="c", name="Cy", role=Role.DEBATER))},
        "participants",
    ),
    "two judges": (
        {"participants": (*ROSTER, Participant(id="j", name="Judy", role=Role.JUDGE))},
        "participants",
    ),
    "a moderator": (
        {"participants": (*ROSTER, Participant(id="m", name="Mo", role=Role.MODERATOR))},
        "participants",
    ),
    "both on one side": (
        {"participants": (_with(ADA, stance=Stance.PRO), _with(BOB, stance=Stance.PRO))},
        "participants",
    ),
    "one name twice": ({"participants": (ADA, _with(BOB, name="ada"))}, "participants.1.name"),
    "names that look alike": (
        {"participants": (ADA, _with(BOB, name="\u0410da"))},
        "participants.1.name",
    ),
    "one id twice": ({"participants": (ADA, _with(BOB, id="ada"))}, "participants"),
    "a name with a newline": (
        {"participants": (ADA, _with(BOB, name="Bob\nSystem"))},
        "participants.1.name",
    ),
    "no name": ({"participants": (_with(ADA, name=""), BOB)}, "participants.0.name"),
    "an endless name": (
        {"participants": (_with(ADA, name="x" * 10_000), BOB)},
        "participants.0.name",
    ),
    "an endless personality": (
        {"participants": (ADA, _with(BOB, personality="x" * (MAX_TEXT + 1)))},
        "participants.1.personality",
    ),
    "a model that is too hot": (
        {"participants": (ADA, _with(BOB, sampling=Sampling(temperature=2.5)))},
        "participants.1.temperature",
    ),
    "no words to choose from": (
        {"participants": (ADA, _with(BOB, sampling=Sampling(top_p=0)))},
        "participants.1.top_p",
    ),
    "a seed below nothing": (
        {"participants": (_with(ADA, sampling=Sampling(seed=-1)), BOB)},
        "participants.0.sampling_seed",
    ),
    "an effort nobody knows": (
        {"participants": (_with(ADA, sampling=Sampling(reasoning_effort="huge")), BOB)},  # type: ignore[arg-type]
        "participants.0.reasoning_effort",
    ),
    "a debate that is too hot": ({"temperature": 2.5}, "settings.temperature"),
    "an effort of judges nobody knows": (
        {"reasoning_effort_judge": "huge"},
        "settings.reasoning_effort_judge",
    ),
    "a crowd": (
        {
            "participants": tuple(
                Participant(id=f"p{n}", name=f"Person {n}", role=Role.DEBATER)
                for n in range(MAX_PARTICIPANTS + 1)
            )
        },
        "participants",
    ),
}


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_refuses_and_writes_nothing(refusal: str) -> None:
    given, field = REFUSALS[refusal]
    given = {"topic": "Is it so?", "participants": ROSTER, **given}
    topic, participants = given.pop("topic"), given.pop("participants")
    async with bench() as on:
        new = NewDebate(topic=topic, settings=given, participants=participants)
        with pytest.raises(InvalidInput) as refused:
            await on.service.create(new)
        assert refused.value.field == field
        assert on.store.rows == {}


def test_refuses_a_format_that_does_not_exist() -> None:
    with pytest.raises(NotFound):
        _configured(format="brawl")


def test_fills_in_every_default_and_says_which_version_made_it() -> None:
    config = _configured(topic="  Is it so?  ")
    assert config.topic == "Is it so?"
    assert config.settings["turns"] == 6
    assert config.settings["premise"] == ""
    assert set(config.settings) >= {"max_tokens", "call_timeout_seconds", "max_cost_usd"}
    assert config.moot_version == "9.9"
    assert [one.stance for one in config.participants] == [Stance.PRO, Stance.CON, Stance.NONE]


def test_what_the_process_sets_comes_after_the_debate_and_before_the_format() -> None:
    models, new = ScriptedModels(), NewDebate(topic="Is it so?", participants=ROSTER)
    key, defaults = "provider_patience_seconds", {"provider_patience_seconds": 7}
    assert configure(new, models, version="x").settings[key] == 600
    assert configure(new, models, version="x", defaults=defaults).settings[key] == 7
    own = msgspec.structs.replace(new, settings={key: 9})
    assert configure(own, models, version="x", defaults=defaults).settings[key] == 9


def test_the_first_may_argue_against() -> None:
    config = _configured((_with(ADA, stance=Stance.CON), BOB, JO))
    assert [one.stance for one in config.participants][:2] == [Stance.CON, Stance.PRO]


MODELS = {
    "its own": ({"ada": "own:a", "jo": "own:j"}, ["own:a", "set:debater", "own:j"]),
    "the debate's": ({}, ["set:debater", "set:debater", "set:judge"]),
}


@pytest.mark.parametrize("case", MODELS)
def test_takes_the_participants_model_before_the_debates(case: str) -> None:
    own, expected = MODELS[case]
    roster = tuple(_with(one, model=own.get(one.id, "")) for one in ROSTER)
    config = _configured(roster, model_debater="set:debater", model_judge="set:judge")
    assert [one.model for one in config.participants] == expected


def test_takes_the_participants_wish_before_the_roles_and_that_before_the_debates() -> None:
    roster = (_with(ADA, sampling=Sampling(temperature=1.2)), BOB, JO)
    wished: dict[str, Any] = {
        "temperature": 0.7,
        "reasoning_effort": "low",
        "reasoning_effort_judge": "high",
    }
    config = _configured(roster, **wished)
    assert {one.id: one.sampling for one in config.participants} == {
        "ada": Sampling(temperature=1.2, reasoning_effort=Effort.LOW),
        "bob": Sampling(temperature=0.7, reasoning_effort=Effort.LOW),
        "jo": Sampling(temperature=0.7, reasoning_effort=Effort.HIGH),
    }
    assert {one.sampling for one in _configured().participants} == {Sampling()}


async def test_who_joins_takes_the_wishes_of_the_debate() -> None:
    async with bench() as on:
        new = NewDebate(topic="Is it so?", format="room", settings={"reasoning_effort": "low"})
        debate = await on.service.create(new)
        newcomer = Participant(
            id="", name="Zoe", role=Role.MEMBER, sampling=Sampling(temperature=1)
        )
        await on.service.join(debate, newcomer)
        state = await on.state(debate)
        assert state.participants["zoe"].sampling == Sampling(
            temperature=1, reasoning_effort=Effort.LOW
        )


def test_takes_what_is_there_when_nobody_names_a_model() -> None:
    config = _configured()
    assert [one.model for one in config.participants] == [
        "scripted:debater",
        "scripted:debater",
        "scripted:judge",
    ]


def test_asks_no_model_for_a_person() -> None:
    class Nothing(ScriptedModels):
        def get(self, name: str) -> Caller:
            raise NoModel("nothing can be had here")

    new = NewDebate(topic="Is it so?", participants=(human(ADA), human(BOB)))
    config = configure(new, Nothing(), version="")
    assert [one.model for one in config.participants] == ["human", "human"]
    with pytest.raises(NoModel):
        configure(NewDebate(topic="Is it so?", participants=ROSTER), Nothing(), version="")


async def test_runs_to_its_end_on_the_configuration_it_was_created_with() -> None:
    async with bench() as on:
        draw = Draw(name="pro", options=("Ada", "Zed"), chosen=("Ada",))
        new = NewDebate(
            topic="Is it so?",
            settings={"turns": 2},
            participants=ROSTER,
            seed=7,
            draws=(draw,),
        )
        debate = await on.service.create(new)
        created = on.log(debate)[0]
        assert isinstance(created, DebateCreated)
        assert (created.config.seed, created.config.draws) == (7, (draw,))
        # Other defaults than those of the day it was created change nothing.
        on.models.default = lambda *, is_judge: "other:model"  # type: ignore[method-assign]
        state = await on.service.run(debate)
        used = {turn.said.model for turn in state.turns.values()}
        assert used == {"scripted:debater", "scripted:judge"}


def test_freezes_what_each_side_argues() -> None:
    pair = (_with(ADA, position=""), _with(BOB, position=""))
    config = _configured(topic="Tabs or spaces?", participants=(*pair, JO))
    assert [one.argues for one in config.participants] == ['for "Tabs"', 'for "spaces"', ""]
    again = _configured(topic="Is it so?", participants=config.participants[:2])
    assert [one.argues for one in again.participants] == [
        "that the answer is yes",
        "that the answer is no",
    ]
    premised = _configured(topic="Tabs or spaces?", participants=pair, premise="P.")
    assert [one.argues for one in premised.participants] == ["", ""]
