"""First and last proposals are rated without names: that tells whether debating was worth it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.protocol.playing import Play, council, play, readable

from moot.protocol import events as e
from moot.protocol.answers import Unreadable
from moot.protocol.formats.council.ballots import RatingsAnswer
from moot.protocol.formats.council.order import CouncilSettings
from moot.protocol.outcome_words import worth
from moot.protocol.outcomes import Comparison, Solution
from moot.protocol.registry import FORMATS
from moot.protocol.settings import frozen
from moot.protocol.steps import Step
from moot.protocol.words import HUMAN, Status, StepKind, StopReason

FORM = FORMATS["council"]
KEY = "synthesis/1/judith/evaluate"
SCORES = {"ada": (60, 80), "bo": (70, 50), "cy": (10, 80)}


def rating(step: Step) -> str:
    """Positions that tell whose they are and when, and ratings by SCORES."""
    if step.kind in (StepKind.PROPOSE, StepKind.REFINE):
        return json.dumps({"proposal": f"{step.participant}:{int(step.kind is StepKind.REFINE)}"})
    if not isinstance(step.answer, RatingsAnswer):
        return readable(step)
    ratings = {}
    for label, text in zip(step.answer.labels, texts(step), strict=True):
        name, when = text.split(":")
        ratings[label] = SCORES[name][int(when)]
    return json.dumps({"reasons": "Proposal A is short.", "ratings": ratings})


def texts(step: Step) -> list[str]:
    proposals = str(step.prompt.slots["proposals"]).split("\n\n")
    return [one.partition("]: ")[2] for one in proposals]


def test_the_best_before_and_the_best_after_are_told_apart() -> None:
    found = play(council(3, rounds=1), rating).solution
    assert found.comparison == Comparison(
        is_changed=True, before=70, after=80, best_before=("Bo",), best_after=("Ada", "Cy")
    )
    assert worth(found) == (
        "Debating was worth it: the judge rated the best proposal before the debate 70 and the "
        "best after it 80, without knowing whose they were or which came first."
    )


def test_the_judge_sees_neither_names_nor_the_debate() -> None:
    played = play(council(3, rounds=1), rating)
    sent = played.sent[KEY]
    assert sent.history == ()
    assert sorted(texts(sent.step)) == ["ada:0", "ada:1", "bo:0", "bo:1", "cy:0", "cy:1"]
    assert texts(sent.step) != sorted(texts(sent.step))
    content = played.state.turns[KEY].said.content
    assert "(Ada, before): 60" in content
    assert "Proposal A (" in content.rpartition("\n")[2]


def test_a_proposal_that_did_not_change_is_rated_once_and_counts_for_both() -> None:
    def stays(step: Step) -> str:
        is_bo = step.participant == "bo" and step.kind is StepKind.REFINE
        return json.dumps({"proposal": "bo:0"}) if is_bo else rating(step)

    played = play(council(3, rounds=1), stays)
    assert len(texts(played.sent[KEY].step)) == 5
    assert "(Bo, before; Bo, after): 70" in played.state.turns[KEY].said.content


def test_where_nothing_changed_nothing_is_asked_and_that_is_said() -> None:
    def stays(step: Step) -> str:
        is_position = step.kind in (StepKind.PROPOSE, StepKind.REFINE)
        return json.dumps({"proposal": f"{step.participant}:0"}) if is_position else readable(step)

    played = play(council(3, rounds=1), stays)
    assert KEY not in played.state.turns
    assert played.solution.comparison == Comparison(is_changed=False)
    assert worth(played.solution) == "Debating was not worth it: no proposal changed."


def test_where_a_limit_came_before_the_debate_nothing_is_said_of_its_worth() -> None:
    played = Play(FORM, council(3, rounds=1))
    proposals = played.ready()
    for step in proposals:
        played.perform(step, rating(step))
    played.append(e.LimitReached(limit=StopReason.MAX_RUNTIME, observed=6.0))
    played.run(rating)

    assert not any(one.said.kind is StepKind.REFINE for one in played.state.turns.values())
    assert played.solution.comparison is None
    assert worth(played.solution) == ""


def test_proposals_that_changed_hands_have_changed_and_are_rated() -> None:
    """Ada ends with what Bo had proposed, and Bo with what Cy had: no text is new."""
    takes = {"ada": "bo:0", "bo": "cy:0", "cy": "cy:0"}

    def taking_over(step: Step) -> str:
        if step.kind is StepKind.REFINE:
            return json.dumps({"proposal": takes[step.participant]})
        return rating(step)

    played = play(council(3, rounds=1), taking_over)
    assert sorted(texts(played.sent[KEY].step)) == ["ada:0", "bo:0", "cy:0"]
    assert "(Bo, before; Ada, after): 70" in played.state.turns[KEY].said.content
    assert played.solution.comparison == Comparison(
        is_changed=True, before=70, after=70, best_before=("Bo",), best_after=("Ada",)
    )
    assert worth(played.solution).startswith("Debating was not worth it: the judge rated")


@pytest.mark.parametrize("reply", ["no idea", '{"ratings": {"A": 50}}', '{"ratings": [1, 2]}'])
def test_a_rating_that_cannot_be_read_is_not_made_up(reply: str) -> None:
    def mumbling(step: Step) -> str:
        return reply if isinstance(step.answer, RatingsAnswer) else rating(step)

    found = play(council(3, rounds=1), mumbling).solution
    assert found.comparison == Comparison(is_changed=True)
    assert worth(found).startswith("It is not known whether debating was worth it")


@pytest.mark.parametrize(
    ("before", "after", "is_worth"), [(60, 61, True), (60, 60, False), (61, 60, False)]
)
def test_it_is_said_plainly_also_if_it_was_not_worth_it(
    before: int, after: int, is_worth: bool
) -> None:
    compared = Comparison(is_changed=True, before=before, after=after)
    told = worth(Solution(status="decided", comparison=compared))  # type: ignore[arg-type]
    assert told.startswith("Debating was worth it" if is_worth else "Debating was not worth it")


def test_nobody_is_asked_if_it_is_not_wanted_or_a_person_judges() -> None:
    assert play(council(2, rounds=1, compare=False), rating).solution.comparison is None
    config = council(2, rounds=1, model=HUMAN)
    played = Play(FORM, config).run(rating)
    assert not [key for key in played.state.turns if key.endswith("/evaluate")]
    assert played.state.status is Status.COMPLETED


def test_a_council_of_an_earlier_version_is_not_compared() -> None:
    recorded: dict[str, Any] = {"rounds": 2, "termination": "fixed"}
    assert not frozen(CouncilSettings, recorded).compare
    assert frozen(CouncilSettings, {**recorded, "compare": True}).compare
    assert CouncilSettings().compare


def test_letters_are_read_however_they_are_written() -> None:
    answer = RatingsAnswer(labels=("A", "B"))
    for given in ({"A": 1, "B": 2}, {"a": 1, "Proposal B": 2}, {"proposal a": 1, "B": 2, "C": 9}):
        found = answer.read(json.dumps({"ratings": given}))
        assert not isinstance(found, Unreadable)
        assert found["ratings"] == {"A": 1, "B": 2}
    for wrong in ({"A": 1}, {"A": 1, "B": 101}, {"A": 1, "B": "2"}, {}):
        assert isinstance(answer.read(json.dumps({"ratings": wrong})), Unreadable)
