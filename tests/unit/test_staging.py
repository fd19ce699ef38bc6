"""Making a debate from a request: who takes part, with which models, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moot.engine.creation import NewDebate, configure, seat
from moot.errors import InvalidInput, NoModel, NotFound
from moot.models.port import Caller
from moot.protocol.registry import FORMATS, offered
from moot.protocol.settings import read_settings
from moot.protocol.values import Participant, Sampling
from moot.protocol.words import HUMAN, Effort, Role, Stance
from moot.staging import DebateRequest, Me, ModelChoice, Sources, Wish, stage
from moot.testing.scripted import ScriptedModels

TOPIC = "Should cities be car-free?"
MEMBERS = (
    Participant(id="ada", name="Ada", role=Role.MEMBER),
    Participant(id="bo", name="Bo", role=Role.MEMBER, model="own:model"),
)
PAIR = (
    Participant(id="ada", name="Ada", role=Role.DEBATER, stance=Stance.PRO),
    Participant(id="bo", name="Bo", role=Role.DEBATER, stance=Stance.CON),
)


class Choosy(ScriptedModels):
    """Has every model but those of one provider."""

    def get(self, name: str) -> Caller:
        if name.startswith("gone:"):
            message = f"there is no model {name}"
            raise NoModel(message)
        return super().get(name)


def staged(root: Path | None = None, **given: Any) -> NewDebate:
    if "file" not in given:
        given.setdefault("topic", TOPIC)
    return stage(DebateRequest(**given), Sources(models=Choosy(), root=root))


def models_of(new: NewDebate) -> dict[str, str]:
    return {one.name: one.model for one in new.participants}


def written(directory: Path, text: str) -> str:
    path = directory / "mine.yaml"
    path.write_text(text)
    return str(path)


# --- models --------------------------------------------------------------------------------------


def test_gives_a_judge_that_the_format_adds_the_model_of_everyone() -> None:
    new = staged(format="council", participants=MEMBERS, models=ModelChoice(everyone="a:b"))
    assert models_of(new) == {"Ada": "a:b", "Bo": "a:b", "Judge": "a:b"}


def test_gives_a_judge_that_the_format_adds_the_model_of_judges() -> None:
    new = staged(format="council", participants=MEMBERS, models=ModelChoice(judges="c:d"))
    assert models_of(new) == {"Ada": "", "Bo": "own:model", "Judge": "c:d"}


def test_gives_the_usual_model_only_to_those_who_name_none() -> None:
    new = staged(format="council", participants=MEMBERS, models=ModelChoice(usual="a:b"))
    assert models_of(new) == {"Ada": "a:b", "Bo": "own:model", "Judge": "a:b"}


def test_lets_a_person_judge_where_the_format_adds_the_judge() -> None:
    new = staged(
        format="council",
        participants=MEMBERS,
        models=ModelChoice(everyone="a:b", single={"judge": HUMAN, "bo": "e:f"}),
    )
    assert models_of(new) == {"Ada": "a:b", "Bo": "e:f", "Judge": HUMAN}


def test_never_puts_a_model_in_place_of_a_person() -> None:
    one, two = PAIR
    people = (Participant(id="me", name="Me", role=Role.DEBATER, model=HUMAN), two)
    new = staged(participants=people, models=ModelChoice(everyone="a:b"))
    assert models_of(new) == {"Me": HUMAN, "Bo": "a:b"}
    assert one not in new.participants


def test_a_chair_that_nobody_has_is_refused_with_those_there_are() -> None:
    choice = ModelChoice(single={"zed": "a:b"})
    with pytest.raises(NotFound, match="no participant called zed; choose one of Ada, Bo"):
        staged(participants=PAIR, models=choice)


# --- people who take part themselves -------------------------------------------------------------


def people(new: NewDebate) -> list[Participant]:
    return [one for one in new.participants if one.model == HUMAN]


@pytest.mark.parametrize(
    ("format_", "role"),
    [
        ("duel", Role.DEBATER),
        ("rounds", Role.DEBATER),
        ("standard", Role.DEBATER),
        ("custom", Role.DEBATER),
        ("classic", Role.DEBATER),
        ("council", Role.MEMBER),
    ],
)
def test_from_a_bare_topic_i_join_under_my_own_name(format_: str, role: Role) -> None:
    new = staged(format=format_, me=(Me(name="Marisol Vega"),))
    (me,) = people(new)
    assert (me.id, me.name, me.role, me.title, me.personality) == (
        "marisol_vega",
        "Marisol Vega",
        role,
        "",
        "",
    )
    configure(new, ScriptedModels(), version="test")


@pytest.mark.parametrize(
    ("format_", "where", "role", "stance"),
    [
        ("duel", "judge", Role.JUDGE, Stance.NONE),
        ("duel", "pro", Role.DEBATER, Stance.PRO),
        ("duel", "con", Role.DEBATER, Stance.CON),
        ("rounds", "judge", Role.JUDGE, Stance.NONE),
        ("classic", "moderator", Role.MODERATOR, Stance.NONE),
        ("council", "judge", Role.JUDGE, Stance.NONE),
        ("council", "Skeptic", Role.MEMBER, Stance.NONE),
    ],
)
def test_i_sit_where_i_say(format_: str, where: str, role: Role, stance: Stance) -> None:
    (me,) = people(staged(format=format_, seed=3, me=(Me(name="Marisol", seat=where),)))
    assert (me.name, me.role, me.stance) == ("Marisol", role, stance)


def test_who_debates_under_their_own_name_keeps_the_side_of_the_chair() -> None:
    new = staged(format="duel", me=(Me(name="Marisol", seat="con"),))
    config = configure(new, Choosy(), version="test")
    (me,) = (one for one in config.participants if one.is_human)
    assert me.argues == "that the answer is no"


def test_two_people_get_two_chairs() -> None:
    new = staged(format="duel", me=(Me(name="Marisol"), Me(name="Tariq")))
    assert {one.name for one in people(new)} == {"Marisol", "Tariq"}


@pytest.mark.parametrize("name", ["debater", "Debater B", "debater_b"])
def test_a_role_or_a_name_that_is_there_is_taken_over(name: str) -> None:
    (me,) = people(staged(format="rounds", me=(Me(name=name),)))
    assert me.name == ("Debater A" if name == "debater" else "Debater B")


def test_where_people_are_named_a_name_that_nobody_has_is_refused() -> None:
    with pytest.raises(NotFound, match="no participant called zed; choose one of Ada, Bo"):
        staged(participants=PAIR, me=(Me(name="zed"),))
    new = staged(participants=PAIR, me=(Me(name="zed", seat="bo"),))
    assert models_of(new) == {"Ada": "", "zed": HUMAN}


def test_a_seat_that_there_is_not_is_refused() -> None:
    with pytest.raises(NotFound, match="no participant called moderator"):
        staged(format="duel", me=(Me(name="Marisol", seat="moderator"),))


# --- wishes --------------------------------------------------------------------------------------


WISHED = """
topic: Is it so?
settings: {temperature: 0.7, reasoning_effort_judge: high}
debaters:
  - {name: Ada, temperature: 1.1, sampling_seed: 7}
  - {name: Bo, reasoning_effort: minimal}
judge: {name: Jo, top_p: 0.5}
"""
LOW, HIGH, MINIMAL = Effort.LOW, Effort.HIGH, Effort.MINIMAL


def effort(value: Effort, who: str = "") -> Wish:
    return Wish(name="reasoning_effort", value=value, who=who)


def heat(value: float, who: str = "") -> Wish:
    return Wish(name="temperature", value=value, who=who)


AS_WRITTEN = {
    "Ada": Sampling(temperature=1.1, seed=7),
    "Bo": Sampling(temperature=0.7, reasoning_effort=MINIMAL),
    "Jo": Sampling(temperature=0.7, top_p=0.5, reasoning_effort=HIGH),
}
WISHES: dict[str, tuple[tuple[Wish, ...], dict[str, Sampling]]] = {
    "none": ((), {}),
    "for all, in place of what anybody has": (
        (effort(LOW),),
        {
            "Ada": Sampling(temperature=1.1, seed=7, reasoning_effort=LOW),
            "Bo": Sampling(temperature=0.7, reasoning_effort=LOW),
            "Jo": Sampling(temperature=0.7, top_p=0.5, reasoning_effort=LOW),
        },
    ),
    "for one, before that of its role, before that for all": (
        (heat(0.3, "ada"), heat(0, "debater"), heat(2)),
        {
            "Ada": Sampling(temperature=0.3, seed=7),
            "Bo": Sampling(temperature=0, reasoning_effort=MINIMAL),
            "Jo": Sampling(temperature=2, top_p=0.5, reasoning_effort=HIGH),
        },
    ),
    "for judges": (
        (effort(LOW, "judge"),),
        {"Jo": Sampling(temperature=0.7, top_p=0.5, reasoning_effort=LOW)},
    ),
}


@pytest.mark.parametrize("case", WISHES)
def test_wishes_take_the_place_of_those_in_a_file(case: str, tmp_path: Path) -> None:
    wishes, expected = WISHES[case]
    new = staged(file=written(tmp_path, WISHED), wishes=wishes)
    config = configure(new, Choosy(), version="")
    assert {one.name: one.sampling for one in config.participants} == AS_WRITTEN | expected


def test_a_wish_for_all_is_a_setting_so_that_who_joins_later_has_it_too() -> None:
    assert staged(format="room", wishes=(heat(0.2),)).settings["temperature"] == 0.2


def test_a_wish_for_somebody_who_is_not_there_is_refused_with_those_who_are() -> None:
    with pytest.raises(NotFound, match="no participant called moderator; choose one of Ada, Bo"):
        staged(participants=PAIR, wishes=(heat(1, "moderator"),))


def test_personas_that_are_drawn_keep_their_wishes(tmp_path: Path) -> None:
    text = "topic: T\nfor: [{name: Ada, temperature: 1}]\nagainst: [{name: Bo, top_p: 0.5}]\n"
    new = staged(file=written(tmp_path, text), seed=1)
    assert {one.name: one.sampling for one in new.participants} == {
        "Ada": Sampling(temperature=1),
        "Bo": Sampling(top_p=0.5),
    }


@pytest.mark.parametrize("name", offered())
def test_seating_a_seated_roster_changes_nothing(name: str) -> None:
    form = FORMATS[name]
    new = staged(format=name)
    settings = read_settings(form.settings, new.settings)
    assert seat(form, settings, new.participants) == new.participants


# --- files ---------------------------------------------------------------------------------------


def test_reads_a_file_as_the_format_that_is_wanted(tmp_path: Path) -> None:
    path = written(tmp_path, "topic: How to store events?\nsettings: {rounds: 2}\n")
    new = staged(file=path, format="council")
    assert (new.format, new.settings) == ("council", {"rounds": 2})


def test_says_the_line_of_a_setting_that_the_wanted_format_has_not(tmp_path: Path) -> None:
    path = written(tmp_path, "topic: How to store events?\nsettings:\n  turns: 2\n")
    assert staged(file=path).settings == {"turns": 2}
    with pytest.raises(InvalidInput, match="is not a setting of this format") as caught:
        staged(file=path, format="council")
    assert (caught.value.line, caught.value.field) == (3, "settings.turns")


def test_a_format_that_does_not_exist_is_not_the_files_mistake(tmp_path: Path) -> None:
    path = written(tmp_path, "topic: How to store events?\n")
    with pytest.raises(NotFound, match="no format called duell; did you mean duel"):
        staged(file=path, format="duell")


MODELED = """
topic: Is it so?
debaters:
  - {name: Ada, model: "gone:a"}
  - {name: Bo}
judge: {name: Jo, model: "gone:j"}
"""


def test_tells_the_lines_of_all_models_that_cannot_be_had(tmp_path: Path) -> None:
    path = written(tmp_path, MODELED)
    with pytest.raises(InvalidInput) as caught:
        staged(file=path)
    assert [one.line for one in (caught.value, *caught.value.others)] == [4, 6]
    with pytest.raises(InvalidInput) as caught:
        staged(file=path, with_judge=False)
    assert (caught.value.line, caught.value.others) == (4, ())
    assert models_of(staged(file=path, models=ModelChoice(everyone="a:b")))["Jo"] == "a:b"


def test_takes_the_files_that_a_debate_file_names(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Note this.")
    path = written(tmp_path, "topic: Is it so?\nattach: [notes.txt]\n")
    assert [one.content for one in staged(tmp_path, file=path).files] == ["Note this."]


def test_reads_no_files_where_none_may_be_read(tmp_path: Path) -> None:
    path = written(tmp_path, "topic: Is it so?\nattach: [notes.txt]\n")
    cases: list[dict[str, Any]] = [{"file": path}, {"context_directory": "."}]
    for given in cases:
        with pytest.raises(InvalidInput, match="reads no files") as caught:
            staged(**given)
        assert caught.value.field == "context_directory"


# --- settings and sides --------------------------------------------------------------------------


def test_tells_all_settings_that_will_not_do_also_those_beside_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, "topic: Is it so?\nturns: 2\n")
    wrong = {"turns": 0, "max_tokens": 1}
    for given in ({"file": path}, {"participants": PAIR}, {}):
        with pytest.raises(InvalidInput) as caught:
            staged(**given, settings=wrong)
        fields = {one.field for one in (caught.value, *caught.value.others)}
        assert fields == {"settings.turns", "settings.max_tokens"}


def test_refuses_a_side_that_could_only_be_ignored() -> None:
    with pytest.raises(InvalidInput, match="the debaters say which side they are on"):
        staged(format="rounds", participants=PAIR, settings={"stance_a": "con"})


def test_draws_the_same_by_the_same_seed() -> None:
    first, second = (staged(seed=7) for _ in range(2))
    assert first == second
    assert first.seed == 7
    assert first.draws
    assert staged(participants=PAIR, seed=7).seed is None


def test_takes_a_topic_with_the_line_ends_of_any_system_and_no_other_control_character() -> None:
    assert staged(topic="One\r\ntwo\rthree?").topic == "One\ntwo\nthree?"
    with pytest.raises(InvalidInput, match=r"U\+0007"):
        staged(topic="Ring\x07?")


# --- a bench of its own --------------------------------------------------------------------------

BENCH = {"bench": ["lab:one", "lab:two"], "hearing": "adaptive"}


@pytest.mark.parametrize("form", ["duel", "rounds", "council"])
def test_the_models_of_a_bench_are_those_that_it_names(form: str) -> None:
    new = staged(
        format=form, settings=BENCH, models=ModelChoice(everyone="every:model", judges="other:one")
    )
    bench = [one for one in new.participants if one.role is Role.BENCH]
    assert [one.model for one in bench] == ["lab:one", "lab:two"]
    rules = FORMATS[form]
    assert seat(rules, read_settings(rules.settings, BENCH), new.participants) == new.participants


def test_personas_and_people_can_be_on_a_bench(tmp_path: Path) -> None:
    (tmp_path / "vera.yaml").write_text("name: Vera\npersonality: Dry.\njudging_criteria: Proof.\n")
    wanted = DebateRequest(
        topic=TOPIC, settings={"bench": ["Vera", "human", "lab:one"], "hearing": "1"}
    )
    new = stage(wanted, Sources(models=Choosy(), personas=tmp_path))
    bench = [one for one in new.participants if one.role is Role.BENCH]
    assert [(one.name, one.model) for one in bench][1:] == [("You", HUMAN), ("one", "lab:one")]
    assert (bench[0].name, bench[0].judging_criteria) == ("Vera", "Proof.")


def test_it_refuses_a_bench_of_nobody_known_and_of_a_debaters_own_model() -> None:
    with pytest.raises(InvalidInput, match="a judge is a model, as provider:name") as refusal:
        staged(settings={"bench": ["Nobody At All"], "hearing": "1"})
    assert refusal.value.field == "settings.bench"
    new = staged(settings=BENCH, models=ModelChoice(everyone="elsewhere:two"))
    with pytest.raises(InvalidInput, match="nobody judges their own case"):
        configure(new, Choosy(), version="test")
