"""Pacing, settings, pending cards and participants of a room."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.debate_views import DebateView
from moot.api.parts import ApiParts
from moot.api.responses import debate_response, documented
from moot.definitions.casting import Named, seated
from moot.definitions.values import LibraryPersona
from moot.errors import InvalidInput
from moot.protocol.formats.room import acts as room_acts
from moot.protocol.formats.room.rules import Room
from moot.protocol.settings import SAMPLING
from moot.protocol.values import Participant
from moot.protocol.words import Pacing, Role


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])
    told: dict[str, Any] = {"response_class": Response, "responses": documented(DebateView)}
    service = parts.service

    async def act(debate_id: str, make: room_acts.Make) -> Response:
        await service.act(debate_id, make)
        return await debate_response(service, debate_id)

    @router.put("/api/debates/{debate_id}/pacing", **told)
    async def pace_debate(debate_id: ask.DebateId, body: ask.PacingBody) -> Response:
        """Let members take turns by themselves, or choose yourself which answers count."""
        return await act(debate_id, room_acts.paced(Pacing(body.pacing)))

    @router.patch("/api/debates/{debate_id}/settings", **told)
    async def change_settings(debate_id: ask.DebateId, body: ask.SettingsBody) -> Response:
        """Give settings other values from now on: a room's delay, limit of messages, wait and
        `compact`. All other settings hold for the whole debate."""
        await service.change(debate_id, body.root)
        return await debate_response(service, debate_id)

    @router.post("/api/debates/{debate_id}/pending", **told)
    async def settle_pending(debate_id: ask.DebateId, body: ask.PendingBody) -> Response:
        """Include some of the pending answers; the rest are kept, but excluded."""
        return await act(debate_id, room_acts.settled(body.include))

    @router.post("/api/debates/{debate_id}/participants", **told)
    async def join_debate(debate_id: ask.DebateId, body: ask.JoinBody) -> Response:
        """Let somebody join, at the end of the floor."""
        known = await asyncio.to_thread(parts.personas) if body.persona else ()
        await service.join(debate_id, _newcomer(body, known))
        return await debate_response(service, debate_id)

    path = "/api/debates/{debate_id}/participants/{participant}"

    @router.patch(path, **told)
    async def change_participant(
        debate_id: ask.DebateId, participant: ask.ParticipantPath, body: ask.ParticipantBody
    ) -> Response:
        """Mute a participant, who is then passed over, or let them speak again."""
        return await act(debate_id, room_acts.muted(participant, is_muted=body.muted))

    @router.delete(path, **told)
    async def leave_debate(debate_id: ask.DebateId, participant: ask.ParticipantPath) -> Response:
        """Let a participant leave; what they said stays."""
        return await act(debate_id, room_acts.left(participant))

    @router.post(f"{path}/retry", **told)
    async def retry_participant(
        debate_id: ask.DebateId, participant: ask.ParticipantPath
    ) -> Response:
        """Let a member that failed to respond try again, alone."""
        return await act(debate_id, room_acts.retried(participant))

    @router.post(f"{path}/again", **told)
    async def repeat_participant(
        debate_id: ask.DebateId, participant: ask.ParticipantPath
    ) -> Response:
        """Let a member give its last answer once more; the old one is kept, but excluded."""
        return await act(debate_id, room_acts.said_again(participant))

    return router


def _newcomer(body: ask.JoinBody, known: Sequence[LibraryPersona]) -> Participant:
    given = body.model_dump(exclude_none=True, exclude={*SAMPLING})
    if body.persona:
        one = Named(role=Role.MEMBER, sampling=body.sampling, **given)
        return msgspec.structs.replace(seated(one, known, Room.name), id="")
    if not given.get("name"):
        raise InvalidInput("is required, unless you give `persona`", field="name")
    return Participant(id="", role=Role.MEMBER, sampling=body.sampling, **given)
