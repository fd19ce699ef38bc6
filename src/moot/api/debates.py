"""`/api/debates`: creating, finding, reading, exporting and deleting debates."""

from __future__ import annotations

import asyncio
import html
import re
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.creating import Creator
from moot.api.etags import not_modified, tag_of
from moot.api.parts import ApiParts
from moot.api.reading import debate_response
from moot.api.responses import answer, documented, documented_text
from moot.api.views import DebateView, SummaryPage, TurnPage, turn_view
from moot.export import EXPORTS, MEDIA_TYPES, render
from moot.protocol.words import Status, Visibility

Kind = Literal["md", "html", "json", "csv", "report", "decision-record"]
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
_ALONE = "sandbox; frame-ancestors 'none'"


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])
    service = parts.service
    creator = Creator(parts)

    @router.post(
        "/api/debates",
        status_code=201,
        response_class=Response,
        responses=documented(DebateView, 201, 200),
    )
    async def create_debate(
        request: Request, body: ask.NewDebateBody, key: ask.IdempotencyKey = None
    ) -> Response:
        """Create a debate, and start it if asked to. 200 if this key has created it before."""
        if refusal := creator.refusal(request):
            return refusal
        debate_id, is_new = await creator.create(body, key)
        response = await debate_response(service, debate_id, status=201 if is_new else 200)
        response.headers["Location"] = f"/api/debates/{debate_id}"
        return response

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

    @router.get(
        "/api/debates/{debate_id}/turns",
        response_class=Response,
        responses=documented(TurnPage, 200, has_tag=True),
    )
    async def list_turns(
        request: Request,
        debate_id: ask.DebateId,
        private: ask.Flag = "0",
        limit: ask.TurnLimit = ask.MAX_TURNS,
        cursor: ask.Offset = 0,
    ) -> Response:
        """Turns in the order people read them; with `private=1` all of them, and their prompts."""
        tag = tag_of([await service.summary(debate_id)])
        if same := not_modified(request, tag):
            return same
        state = await service.state(debate_id)
        is_private = private == "1"
        turns = [
            turn
            for turn in state.transcript()
            if is_private or turn.said.visibility is Visibility.PUBLIC
        ]
        end = cursor + limit
        body = TurnPage(
            items=[turn_view(turn, is_private=is_private) for turn in turns[cursor:end]],
            next=end if end < len(turns) else None,
        )
        return answer(body, headers={"ETag": tag})

    @router.get(
        "/api/debates/{debate_id}/export",
        response_class=Response,
        responses=documented_text(*MEDIA_TYPES.values()),
    )
    async def export_debate(
        debate_id: ask.DebateId, as_: Annotated[Kind, Query(alias="as")] = "md"
    ) -> Response:
        """The transcript as a file; of a council also its report and the record of its decision."""
        log = await service.log(debate_id)
        text = await asyncio.to_thread(render, log, as_, debate_id=debate_id)
        return exported(text, as_, debate_id)

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


def exported(text: str, as_: str, debate_id: str) -> Response:
    """A document to be kept: its own policy on top of everything, and no way back to us."""
    headers = {
        "Content-Disposition": f'attachment; filename="moot-{debate_id}{EXPORTS[as_].extension}"'
    }
    found = _POLICY.search(text[:4000]) if as_ == "html" else None
    policy = html.unescape(found[1]) if found else "default-src 'none'"
    headers["Content-Security-Policy"] = f"{policy}; {_ALONE}"
    return Response(text, 200, headers, MEDIA_TYPES[as_])
