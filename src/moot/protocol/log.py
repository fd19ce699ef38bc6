"""A whole log: the state that it amounts to, whichever format it has, and the log as a file.

The file is JSON lines, which `moot export --as log` writes and `moot import` reads: first a line
that says what it is, then every event as it was recorded, then the texts of the attachments that
the configuration names. What is written here is read by later versions for ever: lines may get more
fields with defaults, and another meaning means another `version`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from moot.errors import IllegalEvent
from moot.protocol import events as e
from moot.protocol.registry import format_of
from moot.protocol.state import DebateState

# --- what it amounts to ---------------------------------------------------------------------------


def begin(created: e.Recorded) -> DebateState:
    """The state after the first event of a log. Raises IllegalEvent if it is not DebateCreated, and
    FormatMissing if its format is not installed here."""
    if not isinstance(created.event, e.DebateCreated):
        raise IllegalEvent("a log begins with DebateCreated")
    return DebateState(created, format_of(created.event.config))


def fold(records: Iterable[e.Recorded]) -> DebateState:
    """The state that a whole log amounts to."""
    iterator = iter(records)
    try:
        state = begin(next(iterator))
    except StopIteration:
        raise IllegalEvent("an empty log is no debate") from None
    for record in iterator:
        state.apply(record)
    return state


# --- as a file ------------------------------------------------------------------------------------

WHAT = "a debate of Moot"
VERSION = 1


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line. `debate` is the id that it had where it was written."""

    what: str
    version: int
    debate: str = ""
    moot_version: str = ""
    events: int
    attachments: int = 0


class EventLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event, with its place in the log and its time. The event is decoded separately."""

    seq: int
    at: datetime
    event: msgspec.Raw


class AttachmentLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The text of the attachments with this hash; written once, even if several have it."""

    sha256: str
    content: str


def written(log: Sequence[e.Recorded], texts: Mapping[str, str], debate_id: str) -> str:
    """The file for a log and the texts of its attachments, which are given by hash."""
    return "".join(f"{line.decode()}\n" for line in _lines(log, texts, debate_id))


def _lines(log: Sequence[e.Recorded], texts: Mapping[str, str], debate_id: str) -> Iterator[bytes]:
    created = log[0].event
    assert isinstance(created, e.DebateCreated)  # noqa: S101 - every log begins with it
    wanted = dict.fromkeys(one.sha256 for one in created.config.attachments)
    encode = msgspec.json.Encoder().encode
    yield encode(
        Header(
            what=WHAT,
            version=VERSION,
            debate=debate_id,
            moot_version=created.config.moot_version,
            events=len(log),
            attachments=len(wanted),
        )
    )
    for one in log:
        yield encode(EventLine(seq=one.seq, at=one.at, event=msgspec.Raw(e.encode(one.event))))
    for sha256 in wanted:
        yield encode(AttachmentLine(sha256=sha256, content=texts[sha256]))
