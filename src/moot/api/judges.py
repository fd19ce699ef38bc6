"""`/api/judges`: what is known of judges from their ballots here, and exams for judges; and
`/api/debates/{id}/label` and `/labels`: what people say about who made the better case.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field, StringConstraints
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.creating import MADE, Creator, Examining, ForecastView, foreseen
from moot.api.parts import ApiParts
from moot.api.requests import Strict
from moot.api.responses import answer, documented
from moot.api.views import LabelView, View, label_view
from moot.engine.beside_the_log import MAX_BY, MAX_NOTE, case_of, stance_of
from moot.engine.hearings import Examined
from moot.engine.service import Service
from moot.errors import NotFound, Refused
from moot.protocol.hearing.audit import JudgeAudit
from moot.protocol.hearing.statistics import Estimate, Figure, Inestimable, NotEnough
from moot.protocol.judge_words import AUDIT, EXAM, FigureWord, audit_figures, exam_figures, told
from moot.protocol.names import NAME_MAX
from moot.protocol.state import DebateState
from moot.protocol.words import USER
from moot.staging import exam

By = Annotated[str, StringConstraints(max_length=MAX_BY)]
LABEL = "/api/debates/{debate_id}/label"


class SideView(View, frozen=True, kw_only=True):
    """Somebody who can be named as the winner; `stance` is `pro`, `con`, or "" for a proposal."""

    id: str
    name: str
    stance: str


class LabelPage(View, frozen=True, kw_only=True):
    """The labels of a debate, in the order of who gave them. `sides` are those who can be named:
    nobody, if the debate cannot be labelled."""

    items: list[LabelView]
    sides: list[SideView]


class LabelBody(Strict):
    """Who made the better case: the id or the name of a side, `pro`, `con`, or `tie`. `by` is who
    says so; labelling again replaces what they said."""

    winner: Annotated[str, StringConstraints(max_length=2 * NAME_MAX)]
    by: By = USER
    note: Annotated[str, StringConstraints(max_length=MAX_NOTE)] = ""


class FigureView(View, frozen=True, kw_only=True):
    """One figure: what it is called, how to read it, and how it is told in words.

    `figure` is an estimate with its 95 % interval, or says why there is none.
    """

    name: str
    label: str
    about: str
    told: str
    figure: Estimate | NotEnough | Inestimable


class JudgeView(View, frozen=True, kw_only=True):
    """A judge, by its model; `calls` is how many ballots it was asked for, on `debates` debates."""

    judge: str
    debates: int
    calls: int
    figures: list[FigureView]


class ExamView(View, frozen=True, kw_only=True):
    """The newest exam of a model: the debate `id`, when it was over, and its figures."""

    id: str
    model: str
    at: datetime
    version: str
    pairs: int
    unreadable: int
    figures: list[FigureView]


class ExamBody(Strict):
    """A judge to be examined."""

    model: ask.ModelName
    max_cost_usd: Annotated[float, Field(ge=0)] | None = None
    start: bool = True


class JudgePage(View, frozen=True, kw_only=True):
    items: list[JudgeView]
    exams: list[ExamView]
    next: str | None = None


VIEWS = (JudgePage, LabelView, LabelPage)


def routes(parts: ApiParts, creator: Creator) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["judges"])

    @router.get("/api/judges", response_class=Response, responses=documented(JudgePage))
    async def list_judges() -> Response:
        """What is known of judges, from all hearings that were held here and from exams."""
        found = await parts.service.judges.audits()
        exams = (await parts.service.judges.exams()).values()
        page = JudgePage(
            items=[judge_view(one) for one in found], exams=[exam_view(one) for one in exams]
        )
        return answer(page)

    @router.post("/api/judges/exams", **MADE)
    async def examine_judge(
        request: Request, body: ExamBody, key: ask.IdempotencyKey = None
    ) -> Response:
        """Examine a model as a judge: ask it about short debates in which the answer is known. The
        exam is a debate of its own."""
        return await creator.answer(request, lambda: creator.examine(body.model, _given(body), key))

    @router.post(
        "/api/judges/exams/forecasts",
        response_class=Response,
        responses=documented(ForecastView),
    )
    async def forecast_exam(body: ExamBody) -> Response:
        """Forecast the calls, tokens, cost and time of an exam. Creates nothing."""
        new = await asyncio.to_thread(exam, body.model, _given(body).settings)
        return await foreseen(parts, new)

    _labels(router, parts.service)
    return router


def _given(body: ExamBody) -> Examining:
    settings = {} if body.max_cost_usd is None else {"max_cost_usd": body.max_cost_usd}
    return Examining(settings=settings, start=body.start)


def exam_view(one: Examined) -> ExamView:
    report = one.report
    return ExamView(
        id=one.id,
        model=report.model,
        at=one.at,
        version=report.version,
        pairs=report.exam.pairs,
        unreadable=report.exam.unreadable,
        figures=_figures(exam_figures(report.exam), EXAM),
    )


def _figures(figures: Mapping[str, Figure], words: Mapping[str, FigureWord]) -> list[FigureView]:
    return [
        FigureView(
            name=name,
            label=words[name].label,
            about=words[name].about,
            told=told(figure, words[name].unit),
            figure=figure,
        )
        for name, figure in figures.items()
    ]


def judge_view(one: JudgeAudit) -> JudgeView:
    return JudgeView(
        judge=one.judge,
        debates=one.debates,
        calls=one.calls,
        figures=_figures(audit_figures(one), AUDIT),
    )


def _labels(router: APIRouter, service: Service) -> None:
    labels = service.labels

    @router.get(f"{LABEL}s", response_class=Response, responses=documented(LabelPage))
    async def list_labels(debate_id: ask.DebateId) -> Response:
        """What people have said about who made the better case, and who can be named."""
        sides = _sides(await service.state(debate_id))
        given = await labels.of(debate_id)
        return answer(LabelPage(items=[label_view(one) for one in given], sides=sides))

    @router.put(LABEL, response_class=Response, responses=documented(LabelView))
    async def label_debate(debate_id: ask.DebateId, body: LabelBody) -> Response:
        """Say who really made the better case in a finished debate."""
        given = await labels.give(debate_id, body.winner, by=body.by, note=body.note)
        return answer(label_view(given))

    @router.delete(LABEL, status_code=204, response_class=Response, responses=documented(None, 204))
    async def unlabel_debate(
        debate_id: ask.DebateId, by: Annotated[str, Query(max_length=MAX_BY)] = USER
    ) -> Response:
        """Take back the label that `by` has given."""
        if not await labels.take_back(debate_id, by=by):
            message = f"{by} has not labelled debate {debate_id}"
            raise NotFound(message)
        return Response(status_code=204)


def _sides(state: DebateState) -> list[SideView]:
    """Who can be named: nobody, where a label would be refused."""
    try:
        sides = case_of(state).sides
    except Refused:
        return []
    return [SideView(id=one.id, name=one.name, stance=stance_of(state, one)) for one in sides]
