"""The room of seed 002: any number of members, and a person who leads the conversation.

The floor (see `floor`) says who speaks; this module says what is asked of them, when auto mode
pauses, and what people may do. A room is never over by itself: when nobody has to speak, it waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from moot.protocol import events as e
from moot.protocol.answers import Answer, OnUnreadable, Unreadable
from moot.protocol.formats.room import notices
from moot.protocol.formats.room.floor import Floor, floor_of
from moot.protocol.formats.room.loads import FULL, WARNING, counts, persona_of
from moot.protocol.formats.room.standing import (
    ROUND_SAID,
    SAID,
    SUMMARIZE,
    TALK,
    WORDS,
    Beat,
    RoomSettings,
    RoomView,
    key_of,
    room_view,
)
from moot.protocol.machine import END, START, UPCOMING, Format, Rounds, Stage, Transition, walk
from moot.protocol.parsing import words
from moot.protocol.settings import Settings, frozen, narrowed
from moot.protocol.speech import beside_skip, is_skip
from moot.protocol.state import DebateState
from moot.protocol.steps import Idle, Next, Prompt, Record, Step
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import (
    SKIPPED,
    USER,
    Pacing,
    Role,
    Status,
    StepKind,
    StopReason,
    View,
    Visibility,
)

PENDING = "answers are waiting: choose first which of them the others hear"
IN_AUTO = "auto mode is on: switch to manual, or stop, to type"
ANSWERING = "the members are still answering: wait for them, or stop"

YOUR_TURN = "It is your turn, {name}."
"""How the prompt of a turn begins, which small models like to repeat."""
LONGEST_ECHO = 4_000
"""Characters that are compared: reading the words of a long text takes time."""
FEWEST_OF_ECHO = 8
"""Words: somebody who repeats a shorter text may mean it, as in "Yes."."""
SUMMARY_TOKENS = 600
UNLIMITED_CALLS = 100_000


class SpokenOrSkipped(Answer, frozen=True, kw_only=True):
    """Free text, or SKIP with hardly anything beside it; see `speech`. A member that only
    repeats what was just said, or what it was asked, has nothing to say either."""

    on_unreadable: OnUnreadable = OnUnreadable.FAIL
    asked: str = ""
    heard: str = ""

    def read(self, text: str) -> dict[str, Any] | Unreadable | None:
        if not text.strip():
            return Unreadable("the reply was empty")
        return {"skipped": True} if is_skip(text) or self._is_echo(text) else None

    def _is_echo(self, text: str) -> bool:
        if len(text) > LONGEST_ECHO:
            return False
        said, asked = words(text), words(self.asked)
        is_long = len(said) >= FEWEST_OF_ECHO and len(self.heard) <= LONGEST_ECHO
        return said == asked or (is_long and said == words(self.heard))

    @property
    def is_speech(self) -> bool:
        return True

    @property
    def takes_echoes(self) -> bool:
        return True

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        return text if data else beside_skip(text)

    def flags(self, data: dict[str, Any] | None) -> tuple[str, ...]:
        return (SKIPPED,) if data else ()


# --- steps ---------------------------------------------------------------------------------------


def _speaking(state: DebateState) -> Iterator[Step]:
    floor = floor_of(state)
    beat = floor.beat
    speakers = set(floor.speakers(state))
    if beat is None:
        return
    for index, member in enumerate(beat.speakers):
        if member in speakers:
            one = state.participants[member]
            summary = _summary_step(state, beat, one)
            yield summary or _speak_step(state, beat, one, index)


def _speak_step(state: DebateState, beat: Beat, member: Participant, index: int) -> Step:
    floor = floor_of(state)
    instead_of = beat.again.instead_of if beat.again else None
    return Step(
        key=key_of(beat.number, member.id),
        participant=member.id,
        kind=StepKind.SPEAK,
        stage=TALK,
        round=max(1, state.round),
        # An answer given again stands right behind the old one, and knows only what was known then.
        place=(*instead_of, 1) if instead_of else (beat.number, index),
        horizon=instead_of or (beat.number,),
        prompt=_prompt(state, beat, member),
        system=_system(state, member),
        view=View.TRANSCRIPT,
        max_tokens=floor.loads.reply_tokens(member),
        answer=SpokenOrSkipped(
            asked=YOUR_TURN.format(name=member.name), heard=_just_heard(state, member)
        ),
        not_before=_not_before(floor, beat, member),
        pause_s=floor.longest_pause_s(member),
        is_pending=beat.is_pending,
        since=floor.loads.since(member.id),
        silence_s=_wait_s(state),
        is_patient=False,
    )


def _just_heard(state: DebateState, member: Participant) -> str:
    """The last message, if it is somebody else's."""
    last = next((turn for turn in state.newest_first() if counts(turn)), None)
    return last.said.content if last and last.said.participant != member.id else ""


def _not_before(floor: Floor, beat: Beat, member: Participant) -> datetime | None:
    """When the member may be asked: not while its provider wants to be left alone, in either
    pacing, and in auto mode not right after the message before."""
    is_auto = not beat.is_pending and beat.again is None
    times = (floor.ready_at if is_auto else None, floor.limits.until(member))
    return max((time for time in times if time is not None), default=None)


def _wait_s(state: DebateState) -> float:
    settings = floor_of(state).settings
    return float(min(settings.max_wait, settings.call_timeout_seconds))


def _summary_step(state: DebateState, beat: Beat, member: Participant) -> Step | None:
    """The step before its speech in which a member whose window is full sums up what it read."""
    loads = floor_of(state).loads
    key = key_of(beat.number, member.id, SUMMARIZE)
    if key in state.turns or not _must_compact(state, member):
        return None
    cut = loads.cut(state, member)
    if cut is None:
        return None
    place, horizon = cut
    return Step(
        key=key,
        participant=member.id,
        kind=StepKind.SUMMARIZE,
        stage=TALK,
        round=max(1, state.round),
        place=place,
        horizon=horizon,
        prompt=Prompt("room/summarize", {"name": member.name}),
        system=_system(state, member),
        visibility=Visibility.PRIVATE,
        view=View.TRANSCRIPT,
        max_tokens=min(SUMMARY_TOKENS, loads.reply_tokens(member)),
        since=loads.since(member.id),
        not_before=floor_of(state).limits.until(member),
        pause_s=floor_of(state).longest_pause_s(member),
        silence_s=_wait_s(state),
        is_patient=False,
    )


def _must_compact(state: DebateState, member: Participant) -> bool:
    share = floor_of(state).loads.share(member)
    return (
        floor_of(state).settings.compact
        and not member.is_human
        and share is not None
        and share >= WARNING
    )


def _prompt(state: DebateState, beat: Beat, member: Participant) -> Prompt:
    if beat.call is None or not beat.call.by:
        return Prompt("room/speak", {"name": member.name})
    by = state.label_of(beat.call.by)
    return Prompt("room/called", {"name": member.name, "by": by})


def _system(state: DebateState, member: Participant) -> Prompt:
    others = [one.label for one in state.participants.values() if one.id != member.id]
    names = Prompt("room/others", {"names": ", ".join(others)}) if others else ""
    return Prompt(
        "room/system",
        {
            "name": member.label,
            "topic": state.config.topic,
            "persona_block": "\n\n".join(persona_of(member)),
            "others_block": names,
        },
    )


# --- when auto mode pauses -----------------------------------------------------------------------


def _first_message(state: DebateState) -> tuple[e.MessageSaid, ...]:
    """Seed 002, "Response Flow": the user posts an initial message."""
    is_due = floor_of(state).settings.say_topic and not state.turns
    return (e.MessageSaid(participant=USER, content=state.config.topic),) if is_due else ()


def _notes(state: DebateState) -> tuple[e.NoticePosted, ...]:
    """What is to be told before anything else happens."""
    floor = floor_of(state)
    if floor.announcements:
        return tuple(floor.announcements)
    if not floor.speakers(state):
        return ()
    return _warnings(state) or _pause(state)


def _warnings(state: DebateState) -> tuple[e.NoticePosted, ...]:
    floor = floor_of(state)
    if floor.settings.compact:
        return ()
    shares = {
        one.id: floor.loads.share(one) or 0.0
        for one in state.participants.values()
        if not one.muted and not one.is_human and one.id not in floor.warned
    }
    return tuple(
        notices.context_warning(one, state.label_of(one), share)
        for one, share in shares.items()
        if share >= WARNING
    )


def _pause(state: DebateState) -> tuple[e.NoticePosted, ...]:
    """Why auto mode stops here, if it does (seed 002, "Stop Conditions")."""
    floor = floor_of(state)
    beat = floor.beat
    if state.pacing is not Pacing.AUTO or beat is None or beat.again is not None or beat.landed:
        return ()
    most = floor.settings.max_messages
    if floor.has_all_skipped(state):
        return (notices.paused(notices.PAUSED_SKIPS, "everybody skipped their turn"),)
    if most and floor.messages >= most:
        return (notices.paused(notices.PAUSED_LIMIT, f"the limit of {most} messages is reached"),)
    full = [one for one in floor.speakers(state) if _is_full(state, state.participants[one], beat)]
    if full:
        reason = f"[{state.label_of(full[0])}] cannot read any more. To go on: {notices.ADVICE}"
        return (
            notices.context_full(full[0]),
            notices.paused(notices.PAUSED_CONTEXT, reason, full[0]),
        )
    return ()


def _is_full(state: DebateState, member: Participant, beat: Beat) -> bool:
    share = floor_of(state).loads.share(member)
    if member.is_human or share is None or share < FULL:
        return False
    return _summary_step(state, beat, member) is None


# --- the tables ----------------------------------------------------------------------------------


def _emits(state: DebateState) -> str | None:
    return floor_of(state).round_event


DEFAULT_ROSTER = (
    Participant(
        id="ada",
        name="Ada",
        title="Architect",
        role=Role.MEMBER,
        personality="You are an architect of systems. You look for the simplest design that works.",
    ),
    Participant(
        id="sol",
        name="Sol",
        title="Skeptic",
        role=Role.MEMBER,
        personality="You are a friendly skeptic. You ask what could go wrong, and how we know.",
    ),
    Participant(
        id="mira",
        name="Mira",
        title="Builder",
        role=Role.MEMBER,
        personality="You are a builder. You say what you would do first, and what it would cost.",
    ),
)


class Room(Format):
    name = "room"
    about = "You talk with any number of members, who take turns or answer when you choose."
    when_to_use = "When you want a conversation with several models that you can steer at any time."
    words: FormatWord | None = WORDS
    is_open_ended = True
    gives_verdict = False
    changeable = frozenset({"response_delay", "max_messages", "max_wait", "compact"})
    ends_by = StopReason.ENDED
    settings: type[Settings] = RoomSettings
    default_roster: tuple[Participant, ...] = DEFAULT_ROSTER
    view_type: type[msgspec.Struct] | None = RoomView
    stages: tuple[Stage, ...] = (
        Stage(
            name=TALK,
            about="Members speak in turn; when nobody has anything to say, the room waits.",
            steps=_speaking,
            emits=_emits,
        ),
    )
    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target=TALK),
        Transition(source=TALK, event=ROUND_SAID, target=TALK, rounds=Rounds.NEXT),
        Transition(source=TALK, event=SAID, target=TALK, rounds=Rounds.NEXT),
        Transition(source=TALK, event=END, target=None),
    )

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """Everybody is a member, whatever role they have elsewhere."""
        del settings
        replace = msgspec.structs.replace
        roster = participants or self.default_roster
        return tuple(replace(one, role=Role.MEMBER) for one in roster)

    def opening(self, config: Config) -> tuple[e.NoticePosted, ...]:
        """Who is there from the beginning, whose window had to be guessed, and whether auto
        mode is on."""
        people = config.participants
        settings = frozen(RoomSettings, config.settings)
        unknown = {one.model: one.window or 0 for one in people if one.is_window_assumed}
        return (
            *(notices.joined(one.id, one.label) for one in people),
            *(notices.window_assumed(model, window) for model, window in unknown.items()),
            *((notices.auto(is_on=True),) if Pacing(settings.pacing) is Pacing.AUTO else ()),
        )

    def most_calls(self, config: Config) -> int:
        """The most calls between two things that people do."""
        members = max(1, len(config.participants))
        most = frozen(RoomSettings, config.settings).max_messages or UNLIMITED_CALLS
        return most * members

    def fold(self, config: Config, settings: Settings) -> Floor:
        return Floor(config, narrowed(settings, RoomSettings))

    def next(self, state: DebateState, now: datetime) -> Next:
        del now
        notes: tuple[e.AnyEvent, ...] = ()
        if state.stage is not None and not state.ending:
            notes = _first_message(state) or _notes(state)
        decision = Record(notes) if notes else walk(self, state)
        if isinstance(decision, Idle):
            return Idle(floor_of(state).paused or "nobody has to speak")
        return decision

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        del now
        floor = floor_of(state)
        return tuple(floor.queue(state)[:UPCOMING]) if floor.speakers(state) else ()

    def view(self, state: DebateState) -> RoomView:
        return room_view(state, floor_of(state))

    def refusal(self, state: DebateState, event: e.AnyEvent) -> str | None:
        floor = floor_of(state)
        is_busy = state.status is Status.RUNNING and floor.is_busy(state)
        is_choosing = floor.beat is not None and floor.beat.is_pending
        reason: str | None = None
        match event:
            case e.MessageSaid() | e.PacingChanged(pacing=Pacing.AUTO) if floor.pending:
                reason = PENDING
            case e.MessageSaid() if is_busy and state.pacing is Pacing.AUTO:
                reason = IN_AUTO
            case e.MessageSaid() if is_busy:
                reason = ANSWERING
            case e.PacingChanged(pacing=Pacing.AUTO) if is_busy and is_choosing:
                reason = ANSWERING
            case e.StepRetried() if is_busy:
                reason = "somebody is speaking: wait, or stop the room"
            case _:
                pass
        return reason
