"""`/api/debates/{id}/start` and its relatives, and what people say: answers and messages."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.parts import ApiParts
from moot.api.responses import debate_response, documented
from moot.api.views import DebateView
from moot.engine.service import Service
from moot.protocol.lifecycle import COMMANDS

ABOUT = {
    "start": "Start a debate that was created.",
    "stop": "Finish the step in flight, then stand still; `resume` goes on.",
    "resume": "Go on with a debate that was stopped.",
    "end": "Jump to the closing stage.",
    "cancel": "End at once, without a verdict; what is in flight is aborted.",
    "retry": "Run what is missing of a debate that failed, and nothing else.",
}


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])
    for name in COMMANDS:
        _add_command(router, parts.service, name)

    @router.post(
        "/api/debates/{debate_id}/answers",
        response_class=Response,
        responses=documented(DebateView),
    )
    async def answer_questions(debate_id: ask.DebateId, body: ask.AnswersBody) -> Response:
        """Answer some or all of the questions a debate waits for: all that is sent, or nothing."""
        await parts.service.answer_all(debate_id, body.answers)
        return await debate_response(parts.service, debate_id)

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


def _add_command(router: APIRouter, service: Service, name: str) -> None:
    async def command(debate_id: ask.DebateId) -> Response:
        await service.command(debate_id, name)
        return await debate_response(service, debate_id)

    router.add_api_route(
        f"/api/debates/{{debate_id}}/{name}",
        command,
        methods=["POST"],
        name=f"{name}_debate",
        operation_id=f"{name}_debate",
        summary=ABOUT[name],
        response_class=Response,
        responses=documented(DebateView),
    )
