"""An exam with the pairs that come with Moot, sat by judges whose faults are planted."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.unit.protocol.playing import Play, exam, play

from moot.definitions import exam as shipped
from moot.errors import InvalidInput
from moot.protocol import events as e, judge_words as words
from moot.protocol.hearing.exam import Examination
from moot.protocol.hearing.statistics import Estimate, Figure
from moot.protocol.outcomes import ExamReport
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.values import Participant
from moot.protocol.words import HUMAN, Role, StopReason

PAIRS = {one.id: one for one in shipped.pairs()}
WHOLE = Examination(version=shipped.version(), pairs=shipped.pairs())


def sat(choose: Callable[[Step], str]) -> ExamReport:
    def reply(step: Step) -> str:
        winner = choose(step)
        margin = 0 if winner == "tie" else 1
        return json.dumps({"reasons": "It holds.", "winner": winner, "margin": margin})

    found = play(exam(WHOLE), reply).state.outcome
    assert isinstance(found, ExamReport)
    return found


def sides(step: Step) -> dict[str, str]:
    """The neutral name of each side."""
    return {side: name for name, side in getattr(step.answer, "sides", {}).items()}


def marked(step: Step) -> str | None:
    return PAIRS[step.key.split("/")[1]].marked


def perfect(step: Step) -> str:
    """Knows a flaw and nothing else."""
    kind = PAIRS[step.key.split("/")[1]].kind
    if kind in ("mirrored", "padded"):
        return "tie"
    return next(name for side, name in sides(step).items() if side != marked(step))


def longest(step: Step) -> str:
    case = PAIRS[step.key.split("/")[1]].case
    said = {
        side.id: sum(len(o.text) for o in case.said if o.side == side.id) for side in case.sides
    }
    return sides(step)[max(said, key=lambda side: said[side])]


def value(figure: Figure) -> float:
    assert isinstance(figure, Estimate)
    return figure.value


def test_a_perfect_judge_finds_every_flaw_and_prefers_nothing_else() -> None:
    found = sat(perfect)
    assert (found.exam.pairs, found.exam.unreadable, found.is_finished) == (40, 0, True)
    figures = (found.exam.leaning, found.exam.length, found.exam.competence)
    assert [value(one) for one in figures] == [0.5, 0.5, 1.0]
    assert words.exam_headline(found) == "test:jo finds the flaw in 100% of its answers"
    assert not any("own family" in line for line in words.exam_lines(found))


def test_who_goes_by_the_name_leans_and_who_goes_by_length_is_found() -> None:
    by_name = sat(lambda _step: "X")
    assert value(by_name.exam.leaning) == 1.0
    assert value(by_name.exam.competence) == 0.5
    by_length = sat(longest)
    assert value(by_length.exam.length) == 1.0


def test_answers_that_cannot_be_read_name_nobody() -> None:
    found = play(exam(WHOLE), lambda _step: "Both.").state.outcome
    assert isinstance(found, ExamReport)
    assert found.exam.unreadable == 80
    assert value(found.exam.competence) == 0.0


def test_nothing_that_is_known_of_a_pair_reaches_the_judge() -> None:
    played = play(exam(WHOLE), lambda _step: "Both.")
    assert len(played.sent) == 80
    for key, sent in played.sent.items():
        pair = PAIRS[key.split("/")[1]]
        assert pair.why not in sent.text
        assert pair.kind not in sent.text.lower().replace("-", "_")


def test_a_limit_leaves_it_unfinished() -> None:
    played = Play(FORMATS["exam"], exam(WHOLE))
    for step in played.ready()[:10]:
        played.perform(step, "Both.")
    played.append(e.LimitReached(limit=StopReason.MAX_COST, observed=1))
    assert not played.ready()
    found = played.state.outcome
    assert isinstance(found, ExamReport)
    assert not found.is_finished
    assert words.exam_headline(found).startswith("Not finished")


@pytest.mark.parametrize("model", [HUMAN, "test:jo"])
def test_one_model_is_examined_and_nobody_else(model: str) -> None:
    rules = FORMATS["exam"]
    judge = Participant(id="jo", name="Jo", role=Role.JUDGE, model=model)
    if model == HUMAN:
        with pytest.raises(InvalidInput, match="only models are examined"):
            rules.cast(rules.settings(), (judge,))
    with pytest.raises(InvalidInput, match="one judge"):
        rules.cast(rules.settings(), (judge, judge))
