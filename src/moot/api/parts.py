"""What the app is given by the wiring."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any

import msgspec
from starlette.types import ASGIApp

from moot.asking import Asker
from moot.definitions.values import LibraryPersona
from moot.engine.importing import MAX_BYTES
from moot.engine.service import Service
from moot.models.overview import Overview
from moot.models.port import Models
from moot.protocol.values import Usage
from moot.protocol.words import Status

SHARE_OF_VIEWERS = 0.8
"""The share of all connections that streams can have: they are held for hours, and commands must
still come through."""


class ApiLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds on what clients may do to the process."""

    body_bytes: int = 1_000_000
    import_bytes: int = MAX_BYTES
    """In the file of an imported debate; whoever reads the file limits how deep it may be."""
    question_bytes: int = 8_000_000
    """In a question over `/v1`, which has a whole conversation in it."""
    body_s: float = 30.0
    """Wall-clock time in which a body must have arrived."""
    json_depth: int = 50
    json_parts: int = 10_000
    """Strings, lists and objects in one body."""
    question_parts: int = 100_000
    """Strings, lists and objects in one body over `/v1`, where only the first mistake is told."""
    creations_per_minute: int = 60
    """Debates one client may create."""
    questions_per_minute: int = 600
    """Questions one client may ask over `/v1`: evaluations ask many."""
    model_tests_per_minute: int = 20
    viewers: int = 2000
    """Event streams open at once."""
    heartbeat_s: float = 15.0
    send_s: float = 25.0
    """How long a viewer may refuse to read before it is dropped; it misses nothing by that."""
    retry_ms: int = 2000
    """How soon a browser comes back when its stream broke."""


class ApiParts(msgspec.Struct, frozen=True, kw_only=True):
    """`secret` makes the ids of debates created with an Idempotency-Key: the same for every server
    on one database, and the same after a restart (see `engine.once`)."""

    service: Service
    asker: Asker
    """Through it, panels are asked."""
    secret: bytes
    overview: Callable[[], Overview]
    """Which models there are to choose from. May block."""
    personas: Callable[[], Sequence[LibraryPersona]]
    """May block."""
    models: Models
    """For trying a model, and for forecasts; debates call models through the service."""
    price: Callable[[str, Usage], float | None] = lambda _model, _usage: None
    """What a call to a model costs, None if that is not known. May block."""
    own_personas: Path | None = None
    """The folder of the user's own personas; without it, none can be added, changed or removed."""
    own_panels: Path | None = None
    """The folder of the user's own panels; without it, none can be added, changed or removed."""
    context_root: Path | None = None
    """The directory below which clients may name files for a debate; None: they may name none."""
    version: str = ""
    token: str | None = None
    allowed_hosts: frozenset[str] = frozenset()
    """Names that the Host header may have besides those of loopback, without port."""
    trusted_proxies: Sequence[IPv4Network | IPv6Network] = ()
    """The proxies that are believed when they say for whom they speak."""
    defaults: Mapping[str, Any] = {}
    """Settings of debates that say nothing else."""
    check_ready: Callable[[], Awaitable[object]] | None = None
    """Raises if the process cannot serve; without it, one page of the list is read."""
    counts: Callable[[], Mapping[str, float]] = dict
    """What this process has done so far: `moot.engine.counting.CountingFeed.counts`."""
    running: Callable[[], int] | None = None
    """How many debates this process is advancing."""
    waiting: Callable[[], int] | None = None
    """How many of those wait for a provider."""
    held: Callable[[], Mapping[str, float]] = dict
    """For how many seconds more each provider wants to be left alone."""
    count_quarantined: Callable[[], Awaitable[int]] | None = None
    """How many debates are in quarantine."""
    count_debates: Callable[[], Awaitable[Mapping[Status, int]]] | None = None
    """How many debates there are of each status."""
    mcp: ASGIApp | None = None
    """What answers at /mcp."""
    limits: ApiLimits = ApiLimits()

    def __repr__(self) -> str:
        """Without the token and the secret: reprs end up in logs."""
        return f"ApiParts(version={self.version!r})"
