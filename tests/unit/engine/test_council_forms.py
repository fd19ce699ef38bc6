"""A person on a council criticises all proposals of a round in one form."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.unit.cli.test_asking import Typed
from tests.unit.protocol.playing import Play, council, readable

from moot.cli.questions import fill_in
from moot.engine.people import answered, asked
from moot.errors import InvalidInput
from moot.protocol.events import QuestionOpened, TurnRecorded
from moot.protocol.formats.council.positions import final_position, stability
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.words import HUMAN, PASSED, StepKind


def to_critiques(members: int = 3) -> tuple[Play, list[Step]]:
    """A council whose first member is a person, as far as the critiques of models are in; and what
    the person is asked then."""
    config = council(members, rounds=1)
    me, *others = config.participants
    seated = (msgspec.structs.replace(me, model=HUMAN), *others)
    played = Play(FORMATS["council"], msgspec.structs.replace(config, participants=seated))
    while ready := [one for one in played.ready() if not _is_mine(one)]:
        played.perform(ready[0], readable(ready[0]))
    return played, [one for one in played.ready() if _is_mine(one)]


def _is_mine(step: Step) -> bool:
    return step.participant == "ada" and step.kind is StepKind.CRITIQUE


def ask(played: Play, step: Step) -> QuestionOpened:
    question = asked(played.state, step, played.now)
    played.append(question)
    return question


def give(played: Play, question: QuestionOpened, given: Any) -> list[TurnRecorded]:
    events = answered(played.state, {question.question_id: given}, played.now)
    played.append(*events)
    return [one for one in events if isinstance(one, TurnRecorded)]


def test_it_asks_for_all_critiques_at_once_by_labels_and_without_names() -> None:
    played, (step,) = to_critiques()
    question = ask(played, step)
    assert question.form is not None
    names = [one["name"] for one in question.form["fields"]]
    assert len(names) == 4
    assert [one.partition("_")[0] for one in names] == ["critique", "rating"] * 2
    assert not any(one["required"] for one in question.form["fields"])
    assert "Bo" not in question.text
    assert "Cy" not in question.text
    assert question.text.count("[Proposal ") == 2


def test_every_critique_has_its_own_turn_and_the_author_reads_it_without_a_name() -> None:
    played, (step,) = to_critiques()
    question = ask(played, step)
    fields = [one["name"] for one in (question.form or {})["fields"]]
    given = dict(zip(fields, ["Too dear.", 30, "Too slow.", 40], strict=True))
    turns = give(played, question, given)
    assert {one.about for one in turns} == {"bo", "cy"}
    assert [(one.data or {})["rating"] for one in turns] == [30, 40]
    assert [one.flags for one in turns] == [(), ()]
    assert not played.state.questions
    played.run()
    said = {one.about: one.content.split("\n\n")[1:] for one in turns}
    assert said == {"bo": ["Too dear.", "Rating: 30"], "cy": ["Too slow.", "Rating: 40"]}
    for author, texts in said.items():
        prompt = played.sent[f"refinement/1/{author}/refine"].prompt
        assert all(text in prompt for text in texts)
        assert "Ada" not in prompt


@pytest.mark.parametrize("number", [0, 1])
def test_what_is_left_empty_is_passed_and_the_rest_counts(number: int) -> None:
    played, (step,) = to_critiques()
    question = ask(played, step)
    field = (question.form or {})["fields"][2 * number]["name"]
    turns = give(played, question, {field: "Too dear."})
    assert [PASSED in one.flags for one in turns] == [number != 0, number != 1]
    assert played.run().state.outcome is not None


def test_a_rating_alone_is_a_critique() -> None:
    played, (step,) = to_critiques()
    question = ask(played, step)
    turns = give(played, question, {(question.form or {})["fields"][1]["name"]: 55})
    assert turns[0].content.endswith("Rating: 55")


@pytest.mark.parametrize("given", [{}, {"critique_z": "What?"}, "Both are fine."])
def test_a_form_that_says_nothing_is_refused_and_nothing_changes(given: Any) -> None:
    played, (step,) = to_critiques()
    question = ask(played, step)
    seq = played.state.seq
    with pytest.raises(InvalidInput):
        give(played, question, given)
    assert (played.state.seq, list(played.state.questions)) == (seq, [question.question_id])


def test_who_passes_has_passed_all_of_them() -> None:
    played, (step,) = to_critiques()
    turns = give(played, ask(played, step), "")
    assert [one.flags for one in turns] == [(PASSED,), (PASSED,)]


def test_of_two_members_one_may_simply_write() -> None:
    played, (step,) = to_critiques(2)
    (turn,) = give(played, ask(played, step), "Too dear.")
    assert turn.content.endswith("Too dear.")


def test_a_council_that_asked_one_by_one_goes_on_so() -> None:
    played, (step,) = to_critiques()
    for one in (*step.along, step):
        ask(played, msgspec.structs.replace(one, along=()))
    mine = [one for one in played.ready() if _is_mine(one)]
    assert {one.key for one in mine} == {one.key for one in (*step.along, step)}
    assert not any(one.along for one in mine)


# --- a refinement ---------------------------------------------------------------------------------


def to_refinement() -> tuple[Play, QuestionOpened]:
    played, (step,) = to_critiques()
    give(played, ask(played, step), "")
    while (mine := played.ready()[0]).participant != "ada" or mine.kind is not StepKind.REFINE:
        played.perform(mine, readable(mine))
    return played, ask(played, mine)


@pytest.mark.parametrize("given", ["", {}, {"proposal": "  "}, {"proposal": "", "accepted": ""}])
def test_an_empty_refinement_leaves_the_proposal_as_it_is(given: Any) -> None:
    played, question = to_refinement()
    assert "Leave the proposal empty to keep it as it is." in question.text
    (turn,) = give(played, question, given)
    assert turn.flags == (PASSED,)
    state = played.run().state
    assert final_position(state, "ada") is state.turns["proposal/1/ada/propose"]


def test_who_leaves_only_the_proposal_empty_keeps_it_and_answers_the_critiques() -> None:
    played, question = to_refinement()
    (turn,) = give(played, question, {"accepted": ["it is dear"]})
    first = played.state.turns["proposal/1/ada/propose"].said.data or {}
    data = turn.data or {}
    assert (data["proposal"], turn.flags) == (first["proposal"], ())
    assert [one["point"] for one in data["accepted"]] == ["it is dear"]


async def test_at_the_terminal_empty_lines_are_enough() -> None:
    played, question = to_refinement()
    assert question.form is not None
    given = await fill_in(question.form, Typed("", "", ""), lambda _: None)
    (turn,) = give(played, question, given)
    assert turn.flags == (PASSED,)


def test_who_passes_has_kept_all_of_a_position() -> None:
    played, question = to_refinement()
    give(played, question, "")
    while (step := played.ready()[0]).kind is StepKind.REFINE:
        played.perform(step, '{"proposal": "Something else entirely."}')
    assert (stability(played.state, 1) or 0) >= 33
