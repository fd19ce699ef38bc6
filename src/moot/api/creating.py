"""Creating debates, forks and rematches, once per key and not too often, and forecasts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.guards.rates import RateLimit
from moot.api.parts import ApiParts
from moot.api.problems import problem
from moot.api.requests import NewDebateBody, roster
from moot.api.responses import answer, debate_response, documented
from moot.api.views import DebateView, ParticipantView, View
from moot.definitions import shipped
from moot.engine.attaching import File
from moot.engine.creation import NewDebate, configure, roster_mistakes
from moot.engine.forecast import forecast
from moot.engine.once import Once
from moot.errors import InvalidInput, joined
from moot.protocol.values import Participant
from moot.staging import (
    DebateRequest,
    Me,
    ModelChoice,
    Rematch,
    Sources,
    changes,
    discussion,
    rematch,
    stage,
)
from moot.structs import ready


class SpanView(View, frozen=True, kw_only=True):
    low: float
    high: float


class StagedView(View, frozen=True, kw_only=True):
    """What was asked for, with its file read and its cast drawn."""

    topic: str
    format: str
    settings: dict[str, Any]
    participants: list[ParticipantView]


class ForecastView(View, frozen=True, kw_only=True):
    """`calls` is the most there can be; `cost_usd` is null if a model of `unpriced` takes part.
    `runtime_s` is about how long it will run, by what calls have lately taken; null if a person
    takes part or ends it, and if too little is known of a model.

    `staged` is the debate that it is a forecast of. Who is drawn for it is drawn anew each time.
    """

    calls: int
    input_tokens: SpanView
    output_tokens: SpanView
    cost_usd: SpanView | None
    models: list[str]
    unpriced: list[str]
    runtime_s: float | None
    warnings: list[str]
    staged: StagedView


ready(ForecastView)


VIEWS = (ForecastView,)


MADE: dict[str, Any] = {
    "status_code": 201,
    "response_class": Response,
    "responses": documented(DebateView, 201, 200),
}
"""What every route that makes a debate answers."""


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])
    _creating(router, Creator(parts))
    _forecasting(router, parts)
    return router


def _creating(router: APIRouter, creator: Creator) -> None:
    @router.post("/api/debates", **MADE)
    async def create_debate(
        request: Request, body: ask.NewDebateBody, key: ask.IdempotencyKey = None
    ) -> Response:
        """Create a debate, and start it if asked to. 200 if this key has created it before."""
        return await creator.answer(request, lambda: creator.create(body, key))

    @router.post("/api/debates/{debate_id}/forks", **MADE)
    async def fork_debate(
        request: Request,
        debate_id: ask.DebateId,
        body: ask.ForkBody | None = None,
        key: ask.IdempotencyKey = None,
    ) -> Response:
        """A new debate that shares the log up to event `at`; 200 if this key has made it before."""
        wanted = body or ask.ForkBody()
        return await creator.answer(request, lambda: creator.fork(debate_id, wanted, key))

    @router.post("/api/debates/{debate_id}/rematches", **MADE)
    async def rematch_debate(
        request: Request,
        debate_id: ask.DebateId,
        body: ask.RematchBody | None = None,
        key: ask.IdempotencyKey = None,
    ) -> Response:
        """The same debate once more, from its configuration; 200 if this key has made it before."""
        wanted = body or ask.RematchBody()
        return await creator.answer(request, lambda: creator.rematch(debate_id, wanted, key))

    @router.post("/api/debates/{debate_id}/rooms", **MADE)
    async def discuss_debate(
        request: Request, debate_id: ask.DebateId, key: ask.IdempotencyKey = None
    ) -> Response:
        """A room with a council's members, about its solution; 200 if this key has made it."""
        return await creator.answer(request, lambda: creator.discuss(debate_id, key))


def _forecasting(router: APIRouter, parts: ApiParts) -> None:
    def foresee(body: ask.NewDebateBody, pace: Mapping[str, float]) -> ForecastView:
        new = staged(body, sources(parts))
        config = configure(new, parts.models, version=parts.version, defaults=parts.defaults)
        found = forecast(config, parts.models, parts.price, pace)
        told = {**msgspec.structs.asdict(found), "staged": new}
        return msgspec.convert(told, ForecastView, from_attributes=True)

    @router.post("/api/forecasts", response_class=Response, responses=documented(ForecastView))
    async def forecast_debate(body: ask.NewDebateBody) -> Response:
        """Calls, tokens, cost and time of a debate, before there is one. Creates nothing."""
        pace = await parts.service.pace.seconds()
        return answer(await asyncio.to_thread(foresee, body, pace))


class Creator:
    """Makes debates for clients: new ones, forks, rematches, and rooms about a solution."""

    def __init__(self, parts: ApiParts) -> None:
        self._service = parts.service
        self._once = Once(parts.service, parts.secret, field="Idempotency-Key")
        self._sources = sources(parts)
        self._rate = RateLimit(parts.limits.creations_per_minute, time.monotonic)

    async def answer(
        self, request: Request, make: Callable[[], Awaitable[tuple[str, bool]]]
    ) -> Response:
        """The debate that was made, or a problem if this client has made too many lately."""
        client = request.client.host if request.client else ""
        if wait_s := self._rate.wait_s(client):
            detail = f"too many debates were created in the last minute; try again in {wait_s} s"
            return problem(429, "too_many_debates", detail, headers={"Retry-After": str(wait_s)})
        debate_id, is_new = await make()
        response = await debate_response(self._service, debate_id, status=201 if is_new else 200)
        response.headers["Location"] = f"/api/debates/{debate_id}"
        return response

    async def create(self, body: NewDebateBody, key: str | None) -> tuple[str, bool]:
        """The id, and whether the debate is new."""

        async def make(debate_id: str | None) -> str:
            new = await asyncio.to_thread(staged, body, self._sources)
            return await self._service.create(new, start=body.start, debate_id=debate_id)

        return await self._once.made(key, body.model_dump(mode="json", exclude_unset=True), make)

    async def fork(self, source: str, body: ask.ForkBody, key: str | None) -> tuple[str, bool]:
        """The id of the fork, and whether it is new."""
        models = ModelChoice(single=body.changes.models)

        async def make(fork_id: str | None) -> str:
            log = await self._service.log(source)
            wanted = changes(log, body.at, models, body.changes.settings)
            return await self._service.fork(source, body.at, wanted, fork_id=fork_id)

        sent = body.model_dump(mode="json", exclude_unset=True)
        # The source belongs to what was asked for, which is never what `POST /api/debates` asks.
        return await self._once.made(key, {"fork_of": source, "body": sent}, make)

    async def rematch(
        self, source: str, body: ask.RematchBody, key: str | None
    ) -> tuple[str, bool]:
        """The id of the rematch, and whether it is new."""
        models = ModelChoice(
            everyone=body.model or "", judges=body.judge_model or "", single=body.models
        )
        wanted = Rematch(swap=body.swap, models=models, seed=body.seed)

        async def make(rematch_id: str | None) -> str:
            config = (await self._service.state(source)).config
            new = rematch(config, source, await self._service.files(source), wanted)
            return await self._service.create(new, start=body.start, debate_id=rematch_id)

        sent = body.model_dump(mode="json", exclude_unset=True)
        return await self._once.made(key, {"rematch_of": source, "body": sent}, make)

    async def discuss(self, source: str, key: str | None) -> tuple[str, bool]:
        """The id of the room, and whether it is new."""

        async def make(room_id: str | None) -> str:
            log = await self._service.shown(source)
            new = await asyncio.to_thread(lambda: stage(discussion(log, source), self._sources))
            return await self._service.create(new, start=True, debate_id=room_id)

        return await self._once.made(key, {"discussion_of": source}, make)


def sources(parts: ApiParts) -> Sources:
    return Sources(models=parts.models, personas=parts.own_personas, root=parts.context_root)


def staged(body: NewDebateBody, sources: Sources) -> NewDebate:
    """The debate that was asked for. Blocks: reads files."""
    _check(body)
    people = roster(body.participants)
    wanted = DebateRequest(
        topic=body.topic,
        file=body.file,
        format=None if body.file else body.format,
        settings=body.settings,
        participants=people,
        team=body.team or "",
        models=ModelChoice(everyone=body.model or "", judges=body.judge_model or ""),
        seed=body.seed,
        me=(Me(name=body.me.name, seat=body.me.seat, is_own=True),) if body.me else (),
        files=tuple(File(one.name, one.content) for one in body.attachments),
        context_directory=body.context_directory or "",
    )
    try:
        return stage(wanted, sources)
    except InvalidInput as error:
        # Whoever fills in a form wants to know of all of it at once.
        told = {one.field for one in (error, *error.others)}
        full = tuple(one for one in people if isinstance(one, Participant))
        more = [one for one in roster_mistakes(full) if one.field not in told]
        raise joined([error, *more]) from None


def _check(body: NewDebateBody) -> None:
    """Over HTTP a file is a shipped debate and never a path, and it says all but the settings."""
    if body.file is None:
        if not body.topic:
            message = "is required, unless `file` names a debate that is shipped"
            raise InvalidInput(message, field="topic")
        return
    for other in ("topic", "format", "participants", "team"):
        if other in body.model_fields_set:
            raise InvalidInput("cannot be used together with `file`", field=other)
    if body.file not in shipped.names():
        message = "there is no such debate; GET /api/debate-files lists them"
        raise InvalidInput(message, field="file")
