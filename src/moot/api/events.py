"""`GET /api/debates/{id}/events`: the log and what follows, as Server-Sent Events.

First the events after the last one that was read, then new ones as they happen, without gap or
repetition. The stream ends when the debate is over and has been read; a browser that then comes
back is told to stay away (204).

A frame never contains a line break that somebody else wrote: the words of people and models are
JSON, in which line breaks are escaped. Only recorded events have an id, so a browser that comes
back asks for the events it has not seen and never for text.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Annotated, Any, assert_never

import msgspec
from fastapi import APIRouter, Header
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from moot.api import requests as ask
from moot.api.guards.rates import Places
from moot.api.guards.stack import ABORT
from moot.api.parts import ApiLimits, ApiParts
from moot.api.problems import of_error, problem
from moot.api.responses import documented_text
from moot.engine.feed import (
    Item,
    Live,
    Stalled,
    StepBegan,
    StepHeld,
    TextVoided,
    TextWritten,
    Viewer,
)
from moot.engine.service import Service
from moot.errors import InvalidInput, MootError, NotFound
from moot.protocol import events as e, outcomes
from moot.protocol.lifecycle import commands_for, status_after
from moot.protocol.log import begin
from moot.protocol.outcome_words import counted, doubts, headline, title, trust
from moot.protocol.visibility import LIFTING, Veil, is_lifted
from moot.protocol.words import Status, Visibility

log = logging.getLogger(__name__)

MEDIA_TYPE = "text/event-stream"
SECONDS_TO_RETRY = 5
BODY_BYTES = 64_000
"""Frames are joined until they have this many bytes."""
LastEventId = Annotated[str | None, Header(alias="Last-Event-ID", max_length=20)]

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


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(tags=["debates"])
    places = Places(parts.limits.viewers)
    frames = Frames()

    @router.get(
        "/api/debates/{debate_id}/events",
        response_class=Response,
        responses={
            **documented_text(MEDIA_TYPE),
            204: {"description": "The debate is over and read: there is nothing to wait for."},
        },
    )
    async def follow_debate(
        debate_id: ask.DebateId,
        after: ask.Seq = 0,
        text: ask.Flag = "1",
        private: ask.Flag = "0",
        last_event_id: LastEventId = None,
    ) -> Response:
        """Every event after event `after`, then live ones; also the text that is being written,
        unless `text=0`."""
        if places.is_full:
            detail = f"{parts.limits.viewers} streams are open already; try again later"
            wait = {"Retry-After": str(SECONDS_TO_RETRY)}
            return problem(503, "too_many_viewers", detail, headers=wait)
        return EventStream(
            parts.service,
            debate_id,
            # A browser that comes back repeats the address it was given, so the header wins.
            after=_number(last_event_id) if last_event_id else after,
            wants_text=text == "1",
            is_private=private == "1",
            frames=frames,
            places=places,
            limits=parts.limits,
        )

    return router


def _number(last_event_id: str) -> int:
    if last_event_id.isascii() and last_event_id.isdigit():
        return min(int(last_event_id), ask.MAX_SEQ)
    raise InvalidInput("must be the id of an event of this stream", field="Last-Event-ID")


async def cut_off(scope: Scope) -> None:
    """Cut a connection that nobody reads."""
    log.info("viewer dropped", extra={"client": scope.get("client")})
    if abort := scope.get(ABORT):
        abort()
        # So that the server notices before it sees an incomplete response.
        await asyncio.sleep(0.01)


class EventStream(Response):
    """Sends frames for as long as there are any and the other side reads them."""

    def __init__(  # noqa: PLR0913 - what the address said, and what is shared
        self,
        service: Service,
        debate_id: str,
        *,
        after: int,
        wants_text: bool,
        is_private: bool,
        frames: Frames,
        places: Places,
        limits: ApiLimits,
    ) -> None:
        super().__init__(media_type=MEDIA_TYPE)
        del self.headers["content-length"]
        # A proxy that buffers responses would hold text back.
        self.headers["X-Accel-Buffering"] = "no"
        self._service = service
        self._debate_id = debate_id
        self._after = after
        self._wants_text = wants_text
        self._is_private = is_private
        self._frames = frames
        self._places = places
        self._limits = limits
        self._sending = asyncio.Lock()
        self._is_over = False
        self._status: Status | None = None
        self._veil = Veil()
        # The event as of which the viewer was first shown anything: what was lifted before it is no
        # news.
        self._known = after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The place is taken and given back here; since the route has looked, somebody else may have
        # been quicker.
        self._places.taken += 1
        try:
            async with self._service.following(self._debate_id, text=self._wants_text) as viewer:
                if viewer.has_read_all(self._after):
                    await Response(status_code=204)(scope, receive, send)
                elif not await self._stream(viewer, receive, send):
                    await cut_off(scope)
        except MootError as error:  # only before the first frame: there is no such debate
            await of_error(error)(scope, receive, send)
        finally:
            self._places.taken -= 1

    async def _stream(self, viewer: Viewer, receive: Receive, send: Send) -> bool:
        """Whether the viewer has read to the end, or has left; False if it does not read."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        pumping = asyncio.create_task(self._pump(viewer, send))
        beat = partial(self._send, send, HEARTBEAT)
        watching = asyncio.create_task(until_gone(receive, self._limits.heartbeat_s, beat))
        try:
            await asyncio.wait((pumping, watching), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (pumping, watching):
                task.cancel()
            results = await asyncio.gather(pumping, watching, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, TimeoutError):
                log.error("stream broke", extra={"debate": self._debate_id}, exc_info=result)
        return not any(isinstance(result, TimeoutError) for result in results)

    async def _pump(self, viewer: Viewer, send: Send) -> None:
        await self._send(send, opening(self._limits.retry_ms))
        async with aclosing(viewer.batches(after=self._after)) as batches:
            with suppress(NotFound):  # deleted while it was read: there is nothing left to send
                async for batch in batches:
                    await self._find_status(batch)
                    is_lifted = await self._look(batch)
                    for body in self._bodies(batch):
                        await self._send(send, body)
                    if is_lifted:
                        await self._send(send, UNVEILED)
        await self._send(send, b"", is_last=True)

    async def _find_status(self, batch: Sequence[Item]) -> None:
        """Learn the status before the first event: a viewer may begin in the middle."""
        first = next((item for item in batch if isinstance(item, e.Recorded)), None)
        if self._status is None and first is not None and first.seq > 1:
            state = await self._service.state(self._debate_id)
            self._status = state.timeline.status_at(first.seq - 1)

    async def _look(self, batch: Sequence[Item]) -> bool:
        """Learn what may be shown now. Whether the viewer may now see more of what it has read."""
        self._veil, seq = await self._service.veil(self._debate_id)
        self._known = self._known or seq
        lifting = [
            item.seq
            for item in batch
            if isinstance(item, e.Recorded)
            and item.seq > self._known
            and isinstance(item.event, LIFTING)
        ]
        if not lifting:
            return False
        log = await self._service.log(self._debate_id)
        sources = await self._service.sources(begin(log[0]).config)
        return any(is_lifted(log, seq, sources) for seq in lifting)

    def _bodies(self, batch: Sequence[Item]) -> Iterator[bytes]:
        """The frames of `batch`, joined: the write itself costs more than the bytes."""
        frames: list[bytes] = []
        size = 0
        for item in batch:
            frame = self._frame(item)
            frames.append(frame)
            size += len(frame)
            if size >= BODY_BYTES:
                yield b"".join(frames)
                frames.clear()
                size = 0
        if size:
            yield b"".join(frames)

    def _frame(self, item: Item) -> bytes:
        if not isinstance(item, e.Recorded):
            return self._frames.of_live(item, is_private=self._is_private, veil=self._veil)
        before = self._status
        self._status = Status.CREATED if before is None else status_after(before, item.event)
        return self._frames.of_event(
            self._debate_id, item, self._status, is_private=self._is_private, veil=self._veil
        )

    async def _send(self, send: Send, body: bytes, *, is_last: bool = False) -> None:
        """Raises TimeoutError if the viewer does not read: it is dropped, and may come back."""
        async with self._sending, asyncio.timeout(self._limits.send_s):
            if not self._is_over:  # a heartbeat may have waited while the last frame was sent
                self._is_over = is_last
                await send({"type": "http.response.body", "body": body, "more_body": not is_last})


async def until_gone(
    receive: Receive, heartbeat_s: float, beat: Callable[[], Awaitable[None]]
) -> None:
    """Return when the client has left; until then, send it a heartbeat now and then."""
    while True:
        try:
            async with asyncio.timeout(heartbeat_s):
                while (await receive())["type"] != "http.disconnect":
                    pass
                return
        except TimeoutError:
            await beat()


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
