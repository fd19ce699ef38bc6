"""The floor of a room: order, rounds, skips, calls by name, joining, leaving, muting."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from tests.unit.protocol.rooms import ALICE, BOB, CHARLIE, Talking

from moot.engine.forking import Changes, forked_log
from moot.prompts import render
from moot.protocol import events as e
from moot.protocol.formats.room.floor import floor_of
from moot.protocol.formats.room.rules import SpokenOrSkipped
from moot.protocol.log import fold
from moot.protocol.steps import Step
from moot.protocol.values import ForkPoint, Participant
from moot.protocol.words import Pacing, Role, Status, StopReason

DORA = Participant(id="dora", name="Dora", role=Role.MEMBER, title="Dentist")


def test_it_waits_until_the_user_speaks() -> None:
    talk = Talking()
    assert talk.who() == []
    assert talk.state.status is Status.WAITING
    assert talk.form.upcoming(talk.state, talk.now) == ()


@pytest.mark.parametrize("pacing", list(Pacing))
def test_it_begins_with_the_topic_if_that_is_said(pacing: Pacing) -> None:
    talk = Talking(say_topic=True, pacing=pacing.value)
    everybody = ["alice", "bob", "charlie"]
    assert talk.who() == (["alice"] if pacing is Pacing.AUTO else everybody)
    (first,) = talk.state.transcript()
    assert (first.said.participant, first.said.content) == ("user", "Tea or coffee?")
    talk.perform(talk.ready()[0], "Tea.")
    talk.append(e.StopRequested(), e.DebateStopped(), e.DebateResumed())
    talk.ready()
    said = [turn.said.content for turn in talk.state.transcript()]
    assert said == ["Tea or coffee?", "Tea."]  # and not again


def test_it_goes_round_in_the_order_of_joining() -> None:
    talk = Talking().say("Hello")
    assert talk.speak("a", "b", "c", "d") == ["alice", "bob", "charlie", "alice"]
    assert talk.state.round == 2


def test_it_says_who_comes_next() -> None:
    talk = Talking().say("Hello")
    talk.speak("a")
    assert talk.form.upcoming(talk.state, talk.now) == ("bob", "charlie", "alice")


def test_it_begins_with_the_first_after_every_message() -> None:
    talk = Talking().say("Hello")
    talk.speak("a", "b")
    talk.append(e.StopRequested(), e.DebateStopped(), e.DebateResumed())
    talk.append(e.MessageSaid(participant="user", content="And?"))
    assert talk.who() == ["alice"]
    assert talk.state.round == 2


def test_it_waits_between_messages_but_not_after_the_user_or_a_skip() -> None:
    talk = Talking(response_delay=5).say("Hello")
    assert talk.ready()[0].not_before is None
    talk.perform(talk.ready()[0], "one")
    spoken = talk.state.updated_at
    assert talk.ready()[0].not_before == spoken + timedelta(seconds=5)
    talk.perform(talk.ready()[0], "SKIP")
    assert talk.ready()[0].not_before == spoken + timedelta(seconds=5)


# --- skips ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "SKIP",
        " SKIP\n",
        '"SKIP"',
        "'SKIP'.",
        "“SKIP.”",
        "`SKIP`",
        "**SKIP**",
        "skip",
        "*Skip.*",
        "[SKIP]",
        "I have nothing to add.\n\nSKIP",
    ],
)
def test_it_takes_skip_for_a_skip(text: str) -> None:
    talk = Talking().say("Hello")
    talk.speak(text)
    assert talk.told() == ["[Alice | Architect] skipped their turn"]
    assert talk.who() == ["bob"]
    assert "SKIP" not in [message.content for message in talk.look(talk.ready()[0]).history]
    talk.speak("b", "c")
    assert "skipped" not in talk.look(talk.ready()[0]).text.replace("SKIP", "")


@pytest.mark.parametrize(
    "text", ["I SKIP this", "SKIP it", "SKIP!", "SKIPPED", "S K I P", "SK**IP"]
)
def test_it_takes_nothing_else_for_a_skip(text: str) -> None:
    talk = Talking().say("Hello")
    talk.speak(text)
    assert talk.told() == []


LONGER = "That is a thing which needs to be said twice."


@pytest.mark.parametrize("text", [LONGER, f"“{LONGER.upper()}”", "It is your turn, Alice."])
def test_who_only_repeats_has_nothing_to_say(text: str) -> None:
    talk = Talking().say(LONGER)
    talk.speak(text)
    assert talk.told() == ["[Alice | Architect] skipped their turn"]


@pytest.mark.parametrize("text", [f"{LONGER} Or not?", "Yes.", LONGER * 1000])
def test_who_says_more_or_hardly_anything_is_heard(text: str) -> None:
    talk = Talking().say(LONGER * 1000 if len(text) > 5000 else text if text == "Yes." else LONGER)
    talk.speak(text)
    assert talk.told() == []


def test_the_words_that_are_no_answer_are_those_of_the_prompt() -> None:
    talk = Talking().say("Hello")
    (step,) = talk.ready()
    assert isinstance(step.answer, SpokenOrSkipped)
    assert step.answer.asked == render(step.prompt)


def test_it_pauses_when_everybody_has_skipped_in_a_row() -> None:
    talk = Talking().say("Hello")
    talk.speak("a", "SKIP", "SKIP")
    assert talk.who() == ["alice"]
    talk.speak("SKIP")
    assert talk.who() == []
    assert talk.state.status is Status.WAITING
    assert talk.told("paused_all_skipped") == ["Conversation paused: everybody skipped their turn"]
    assert talk.floor.skips == 3
    talk.say("")
    assert talk.who() == ["bob"]
    assert talk.floor.skips == 0


def test_it_does_not_count_who_is_muted_as_silent() -> None:
    talk = Talking()
    talk.append(e.ParticipantMuted(participant="bob"))
    talk.say("Hello")
    assert talk.speak("SKIP", "SKIP") == ["alice", "charlie"]
    assert talk.told("paused_all_skipped")


# --- calls by name -------------------------------------------------------------------------------


def test_the_seeds_example() -> None:
    talk = Talking().say("@Charlie what do you think?")
    assert talk.form.upcoming(talk.state, talk.now) == ("charlie", "alice", "bob")
    assert talk.speak("c", "a", "b", "a") == ["charlie", "alice", "bob", "alice"]


def test_it_says_who_called() -> None:
    talk = Talking().say("@Charlie what do you think?")
    assert talk.look(talk.ready()[0]).prompt.startswith("User has asked you by name, Charlie.")
    talk.speak("I do not know. @Bob?")
    assert talk.look(talk.ready()[0]).prompt.startswith("Charlie has asked you by name, Bob.")


def test_members_call_each_other_and_the_order_goes_on() -> None:
    talk = Talking().say("Hello")
    assert talk.speak("@Charlie?", "c", "b", "a") == ["alice", "charlie", "bob", "alice"]


def test_who_has_had_the_turn_speaks_once_more_when_called() -> None:
    talk = Talking().say("Hello")
    assert talk.speak("a", "@Alice?", "a", "c") == ["alice", "bob", "alice", "charlie"]


def test_a_round_goes_on_after_a_mention_and_nobody_speaks_twice_in_a_row() -> None:
    talk = Talking(ALICE, BOB, max_messages=0).say("@Bob?")
    assert talk.speak(*"123456") == ["bob", "alice"] * 3
    assert talk.form.upcoming(talk.state, talk.now) == ("bob", "alice")


def test_who_spoke_last_is_passed_over_once_when_a_round_begins() -> None:
    talk = Talking().say("Hello")
    heard = talk.speak("a", "b", "@Alice?", "a", "b", "a", "c", "a")
    assert heard == ["alice", "bob", "charlie", "alice", "bob", "alice", "charlie", "alice"]


def test_who_is_called_right_after_having_spoken_speaks_twice() -> None:
    talk = Talking().say("Hello")
    talk.speak("a", "b", "c")
    talk.append(e.StopRequested(), e.DebateStopped(), e.DebateResumed())
    talk.append(e.MessageSaid(participant="user", content="@Charlie, once more?"))
    assert talk.speak("c", "a") == ["charlie", "alice"]


def test_who_is_alone_answers_and_waits_for_the_person() -> None:
    talk = Talking(ALICE).say("Hello")
    assert talk.speak("a") == ["alice"]
    assert talk.who() == []
    assert talk.state.status is Status.WAITING
    assert talk.floor.paused is None
    talk.say("")
    assert talk.speak("more") == ["alice"]
    assert talk.who() == []
    talk.say("@Alice, and now?")
    assert talk.speak("SKIP") == ["alice"]
    assert talk.who() == []


def test_who_was_alone_goes_on_when_somebody_comes() -> None:
    talk = Talking(ALICE).say("Hello")
    talk.speak("a")
    talk.append(e.ParticipantJoined(participant=DORA))
    assert talk.speak("d", "a") == ["dora", "alice"]


def failure_of(step: Step) -> e.StepFailed:
    return e.StepFailed(failed_key=step.key, code="broken", error="it broke", attempts=1)


def test_a_log_of_the_order_that_was_before_folds_all_the_same() -> None:
    talk = Talking(ALICE, BOB).say("@Bob?")
    talk.speak("b", "a")
    (step,) = talk.ready()
    assert step.participant == "bob"
    old = msgspec.structs.replace(step, key="talk/3/alice/speak", participant="alice")
    twin = talk.state.copy()
    twin.apply(e.Recorded(twin.seq + 1, talk.now, failure_of(old)))
    assert floor_of(twin).failed == {"alice": old.key}
    assert floor_of(twin).speakers(twin) == ("bob",)
    beat = floor_of(twin).beat
    assert beat is not None
    assert not beat.landed
    talk.perform(old, "a again")
    assert talk.who() == ["bob"]
    assert [*talk.state.turns] == [
        *("said/5", "talk/1/bob/speak", "talk/2/alice/speak", "talk/3/alice/speak")
    ]


def test_several_are_called_at_once_and_stand_in_the_order_of_the_floor() -> None:
    talk = Talking().say("@Charlie and @Alice, please")
    first, second = talk.ready()
    assert (first.participant, second.participant) == ("alice", "charlie")
    assert first.horizon == second.horizon
    talk.perform(second, "c")
    assert talk.who() == ["alice"]
    talk.perform(first, "a")
    spoken = [turn.said.participant for turn in talk.state.transcript()]
    assert spoken == ["user", "alice", "charlie"]
    assert talk.who() == ["bob"]


def test_nobody_calls_themselves_nor_who_is_muted_or_gone() -> None:
    talk = Talking().say("Hello")
    assert talk.speak("I, @Alice, think so") == ["alice"]
    talk.append(e.ParticipantMuted(participant="charlie"))
    assert talk.speak("@Charlie?") == ["bob"]
    assert talk.who() == ["alice"]
    talk.append(e.ParticipantUnmuted(participant="charlie"))
    talk.append(e.ParticipantLeft(participant="bob"))
    assert talk.speak("@Bob?") == ["alice"]
    assert talk.who() == ["charlie"]


def test_two_that_call_each_other_for_ever_are_stopped() -> None:
    talk = Talking(mention_depth=3).say("Hello")
    heard = []
    for _ in range(8):
        step = talk.ready()[0]
        other = {"alice": "@Bob", "bob": "@Alice"}.get(step.participant, "no")
        talk.perform(step, f"{other} and you?")
        heard.append(step.participant)
    assert heard == ["alice", "bob", "alice", "bob", "charlie", "alice", "bob", "alice"]


def test_nobody_is_called_without_depth() -> None:
    talk = Talking(mention_depth=0).say("Hello")
    assert talk.speak("@Charlie?", "b") == ["alice", "bob"]


# --- coming and going ----------------------------------------------------------------------------


def test_who_joins_stands_at_the_end() -> None:
    talk = Talking().say("Hello")
    talk.speak("a")
    talk.append(e.ParticipantJoined(participant=DORA))
    assert talk.speak("b", "c", "d", "a") == ["bob", "charlie", "dora", "alice"]
    assert talk.told() == ["[Dora | Dentist] joined the conversation"]


def test_who_leaves_is_gone_and_what_they_said_stays() -> None:
    talk = Talking().say("Hello")
    talk.speak("as I said")
    talk.append(e.ParticipantLeft(participant="alice"))
    assert talk.speak("b", "c", "b") == ["bob", "charlie", "bob"]
    assert talk.told() == ["[Alice | Architect] left the conversation"]
    assert "[Alice | Architect]: as I said" in talk.look(talk.ready()[0]).text


def test_who_has_the_floor_and_leaves_does_not_speak() -> None:
    talk = Talking().say("Hello")
    assert talk.who() == ["alice"]
    talk.append(e.ParticipantLeft(participant="alice"))
    assert talk.who() == ["bob"]
    talk.append(e.ParticipantMuted(participant="bob"))
    assert talk.who() == ["charlie"]
    talk.append(e.ParticipantUnmuted(participant="bob"))
    talk.speak("c")
    assert talk.who() == ["bob"]


def test_it_waits_while_everybody_is_muted_and_goes_on_after() -> None:
    talk = Talking(ALICE).say("Hello")
    talk.append(e.ParticipantMuted(participant="alice"))
    assert talk.who() == []
    assert talk.state.status is Status.WAITING
    talk.append(e.ParticipantUnmuted(participant="alice"))
    assert talk.who() == ["alice"]


# --- settings ------------------------------------------------------------------------------------


def test_settings_that_are_changed_hold_from_then_on_and_are_told() -> None:
    talk = Talking(max_messages=2, response_delay=5).say("Hello")
    talk.speak("a")
    talk.append(
        e.SettingsChanged(settings={"max_messages": 3, "response_delay": 20.0, "compact": True})
    )
    talk.speak("b")
    assert talk.told() == [
        "Settings changed: max_messages is 3, response_delay is 20, compact is on"
    ]
    (step,) = talk.ready()
    assert step.not_before == talk.state.turns["talk/2/bob/speak"].at + timedelta(seconds=20)
    talk.speak("c")
    assert talk.who() == []
    assert talk.told("paused_max_messages")
    assert (talk.state.settings, talk.floor.settings.max_wait) == (talk.floor.settings, 30)
    replayed = fold(talk.log)
    assert repr(floor_of(replayed)) == repr(talk.floor)


def test_a_fork_has_the_changes_and_its_own_instead_of_them() -> None:
    talk = Talking(max_messages=2).say("Hello")
    talk.append(e.SettingsChanged(settings={"max_messages": 3, "max_wait": 60}))
    talk.speak("a")
    point = ForkPoint(debate="x", at=talk.state.seq)
    changes = Changes(settings={"max_messages": 9})
    for given, most in ((Changes(), 3), (changes, 9)):
        state = fold(forked_log(talk.log, point, given, now=talk.now, version="1"))
        assert floor_of(state).settings.max_messages == most
        assert floor_of(state).settings.max_wait == 60


# --- stopping ------------------------------------------------------------------------------------


def test_it_pauses_after_so_many_messages_and_goes_on_when_told() -> None:
    talk = Talking(max_messages=2).say("Hello")
    talk.speak("a", "b")
    assert talk.who() == []
    assert talk.told() == ["Conversation paused: the limit of 2 messages is reached"]
    talk.say("")
    assert talk.speak("c", "a") == ["charlie", "alice"]
    assert talk.who() == []


def test_it_never_pauses_without_a_limit() -> None:
    talk = Talking(ALICE, BOB, max_messages=0).say("Hello")
    talk.speak(*["more"] * 60)
    assert talk.who() == ["alice"]


def test_who_was_stopped_stays_at_the_head() -> None:
    talk = Talking().say("Hello")
    talk.speak("a")
    before = talk.ready()[0]
    talk.append(e.StopRequested())
    talk.append(e.DebateStopped())
    talk.append(e.DebateResumed())
    after = talk.ready()[0]
    assert (before.key, before.participant) == (after.key, after.participant)
    assert talk.told() == ["Auto mode stopped", "Auto mode started"]


def test_it_is_over_only_when_somebody_ends_it() -> None:
    talk = Talking().say("Hello")
    talk.speak("a")
    talk.append(e.EndRequested())
    assert talk.who() == []
    assert talk.state.status is Status.COMPLETED
    assert talk.state.stop_reason is StopReason.ENDED


def test_it_ends_at_a_limit_that_was_set() -> None:
    talk = Talking(max_runtime_seconds=1).say("Hello")
    talk.speak("a")
    assert talk.state.status is Status.COMPLETED
    assert talk.state.stop_reason is StopReason.MAX_RUNTIME


def test_the_floor_is_the_same_after_a_replay() -> None:
    talk = Talking().say("@Bob?")
    talk.speak("b", "@Charlie", "SKIP")
    talk.append(e.ParticipantJoined(participant=DORA))
    talk.pace(Pacing.MANUAL)
    for step in talk.ready():
        talk.perform(step, "card")
    again = fold(talk.log)
    assert floor_of(again).queue(again) == talk.floor.queue(talk.state)
    assert floor_of(again).pending == talk.floor.pending
    assert talk.form.next(again, talk.now) == talk.form.next(talk.state, talk.now)


def test_every_fork_goes_on_where_its_source_stood() -> None:
    talk = Talking(BOB, CHARLIE).say("Hello")
    talk.fail(talk.ready()[0])
    talk.say("")
    talk.speak("@Bob?", "b", "c")
    for at in range(2, len(talk.log) + 1):
        point = ForkPoint(debate="source", at=at)
        state = fold(forked_log(talk.log, point, Changes(), now=talk.now, version="new"))
        assert [one.said.content for one in state.transcript()] == [
            one.said.content for one in fold(talk.log[:at]).transcript()
        ]
        # Whatever is asked for next has no turn yet.
        beat = floor_of(state).beat
        for one in floor_of(state).speakers(state):
            assert beat
            assert f"talk/{beat.number}/{one}/speak" not in state.turns
