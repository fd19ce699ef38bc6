"""Events and text as frames of an event stream.

A frame never contains a line break that somebody else wrote: the words of people and models are
JSON, in which line breaks are escaped. Only recorded events have an id, so a browser that comes
back asks for the events it has not seen and never for text.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, assert_never

import msgspec

from moot.engine.feed import Live, Stalled, StepBegan, StepHeld, TextVoided, TextWritten
from moot.protocol import events as e, outcomes
from moot.protocol.lifecycle import commands_for
from moot.protocol.outcome_words import counted, doubts, headline, title, trust
from moot.protocol.visibility import Veil
from moot.protocol.words import Status, Visibility

HEARTBEAT = b": still here\n\n"
UNVEILED = b"event: unveiled\ndata: {}\n\n"
"""Some of what was withheld may be seen now: read again from the beginning."""
KEPT = 4096
"""Frames kept, so that a thousand viewers of one event cost one encoding."""

NO_VEIL = Veil()
LIVE_NAMES = {StepBegan: "step", StepHeld: "held", TextWritten: "text", TextVoided: "voided"}

_encode = msgspec.json.Encoder().encode


AFTER: Mapping[Status, msgspec.Raw] = {
    status: msgspec.Raw(_encode({"status": status, "commands": commands_for(status)}))
    for status in Status
}
"""Status and commands after an event that led to this status, so that readers need no table."""


class Frames:
    """Makes frames, and remembers the latest of them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()
        self._live: dict[bool, tuple[Live, bytes]] = {}

    def of_event(
        self,
        debate_id: str,
        record: e.Recorded,
        status: Status,
        *,
        is_private: bool,
        veil: Veil = NO_VEIL,
    ) -> bytes:
        """The frame of an event that led to `status`, as far as it may be seen."""
        shown = veil.seen(record)
        if shown is not record:  # not kept: later, more of it may be shown
            return event_frame(shown, status, is_private=is_private)
        # With the time: a debate deleted and created again under its key has the same id.
        key = (debate_id, record.seq, record.at, is_private)
        frame = self._kept.get(key)
        if frame is None:
            frame = self._kept[key] = event_frame(record, status, is_private=is_private)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return frame

    def of_live(self, item: Live, *, is_private: bool, veil: Veil = NO_VEIL) -> bytes:
        """The frame of `item`; empty if this viewer is not to see it."""
        if isinstance(item, TextWritten) and veil.hides(item.step):
            return b""
        # The very same item goes to all viewers of a debate, one after the other.
        last, frame = self._live.get(is_private, (None, b""))
        if last is not item:
            frame = live_frame(item, is_private=is_private)
            self._live[is_private] = (item, frame)
        return frame


def opening(retry_ms: int) -> bytes:
    """Sent at once, so that the other side knows that it is connected."""
    return f"retry: {retry_ms}\n\n".encode()


def event_frame(record: e.Recorded, status: Status, *, is_private: bool) -> bytes:
    data = event_data(record, status, is_private=is_private)
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (
        record.seq,
        data["type"].encode(),
        _encode(data),
    )


def event_data(record: e.Recorded, status: Status, *, is_private: bool) -> dict[str, Any]:
    """`seq`, `at`, `type`, every field of the event, and `after`: status and commands after it.

    Without `is_private`, what was said or thought in private is null, and prompts are left out:
    the event itself is sent all the same, because the numbers have no gaps.
    """
    event = record.event
    data = {"seq": record.seq, "at": record.at, "type": type(event).__name__, **_plain(event)}
    data["after"] = AFTER[status]
    match event:
        case e.TurnRecorded():
            data |= {"is_pending": event.awaits_choice, "is_silent": event.is_silent}
        case e.DebateCompleted():
            data |= _ending(outcomes.read(event.outcome))
        case _:
            pass
    return data if is_private else _without_secrets(event, data)


def _ending(outcome: outcomes.Outcome | None) -> dict[str, Any]:
    """The outcome, whatever the version of its log, with the words for it."""
    if outcome is None:
        return {"outcome": None}
    return {
        "outcome": outcome,
        "title": title(outcome),
        "headline": headline(outcome),
        "doubts": doubts(outcome),
        "counted": counted(outcome) if isinstance(outcome, outcomes.Solution) else (),
        "trust": trust(outcome),
    }


def _without_secrets(event: e.AnyEvent, data: dict[str, Any]) -> dict[str, Any]:
    data.pop("prompt", None)
    match event:
        case e.TurnRecorded(visibility=visibility):
            data["reasoning"] = None
            if visibility is Visibility.PRIVATE:
                data |= {"content": None, "data": None}
        case e.AttemptFailed():
            data["reply"] = None
        case e.ToolUsed():
            data |= {"said": None, "arguments": None}
        case _:
            pass
    return data


def live_frame(item: Live, *, is_private: bool) -> bytes:
    if isinstance(item, Stalled):
        return b"event: stalled\ndata: %s\n\n" % _encode({"reason": item.reason})
    step = item.step
    data: dict[str, Any] = {
        "step": step.key,
        "stage": step.stage,
        "round": step.round,
        "participant": step.participant,
        "kind": step.kind,
        "visibility": step.visibility,
    }
    match item:
        case TextWritten(text=text):
            if step.visibility is Visibility.PRIVATE and not is_private:
                return b""
            data["text"] = text
        case StepHeld(since=since, until=until):
            data |= {"reason": item.reason, "since": since, "until": until}
        case StepBegan() | TextVoided():
            pass
        case _:
            assert_never(item)
    return b"event: %s\ndata: %s\n\n" % (LIVE_NAMES[type(item)].encode(), _encode(data))


def _plain(value: Any) -> Any:
    """Plain data with every field, including those that have their default."""
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
