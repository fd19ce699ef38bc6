"""Debates in which nobody wins: the summary stands where others have a verdict."""

from __future__ import annotations

import json

import pytest
from tests.unit.protocol.moderating import MODERATED, begun, moderated
from tests.unit.protocol.playing import Play, play

from moot.export import render
from moot.protocol import events as e

TEXT = "Both sides have made their case."


def held(name: str, *, moderator: bool = True) -> Play:
    rounds = {"free_rounds": 1} if name == "classic" else {"max_rounds": 1}
    config = moderated(name, 2, moderator=moderator, **rounds)  # type: ignore[arg-type]
    return play(config, lambda s: TEXT if s.stage == "conclusion" else f"said-{s.stage}")


@pytest.mark.parametrize("name", MODERATED)
def test_the_summary_is_shown_once_and_with_its_author(name: str) -> None:
    log = held(name).log
    page, markdown = render(log, "html", debate_id="k3f2"), render(log, as_="md", debate_id="k3f2")
    for text in (page, markdown):
        assert text.count(TEXT) == 1
        assert "Summed up by Mo" in text
        assert "No verdict" not in text
    assert "\n## Summary\n" in markdown


@pytest.mark.parametrize("name", MODERATED)
def test_json_and_csv_have_it_too(name: str) -> None:
    log = held(name).log
    document = json.loads(render(log, "json", debate_id="k3f2"))
    assert document["debate"]["outcome"] == {
        "type": "summary",
        "summary": TEXT,
        "by": "Mo",
        "by_id": "mo",
        "certificate": None,
    }
    assert document["debate"]["headline"] == "Summed up by Mo"
    assert f"summarize,public,,{TEXT}" in render(log, "csv", debate_id="k3f2")


@pytest.mark.parametrize("kind", ["md", "html"])
@pytest.mark.parametrize("name", MODERATED)
def test_nothing_is_missed_where_nobody_sums_up(name: str, kind: str) -> None:
    text = render(held(name, moderator=False).log, kind, debate_id="k3f2")
    for missing in ("No verdict", "no verdict", "Summed up"):
        assert missing not in text


def test_a_canceled_one_misses_no_verdict_either() -> None:
    played = begun(moderated("standard", 2)).run(most=3)
    played.append(e.DebateCanceled())
    text = render(played.log, "md", debate_id="k3f2")
    assert "**This debate was canceled after 3 statements.**" in text
    assert "verdict" not in text
