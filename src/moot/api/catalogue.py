"""What there is to choose from: formats, models (and whether one answers), shipped debates."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.guards.rates import RateLimit
from moot.api.parts import ApiParts
from moot.api.problems import problem
from moot.api.responses import answer, documented
from moot.api.views import View
from moot.definitions import debates
from moot.errors import InvalidInput, ModelError
from moot.models.port import ChatRequest
from moot.protocol.machine import Format, Transition, mermaid
from moot.protocol.registry import FORMATS, format_named
from moot.protocol.values import Message
from moot.protocol.words import HUMAN

QUESTION = Message(role="user", content="Answer with one short sentence: are you there?")
MAX_TOKENS = 32
DEADLINE_S = 30.0
TESTS_PER_MINUTE = 20


class StageView(View, frozen=True, kw_only=True):
    name: str
    about: str


class TransitionView(View, frozen=True, kw_only=True, rename={"source": "from", "target": "to"}):
    """`from` null is the beginning, `to` null the end; `guard` is the condition in words."""

    source: str | None
    event: str
    target: str | None
    guard: str | None
    rounds: str


class FormatSummary(View, frozen=True, kw_only=True):
    id: str
    about: str
    when_to_use: str


class FormatView(FormatSummary, frozen=True, kw_only=True):
    settings_schema: dict[str, Any]
    stages: list[StageView]
    transitions: list[TransitionView]
    mermaid: str


class FormatPage(View, frozen=True, kw_only=True):
    items: list[FormatSummary]
    next: str | None = None


class ModelView(View, frozen=True, kw_only=True):
    provider: str
    is_usable: bool
    reason: str
    default_model: str


class ModelPage(View, frozen=True, kw_only=True):
    items: list[ModelView]
    next: str | None = None


class ModelTestView(View, frozen=True, kw_only=True):
    """`error` says in words why a model that is not working is not."""

    model: str
    is_working: bool
    reply: str
    error: str
    duration_ms: int


class DebateFileView(View, frozen=True, kw_only=True):
    """A debate that is shipped; `premise` is empty where its format has none."""

    name: str
    format: str
    topic: str
    premise: str


class DebateFilePage(View, frozen=True, kw_only=True):
    items: list[DebateFileView]
    next: str | None = None


VIEWS = (FormatPage, FormatView, ModelPage, ModelTestView, DebateFilePage)


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["catalogue"])
    _formats(router)
    _models(router, parts)
    _files(router)
    return router


def _formats(router: APIRouter) -> None:
    @router.get("/api/formats", response_class=Response, responses=documented(FormatPage))
    async def list_formats() -> Response:
        """The formats a debate can have."""
        rows = [
            FormatSummary(id=rules.name, about=rules.about, when_to_use=rules.when_to_use)
            for rules in FORMATS.values()
        ]
        return answer(FormatPage(items=rows))

    @router.get(
        "/api/formats/{format_id}", response_class=Response, responses=documented(FormatView)
    )
    async def get_format(format_id: Annotated[str, Path(max_length=40)]) -> Response:
        """Everything about one format, read from the tables that run it."""
        return answer(format_view(format_named(format_id)))


def _models(router: APIRouter, parts: ApiParts) -> None:
    rate = RateLimit(TESTS_PER_MINUTE, time.monotonic)

    @router.get("/api/models", response_class=Response, responses=documented(ModelPage))
    async def list_models() -> Response:
        """The providers of models, and which can be used here."""
        rows = await asyncio.to_thread(parts.available_models)
        return answer(ModelPage(items=msgspec.convert(rows, list[ModelView], from_attributes=True)))

    @router.post("/api/models/test", response_class=Response, responses=documented(ModelTestView))
    async def test_model(request: Request, body: ask.ModelBody) -> Response:
        """Ask a model one short question. Whether it answers is the answer; it may cost money."""
        if wait_s := rate.wait_s(request.client.host if request.client else ""):
            detail = f"too many tests in the last minute; try again in {wait_s} s"
            wait = {"Retry-After": str(wait_s)}
            return problem(429, "too_many_tests", detail, headers=wait)
        return answer(await _tested(parts, body.model))


def _files(router: APIRouter) -> None:
    @router.get("/api/debate-files", response_class=Response, responses=documented(DebateFilePage))
    async def list_debate_files() -> Response:
        """The debates that are shipped with moot."""
        found = await asyncio.to_thread(debates.shipped)
        rows = [DebateFileView(**msgspec.structs.asdict(one)) for one in found]
        return answer(DebateFilePage(items=rows))


def format_view(rules: Format) -> FormatView:
    return FormatView(
        id=rules.name,
        about=rules.about,
        when_to_use=rules.when_to_use,
        settings_schema=msgspec.json.schema(rules.settings),
        stages=[StageView(name=stage.name, about=stage.about) for stage in rules.stages],
        transitions=[_transition(row) for row in rules.transitions],
        mermaid=mermaid(rules),
    )


def _transition(row: Transition) -> TransitionView:
    return TransitionView(
        source=row.source,
        event=row.event,
        target=row.target,
        # As `mermaid` writes it.
        guard=row.guard.__name__.strip("_").replace("_", " ") if row.guard else None,
        rounds=row.rounds.value,
    )


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
