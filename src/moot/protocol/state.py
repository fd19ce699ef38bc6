"""The fold: what a log amounts to. Same events, same state, on any machine.

A state belongs to one reader, which applies events in order; applying costs the same for the first
event and the five-thousandth. Nothing here decides anything: formats read it, `lifecycle` guards
it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

from moot.errors import ENDS_PROCESS, IllegalEvent
from moot.protocol import events as e, outcomes
from moot.protocol.copying import copy_of
from moot.protocol.lifecycle import TITLES, status_after
from moot.protocol.row import Cursor, DebateRow, seats_of
from moot.protocol.settings import PacedSettings, Settings, changed, frozen, narrowed
from moot.protocol.timeline import Timeline, Wait, follow
from moot.protocol.turns import SAID, Known, Turn, Turns
from moot.protocol.values import Config, Participant, Usage
from moot.protocol.words import (
    USER,
    Pacing,
    Status,
    StepKind,
    StopReason,
    Visibility,
)

__all__ = ["INHERITED", "DebateState", "Turn"]


INHERITED = "inherited"
"""The flag of a turn that a fork shares with its source, which paid for it."""


ABOUT_SOMEBODY = frozenset({StepKind.EVALUATE, StepKind.SCORE, StepKind.CRITIQUE})
"""Kinds of turns whose keys end with whom they are about: `exchange/1/judith/score/bo`."""
PARTS_OF_SUCH_A_KEY = 5

S = TypeVar("S", bound=Settings)
F = TypeVar("F")


class Fold(Protocol):
    """What a format keeps beside the state of a debate; see `Format.fold`."""

    def apply(self, record: e.Recorded, state: Known) -> None:
        """Take one more event into account, after the state has."""


class Rules(Protocol):
    """What the fold needs to know of a format."""

    settings: type[Settings]
    is_open_ended: bool

    def fold(self, config: Config, settings: Settings) -> Fold | None:
        """What the format keeps beside the state."""


def _heard_here(config: Config) -> str:
    """The debate that a hearing is about; "" if it was held elsewhere, as that debate was."""
    is_import = config.origin is not None and config.origin.is_import
    return "" if config.hears is None or is_import else config.hears.debate


def _own_fold(
    rules: Rules, config: Config, settings: Settings
) -> tuple[Fold | None, BaseException | None]:
    """What the format keeps beside the state, or why it cannot: the log must stay readable."""
    try:
        return rules.fold(config, settings), None
    except ENDS_PROCESS:
        raise
    except BaseException as error:  # noqa: BLE001 - anybody's code
        return None, error


class DebateState(Turns):
    """Everything that is known of one debate after the events applied so far."""

    __slots__ = (
        "attempts_failed",
        "broken",
        "calls",
        "cast",
        "config",
        "created_at",
        "ending",
        "failure",
        "failures",
        "has_open_cards",
        "is_open_ended",
        "left",
        "limits",
        "messages_said",
        "notices",
        "outcome",
        "own",
        "pacing",
        "participants",
        "questions",
        "retried",
        "round",
        "seq",
        "settings",
        "stage",
        "stage_seq",
        "statements",
        "status",
        "stop_reason",
        "timeline",
        "title",
        "tools_used",
        "unanswered",
        "updated_at",
        "usage",
        "waits",
    )

    def __init__(self, created: e.Recorded, rules: Rules) -> None:
        """Begin with the first event of a log, which must be DebateCreated; `folding.begin` knows
        the rules of every format."""
        if created.seq != 1 or not isinstance(created.event, e.DebateCreated):
            raise IllegalEvent("a log begins with DebateCreated")
        super().__init__()
        config = created.event.config
        self.config: Config = config
        self.settings: Settings = frozen(rules.settings, config.settings)
        self.status = Status.CREATED
        self.seq = 1
        self.created_at = self.updated_at = created.at
        self.timeline = Timeline()
        self.stage: str | None = None
        self.round = 0
        self.stage_seq = 0
        self.participants: dict[str, Participant] = {p.id: p for p in config.participants}
        self.cast = seats_of(config.participants)
        self.left: dict[str, Participant] = {}
        self.statements = self.messages_said = 0
        self.failures: dict[str, e.StepFailed] = {}
        self.attempts_failed: dict[str, list[e.AttemptFailed]] = {}
        self.tools_used: dict[str, list[e.ToolUsed]] = {}
        self.questions: dict[str, e.QuestionOpened] = {}
        self.retried: dict[str, int] = {}
        self.notices: list[e.Recorded] = []
        self.limits: dict[StopReason, float] = {}
        told = self.settings
        self.pacing = Pacing(told.pacing) if isinstance(told, PacedSettings) else Pacing.AUTO
        self.title = ""
        self.ending = self.has_open_cards = False
        self.waits: dict[str, Wait] = {}
        self.calls = 0
        self.unanswered = 0
        self.usage = Usage()
        self.stop_reason: StopReason | None = None
        self.failure: e.DebateFailed | None = None
        self.outcome: outcomes.Outcome | None = None
        self.is_open_ended = rules.is_open_ended
        self.own, self.broken = _own_fold(rules, config, self.settings)
        """What the format keeps beside the state, and what that died of: it is worth nothing from
        then on."""

    # --- reading ---

    def settings_as(self, kind: type[S]) -> S:
        """The settings, typed as the kind that the format has. Raises TypeError for others."""
        return narrowed(self.settings, kind)

    def own_as(self, kind: type[F]) -> F:
        """What the format keeps beside the state, as a `kind`. Raises TypeError if it isn't."""
        if not isinstance(self.own, kind):
            message = f"a debate of the format {self.config.format} has no {kind.__name__}"
            raise TypeError(message)
        return self.own

    def copy(self) -> DebateState:
        """An independent state that stands where this one does: far cheaper than folding again."""
        return copy_of(self)

    def is_person(self, participant: str) -> bool:
        """Whether a question is opened, and no model called, when it is this participant's turn."""
        return participant == USER or self.participants[participant].is_human

    def label_of(self, participant: str) -> str:
        """How people see the name, also of somebody who has left."""
        if participant == USER:
            return "User"
        found = self.participants.get(participant) or self.left.get(participant)
        return found.label if found else participant

    @property
    def name(self) -> str:
        """What people know it by: the title that it was given, or else the topic."""
        return self.title or self.config.topic

    @property
    def wake_at(self) -> datetime | None:
        """When somebody's time to answer is up; None if nobody's is limited."""
        if not self.questions:
            return None
        return min(
            (one.expires_at for one in self.questions.values() if one.expires_at), default=None
        )

    def summary(self, debate_id: str, cursor: Cursor) -> DebateRow:
        """The row the store keeps beside the log."""
        return DebateRow(
            id=debate_id,
            format=self.config.format,
            topic=self.config.topic,
            title=self.title,
            status=self.status,
            seq=self.seq,
            cursor=cursor,
            stop_reason=self.stop_reason,
            turns=len(self.turns),
            statements=self.statements,
            calls=self.calls,
            input_tokens=self.usage.input_tokens,
            output_tokens=self.usage.output_tokens,
            thought_tokens=self.usage.thought_tokens,
            cost_usd=self.usage.cost_usd,
            created_at=self.created_at,
            updated_at=self.updated_at,
            wake_at=self.wake_at if self.status is Status.WAITING else None,
            cast=self.cast,
            cast_size=len(self.participants),
            outcome=outcomes.shortened(self.outcome) if self.outcome else None,
            has_open_cards=self.has_open_cards,
            spoke_last=self.spoke_last,
            forked_from=self.config.forked_from.debate if self.config.forked_from else "",
            rematch_of=self.config.rematch_of,
            hears=_heard_here(self.config),
            origin=self.config.origin.label if self.config.origin else "",
            statements_planned=self.settings.statements,
        )

    # --- applying ---

    def apply(self, record: e.Recorded) -> None:
        """Take one more event into account. Raises IllegalEvent and changes nothing if it can't."""
        event = record.event
        if record.seq != self.seq + 1:
            message = f"event {record.seq} cannot follow event {self.seq}"
            raise IllegalEvent(message)
        status = status_after(self.status, event)
        change = self._CHANGES.get(type(event))
        if change is not None:
            change(self, event, record)
        if self.waits or isinstance(event, e.AttemptFailed):
            follow(self.waits, record)
        self.timeline.take(record.seq, status, record.at)
        self.status = status
        self.seq = record.seq
        if not isinstance(event, TITLES):  # when it ended, or last got on, is kept
            self.updated_at = record.at
        if self.own is not None and self.broken is None:
            try:
                self.own.apply(record, self)
            except ENDS_PROCESS:
                raise
            except BaseException as error:  # noqa: BLE001 - anybody's code; the log must stay readable
                self.broken = error

    def _recovered(self, _event: e.DebateRecovered, record: e.Recorded) -> None:
        # Nobody was at work between the last event and this one.
        self.timeline.set_runtime(self.timeline.runtime_s(self.updated_at), record.at)

    def _clock_jumped(self, event: e.ClockJumped, record: e.Recorded) -> None:
        self.timeline.set_runtime(event.ran_s, record.at)

    def _turn_recorded(self, event: e.TurnRecorded, record: e.Recorded) -> None:
        if event.step_key in self.turns:
            message = f"step {event.step_key} has its turn already"
            raise IllegalEvent(message)
        self.add(event if event.about else self._of_old(event), record)
        self.questions.pop(event.step_key, None)
        self.failures.pop(event.step_key, None)
        self.attempts_failed.pop(event.step_key, None)
        self.tools_used.pop(event.step_key, None)
        self.usage += event.usage
        if event.model and INHERITED not in event.flags:
            self.calls += 1
        if event.kind is StepKind.SPEAK and event.visibility is Visibility.PUBLIC:
            self.statements += 1

    def _of_old(self, event: e.TurnRecorded) -> e.TurnRecorded:
        """The turn, with whom it is about: logs of 0.1 have that only at the end of the key."""
        if event.kind not in ABOUT_SOMEBODY:
            return event
        parts = event.step_key.split("/")
        about = parts[-1] if len(parts) == PARTS_OF_SUCH_A_KEY else ""
        return msgspec.structs.replace(event, about=about) if about in self.participants else event

    def _message_said(self, event: e.MessageSaid, record: e.Recorded) -> None:
        self.messages_said += 1
        if self.is_open_ended and not event.content.strip():
            return  # only a sign to go on
        last = self.last_place()
        turn = e.TurnRecorded(
            step_key=f"{SAID}{record.seq}",
            participant=event.participant,
            kind=StepKind.SPEAK,
            stage=self.stage or "",
            round=self.round,
            # After everything so far, before anything a format can place after that.
            place=(*last, record.seq),
            visibility=Visibility.PUBLIC,
            content=event.content,
        )
        self.add(turn, record)

    def _attempt_failed(self, event: e.AttemptFailed, _record: e.Recorded) -> None:
        self.calls += 1
        if not (event.reply or event.usage.input_tokens or event.usage.output_tokens):
            self.unanswered += 1  # nobody was reached, or the provider refused
        self.usage += event.usage
        self.attempts_failed.setdefault(event.attempt_of, []).append(event)

    def _tool_used(self, event: e.ToolUsed, _record: e.Recorded) -> None:
        self.calls += bool(event.model)  # which only the first tool of an exchange has
        self.usage += event.usage
        self.tools_used.setdefault(event.used_by, []).append(event)

    def _step_failed(self, event: e.StepFailed, _record: e.Recorded) -> None:
        self.failures[event.failed_key] = event

    def _stage_entered(self, event: e.StageEntered, record: e.Recorded) -> None:
        self.stage, self.round, self.stage_seq = event.stage, event.round, record.seq

    def _limit_reached(self, event: e.LimitReached, _record: e.Recorded) -> None:
        self.limits.setdefault(event.limit, event.observed)

    def _question_opened(self, event: e.QuestionOpened, _record: e.Recorded) -> None:
        self.questions[event.question_id] = event

    def _question_closed(self, event: e.QuestionClosed, _record: e.Recorded) -> None:
        self.questions.pop(event.question_id, None)

    def _step_retried(self, event: e.StepRetried, _record: e.Recorded) -> None:
        key = event.failed_key
        self.failures.pop(key, None)
        self.attempts_failed.pop(key, None)
        self.tools_used.pop(key, None)
        self.retried[key] = self.retried.get(key, 0) + 1

    def _notice_posted(self, _event: e.NoticePosted, record: e.Recorded) -> None:
        self.notices.append(record)

    def _stopped(self, event: e.DebateStopped, _record: e.Recorded) -> None:
        self.stop_reason = event.reason

    def _stop_requested(self, _event: e.StopRequested, _record: e.Recorded) -> None:
        if self.status is Status.WAITING:
            self.stop_reason = StopReason.STOPPED

    def _went_on(self, _event: e.AnyEvent, _record: e.Recorded) -> None:
        self.stop_reason = self.failure = None
        for key in self.failures:
            # What a failed step had looked up did not help; steps beside it go on where they were.
            self.tools_used.pop(key, None)
        self.failures.clear()
        self.attempts_failed.clear()

    def _resumed(self, event: e.DebateResumed, record: e.Recorded) -> None:
        self._went_on(event, record)
        # Nobody's time runs while a debate is stopped: those with a deadline are asked anew.
        self.questions = {key: one for key, one in self.questions.items() if one.expires_at is None}

    def _end_requested(self, event: e.EndRequested, record: e.Recorded) -> None:
        self._went_on(event, record)
        self.ending = True

    def _canceled(self, _event: e.DebateCanceled, _record: e.Recorded) -> None:
        self.stop_reason = StopReason.CANCELED
        self.questions.clear()

    def _failed(self, event: e.DebateFailed, _record: e.Recorded) -> None:
        self.failure, self.stop_reason = event, StopReason.ERROR

    def _completed(self, event: e.DebateCompleted, _record: e.Recorded) -> None:
        self.stop_reason, self.outcome = event.stop_reason, outcomes.read(event.outcome)
        self.questions.clear()

    def _joined(self, event: e.ParticipantJoined, _record: e.Recorded) -> None:
        self.left.pop(event.participant.id, None)
        self.participants[event.participant.id] = event.participant
        self.cast = seats_of(self.participants.values())
        self.edits += 1

    def _left(self, event: e.ParticipantLeft, _record: e.Recorded) -> None:
        self.left[event.participant] = self._participant(event.participant)
        del self.participants[event.participant]
        self.cast = seats_of(self.participants.values())

    def _muted(self, event: e.ParticipantMuted, _record: e.Recorded) -> None:
        self._replace(event.participant, muted=True)

    def _unmuted(self, event: e.ParticipantUnmuted, _record: e.Recorded) -> None:
        self._replace(event.participant, muted=False)

    def _replace(self, participant: str, **changes: Any) -> None:
        old = self._participant(participant)
        self.participants[participant] = msgspec.structs.replace(old, **changes)

    def _participant(self, participant: str) -> Participant:
        try:
            return self.participants[participant]
        except KeyError:
            message = f"{participant} is not on the roster"
            raise IllegalEvent(message) from None

    def _included(self, event: e.TurnIncluded, _record: e.Recorded) -> None:
        self.toggle(event.turn, included=True)

    def _excluded(self, event: e.TurnExcluded, _record: e.Recorded) -> None:
        self.toggle(event.turn, included=False)

    def _pacing_changed(self, event: e.PacingChanged, _record: e.Recorded) -> None:
        self.pacing = event.pacing

    def _settings_changed(self, event: e.SettingsChanged, _record: e.Recorded) -> None:
        self.settings = changed(self.settings, event.settings)

    def _cards_opened(self, _event: e.CardsOpened, _record: e.Recorded) -> None:
        self.has_open_cards = True

    def _renamed(self, event: e.DebateRenamed, _record: e.Recorded) -> None:
        self.title = event.title

    _CHANGES: ClassVar[dict[type[e.Event], Callable[[DebateState, Any, e.Recorded], None]]] = {
        e.DebateRecovered: _recovered,
        e.ClockJumped: _clock_jumped,
        e.TurnRecorded: _turn_recorded,
        e.MessageSaid: _message_said,
        e.AttemptFailed: _attempt_failed,
        e.ToolUsed: _tool_used,
        e.StepFailed: _step_failed,
        e.StageEntered: _stage_entered,
        e.LimitReached: _limit_reached,
        e.QuestionOpened: _question_opened,
        e.QuestionClosed: _question_closed,
        e.StepRetried: _step_retried,
        e.NoticePosted: _notice_posted,
        e.StopRequested: _stop_requested,
        e.DebateStopped: _stopped,
        e.DebateResumed: _resumed,
        e.DebateRetried: _went_on,
        e.EndRequested: _end_requested,
        e.DebateCanceled: _canceled,
        e.DebateFailed: _failed,
        e.DebateCompleted: _completed,
        e.ParticipantJoined: _joined,
        e.ParticipantLeft: _left,
        e.ParticipantMuted: _muted,
        e.ParticipantUnmuted: _unmuted,
        e.TurnIncluded: _included,
        e.TurnExcluded: _excluded,
        e.PacingChanged: _pacing_changed,
        e.SettingsChanged: _settings_changed,
        e.CardsOpened: _cards_opened,
        e.DebateRenamed: _renamed,
    }
