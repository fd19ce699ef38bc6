"""Manual pacing, switching, failures, rate limits, once more, and what people may not do."""

from __future__ import annotations

from datetime import timedelta

import msgspec
from tests.unit.protocol.rooms import ALICE, BOB, Talking

from moot.protocol import events as e
from moot.protocol.deciding import allowed
from moot.protocol.words import HUMAN, USER, Pacing, Status

SAY = e.MessageSaid(participant=USER, content="...")
TO_AUTO = e.PacingChanged(pacing=Pacing.AUTO)


def cards(talk: Talking) -> list[str]:
    return [turn.said.participant for turn in talk.state.transcript() if turn.is_pending]


def answer_all(talk: Talking, text: str = "card") -> None:
    for step in talk.ready():
        talk.perform(step, f"{text} by {step.participant}")
    talk.ready()


def settle(talk: Talking, *include: str) -> None:
    for turn in talk.state.transcript():
        if turn.is_pending:
            event = e.TurnIncluded if turn.said.participant in include else e.TurnExcluded
            talk.append(event(turn=turn.seq))
    talk.ready()


# --- manual --------------------------------------------------------------------------------------


def test_everybody_answers_at_once_from_the_same_messages() -> None:
    talk = Talking(pacing="manual").say("Hello")
    steps = talk.ready()
    assert [step.participant for step in steps] == ["alice", "bob", "charlie"]
    assert len({step.horizon for step in steps}) == 1
    assert all(step.is_pending for step in steps)
    talk.perform(steps[2], "c")
    assert "c" not in [m.content for m in talk.look(steps[0]).history]
    talk.perform(steps[0], "a")
    talk.perform(steps[1], "b")
    assert talk.who() == []
    assert cards(talk) == ["alice", "bob", "charlie"]
    assert talk.state.status is Status.WAITING


def test_what_was_not_chosen_stays_and_is_not_read() -> None:
    talk = Talking(pacing="manual").say("Hello")
    answer_all(talk)
    settle(talk, "bob")
    talk.say("And?")
    text = talk.look(talk.ready()[0]).text
    assert "card by bob" in text
    assert "card by alice" not in text
    assert len(talk.state.turns) == 5
    assert talk.state.round == 2


def test_a_skip_is_no_card() -> None:
    talk = Talking(pacing="manual").say("Hello")
    first, *rest = talk.ready()
    talk.perform(first, "SKIP")
    for step in rest:
        talk.perform(step, "card")
    talk.ready()
    assert cards(talk) == ["bob", "charlie"]
    assert talk.told() == ["[Alice | Architect] skipped their turn"]


def test_who_is_muted_writes_no_card_and_who_is_mentioned_stands_first() -> None:
    talk = Talking(pacing="manual")
    talk.append(e.ParticipantMuted(participant="bob"))
    talk.say("@Charlie?")
    assert talk.who() == ["charlie", "alice"]
    answer_all(talk, "@Bob, @Alice")
    assert talk.who() == []


def test_a_skip_is_never_a_card_and_leaves_nobody_waiting() -> None:
    talk = Talking(pacing="manual").say("Hello")
    for step in talk.ready():
        talk.perform(step, "SKIP" if step.participant != "bob" else "card")
    talk.ready()
    assert cards(talk) == ["bob"]
    assert talk.told("skipped") == [
        "[Alice | Architect] skipped their turn",
        "[Charlie] skipped their turn",
    ]
    settle(talk, "bob")
    talk.say("And?")
    for step in talk.ready():
        talk.perform(step, "SKIP")
    assert talk.who() == []
    assert talk.state.status is Status.WAITING
    assert talk.form.refusal(talk.state, SAY) is None
    assert talk.floor.skip_counts == {"alice": 2, "charlie": 2, "bob": 1}


def test_an_empty_message_asks_everybody_again() -> None:
    talk = Talking(pacing="manual").say("Hello")
    answer_all(talk)
    settle(talk)
    talk.say("")
    assert talk.who() == ["alice", "bob", "charlie"]
    assert talk.state.messages_said == 2
    assert "" not in [turn.said.content for turn in talk.state.transcript()]


def test_there_is_no_limit_of_messages_nor_of_skips_in_manual() -> None:
    talk = Talking(pacing="manual", max_messages=1).say("Hello")
    answer_all(talk)
    settle(talk, "alice", "bob", "charlie")
    talk.say("And?")
    for step in talk.ready():
        talk.perform(step, "SKIP")
    talk.ready()
    assert not any("paused" in text for text in talk.told())


# --- switching -----------------------------------------------------------------------------------


def test_to_manual_lets_the_answer_finish_and_the_rest_become_cards() -> None:
    talk = Talking().say("Hello")
    step = talk.ready()[0]
    talk.pace(Pacing.MANUAL)
    assert [one.key for one in talk.ready()] == [step.key]
    talk.perform(step, "a")
    assert talk.who() == ["bob", "charlie"]
    answer_all(talk)
    assert cards(talk) == ["bob", "charlie"]
    assert talk.state.turns[step.key].is_pending is False
    assert talk.told() == ["Auto mode stopped"]


def test_who_has_not_begun_when_it_becomes_manual_writes_a_card_too() -> None:
    talk = Talking(response_delay=30).say("Hello")
    talk.speak("a")
    waiting = talk.ready()[0]
    talk.pace(Pacing.MANUAL)
    steps = talk.ready()
    assert [step.participant for step in steps] == ["bob", "charlie"]
    assert all(step.is_pending and step.key != waiting.key for step in steps)


def test_to_manual_while_nobody_speaks_asks_nobody() -> None:
    talk = Talking()
    talk.pace(Pacing.MANUAL)
    assert talk.who() == []
    talk.say("Hello")
    answer_all(talk)
    settle(talk)
    talk.pace(Pacing.AUTO)
    talk.speak("SKIP", "SKIP", "SKIP")
    talk.pace(Pacing.MANUAL)
    assert talk.who() == []
    assert talk.floor.paused is None


def test_to_auto_begins_with_the_first_once_something_was_said() -> None:
    talk = Talking(pacing="manual")
    talk.pace(Pacing.AUTO)
    assert talk.who() == []
    talk.pace(Pacing.MANUAL)
    talk.say("Hello")
    answer_all(talk)
    settle(talk, "alice")
    talk.pace(Pacing.AUTO)
    assert talk.speak("a", "b") == ["alice", "bob"]


def test_to_auto_is_refused_while_anything_is_pending() -> None:
    talk = Talking(pacing="manual").say("Hello")
    talk.ready()
    assert "still answering" in str(talk.form.refusal(talk.state, TO_AUTO))
    answer_all(talk)
    assert "choose first" in str(talk.form.refusal(talk.state, TO_AUTO))
    assert "choose first" in str(talk.form.refusal(talk.state, SAY))
    assert "pending" in allowed(talk.form, talk.state)
    assert "say" not in allowed(talk.form, talk.state)
    settle(talk)
    assert talk.form.refusal(talk.state, TO_AUTO) is None
    assert talk.form.refusal(talk.state, SAY) is None


def test_rapid_toggling_changes_nothing_for_who_speaks() -> None:
    talk = Talking().say("Hello")
    step = talk.ready()[0]
    for pacing in (Pacing.MANUAL, Pacing.AUTO, Pacing.MANUAL, Pacing.AUTO):
        talk.pace(pacing)
        assert [one.key for one in talk.ready()] == [step.key]
    talk.perform(step, "a")
    assert talk.who() == ["bob"]
    assert talk.told() == ["Auto mode stopped", "Auto mode started"] * 2


def test_typing_is_refused_while_auto_runs() -> None:
    talk = Talking().say("Hello")
    assert talk.who() == ["alice"]
    assert "auto mode is on" in str(talk.form.refusal(talk.state, SAY))
    may = {"pace", "join", "leave", "mute", "settings", "include"}
    assert set(allowed(talk.form, talk.state)) == may
    talk.append(e.StopRequested(), e.DebateStopped())
    assert talk.form.refusal(talk.state, SAY) is None
    assert "say" in allowed(talk.form, talk.state)


# --- people in the floor -------------------------------------------------------------------------


def test_a_person_in_the_floor_is_asked_and_may_pass() -> None:
    dora = msgspec.structs.replace(BOB, model=HUMAN)
    talk = Talking(ALICE, dora).say("Hello")
    talk.speak("a")
    step = talk.ready()[0]
    assert step.participant == "bob"
    assert step.may_pass
    assert talk.form.refusal(talk.state, SAY) is None
    talk.perform(step, "", model="", flags=("passed",))
    assert talk.who() == ["alice"]
    assert talk.told() == ["[Bob] skipped their turn"]


# --- failures ------------------------------------------------------------------------------------


def test_a_failure_is_told_pauses_auto_and_the_others_can_go_on() -> None:
    talk = Talking().say("Hello")
    talk.fail(talk.ready()[0])
    assert talk.told() == [
        "⚠️ [Alice | Architect] Failed to respond: it broke",
        "Conversation paused: [Alice | Architect] failed to respond",
    ]
    assert talk.who() == []
    assert talk.state.status is Status.WAITING
    assert list(talk.floor.failed) == ["alice"]
    talk.say("")
    assert talk.speak("b", "c", "a") == ["bob", "charlie", "alice"]
    assert not talk.floor.failed


def test_only_who_failed_is_tried_again_and_then_it_goes_on() -> None:
    talk = Talking().say("Hello")
    talk.speak("a")
    step = talk.ready()[0]
    talk.fail(step)
    talk.append(e.StepRetried(failed_key=step.key))
    again = talk.ready()
    assert [one.participant for one in again] == ["bob"]
    assert again[0].key != step.key
    talk.perform(again[0], "b")
    assert talk.speak("c", "a") == ["charlie", "alice"]


def test_in_manual_a_failure_leaves_the_others_cards() -> None:
    talk = Talking(pacing="manual").say("Hello")
    first, *rest = talk.ready()
    talk.fail(first)
    for step in rest:
        talk.perform(step, "card")
    talk.ready()
    assert cards(talk) == ["bob", "charlie"]
    talk.append(e.StepRetried(failed_key=first.key))
    assert talk.who() == ["alice"]
    answer_all(talk)
    assert cards(talk) == ["bob", "charlie", "alice"]
    assert talk.who() == []


def test_a_rate_limit_keeps_who_was_turned_away_at_the_head() -> None:
    talk = Talking().say("@Charlie?")
    talk.fail(talk.ready()[0], "rate_limited", retry_in_s=29.2)
    limit = talk.floor.limits.longest
    assert limit is not None
    failed_at = talk.state.notices[0].at
    assert limit.until == failed_at + timedelta(seconds=29.2)
    assert talk.told() == [
        "Conversation paused: [Charlie] failed to respond: it broke. Rate limited. Retry in 30s"
    ]
    assert talk.floor.paused == "Rate limited"
    assert talk.who() == []
    assert talk.floor.queue(talk.state) == ["charlie", "alice", "bob"]
    talk.say("")
    assert talk.ready()[0].not_before == limit.until
    assert talk.speak("c", "a") == ["charlie", "alice"]
    assert talk.floor.limits.longest is None


def test_in_manual_a_rate_limit_is_a_failure_that_nobody_repeats_unasked() -> None:
    talk = Talking(pacing="manual").say("Hello")
    first, *rest = talk.ready()
    talk.fail(first, "rate_limited", retry_in_s=20)
    for step in rest:
        talk.perform(step, "card")
    assert talk.who() == []
    assert talk.told() == [
        "⚠️ [Alice | Architect] Failed to respond: it broke. Rate limited. Retry in 20s"
    ]
    settle(talk, "bob")
    assert talk.form.refusal(talk.state, SAY) is None


def test_whoever_is_asked_during_a_rate_limit_waits_for_its_end_in_either_pacing() -> None:
    elsewhere = msgspec.structs.replace(BOB, model="other:m")
    for pacing in Pacing:
        talk = Talking(ALICE, elsewhere, pacing=pacing).say("@Alice?")
        step = next(one for one in talk.ready() if one.participant == "alice")
        talk.fail(step, "rate_limited", retry_in_s=20)
        limit = talk.floor.limits.longest
        assert limit is not None
        talk.append(e.StepRetried(failed_key=step.key))
        (again,) = [one for one in talk.ready() if one.participant == "alice"]
        assert again.not_before == limit.until
        talk.perform(again, "here")
        assert talk.floor.limits.longest is None


def test_a_rate_limit_at_one_provider_holds_nobody_of_another() -> None:
    elsewhere = msgspec.structs.replace(BOB, model="other:m")
    talk = Talking(ALICE, elsewhere, pacing="manual").say("Hello")
    one, two = talk.ready()
    talk.fail(one, "rate_limited", retry_in_s=20)
    talk.perform(two, "card")
    settle(talk, "bob")
    talk.say("And now?")
    waits = {step.participant: step.not_before for step in talk.ready()}
    assert waits["alice"] is not None
    assert waits["bob"] is None


def test_people_can_speak_while_a_member_is_held_back_by_a_rate_limit() -> None:
    for pacing in Pacing:
        talk = Talking(ALICE, pacing=pacing).say("Hello")
        talk.fail(talk.ready()[0], "rate_limited", retry_in_s=600)
        talk.say("And now?")
        (step,) = talk.ready()
        assert step.not_before is not None
        assert talk.form.refusal(talk.state, SAY) is None
        talk.say("Or now?")
        (later,) = talk.ready()
        assert (later.participant, later.key == step.key) == ("alice", False)
        assert later.not_before == step.not_before


def test_people_wait_again_for_who_is_no_longer_held_back() -> None:
    talk = Talking(ALICE, BOB, pacing="manual").say("Hello")
    one, two = talk.ready()
    talk.fail(one, "rate_limited", retry_in_s=5)
    talk.perform(two, "card")
    settle(talk, "bob")
    talk.append(e.MessageSaid(participant="user", content="And?"), after=timedelta(seconds=10))
    assert talk.who() == ["alice", "bob"]
    assert "still answering" in str(talk.form.refusal(talk.state, SAY))


def test_who_was_asked_together_with_one_that_failed_may_finish() -> None:
    talk = Talking().say("@Alice @Bob")
    one, two = talk.ready()
    talk.fail(one)
    assert [step.key for step in talk.ready()] == [two.key]
    talk.perform(two, "b")
    assert talk.who() == []
    assert talk.floor.paused
    talk.say("")
    assert talk.who() == ["charlie"]


# --- once more -----------------------------------------------------------------------------------


def test_an_answer_is_given_once_more_in_its_place_from_what_was_known() -> None:
    talk = Talking(pacing="manual").say("Hello")
    answer_all(talk)
    settle(talk, "alice", "bob")
    old = next(t for t in talk.state.transcript() if t.said.participant == "alice")
    talk.append(e.TurnExcluded(turn=old.seq), e.StepRetried(failed_key=old.said.step_key))
    (step,) = talk.ready()
    assert step.participant == "alice"
    assert "card by" not in talk.look(step).text
    talk.perform(step, "better")
    talk.ready()
    shown = [t.said.content for t in talk.state.transcript()]
    assert shown.index("better") == shown.index("card by alice") + 1
    assert cards(talk) == ["alice"]
    assert talk.who() == []


def test_once_more_in_auto_does_not_end_the_pause() -> None:
    talk = Talking(max_messages=2).say("Hello")
    talk.speak("a", "b")
    old = next(t for t in talk.state.transcript() if t.said.participant == "bob")
    talk.append(e.TurnExcluded(turn=old.seq), e.StepRetried(failed_key=old.said.step_key))
    assert talk.who() == ["bob"]
    talk.speak("better")
    assert talk.who() == []
    assert talk.floor.paused
    talk.say("")
    assert talk.who() == ["charlie"]
