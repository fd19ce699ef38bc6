"""Events and text as frames of an event stream.

A frame never contains a line break of anybody else's: what people and models wrote is JSON, in
which line breaks are escaped. Only recorded events have an id, so a browser that comes back asks
for the events it has not seen and never for text.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, assert_never

import msgspec

from moot.engine.feed import Item, Live, StepBegan, TextVoided, TextWritten
from moot.protocol import events as e
from moot.protocol.words import Visibility

HEARTBEAT = b": still here\n\n"
KEPT = 4096
"""Frames kept, so that a thousand viewers of one event cost one encoding."""

LIVE_NAMES = {StepBegan: "step", TextWritten: "text", TextVoided: "voided"}

_encode = msgspec.json.Encoder().encode


class Frames:
    """Makes frames, and remembers the latest of them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()
        self._live: dict[bool, tuple[Live, bytes]] = {}

    def of(self, debate_id: str, item: Item, *, is_private: bool) -> bytes:
        """The frame of `item`; empty if this viewer is not to see it."""
        if not isinstance(item, e.Recorded):
            return self._of_live(item, is_private=is_private)
        # With the time: a debate deleted and created again under its key has the same id.
        key = (debate_id, item.seq, item.at, is_private)
        frame = self._kept.get(key)
        if frame is None:
            frame = self._kept[key] = event_frame(item, is_private=is_private)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return frame

    def _of_live(self, item: Live, *, is_private: bool) -> bytes:
        # The very same item goes to all viewers of a debate, one after the other.
        last, frame = self._live.get(is_private, (None, b""))
        if last is not item:
            frame = live_frame(item, is_private=is_private)
            self._live[is_private] = (item, frame)
        return frame


def opening(retry_ms: int) -> bytes:
    """Sent at once, so that the other side knows that it is connected."""
    return f"retry: {retry_ms}\n\n".encode()


def event_frame(record: e.Recorded, *, is_private: bool) -> bytes:
    data = event_data(record, is_private=is_private)
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (
        record.seq,
        data["type"].encode(),
        _encode(data),
    )


def event_data(record: e.Recorded, *, is_private: bool) -> dict[str, Any]:
    """`seq`, `at`, `type` and every field of the event.

    Without `is_private`, what was said in private is null, and prompts are left out: the event is
    there all the same, for the numbers have no gaps.
    """
    event = record.event
    data = {"seq": record.seq, "at": record.at, "type": type(event).__name__, **_plain(event)}
    if is_private:
        return data
    data.pop("prompt", None)
    if isinstance(event, e.TurnRecorded) and event.visibility is Visibility.PRIVATE:
        data |= {"content": None, "data": None}
    elif isinstance(event, e.AttemptFailed):
        data["reply"] = None
    elif isinstance(event, e.ToolUsed):
        data |= {"said": None, "arguments": None}
    return data


def live_frame(item: Live, *, is_private: bool) -> bytes:
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
        case StepBegan() | TextVoided():
            pass
        case _:
            assert_never(item)
    return b"event: %s\ndata: %s\n\n" % (LIVE_NAMES[type(item)].encode(), _encode(data))


def _plain(value: Any) -> Any:
    """Plain data with every field, those that have their default too."""
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
