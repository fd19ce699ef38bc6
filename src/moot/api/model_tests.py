"""`POST /api/models/test`: one small call to a model, to see that it answers."""

from __future__ import annotations

import asyncio
import time

from fastapi import APIRouter, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.guards.rates import RateLimit
from moot.api.parts import ApiParts
from moot.api.problems import problem
from moot.api.responses import answer, documented
from moot.api.views import ModelTestView
from moot.errors import InvalidInput, ModelError
from moot.models.port import ChatRequest
from moot.protocol.values import Message
from moot.protocol.words import HUMAN

QUESTION = Message(role="user", content="Answer with one short sentence: are you there?")
MAX_TOKENS = 32
DEADLINE_S = 30.0
TESTS_PER_MINUTE = 20


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["catalogue"])
    rate = RateLimit(TESTS_PER_MINUTE, time.monotonic)

    @router.post("/api/models/test", response_class=Response, responses=documented(ModelTestView))
    async def test_model(request: Request, body: ask.ModelBody) -> Response:
        """Ask a model one short question. Whether it answers is the answer; it may cost money."""
        if wait_s := rate.wait_s(request.client.host if request.client else ""):
            detail = f"too many tests in the last minute; try again in {wait_s} s"
            wait = {"Retry-After": str(wait_s)}
            return problem(429, "too_many_tests", detail, headers=wait)
        return answer(await _tested(parts, body.model))

    return router


async def _tested(parts: ApiParts, name: str) -> ModelTestView:
    if name == HUMAN:
        raise InvalidInput("a person is asked, not called", field="model")
    request = ChatRequest(
        model="",
        messages=(QUESTION,),
        max_tokens=MAX_TOKENS,
        deadline_s=DEADLINE_S,
        label="test",
    )
    began = time.perf_counter()
    reply, error = "", ""
    try:
        caller = parts.models.get(name)
        # Retries included: somebody sits before the page and waits.
        async with asyncio.timeout(DEADLINE_S):
            reply = (await caller.call(request)).content
    except TimeoutError:
        error = f"no answer within {DEADLINE_S:g} s"
    except ModelError as broken:
        error = str(broken)
    return ModelTestView(
        model=name,
        is_working=not error,
        reply=reply,
        error=error,
        duration_ms=round((time.perf_counter() - began) * 1000),
    )
