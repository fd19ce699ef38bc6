"""The status of a debate, and the only table that may change it.

Rule 1: a status changes because of an event, by this table, and in no other way.
Rule 2: an event that a status has no row for is illegal there: it raises, and nothing changes.
Rule 3: the table knows nothing of formats; formats know nothing of statuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moot.errors import IllegalEvent, InvalidInput, Refused
from moot.protocol import events as e
from moot.protocol.words import Status

Row = Mapping[type[e.Event], Status]


def _stay(status: Status, *events: type[e.Event]) -> dict[type[e.Event], Status]:
    return dict.fromkeys(events, status)


PEOPLE = (
    e.ParticipantJoined,
    e.ParticipantLeft,
    e.ParticipantMuted,
    e.ParticipantUnmuted,
    e.TurnIncluded,
    e.TurnExcluded,
    e.PacingChanged,
    e.SettingsChanged,
    e.CardsOpened,
)
"""What people may do to a debate that is not over, whatever else it is doing."""

RESULTS = (e.TurnRecorded, e.AttemptFailed, e.ToolUsed, e.StepFailed)

NOTES = (e.NoticePosted, e.QuestionClosed)
"""What is written down and changes nothing about the course."""

TITLES = (e.DebateRenamed,)
"""What a debate is called. The only events that may follow a terminal one: they lead from every
status back to the same one, so that nothing begins, ends or goes on because of them (P5), and they
are in the log like everything else that is known of a debate, so that a row which is lost is
rebuilt with its title (P4), and no viewer is shown what it could not read again (P7)."""

LIFECYCLE: Mapping[Status, Row] = MappingProxyType(
    {
        Status.CREATED: {
            e.DebateStarted: Status.RUNNING,
            e.DebateCanceled: Status.CANCELED,
            # A notice at its creation tells which of its files were left out.
            **_stay(Status.CREATED, *PEOPLE, *TITLES, e.NoticePosted),
        },
        Status.RUNNING: {
            **_stay(
                Status.RUNNING,
                *RESULTS,
                e.DebateRecovered,
                e.ClockJumped,
                e.StageEntered,
                e.LimitReached,
                e.QuestionOpened,
                e.StepRetried,
                *NOTES,
                e.EndRequested,
                e.MessageSaid,
                *PEOPLE,
                *TITLES,
            ),
            e.DebateSuspended: Status.WAITING,
            e.StopRequested: Status.STOPPING,
            e.DebateStopped: Status.STOPPED,
            e.DebateFailed: Status.FAILED,
            e.DebateCompleted: Status.COMPLETED,
            e.DebateCanceled: Status.CANCELED,
        },
        Status.WAITING: {
            # Whatever a person does may be what the debate was waiting for.
            e.TurnRecorded: Status.RUNNING,
            e.MessageSaid: Status.RUNNING,
            e.EndRequested: Status.RUNNING,
            e.StepRetried: Status.RUNNING,
            **_stay(Status.RUNNING, *PEOPLE),
            **_stay(Status.WAITING, e.CardsOpened, *TITLES),  # to look is not to answer
            # Nothing is in flight, so there is nothing to finish first.
            e.StopRequested: Status.STOPPED,
            e.DebateCanceled: Status.CANCELED,
        },
        Status.STOPPING: {
            # The step in flight is kept (seed 003, "User stops a debate").
            **_stay(Status.STOPPING, *RESULTS, *NOTES, e.DebateRecovered, e.ClockJumped),
            **_stay(Status.STOPPING, e.StageEntered, *PEOPLE, *TITLES),
            e.DebateStopped: Status.STOPPED,
            e.DebateResumed: Status.RUNNING,
            e.EndRequested: Status.RUNNING,
            e.DebateCanceled: Status.CANCELED,
        },
        Status.STOPPED: {
            e.DebateResumed: Status.RUNNING,
            e.EndRequested: Status.RUNNING,
            e.DebateCanceled: Status.CANCELED,
            **_stay(Status.STOPPED, *PEOPLE, *TITLES),
        },
        Status.FAILED: {
            e.DebateRetried: Status.RUNNING,
            e.EndRequested: Status.RUNNING,
            e.DebateCanceled: Status.CANCELED,
            **_stay(Status.FAILED, *PEOPLE, *TITLES),
        },
        # Terminal: nothing leads out, so nothing can restart by accident.
        Status.COMPLETED: _stay(Status.COMPLETED, *TITLES),
        Status.CANCELED: _stay(Status.CANCELED, *TITLES),
    }
)

COMMANDS: Mapping[str, type[e.Event]] = MappingProxyType(
    {
        "start": e.DebateStarted,
        "stop": e.StopRequested,
        "resume": e.DebateResumed,
        "end": e.EndRequested,
        "cancel": e.DebateCanceled,
        "retry": e.DebateRetried,
    }
)
"""What people may ask for, and the event that records that they did."""

FRESH = (
    e.DebateStarted,
    e.DebateResumed,
    e.DebateRetried,
    e.EndRequested,
    e.MessageSaid,
    e.StepRetried,
    *PEOPLE,
)
"""After one of these, or a person's turn, no worker has begun yet: nothing to recover from."""


def status_after(status: Status, event: e.Event) -> Status:
    """The status that `event` leads to. Raises IllegalEvent if the table has no row for it."""
    try:
        return LIFECYCLE[status][type(event)]
    except KeyError:
        name = type(event).__name__
        message = f"{name} cannot follow while the debate is {status}"
        raise IllegalEvent(message) from None


def commands_for(status: Status) -> tuple[str, ...]:
    """The commands that are not refused now, in the table's order."""
    return tuple(name for name, event in COMMANDS.items() if event in LIFECYCLE[status])


def event_for(command: str, status: Status) -> e.AnyEvent:
    """The event that records `command`. Raises InvalidInput if it is unknown, and Refused if it
    does not fit the status, saying what is possible instead."""
    if command not in COMMANDS:
        message = f"there is no command {command!r}; known: {', '.join(COMMANDS)}"
        raise InvalidInput(message, field="command")
    event = COMMANDS[command]
    if event not in LIFECYCLE[status]:
        possible = ", ".join(commands_for(status))
        advice = f"; possible now: {possible}" if possible else ": it is over"
        message = f"cannot {command} a debate that is {status}{advice}"
        raise Refused(message)
    made: e.AnyEvent = event()  # type: ignore[assignment]  # commands' events have no fields
    return made


def is_persons(event: e.AnyEvent) -> bool:
    """Whether the event can be appended by somebody who does not hold the lease."""
    if isinstance(event, e.TurnRecorded):
        return not event.model
    return isinstance(event, (*COMMANDS.values(), *PEOPLE, e.MessageSaid, e.StepRetried))
