"""`POST /api/debates/{id}/messages`: a person speaks without having been asked."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.parts import ApiParts
from moot.api.reading import debate_response
from moot.api.responses import documented
from moot.api.views import DebateView


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute)

    @router.post(
        "/api/debates/{debate_id}/messages",
        response_class=Response,
        responses=documented(DebateView),
    )
    async def say_in_debate(debate_id: ask.DebateId, body: ask.MessageBody) -> Response:
        """Say something; in a room, an empty message lets the members go on."""
        await parts.service.say(debate_id, body.content, participant=body.participant)
        return await debate_response(parts.service, debate_id)

    return router
