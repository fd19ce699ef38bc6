"""The texts of seed 001, byte for byte, copied here by hand: the templates are what is tested."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.unit.protocol.playing import (
    ADA,
    BO,
    JUDGE,
    PREMISE,
    TOPIC,
    Play,
    configured,
    duel,
    play,
    readable,
)

from moot.protocol.formats.duel.answers import NameAnswer
from moot.protocol.steps import Step
from moot.protocol.words import Stance, StepKind

# Ours, before the seed's first words: what debaters are told of the judge, and how long to speak.
MANNER = """\
What the judge, Judith, has been asked to look for:
  Reward evidence.

Write about 150 words in each public statement. When you plan or think in private, short \
notes are enough.

"""

PLAN = """\
The debate topic is: Is mathematics discovered or invented?

Before the debate begins, privately plan your argument. What are your two or
three strongest points? What counterarguments do you expect, and how will you
answer them?"""
FIRST = MANNER + PLAN

THINK_OPENING = """\
The debate topic is: Is mathematics discovered or invented?

You are arguing FOR the premise: "Mathematics is discovered."

Your opponent is Bo. You are about to deliver your opening statement.
Privately consider: what is the strongest point to lead with?
How will you frame your position from the start?
Do not deliver your opening statement yet."""

THINK_OPENING_PLAIN = """\
The debate topic is: Is mathematics discovered or invented?

Your opponent is Bo. You are about to deliver your opening statement.
Privately consider: what is the strongest point to lead with?
How will you frame your position from the start?
Do not deliver your opening statement yet."""

OPENING = """\
The debate topic is: Is mathematics discovered or invented?

You are arguing FOR the premise: "Mathematics is discovered."

Your opponent is Bo. Deliver your opening argument now, in your own voice.
Speak directly and make your case. Do not write stage directions, do not write
your opponent's lines, and do not present both sides — give only your own argument."""

OPENING_PLAIN = """\
The debate topic is: Is mathematics discovered or invented?

Your opponent is Bo. Deliver your opening argument now, in your own voice.
Speak directly and make your case. Do not write stage directions, do not write
your opponent's lines, and do not present both sides — give only your own argument."""

# Ours, so that the judge knows what it judges: the seed's words follow.
OF_JUDGES = """\
When you weigh something in private, a short paragraph is enough. Where you are shown a format, \
take over the format only: the names and numbers in it stand for nothing.

"""
_CASE = """\
The debate topic is: Is mathematics discovered or invented?

Ada speaks first, Bo answers, and you judge what they say.
"""
CASE_PLAIN = f"{_CASE}\n{OF_JUDGES}"
CASE = f"""{_CASE}\
  Ada argues FOR the premise: "Mathematics is discovered."
  Bo argues AGAINST the premise: "Mathematics is discovered."

{OF_JUDGES}"""

EVALUATE = """\
Ada just argued:

"<opening/1/ada/speak>"

Privately consider this argument. How coherent is the logic? If evidence is
used, does it actually warrant the conclusion, or does it merely suggest it?
If they are challenging their opponent's evidence, is that challenge
well-reasoned — and if so, credit it as a strong move in its own right.
How effective is the rhetoric? Note strengths and weaknesses. Do not score yet."""

SCORE_FIRST = """\
Give Ada an initial score out of 10 based on this first impression.
Respond with a JSON object in exactly this format:
{"score": 7, "reasoning": "One sentence explaining the score."}
The score must be a whole number between 0 and 10 inclusive."""

SCORE_RUNNING = """\
Give your current running score for Ada out of 10. This is a
cumulative score reflecting their whole performance so far — revise it up if
they've strengthened their case, or down if they've been rebutted.
Respond with a JSON object in exactly this format:
{"score": 7, "reasoning": "One sentence explaining any change."}
The score must be a whole number between 0 and 10 inclusive."""

THINK_FIRST_OF_B = """\
You are arguing AGAINST the premise: "Mathematics is discovered."

Your opponent just said:

"<opening/1/ada/speak>"

Before you respond, privately reflect: What did they get right or wrong?
How does this shift the argument? How might the audience be reacting?
Plan what you'll say next. Do not give your debate response yet."""

THINK = """\
Your opponent just said:

"<exchange/1/bo/speak>"

Before you respond, privately reflect: What did they get right or wrong?
How does this shift the argument? How might the audience be reacting?
Plan what you'll say next. Do not give your debate response yet."""

THINK_FINAL = """\
Your opponent just said:

"<exchange/2/bo/speak>"

Before you respond, privately reflect: What did they get right or wrong?
How does this shift the argument? How might the audience be reacting?
Plan what you'll say next. This is your final turn — plan a strong closing argument that
summarises your case and lands a decisive point. Do not give your debate response yet."""

RESPOND = """\
Now give your actual debate response, in character.
Speak in your own voice only — do not write stage directions,
do not write your opponent's lines, and do not present both sides."""

RESPOND_FINAL = """\
This is your final turn. Deliver your closing argument:
summarise your strongest points, rebut your opponent's key claim,
and make a clear case for why you have won this debate.
Speak in your own voice only — do not write stage directions,
do not write your opponent's lines, and do not present both sides."""

DELIBERATE_PLAIN = """\
The debate is over. Privately weigh up what you just heard.
Who made the stronger case and why? Which specific arguments or moments swayed
you, and which fell flat? Give each debater a score out of 10 and decide on a
winner. Be specific. Write in the first person — use 'I', 'my', 'in my view'.
Do not refer to yourself by name or in the third person."""

DELIBERATE = f"""\
The debate premise was:
  Ada argued FOR the premise: "Mathematics is discovered."
  Bo argued AGAINST the premise: "Mathematics is discovered."

{DELIBERATE_PLAIN}"""

CONFIRM = """\
Based on your deliberation, who won?
Reply with exactly one of these names and nothing else: 'Ada' or 'Bo'."""

RECORD = """\
Now express that verdict as a JSON object in exactly this format:
{"winner": "Ada", "scores": {"Ada": 8, "Bo": 6}}
The "winner" must be 'Bo' — consistent with your deliberation above.
The "scores" dict must contain entries for both names.
All scores must be whole numbers between 0 and 10."""

# The seed says that without a confirmed winner either name is accepted, and leaves the words to us.
RECORD_OPEN = """\
Now express that verdict as a JSON object in exactly this format:
{"winner": "Ada", "scores": {"Ada": 8, "Bo": 6}}
The "winner" must be 'Ada' or 'Bo' — consistent with your deliberation above.
The "scores" dict must contain entries for both names.
All scores must be whole numbers between 0 and 10."""

ANNOUNCE = """\
Now deliver your verdict to the debaters and audience, briefly.
State who won, what they did well, and what let the other side down.
Write in the first person — use 'I', 'my', 'in my view'.
Do not refer to yourself by name or in the third person.
No more than a short paragraph."""


def for_bo(step: Step) -> str:
    return "Bo" if isinstance(step.answer, NameAnswer) else readable(step)


def for_both(step: Step) -> str:
    return "Ada and Bo" if isinstance(step.answer, NameAnswer) else readable(step)


@pytest.fixture(scope="module")
def with_premise() -> Play:
    return play(duel(turns=6, premise=PREMISE), for_bo)


@pytest.fixture(scope="module")
def plain() -> Play:
    return play(duel(turns=6), for_both)


WITH_PREMISE = {
    "planning/1/ada/plan": FIRST,
    "planning/1/bo/plan": FIRST,
    "opening/1/ada/think": THINK_OPENING,
    "opening/1/ada/speak": OPENING,
    "opening/1/judith/evaluate/ada": CASE + EVALUATE,
    "opening/1/judith/score/ada": SCORE_FIRST,
    "exchange/1/bo/think": THINK_FIRST_OF_B,
    "exchange/1/bo/speak": RESPOND,
    "exchange/1/judith/evaluate/bo": EVALUATE.replace("Ada just", "Bo just").replace(
        "opening/1/ada", "exchange/1/bo"
    ),
    "exchange/1/judith/score/bo": SCORE_FIRST.replace("Ada", "Bo"),
    "exchange/1/ada/think": THINK,
    "exchange/1/ada/speak": RESPOND,
    "exchange/1/judith/evaluate/ada": EVALUATE.replace("opening/1", "exchange/1"),
    "exchange/1/judith/score/ada": SCORE_RUNNING,
    "exchange/2/bo/think": THINK.replace("exchange/1/bo", "exchange/1/ada"),
    "exchange/2/bo/speak": RESPOND,
    "exchange/2/judith/evaluate/bo": EVALUATE.replace("Ada just", "Bo just").replace(
        "opening/1/ada", "exchange/2/bo"
    ),
    "exchange/2/judith/score/bo": SCORE_RUNNING.replace("Ada", "Bo"),
    "exchange/2/ada/think": THINK_FINAL,
    "exchange/2/ada/speak": RESPOND_FINAL,
    "exchange/2/judith/evaluate/ada": EVALUATE.replace("opening/1", "exchange/2"),
    "exchange/2/judith/score/ada": SCORE_RUNNING,
    "exchange/3/bo/think": THINK_FINAL.replace("exchange/2/bo", "exchange/2/ada"),
    "exchange/3/bo/speak": RESPOND_FINAL,
    "exchange/3/judith/evaluate/bo": EVALUATE.replace("Ada just", "Bo just").replace(
        "opening/1/ada", "exchange/3/bo"
    ),
    "exchange/3/judith/score/bo": SCORE_RUNNING.replace("Ada", "Bo"),
    "verdict/1/judith/deliberate": DELIBERATE,
    "verdict/1/judith/confirm": CONFIRM,
    "verdict/1/judith/record": RECORD,
    "verdict/1/judith/announce": ANNOUNCE,
}

WITHOUT_PREMISE = {
    **WITH_PREMISE,
    "opening/1/ada/think": THINK_OPENING_PLAIN,
    "opening/1/ada/speak": OPENING_PLAIN,
    "opening/1/judith/evaluate/ada": CASE_PLAIN + EVALUATE,
    "exchange/1/bo/think": THINK.replace("exchange/1/bo", "opening/1/ada"),
    "verdict/1/judith/deliberate": DELIBERATE_PLAIN,
    "verdict/1/judith/record": RECORD_OPEN,
}


def test_it_sends_the_seeds_words_and_nothing_else(with_premise: Play, plain: Play) -> None:
    assert {key: sent.prompt for key, sent in with_premise.sent.items()} == WITH_PREMISE
    assert {key: sent.prompt for key, sent in plain.sent.items()} == WITHOUT_PREMISE


def test_it_gives_the_sides_by_stance_when_the_con_side_opens() -> None:
    sent = play(duel(turns=2, premise=PREMISE, a=Stance.CON)).sent
    against, pro = THINK_OPENING.replace("FOR", "AGAINST"), 'FOR the premise: "Mathematics'
    assert sent["opening/1/ada/think"].prompt == against
    assert sent["opening/1/ada/speak"].prompt == OPENING.replace("FOR", "AGAINST")
    assert sent["exchange/1/bo/think"].prompt.startswith(f"You are arguing {pro}")
    assert sent["opening/1/judith/evaluate/ada"].prompt.startswith(
        CASE.replace("FOR", "%").replace("AGAINST", "FOR").replace("%", "AGAINST")
    )
    assert sent["verdict/1/judith/deliberate"].prompt.startswith(
        "The debate premise was:\n"
        '  Ada argued AGAINST the premise: "Mathematics is discovered."\n'
        '  Bo argued FOR the premise: "Mathematics is discovered."\n\n'
    )


def test_it_confirms_the_other_name_too() -> None:
    sent = play(duel(turns=1)).sent["verdict/1/judith/record"]
    assert sent.prompt == RECORD.replace("must be 'Bo'", "must be 'Ada'")


@pytest.mark.parametrize(
    ("participant", "expected"),
    [
        ("ada", "You are Ada.\n\nNumbers were there before us.\n\nBe brief."),
        ("bo", "You are Bo.\n\nWe made them up.\n\nBe vivid."),
        ("judith", "You are Judith.\n\nReward evidence."),
    ],
)
def test_it_joins_system_prompts_as_the_seed_says(
    with_premise: Play, participant: str, expected: str
) -> None:
    systems = {
        sent.system for sent in with_premise.sent.values() if sent.step.participant == participant
    }
    assert systems == {expected}


def test_it_leaves_empty_parts_out_of_the_system_prompt() -> None:
    bare = msgspec.structs.replace(ADA, position="", instructions="  Only this.\n")
    nobody = msgspec.structs.replace(BO, personality="", position="", instructions="")
    sent = play(configured("duel", (bare, nobody, JUDGE), turns=1)).sent
    assert sent["planning/1/ada/plan"].system == "You are Ada.\n\nOnly this."
    assert sent["planning/1/bo/plan"].system == ""


def test_it_sends_the_first_words_alone_where_there_is_nothing_to_be_told() -> None:
    alone = play(configured("duel", (ADA, BO), turns=1, words=0)).sent
    assert alone["planning/1/ada/plan"].prompt == PLAN


FINAL_STATEMENTS = [(1, []), (2, [2]), (3, [2, 3]), (4, [3, 4]), (6, [5, 6]), (7, [6, 7])]


@pytest.mark.parametrize(("turns", "final"), FINAL_STATEMENTS)
def test_it_asks_to_close_exactly_on_the_last_two_turns(turns: int, final: list[int]) -> None:
    played = play(duel(turns=turns))
    told = {
        kind: [
            turn.place[1]
            for turn in played.state.transcript()
            if turn.said.kind is kind and "This is your final turn" in turn.said.prompt
        ]
        for kind in (StepKind.THINK, StepKind.SPEAK)
    }
    assert told == {StepKind.THINK: final, StepKind.SPEAK: final}


def test_it_keeps_the_side_block_in_a_first_thought_that_is_also_the_last() -> None:
    prompt = play(duel(turns=2, premise=PREMISE)).sent["exchange/1/bo/think"].prompt
    assert prompt.startswith("You are arguing AGAINST the premise")
    assert "This is your final turn — plan a strong closing argument" in prompt


def test_it_quotes_what_looks_like_a_slot_as_text() -> None:
    nasty = '{topic} {statement} {side_block} {topic.__class__} {0} {{}} "\\n'
    ada = msgspec.structs.replace(ADA, personality=nasty)
    config = configured("duel", (ada, BO, JUDGE), topic=nasty, turns=2, premise=nasty)
    played = play(config, lambda step: nasty if not step.answer.schema else readable(step))
    sent = played.sent
    assert sent["planning/1/ada/plan"].prompt == FIRST.replace(TOPIC, nasty)
    assert sent["opening/1/ada/speak"].prompt == (
        OPENING.replace(PREMISE, "%").replace(TOPIC, nasty).replace("%", nasty)
    )
    assert sent["opening/1/judith/evaluate/ada"].prompt == (
        CASE.replace(PREMISE, "%").replace(TOPIC, nasty).replace("%", nasty)
        + EVALUATE.replace("<opening/1/ada/speak>", nasty)
    )
    assert sent["planning/1/ada/plan"].system.startswith(nasty.strip())


def test_it_asks_for_json_exactly_where_the_seed_has_json_mode(with_premise: Play) -> None:
    with_schema = {key for key, sent in with_premise.sent.items() if sent.step.answer.schema}
    assert with_schema == {key for key in WITH_PREMISE if "/score/" in key or "/record" in key}


def test_it_shows_an_example_that_is_readable_json(with_premise: Play) -> None:
    for key in ("opening/1/judith/score/ada", "exchange/1/judith/score/ada"):
        example = with_premise.sent[key].prompt.splitlines()[-2]
        assert set(json.loads(example)) == {"score", "reasoning"}
