"""The shapes an answer may have, and how each is read from what a model wrote.

An answer reads text and returns data, or `Unreadable` with a reason that is fit to be shown to the
model that is asked again. Nothing is invented: no default score, no likely winner.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from moot.protocol.events import AnyEvent
from moot.protocol.words import Visibility


class Unreadable(msgspec.Struct, frozen=True):
    """Why a text could not be read as what was asked for."""

    reason: str
    """For the model that wrote it, which is asked again."""
    told: str = ""
    """For people, who have not seen the fields that were asked for; empty if `reason` will do."""

    @property
    def for_people(self) -> str:
        return self.told or self.reason


class Schema(msgspec.Struct, frozen=True):
    """A JSON schema with the name that providers want to have for it."""

    name: str
    body: Mapping[str, Any]


ECHO = Unreadable("it repeats the words of the prompt instead of answering")
BABBLE = Unreadable("it has the same few words over and over")
"""See `echoes`."""


class OnUnreadable(StrEnum):
    """What becomes of a step whose last attempt could not be read either."""

    RECORD = "record"
    """A turn with `fallback` in place of data, flagged for its reader; the debate goes on."""
    FAIL = "fail"
    """The step failed: there is nothing to go on with."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of what a step returns. Shapes override what differs from free text."""

    on_unreadable: OnUnreadable = OnUnreadable.RECORD
    """What to do when asking again did not help."""

    @property
    def schema(self) -> Schema | None:
        """What to hand to models that can be held to a schema; None for free text."""
        return None

    @property
    def is_speech(self) -> bool:
        """Whether the text is said to others as it stands; see `speech`."""
        return False

    @property
    def takes_echoes(self) -> bool:
        """Whether `read` itself deals with a reply that repeats the prompt; see `echoes`."""
        return False

    @property
    def form(self) -> dict[str, Any] | None:
        """The fields a person fills in; None for free text."""
        return None

    @property
    def may_be_left(self) -> bool:
        """Whether a person may leave it empty in a form in which they answer other steps too."""
        return False

    def is_passed_by(self, filled: dict[str, Any]) -> bool:
        """Whether filling in `form` like this amounts to passing."""
        del filled
        return False

    def written(self, filled: dict[str, Any]) -> str:
        """What a model would have written to say what these fields of `form` say."""
        return msgspec.json.encode(filled).decode()

    def flags(self, data: dict[str, Any] | None) -> tuple[str, ...]:
        """What a reader must know of a turn with this data."""
        del data
        return ()

    def visibility(self, data: dict[str, Any] | None) -> Visibility | None:
        """Who may read a turn with this data; None if the step decides that."""
        del data
        return None

    def consequences(self, data: dict[str, Any] | None) -> tuple[AnyEvent, ...]:
        """The events that a person asks for with this answer, to be recorded together with it."""
        del data
        return ()

    def read(self, text: str) -> dict[str, Any] | Unreadable | None:
        """The typed data in `text` (None if free text has none), or why there is none."""
        return None if text.strip() else Unreadable("the reply was empty")

    def given_up(self, text: str, why: Unreadable) -> OnUnreadable:
        """What becomes of the step if `text`, its last attempt, could not be read either."""
        del text, why
        return self.on_unreadable

    def fallback(self, reason: str) -> dict[str, Any] | None:
        """What is recorded in place of data that could not be read: never a guess."""
        del reason
        return None

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        """The content of the turn: what people read."""
        del data
        return text


class Text(Answer, frozen=True, kw_only=True):
    """Free text; a blank reply is unreadable, everything else is taken as it is."""

    on_unreadable: OnUnreadable = OnUnreadable.FAIL

    @property
    def is_speech(self) -> bool:
        return True

    def given_up(self, text: str, why: Unreadable) -> OnUnreadable:
        """A speech that repeats its prompt is recorded, with a flag: no debate fails for that."""
        return OnUnreadable.RECORD if why is ECHO else super().given_up(text, why)
