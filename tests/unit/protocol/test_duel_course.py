"""The course of seed 001: which step when, who sees the result, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.protocol.playing import (
    ADA,
    BO,
    JUDGE,
    PREMISE,
    Play,
    configured,
    duel,
    play,
    readable,
)

from moot.errors import InvalidInput
from moot.protocol.checker import rehearse
from moot.protocol.events import StageEntered
from moot.protocol.formats.duel.rules import Duel
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Message, Participant
from moot.protocol.words import Role, Stance, StepKind, StopReason, View, Visibility

# "Full sequence for turns=6" of the seed, line by line.
SEQUENCE = """
ada plan private
bo plan private
ada think private
ada speak public
judith evaluate private
judith score private
bo think private
bo speak public
judith evaluate private
judith score private
ada think private
ada speak public
judith evaluate private
judith score private
bo think private
bo speak public
judith evaluate private
judith score private
ada think private
ada speak public
judith evaluate private
judith score private
bo think private
bo speak public
judith evaluate private
judith score private
judith deliberate private
judith confirm private
judith confirm private
judith verdict public
"""


def reply(step: Step, _state: DebateState) -> str:
    return readable(step)


def test_it_makes_the_thirty_calls_of_the_seed_in_the_seeds_order() -> None:
    turns = [turn.said for turn in play(duel(turns=6, premise=PREMISE)).state.transcript()]
    made = [f"{said.participant} {said.kind} {said.visibility}" for said in turns]
    assert made == SEQUENCE.split("\n")[1:-1]
    assert len(made) == 30


def test_it_makes_fourteen_calls_without_a_judge() -> None:
    turns = [turn.said for turn in play(duel(turns=6, judge=False)).state.transcript()]
    made = [f"{said.participant} {said.kind} {said.visibility}" for said in turns]
    assert made == [line for line in SEQUENCE.split("\n")[1:-1] if not line.startswith("judith")]
    assert len(made) == 14


@pytest.mark.parametrize("turns", [1, 2, 3, 6, 100])  # no answer, no exchange, odd, even, the most
def test_it_makes_exactly_as_many_calls_as_promised(turns: int) -> None:
    judged, plain = duel(turns=turns), duel(turns=turns, judge=False)
    with_judge = rehearse(Duel(), judged, reply)
    without = rehearse(Duel(), plain, reply)
    assert len(with_judge.steps) == with_judge.state.calls == 4 * turns + 6
    assert len(without.steps) == without.state.calls == 2 * turns + 2
    assert Duel().most_calls(judged) == 4 * turns + 6
    assert Duel().most_calls(plain) == 2 * turns + 2
    assert with_judge.state.statements == without.state.statements == turns
    # The longest chain of calls that depend on each other.
    assert with_judge.rounds == 2 * turns + 7
    assert without.rounds == 2 * turns + 1
    assert with_judge.state.stop_reason is without.state.stop_reason is StopReason.DONE


def test_it_names_stages_and_rounds_in_the_transcript() -> None:
    turns = [turn.said for turn in play(duel(turns=6)).state.transcript()]
    sections = list(dict.fromkeys((said.stage, said.round) for said in turns))
    assert sections == [
        ("planning", 1),
        ("opening", 1),
        ("exchange", 1),
        ("exchange", 2),
        ("exchange", 3),
        ("verdict", 1),
    ]


def test_it_enters_each_stage_and_round_once() -> None:
    log = play(duel(turns=6)).log
    entered = [
        (record.event.stage, record.event.round, record.event.by)
        for record in log
        if isinstance(record.event, StageEntered)
    ]
    assert entered == [
        ("planning", 1, "START"),
        ("opening", 1, "PLANNED"),
        ("exchange", 1, "OPENED"),
        ("exchange", 2, "ROUND_SAID"),
        ("exchange", 3, "ROUND_SAID"),
        ("verdict", 1, "ALL_SAID"),
    ]


@pytest.mark.parametrize("turns", [1, 2, 3, 6])
def test_it_gives_everyone_their_own_prompts_and_replies_and_nothing_else(turns: int) -> None:
    played = play(duel(turns=turns, premise=PREMISE))
    own: dict[str, list[Message]] = {"ada": [], "bo": [], "judith": []}
    for turn in played.state.transcript():
        said = turn.said
        assert list(played.sent[said.step_key].history) == own[said.participant]
        own[said.participant] += [
            Message(role="user", content=said.prompt),
            Message(role="assistant", content=said.content),
        ]


def test_it_only_ever_adds_to_the_end_of_a_history() -> None:
    played = play(duel(turns=6))
    for participant in ("ada", "bo", "judith"):
        grown: tuple[Message, ...] = ()
        for sent in played.sent.values():
            if sent.step.participant == participant:
                assert sent.history[: len(grown)] == grown
                grown = sent.history


def test_it_uses_no_view_but_the_participants_own() -> None:
    assert {sent.step.view for sent in play(duel(turns=6)).sent.values()} == {View.OWN}


def test_it_overlaps_what_is_independent() -> None:
    """Both plans at once; the opponent thinks while the judge weighs."""
    ready: list[set[str]] = []

    def note(steps: Sequence[Step]) -> Sequence[Step]:
        ready.append({step.key for step in steps})
        return steps

    Play(Duel(), duel(turns=2)).run(choose=note)
    assert ready[0] == {"planning/1/ada/plan", "planning/1/bo/plan"}
    assert {"exchange/1/bo/think", "opening/1/judith/evaluate/ada"} in ready


def test_it_says_nothing_in_public_before_both_have_planned() -> None:
    played = Play(Duel(), duel(turns=2))
    played.perform(played.ready()[0], "plan")
    (slow, think) = played.ready()
    assert (slow.key, think.key) == ("planning/1/bo/plan", "opening/1/ada/think")
    played.perform(think, "thought")
    assert [step.key for step in played.ready()] == ["planning/1/bo/plan"]
    played.perform(slow, "plan")
    assert [step.key for step in played.ready()] == ["opening/1/ada/speak"]


class Follow:
    """Which keys must be recorded before a step may be asked for, from the seed's prose."""

    def __init__(self, turns: int) -> None:
        self.before: dict[str, set[str]] = {
            "planning/1/ada/plan": set(),
            "planning/1/bo/plan": set(),
        }
        plans = set(self.before)
        spoken = scored = ""
        for number in range(1, turns + 1):
            section = "opening/1" if number == 1 else f"exchange/{number // 2}"
            who = "ada" if number % 2 else "bo"
            think, speak = f"{section}/{who}/think", f"{section}/{who}/speak"
            evaluate = f"{section}/judith/evaluate/{who}"
            self.before[think] = {f"planning/1/{who}/plan"} | ({spoken} if spoken else set())
            self.before[speak] = {think} | plans
            self.before[evaluate] = {speak} | ({scored} if scored else set())
            scored, spoken = f"{section}/judith/score/{who}", speak
            self.before[scored] = {evaluate}
        last = scored
        for part in ("deliberate", "confirm", "record", "announce"):
            self.before[f"verdict/1/judith/{part}"] = {last, spoken}
            last = f"verdict/1/judith/{part}"


@settings(max_examples=30, deadline=None)
@given(data=st.data(), turns=st.integers(1, 7))
def test_it_says_the_same_in_whatever_order_replies_arrive(data: st.DataObject, turns: int) -> None:
    config = duel(turns=turns, premise=PREMISE)
    follow = Follow(turns).before

    def one(steps: Sequence[Step]) -> Sequence[Step]:
        return [data.draw(st.sampled_from(steps))]

    shuffled = Play(Duel(), config)
    while ready := shuffled.ready():
        for step in ready:
            assert follow[step.key] <= set(shuffled.state.turns), step.key
            assert step.key not in shuffled.state.turns
        (step,) = one(ready)
        shuffled.perform(step, readable(step))
    straight = play(config)
    assert shuffled.transcript() == straight.transcript()
    assert shuffled.sent == straight.sent
    assert shuffled.state.outcome == straight.state.outcome


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_it_asks_for_a_step_until_it_has_its_turn_and_never_for_another(
    data: st.DataObject,
) -> None:
    """A step in flight stays wanted, with the same prompt, whatever else arrives meanwhile."""
    played = Play(Duel(), duel(turns=4, premise=PREMISE))
    wanted: dict[str, Step] = {}
    while ready := played.ready():
        now = {step.key: step for step in ready}
        assert {key: now.get(key) for key in wanted} == wanted
        key = data.draw(st.sampled_from(sorted(now)))
        played.perform(now[key], readable(now.pop(key)))
        wanted = now


def test_it_shows_the_announcement_and_nothing_else_of_the_judge() -> None:
    turns = [turn.said for turn in play(duel(turns=3)).state.transcript()]
    shown = [said.kind for said in turns if said.visibility is Visibility.PUBLIC]
    assert shown == [StepKind.SPEAK] * 3 + [StepKind.VERDICT]


def test_it_caps_every_reply_as_the_settings_say() -> None:
    sent = play(duel(turns=2, max_tokens=77)).sent.values()
    assert {one.step.max_tokens for one in sent} == {77}


# --- who may take part ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_a", "given_b", "expected"),
    [
        (Stance.NONE, Stance.NONE, (Stance.PRO, Stance.CON)),
        (Stance.PRO, Stance.NONE, (Stance.PRO, Stance.CON)),
        (Stance.CON, Stance.NONE, (Stance.CON, Stance.PRO)),
        (Stance.NONE, Stance.PRO, (Stance.CON, Stance.PRO)),
        (Stance.NONE, Stance.CON, (Stance.PRO, Stance.CON)),
        (Stance.CON, Stance.PRO, (Stance.CON, Stance.PRO)),
    ],
)
def test_it_puts_the_debaters_on_opposite_sides(
    given_a: Stance, given_b: Stance, expected: tuple[Stance, Stance]
) -> None:
    a, b = (_with(ADA, given_a), _with(BO, given_b))
    cast = configured("duel", (JUDGE, a, b)).participants
    assert [one.id for one in cast] == ["ada", "bo", "judith"]
    assert (cast[0].stance, cast[1].stance) == expected


@pytest.mark.parametrize("stance", [Stance.PRO, Stance.CON])
def test_it_refuses_two_debaters_on_the_same_side(stance: Stance) -> None:
    with pytest.raises(InvalidInput, match="same side"):
        configured("duel", (_with(ADA, stance), _with(BO, stance)))


@pytest.mark.parametrize(
    "roster", [(), (ADA,), (ADA, JUDGE), (ADA, BO, ADA), (ADA, BO, JUDGE, JUDGE)]
)
def test_it_refuses_a_roster_it_cannot_play(roster: tuple[Participant, ...]) -> None:
    with pytest.raises(InvalidInput, match="two debaters and at most one judge"):
        configured("duel", roster)


@pytest.mark.parametrize("role", [Role.MEMBER, Role.MODERATOR])
def test_it_refuses_anybody_else(role: Role) -> None:
    other = _with(JUDGE, Stance.NONE, role=role)
    with pytest.raises(InvalidInput, match="nobody else"):
        configured("duel", (ADA, BO, other))


def _with(participant: Participant, stance: Stance, **changes: Role) -> Participant:
    return msgspec.structs.replace(participant, stance=stance, **changes)
