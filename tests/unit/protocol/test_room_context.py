"""How full windows are, what is told about it, and summaries that stand for older turns."""

from __future__ import annotations

from itertools import count

import pytest
from tests.unit.protocol.rooms import ALICE, BOB, Talking, room, with_window

from moot.protocol import events as e
from moot.protocol.formats.room.rules import Room
from moot.protocol.values import Participant
from moot.protocol.words import Pacing, Role, Status, StepKind, View, Visibility

LONG = "word " * 80
COUNTER = count()


def more() -> str:
    """A long message, unlike all others."""
    return f"{LONG}{next(COUNTER)}"


def crowded(**settings: object) -> Talking:
    """Alice reads 1,200 tokens at once; Bob's window is not known."""
    small = with_window(ALICE, 1200)
    return Talking(small, BOB, max_tokens=100, **settings)


def test_it_counts_what_is_included_and_nothing_else() -> None:
    talk = crowded().say("Hello")
    empty = talk.floor.loads.tokens(ALICE)
    talk.speak(more())
    full = talk.floor.loads.tokens(ALICE)
    assert full > empty + 80
    turn = next(t for t in talk.state.transcript() if t.said.participant == "alice")
    talk.append(e.TurnExcluded(turn=turn.seq))
    assert talk.floor.loads.tokens(ALICE) == empty
    talk.append(e.TurnExcluded(turn=turn.seq))
    assert talk.floor.loads.tokens(ALICE) == empty
    talk.append(e.TurnIncluded(turn=turn.seq))
    assert talk.floor.loads.tokens(ALICE) == full


def test_it_leaves_skips_and_cards_out() -> None:
    talk = crowded(pacing="manual").say("Hello")
    before = talk.floor.loads.tokens(ALICE)
    first, second = talk.ready()
    talk.perform(first, "SKIP")
    talk.perform(second, more())
    talk.ready()
    assert talk.floor.loads.tokens(ALICE) == before
    talk.append(e.TurnIncluded(turn=talk.state.turns[second.key].seq))
    assert talk.floor.loads.tokens(ALICE) > before


def test_it_warns_once_and_then_stops() -> None:
    talk = crowded().say("Hello")
    while talk.who():
        talk.speak(more())
    assert talk.state.status is Status.WAITING
    warnings = talk.told("context_warning")
    assert len(warnings) == 1
    assert warnings[0].startswith("[Alice | Architect] has filled 8")
    assert talk.told("context_full") == ["Conversation approaching model context limit"]
    assert "To make room: set compact" in warnings[0]
    (paused,) = talk.told("paused_context")
    assert paused.startswith("Conversation paused: [Alice | Architect] cannot read any more. To go")
    assert "exclude messages" in paused
    assert "larger window" in paused
    share = talk.floor.loads.share(talk.state.participants["alice"])
    assert share is not None
    assert share >= 0.95
    # To go on changes nothing; to make room does.
    talk.say("")
    assert talk.who() == []
    for turn in talk.state.transcript()[:4]:
        talk.append(e.TurnExcluded(turn=turn.seq))
    talk.say("")
    assert talk.who() == ["alice"]


def test_who_can_read_no_more_holds_up_nobody_in_manual() -> None:
    talk = crowded().say("Hello")
    while talk.who():
        talk.speak(more())
    talk.pace(Pacing.MANUAL)
    talk.say("And?")
    assert talk.who() == ["alice", "bob"]


def test_a_member_goes_on_with_its_own_summary() -> None:
    talk = crowded(compact=True).say("Hello, this is where it began")
    step = talk.ready()[0]
    while step.kind is not StepKind.SUMMARIZE:
        talk.perform(step, more())
        step = talk.ready()[0]
    assert step.participant == "alice"
    assert step.visibility is Visibility.PRIVATE
    assert step.view is View.TRANSCRIPT
    assert "where it began" in talk.look(step).text
    before = talk.floor.loads.tokens(talk.state.participants["alice"])
    talk.perform(step, "My summary.")
    after = talk.floor.loads.tokens(talk.state.participants["alice"])
    assert after < before - 100
    (spoken,) = talk.ready()
    assert (spoken.participant, spoken.kind) == ("alice", StepKind.SPEAK)
    text = talk.look(spoken).text
    assert "My summary." in text
    assert "where it began" not in text
    assert LONG.strip() in text
    talk.perform(spoken, "Good.")
    # Bob still reads everything, and nothing of what Alice wrote for herself.
    text = talk.look(talk.ready()[0]).text
    assert "where it began" in text
    assert "My summary." not in text
    first = talk.state.transcript()[0].said.content
    assert first == "Hello, this is where it began"
    assert talk.told() == []


@pytest.mark.parametrize("turns", [60])
def test_it_sums_up_as_often_as_it_must_and_never_stops(turns: int) -> None:
    talk = crowded(compact=True, max_messages=0).say("Hello")
    spoken = summaries = 0
    while spoken < turns:
        step = talk.ready()[0]
        is_summary = step.kind is StepKind.SUMMARIZE
        share = talk.floor.loads.share(talk.state.participants["alice"])
        assert is_summary or step.participant == "bob" or share is None or share < 0.95
        talk.perform(step, "All of it." if is_summary else more())
        summaries += is_summary
        spoken += not is_summary
    assert summaries > 2
    assert talk.told() == []


def test_a_window_nobody_knows_is_never_full() -> None:
    talk = Talking(ALICE, BOB, max_messages=0).say("Hello")
    talk.speak(*(more() for _ in range(30)))
    assert talk.told() == []
    assert talk.floor.loads.share(BOB) is None


def test_to_set_compact_makes_room_in_a_room_that_is_full() -> None:
    talk = crowded().say("Hello")
    while talk.who():
        talk.speak(more())
    assert talk.floor.paused
    talk.append(e.SettingsChanged(settings={"compact": True}))
    talk.say("")
    (step,) = talk.ready()
    assert (step.participant, step.kind) == ("alice", StepKind.SUMMARIZE)


def test_a_window_that_is_assumed_is_told_once_for_each_model() -> None:
    def guessed(name: str, model: str = "odd:model") -> Participant:
        return Participant(
            id=name.lower(),
            name=name,
            role=Role.MEMBER,
            model=model,
            window=32_000,
            is_window_assumed=True,
        )

    config = room(guessed("Ann"), guessed("Ben"), pacing="manual")
    told = [one.text for one in Room().opening(config)]
    assert told == [
        "[Ann] joined the conversation",
        "[Ben] joined the conversation",
        "The context window of odd:model is not known; Moot assumes 32,000 tokens.",
    ]
    talk = Talking(guessed("Ann"))
    talk.append(e.ParticipantJoined(participant=guessed("Ben")))
    talk.append(e.ParticipantJoined(participant=guessed("Cem", "odder:model")))
    talk.ready()
    assert talk.told("window_assumed") == [
        "The context window of odder:model is not known; Moot assumes 32,000 tokens."
    ]


@pytest.mark.parametrize(("window", "most"), [(4096, 128), (8192, 128), (32_000, 1000)])
def test_a_small_model_is_held_to_the_length_of_a_chat_message(window: int, most: int) -> None:
    talk = Talking(with_window(ALICE, window)).say("Hello")
    (step,) = talk.ready()
    assert step.max_tokens == most


def test_a_length_that_was_asked_for_is_kept() -> None:
    talk = Talking(with_window(ALICE, 8192), max_tokens=999).say("Hello")
    assert talk.ready()[0].max_tokens == 999
