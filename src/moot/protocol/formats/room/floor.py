"""The floor of a room: who speaks now, who comes next, and why nobody does. A fold over the log.

Rule 1: members speak in the order in which they joined, each once in a round; members who are muted
or gone are passed over. A member called by name speaks next, which counts as its turn in the round
if that was still to come; then the round goes on with those who have not spoken in it (seed 002,
"Example Flow"). Nobody has the floor twice in a row unless called; a member who is alone answers,
and then waits.
Rule 2: a *beat* is one giving of the floor, to one member or to several at once. Its number is in
the key of every step, so that no key is used again after a failure or an interruption.
Rule 3: in auto mode a member held back by a rate limit keeps nobody waiting: the others go on,
round after round, and it speaks as soon as it can. The others wait for it only where somebody would
otherwise speak twice in a row, or nobody at all.
Rule 4: nothing here looks at a clock: times are those of the events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, ClassVar

import msgspec

from moot.protocol import events as e
from moot.protocol.formats.room import notices
from moot.protocol.formats.room.mentions import mentioned
from moot.protocol.formats.room.standing import (
    ROUND_SAID,
    SAID,
    Again,
    Beat,
    Call,
    Standing,
    read_key,
    takes_part,
    taking_part,
)
from moot.protocol.settings import changed
from moot.protocol.state import DebateState
from moot.protocol.turns import Known
from moot.protocol.values import Participant
from moot.protocol.words import UNSPOKEN, Pacing, Status, StepKind

RATE_LIMITED = "rate_limited"


class Floor(Standing):
    """The fold. `apply` is called after the event has been applied to the state."""

    __slots__ = ()

    def apply(self, record: e.Recorded, state: Known) -> None:
        self.limits.now = record.at
        change = self._CHANGES.get(type(record.event))
        if change is not None:
            change(self, record.event, record, state)
        self.loads.apply(record, state)
        self._go_on(state)

    def _go_on(self, state: Known) -> None:
        """End the beat if everybody was heard, and find the next."""
        if self.beat is not None:
            if self._waited_for(self.beat, state):
                return
            self._end(self.beat)
        self.beat = self._next_beat(state)

    def _end(self, beat: Beat) -> None:
        self._number = beat.number + 1
        depth = beat.call.depth if beat.call else 0
        if beat.called and depth < self.settings.mention_depth:
            by = beat.speakers[0] if len(beat.speakers) == 1 else ""
            self._calls.insert(0, Call(tuple(dict.fromkeys(beat.called)), depth + 1, by))
        self.beat = None

    def _next_beat(self, state: Known) -> Beat | None:
        is_manual = self.pacing is Pacing.MANUAL
        while self._wanted:
            again = self._wanted.pop(0)
            if takes_part(state, again.member):
                return self._new_beat([again.member], again=again, is_pending=is_manual)
        if not self.is_open or self.round_event is not None:
            return None
        return self._manual_beat(state) if is_manual else self._auto_beat(state)

    def _manual_beat(self, state: Known) -> Beat | None:
        members = [*taking_part(state)]
        called = [one for call in self._calls for one in call.who if one in members]
        rest = [one for one in members if one not in self._spoken]
        self._calls.clear()
        self.is_open = bool(called or rest)
        everybody = dict.fromkeys([*called, *rest])
        return self._new_beat(everybody, is_pending=True) if everybody else None

    def _auto_beat(self, state: Known) -> Beat | None:
        members = [*taking_part(state)]
        held = [one for one in members if self.limits.holds(state.participants[one])]
        free = [one for one in members if one not in held]
        if beat := self._called_beat(free, members):
            return beat
        if members == [self._last]:
            return None  # nobody else is here: it is the person's turn
        if held:
            free = [one for one in free if one != self._last]
        if held and not free and (beat := self._called_beat(held, members)):
            return beat
        for one in self._fairly(one for one in free or held if one not in self._spoken):
            return self._new_beat([one])
        if members:
            self.round_event = ROUND_SAID
        return None

    def _called_beat(self, able: list[str], members: list[str]) -> Beat | None:
        """The floor for those called first who are able to speak; those who are not stay called."""
        calls = (msgspec.structs.replace(one, who=_of(members, one)) for one in self._calls)
        self._calls = [call for call in calls if call.who]
        for index, call in enumerate(self._calls):
            if who := _of(able, call):
                rest = tuple(one for one in call.who if one not in who)
                left = [msgspec.structs.replace(call, who=rest)] if rest else []
                self._calls[index : index + 1] = left
                return self._new_beat(who, call=msgspec.structs.replace(call, who=who))
        return None

    def _new_beat(self, speakers: Iterable[str], **fields: Any) -> Beat:
        return Beat(self._number, tuple(speakers), landed=set(), called=[], **fields)

    def _drop_beat(self) -> None:
        """Take the floor back. Its number is not used again: a model's reply may be on its way."""
        if self.beat is not None:
            if self.beat.call is not None:
                self._calls.insert(0, self.beat.call)
            self._number = self.beat.number + 1
            self.beat = None

    def _begin_anew(self) -> None:
        """Forget who was to speak and why nobody did: somebody has spoken."""
        self._drop_beat()
        self._calls.clear()
        self._wanted.clear()
        if self._has_begun:
            self.round_event = SAID
        self._go_ahead()

    def _go_ahead(self) -> None:
        self.is_open, self.paused, self.ready_at = True, None, None
        self._last = ""
        self.messages = self.skips = 0
        self.skipped.clear()

    # --- what each event means ---

    def _message_said(self, event: e.MessageSaid, _record: e.Recorded, state: Known) -> None:
        if event.content.strip():
            self._begin_anew()
            called = self._mentions(event.content, event.participant, state)
            self._calls = [Call(called, 0, event.participant)] if called else []
        else:  # "continue"
            self._go_ahead()
            if self.pacing is Pacing.MANUAL and self.beat is None and self._has_begun:
                self.round_event = SAID

    def _mentions(self, text: str, speaker: str, state: Known) -> tuple[str, ...]:
        names = {one.id: one.name for one in state.participants.values()}
        return tuple(
            one for one in mentioned(text, names) if one != speaker and takes_part(state, one)
        )

    def _turn_recorded(self, event: e.TurnRecorded, record: e.Recorded, state: Known) -> None:
        key = read_key(event.step_key)
        if key is None or event.kind is not StepKind.SPEAK:
            return
        number, member = key[0], event.participant
        self._follow(number, member)
        if self.beat is not None and self.beat.number != number:
            self.beat = None  # in a fork, which has no failures, the numbers have a gap
        self._number = max(self._number, number if self.beat else number + 1)
        self._has_begun = True
        self._last = member
        self._spoken.add(member)
        self.failed.pop(member, None)
        self._heard(event, record, state)
        if self.beat is not None:
            self.beat.landed.add(member)

    def _follow(self, number: int, member: str) -> None:
        """Take the log's word for who had the floor: earlier versions had another order."""
        beat = self.beat
        if beat is not None and beat.number == number and member not in beat.speakers:
            self.beat = self._new_beat([member], is_pending=beat.is_pending)

    def _heard(self, event: e.TurnRecorded, record: e.Recorded, state: Known) -> None:
        member = event.participant
        if not UNSPOKEN.isdisjoint(event.flags):
            self.skips += 1
            self.skipped.add(member)
            self.skip_counts[member] = self.skip_counts.get(member, 0) + 1
            self.announcements.append(notices.skipped(member, state.label_of(member)))
            return
        self.skips = 0
        self.skipped.clear()
        if speaker := state.participants.get(member):
            self.limits.end(speaker)
        if event.is_pending:
            self.pending.add(record.seq)
            return
        self.messages += 1
        self.ready_at = record.at + timedelta(seconds=self.settings.response_delay)
        if self.beat is not None and self.pacing is Pacing.AUTO:
            self.beat.called += self._mentions(event.content, member, state)

    def _step_failed(self, event: e.StepFailed, record: e.Recorded, state: Known) -> None:
        key = read_key(event.failed_key)
        if key is None:
            return
        self._follow(*key)
        member, beat = key[1], self.beat
        if beat is None or beat.number != key[0]:
            return
        label = state.label_of(member)
        beat.landed.add(member)
        self._has_begun = True
        self.failed[member] = event.failed_key
        is_limited = event.code == RATE_LIMITED
        if is_limited:
            self._limited(event, record, state, member)
        else:
            self.announcements.append(notices.failed(member, label, event.error))
        if self.pacing is Pacing.MANUAL or not is_limited:
            # In manual pacing too: a person decides whether to ask again, nobody else does.
            self._spoken.add(member)
        if self.pacing is Pacing.AUTO and not is_limited:
            reason = f"[{label}] failed to respond"
            self.announcements.append(notices.paused(notices.PAUSED_ERROR, reason, member))

    def _limited(self, event: e.StepFailed, record: e.Recorded, state: Known, member: str) -> None:
        """Remember until when the limit holds; in auto mode, keep the member at the head of the
        floor."""
        seconds = event.retry_in_s or 0.0
        until = record.at + timedelta(seconds=seconds)
        self.limits.add(state.participants[member], until, seconds)
        is_auto = self.pacing is Pacing.AUTO
        label = state.label_of(member)
        self.announcements.append(
            notices.rate_limit(member, label, event.error, seconds, pauses=is_auto)
        )
        if is_auto:
            call = self.beat.call if self.beat else None
            again = Call((member,), call.depth, call.by) if call else Call((member,), 0, "")
            self._calls.insert(0, again)

    def _step_retried(self, event: e.StepRetried, _record: e.Recorded, state: Known) -> None:
        key = read_key(event.failed_key)
        if key is None:
            return
        member = key[1]
        turn = state.turn(event.failed_key)
        if turn is None:
            self.failed.pop(member, None)
            self.paused = None
        self._calls = [call for call in self._calls if call.who != (member,)]
        self._drop_beat()
        if self.pacing is Pacing.MANUAL and not self.is_open:
            self._spoken.update(state.participants)
        self._wanted.append(Again(member, turn.place if turn else None))

    def _stage_entered(self, _event: e.StageEntered, _record: e.Recorded, _state: Known) -> None:
        self._spoken.clear()
        self._has_begun, self.round_event = False, None

    def _pacing_changed(self, event: e.PacingChanged, record: e.Recorded, state: Known) -> None:
        if event.pacing is self.pacing:
            return
        self.pacing = event.pacing
        self.announcements.append(notices.auto(is_on=event.pacing is Pacing.AUTO))
        if event.pacing is Pacing.MANUAL:
            self._slow_down(record, state)
        elif self.beat is None or self.beat.is_pending or self.paused is not None:
            # Seed 002: auto mode starts with the first in the queue.
            self._begin_anew()
            self.is_open = bool(state.turns)
        else:
            self.paused = None

    def _slow_down(self, record: e.Recorded, state: Known) -> None:
        """To manual: a speech in progress is finished, and the rest of the round becomes cards."""
        is_running = state.status is Status.RUNNING
        if not self.is_open or self.paused is not None or not is_running:
            self._drop_beat()
            self._calls.clear()
            self.is_open, self.paused = False, None
        elif self._is_within_delay(record.at):
            self._drop_beat()  # it has not begun

    def _is_within_delay(self, now: datetime) -> bool:
        """Whether the pause after the last speech is not over. If it seems to last longer than any
        such pause, the clock has been put back, and it counts as over."""
        begins = self.ready_at
        if begins is None:
            return False
        return 0 < (begins - now).total_seconds() <= self.settings.response_delay

    def _settings_changed(
        self, event: e.SettingsChanged, _record: e.Recorded, _state: Known
    ) -> None:
        self.settings = changed(self.settings, event.settings)
        self.announcements.append(notices.changed(event.settings))

    def _stop_requested(self, _event: e.StopRequested, _record: e.Recorded, state: Known) -> None:
        if state.status is Status.STOPPING and self.pacing is Pacing.AUTO:
            self.announcements.append(notices.auto(is_on=False))

    def _resumed(self, _event: e.DebateResumed, _record: e.Recorded, _state: Known) -> None:
        if self.pacing is Pacing.AUTO and self.is_open and self.paused is None:
            self.announcements.append(notices.auto(is_on=True))

    def _joined(self, event: e.ParticipantJoined, _record: e.Recorded, state: Known) -> None:
        one = event.participant.id
        self._spoken.discard(one)
        self.announcements.append(notices.joined(one, state.label_of(one)))
        self._tell_window(event.participant, state)

    def _tell_window(self, new: Participant, state: Known) -> None:
        """Tell that the window had to be guessed, once for each model."""
        others = (one for one in state.participants.values() if one.id != new.id)
        if new.is_window_assumed and new.model not in {one.model for one in others}:
            self.announcements.append(notices.window_assumed(new.model, new.window or 0))

    def _left(self, event: e.ParticipantLeft, _record: e.Recorded, state: Known) -> None:
        one = event.participant
        self.failed.pop(one, None)
        self.announcements.append(notices.left(one, state.label_of(one)))

    def _toggled(
        self, event: e.TurnIncluded | e.TurnExcluded, _record: e.Recorded, _state: Known
    ) -> None:
        self.pending.discard(event.turn)

    def _noticed(self, event: e.NoticePosted, _record: e.Recorded, _state: Known) -> None:
        # Not compared by its text: earlier versions had other words.
        about = event.code, event.participant
        told = next(
            (one for one in self.announcements if (one.code, one.participant) == about), None
        )
        if told is not None:
            self.announcements.remove(told)
        if event.code in notices.PAUSES:
            self.paused = notices.why_paused(event)
        elif event.code == notices.CONTEXT_WARNING:
            self.warned.add(event.participant)

    _CHANGES: ClassVar[dict[type[e.Event], Callable[..., None]]] = {
        e.MessageSaid: _message_said,
        e.TurnRecorded: _turn_recorded,
        e.StepFailed: _step_failed,
        e.StepRetried: _step_retried,
        e.StageEntered: _stage_entered,
        e.PacingChanged: _pacing_changed,
        e.SettingsChanged: _settings_changed,
        e.StopRequested: _stop_requested,
        e.DebateResumed: _resumed,
        e.ParticipantJoined: _joined,
        e.ParticipantLeft: _left,
        e.TurnIncluded: _toggled,
        e.TurnExcluded: _toggled,
        e.NoticePosted: _noticed,
    }


def _of(members: Iterable[str], call: Call) -> tuple[str, ...]:
    """Those of the members who were called, in the order of the room."""
    return tuple(one for one in members if one in call.who)


def floor_of(state: DebateState) -> Floor:
    """The floor of a debate that is a room."""
    return state.own_as(Floor)
