"""`moot judge` and `moot judges`, as their users meet them."""

from __future__ import annotations

import json
import re
from itertools import count
from typing import Any

import pytest
from tests.acceptance.terminals import Moot, the_id

from moot.models.port import ChatRequest
from moot.testing.scripted import sensible

NUMBERS = count()
BENCH = ("--bench", "openai:one,openai:two,openai:three")


def first_speaker(request: ChatRequest) -> str:
    """As always, but ballots are for whoever spoke first."""
    said = request.messages[-1].content
    if '"margin"' not in said:
        return sensible(request)
    first = re.search(r"^\[(\w)\]: ", said, re.MULTILINE)
    assert first is not None
    reasons = f"It was never met, and I say so for the time number {next(NUMBERS)}."
    return json.dumps({"reasons": reasons, "winner": first[1], "margin": 1})


@pytest.fixture
def duel(moot: Moot) -> str:
    held = moot("run", "remote-work", "--turns", "2", "--seed", "3", "--quiet")
    assert held.exit_code == 0, held.stderr
    return the_id(moot)


def told(output: str) -> str:
    return " ".join(output.replace("│", " ").split())


def test_a_bench_is_asked_and_told_what_it_takes(moot: Moot, duel: str) -> None:
    asked = moot("judge", duel[:8], *BENCH, script=first_speaker)
    assert asked.exit_code == 0, asked.stderr
    assert "6 ballots now, 12 more only if" in told(asked.stdout)
    assert "Stable: Tomas Oyelaran" in asked.stdout
    assert "6 of 6 ballots for Tomas Oyelaran, by 3 judges, under either name." in told(
        asked.stdout
    )
    assert "does not say that the bench is right" in told(asked.stdout)
    shown = moot("show", the_id(moot))
    assert "Stable: Tomas Oyelaran" in shown.stdout
    about = told(moot("show", duel).stdout)
    assert "Certificate. Stable: Tomas Oyelaran" in about
    assert "Right? Unknown: none of the debates" in about
    listed = json.loads(moot("list", "--json", "--limit", "1").stdout)
    assert (listed["format"], listed["outcome"]["status"]) == ("hearing", "stable")


def test_it_can_be_forecast_and_asked_quietly(moot: Moot, duel: str) -> None:
    dry = moot("judge", duel, *BENCH, "--dry-run")
    assert "calls at most 18" in told(dry.stdout)
    assert the_id(moot) == duel
    quiet = moot("judge", duel, *BENCH, "--quiet", "--repeats", "1", script=first_speaker)
    assert quiet.stdout.startswith("CERTIFICATE\nStable: Tomas Oyelaran\n")


def test_one_judge_is_told_what_would_be_enough(moot: Moot, duel: str) -> None:
    alone = moot("judge", duel, "--bench", "openai:one", script=first_speaker)
    assert "can certify nothing" in told(alone.stdout)
    assert "One judge alone needs eight ballots (`--repeats 4`)" in told(alone.stdout)
    enough = ("--bench", "openai:one", "--repeats", "4", "-q")
    assert "Stable" in moot("judge", duel, *enough, script=first_speaker).stdout


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (("--bench", "openai:one,openai:one"), "on the bench twice"),
        (("--bench", "scripted:debater,openai:one"), "nobody judges their own case"),
        (("--bench", "Nobody Atall"), "a judge is a model"),
        (("--repeats", "9"), "--repeats"),
        ((), "name the judges"),
    ],
)
def test_what_cannot_be_asked_is_refused_and_nothing_is_made(
    moot: Moot, duel: str, options: tuple[str, ...], wrong: str
) -> None:
    refused = moot("judge", duel, *options)
    assert refused.exit_code != 0
    assert wrong in told(refused.stderr)
    assert the_id(moot) == duel


def test_judges_are_known_by_their_ballots(moot: Moot, duel: str) -> None:
    assert "No judge has cast a ballot yet" in moot("judges").stdout
    moot("judge", duel, *BENCH, "-q", script=first_speaker)
    found = moot("judges").stdout
    assert "openai:one: 2 ballots on 1 debate" in found
    assert "not enough: 1 of 20 debates" in found
    lines: list[Any] = [json.loads(line) for line in moot("judges", "--json").stdout.splitlines()]
    assert [one["judge"] for one in lines] == ["openai:one", "openai:three", "openai:two"]


def test_a_judge_is_examined_and_known_by_it(moot: Moot) -> None:
    dry = moot("judges", "exam", "openai:one", "--dry-run")
    assert "calls at most 80" in told(dry.stdout)
    sat = moot("judges", "exam", "openai:one", "--quiet", script=first_speaker)
    assert sat.exit_code == 0, sat.stderr
    assert "EXAM\nopenai:one finds the flaw in 50% of its answers" in sat.stdout
    assert "openai:one: exam" in moot("judges").stdout
    for wrong in ("human", "nobody"):
        refused = moot("judges", "exam", wrong)
        assert refused.exit_code != 0
        assert "must be a model" in told(refused.stderr)
    assert moot("rematch", the_id(moot)).exit_code != 0
    assert moot("fork", the_id(moot)).exit_code != 0


def test_a_debate_is_labelled_shown_and_taken_back(moot: Moot, duel: str) -> None:
    assert (
        "You can name Tomas Oyelaran (pro), Kenji Mori (con) or tie." in moot("label", duel).stdout
    )
    assert (
        moot("label", duel, "kenji mori", "--note", "Why.").stdout
        == "Kenji Mori, says user: Why.\n"
    )
    assert moot("label", duel, "tie", "--by", "Marisol").stdout.splitlines() == [
        "A tie, says Marisol",
        "Kenji Mori, says user: Why.",
    ]
    assert json.loads(moot("label", duel, "--json").stdout.splitlines()[0])["by"] == "Marisol"
    assert "must be Tomas Oyelaran" in moot("label", duel, "nobody").stderr
    assert moot("label", duel, "--remove").stdout == "A tie, says Marisol\n"
    assert moot("label", duel, "--remove").exit_code != 0
    assert moot("label", duel, "tie", "--remove").exit_code != 0
