"""For whoever runs the server: is it up, can it serve, what does it do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from fastapi import APIRouter
from starlette.responses import Response
from starlette.types import Scope

from moot.api.parts import ApiParts
from moot.api.problems import RETRY_AFTER_S, problem
from moot.api.responses import answer, documented, documented_text
from moot.api.views import HealthView
from moot.engine.counting import COUNTED
from moot.errors import StoreError, StoreUnavailable
from moot.protocol.words import Status

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
RETRY = {"Retry-After": str(RETRY_AFTER_S)}
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

T = TypeVar("T")
Labels = tuple[tuple[str, str], ...]
Sample = tuple[str, Labels, float]


def routes(parts: ApiParts, requests: Requests) -> APIRouter:
    router = APIRouter(tags=["operations"])

    @router.get("/healthz", response_class=Response, responses=documented(HealthView))
    async def is_alive() -> Response:
        """Whether the process is up. Asks nothing else, and needs no token."""
        return answer(HealthView(status="ok"))

    @router.get("/readyz", response_class=Response, responses=documented(HealthView))
    async def is_ready() -> Response:
        """Whether debates can be run: the database answers and every loop is alive; 503 if not."""
        try:
            await (parts.check_ready() if parts.check_ready else parts.service.list(limit=1))
        except StoreUnavailable as error:  # in its own words: whoever runs the server asks
            return problem(503, error.code, str(error), title="Not ready", headers=RETRY)
        return answer(HealthView(status="ready"))

    @router.get("/metrics", response_class=Response, responses=documented_text(MEDIA_TYPE))
    async def show_metrics() -> Response:
        """Metrics in Prometheus' text format."""
        text = await render(parts, requests)
        return Response(text, media_type=MEDIA_TYPE)

    return router


# --- `/metrics` in Prometheus' text format: counters of this process, gauges of the database ------


class Requests:
    """Counts requests by method, route and status, and how long until an answer began."""

    def __init__(self) -> None:
        self._counts: Counter[Labels] = Counter()
        self._buckets: Counter[float] = Counter()
        self._seconds = 0.0
        self._total = 0

    def count(self, scope: Scope, status: int, seconds: float) -> None:
        # The route's pattern and known methods: what clients make up must not become a label.
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._counts[("method", method), ("route", route), ("status", str(status))] += 1
        self._seconds += seconds
        self._total += 1
        for bucket in BUCKETS_S:
            if seconds <= bucket:
                self._buckets[bucket] += 1

    def lines(self) -> Iterator[str]:
        counted = (("moot_http_requests_total", labels, n) for labels, n in self._counts.items())
        yield from _family(
            "moot_http_requests_total", "counter", "Requests that were answered.", counted
        )
        name = "moot_http_request_seconds"
        yield from _family(name, "histogram", "Time until an answer began.", self._histogram(name))

    def _histogram(self, name: str) -> Iterator[Sample]:
        for bucket in BUCKETS_S:
            yield f"{name}_bucket", (("le", f"{bucket:g}"),), self._buckets[bucket]
        yield f"{name}_bucket", (("le", "+Inf"),), self._total
        yield f"{name}_sum", (), self._seconds
        yield f"{name}_count", (), self._total


_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


async def render(parts: ApiParts, requests: Requests) -> str:
    """The whole page. A database that does not answer costs its own lines only."""
    counts = parts.counts()
    lines: list[str] = []
    for name, about in COUNTED.items():
        if name in counts:
            lines += _family(
                f"moot_{name}_total", "counter", about, _one(f"moot_{name}_total", counts[name])
            )
    gauges = {"viewers": ("Event streams that are open.", float(parts.service.viewers))}
    if parts.running is not None:
        gauges["running"] = ("Debates this process is advancing.", float(parts.running()))
    if parts.waiting is not None:
        about = "Debates this process is advancing that wait for a provider."
        gauges["waiting"] = (about, float(parts.waiting()))
    quarantined = await _asked(parts.count_quarantined)
    if quarantined is not None:
        about = "Debates that are tried in a process of their own, because their workers died."
        gauges["quarantined"] = (about, float(quarantined))
    for name, (about, value) in gauges.items():
        lines += _family(f"moot_{name}", "gauge", about, _one(f"moot_{name}", value))
    lines += _holds(parts.held())
    lines += _by_status(await _asked(parts.count_debates))
    lines += requests.lines()
    return "\n".join(lines) + "\n"


async def _asked(count: Callable[[], Awaitable[T]] | None) -> T | None:
    if count is None:
        return None
    try:
        return await count()
    except StoreError:
        return None


def _holds(held: Mapping[str, float]) -> Iterator[str]:
    name = "moot_provider_held_seconds"
    about = "For how long calls to a provider are held back yet, as it asked for."
    rows = ((name, (("provider", provider),), seconds) for provider, seconds in held.items())
    yield from _family(name, "gauge", about, rows)


def _by_status(counts: Mapping[Status, int] | None) -> Iterator[str]:
    if counts is None:
        return
    rows: Iterable[Sample] = (
        ("moot_debates", (("status", status.value),), counts.get(status, 0)) for status in Status
    )
    yield from _family("moot_debates", "gauge", "Debates in the database.", rows)


def _one(name: str, value: float) -> tuple[Sample]:
    return ((name, (), value),)


def _family(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for sample, labels, value in samples:
        shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
        yield f"{sample}{{{shown}}} {_number(value)}" if shown else f"{sample} {_number(value)}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
