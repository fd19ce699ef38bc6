"""The row beside the log: who takes part, who spoke last, and what came of it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.golden.replay import HERE, read_log
from tests.unit.protocol.playing import ADA, NOON
from tests.unit.protocol.rooms import Talking

from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.outcomes import Summary, Verdict, shortened
from moot.protocol.row import MOST_SEATS, Cursor, DebateRow, Seat
from moot.protocol.state import DebateState
from moot.protocol.values import Config, ForkPoint, Participant
from moot.protocol.words import HUMAN, USER, Role


def row_of(state: DebateState) -> DebateRow:
    return state.summary("d", Cursor())


def golden(name: str) -> DebateRow:
    return row_of(fold(read_log(HERE / f"{name}.jsonl")))


def began(**more: Any) -> DebateState:
    config = Config(format="room", topic="Why?", settings={}, **{"participants": (), **more})
    return fold([e.Recorded(1, NOON, e.DebateCreated(config=config))])


def member(number: int, **more: Any) -> Participant:
    return Participant(id=f"m{number}", name=f"Member {number}", role=Role.MEMBER, **more)


def test_it_names_those_who_take_part_with_their_sides() -> None:
    ada, bo, judge = golden("duel").cast or ()
    assert ada == Seat(id="ada", name="Ada", role=Role.DEBATER, side="for")
    assert (bo.name, bo.side) == ("Bo", "against")
    assert (judge.role, judge.side) == (Role.JUDGE, "")


@pytest.mark.parametrize(
    ("name", "sides"),
    [
        ("rounds", {"for", "against", ""}),
        ("classic", {"for", "against", ""}),
        ("council", {""}),
        ("room", {""}),
    ],
)
def test_only_debaters_of_formats_with_sides_have_one(name: str, sides: set[str]) -> None:
    assert {seat.side for seat in golden(name).cast or ()} == sides


def test_it_tells_people_from_models() -> None:
    state = began(participants=(member(1), member(2, model=HUMAN)))
    assert [seat.is_person for seat in row_of(state).cast or ()] == [False, True]


def test_a_large_cast_is_cut_and_counted() -> None:
    row = row_of(began(participants=tuple(map(member, range(40)))))
    assert [seat.id for seat in row.cast or ()] == [f"m{n}" for n in range(MOST_SEATS)]
    assert row.cast_size == 40


def test_those_who_have_left_are_not_in_it_and_those_who_joined_are() -> None:
    state = began(participants=(member(1), member(2)))
    state.apply(e.Recorded(2, NOON, e.DebateStarted()))
    state.apply(e.Recorded(3, NOON, e.ParticipantLeft(participant="m1")))
    before = row_of(state)
    state.apply(e.Recorded(4, NOON, e.ParticipantJoined(participant=member(3))))
    state.apply(e.Recorded(5, NOON, e.ParticipantMuted(participant="m3")))
    after = row_of(state)
    assert [seat.id for seat in before.cast or ()] == ["m2"]
    assert [seat.id for seat in after.cast or ()] == ["m2", "m3"]
    assert (before.cast_size, after.cast_size) == (1, 2)


def test_it_knows_who_spoke_last_in_public() -> None:
    talk = Talking(member(1), member(2))
    assert row_of(talk.state).spoke_last == ""
    talk.say("Hello?")
    assert row_of(talk.state).spoke_last == USER
    talk.speak("Well.")
    assert row_of(talk.state).spoke_last == "m1"
    assert golden("duel").spoke_last in ("ada", "bo")
    assert golden("council").spoke_last == ""


def test_it_knows_which_debate_it_was_made_from() -> None:
    plain = row_of(began())
    assert (plain.forked_from, plain.rematch_of) == ("", "")
    assert row_of(began(forked_from=ForkPoint(debate="a", at=3))).forked_from == "a"
    assert row_of(began(rematch_of="b")).rematch_of == "b"


def test_it_says_that_cards_were_opened() -> None:
    state = began(participants=(ADA,))
    state.apply(e.Recorded(2, NOON, e.DebateStarted()))
    assert not row_of(state).has_open_cards
    state.apply(e.Recorded(3, NOON, e.CardsOpened()))
    assert row_of(state).has_open_cards


def test_it_has_the_outcome_in_short() -> None:
    whole = fold(read_log(HERE / "duel.jsonl"))
    row = row_of(whole)
    assert isinstance(row.outcome, Verdict)
    assert isinstance(whole.outcome, Verdict)
    assert (row.outcome.winner, row.outcome.reasoning) == (whole.outcome.winner, "")
    assert row.outcome == shortened(whole.outcome)
    assert isinstance(golden("standard").outcome, Summary)
    assert golden("rounds_canceled").outcome is None


def test_it_costs_no_more_after_many_turns() -> None:
    """Nothing in it is looked for: what it says of turns is noted as they come."""
    state = fold(read_log(HERE / "duel.jsonl"))
    twin = state.copy()
    for turns in (twin.own_turns, twin._by_seq, twin._in_order):
        turns.clear()
    assert row_of(twin) == row_of(state)
    assert msgspec.json.decode(msgspec.json.encode(row_of(state)), type=DebateRow) == row_of(state)
