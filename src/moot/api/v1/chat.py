"""`POST /v1/chat/completions`: a conversation goes to a panel, and its answer comes back."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from moot.api.v1.bodies import ChatBody, read
from moot.api.v1.completions import Completions
from moot.api.v1.door import Door
from moot.api.v1.schemes import CHAT_ANSWER, body_of, streamed_or
from moot.api.v1.wanted import of_chat


def routes(door: Door) -> APIRouter:
    router = APIRouter(tags=["v1"])

    @router.post(
        "/v1/chat/completions",
        response_class=Response,
        responses=streamed_or(CHAT_ANSWER),
        openapi_extra=body_of(ChatBody),
    )
    async def complete_chat(request: Request) -> Response:
        """Ask a panel, as if it were a model. The same request again leads to the same debate until
        its answer has been delivered whole."""
        wanted = of_chat(read(await request.body(), ChatBody))
        course = await door.course(request, wanted)
        return door.answer(course, Completions(course))

    return router
