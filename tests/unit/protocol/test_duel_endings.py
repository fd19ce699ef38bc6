"""However and whenever a duel is cut short, it ends, fairly, and says why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.protocol.playing import PREMISE, Play, duel, play, readable

from moot.protocol import events as e
from moot.protocol.formats.duel.answers import NameAnswer, PersonsVerdict
from moot.protocol.formats.duel.rules import Duel
from moot.protocol.outcome_words import doubts
from moot.protocol.outcomes import OutcomeStatus, Verdict
from moot.protocol.steps import Step
from moot.protocol.values import Usage
from moot.protocol.words import Role, Stance, Status, StepKind, StopReason

CASES = [(turns, judge) for turns in (1, 2, 3, 4, 7) for judge in (True, False)]


def spoken(played: Play) -> dict[str, int]:
    turns = [turn.said for turn in played.state.turns.values() if turn.said.kind is StepKind.SPEAK]
    return {who: sum(said.participant == who for said in turns) for who in ("ada", "bo")}


def assert_judged(played: Play, *, judge: bool) -> None:
    """Every statement has its score, and there is a verdict exactly if there can be one."""
    state = played.state
    scores = sum(turn.said.kind is StepKind.SCORE for turn in state.turns.values())
    if judge and state.statements:
        assert scores == state.statements
        assert isinstance(state.outcome, Verdict)
        assert state.outcome.winner == "Ada"
    else:
        assert scores == 0
        assert state.outcome is None


def total(turns: int, *, judge: bool) -> int:
    return Duel().most_calls(duel(turns=turns, judge=judge))


@pytest.mark.parametrize(("turns", "judge"), CASES)
def test_it_goes_straight_to_the_verdict_when_told_to_end(turns: int, judge: bool) -> None:
    for done in range(total(turns, judge=judge)):
        played = Play(Duel(), duel(turns=turns, judge=judge)).run(most=done)
        said = played.state.statements
        played.append(e.EndRequested())
        wanted = {step.kind for step in played.ready()}
        played.run()
        assert not wanted & {StepKind.PLAN, StepKind.THINK, StepKind.SPEAK}
        assert played.state.status is Status.COMPLETED
        assert played.state.stop_reason is StopReason.ENDED
        assert played.state.statements == said
        assert played.state.calls <= total(turns, judge=judge)
        assert_judged(played, judge=judge)


@pytest.mark.parametrize("limit", [StopReason.MAX_TOKENS, StopReason.MAX_RUNTIME])
@pytest.mark.parametrize(("turns", "judge"), CASES)
def test_it_lets_the_other_side_answer_when_a_limit_is_met(
    turns: int, judge: bool, limit: StopReason
) -> None:
    for done in range(total(turns, judge=judge)):
        played = Play(Duel(), duel(turns=turns, judge=judge)).run(most=done)
        said = played.state.statements
        played.append(e.LimitReached(limit=limit, observed=1))
        played.run()
        state, counts = played.state, spoken(played)
        assert state.status is Status.COMPLETED
        # An odd number of turns was asked for with A speaking once more; a limit never makes it so.
        assert counts["ada"] == counts["bo"] or state.statements == turns
        assert said <= state.statements <= said + 1
        assert state.stop_reason is (StopReason.DONE if state.statements == turns else limit)
        assert state.calls <= total(turns, judge=judge)
        assert_judged(played, judge=judge)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), turns=st.integers(1, 6), judge=st.booleans())
def test_it_finishes_whatever_happens_in_whatever_order(
    data: st.DataObject, turns: int, judge: bool
) -> None:
    played = Play(Duel(), duel(turns=turns, judge=judge))

    def one(steps: Sequence[Step]) -> Sequence[Step]:
        return [data.draw(st.sampled_from(steps))]

    for _ in range(data.draw(st.integers(0, 3))):
        played.run(choose=one, most=data.draw(st.integers(0, 8)))
        if played.state.status is Status.RUNNING:
            is_limit = data.draw(st.booleans())
            limit = e.LimitReached(limit=StopReason.MAX_COST, observed=1)
            played.append(limit if is_limit else e.EndRequested())
    played.run(choose=one)
    assert played.state.status is Status.COMPLETED
    expected = StopReason.ENDED if played.state.ending else None
    assert expected is None or played.state.stop_reason is expected
    assert_judged(played, judge=judge)


def test_it_names_the_first_limit_that_was_met() -> None:
    played = Play(Duel(), duel(turns=6)).run(most=4)
    for limit in (StopReason.MAX_TOKENS, StopReason.MAX_RUNTIME):
        played.append(e.LimitReached(limit=limit, observed=1))
    assert played.run().state.stop_reason is StopReason.MAX_TOKENS


def test_it_closes_with_the_final_prompts_when_a_limit_cuts_it_short() -> None:
    played = Play(Duel(), duel(turns=20)).run(most=4)
    assert played.state.statements == 1
    played.append(e.LimitReached(limit=StopReason.MAX_TOKENS, observed=1))
    played.run()
    assert "This is your final turn" in played.sent["exchange/1/bo/think"].prompt
    assert "This is your final turn" in played.sent["exchange/1/bo/speak"].prompt


@pytest.mark.parametrize(
    ("setting", "limit"),
    [
        ({"max_total_output_tokens": 50}, StopReason.MAX_TOKENS),
        ({"max_cost_usd": 0.5}, StopReason.MAX_COST),
        ({"max_runtime_seconds": 15}, StopReason.MAX_RUNTIME),
    ],
)
def test_it_meets_its_limits_by_what_the_log_says(
    setting: dict[str, Any], limit: StopReason
) -> None:
    played = Play(Duel(), duel(turns=100, **setting))
    while ready := played.ready():
        usage = Usage(output_tokens=10, cost_usd=0.1)
        played.perform(ready[0], readable(ready[0]), usage=usage)
    assert played.state.stop_reason is limit
    assert 0 < played.state.statements < 100
    assert spoken(played)["ada"] == spoken(played)["bo"]
    assert_judged(played, judge=True)


def test_it_ends_at_once_when_it_may_spend_nothing() -> None:
    played = Play(Duel(), duel(max_cost_usd=0)).run()
    assert played.state.statements == 0
    assert (played.state.outcome, played.state.stop_reason) == (None, StopReason.MAX_COST)


# --- the verdict ----------------------------------------------------------------------------------


def judged(
    confirm: str,
    record: str,
    *,
    announce: str = "I liked Ada.",
    deliberate: str = "I have listened to both.",
    a: Stance = Stance.PRO,
    premise: str = PREMISE,
) -> Play:
    def reply(step: Step) -> str:
        if isinstance(step.answer, NameAnswer):
            return confirm
        part = step.key.rsplit("/", 1)[-1]
        said = {"deliberate": deliberate, "record": record, "announce": announce}
        return said.get(part) or (" " if part == "announce" else readable(step))

    return play(duel(turns=2, premise=premise, a=a), reply)


FOR_ADA = '{"winner": "Ada", "scores": {"Ada": 8, "Bo": 6}}'


def test_it_decides_by_confirmation_and_scores() -> None:
    assert judged("Ada.", FOR_ADA).state.outcome == Verdict(
        winner="Ada",
        winner_id="ada",
        scores={"Ada": 8, "Bo": 6},
        premise_upheld=True,
        confirmed_winner="Ada",
        status=OutcomeStatus.DECIDED,
        is_contested=False,
        reasoning="I liked Ada.",
    )


@pytest.mark.parametrize(
    ("a", "premise", "upheld"),
    [(Stance.PRO, PREMISE, True), (Stance.CON, PREMISE, False), (Stance.PRO, "", None)],
)
def test_it_upholds_the_premise_if_its_side_won(a: Stance, premise: str, upheld: object) -> None:
    outcome = judged("Ada", FOR_ADA, a=a, premise=premise).verdict
    assert outcome.premise_upheld is upheld


def test_it_lets_a_confirmed_winner_stand_with_scores_unknown() -> None:
    outcome = judged("Ada", "no JSON at all").verdict
    assert (outcome.winner, outcome.scores) == ("Ada", None)
    assert outcome.status == "scores_unknown"
    assert outcome.premise_upheld is True


def test_it_has_no_winner_rather_than_an_invented_one() -> None:
    outcome = judged("Both were good: Ada and Bo", "{}").verdict
    assert (outcome.winner, outcome.scores, outcome.premise_upheld) == (None, None, None)
    assert outcome.status == "unreadable"


def test_it_flags_a_winner_that_contradicts_the_scores_and_does_not_swap() -> None:
    record = '{"winner": "Ada", "scores": {"Ada": 4, "Bo": 9}}'
    outcome = judged("Ada", record).verdict
    assert (outcome.winner, outcome.is_contested) == ("Ada", True)
    assert outcome.scores == {"Ada": 4, "Bo": 9}


def test_it_does_not_accept_a_winner_other_than_the_confirmed_one() -> None:
    outcome = judged("Bo", FOR_ADA).verdict
    assert (outcome.winner, outcome.status) == ("Bo", "scores_unknown")
    assert outcome.premise_upheld is False


def test_it_keeps_the_verdict_when_the_announcement_is_blank() -> None:
    outcome = judged("Ada", FOR_ADA, announce="").verdict
    assert (outcome.winner, outcome.status, outcome.reasoning) == ("Ada", "decided", "")


def test_it_goes_on_after_a_score_that_could_not_be_read() -> None:
    played = play(
        duel(turns=2),
        lambda step: "eleven!" if step.kind is StepKind.SCORE else readable(step),
    )
    scores = [turn.said for turn in played.state.transcript() if turn.said.kind is StepKind.SCORE]
    assert [(said.data, said.flags) for said in scores] == [(None, ("unreadable",))] * 2
    assert played.state.outcome is not None
    assert played.state.calls == 14


def test_it_has_debaters_on_sides_and_a_judge_on_none() -> None:
    stances = {one.role: one.stance for one in duel().participants}
    assert stances[Role.JUDGE] is Stance.NONE


def outcome_of(played: Play) -> Verdict:
    assert isinstance(played.state.outcome, Verdict)
    return played.state.outcome


def test_a_judge_who_rejects_a_name_has_not_chosen_it() -> None:
    record = '{"winner": "Bo", "scores": {"Ada": 5, "Bo": 6}}'
    found = outcome_of(judged("Not Ada.", record, announce="Ada did not win. Bo has won."))
    assert (found.winner, found.scores) == ("Bo", {"Ada": 5, "Bo": 6})
    assert (found.confirmed_winner, found.is_unconfirmed, found.is_contested) == (None, True, False)


@pytest.mark.parametrize(
    "announce", ["It was a draw; I name nobody.", "Ada 7, Bo 7.", "Ada did not win; Bo did."]
)
def test_a_winner_whom_no_words_of_the_judge_name_has_not_won(announce: str) -> None:
    record = '{"winner": "Ada", "scores": {"Ada": 7, "Bo": 7}}'
    found = outcome_of(judged("Neither; a draw.", record, announce=announce))
    assert (found.winner, found.premise_upheld) == (None, None)
    assert found.status is OutcomeStatus.UNREADABLE


@pytest.mark.parametrize(
    ("announce", "told", "words"),
    [
        ("Bo won this debate. Ada fell flat.", "Bo", "for Ada, in words for Bo."),
        ("Both were good. It is a tie.", "tie", "for Ada, in words for a tie."),
    ],
)
def test_words_that_name_somebody_else_make_it_contested(
    announce: str, told: str, words: str
) -> None:
    found = outcome_of(judged("Ada", FOR_ADA, announce=announce))
    assert (found.winner, found.told, found.is_contested) == ("Ada", told, True)
    (doubt,) = doubts(found)
    assert doubt == f"Contested: on record the judge decided {words}"


def test_a_judge_who_weighed_for_the_other_side_contests_its_own_record() -> None:
    weighed = "Ada gets 3, Bo 9. Bo wins."
    found = outcome_of(judged("Ada", FOR_ADA, deliberate=weighed))
    assert (found.winner, found.told, found.is_contested) == ("Ada", "Bo", True)


def test_a_judge_who_weighed_so_may_mean_the_figures_of_the_example() -> None:
    found = outcome_of(judged("Hm.", FOR_ADA, deliberate="Ada wins.", announce="I find for Ada."))
    assert (found.winner, found.scores, found.told) == ("Ada", {"Ada": 8, "Bo": 6}, None)


def test_a_person_whose_reasons_name_the_other_side_is_told_so() -> None:
    answer = PersonsVerdict(ids={"ada": "Ada", "bo": "Bo"})
    filled = {"winner": "Ada", "score_1": 8, "score_2": 5, "reasoning": "Bo wins: she had ladders."}
    read = answer.read(json.dumps(filled))
    assert isinstance(read, dict)
    assert (read["winner"], read["told"], read["is_contested"]) == ("Ada", "Bo", True)
