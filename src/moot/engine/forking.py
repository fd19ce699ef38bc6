"""Builds the log of a fork: a new debate that shares its beginning with another.

Pure: a log goes in, a log comes out, and the source is never touched. What carries the course is
copied, what belongs to the source's own run is left out, and the result ends as `stopped` (or
`created`, if the source had not started by then), so that the ordinary `resume` goes on from there.

What the source has spent is not spent again: a copied turn is flagged `inherited` and has no usage,
and everything is appended at one moment, so that tokens, money and running time begin at zero.
A limit that was reached, and an `end` that was asked for, are copied: the turns after them rest on
them. To go on past one, fork before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from moot.engine.creation import clean_settings
from moot.engine.looking import before_it_exists
from moot.errors import InvalidInput, joined
from moot.protocol import events as e
from moot.protocol.deciding import is_wanted
from moot.protocol.lifecycle import PEOPLE
from moot.protocol.limits import LIMITS
from moot.protocol.log import begin
from moot.protocol.machine import Format
from moot.protocol.registry import format_named
from moot.protocol.settings import as_data, frozen, read_settings
from moot.protocol.state import INHERITED
from moot.protocol.values import Config, ForkPoint, Origin, Participant, Sampling
from moot.protocol.words import Effort

COPIED: frozenset[type[e.Event]] = frozenset(
    {
        e.DebateStarted,
        e.EndRequested,
        e.StageEntered,
        e.LimitReached,
        e.TurnRecorded,
        e.QuestionOpened,  # if it was answered; one that is open is asked again by the fork
        e.MessageSaid,
        e.NoticePosted,
        *PEOPLE,
    }
)
"""What carries the course of a debate."""

LEFT_OUT: frozenset[type[e.Event]] = frozenset(
    {
        e.DebateCreated,  # the fork has its own
        e.StopRequested,
        e.DebateStopped,
        e.DebateResumed,
        e.DebateRecovered,
        e.ClockJumped,
        e.DebateSuspended,
        e.DebateCanceled,
        e.DebateFailed,
        e.DebateRetried,
        e.DebateCompleted,
        e.AttemptFailed,
        e.ToolUsed,  # the turns that came of it are copied
        e.StepFailed,
        e.StepRetried,
        e.QuestionClosed,  # what was not answered is not copied
        e.DebateRenamed,  # two debates of one name could not be told apart
    }
)
"""What only tells how the source was run. A test proves that every event is in one of the two."""

Copies = Sequence[tuple[int, e.AnyEvent]]
"""Events of the fork after its first, each with its sequence number in the source."""


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """How a fork differs from its source from here on; `models` are by participant id."""

    settings: Mapping[str, Any] = {}
    models: Mapping[str, str] = {}


def forked_log(
    source: Sequence[e.Recorded],
    point: ForkPoint,
    changes: Changes,
    *,
    now: datetime,
    version: str,
) -> list[e.Recorded]:
    """The log of a fork of `source` after event `point.at`.

    Raises InvalidInput if there is no such event, or if a change contradicts what is copied.
    """
    created = source[0].event
    assert isinstance(created, e.DebateCreated)  # noqa: S101 - every log begins with it
    if not 1 <= point.at <= len(source):
        message = f"there is no event {point.at}; the log has events 1 to {len(source)}"
        raise InvalidInput(message, field="at")
    copies = list(_copies(source[: point.at], changes))
    config = msgspec.structs.replace(
        created.config,
        settings=_settings(created.config, copies, clean_settings(changes.settings), now),
        participants=_participants(created.config, copies, changes.models),
        forked_from=point,
        rematch_of="",  # its source may be one; the fork is not
        origin=_origin(created.config),
        moot_version=version,
    )
    events = _resampled(
        [e.DebateCreated(config=config), *(event for _, event in copies)],
        created.config,
        config,
    )
    if any(isinstance(event, e.DebateStarted) for event in events):
        events += [e.StopRequested(), e.DebateStopped()]
    return [e.Recorded(seq, now, event) for seq, event in enumerate(events, 1)]


def _origin(config: Config) -> Origin | None:
    """The origin of a source that was held elsewhere, where its fork begins too; else None."""
    return config.origin if config.origin and config.origin.is_import else None


# --- what is copied ------------------------------------------------------------------------------


def _copies(source: Sequence[e.Recorded], changes: Changes) -> Iterator[tuple[int, e.AnyEvent]]:
    turns = {key for record in source if (key := e.step_key_of(record.event)) is not None}
    seqs: dict[int, int] = {}
    for record in source:
        event = record.event
        if type(event) not in COPIED:
            continue
        if isinstance(event, e.QuestionOpened) and event.question_id not in turns:
            continue
        seqs[record.seq] = len(seqs) + 2  # the first is DebateCreated
        yield record.seq, _copy(event, seqs, changes)


def _copy(event: e.AnyEvent, seqs: Mapping[int, int], changes: Changes) -> e.AnyEvent:
    replace = msgspec.structs.replace
    match event:
        case e.TurnRecorded():
            flags = dict.fromkeys((*event.flags, INHERITED))
            return replace(event, usage=event.usage.untold, flags=tuple(flags))
        case e.TurnIncluded() | e.TurnExcluded():
            # Turns are identified by their number in the log, which is a different one here.
            return replace(event, turn=seqs[event.turn])
        case e.ParticipantJoined():
            return replace(event, participant=_with_model(event.participant, changes.models))
        case e.SettingsChanged():
            kept = {k: v for k, v in event.settings.items() if k not in changes.settings}
            return replace(event, settings=kept)
        case _:
            return event


# --- what is changed -----------------------------------------------------------------------------


def _with_model(participant: Participant, models: Mapping[str, str]) -> Participant:
    model = models.get(participant.id, participant.model)
    return msgspec.structs.replace(participant, model=model)


def _resampled(events: list[e.AnyEvent], old: Config, new: Config) -> list[e.AnyEvent]:
    """The events, with the debate's new wishes for participants who had its old ones."""
    kind = format_named(old.format).settings
    before, after = frozen(kind, old.settings), frozen(kind, new.settings)

    def resampled(one: Participant) -> Participant:
        had, has = before.sampling(one.role), after.sampling(one.role)
        changes = {
            name: getattr(has, name)
            for name in Sampling.__struct_fields__
            if getattr(one.sampling, name) == getattr(had, name)
        }
        sampling = msgspec.structs.replace(one.sampling, **changes)
        return msgspec.structs.replace(one, sampling=sampling)

    def copied(event: e.AnyEvent) -> e.AnyEvent:
        replace = msgspec.structs.replace
        match event:
            case e.DebateCreated(config=config):
                people = tuple(resampled(one) for one in config.participants)
                return replace(event, config=replace(config, participants=people))
            case e.ParticipantJoined(participant=one):
                return replace(event, participant=resampled(one))
            case _:
                return event

    return [copied(event) for event in events]


def _participants(
    config: Config, copies: Copies, models: Mapping[str, str]
) -> tuple[Participant, ...]:
    later = [event.participant for _, event in copies if isinstance(event, e.ParticipantJoined)]
    known = dict.fromkeys(one.id for one in (*config.participants, *later))
    for one, model in models.items():
        if one not in known:
            message = f"no participant has that id at this point; known: {', '.join(known)}"
            raise InvalidInput(message, field=f"changes.models.{one}")
        if not model.strip():
            message = "needs a model, such as provider:name, or human for a person"
            raise InvalidInput(message, field=f"changes.models.{one}")
    return tuple(_with_model(one, models) for one in config.participants)


def _settings(
    config: Config, copies: Copies, changes: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    if not changes:
        # As they were frozen, even if this version of the format knows other settings.
        return config.settings
    form = format_named(config.format)
    try:
        settings = read_settings(
            form.settings, {**form.settings.BEFORE, **config.settings, **changes}
        )
        with before_it_exists(form):
            roster = form.cast(settings, config.participants)
    except InvalidInput as error:
        raise joined([_of_changes(one) for one in (error, *error.others)]) from None
    made = as_data(settings)
    changed = [name for name in changes if made[name] != config.settings.get(name)]
    for name in changed:
        _check_change(name, made[name], copies)
    if roster != config.participants:
        message = "would put participants on other sides than those they have spoken for"
        raise InvalidInput(message, field="changes.settings")
    if changed:
        _check_course(form, config, msgspec.structs.replace(config, settings=made), copies, now)
    return made


def _of_changes(error: InvalidInput) -> InvalidInput:
    return InvalidInput(error.message, field=f"changes.{error.field or 'settings'}")


def _check_change(name: str, value: object, copies: Copies) -> None:
    """Refuse changes that the course cannot show: of texts, and of a limit that was reached."""
    field = f"changes.settings.{name}"
    if isinstance(value, str) and not isinstance(value, Effort):
        # Texts say what it is about and who is on which side; models are frozen with participants.
        message = (
            "is a text, and a fork can change numbers and switches only; "
            "models are changed by participant, under `models`"
        )
        raise InvalidInput(message, field=field)
    for seq, event in copies:
        if isinstance(event, e.LimitReached) and LIMITS.get(event.limit) == name:
            message = f"this limit was reached with event {seq}; fork before it, at {seq - 1}"
            raise InvalidInput(message, field=field)


def _check_course(form: Format, old: Config, new: Config, copies: Copies, now: datetime) -> None:
    """Refuse settings under which the format would not have asked for what is copied.

    Both courses are followed side by side, so that a turn which the format no longer wanted when it
    came (a stop lets what is in flight finish) is not held against the new settings.
    """
    before, after = (
        begin(e.Recorded(1, now, e.DebateCreated(config=config))) for config in (old, new)
    )
    for seq, event in copies:
        if is_wanted(form, before, event, now) and not is_wanted(form, after, event, now):
            message = (
                f"event {seq} could not have happened with these settings; "
                f"fork before it, at {seq - 1}"
            )
            raise InvalidInput(message, field="changes.settings")
        for state in (before, after):
            state.apply(e.Recorded(state.seq + 1, now, event))
