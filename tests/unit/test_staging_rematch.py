"""A rematch: the configuration of another debate once more, and what may be otherwise in it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from moot.engine.attaching import File, freeze
from moot.engine.creation import NewDebate, configure
from moot.errors import InvalidInput, NoModel, NotFound, Refused
from moot.models.port import Caller
from moot.protocol.registry import offered
from moot.protocol.values import Config, ForkPoint, Participant
from moot.protocol.words import HUMAN, Role, Stance
from moot.staging import DebateRequest, Me, ModelChoice, Rematch, Sources, rematch, stage
from moot.testing.scripted import ScriptedModels

FILES = (File("notes.md", "Trams are slow.\n"), File("secrets/.env", "KEY=1\n"))
FROZEN = freeze(FILES, allows_secrets=True)
PAIR = (
    Participant(id="ada", name="Ada", role=Role.DEBATER, stance=Stance.PRO, position="Trams."),
    Participant(id="bo", name="Bo", role=Role.DEBATER, stance=Stance.CON, position="Cars."),
    Participant(id="jo", name="Jo", role=Role.JUDGE, model="own:judge"),
)


class Choosy(ScriptedModels):
    """Has every model but those of one provider."""

    def get(self, name: str) -> Caller:
        if name.startswith("gone:"):
            message = f"there is no model {name}"
            raise NoModel(message)
        return super().get(name)


def frozen(**given: Any) -> Config:
    request = DebateRequest(**{"topic": "Trams or cars?", **given})
    return configured(stage(request, Sources(models=Choosy())))


def configured(new: NewDebate) -> Config:
    files = freeze(new.files, allows_secrets=new.allows_secrets)
    return configure(new, Choosy(), version="test", attachments=files.attachments)


def again(config: Config, **wanted: Any) -> Config:
    return configured(rematch(config, "k3f2", FROZEN.texts, Rematch(**wanted)))


def without_draws(config: Config) -> Config:
    return msgspec.structs.replace(config, seed=None, draws=(), rematch_of="")


@pytest.mark.parametrize("form", list(offered()))
def test_it_is_made_from_the_same_in_every_format(form: str) -> None:
    source = frozen(format=form)
    made = again(source, seed=source.seed)
    assert made.rematch_of == "k3f2"
    assert without_draws(made) == without_draws(source)


def test_settings_cast_and_files_come_along() -> None:
    source = frozen(
        participants=PAIR, settings={"turns": 4, "premise": "Trams."}, me=(Me(name="bo"),)
    )
    source = msgspec.structs.replace(source, attachments=FROZEN.attachments)
    made = again(source)
    assert made == msgspec.structs.replace(source, rematch_of="k3f2")
    assert [one.name for one in made.participants if one.is_human] == ["Bo"]


def test_a_fork_is_set_up_anew_and_shares_nothing() -> None:
    source = frozen(participants=PAIR)
    fork = msgspec.structs.replace(source, forked_from=ForkPoint(debate="old", at=9))
    assert again(fork).forked_from is None


def test_settings_of_an_older_version_mean_what_they_meant() -> None:
    source = frozen(participants=PAIR)
    old = {name: value for name, value in source.settings.items() if name != "max_tokens"}
    made = again(msgspec.structs.replace(source, settings={**old, "given_up": 1}))
    assert made.settings == source.settings


# --- chance --------------------------------------------------------------------------------------


def test_who_opens_is_drawn_anew_and_who_takes_part_is_not() -> None:
    source = frozen(seed=7)
    orders = set()
    for _ in range(40):
        made = again(source)
        assert {one.name for one in made.participants} == {one.name for one in source.participants}
        assert [draw.name for draw in made.draws] == ["order"]
        assert made.seed is not None
        orders.add(tuple(one.id for one in made.participants))
    assert len(orders) == 2


def test_with_the_old_seed_the_same_one_opens() -> None:
    for seed in range(20):
        source = frozen(seed=seed)
        assert again(source, seed=seed).participants == source.participants


def test_a_seed_for_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing was drawn") as refused:
        again(frozen(participants=PAIR), seed=7)
    assert refused.value.field == "seed"


# --- sides ---------------------------------------------------------------------------------------


def sides(config: Config) -> dict[str, tuple[Stance, str, str]]:
    return {one.name: (one.stance, one.position, one.argues) for one in config.participants}


def test_whoever_argued_for_argues_against() -> None:
    source = frozen(participants=PAIR, settings={"premise": "Trams are better."})
    made = again(source, swap=True)
    assert sides(made) == {
        "Ada": (Stance.CON, "Cars.", ""),
        "Bo": (Stance.PRO, "Trams.", ""),
        "Jo": (Stance.NONE, "", ""),
    }
    assert made.settings == source.settings
    assert again(made, swap=True).participants == source.participants


def test_what_the_topic_says_goes_with_the_side() -> None:
    source = frozen(format="rounds")
    made = again(source, swap=True)
    assert [one.argues for one in source.participants][:2] == ['for "Trams"', 'for "cars"']
    assert [one.argues for one in made.participants][:2] == ['for "cars"', 'for "Trams"']
    assert (source.settings["stance_a"], made.settings["stance_a"]) == ("pro", "con")
    assert [one.id for one in made.participants] == [one.id for one in source.participants]


@pytest.mark.parametrize("form", ["council", "room"])
def test_where_nobody_is_on_a_side_there_is_nothing_to_swap(form: str) -> None:
    with pytest.raises(Refused, match=f"no sides to swap: nobody in this {form} argues"):
        again(frozen(format=form), swap=True)


# --- models --------------------------------------------------------------------------------------


def models(config: Config) -> dict[str, str]:
    return {one.name: one.model for one in config.participants}


def test_other_models_take_part_and_people_stay() -> None:
    source = frozen(participants=PAIR, me=(Me(name="bo"),))
    made = again(source, models=ModelChoice(everyone="a:b"))
    assert models(made) == {"Ada": "a:b", "Bo": HUMAN, "Jo": "a:b"}
    made = again(source, models=ModelChoice(everyone="a:b", judges="c:d"))
    assert models(made) == {"Ada": "a:b", "Bo": HUMAN, "Jo": "c:d"}
    made = again(source, models=ModelChoice(single={"jo": "e:f", "bo": "g:h"}))
    assert models(made)["Jo"] == "e:f"
    assert models(made)["Bo"] == "g:h"


def test_a_model_or_a_participant_that_is_not_there_is_refused() -> None:
    source = frozen(participants=PAIR)
    with pytest.raises(NoModel, match="no model gone:x"):
        again(source, models=ModelChoice(everyone="gone:x"))
    with pytest.raises(NotFound, match="no participant called zed"):
        again(source, models=ModelChoice(single={"zed": "a:b"}))


def test_a_model_for_a_judge_where_nobody_judges_is_refused() -> None:
    with pytest.raises(InvalidInput, match="has no effect") as refused:
        again(frozen(format="room"), models=ModelChoice(judges="own:judge"))
    assert refused.value.field == "judge_model"
