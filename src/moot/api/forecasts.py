"""`POST /api/forecasts`: what a debate would take, without creating it."""

from __future__ import annotations

import asyncio

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.creating import sources, staged
from moot.api.parts import ApiParts
from moot.api.responses import answer, documented
from moot.api.views import ForecastView
from moot.engine.creation import configure
from moot.engine.forecast import forecast


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])

    def foresee(body: ask.NewDebateBody) -> ForecastView:
        config = configure(staged(body, sources(parts)), parts.models, version=parts.version)
        found = forecast(config, parts.models, parts.price)
        return msgspec.convert(found, ForecastView, from_attributes=True)

    @router.post("/api/forecasts", response_class=Response, responses=documented(ForecastView))
    async def forecast_debate(body: ask.NewDebateBody) -> Response:
        """Calls, tokens and cost of a debate, low and high. Creates nothing."""
        return answer(await asyncio.to_thread(foresee, body))

    return router
