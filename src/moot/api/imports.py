"""Debates that were held elsewhere: files that somebody brings, and the samples that we ship."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.creating import MADE, Creator
from moot.api.parts import ApiParts
from moot.api.responses import answer, documented
from moot.api.views import View
from moot.definitions import samples
from moot.intake import Intake
from moot.protocol.outcomes import Outcome
from moot.protocol.row import Seat

FILE = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
"""For the description: a body that is not JSON."""


class SampleView(View, frozen=True, kw_only=True):
    """A finished debate that was written by the people who make Moot. `outcome` is what came of it,
    shortened; `gist` says it in one line."""

    name: str
    format: str
    topic: str
    cast: tuple[Seat, ...]
    cast_size: int
    statements: int
    outcome: Outcome | None
    gist: str


class SamplePage(View, frozen=True, kw_only=True):
    items: list[SampleView]
    next: str | None = None


VIEWS = (SamplePage,)


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])
    creator, intake = Creator(parts), Intake(parts.service, parts.secret)

    @router.post("/api/imports", **MADE, openapi_extra=FILE)
    async def import_debate(request: Request) -> Response:
        """Import a debate that is over, from its log; 200 if it has been imported already."""
        data = await request.body()
        return await creator.answer(request, lambda: intake.take(data))

    @router.get("/api/samples", response_class=Response, responses=documented(SamplePage))
    async def list_samples() -> Response:
        """One finished debate of each format, written by the people who make Moot."""
        found = await asyncio.to_thread(samples.shipped)
        rows = [SampleView(**msgspec.structs.asdict(one)) for one in found]
        return answer(SamplePage(items=rows))

    @router.post("/api/samples/{name}", **MADE)
    async def open_sample(request: Request, name: Annotated[str, Path(max_length=100)]) -> Response:
        """Import a sample; 200 if it has been imported already."""
        return await creator.answer(request, lambda: intake.open(name))

    return router
