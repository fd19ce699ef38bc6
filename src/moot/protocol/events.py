"""The facts a log is made of. Past participles, immutable, and the only truth about a debate.

Rule 1: an event says what happened, with everything a later fold needs: time, ids, draws.
Rule 2: an event written by any released version decodes for ever (tests/golden).
Rule 3: what an event means for the status stands in `lifecycle`, for the rest in `state`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from moot.protocol.values import Config, Participant, Place, Sampling, Usage, Value
from moot.protocol.words import UNSPOKEN, Finish, Pacing, StepKind, StopReason, Visibility


class Event(Value, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Something that happened. The tag is the class name."""


# --- the life of a debate -------------------------------------------------------------------------


class DebateCreated(Event, frozen=True, kw_only=True):
    config: Config


class DebateStarted(Event, frozen=True, kw_only=True):
    pass


class StopRequested(Event, frozen=True, kw_only=True):
    """Finish what is in flight, begin nothing new."""


class DebateStopped(Event, frozen=True, kw_only=True):
    reason: StopReason = StopReason.STOPPED


class DebateResumed(Event, frozen=True, kw_only=True):
    pass


class DebateRecovered(Event, frozen=True, kw_only=True):
    """A worker took over a debate another had left running. The time between does not count."""


class ClockJumped(Event, frozen=True, kw_only=True):
    """The time of day moved by more or less than the time for which the debate was run: the machine
    slept, the clock was set, or nobody ran the debate for a while, as when somebody answered in one
    process and the next looked some seconds later. `ran_s` is how long it has really been running.
    """

    ran_s: float


class DebateSuspended(Event, frozen=True, kw_only=True):
    """Only people can act now; no worker is needed until one of them does."""


class EndRequested(Event, frozen=True, kw_only=True):
    """Jump to the closing stage. What is in flight and no longer wanted is aborted."""


class DebateCanceled(Event, frozen=True, kw_only=True):
    """Terminal at once: no closing stage, no further spending."""


class DebateFailed(Event, frozen=True, kw_only=True):
    """A step that is still needed could not be performed."""

    error: str
    code: str = "error"
    step_key: str | None = None


class DebateRetried(Event, frozen=True, kw_only=True):
    """Forget the failures; what has no turn yet is run again, and nothing else."""


class DebateCompleted(Event, frozen=True, kw_only=True):
    stop_reason: StopReason
    outcome: dict[str, Any] | None = None
    """As it was written; `outcomes.read` types it, whichever version wrote it."""


# --- the course of a debate -----------------------------------------------------------------------


class StageEntered(Event, frozen=True, kw_only=True):
    """`by` is the event of the transition table that led here."""

    stage: str
    round: int
    by: str


class LimitReached(Event, frozen=True, kw_only=True):
    """A configured bound was met. `observed` is the figure that met it."""

    limit: StopReason
    observed: float


class TurnRecorded(Event, frozen=True, kw_only=True):
    """The result of one step, recorded at most once per `step_key`.

    `flags` say what a reader must know: truncated, filtered, trimmed, relabeled,
    unreadable, passed, shortened (older turns were left out of the prompt because the model's
    window was full), overfull (what was left was still too much for it).
    `reasoning` is what its author thought before it spoke: shown to people where thoughts are
    shown, and sent to no model, its author's included. `sampling` is what was sent.
    """

    step_key: str
    participant: str
    kind: StepKind
    stage: str
    round: int
    place: Place
    visibility: Visibility
    content: str
    about: str = ""
    data: dict[str, Any] | None = None
    prompt: str = ""
    model: str = ""
    usage: Usage = Usage()
    duration_ms: int = 0
    attempts: int = 1
    finish: Finish = Finish.STOP
    flags: tuple[str, ...] = ()
    included: bool = True
    is_pending: bool = False
    reasoning: str = ""
    sampling: Sampling = Sampling()

    @property
    def is_silent(self) -> bool:
        """Nothing was said in it: somebody skipped or passed."""
        return not UNSPOKEN.isdisjoint(self.flags)

    @property
    def awaits_choice(self) -> bool:
        """Whether a person is to choose if the turn counts. If nothing was said, nobody is."""
        return self.is_pending and not self.is_silent


class AttemptFailed(Event, frozen=True, kw_only=True):
    """One try of a step came to nothing. If it was paid for, `usage` says how much.

    `reply` is what the model said, when it said something that could not be read. `retry_in_s` is
    the pause before the next try, if there is one. Logs of 0.1 do not say whose step it was.
    """

    attempt_of: str
    attempt: int
    code: str
    error: str
    participant: str = ""
    model: str = ""
    usage: Usage = Usage()
    duration_ms: int = 0
    reply: str = ""
    retry_in_s: float | None = None


class ToolUsed(Event, frozen=True, kw_only=True):
    """A model looked something up in what the debate was given, before it answered.

    `exchange` counts the replies of a step that asked for tools, from 1; one reply may ask for
    several. What that reply cost, and `said`, what it said besides, stand with its first tool.
    The result is not kept: the files are frozen, so that it can be looked up again, and its hash
    tells whether it is the same.
    """

    used_by: str
    exchange: int
    tool: str
    arguments: str = "{}"
    call_id: str = ""
    result_sha256: str = ""
    result_chars: int = 0
    is_error: bool = False
    duration_ms: int = 0
    said: str = ""
    model: str = ""
    usage: Usage = Usage()
    reply_ms: int = 0


class StepFailed(Event, frozen=True, kw_only=True):
    """All tries of a step came to nothing. Whether that matters is for the format to say."""

    failed_key: str
    code: str
    error: str
    attempts: int
    retry_in_s: float | None = None
    """When trying again may help, if the provider said so."""
    waited_s: float = 0.0
    """How long its provider was waited for in vain. If it was, the participant did not fail."""
    of_provider: bool = False
    """Whether it was the provider that failed, even if it was not waited for."""


class QuestionOpened(Event, frozen=True, kw_only=True):
    """A person is asked. The id is the key of the step whose turn the answer will be.

    `asker` is the participant that wants to know, or "" if it is the debate itself. `form`
    describes the fields of an answer that is not free text. A person who has not answered by
    `expires_at` has passed.
    """

    question_id: str
    participant: str
    kind: StepKind
    stage: str
    round: int
    text: str
    asker: str = ""
    form: dict[str, Any] | None = None
    may_pass: bool = True
    expires_at: datetime | None = None


class QuestionClosed(Event, frozen=True, kw_only=True):
    """A question was withdrawn without an answer: the debate has moved on."""

    question_id: str


class StepRetried(Event, frozen=True, kw_only=True):
    """Forget this one failure: the step is tried again, alone."""

    failed_key: str


class NoticePosted(Event, frozen=True, kw_only=True):
    """Something that people must be told, and no model. `code` says what, for programs.

    `about` is the key of the step that it is about, if it is about one.
    """

    code: str
    text: str
    participant: str = ""
    about: str = ""


# --- what people do -------------------------------------------------------------------------------


class MessageSaid(Event, frozen=True, kw_only=True):
    """A person spoke without having been asked."""

    participant: str
    content: str


class ParticipantJoined(Event, frozen=True, kw_only=True):
    participant: Participant


class ParticipantLeft(Event, frozen=True, kw_only=True):
    participant: str


class ParticipantMuted(Event, frozen=True, kw_only=True):
    participant: str


class ParticipantUnmuted(Event, frozen=True, kw_only=True):
    participant: str


class TurnIncluded(Event, frozen=True, kw_only=True):
    turn: int


class TurnExcluded(Event, frozen=True, kw_only=True):
    turn: int


class PacingChanged(Event, frozen=True, kw_only=True):
    pacing: Pacing


class SettingsChanged(Event, frozen=True, kw_only=True):
    """These settings have other values from now on; see `Format.changeable`."""

    settings: dict[str, Any]


class CardsOpened(Event, frozen=True, kw_only=True):
    """Somebody who takes part wants to see what their chair may not know, before it is over."""


class DebateRenamed(Event, frozen=True, kw_only=True):
    """Somebody has given the debate a title of their own, or removed it with a blank one.

    It says nothing about the course of the debate: it may come in every status, even when all is
    over, and no prompt ever has the title. See `TITLES` of `lifecycle`.
    """

    title: str


AnyEvent = (
    DebateCreated
    | DebateStarted
    | StopRequested
    | DebateStopped
    | DebateResumed
    | DebateRecovered
    | ClockJumped
    | DebateSuspended
    | EndRequested
    | DebateCanceled
    | DebateFailed
    | DebateRetried
    | DebateCompleted
    | StageEntered
    | LimitReached
    | TurnRecorded
    | AttemptFailed
    | ToolUsed
    | StepFailed
    | QuestionOpened
    | QuestionClosed
    | StepRetried
    | NoticePosted
    | MessageSaid
    | ParticipantJoined
    | ParticipantLeft
    | ParticipantMuted
    | ParticipantUnmuted
    | TurnIncluded
    | TurnExcluded
    | PacingChanged
    | SettingsChanged
    | CardsOpened
    | DebateRenamed
)


class Recorded(msgspec.Struct, frozen=True):
    """An event with its place in the log and the time it was appended."""

    seq: int
    at: datetime
    event: AnyEvent


_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def encode(event: AnyEvent) -> bytes:
    """The JSON that is stored; the type is its `type` field."""
    return _encoder.encode(event)


def decode(body: bytes | str) -> AnyEvent:
    """The event that `encode` wrote, by this or any earlier version."""
    return _decoder.decode(body)


def step_key_of(event: AnyEvent) -> str | None:
    """The key that may appear only once in a log, if this event has one."""
    return event.step_key if isinstance(event, TurnRecorded) else None
