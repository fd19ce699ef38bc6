"""Records and summaries as rows of the tables, and back. Shared by every backend.

Text that one database would refuse and another would accept must never pass here, and neither must
a batch of records that is not one unbroken piece of a log. What callers ask for is checked here,
too, so that every backend refuses alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from moot.errors import InvalidInput, LeaseLost
from moot.protocol.events import (
    AnyEvent,
    AttemptFailed,
    ClockJumped,
    DebateCreated,
    DebateFailed,
    DebateRecovered,
    LimitReached,
    Recorded,
    StageEntered,
    ToolUsed,
    decode,
    encode,
    step_key_of,
)
from moot.protocol.lifecycle import TITLES
from moot.protocol.outcomes import Outcome
from moot.protocol.row import Cursor, DebateRow, Seat
from moot.protocol.words import Status, StopReason
from moot.store.port import SUSPECT_AFTER, Asked, Label, Lease, Link, WorkerId

V = TypeVar("V")

Moment = Callable[[datetime], Any]
"""How a backend writes a point in time."""

EventRow = tuple[str, int, Any, str, str | None, str]
EVENT_COLUMNS = ("debate_id", "seq", "at", "type", "step_key", "body")

FIXED_COLUMNS = ("id", "format", "topic", "topic_folded", "created_at", "hears")
"""Written when a debate is created or repaired; an append leaves them alone."""

MOVING_COLUMNS = (
    "status",
    "seq",
    "stage",
    "next_round",
    "next_actor",
    "stop_reason",
    "turns",
    "statements",
    "calls",
    "input_tokens",
    "output_tokens",
    "thought_tokens",
    "cost_usd",
    "updated_at",
    "wake_at",
    "title",
    "title_folded",
    "seats",
    "cast_size",
    "outcome",
    "has_open_cards",
    "spoke_last",
    "forked_from",
    "rematch_of",
    "origin",
    "statements_planned",
)
SUMMARY_COLUMNS = (
    *("id", "format", "topic", "status", "seq", "stage", "next_round", "next_actor", "stop_reason"),
    *("turns", "statements", "calls", "input_tokens", "output_tokens", "thought_tokens"),
    *("cost_usd", "created_at", "updated_at", "wake_at", "title", "seats", "cast_size", "outcome"),
    *("has_open_cards", "spoke_last", "forked_from", "rematch_of", "origin", "statements_planned"),
    "hears",
)

NO_PROGRESS = (DebateRecovered, ClockJumped, AttemptFailed, ToolUsed, StageEntered, LimitReached)
"""What a worker may record without having performed a step, and then die."""

ANY_NUMBER = 2**31

STATUSES = frozenset(one.value for one in Status)
KNOWN_STATUSES = ", ".join(f"'{one}'" for one in sorted(STATUSES))
"""As SQL has them."""

CRASH_LOOP = "crash_loop"
"""The code of a debate that failed because whatever process ran it died."""

# Inside JSON a NUL is the escape \u0000; after an odd number of backslashes it is plain text.
_JSON_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")

_encode = msgspec.json.Encoder().encode
_read_seats = msgspec.json.Decoder(tuple[Seat, ...]).decode
_read_outcome: msgspec.json.Decoder[Outcome] = msgspec.json.Decoder(Outcome)


def check_text(text: str | None, field: str) -> None:
    """Raises InvalidInput for what cannot be stored alike everywhere: NUL and lone surrogates."""
    if text is None or (text.isascii() and "\0" not in text):
        return
    if "\0" in text:
        raise InvalidInput("text must not contain NUL characters", field=field)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput("text must not contain lone surrogates", field=field) from None


def check_limit(limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise InvalidInput("must be at least 1", field="limit")


def check_worker(worker: WorkerId) -> None:
    for field in ("id", "machine", "started"):
        check_text(getattr(worker, field), field)


def check_ids(debate_ids: Collection[str] | None) -> None:
    for one in debate_ids or ():
        check_text(one, "id")


def check_link(link: Link) -> None:
    check_text(link.debate_id, "id")
    check_text(link.token, "token")
    utc(link.made_at)  # raises InvalidInput if it has no zone


def check_label(label: Label) -> None:
    check_text(label.debate_id, "id")
    for field in ("by", "winner", "note"):
        check_text(getattr(label, field), field)
    utc(label.at)  # raises InvalidInput if it has no zone


def check_asked(asked: Asked, instead_of: str | None) -> None:
    check_text(asked.fingerprint, "fingerprint")
    check_text(asked.debate_id, "id")
    check_text(instead_of, "id")
    check_text(asked.form, "form")
    utc(asked.at)  # raises InvalidInput if it has no zone


def check_form(fingerprint: str, debate_id: str, form: str) -> None:
    check_text(fingerprint, "fingerprint")
    check_text(debate_id, "id")
    check_text(form, "form")


def fold(text: str) -> str:
    """`text` for comparison: case ignored, in every language, alike in every database."""
    return text.casefold()


def utc(moment: datetime) -> datetime:
    """The same instant in UTC. A time without zone is refused: nobody could say when it was."""
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise InvalidInput("times must carry their time zone", field="at")
    return moment.astimezone(UTC)


def event_rows(
    records: Sequence[Recorded], summary: DebateRow, moment: Moment, *, begins_at: int | None = None
) -> list[EventRow]:
    """One row per record, checked: in sequence, ending where the summary ends, storable."""
    check_text(summary.id, "id")
    if not records or summary.seq != records[-1].seq:
        raise InvalidInput("the summary must end where the records end", field="seq")
    first = begins_at if begins_at is not None else records[0].seq
    rows = [_event_row(summary.id, record, moment) for record in records]
    if any(row[1] != first + offset for offset, row in enumerate(rows)):
        message = f"records must follow one another from {first} on"
        raise InvalidInput(message, field="seq")
    return rows


def _event_row(debate_id: str, record: Recorded, moment: Moment) -> EventRow:
    event = record.event
    body = _json_of(event, "event", encode)
    kind = type(event).__name__
    return (debate_id, record.seq, moment(record.at), kind, step_key_of(event), body)


def _json_of(value: V, field: str, as_json: Callable[[V], bytes]) -> str:
    """The JSON of `value`. Raises InvalidInput for what `check_text` refuses in texts."""
    try:
        body = as_json(value)
    except UnicodeEncodeError:
        raise InvalidInput("text must not contain lone surrogates", field=field) from None
    if b"\\u0000" in body and _JSON_NUL.search(body):
        raise InvalidInput("text must not contain NUL characters", field=field)
    return body.decode()


def is_storable(event: AnyEvent) -> bool:
    """Whether the event can be recorded, and read back as what it is."""
    try:
        decode(_json_of(event, "event", encode).encode())
    except Exception:  # noqa: BLE001 - what is in it may be anything
        return False
    return True


def wanted_files(records: Sequence[Recorded], files: Mapping[str, str]) -> dict[str, str | None]:
    """The hashes that a new debate's configuration names, with the texts that came along."""
    event = records[0].event if records else None
    if not isinstance(event, DebateCreated):
        return {}
    for sha256, text in files.items():
        check_text(text, f"files.{sha256}")
    return {one.sha256: files.get(one.sha256) for one in event.config.attachments}


def is_progress(records: Sequence[Recorded]) -> bool:
    """Whether the records get the debate any further."""
    return not all(isinstance(each.event, NO_PROGRESS) for each in records)


def most_claims(records: Sequence[Recorded], summary: DebateRow, fence: int | None) -> int:
    """The most claims that a debate may still count after these records.

    A new title changes nothing. Nobody can die of a debate in which nothing is left to run, unless
    that is why it was given up. A worker's progress leaves the one claim under which it was made,
    for the worker may yet die. What people say gets no step any further.
    """
    if all(isinstance(each.event, TITLES) for each in records):
        return ANY_NUMBER
    if not summary.status.is_active:
        return SUSPECT_AFTER if _is_crash_loop(records[-1].event) else 0
    return 1 if fence is not None and is_progress(records) else ANY_NUMBER


def _is_crash_loop(event: AnyEvent) -> bool:
    return isinstance(event, DebateFailed) and event.code == CRASH_LOOP


def recorded(seq: int, at: datetime, body: str) -> Recorded:
    return Recorded(seq, at, decode(body))


def fixed_values(summary: DebateRow, moment: Moment) -> tuple[Any, ...]:
    """In the order of FIXED_COLUMNS."""
    for field in ("id", "format", "topic", "hears"):
        check_text(getattr(summary, field), field)
    topic = summary.topic
    begun = moment(summary.created_at)
    return (summary.id, summary.format, topic, fold(topic), begun, summary.hears)


def moving_values(summary: DebateRow, moment: Moment) -> tuple[Any, ...]:
    """In the order of MOVING_COLUMNS."""
    cursor = summary.cursor
    check_text(cursor.stage, "stage")
    check_text(cursor.next_actor, "next_actor")
    for field in ("title", "spoke_last", "forked_from", "rematch_of", "origin"):
        check_text(getattr(summary, field), field)
    cast, outcome = summary.cast, summary.outcome
    return (
        summary.status.value,
        summary.seq,
        cursor.stage,
        cursor.next_round,
        cursor.next_actor,
        summary.stop_reason.value if summary.stop_reason is not None else None,
        summary.turns,
        summary.statements,
        summary.calls,
        summary.input_tokens,
        summary.output_tokens,
        summary.thought_tokens,
        summary.cost_usd,
        moment(summary.updated_at),
        moment(summary.wake_at) if summary.wake_at is not None else None,
        summary.title,
        fold(summary.title),
        _json_of(cast, "cast", _encode) if cast is not None else None,
        summary.cast_size,
        _json_of(outcome, "outcome", _encode) if outcome is not None else None,
        summary.has_open_cards,
        summary.spoke_last,
        summary.forked_from,
        summary.rematch_of,
        summary.origin,
        summary.statements_planned,
    )


def status_of(word: str) -> Status:
    """The status in a row; for a word that is none, FAILED, with which nothing is run."""
    return Status(word) if word in STATUSES else Status.FAILED


def counted(numbers: Iterable[tuple[str, int]]) -> dict[Status, int]:
    """How many debates there are of each status, from the words in rows and their numbers."""
    found: Counter[Status] = Counter()
    for word, number in numbers:
        found[status_of(word)] += number
    return dict(found)


def summary_of(row: Sequence[Any], moment: Callable[[Any], datetime]) -> DebateRow:
    """The summary a row of SUMMARY_COLUMNS stands for.

    A row with something that nobody can read was changed by hand. It is read without that, and
    without its cast, like one that an earlier version wrote: whoever lists or opens the debate puts
    it right from the log, and no other row suffers.
    """
    try:
        words = _words_of(row)
        status = Status(row[3])
    except (ValueError, TypeError, msgspec.MsgspecError):
        words, status = (None, None, None), status_of(row[3])
    stop_reason, cast, outcome = words
    return DebateRow(
        id=row[0],
        format=row[1],
        topic=row[2],
        status=status,
        seq=row[4],
        cursor=Cursor(stage=row[5], next_round=row[6], next_actor=row[7]),
        stop_reason=stop_reason,
        turns=row[9],
        statements=row[10],
        calls=row[11],
        input_tokens=row[12],
        output_tokens=row[13],
        thought_tokens=row[14],
        cost_usd=row[15],
        created_at=moment(row[16]),
        updated_at=moment(row[17]),
        wake_at=moment(row[18]) if row[18] is not None else None,
        title=row[19],
        cast=cast,
        cast_size=row[21],
        outcome=outcome,
        has_open_cards=bool(row[23]),
        spoke_last=row[24],
        forked_from=row[25],
        rematch_of=row[26],
        origin=row[27],
        statements_planned=row[28],
        hears=row[29],
    )


def _words_of(
    row: Sequence[Any],
) -> tuple[StopReason | None, tuple[Seat, ...] | None, Outcome | None]:
    """Why the debate ended, who takes part, and what came of it."""
    return (
        StopReason(row[8]) if row[8] is not None else None,
        _read_seats(row[20]) if row[20] is not None else None,
        _read_outcome.decode(row[22]) if row[22] is not None else None,
    )


def begun(lease: Lease) -> Lease:
    return msgspec.structs.replace(lease, has_begun=True)


def taken_over(lease: Lease) -> LeaseLost:
    return LeaseLost(f"debate {lease.debate_id!r} is not held with fence {lease.fence} any more")
