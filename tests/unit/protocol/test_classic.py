"""Seed 000, "Classic Mode": nine stages, two sides, teams that take turns."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from tests.unit.protocol.moderating import (
    MO,
    begun,
    debaters,
    entered,
    moderated,
    signals,
    spoken,
)
from tests.unit.protocol.playing import TOPIC, Play, configured, play, readable

from moot.errors import InvalidInput
from moot.protocol.formats.moderated.classic import STAGES, Classic, ClassicSettings
from moot.protocol.values import Participant, Usage
from moot.protocol.words import Stance, StepKind, StopReason

SEED = [
    "introduction",
    "pro_opening",
    "con_opening",
    "pro_rebuttal",
    "con_rebuttal",
    "free",
    "pro_summary",
    "con_summary",
    "conclusion",
]


def on(*stances: Stance) -> tuple[Participant, ...]:
    pairs = zip(debaters(len(stances)), stances, strict=True)
    return tuple(msgspec.structs.replace(one, stance=stance) for one, stance in pairs)


def test_it_has_the_nine_stages_of_the_seed() -> None:
    assert [stage.name for stage in Classic.stages] == SEED
    played = play(moderated("classic", 2))
    assert entered(played) == [
        (name, n) for name in SEED for n in (1, 2) if n == 1 or name == "free"
    ]
    assert played.state.stop_reason is StopReason.DONE


def test_it_lets_pro_and_con_alternate_and_the_moderator_lead() -> None:
    played = play(moderated("classic", 2))
    turns = [(turn.said.stage, turn.said.participant) for turn in played.state.transcript()]
    assert turns == [
        ("introduction", "mo"),
        ("pro_opening", "ada"),
        ("con_opening", "bo"),
        ("pro_rebuttal", "ada"),
        ("con_rebuttal", "bo"),
        ("free", "mo"),
        *[("free", "ada"), ("free", "bo")],
        ("free", "mo"),
        *[("free", "ada"), ("free", "bo")],
        ("pro_summary", "ada"),
        ("con_summary", "bo"),
        ("conclusion", "mo"),
    ]
    assert played.state.transcript()[-1].said.kind is StepKind.SUMMARIZE
    assert len(turns) == Classic().most_calls(played.state.config)


def test_it_skips_the_moderators_part_without_one() -> None:
    played = play(moderated("classic", 2, moderator=False, free_rounds=1))
    assert [stage for stage, _ in entered(played)] == SEED[1:-1]
    assert spoken(played) == ["ada", "bo"] * 4
    assert signals(played)[4] == "[SYSTEM]: Opening floor. Ada is speaking next."
    assert played.state.outcome is None


def test_it_gives_every_speaker_the_instruction() -> None:
    lines = signals(play(moderated("classic", 2)))
    assert lines[0] == (
        f"[SYSTEM]: Topic: {TOPIC}. Moderator, please introduce the topic and the participants."
    )
    assert lines[1:5] == [f"[SYSTEM]: Next speaker: {name}." for name in ("Ada", "Bo") * 2]
    assert lines[5] == "[SYSTEM]: Opening floor. Ada is speaking next."
    assert lines[-1] == (
        "[SYSTEM]: Both sides have summed up. Moderator, please summarize and conclude."
    )


def test_it_asks_for_what_the_stage_is() -> None:
    prompts = {
        turn.said.stage: turn.said.prompt
        for turn in play(moderated("classic", 2)).state.transcript()
    }
    assert "Give the opening statement of the pro side, Ada." in prompts["pro_opening"]
    assert "Take the case that Bo opened with." in prompts["pro_rebuttal"]
    assert "First defend your side" in prompts["con_rebuttal"]
    assert "Stage: free. Round: 2 of 2." in prompts["free"]
    assert "Bring no new arguments." in prompts["con_summary"]
    assert "Name no winner and take no side." in prompts["conclusion"]


def test_every_stage_has_its_length() -> None:
    config = moderated(
        "classic",
        2,
        max_tokens=101,
        max_tokens_free=102,
        max_tokens_closing=103,
        max_tokens_moderator=104,
        max_tokens_summary=105,
    )
    lengths = {(s.step.stage, s.step.max_tokens) for s in play(config).sent.values()}
    assert lengths == {
        ("introduction", 104),
        *((stage, 101) for stage in SEED[1:5]),
        ("free", 104),
        ("free", 102),
        ("pro_summary", 103),
        ("con_summary", 103),
        ("conclusion", 105),
    }
    assert ClassicSettings().free_rounds == 2


@pytest.mark.parametrize("moderator", [True, False])
@pytest.mark.parametrize("count", [2, 3, 5, 12])
def test_nobody_is_silent_and_both_sides_speak_equally_often(
    count: int, *, moderator: bool
) -> None:
    played = play(moderated("classic", count, moderator=moderator, free_rounds=1))
    said = Counter(spoken(played))
    assert set(said) == {one.id for one in played.state.config.participants}
    sides: Counter[Stance] = Counter()
    for one in played.state.config.participants:
        sides[one.stance] += said[one.id]
    assert sides[Stance.PRO] == sides[Stance.CON]


def test_members_of_a_team_take_turns() -> None:
    roster = (MO, *on(Stance.PRO, Stance.CON, Stance.PRO, Stance.PRO))
    played = play(configured("classic", roster, free_rounds=1))
    pro = [who for who in spoken(played) if who not in ("bo", "mo")]
    assert pro == ["ada", "cy", "di", "ada", "cy", "di"]
    assert spoken(played)[6:12] == ["di", "bo", "ada", "bo", "cy", "bo"]
    system = played.sent["pro_opening/1/ada/speak"].system
    assert "On your side: Cy and Di. Against you: Bo." in system


@pytest.mark.parametrize(
    ("given", "sides"),
    [
        ((Stance.NONE,) * 5, "pro con pro con pro"),
        ((Stance.CON, Stance.NONE), "con pro"),
        ((Stance.NONE, Stance.PRO), "con pro"),
        ((Stance.NONE, Stance.CON, Stance.CON, Stance.NONE), "pro con con pro"),
    ],
)
def test_it_puts_those_without_a_side_on_one(given: tuple[Stance, ...], sides: str) -> None:
    config = configured("classic", on(*given))
    assert " ".join(one.stance for one in config.participants) == sides


@pytest.mark.parametrize(("stance", "missing"), [(Stance.PRO, "con"), (Stance.CON, "pro")])
def test_it_refuses_a_debate_of_one_side(stance: Stance, missing: str) -> None:
    with pytest.raises(InvalidInput, match=f"nobody is {missing}") as refusal:
        configured("classic", (MO, *on(stance, stance)))
    assert refusal.value.field == "participants"


@pytest.mark.parametrize(
    ("spent_at", "last"),
    [
        (1, "introduction"),
        (2, "con_opening"),
        (3, "con_opening"),
        (4, "con_rebuttal"),
        (6, "free"),
        (7, "free"),
        (12, "con_summary"),
        (13, "con_summary"),
    ],
)
def test_a_limit_lets_the_other_side_answer(spent_at: int, last: str) -> None:
    played = begun(moderated("classic", 2, max_total_output_tokens=100)).run(most=spent_at - 1)
    (step,) = played.ready()
    played.perform(step, "A lot.", usage=Usage(output_tokens=100))
    played.run()
    said = [(turn.said.stage, turn.said.participant) for turn in played.state.transcript()]
    assert said[-1] == ("conclusion", "mo")
    assert said[-2][0] == last
    assert spoken(played).count("ada") == spoken(played).count("bo")
    is_through = last == STAGES[-1]
    assert played.state.stop_reason is (StopReason.DONE if is_through else StopReason.MAX_TOKENS)
    assert ("Token limit reached" in signals(played)[-1]) is not is_through


def test_it_knows_the_next_four_speakers() -> None:
    played = begun(moderated("classic", 3, free_rounds=1)).run(most=4)
    assert Classic().upcoming(played.state, played.now) == ("bo", "mo", "ada", "bo")
    played.run(most=7)
    assert Classic().upcoming(played.state, played.now) == ("bo", "mo")


def test_the_moderator_steps_in_between_rounds_unless_told_not_to() -> None:
    played = play(moderated("classic", 2, free_rounds=3))
    free = [turn.said for turn in played.state.transcript() if turn.said.stage == "free"]
    assert [said.participant for said in free] == ["mo", "ada", "bo"] * 3
    asked = [said.prompt for said in free if said.participant == "mo"]
    assert "Open the floor" in asked[0]
    assert all("put one question to the side that owes an answer" in one for one in asked[1:])
    assert asked[1].splitlines()[:2] == [
        "[SYSTEM]: Next speaker: Ada.",
        "Stage: free. Round: 2 of 3. After you: Ada, Bo, Mo.",
    ]
    quiet = moderated("classic", 2, free_rounds=3, facilitate=False)
    assert spoken(play(quiet))[5:12] == ["mo", *["ada", "bo"] * 3]
    assert Classic().most_calls(quiet) == len(play(quiet).sent)


def test_a_log_that_is_older_than_the_setting_has_nobody_stepping_in() -> None:
    config = moderated("classic", 2)
    for name in ("facilitate", "words", "words_free", "words_closing", "think"):
        config.settings.pop(name)
    played = play(config)
    assert spoken(played)[5:10] == ["mo", "ada", "bo", "ada", "bo"]
    assert "about 200 words" not in played.prompts()[1]
    assert Classic().most_calls(config) == len(played.sent)


def test_only_those_are_named_who_have_spoken() -> None:
    roster = (MO, *on(Stance.PRO, Stance.CON, Stance.PRO, Stance.CON))
    sent = play(configured("classic", roster, free_rounds=1)).sent
    rebuttal = sent["pro_rebuttal/1/cy/speak"].prompt
    assert "Take the case that Bo opened with." in rebuttal
    assert "Di" not in rebuttal.partition("\n\n")[2]
    defence = sent["con_rebuttal/1/di/speak"].prompt
    assert "the best objection that Cy just raised" in defence
    assert "the opening that Ada gave" in defence
    assert "the best answer from Bo and Di was" in sent["pro_summary/1/ada/speak"].prompt


def passing(*keys: str) -> Play:
    played = begun(moderated("classic", 2))
    while ready := played.ready():
        (step,) = ready
        is_passed = step.key in keys
        played.perform(
            step, "" if is_passed else readable(step), flags=("passed",) if is_passed else ()
        )
    return played


def test_nobody_rebuts_a_case_that_was_not_made() -> None:
    sent = passing("con_opening/1/bo/speak").sent
    assert "the other side has not opened" in sent["pro_rebuttal/1/ada/speak"].prompt
    sent = passing("pro_rebuttal/1/ada/speak").sent
    assert "Take the case that Ada opened with." in sent["con_rebuttal/1/bo/speak"].prompt
    silent = [f"{stage}/1/bo/speak" for stage in ("con_opening", "con_rebuttal")]
    silent += [f"free/{n}/bo/speak/1" for n in (1, 2)]
    summary = passing(*silent).sent["pro_summary/1/ada/speak"].prompt
    assert "the best answer from the other side was" in summary
