"""The samples: made from their texts, whole, finished as intended, and nobody's but ours."""

from __future__ import annotations

import pytest
from tests.samples import make

from moot.definitions import samples
from moot.errors import NotFound
from moot.export import render
from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.outcome_words import doubts, trust
from moot.protocol.outcomes import Solution, Summary, Verdict
from moot.protocol.registry import offered
from moot.protocol.state import DebateState
from moot.protocol.values import Usage
from moot.protocol.vocabulary import ORIGINS
from moot.protocol.words import SAMPLE_MODEL, Role, StepKind

ENDS = {
    "duel": "Tobias Wren won, 8 to 7",
    "rounds": "Farouk Aziz won, 7 to 6",
    "standard": "“Write it down once",
    "custom": "“A garden of ten beds",
    "classic": "“They agree",
    "council": "“Open on four days",
    "room": "",
    "poll": "3 of 5 say yes",
}


def state_of(name: str) -> DebateState:
    return fold(samples.read(name).named("sample"))


def test_there_is_one_of_each_format() -> None:
    assert [one.format for one in samples.shipped()] == list(offered())


@pytest.mark.parametrize("name", make.names())
def test_is_made_from_its_texts(name: str) -> None:
    shipped = (make.SHIPPED / f"{name}.jsonl").read_text("utf-8")
    assert make.log_of(name) == shipped, "python -m tests.samples.make makes them anew"


@pytest.mark.parametrize("name", make.names())
def test_says_of_everybody_that_no_model_spoke(name: str) -> None:
    state = state_of(name)
    assert {one.model for one in state.participants.values()} == {SAMPLE_MODEL}
    assert {turn.said.model for turn in state.turns.values()} == {SAMPLE_MODEL}
    assert state.usage == Usage()
    for kind in ("md", "html", "json", "csv"):
        text = render(samples.read(name).named("sample"), kind, debate_id="d")
        assert ("import/sample" if kind == "csv" else ORIGINS["import/sample"]) in text


@pytest.mark.parametrize("sample", samples.shipped(), ids=lambda one: one.name)
def test_ends_as_intended(sample: samples.Sample) -> None:
    assert sample.gist.startswith(ENDS[sample.format])
    state = state_of(sample.name)
    assert all(not turn.said.flags for turn in state.turns.values())
    if state.outcome is not None:
        assert not doubts(state.outcome)
    match state.outcome:
        case Verdict(winner=winner, scores=scores, reasoning=reasoning):
            assert winner
            assert scores
            assert max(scores, key=lambda one: scores[one]) == winner
            assert winner.split()[0] in reasoning
            assert trust(state.outcome) == ("confirmed" if sample.format == "duel" else "")
        case Solution(asked=asked, counts=counts, dissent=dissent) if asked:
            assert [(one.answer, one.count) for one in counts] == [("yes", 3), ("no", 2)]
            assert len(dissent) == 2
        case Solution(comparison=comparison, dissent=dissent):
            assert comparison
            assert comparison.before
            assert comparison.after
            assert comparison.is_changed
            assert comparison.after > comparison.before
            assert dissent
        case Summary(by_id=by):
            assert state.participants[by].role is Role.MODERATOR
        case None:
            assert sample.format == "room"
        case _:
            raise AssertionError("no sample ends so")


def test_the_duel_s_announcement_tells_the_scores_on_record() -> None:
    (duel,) = (one for one in samples.shipped() if one.format == "duel")
    told = [t.said for t in state_of(duel.name).transcript() if t.said.kind is StepKind.VERDICT]
    assert "Tobias Wren, by 8 to 7" in told[0].content
    assert "premise is rejected" in told[0].content


def test_there_is_no_other() -> None:
    with pytest.raises(NotFound, match="separate-accounts"):
        samples.read("../samples/a-dog")


def test_all_of_a_room_is_talk() -> None:
    (room,) = (one for one in samples.shipped() if one.format == "room")
    log = samples.read(room.name).log
    assert not any(isinstance(one.event, e.MessageSaid) and one.event.content for one in log)
    assert room.statements > 15
