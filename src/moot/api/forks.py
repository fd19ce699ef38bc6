"""`/api/debates/{id}/forks`: a new debate that shares its beginning with another."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.creating import Creator
from moot.api.idempotency import keyed
from moot.api.parts import ApiParts
from moot.api.reading import debate_response
from moot.api.responses import documented
from moot.api.views import DebateView
from moot.engine.forking import Changes
from moot.errors import Conflict, InvalidInput


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute)
    forker = Forker(parts)

    @router.post(
        "/api/debates/{debate_id}/forks",
        status_code=201,
        response_class=Response,
        responses=documented(DebateView, 201, 200),
    )
    async def fork_debate(
        request: Request,
        debate_id: ask.DebateId,
        body: ask.ForkBody | None = None,
        key: ask.IdempotencyKey = None,
    ) -> Response:
        """A new debate that shares the log up to event `at`; 200 if this key has made it before."""
        if refusal := forker.refusal(request):
            return refusal
        fork_id, is_new = await forker.fork(debate_id, body or ask.ForkBody(), key)
        response = await debate_response(parts.service, fork_id, status=201 if is_new else 200)
        response.headers["Location"] = f"/api/debates/{fork_id}"
        return response

    return router


class Forker(Creator):
    """Creates forks: once per key, and not too often."""

    async def fork(self, debate_id: str, body: ask.ForkBody, key: str | None) -> tuple[str, bool]:
        """The id of the fork, and whether it is new."""
        changes = Changes(settings=body.changes.settings, models=body.changes.models)
        if key is None:
            return await self._service.fork(debate_id, body.at, changes), True
        sent = body.model_dump(mode="json", exclude_unset=True)
        # The source belongs to what was asked for, which is never what `POST /api/debates` asks.
        wanted = keyed(self._secret, key, {"fork_of": debate_id, "body": sent})
        async with self._alone(wanted.head):
            there = await self._service.with_prefix(wanted.head)
            if wanted.debate_id in there:
                return wanted.debate_id, False
            if there:
                message = "has created another debate; use a new key for a new request"
                raise InvalidInput(message, field="Idempotency-Key")
            try:
                made = await self._service.fork(
                    debate_id, body.at, changes, fork_id=wanted.debate_id
                )
            except Conflict:  # another server was quicker
                return wanted.debate_id, False
            return made, True
