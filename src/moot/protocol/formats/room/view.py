"""What a room has to show: the floor, the windows, and why nobody speaks."""

from __future__ import annotations

from datetime import datetime

import msgspec

from moot.protocol.formats.room.floor import Floor, floor_of
from moot.protocol.state import DebateState


class ContextView(msgspec.Struct, frozen=True, kw_only=True):
    """How full a member's window is: its next prompt and reply together, estimated. Where the
    window is not known, one is assumed: `is_assumed`."""

    participant: str
    tokens: int
    window: int | None
    share: float | None
    is_assumed: bool = False


class RateLimitView(msgspec.Struct, frozen=True, kw_only=True):
    provider: str
    until: datetime


class RoomView(msgspec.Struct, frozen=True, kw_only=True):
    """`floor` has everybody who takes part, the next speaker first. `next_at` is when auto mode
    goes on, `messages` and `skips` count since a person last did anything; `skipped` has how often
    each member has skipped, `failed` the members whose last try failed."""

    floor: list[str]
    next: str | None
    waiting_for: list[str]
    skips: int
    skipped: dict[str, int]
    messages: int
    next_at: datetime | None
    context: list[ContextView]
    rate_limited: RateLimitView | None
    paused: str | None
    failed: list[str]


def room_view(state: DebateState) -> RoomView:
    floor = floor_of(state)
    waiting_for = list(floor.speakers(state))
    limit = floor.limits.longest
    return RoomView(
        floor=floor.queue(state),
        next=waiting_for[0] if waiting_for else None,
        waiting_for=waiting_for,
        skips=floor.skips,
        skipped=dict(floor.skip_counts),
        messages=floor.messages,
        next_at=_next_at(floor) if waiting_for else None,
        context=_context(state, floor),
        rate_limited=RateLimitView(provider=limit.provider, until=limit.until) if limit else None,
        paused=floor.paused,
        failed=list(floor.failed),
    )


def _next_at(floor: Floor) -> datetime | None:
    beat = floor.beat
    is_auto = beat is not None and not beat.is_pending and beat.again is None
    return floor.ready_at if is_auto else None


def _context(state: DebateState, floor: Floor) -> list[ContextView]:
    return [
        ContextView(
            participant=one.id,
            tokens=floor.loads.tokens(one),
            window=one.window,
            share=floor.loads.share(one),
            is_assumed=one.is_window_assumed,
        )
        for one in state.participants.values()
        if not one.is_human
    ]
