"""The settings of a room, and how its floor is given: beats, calls, and the keys of its steps."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from moot.protocol.settings import PacedSettings
from moot.protocol.values import Place
from moot.protocol.vocabulary import FormatWord

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
