"""`moot rematch` and `moot rename`: a debate once more, and under a name of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.terminals import Moot, the_id
from tests.acceptance.test_people import BO, JO, ME, every_view, is_told, secretive
from tests.unit.api.serving import serving

from moot.testing import oracles
from moot.testing.scripted import ScriptedModel

NEW = ("remote-work", "--model", "openai:test", "--turns", "2", "--seed", "3")
COUNCIL = ("Tea or coffee?", "--format", "council", "--model", "openai:test")


def log_of(moot: Moot, debate_id: str) -> list[Any]:
    lines = moot("show", debate_id, "--json", "--private").stdout.splitlines()
    return [json.loads(line) for line in lines]


def config_of(moot: Moot, debate_id: str) -> Any:
    return log_of(moot, debate_id)[0]["data"]["config"]


def stances(config: Any) -> dict[str, str]:
    return {one["name"]: one["stance"] for one in config["participants"]}


# --- once more -----------------------------------------------------------------------------------


def test_a_rematch_is_run_to_its_verdict_and_leaves_the_other_alone(moot: Moot) -> None:
    moot("run", *NEW)
    source = the_id(moot)
    before = log_of(moot, source)
    held = moot("rematch", source[:8])
    made = the_id(moot)

    assert held.exit_code == 0, held.stderr
    assert f"rematch of {source}" in " ".join(held.stdout.split())
    assert made != source
    assert log_of(moot, made)[-1]["type"] == "DebateCompleted"
    assert log_of(moot, source) == before
    old, new = config_of(moot, source), config_of(moot, made)
    assert new["rematch_of"] == source
    assert new["forked_from"] is None
    assert stances(new) == stances(old)
    for name in ("topic", "format", "settings"):
        assert new[name] == old[name]


def test_sides_are_swapped_and_other_models_speak(moot: Moot) -> None:
    moot("create", *NEW)
    source = the_id(moot)
    swap = ("--swap", "--model", "openai:other", "--judge-model", "openai:strict", "--quiet")
    assert moot("rematch", source, *swap, "--seed", "3").exit_code == 0
    old, new = config_of(moot, source), config_of(moot, the_id(moot))
    turned = {"pro": "con", "con": "pro", "none": "none"}
    assert stances(new) == {name: turned[side] for name, side in stances(old).items()}
    assert [one["model"] for one in new["participants"]] == [
        "openai:other",
        "openai:other",
        "openai:strict",
    ]


@pytest.mark.parametrize(
    ("of", "wrong", "code", "told"),
    [
        (COUNCIL, ("--swap",), 2, "there are no sides to swap"),
        (COUNCIL, ("--seed", "3"), 2, "nothing was drawn"),
        (NEW, ("--member-model", "nobody=openai:test"), 7, "no participant called nobody"),
    ],
)
def test_a_rematch_that_cannot_be_is_refused_and_nothing_is_written(
    moot: Moot, of: tuple[str, ...], wrong: tuple[str, ...], code: int, told: str
) -> None:
    moot("create", *of)
    refused = moot("rematch", the_id(moot), *wrong)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert told in refused.stderr
    assert len(moot("list", "--json").stdout.splitlines()) == 1


async def test_a_rematch_tells_nothing_of_a_debate_that_a_person_still_plays(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, ScriptedModel(secretive)) as on:
        cast = [ME, BO, JO]
        source = await on.create(
            format="duel", settings={"turns": 1}, participants=cast, start=True
        )
        await on.until(source, "waiting")
        made = await on.client.post(f"/api/debates/{source}/rematches", json={"swap": True})
        found = made.json()
        assert found["turns"] == 0
        assert [one["model"] for one in found["participants"] if one["id"] == "ada"] == ["human"]
        assert not any(is_told(view) for view in await every_view(on, found["id"]))


# --- a name of one's own -------------------------------------------------------------------------


def test_a_title_is_shown_in_place_of_the_topic_and_found(moot: Moot) -> None:
    moot("run", *NEW)
    debate = the_id(moot)
    topic = json.loads(moot("list", "--json").stdout)["topic"]
    named = moot("rename", debate[:8], "  Home or\n office ")

    assert (named.exit_code, named.stdout) == (0, f"{debate}: now called 'Home or office'\n")
    assert "Home or office" in moot("list").stdout
    assert topic[:20] not in moot("list").stdout
    # As JSON: a list for people says how many seconds ago it was.
    by_title, by_topic = (
        moot("list", "--json", "--query", query).stdout for query in ("HOME OR", topic[:20])
    )
    assert json.loads(by_title)["id"] == debate
    assert by_title == by_topic
    shown = moot("show", debate).stdout
    assert shown.index("Home or office") < shown.index(f"Topic: {topic}")
    for kind in ("md", "html", "json"):
        document = moot("export", debate, "--as", kind).stdout
        assert "Home or office" in document
        assert topic in document

    assert "its topic is shown" in moot("rename", debate, "").stdout
    assert topic[:20] in moot("list").stdout
    kinds = [one["type"] for one in log_of(moot, debate)]
    assert kinds[-3:] == ["DebateCompleted", "DebateRenamed", "DebateRenamed"]


def test_a_title_of_ten_thousand_characters_is_refused(moot: Moot) -> None:
    moot("create", *NEW)
    debate = the_id(moot)
    refused = moot("rename", debate, "x" * 10_000)
    assert refused.exit_code == 2
    assert "title: must have at most 200 characters" in refused.stderr
    assert json.loads(moot("list", "--json").stdout)["title"] == ""


def test_a_hostile_title_does_not_reach_the_terminal(moot: Moot) -> None:
    moot("create", *NEW)
    debate = the_id(moot)
    moot("rename", debate, "\x1b[2Jred \u202etfel <b>")
    for told in (moot("list"), moot("show", debate)):
        assert "red tfel <b>" in told.stdout
        assert "\x1b[2J" not in told.stdout
        assert "\u202e" not in told.stdout


async def test_a_title_survives_a_row_that_is_lost(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(start=True)
        await on.until(debate, "completed")
        await on.client.patch(f"/api/debates/{debate}", json={"title": "Ours"})
        book = await oracles.read_book(on.store, debate)
        oracles.check_book(book)
        assert book.state.summary(debate, book.summary.cursor).title == "Ours"
