"""What there is to choose from: formats, models, and the debates that are shipped."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path
from starlette.responses import Response

from moot.api.parts import ApiParts
from moot.api.responses import answer, documented
from moot.api.views import (
    DebateFilePage,
    DebateFileView,
    FormatPage,
    FormatSummary,
    FormatView,
    ModelPage,
    ModelView,
    StageView,
    TransitionView,
)
from moot.definitions import debates
from moot.protocol.machine import Format, Transition, mermaid
from moot.protocol.registry import FORMATS, format_named


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(tags=["catalogue"])

    @router.get("/api/formats", response_class=Response, responses=documented(FormatPage))
    async def list_formats() -> Response:
        """The formats a debate can have."""
        rows = [
            FormatSummary(id=form.name, about=form.about, when_to_use=form.when_to_use)
            for form in FORMATS.values()
        ]
        return answer(FormatPage(items=rows))

    @router.get(
        "/api/formats/{format_id}", response_class=Response, responses=documented(FormatView)
    )
    async def get_format(format_id: Annotated[str, Path(max_length=40)]) -> Response:
        """Everything about one format, read from the tables that run it."""
        return answer(format_view(format_named(format_id)))

    @router.get("/api/models", response_class=Response, responses=documented(ModelPage))
    async def list_models() -> Response:
        """The providers of models, and which can be used here."""
        rows = await asyncio.to_thread(parts.available_models)
        return answer(ModelPage(items=msgspec.convert(rows, list[ModelView], from_attributes=True)))

    @router.get("/api/debate-files", response_class=Response, responses=documented(DebateFilePage))
    async def list_debate_files() -> Response:
        """The debates that are shipped with moot."""
        found = await asyncio.to_thread(debates.shipped)
        rows = [DebateFileView(**msgspec.structs.asdict(one)) for one in found]
        return answer(DebateFilePage(items=rows))

    return router


def format_view(form: Format) -> FormatView:
    return FormatView(
        id=form.name,
        about=form.about,
        when_to_use=form.when_to_use,
        settings_schema=msgspec.json.schema(form.settings),
        stages=[StageView(name=stage.name, about=stage.about) for stage in form.stages],
        transitions=[_transition(row) for row in form.transitions],
        mermaid=mermaid(form),
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
