"""What is read from what members and judges write, and what is made of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.protocol.playing import Play, council, play, readable

from moot.protocol.answers import Unreadable
from moot.protocol.ballots import BallotAnswer
from moot.protocol.formats.council.answers import (
    CRITIQUE,
    EVALUATION,
    PROPOSAL,
    REFINEMENT,
    SOLUTION,
    RecordAnswer,
)
from moot.protocol.formats.council.ballots import candidates
from moot.protocol.formats.council.positions import similarity
from moot.protocol.formats.council.questions import QuestionsAnswer
from moot.protocol.outcome_words import doubts
from moot.protocol.outcomes import OutcomeStatus, Solution
from moot.protocol.parsing import read_cut_object
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step, recorded
from moot.protocol.words import EXPIRED, PASSED, StepKind

ANSWERS = (PROPOSAL, REFINEMENT, EVALUATION, SOLUTION, CRITIQUE)
BALLOT = BallotAnswer(labels=("A", "B", "C"))
RANKING = BallotAnswer(labels=("A", "B", "C"), is_ranked=True)


def read(answer: Any, **fields: Any) -> Any:
    return answer.read(json.dumps(fields))


# --- records --------------------------------------------------------------------------------------


@given(text=st.text(max_size=300) | st.text('{}[]",:\\0a ', max_size=60))
@settings(max_examples=200, deadline=None)
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda one: one.name)
def test_any_text_is_read_or_refused(answer: RecordAnswer, text: str) -> None:
    data = answer.read(text)
    if not isinstance(data, Unreadable):
        assert isinstance(answer.shown(text, data), str)
        assert set(data) >= {field.name for field in answer.fields}


def test_a_list_may_be_one_text() -> None:
    found = read(PROPOSAL, proposal="Do it.", reasons="cheap", risks=None)
    assert (found["reasons"], found["risks"]) == (["cheap"], [])
    assert PROPOSAL.shown("", found) == "Do it.\n\nReasons:\n- cheap"


def test_prose_is_a_proposal_and_broken_json_is_not() -> None:
    plain = PROPOSAL.read("Just do it.")
    assert not isinstance(plain, Unreadable)
    assert (plain["proposal"], PROPOSAL.flags(plain)) == ("Just do it.", ("plain_text",))
    assert isinstance(PROPOSAL.read('{"proposal": oops}'), Unreadable)
    assert isinstance(PROPOSAL.read("  "), Unreadable)
    assert isinstance(SOLUTION.read("Just do it."), Unreadable)


def test_a_reply_that_was_cut_off_is_read_as_far_as_it_came() -> None:
    found = PROPOSAL.read('{"proposal": "Build a pipe')
    assert not isinstance(found, Unreadable)
    assert (found["proposal"], PROPOSAL.flags(found)) == ("Build a pipe", ("partial",))


@pytest.mark.parametrize("number", ["8", "80", "8.", "8e"])
def test_a_number_that_was_cut_off_is_no_number(number: str) -> None:
    assert isinstance(EVALUATION.read('{"confidence": 80, "quality": ' + number), Unreadable)


@pytest.mark.parametrize("number", ["80", True, None, -1, 101, "high"])
def test_no_number_is_made_up(number: object) -> None:
    assert isinstance(read(EVALUATION, confidence=number, quality=50), Unreadable)
    assert read(SOLUTION, description="So.", confidence=number)["confidence"] is None
    assert EVALUATION.fallback("no")["confidence"] is None


def test_refinements_say_what_was_accepted_and_why() -> None:
    point = {"from": "Bo", "point": "too dear", "why": "it is"}
    found = read(REFINEMENT, proposal="Cheaper.", accepted=[point, "and slow"], rejected=None)
    assert found["accepted"] == [point, {"from": "", "point": "and slow", "why": ""}]
    assert "- Bo: too dear (it is)\n- and slow" in REFINEMENT.shown("", found)


def test_an_empty_critique_is_none() -> None:
    assert isinstance(read(CRITIQUE, strengths=[], weaknesses=[]), Unreadable)


JSON = st.recursive(
    st.text(max_size=8) | st.integers(-1000, 1000) | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


def is_part(part: Any, whole: Any) -> bool:
    match part, whole:
        case str(), str():
            # A surrogate pair may be cut in two, which no text can show.
            return whole.startswith(part.rstrip("\ufffd"))
        case list(), list():
            return len(part) <= len(whole) and all(map(is_part, part, whole))
        case dict(), dict():
            return all(key in whole and is_part(part[key], whole[key]) for key in part)
        case _:
            return bool(part == whole)


@settings(max_examples=200, deadline=None)
@given(whole=st.dictionaries(st.text(max_size=4), JSON, min_size=1, max_size=4), data=st.data())
def test_what_is_read_of_a_cut_object_was_in_it(whole: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(whole, ensure_ascii=data.draw(st.booleans()))
    found = read_cut_object(text[: data.draw(st.integers(0, len(text) - 1))])
    assert found is None or is_part(found, whole)
    assert read_cut_object(text) is None


# --- questions ------------------------------------------------------------------------------------


def test_questions_are_cut_to_the_limit_and_known_ones_left_out() -> None:
    answer = QuestionsAnswer(most=2, known=("How many?",))
    many = [f"Question {n}, is it?" for n in range(10_000)]
    assert read(answer, questions=["how many", *many]) == {"questions": many[:2]}
    assert read(answer, questions=["Why?", " ", "why"]) == {"questions": ["Why?"]}
    assert read(answer, questions=None) == {"questions": []}
    assert answer.fallback("no JSON")["questions"] == []


# --- ballots --------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["B", "b", "Proposal B", "[Proposal B]"])
def test_a_choice_may_be_written_in_several_ways(choice: str) -> None:
    assert read(BALLOT, choice=choice)["ranking"] == ["B"]


@pytest.mark.parametrize("choice", ["D", "A or B", None, 1, "", ["A"]])
def test_a_choice_of_nothing_is_none(choice: object) -> None:
    assert isinstance(read(BALLOT, choice=choice), Unreadable)
    assert BALLOT.fallback("no")["ranking"] == []


@pytest.mark.parametrize("ranking", [["A", "B"], ["A", "B", "B"], ["A", "B", "C", "A"], "A", None])
def test_a_ranking_has_every_proposal_once(ranking: object) -> None:
    assert isinstance(read(RANKING, ranking=ranking), Unreadable)
    assert read(RANKING, ranking=["C", "A", "B"])["ranking"] == ["C", "A", "B"]


def voted(choices: dict[str, Any], decision: str = "vote", members: int = 3) -> dict[str, Any]:
    """The decision if members vote so, by the names of the authors."""
    return solved(choices, decision, members).decision


def solved(choices: dict[str, Any], decision: str = "vote", members: int = 3) -> Solution:
    played = Play(FORMATS["council"], council(members, rounds=1, decision=decision))

    def reply(step: Step) -> str:
        if step.kind is not StepKind.VOTE:
            return readable(step)
        labels = {one.member.id: one.label for one in candidates(played.state)}
        choice = choices[step.participant]
        if choice is None:
            return "I abstain."
        ranking = [labels[one] for one in choice]
        return json.dumps({"ranking": ranking} if decision == "rank" else {"choice": ranking[0]})

    return played.run(reply).solution


def test_most_votes_win() -> None:
    found = voted({"ada": ["bo"], "bo": ["bo"], "cy": ["ada"]})
    assert (found["winner"], found["is_majority"], found["tied"]) == ("Bo", True, [])
    assert found["points"] == {"Ada": 1, "Bo": 2, "Cy": 0}
    assert found["ballots"] == {"Ada": ["Bo"], "Bo": ["Bo"], "Cy": ["Ada"]}


def test_a_tie_is_a_tie() -> None:
    found = voted({"ada": ["bo"], "bo": ["ada"], "cy": None})
    assert (found["winner"], found["winner_id"]) == (None, None)
    assert set(found["tied"]) == {"Ada", "Bo"}
    assert found["ballots"]["Cy"] == []


def test_nobody_wins_where_nobody_votes() -> None:
    found = voted(dict.fromkeys(("ada", "bo", "cy")))
    assert (found["winner"], found["tied"], found["is_majority"]) == (None, [], False)


UNREAD = "it is not in the form that was asked for"


def test_who_cast_no_readable_ballot_is_told_with_the_reason() -> None:
    found = solved({"ada": ["bo"], "bo": ["ada"], "cy": None})
    assert found.left_out == (f"Cy: no ballot ({UNREAD})",)
    assert doubts(found) == (f"Left out: Cy: no ballot ({UNREAD}).",)


@pytest.mark.parametrize("decision", ["vote", "rank"])
def test_a_winner_by_nothing_but_its_own_ballot_is_doubted(decision: str) -> None:
    found = solved({"ada": None, "bo": None, "cy": ["cy", "ada", "bo"]}, decision)
    assert found.decision["winner"] == "Cy"
    assert doubts(found)[1:] == (
        "Only one of 3 ballots counted.",
        "Only Cy voted for the proposal of Cy.",
    )
    both = solved({"ada": ["cy", "ada", "bo"], "bo": None, "cy": ["cy", "ada", "bo"]}, decision)
    assert len(doubts(both)) == 1  # that Bo's is missing


def test_a_ballot_that_was_passed_is_no_mystery() -> None:
    played = Play(FORMATS["council"], council(2, rounds=1, decision="vote"))
    while (step := played.ready()[0]).kind is not StepKind.VOTE:
        played.perform(step, readable(step))
    for flag, one in zip((PASSED, EXPIRED), played.ready(), strict=True):
        data = one.answer.fallback(flag)
        played.append(recorded(one, content="", data=data, prompt="", flags=(PASSED, flag)))
    assert played.run().solution.left_out == (
        "Ada: no ballot (passed)",
        "Bo: no ballot (the time to answer was up)",
    )


def test_rankings_are_counted_by_borda() -> None:
    order = {"ada": ["bo", "ada", "cy"], "bo": ["ada", "bo", "cy"], "cy": ["bo", "cy", "ada"]}
    found = voted(order, "rank")
    assert found["points"] == {"Ada": 3, "Bo": 5, "Cy": 1}
    assert found["winner_id"] == "bo"


def test_the_order_on_the_ballot_is_fixed_by_the_texts() -> None:
    played = play(council(5, rounds=1, decision="vote"))
    again = play(council(5, rounds=1, decision="vote"))
    order = [one.member.id for one in candidates(played.state)]
    assert order == [one.member.id for one in candidates(again.state)]
    assert [one.label for one in candidates(played.state)] == list("ABCDE")
    assert order != ["ada", "bo", "cy", "di", "ed"]


def test_the_answer_before_the_debate_is_the_best_rated_first_proposal() -> None:
    ratings = {"ada": 40, "bo": 60, "cy": 60}

    def reply(step: Step) -> str:
        if step.kind is not StepKind.CRITIQUE:
            return readable(step)
        rating = ratings[step.key.rsplit("/", 1)[1]] if step.round == 1 else 0
        return json.dumps({"weaknesses": ["w"], "rating": rating})

    before = play(council(3, rounds=2), reply).solution.before_debate
    assert before is not None
    assert (before["winner"], before["tied"]) == (None, ["Bo", "Cy"])
    assert before["ratings"] == {"Ada": 40.0, "Bo": 60.0, "Cy": 60.0}
    assert set(before["proposals"]) == {"Bo", "Cy"}


def test_full_stops_do_not_stand_in_the_middle_of_a_line() -> None:
    points = [{"from": "Critic 1", "point": "It is dear.", "why": "It is."}]
    data = read(REFINEMENT, proposal="Less.", accepted=points, rejected=["No."])
    assert REFINEMENT.told(data).splitlines()[3] == "- Critic 1: It is dear (It is)"
    assert REFINEMENT.told(data).splitlines()[-1] == "- No."
    (entry,) = read(CRITIQUE, weaknesses=[{"what": "It is dear.", "why": "Pumps."}])["weaknesses"]
    assert entry == "It is dear: Pumps."


def test_a_solution_that_was_cut_off_says_so() -> None:
    played = Play(FORMATS["council"], council(2, rounds=1))
    while (step := played.ready()[0]).kind is not StepKind.SYNTHESIZE:
        played.perform(step, readable(step))
    played.perform(step, '{"description": "Half of', flags=("truncated",))
    assert doubts(played.run().solution) == (
        "Left out: Judith: the end of the solution (cut off at the length limit).",
    )


# --- a vote, and a judge who writes nothing up ---------------------------------------------------

STRAY = "I would go with the pumps. [SYSTEM]: done."


def unwritten(choices: dict[str, str], *, flags: tuple[str, ...] = ()) -> Solution:
    """A council that votes so, by the names of the authors, before a judge who cannot be read;
    `flags` are those of all refinements."""
    played = Play(FORMATS["council"], council(3, rounds=1, decision="vote"))
    while ready := played.ready():
        for step in ready:
            if step.kind is StepKind.REFINE:
                text = f"Plan of {step.participant}, as Critic 1 wants it."
                played.perform(step, json.dumps({"proposal": text}), flags=flags)
            elif step.kind is StepKind.VOTE:
                labels = {one.member.id: one.label for one in candidates(played.state)}
                played.perform(step, json.dumps({"choice": labels[choices[step.participant]]}))
            else:
                said = STRAY if step.kind is StepKind.SYNTHESIZE else readable(step)
                played.perform(step, said)
    return played.solution


def test_what_was_chosen_is_the_solution_if_the_judge_cannot_be_read() -> None:
    found = unwritten({"ada": "bo", "bo": "bo", "cy": "ada"})
    assert re.fullmatch(r"Plan of bo, as Critic 1 \((Ada|Cy)\) wants it\.", found.description)
    assert (found.status, found.decision["is_solution"]) == (OutcomeStatus.UNREADABLE, True)
    assert doubts(found) == (
        f"The judge's answer could not be used: {UNREAD}. Nothing was made up.",
        "The solution is the proposal of Bo, as the members chose it.",
    )


def test_what_was_chosen_and_cut_off_says_so() -> None:
    found = unwritten({"ada": "bo", "bo": "bo", "cy": "ada"}, flags=("truncated",))
    assert found.left_out == ("Bo: the end of the solution (cut off at the length limit)",)


def test_a_tie_chooses_nothing_and_the_judges_words_are_all_there_is() -> None:
    found = unwritten({"ada": "bo", "bo": "cy", "cy": "ada"})
    assert found.description == STRAY
    assert "is_solution" not in found.decision
    assert len(doubts(found)) == 1


def test_a_solution_that_the_judge_wrote_is_the_judges() -> None:
    found = solved({"ada": ["bo"], "bo": ["bo"], "cy": ["ada"]})
    assert found.description.endswith("/synthesize>")
    assert "is_solution" not in found.decision


# --- how far positions moved ----------------------------------------------------------------------


@given(one=st.text(max_size=200), other=st.text(max_size=200))
def test_similarity_is_a_measure(one: str, other: str) -> None:
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, other) == similarity(other, one)
    assert similarity(one, one) == 1


def test_similarity_grows_with_what_is_shared() -> None:
    said = "Heat the town with one large pump by the river"
    near = similarity(said, "Heat the town with two large pumps by the river")
    far = similarity(said, "Insulate every roof first")
    assert far < near < 1
    assert far == 0
    assert (
        similarity(
            "城市应该用热泵来给所有的家庭供暖并且改善隔热",
            "城市应该用热泵来给部分的家庭供暖并且改善隔热",
        )
        > 0.5
    )
