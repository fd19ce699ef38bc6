"""Providers that want to be left alone for a while, as the log tells it: a part of the floor."""

from __future__ import annotations

from datetime import datetime

from moot.protocol.formats.room.beats import RateLimit
from moot.protocol.formats.room.loads import shown
from moot.protocol.values import Participant


class RateLimits:
    """By provider: whoever of it is asked waits until the limit is over, and nobody else."""

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
        """How long its provider asked to be left alone."""
        limit = self._by_provider.get(_provider(member))
        return limit.seconds if limit else 0.0

    def holds(self, member: Participant) -> bool:
        """Whether its provider wanted to be left alone when the last event was recorded."""
        until = self.until(member)
        return until is not None and self.now is not None and self.now < until

    def add(self, member: Participant, until: datetime, seconds: float) -> None:
        provider = _provider(member)
        limit = RateLimit(provider, until, seconds)
        before = self._by_provider.get(provider, limit)
        self._by_provider[provider] = max(limit, before, key=lambda one: one.until)

    def end(self, member: Participant) -> None:
        """Its provider has answered."""
        self._by_provider.pop(_provider(member), None)


def _provider(member: Participant) -> str:
    return member.model.partition(":")[0]
