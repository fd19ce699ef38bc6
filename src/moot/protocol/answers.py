"""The shapes an answer may have, and how each is read from what a model wrote.

An answer reads text and returns data, or `Unreadable` with a reason that is fit to be shown to the
model that is asked again. Nothing is invented: no default score, no likely winner.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

import msgspec


class Unreadable(msgspec.Struct, frozen=True):
    """Why a text could not be read as what was asked for."""

    reason: str


class Schema(msgspec.Struct, frozen=True):
    """A JSON schema with the name that providers want to have for it."""

    name: str
    body: Mapping[str, Any]


class OnUnreadable(StrEnum):
    """What becomes of a step whose last attempt could not be read either."""

    RECORD = "record"
    """A turn without data, flagged unreadable; the debate goes on."""
    FAIL = "fail"
    """The step failed: there is nothing to go on with."""


class Answer(Protocol):
    """The shape of what a step returns."""

    @property
    def on_unreadable(self) -> OnUnreadable:
        """What to do when asking again did not help."""

    @property
    def schema(self) -> Schema | None:
        """What to hand to models that can be held to a schema; None for free text."""

    def read(self, text: str) -> dict[str, Any] | Unreadable | None:
        """The typed data in `text` (None if free text has none), or why there is none."""


class Text(msgspec.Struct, frozen=True):
    """Free text; a blank reply is unreadable, everything else is taken as it is."""

    on_unreadable: OnUnreadable = OnUnreadable.FAIL

    @property
    def schema(self) -> None:
        return None

    def read(self, text: str) -> Unreadable | None:
        return None if text.strip() else Unreadable("the reply was empty")
