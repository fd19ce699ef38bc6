"""`/api/judges`: what is known of judges from their ballots here, and exams for judges."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.creating import MADE, Creator, Examining, ForecastView, foreseen
from moot.api.parts import ApiParts
from moot.api.requests import Strict
from moot.api.responses import answer, documented
from moot.api.views import View
from moot.engine.hearings import Examined
from moot.protocol.hearing.audit import JudgeAudit
from moot.protocol.hearing.statistics import Estimate, Figure, Inestimable, NotEnough
from moot.protocol.judge_words import AUDIT, EXAM, FigureWord, audit_figures, exam_figures, told
from moot.staging import exam


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


VIEWS = (JudgePage,)


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
