"""`/api/debates`: finding, reading and deleting debates."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.parts import ApiParts
from moot.api.responses import answer, debate_response, documented, not_modified, tag_of
from moot.api.views import DebateView, SummaryPage
from moot.protocol.words import Status


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])
    service = parts.service

    @router.get(
        "/api/debates",
        response_class=Response,
        responses=documented(SummaryPage, 200, has_tag=True),
    )
    async def list_debates(
        request: Request,
        status: Status | None = None,
        format: ask.FormatName = None,  # noqa: A002 - the glossary's word
        q: ask.Search = "",
        limit: ask.Limit = 50,
        cursor: ask.PageCursor = None,
    ) -> Response:
        """Debates, newest first, with status and progress."""
        page = await service.list(
            status=status, format=format, query=q, limit=limit, cursor=cursor or None
        )
        tag = tag_of(page.items, page.next)
        body = SummaryPage(items=page.items, next=page.next)
        return not_modified(request, tag) or answer(body, headers={"ETag": tag})

    @router.get(
        "/api/debates/{debate_id}",
        response_class=Response,
        responses=documented(DebateView, 200, has_tag=True),
    )
    async def get_debate(request: Request, debate_id: ask.DebateId) -> Response:
        """Where a debate stands."""
        return await debate_response(service, debate_id, request)

    @router.delete(
        "/api/debates/{debate_id}",
        status_code=204,
        response_class=Response,
        responses=documented(None, 204),
    )
    async def delete_debate(debate_id: ask.DebateId) -> Response:
        """Remove a debate that is not running, and its log."""
        await service.delete(debate_id)
        return Response(status_code=204)

    return router
