"""How speakers are asked to speak: for which side, how long, and what the judge looks for."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.protocol.examples import without_positions
from tests.unit.protocol.moderating import MO, debaters, moderated
from tests.unit.protocol.playing import ADA, BO, JUDGE, configured, duel, play, rounds

from moot.definitions import personas
from moot.prompts import render
from moot.protocol.briefs import joined, sets_length
from moot.protocol.values import Participant
from moot.protocol.words import HUMAN, Role

FOR, AGAINST = 'for "discovered"', 'for "invented"'


# --- how long -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["Keep to 120 to 180 words.", "Speak in two short sentences.", "One paragraph.", "a few words"],
)
def test_it_leaves_the_length_to_a_persona_that_sets_one(text: str) -> None:
    assert sets_length(msgspec.structs.replace(ADA, instructions=text))


@pytest.mark.parametrize("text", ["", "Choose your words with care.", "Underline the sentence."])
def test_it_takes_nothing_else_for_a_length(text: str) -> None:
    assert not sets_length(msgspec.structs.replace(ADA, instructions=text, personality="two words"))


def test_all_general_debaters_set_theirs() -> None:
    for entry in personas.general():
        if entry.role is Role.DEBATER:
            told = entry.persona.instructions
            assert sets_length(Participant(id="x", name="X", role=Role.DEBATER, instructions=told))


def test_lengths_are_asked_for_in_words() -> None:
    sent = play(rounds(max_rounds=1)).sent
    assert sent["debate/1/ada/speak"].prompt.endswith(" Write about 150 words.")
    assert "words." not in sent["verdict/1/judith/verdict"].prompt
    sent = play(rounds(max_rounds=1, words=70)).sent
    assert sent["debate/1/bo/speak"].prompt.endswith(" Write about 70 words.")
    sent = play(rounds(max_rounds=1, words=0)).sent
    assert "Write about" not in sent["debate/1/bo/speak"].prompt
    brief = msgspec.structs.replace(ADA, instructions="Two sentences, no more.")
    sent = play(configured("rounds", (brief, BO, JUDGE), max_rounds=1)).sent
    assert "Write about" not in sent["debate/1/ada/speak"].prompt
    assert "Write about" in sent["debate/1/bo/speak"].prompt


def test_every_part_of_a_moderated_debate_has_its_length() -> None:
    sent = play(moderated("classic", 2)).sent
    asked = {
        key: prompt.rpartition(" Write about ")[2]
        for key, prompt in ((key, one.prompt) for key, one in sent.items())
    }
    assert asked["introduction/1/mo/speak"] == "100 words."
    assert asked["pro_opening/1/ada/speak"] == asked["con_rebuttal/1/bo/speak"] == "200 words."
    assert asked["free/2/mo/speak"] == "100 words."
    assert asked["free/2/ada/speak/1"] == "80 words."
    assert asked["con_summary/1/bo/speak"] == "150 words."
    assert asked["conclusion/1/mo/summarize"] == "250 words."


# --- what the judge looks for ---------------------------------------------------------------------


LOOKED_FOR = "What the judge, Judith, has been asked to look for:\n"


def test_debaters_of_a_duel_are_told_what_the_judge_looks_for_before_they_plan() -> None:
    sent = play(duel(turns=1)).sent
    for plan in ("planning/1/ada/plan", "planning/1/bo/plan"):
        assert f"{LOOKED_FOR}  Reward evidence." in sent[plan].prompt
    alone = play(duel(turns=1, judge=False)).sent.values()
    assert not [one for one in alone if "look for" in one.prompt]


def test_debaters_in_rounds_are_told_what_the_judge_looks_for() -> None:
    sent = play(rounds(max_rounds=1)).sent.values()
    told = [one.system for one in sent if one.step.participant in ("ada", "bo")]
    assert told
    assert all(LOOKED_FOR in one and "  Reward evidence." in one for one in told)
    alone = play(rounds(max_rounds=1, judge=False)).sent.values()
    assert not [one for one in alone if "look for" in one.system]


def test_they_are_told_the_usual_criteria_of_a_judge_who_has_none() -> None:
    sent = play(without_positions("duel", turns=1)).sent
    assert "  Coherent logic." in sent["planning/1/bo/plan"].prompt
    sent = play(without_positions("rounds", max_rounds=1)).sent
    debater, judge = sent["debate/1/ada/speak"].system, sent["verdict/1/judith/verdict"].system
    rule = "- Claims that are invented, and words put into the other's mouth, count against"
    assert rule in debater
    assert rule in judge


# --- for which side -------------------------------------------------------------------------------


def test_a_duel_without_a_premise_tells_the_sides_before_anybody_plans() -> None:
    sent = play(without_positions("duel", turns=2)).sent
    ada = f"Your side: you argue {FOR}. Your opponent, Bo, argues {AGAINST}."
    bo = f"Your side: you argue {AGAINST}. Your opponent, Ada, argues {FOR}."
    assert sent["planning/1/ada/plan"].prompt.startswith(f"{ada}\n\nWhat the judge, ")
    assert sent["planning/1/bo/plan"].prompt.startswith(f"{bo}\n\nWhat the judge, ")
    assert ada in sent["opening/1/ada/think"].prompt
    assert ada in sent["opening/1/ada/speak"].prompt
    assert sent["exchange/1/bo/think"].prompt.startswith(f"{bo}\n\nYour opponent just said:")
    judged = sent["opening/1/judith/evaluate/ada"].prompt
    assert f"  Ada argues {FOR}.\n  Bo argues {AGAINST}.\n\nWhen you weigh" in judged


def test_rounds_tell_the_sides_to_debaters_and_judge() -> None:
    sent = play(without_positions("rounds", max_rounds=1, stance_a="con")).sent
    assert f"Your stance is CON: you argue {AGAINST}. Bo argues {FOR}." in (
        sent["debate/1/ada/speak"].system
    )
    judge = sent["verdict/1/judith/verdict"].system
    assert f"- Ada is CON: argues {AGAINST}." in judge
    assert f"- Bo is PRO: argues {FOR}." in judge


def test_a_position_comes_before_what_the_topic_says() -> None:
    sent = play(without_positions("rounds", "ada", max_rounds=1)).sent
    assert "you defend the position that is given below" in sent["debate/1/ada/speak"].system
    assert "If the topic is a question, you answer no" in sent["debate/1/bo/speak"].system
    assert 'discovered"' not in "".join(one.text for one in sent.values())


def test_a_classic_debate_tells_the_sides_to_everybody() -> None:
    sent = play(configured("classic", (MO, *debaters(3)), topic="Tabs or spaces?")).sent
    assert '- Ada (pro: argues for "Tabs")' in sent["introduction/1/mo/speak"].system
    told = 'Your stance is CON: you argue for "spaces". The other side argues for "Tabs".'
    assert told in sent["con_opening/1/bo/speak"].system


def test_who_is_on_a_side_is_not_asked_what_changed_their_mind() -> None:
    sent = play(moderated("custom", 2, max_rounds=2, stances=True)).sent
    assert "You do not change sides." in sent["discussion/2/ada/speak"].system
    assert "changed your mind" not in sent["discussion/2/ada/speak"].prompt
    assert "why your side has the better answer" in sent["discussion/2/ada/speak"].prompt
    free = play(moderated("custom", 2, max_rounds=2)).sent
    assert "changed your mind" in free["discussion/2/ada/speak"].prompt


# --- parts ----------------------------------------------------------------------------------------


def test_it_joins_what_there_is() -> None:
    assert render(joined()) == render(joined("", "")) == ""
    assert render(joined("", "a")) == "a"
    assert render(joined("a", "", "b", "c")) == "a\n\nb\n\nc"


# --- who is who -----------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", ["rounds", "duel"])
def test_a_judge_who_is_called_judge_is_named_once(format_: str) -> None:
    nameless = msgspec.structs.replace(JUDGE, id="judge", name="Judge")
    for judge, told in ((JUDGE, "What the judge, Judith, has"), (nameless, "What the judge has")):
        sent = play(configured(format_, (ADA, BO, judge))).sent.values()
        texts = [one.text for one in sent]
        assert any(told in text for text in texts)
        assert not any("judge, Judge" in text or "Judge, the judge" in text for text in texts)


def test_a_moderator_who_is_called_moderator_is_named_once() -> None:
    for name, told in (("Mo", "You are Mo, the moderator of"), ("Moderator", "You are the mod")):
        mo = msgspec.structs.replace(MO, name=name)
        sent = play(configured("standard", (mo, *debaters(2)), max_rounds=1)).sent.values()
        assert [one for one in sent if one.system.startswith(told)]


@pytest.mark.parametrize(("name", "told"), [("Jo", "Jo, the judge"), ("JUDGE", "the judge")])
def test_a_person_is_told_their_part_once(name: str, told: str) -> None:
    judge = msgspec.structs.replace(JUDGE, name=name, model=HUMAN)
    sent = play(configured("rounds", (ADA, BO, judge), max_rounds=1)).sent
    step = next(one.step for one in sent.values() if one.step.participant == judge.id)
    assert step.for_people is not None
    assert render(step.for_people).startswith(f"You are {told} of this debate.\n")
