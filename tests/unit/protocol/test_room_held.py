"""In auto mode a member that a rate limit holds back keeps nobody waiting, and loses nothing."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import msgspec
import pytest
from tests.unit.protocol.rooms import ALICE, BOB, CHARLIE, Talking

from moot.protocol.values import Participant
from moot.protocol.words import Role

SLOW = msgspec.structs.replace(ALICE, model="slow:m")
ALSO_SLOW = msgspec.structs.replace(BOB, model="slow:m")
DORA = Participant(id="dora", name="Dora", role=Role.MEMBER)
FOUR = (SLOW, BOB, CHARLIE, DORA)


def limited(*members: Participant, goes_on_by: str = "") -> Talking:
    """A room whose first speaker was turned away, and which a person lets go on."""
    talk = Talking(*members).say("Hello")
    talk.fail(talk.ready()[0], "rate_limited", retry_in_s=20)
    assert talk.who() == []  # seed 002: "Pause auto mode on any rate limit error"
    return talk.say(goes_on_by)


def wait(talk: Talking, seconds: float) -> None:
    talk.now += timedelta(seconds=seconds)


def test_the_others_go_on_round_after_round_and_it_speaks_as_soon_as_it_can() -> None:
    talk = limited(*FOUR)
    heard = [talk.speak("Yes.")[0] for _ in range(7)]
    assert heard == ["bob", "charlie", "dora", "bob", "charlie", "dora", "bob"]
    assert talk.floor.queue(talk.state)[:2] == ["charlie", "alice"]
    wait(talk, 20)
    assert talk.speak(*["Yes."] * 6) == ["charlie", "alice", "dora", "alice", "bob", "charlie"]


def test_between_two_it_is_waited_for_rather_than_that_one_speaks_twice() -> None:
    talk = limited(SLOW, BOB)
    assert talk.speak("Yes.") == ["bob"]
    (step,) = talk.ready()
    limit = talk.floor.limits.longest
    assert limit is not None
    assert (step.participant, step.not_before) == ("alice", limit.until)
    assert talk.speak("Here.", "Well.") == ["alice", "bob"]


def test_it_is_waited_for_where_nobody_else_can_speak_either() -> None:
    talk = limited(SLOW, ALSO_SLOW)
    (step,) = talk.ready()
    assert step.participant == "alice"
    assert step.not_before is not None


def test_of_two_who_are_called_the_one_that_can_speaks_and_the_other_stays_called() -> None:
    talk = limited(*FOUR, goes_on_by="@Alice @Dora?")
    assert talk.who() == ["dora"]
    assert talk.speak("I am here.", "So am I.") == ["dora", "bob"]
    wait(talk, 20)
    assert talk.speak("And I.", "Back again.") == ["charlie", "alice"]


@pytest.mark.parametrize("seconds", [1, 4, 15, 600])
def test_thirty_turns_with_a_member_that_is_turned_away_every_time(seconds: float) -> None:
    talk = Talking(*FOUR, max_messages=0).say("Hello")
    refused, heard = 0, list[str]()
    while len(heard) < 30:
        steps = talk.ready()
        if not steps:  # paused, once for each refusal: a person goes on
            assert talk.floor.paused == "Rate limited"
            talk.say("")
            continue
        (step,) = steps
        if step.participant == "alice":
            refused += 1
            talk.fail(step, "rate_limited", retry_in_s=seconds)
        else:
            talk.perform(step, f"Point {len(heard)}.")
            heard.append(step.participant)
    assert all(one != other for one, other in pairwise(heard))
    assert set(Counter(heard).values()) == {10}
    assert len(talk.told("paused_rate_limited")) == refused
    assert refused <= 1 + 31 * 4 / seconds
