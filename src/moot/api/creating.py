"""Creating debates, forks and rematches, once per key and not too often, and forecasts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.debate_views import DebateView, ParticipantView
from moot.api.guards.rates import RateLimit
from moot.api.parts import ApiParts
from moot.api.problems import problem
from moot.api.requests import NewDebateBody, QuestionBody, roster
from moot.api.responses import answer, debate_response, documented
from moot.api.views import View
from moot.definitions import shipped
from moot.definitions.values import Panel
from moot.engine.attaching import File, freeze
from moot.engine.creation import NewDebate, configure
from moot.engine.forecast import forecast
from moot.engine.once import Once
from moot.errors import InvalidInput, NoModel, NotFound, joined
from moot.staging import (
    DebateRequest,
    HearingRequest,
    Me,
    ModelChoice,
    Rematch,
    Sources,
    changes,
    discussion,
    exam,
    hearing,
    rematch,
    stage,
)
from moot.staging.mistakes import choice_mistakes, mistakes, together
from moot.staging.panels import Question
from moot.structs import ready


class SpanView(View, frozen=True, kw_only=True):
    low: float
    high: float


class StagedView(View, frozen=True, kw_only=True):
    """The debate that was asked for, with its file read and its cast drawn."""

    topic: str
    format: str
    settings: dict[str, Any]
    participants: list[ParticipantView]


class ForecastView(View, frozen=True, kw_only=True):
    """`calls` is the most that there can be; `cost_usd` is null if the price of a model is not
    known, and `unpriced` names such models. `runtime_s` is about how long the debate will run,
    judging by what calls have lately taken; null if a person takes part or ends it, or if too
    little is known of a model.

    `staged` is the debate that was forecast. Participants who are drawn are drawn anew each time.
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

Place = tuple[str | int, ...]
"""Where a part of the request is: its keys and indices, from the outside in."""


MADE: dict[str, Any] = {
    "status_code": 201,
    "response_class": Response,
    "responses": documented(DebateView, 201, 200),
}
"""What every route that makes a debate answers with."""


def routes(parts: ApiParts, creator: Creator) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])
    _creating(router, creator)
    _forecasting(router, parts, creator)
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
        """Fork a debate: make a new one that shares its log up to event `at`. 200 if this key has
        made it before."""
        wanted = body or ask.ForkBody()
        return await creator.answer(request, lambda: creator.fork(debate_id, wanted, key))

    @router.post("/api/debates/{debate_id}/rematches", **MADE)
    async def rematch_debate(
        request: Request,
        debate_id: ask.DebateId,
        body: ask.RematchBody | None = None,
        key: ask.IdempotencyKey = None,
    ) -> Response:
        """Make a rematch: a new debate with the same configuration, and nothing that was said. 200
        if this key has made it before."""
        wanted = body or ask.RematchBody()
        return await creator.answer(request, lambda: creator.rematch(debate_id, wanted, key))

    @router.post("/api/debates/{debate_id}/hearings", **MADE)
    async def hear_debate(
        request: Request,
        debate_id: ask.DebateId,
        body: ask.HearingBody | None = None,
        key: ask.IdempotencyKey = None,
    ) -> Response:
        """Ask a bench about a finished debate; the hearing is a debate of its own."""
        wanted = body or ask.HearingBody()
        return await creator.answer(request, lambda: creator.hear(debate_id, wanted, key))

    @router.post("/api/debates/{debate_id}/rooms", **MADE)
    async def discuss_debate(
        request: Request, debate_id: ask.DebateId, key: ask.IdempotencyKey = None
    ) -> Response:
        """Open a room with a council's members, about its solution. 200 if this key has made it
        before."""
        return await creator.answer(request, lambda: creator.discuss(debate_id, key))


def _forecasting(router: APIRouter, parts: ApiParts, creator: Creator) -> None:
    @router.post("/api/forecasts", response_class=Response, responses=documented(ForecastView))
    async def forecast_debate(body: ask.NewDebateBody) -> Response:
        """Forecast the calls, tokens, cost and time of a debate. Creates nothing."""
        return await foreseen(parts, await asyncio.to_thread(staged, body, sources(parts)))

    @router.post(
        "/api/debates/{debate_id}/hearings/forecasts",
        response_class=Response,
        responses=documented(ForecastView),
    )
    async def forecast_hearing(
        debate_id: ask.DebateId, body: ask.HearingBody | None = None
    ) -> Response:
        """Forecast the calls, tokens, cost and time of a hearing. Creates nothing."""
        return await foreseen(
            parts, await creator.staged_hearing(debate_id, body or ask.HearingBody())
        )


async def foreseen(parts: ApiParts, new: NewDebate) -> Response:
    """What that debate would take. Creates nothing. Raises InvalidInput or NoModel."""
    pace = await parts.service.pace.seconds()
    return answer(await asyncio.to_thread(_forecast, parts, new, pace))


def _forecast(parts: ApiParts, new: NewDebate, pace: Mapping[str, float]) -> ForecastView:
    files = freeze(new.files, allows_secrets=new.allows_secrets).attachments
    config = configure(
        new, parts.models, version=parts.version, defaults=parts.defaults, attachments=files
    )
    found = forecast(config, parts.models, parts.price, pace)
    told = {**msgspec.structs.asdict(found), "staged": new}
    return msgspec.convert(told, ForecastView, from_attributes=True)


class Examining(msgspec.Struct, frozen=True, kw_only=True):
    """How an exam is to be held."""

    settings: Mapping[str, Any] = {}
    start: bool = True


class Creator:
    """Makes debates for clients: new ones, forks, rematches, hearings, exams, rooms about a
    solution, and those in which panels answer. An app has one for all of these, so that they are
    counted together, and another for imports."""

    def __init__(self, parts: ApiParts) -> None:
        self._service = parts.service
        self._asker = parts.asker
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

    async def ask_panel(
        self, panel: Panel, body: QuestionBody, key: str | None
    ) -> tuple[str, bool]:
        """The id of the debate in which the panel answers, and whether it is new."""
        question = Question(
            panel=panel,
            text=body.question,
            settings=body.settings,
            models=ModelChoice(everyone=body.model or "", judges=body.judge_model or ""),
            files=tuple(File(one.name, one.content) for one in body.attachments),
            follows=body.after or "",
            seed=body.seed,
        )

        async def make(debate_id: str | None) -> str:
            if body.after:
                await self._check_there(body.after, "after")
            try:
                return await self._asker.create(question, debate_id=debate_id, start=body.start)
            except NotFound as error:
                raise InvalidInput(str(error), field=error.field) from None

        sent = body.model_dump(mode="json", exclude_unset=True)
        return await self._once.made(key, {"asked": panel.name, "body": sent}, make)

    async def _check_there(self, debate_id: str, field: str) -> None:
        try:
            await self._service.summary(debate_id)
        except NotFound as error:
            raise InvalidInput(str(error), field=field) from None

    async def fork(self, source: str, body: ask.ForkBody, key: str | None) -> tuple[str, bool]:
        """The id of the fork, and whether it is new."""
        models = ModelChoice(single=body.changes.models)

        async def make(fork_id: str | None) -> str:
            log = await self._service.log(source)
            with self._all_wrong(models, "changes.models"):
                wanted = changes(log, body.at, models, body.changes.settings)
                return await self._service.fork(source, body.at, wanted, fork_id=fork_id)

        sent = body.model_dump(mode="json", exclude_unset=True)
        # The source is part of what was asked for: no request to `POST /api/debates` is the same.
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
            files = await self._service.files(source)
            with self._all_wrong(models, "models"):
                new = rematch(config, source, files, wanted)
                return await self._service.create(new, start=body.start, debate_id=rematch_id)

        sent = body.model_dump(mode="json", exclude_unset=True)
        return await self._once.made(key, {"rematch_of": source, "body": sent}, make)

    async def hear(self, source: str, body: ask.HearingBody, key: str | None) -> tuple[str, bool]:
        """The id of the hearing, and whether it is new."""

        async def make(hearing_id: str | None) -> str:
            new = await self.staged_hearing(source, body)
            return await self._service.create(new, start=body.start, debate_id=hearing_id)

        sent = body.model_dump(mode="json", exclude_unset=True)
        return await self._once.made(key, {"hears": source, "body": sent}, make)

    async def staged_hearing(self, source: str, body: ask.HearingBody) -> NewDebate:
        """The hearing, complete. Raises NotFound, Refused, InvalidInput or NoModel."""
        state = await self._service.state(source)
        own: dict[str, Any] = {
            "orders": body.orders,
            "repeats": body.repeats,
            "allow_own": body.allow_own,
        }
        if body.max_cost_usd is not None:
            own["max_cost_usd"] = body.max_cost_usd
        wanted = HearingRequest(bench=tuple(body.bench), settings={**body.settings, **own})
        return await asyncio.to_thread(hearing, state, source, wanted, self._sources)

    async def examine(self, model: str, wanted: Examining, key: str | None) -> tuple[str, bool]:
        """The id of the exam of that judge, and whether it is new."""

        async def make(exam_id: str | None) -> str:
            new = await asyncio.to_thread(exam, model, wanted.settings)
            return await self._service.create(new, start=wanted.start, debate_id=exam_id)

        return await self._once.made(key, {"examined": model, "wanted": wanted}, make)

    @contextmanager
    def _all_wrong(self, models: ModelChoice, field: str) -> Iterator[None]:
        """Adds, to whatever is refused, all models that cannot be had; `field` is where the models
        of single participants are."""
        try:
            yield
        except (InvalidInput, NotFound, NoModel) as error:
            missing = list(choice_mistakes(models, self._sources.models, single=field))
            # `error` is one of `missing`, but does not know the field in which the model was named.
            if isinstance(error, NoModel) and missing:
                raise joined(missing) from None
            raise together(error, iter(missing)) from None

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
    wanted = _request(body)
    if wrong := list(_mistakes(body)):
        raise joined([*wrong, *mistakes(wanted, sources)])
    try:
        return stage(wanted, sources)
    except NotFound as error:
        # Not 404: the address is right, and one of the names in the body means nothing.
        raise InvalidInput(str(error), field=error.field) from None


def _request(body: NewDebateBody) -> DebateRequest:
    return DebateRequest(
        topic=body.topic,
        file=body.file,
        format=None if body.file else body.format,
        settings=body.settings,
        participants=roster(body.participants),
        team=body.team or "",
        models=ModelChoice(everyone=body.model or "", judges=body.judge_model or ""),
        seed=body.seed,
        me=(Me(name=body.me.name, seat=body.me.seat, is_own=True),) if body.me else (),
        files=tuple(File(one.name, one.content) for one in body.attachments),
        context_directory=body.context_directory or "",
    )


def _mistakes(body: NewDebateBody) -> Iterator[InvalidInput]:
    """What is wrong with `file`, or without it. Over HTTP a file is a shipped debate and never a
    path; its topic, format and participants cannot be given again."""
    if body.file is None:
        if not body.topic:
            message = "is required, unless `file` names a shipped debate"
            yield InvalidInput(message, field="topic")
        return
    for other in ("topic", "format", "participants", "team"):
        if other in body.model_fields_set:
            yield InvalidInput("cannot be used together with `file`", field=other)
    if body.file not in shipped.names():
        message = "is not a shipped debate; GET /api/debate-files lists them"
        yield InvalidInput(message, field="file")


def also_wrong(sent: object, wrong: Collection[Place], sources: Sources) -> list[InvalidInput]:
    """What is wrong with the rest of a new debate of which some parts cannot even be read.

    Blocks: reads files. `wrong` are the places of those parts.
    """
    if not isinstance(sent, dict):
        return []
    bad = {place[0] for place in wrong if place and place[0] != "participants"}
    rest = {key: value for key, value in sent.items() if key not in bad}
    people = rest.get("participants")
    if isinstance(people, list):
        # A stand-in takes the place of each that cannot be read, so that the others keep their
        # numbers.
        gone = {place[1] for place in wrong if place[:1] == ("participants",) and place[1:]}
        rest["participants"] = [
            {"name": f"Nobody {n}", "role": "debater"} if n in gone else one
            for n, one in enumerate(people)
        ]
    try:
        body = NewDebateBody.model_validate(rest)
    except ValidationError:
        return []
    found = [*_mistakes(body), *mistakes(_request(body), sources)]
    return [one for one in found if one.field not in bad]
