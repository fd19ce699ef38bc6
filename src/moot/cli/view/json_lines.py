"""Events as JSON, one per line, for programs. Other texts never mix with them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from moot.cli.telling import tell
from moot.cli.view.console import stalled
from moot.engine.feed import Item, Stalled
from moot.protocol import events as e
from moot.protocol.state import DebateState
from moot.protocol.visibility import Veil, veil_of
from moot.protocol.words import Status, Visibility

COMMON = ("stage", "round", "participant", "kind", "content")
OF_TURNS = ("step_key", "visibility", "place")
META = ("model", "usage", "duration_ms", "attempts", "finish", "flags", "sampling")

# JSON lets these stand as they are, but a terminal would obey them.
_OBEYED = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def event_line(record: e.Recorded, debate_id: str, *, with_private: bool) -> str:
    """`seq, at, type, stage, round, participant, kind, content, data`, and for turns some more.

    The data of the first event has the id of the debate, so that a program knows what to resume.
    """
    event = record.event
    fields: dict[str, Any] = {name: whole(getattr(event, name)) for name in event.__struct_fields__}
    line: dict[str, Any] = {
        "seq": record.seq,
        "at": record.at,
        "type": type(event).__name__,
    }
    if isinstance(event, e.DebateCreated):
        fields = {"debate_id": debate_id, **fields}
    if isinstance(event, e.QuestionOpened):
        fields["content"] = fields.pop("text")
    for name in COMMON:
        # Of somebody who joins, `participant` is not the id but all details, which are data.
        value = fields.get(name)
        line[name] = None if isinstance(value, dict) else fields.pop(name, None)
    line["data"] = fields.get("data") if isinstance(event, e.TurnRecorded) else fields or None
    if isinstance(event, e.TurnRecorded):
        line |= {name: fields[name] for name in OF_TURNS}
        meta = (*META, "reasoning") if with_private else META
        line["meta"] = {name: fields[name] for name in meta}
    return as_line(line)


def is_private(event: e.AnyEvent) -> bool:
    """Whether it is a turn that the others in the debate do not read."""
    return isinstance(event, e.TurnRecorded) and event.visibility is Visibility.PRIVATE


def as_line(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=_plain)
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _plain(value: Any) -> Any:
    """Times as HTTP and the exports write them: `2026-11-18T00:30:12.345678Z`."""
    return msgspec.to_builtins(value) if isinstance(value, datetime) else str(value)


def whole(value: Any) -> Any:
    """Plain data with every field, including those that have their default."""
    if isinstance(value, msgspec.Struct):
        shape = value.__struct_config__
        kind = {shape.tag_field: shape.tag} if shape.tag_field else {}
        return kind | {name: whole(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [whole(item) for item in value]
    return value


class JsonView:
    """Prints every event as it is recorded; everything else goes to stderr."""

    wants_text = False
    question = None

    def __init__(
        self,
        debate_id: str,
        state: DebateState,
        *,
        hides_private: bool = False,
        sources: Sequence[Veil] = (),
    ) -> None:
        self.state = state
        self._sources = sources
        self._debate_id = debate_id
        self._hides_private = hides_private

    def begin(self) -> None:
        """A new debate begins with its creation; what came before a resume is not repeated."""
        if self.state.status is Status.CREATED:
            created = e.DebateCreated(config=self.state.config)
            self._print(e.Recorded(1, self.state.created_at, created))
            for record in self.state.notices:
                self._print(record)

    def take(self, item: Item) -> None:
        if isinstance(item, e.Recorded) and item.seq > self.state.seq:
            self.state.apply(item)
            self._print(veil_of(self.state, self._sources).seen(item))
        elif isinstance(item, Stalled):
            self.urge(stalled(item.reason))

    def _print(self, record: e.Recorded) -> None:
        if self._hides_private and is_private(record.event):
            return
        line = event_line(record, self._debate_id, with_private=not self._hides_private)
        print(line, flush=True)

    def urge(self, text: str) -> None:
        tell(text)

    def tick(self) -> None:
        pass

    def finish(self) -> None:
        pass
