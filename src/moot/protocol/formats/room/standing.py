"""The settings of a room, what its floor is made of, and what is shown of it.

A beat is one giving of the floor. Where a room stands is who has the floor, who comes next, whose
provider wants to be left alone for a while, and what was counted. Only `floor` changes any of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from moot.protocol import events as e
from moot.protocol.formats.room.loads import Loads, shown
from moot.protocol.settings import PacedSettings
from moot.protocol.state import DebateState
from moot.protocol.turns import Known
from moot.protocol.values import Config, Participant, Place
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Pacing

# --- the settings, and beats ----------------------------------------------------------------------

TALK = "talk"
SUMMARIZE = "summarize"
SAID, ROUND_SAID = "SAID", "ROUND_SAID"

WORDS = FormatWord(
    name="A room to talk in",
    end="“Irmgard: a shower, then. Not a home.”",
    asks="Join in, or just listen.",
    roles=("member",),
    length="max_messages",
    unit="message",
    short=20,
    long=120,
    nick="A room",
)


class RoomSettings(PacedSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    response_delay: Annotated[
        float, Meta(ge=1, le=30, description="Seconds between two messages in auto mode.")
    ] = 2.0
    max_messages: Annotated[
        int,
        Meta(ge=0, le=100_000, description="Auto mode pauses after this many messages; 0: never."),
    ] = 50
    max_wait: Annotated[
        int,
        Meta(
            ge=5,
            le=120,
            description="A member has failed after this many seconds of silence; an answer that "
            "keeps coming may take longer.",
        ),
    ] = 30
    mention_depth: Annotated[
        int,
        Meta(ge=0, le=20, description="How many times in a row members may call on each other."),
    ] = 3
    compact: Annotated[
        bool,
        Meta(description="When a member's window fills up, it goes on with its own summary."),
    ] = False
    say_topic: Annotated[
        bool, Meta(description="When the room starts, the topic is your first message.")
    ] = False


def key_of(number: int, member: str, kind: str = "speak") -> str:
    return f"{TALK}/{number}/{member}/{kind}"


def read_key(key: str) -> tuple[int, str] | None:
    """The beat and the member of a room's step, which the events of failures do not name; None if
    the key is not of such a step."""
    parts = key.split("/")
    if len(parts) != 4 or parts[0] != TALK or not parts[1].isdecimal():  # noqa: PLR2004 - as above
        return None
    return int(parts[1]), parts[2]


class Call(msgspec.Struct, frozen=True):
    """Members who were asked by name to speak next, at once. `depth` counts the calls by members
    that led up to it in a row: 0 if a person called."""

    who: tuple[str, ...]
    depth: int
    by: str


class Again(msgspec.Struct, frozen=True):
    """A member that a person wants to hear alone: once more, or after it had failed."""

    member: str
    instead_of: Place | None = None


class Beat(msgspec.Struct):
    """One giving of the floor."""

    number: int
    speakers: tuple[str, ...]
    call: Call | None = None
    again: Again | None = None
    is_pending: bool = False
    landed: set[str] = set()
    called: list[str] = []


# --- where the room stands ------------------------------------------------------------------------


class RateLimit(msgspec.Struct, frozen=True):
    provider: str
    until: datetime
    seconds: float
    """How long the wait was when the provider asked for it."""


class RateLimits:
    """By provider: only its members wait until its limit is over, and nobody else."""

    __slots__ = ("_by_provider", "now")

    def __init__(self) -> None:
        self._by_provider: dict[str, RateLimit] = {}
        self.now: datetime | None = None
        """When the last event was recorded."""

    def __repr__(self) -> str:
        return f"RateLimits({shown(self)})"

    @property
    def longest(self) -> RateLimit | None:
        """The provider that has to be left alone for longest; None if none has."""
        return max(self._by_provider.values(), key=lambda one: one.until, default=None)

    def until(self, member: Participant) -> datetime | None:
        """When a member's provider may be asked again; None if nothing speaks against it."""
        limit = self._by_provider.get(_provider(member))
        return limit.until if limit else None

    def seconds(self, member: Participant) -> float:
        """How long the member's provider asked to be left alone."""
        limit = self._by_provider.get(_provider(member))
        return limit.seconds if limit else 0.0

    def holds(self, member: Participant) -> bool:
        """Whether the member's provider was to be left alone when the last event was recorded."""
        until = self.until(member)
        return until is not None and self.now is not None and self.now < until

    def add(self, member: Participant, until: datetime, seconds: float) -> None:
        provider = _provider(member)
        limit = RateLimit(provider, until, seconds)
        before = self._by_provider.get(provider, limit)
        self._by_provider[provider] = max(limit, before, key=lambda one: one.until)

    def end(self, member: Participant) -> None:
        """Forget the limit: the member's provider has answered."""
        self._by_provider.pop(_provider(member), None)


class Standing:
    """What the floor is made of. Only `Floor` changes it."""

    __slots__ = (
        "_calls",
        "_has_begun",
        "_last",
        "_number",
        "_spoken",
        "_wanted",
        "announcements",
        "beat",
        "failed",
        "is_open",
        "limits",
        "loads",
        "messages",
        "pacing",
        "paused",
        "pending",
        "ready_at",
        "round_event",
        "settings",
        "skip_counts",
        "skipped",
        "skips",
        "warned",
    )

    def __init__(self, config: Config, settings: RoomSettings) -> None:
        self.settings = settings
        self.pacing = Pacing(settings.pacing)
        self.loads = Loads(topic=config.topic, reply_tokens=settings.max_tokens)
        self.is_open = False
        self.beat: Beat | None = None
        self._number = 1
        self._spoken: set[str] = set()
        self._has_begun = False
        self._last = ""
        self._calls: list[Call] = []
        self._wanted: list[Again] = []
        self.round_event: str | None = None
        self.skips = 0
        self.skipped: set[str] = set()
        self.skip_counts: dict[str, int] = {}
        self.messages = 0
        self.paused: str | None = None
        self.pending: set[int] = set()
        self.ready_at: datetime | None = None
        self.limits = RateLimits()
        self.failed: dict[str, str] = {}
        self.warned: set[str] = set()
        self.announcements: list[e.NoticePosted] = []

    def __repr__(self) -> str:
        """Everything in it, so that two folds can be compared."""
        return f"{type(self).__name__}({shown(self)})"

    def longest_pause_s(self, member: Participant) -> float:
        """What any wait before this member speaks lasts at the most."""
        return max(self.settings.response_delay, self.limits.seconds(member))

    def speakers(self, state: Known) -> tuple[str, ...]:
        """Who has the floor now and has not been heard."""
        beat = self.beat
        if beat is None:
            return ()
        # Members that were asked together with one that failed may finish.
        is_begun = beat.again is not None or beat.landed
        if self.paused is not None and not is_begun:
            return ()
        return self._waited_for(beat, state)

    def is_busy(self, state: Known) -> bool:
        """Whether a model has the floor. A member held back by a rate limit keeps
        nobody waiting."""
        speakers = (state.participants[one] for one in self.speakers(state))
        return any(not one.is_human and not self.limits.holds(one) for one in speakers)

    def queue(self, state: Known) -> list[str]:
        """Everybody who takes part, whoever speaks next first; the plain order if nobody does."""
        members = [*taking_part(state)]
        if not self.is_open or self.round_event is not None:
            return members
        now = self._waited_for(self.beat, state) if self.beat else ()
        called = [one for call in self._calls for one in call.who if one in members]
        rest = self._fairly(one for one in members if one not in self._spoken)
        return list(dict.fromkeys([*now, *called, *rest, *members]))

    def has_all_skipped(self, state: Known) -> bool:
        """Whether everybody who takes part has skipped since somebody last said anything."""
        members = set(taking_part(state))
        return bool(members) and members <= self.skipped

    def _waited_for(self, beat: Beat, state: Known) -> tuple[str, ...]:
        return tuple(
            one for one in beat.speakers if one not in beat.landed and takes_part(state, one)
        )

    def _fairly(self, members: Iterable[str]) -> list[str]:
        """The members in their order, but whoever had the floor just now does not come first."""
        first, *rest = [*members] or [""]
        found = [*rest[:1], first, *rest[1:]] if rest and first == self._last else [first, *rest]
        return [one for one in found if one]


def taking_part(state: Known) -> Iterator[str]:
    """The members that are here and not muted, in the order in which they joined."""
    return (one.id for one in state.participants.values() if not one.muted)


def takes_part(state: Known, member: str) -> bool:
    found = state.participants.get(member)
    return found is not None and not found.muted


def _provider(member: Participant) -> str:
    return member.model.partition(":")[0]


# --- what is shown of it --------------------------------------------------------------------------


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


def room_view(state: DebateState, floor: Standing) -> RoomView:
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


def _next_at(floor: Standing) -> datetime | None:
    beat = floor.beat
    is_auto = beat is not None and not beat.is_pending and beat.again is None
    return floor.ready_at if is_auto else None


def _context(state: DebateState, floor: Standing) -> list[ContextView]:
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
