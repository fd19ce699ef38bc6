"""What was said: turns, what people do to one of them, and the whole as a document."""

from __future__ import annotations

import asyncio
import html
import re
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.parts import ApiParts
from moot.api.responses import answer, documented, documented_text, not_modified, tag_of
from moot.api.views import TurnPage, TurnView, turn_view
from moot.engine.service import Service
from moot.export import EXPORTS, MEDIA_TYPES, render
from moot.protocol.state import DebateState, Turn
from moot.protocol.words import Visibility

Kind = Literal["md", "html", "json", "csv", "report", "decision-record"]
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
_ALONE = "sandbox; frame-ancestors 'none'"


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])
    _turns(router, parts.service)
    _documents(router, parts.service)
    return router


def _turns(router: APIRouter, service: Service) -> None:
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
        turns = _turns_shown(state, is_private=is_private)
        end = cursor + limit
        body = TurnPage(
            items=[turn_view(turn, is_private=is_private) for turn in turns[cursor:end]],
            next=end if end < len(turns) else None,
        )
        return answer(body, headers={"ETag": tag})

    @router.patch(
        "/api/debates/{debate_id}/turns/{turn}",
        response_class=Response,
        responses=documented(TurnView),
    )
    async def change_turn(
        debate_id: ask.DebateId, turn: ask.TurnId, body: ask.TurnBody, private: ask.Flag = "0"
    ) -> Response:
        """Include a turn in all later prompts, or exclude it from them."""
        changed = await service.include(debate_id, turn, included=body.included)
        is_private = private == "1"
        view = turn_view(changed, is_private=is_private)
        if view.visibility is Visibility.PRIVATE and not is_private:
            view = msgspec.structs.replace(view, content="", data=None)
        return answer(view)


def _turns_shown(state: DebateState, *, is_private: bool) -> list[Turn]:
    turns = state.transcript()
    if is_private:
        return turns
    return [turn for turn in turns if turn.said.visibility is Visibility.PUBLIC]


def _documents(router: APIRouter, service: Service) -> None:
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


def exported(text: str, as_: str, debate_id: str) -> Response:
    """A document to be kept: its own policy on top of everything, and no way back to us."""
    headers = {
        "Content-Disposition": f'attachment; filename="moot-{debate_id}{EXPORTS[as_].extension}"'
    }
    found = _POLICY.search(text[:4000]) if as_ == "html" else None
    policy = html.unescape(found[1]) if found else "default-src 'none'"
    headers["Content-Security-Policy"] = f"{policy}; {_ALONE}"
    return Response(text, 200, headers, MEDIA_TYPES[as_])
