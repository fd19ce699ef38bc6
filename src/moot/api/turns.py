"""`/api/debates/{id}/turns/{turn}`: what people do to a turn that was recorded."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.parts import ApiParts
from moot.api.responses import answer, documented
from moot.api.views import TurnView, turn_view
from moot.protocol.words import Visibility


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute)

    @router.patch(
        "/api/debates/{debate_id}/turns/{turn}",
        response_class=Response,
        responses=documented(TurnView),
    )
    async def change_turn(
        debate_id: ask.DebateId, turn: ask.TurnId, body: ask.TurnBody, private: ask.Flag = "0"
    ) -> Response:
        """Include a turn in all later prompts, or exclude it from them."""
        changed = await parts.service.include(debate_id, turn, included=body.included)
        is_private = private == "1"
        view = turn_view(changed, is_private=is_private)
        if view.visibility is Visibility.PRIVATE and not is_private:
            view = msgspec.structs.replace(view, content="", data=None)
        return answer(view)

    return router
