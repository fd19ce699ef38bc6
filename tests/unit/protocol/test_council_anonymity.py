"""Who wrote a proposal or a critique is told to people, and to no model."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.protocol.playing import NAMES, Play, council, play, readable

from moot.protocol.formats.council.seats import (
    authors,
    critic_label,
    critics_names,
    proposal_label,
)
from moot.protocol.labelling import named, relabelled
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.words import Role, StepKind

FORM = FORMATS["council"]


def talking(played: Play) -> Play:
    """Everybody speaks of proposals and critics by the labels they know."""

    def reply(step: Step) -> str:
        if step.kind is StepKind.REFINE:
            point = {"from": "Critic 1", "point": "it is dear", "why": "Critic 1 is right"}
            said = f"As Critic 2 says, {step.participant} builds less."
            return json.dumps({"proposal": said, "accepted": [point], "rejected": []})
        if step.kind is StepKind.CRITIQUE:
            return json.dumps({"weaknesses": ["Proposal A and B are dear"], "rating": 40})
        if step.kind is StepKind.EVALUATE:
            found = {"reasons": "Proposals A, B and C differ.", "confidence": 9, "quality": 9}
            return json.dumps(found)
        if step.kind is StepKind.SYNTHESIZE:
            found = {"description": "Proposal A, with the roof of proposal B."}
            return json.dumps({**found, "dissent": ["Proposal C wants gas."]})
        if step.kind is StepKind.VOTE:
            return json.dumps({"reasons": "Proposal B is dear.", "choice": "A"})
        return readable(step).replace(step.participant, "me")

    return played.run(reply)


@pytest.mark.parametrize("decision", ["synthesis", "vote", "rank"])
def test_no_prompt_names_another_member(decision: str) -> None:
    played = talking(Play(FORM, council(4, rounds=2, termination="convergence", decision=decision)))
    roster = {one.id: one.name for one in played.state.config.participants}
    for sent in played.sent.values():
        others = [name for one, name in roster.items() if one != sent.step.participant]
        for name in others:
            assert not re.search(rf"\b{name}\b", sent.text), (sent.step.key, name)


def test_a_critic_is_known_to_the_author_by_a_number_that_tells_nothing_of_its_letter() -> None:
    played = talking(Play(FORM, council(3, rounds=1)))
    state = played.state
    sent = played.sent["refinement/1/bo/refine"].prompt
    assert {"[Critic 1]", "[Critic 2]"} == set(re.findall(r"^\[Critic \d\]", sent, re.MULTILINE))
    letters = {one: proposal_label(state, one) for one in ("ada", "bo", "cy")}
    assert sorted(letters.values()) == ["Proposal A", "Proposal B", "Proposal C"]
    assert f"[{letters['bo']}]" in played.sent["critique/1/ada/critique/bo"].prompt
    judged = played.sent["synthesis/1/judith/synthesize"].text
    assert f"[{critic_label(state, 'cy', 'bo')} on {letters['bo']}]:" in judged


def test_people_read_names_behind_the_labels() -> None:
    played = talking(Play(FORM, council(3, rounds=1, decision="vote", termination="quality")))
    state = played.state
    a, b, c = (authors(state)[f"Proposal {letter}"] for letter in "ABC")
    refined = state.turns["refinement/1/bo/refine"].said.content
    first, second = (critics_names(state, "bo")[f"Critic {n}"] for n in (1, 2))
    assert refined.startswith(f"As Critic 2 ({second}) says, bo builds less.")
    assert f"- Critic 1 ({first}): it is dear (Critic 1 ({first}) is right)" in refined
    critique = state.turns["critique/1/ada/critique/bo"].said.content
    assert critique.startswith(f"On the proposal of Bo, as {critic_label(state, 'ada', 'bo')}:")
    assert f"Proposal A ({a}) and B ({b}) are dear" in critique
    assert (
        state.turns["evaluation/1/judith/evaluate"].said.content
        == f"Proposals A ({a}), B ({b}) and C ({c}) differ.\n\nAgreement: 9\n\nQuality: 9"
    )
    found = played.solution
    assert found.description == f"Proposal A ({a}), with the roof of proposal B ({b})."
    assert found.dissent == (f"Proposal C ({c}) wants gas.",)
    # The data is what was answered, so that no prompt made of it can have a name.
    assert (state.turns["synthesis/1/judith/synthesize"].said.data or {})[
        "description"
    ] == "Proposal A, with the roof of proposal B."


def test_the_judge_reads_ballots_with_the_letters_it_knows() -> None:
    played = talking(Play(FORM, council(3, rounds=1, decision="vote")))
    sent = played.sent["synthesis/1/judith/synthesize"].text
    chosen = proposal_label(played.state, str(played.solution.decision["winner_id"]))
    assert f"[A ballot]: {chosen}\n" in sent
    assert f"by ballot: {chosen} is chosen" in sent
    names = {one.name for one in played.state.config.participants if one.role is Role.MEMBER}
    ballot = played.state.turns["synthesis/1/ada/vote"].said.content
    assert any(f"Proposal A ({name})" in ballot for name in names)


def test_members_and_judge_find_their_own_answers_in_the_form_they_are_asked_for() -> None:
    played = play(council(2, rounds=2, termination="quality"))
    for key in (
        "refinement/2/ada/refine",
        "critique/2/bo/critique/ada",
        "evaluation/2/judith/evaluate",
    ):
        sent = played.sent[key]
        own = [one.content for one in sent.history if one.role == "assistant"]
        assert own
        assert all(isinstance(json.loads(one), dict) for one in own), own


def test_an_answer_in_prose_is_recalled_as_it_was_written() -> None:
    def reply(step: Step) -> str:
        is_record = step.kind in (StepKind.PROPOSE, StepKind.CRITIQUE, StepKind.REFINE)
        return f"Prose by {step.key}, Proposal A." if is_record else readable(step)

    played = play(council(2, rounds=2, termination="fixed"), reply)
    own = [one.content for one in played.sent["refinement/2/ada/refine"].history[1::2]]
    assert own[:2] == [
        "Prose by proposal/1/ada/propose, Proposal A.",
        "Prose by critique/1/ada/critique/bo, Proposal A.",
    ]
    assert "[Critic 1]: Prose by critique/2/bo/critique/ada, Proposal A.\n" in (
        played.sent["refinement/2/ada/refine"].prompt
    )


@settings(max_examples=200)
@given(text=st.text(max_size=60) | st.text("Proposals CriticA12,and or", max_size=60))
def test_names_are_added_and_nothing_is_taken_away(text: str) -> None:
    names = {f"Proposal {letter}": name for letter, name in zip("ABC", NAMES, strict=False)}
    found = named(text, names)
    for name in names.values():
        found = found.replace(f" ({name})", "")
    assert found == text or any(f" ({name})" in text for name in names.values())
    assert named(text, {}) == relabelled(text, {}) == text


def test_only_what_is_a_label_gets_a_name() -> None:
    names = {"Proposal A": "Ada", "Proposal B": "Bo"}
    assert named("A plan, not Proposal Z or a proposal Beta.", names) == (
        "A plan, not Proposal Z or a proposal Beta."
    )
    assert named("proposals A/B", names) == "proposals A (Ada)/B (Bo)"
    assert relabelled(
        "Proposal A or B", {"Proposal A": "Proposal B", "Proposal B": "Proposal A"}
    ) == ("Proposal B or A")
