"""Settings: bounds at both ends of every number, unknown names, schemas to show."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from moot.errors import InvalidInput, NotFound
from moot.protocol.formats.duel.order import DuelSettings
from moot.protocol.formats.rounds.order import RoundsSettings
from moot.protocol.registry import FORMATS, format_named
from moot.protocol.settings import SAMPLING, Settings, as_data, read_settings
from moot.protocol.values import Sampling
from moot.protocol.words import Effort, Role

BOUNDS = [
    ("max_runtime_seconds", 1, 2_592_000),
    ("max_total_output_tokens", 1, 100_000_000),
    ("max_cost_usd", 0, 100_000),
    ("max_tokens", 16, 100_000),
    ("call_timeout_seconds", 1, 3600),
    ("temperature", 0, 2),
    ("temperature_judge", 0, 2),
    ("sampling_seed", 0, 2**31 - 1),
    ("turns", 1, 100),
]


@pytest.mark.parametrize(("name", "lowest", "highest"), BOUNDS)
def test_it_bounds_every_number_at_both_ends(name: str, lowest: int, highest: int) -> None:
    for value in (lowest, highest):
        assert getattr(read_settings(DuelSettings, {name: value}), name) == value
    for value in (lowest - 1, highest + 1, 10**30, -(10**30)):
        with pytest.raises(InvalidInput) as refusal:
            read_settings(DuelSettings, {name: value})
        assert refusal.value.field == f"settings.{name}"


@pytest.mark.parametrize("name", [name for name, _, _ in BOUNDS])
def test_it_refuses_what_is_no_number(name: str) -> None:
    wrongs: tuple[object, ...] = ("6", True, [], float("nan"), float("inf"), {"n": 1})
    for wrong in wrongs:
        with pytest.raises(InvalidInput) as refusal:
            read_settings(DuelSettings, {name: wrong})
        assert refusal.value.field == f"settings.{name}"


@pytest.mark.parametrize("name", ["premise", "model_debater", "model_judge"])
def test_it_bounds_texts(name: str) -> None:
    most = 2000 if name == "premise" else 200
    assert getattr(read_settings(DuelSettings, {name: "x" * most}), name) == "x" * most
    with pytest.raises(InvalidInput, match="length"):
        read_settings(DuelSettings, {name: "x" * (most + 1)})


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("max_tokens", "must be a whole number from 16 to 100000"),
        ("max_cost_usd", "must be a number from 0 to 100000, or left out"),
        ("max_runtime_seconds", "must be a whole number from 1 to 2592000, or left out"),
        ("model_judge", "must be text with a length of at most 200 characters"),
        ("stance_a", "must be con or pro"),
        ("judge_each_round", "must be true or false"),
        ("top_p", "must be a number above 0 and up to 1, or left out"),
        ("reasoning_effort", "must be none or minimal or low or medium or high, or left out"),
    ],
)
def test_it_says_what_a_setting_must_be(name: str, wanted: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read_settings(RoundsSettings, {name: ["lots"]})
    assert (refusal.value.field, refusal.value.message) == (f"settings.{name}", wanted)


def test_it_tells_all_that_is_wrong_at_once() -> None:
    given: dict[str, Any] = {"turns": 1000, "max_tokens": 20, "top_p": 3, "tunrs": 1}
    with pytest.raises(InvalidInput) as refusal:
        read_settings(DuelSettings, given)
    found = [one.field for one in (refusal.value, *refusal.value.others)]
    assert found == ["settings.tunrs", "settings.turns", "settings.top_p"]


@pytest.mark.parametrize("name", FORMATS)
def test_it_has_words_for_every_setting_of_every_format(name: str) -> None:
    kind = FORMATS[name].settings
    for setting in kind.__struct_fields__:
        with pytest.raises(InvalidInput, match="must be ") as refusal:
            read_settings(kind, {setting: object()})
        assert "None" not in refusal.value.message
        assert "another type" not in refusal.value.message


@pytest.mark.parametrize("given_names", [{"tunrs": 6}, {"turns": 6, "Turns": 6}, {3: 1, "a": 1}])
def test_it_refuses_unknown_names_and_says_what_is_known(given_names: dict[Any, int]) -> None:
    with pytest.raises(
        InvalidInput,
        match=r"is not a setting of this format; (did you mean turns\?|known: .*turns)",
    ) as refusal:
        read_settings(DuelSettings, given_names)
    assert refusal.value.field in ("settings.tunrs", "settings.Turns", "settings.3")


def test_it_fills_in_defaults_and_freezes_all_of_them() -> None:
    data = as_data(read_settings(DuelSettings, {"turns": 4}))
    assert data == {
        "max_runtime_seconds": None,
        "max_total_output_tokens": None,
        "max_cost_usd": None,
        "model_debater": "",
        "model_judge": "",
        "reasoning_effort": None,
        "reasoning_effort_judge": None,
        "temperature": None,
        "temperature_judge": None,
        "top_p": None,
        "top_p_judge": None,
        "sampling_seed": None,
        "sampling_seed_judge": None,
        "max_tokens": 1000,
        "strict_budget": False,
        "call_timeout_seconds": 300,
        "provider_patience_seconds": 600,
        "human_timeout_seconds": None,
        "checkpoint": "none",
        "bench": [],
        "hearing": "none",
        "premise": "",
        "turns": 4,
        "words": 150,
    }
    assert as_data(read_settings(DuelSettings, data)) == data


def test_it_accepts_none_only_where_there_may_be_no_limit() -> None:
    assert read_settings(DuelSettings, {"max_cost_usd": None}).max_cost_usd is None
    with pytest.raises(InvalidInput):
        read_settings(DuelSettings, {"turns": None})


@pytest.mark.parametrize("name", FORMATS)
def test_it_shows_a_schema_with_bounds_and_words_for_every_format(name: str) -> None:
    kind = FORMATS[name].settings
    (body,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    assert msgspec.json.schema(kind)
    assert body == {"$ref": f"#/$defs/{kind.__name__}"}
    shown = parts[kind.__name__]
    assert shown["additionalProperties"] is False
    for field, schema in shown["properties"].items():
        options = schema.get("anyOf", [schema])
        for option in options:
            if option.get("type") in ("integer", "number"):
                assert "maximum" in option, field
                assert {"minimum", "exclusiveMinimum"} & set(option), field
            if option.get("type") == "string" and "enum" not in option:
                assert "maxLength" in option, field
        assert schema.get("description"), field


@pytest.mark.parametrize("name", FORMATS)
def test_it_describes_every_format_for_people(name: str) -> None:
    form = format_named(name)
    assert form.name == name
    assert issubclass(form.settings, Settings)
    assert form.about.endswith(".")
    assert form.when_to_use.endswith(".")
    assert all(stage.about.endswith(".") for stage in form.stages)


def test_it_knows_its_formats_and_guesses_what_was_meant() -> None:
    with pytest.raises(NotFound, match=r"no format called deul; did you mean duel\? known: duel"):
        format_named("deul")
    with pytest.raises(NotFound, match=r"no format called xyz; known: "):
        format_named("xyz")


class Together(Settings, frozen=True, kw_only=True):
    """Of a format of somebody's own: each of them is right, and both are not."""

    least: int = 1
    most: int = 9

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError("least is more than most")


def test_what_is_wrong_with_two_of_them_together_is_told() -> None:
    with pytest.raises(InvalidInput, match="least is more than most") as refusal:
        read_settings(Together, {"least": 5, "most": 2})
    assert refusal.value.field == "settings"


# --- what is wished for models --------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [0, -0.1, 1.001, float("nan"), "0.5", True])
def test_it_takes_a_share_of_words_above_nothing_and_up_to_all(wrong: object) -> None:
    assert read_settings(DuelSettings, {"top_p": 1}).top_p == 1
    with pytest.raises(InvalidInput) as refusal:
        read_settings(DuelSettings, {"top_p": wrong})
    assert refusal.value.field == "settings.top_p"


@pytest.mark.parametrize("role", Role)
def test_it_takes_what_is_wished_for_a_role_before_what_is_wished_for_all(role: Role) -> None:
    both = dict(zip(SAMPLING, ("low", 0.7, 0.9, 7), strict=True))
    own = zip(SAMPLING, ("none", 0.0, 0.1, 0), strict=True)
    wished = read_settings(DuelSettings, {**both, **{f"{name}_judge": one for name, one in own}})
    of_all = Sampling(reasoning_effort=Effort.LOW, temperature=0.7, top_p=0.9, seed=7)
    of_judges = Sampling(reasoning_effort=Effort.NONE, temperature=0, top_p=0.1, seed=0)
    is_judging = role in (Role.JUDGE, Role.MODERATOR, Role.BENCH)
    assert wished.sampling(role) == (of_judges if is_judging else of_all)
    assert read_settings(DuelSettings, both).sampling(role) == of_all
    assert DuelSettings().sampling(role) == Sampling()


def test_a_wish_stands_over_another_and_can_be_left_out() -> None:
    mine = Sampling(temperature=0, seed=3)
    other = Sampling(temperature=1, reasoning_effort=Effort.HIGH)
    both = mine.over(other)
    assert both == Sampling(temperature=0, seed=3, reasoning_effort=Effort.HIGH)
    assert both.without({"temperature", "seed", "max_tokens"}) == Sampling(
        reasoning_effort=Effort.HIGH
    )
    assert Sampling().over(other) == other.over(Sampling()) == other
