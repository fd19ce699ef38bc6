"""`/api/personas` and `/api/teams`: the library, and changes to the user's own part of it.

Changing a persona changes no debate: each keeps what it was created with.
"""

from __future__ import annotations

import asyncio
from pathlib import Path as FilePath
from typing import Annotated
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, Path
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.parts import ApiParts
from moot.api.responses import answer, documented
from moot.api.views import View
from moot.definitions import own_personas, personas, teams
from moot.definitions.schema import LibrarySpec
from moot.definitions.values import LibraryPersona
from moot.errors import Refused

OWN = "own"
# A path, because a name may have a slash in it.
ONE = "/api/personas/{name:path}"

PersonaName = Annotated[str, Path(max_length=200, description="The name of a persona.")]


class PersonaBody(LibrarySpec):
    """A persona of the user's own. Only `name` is needed; `role` is debater if it is left out."""


class PersonaView(View, frozen=True, kw_only=True):
    """`origin` is `general`, the name of a shipped debate, or `own`.

    `replaces` is the origin of the shipped persona whose place a user's own takes, or null.
    """

    name: str
    role: str
    origin: str
    title: str
    personality: str
    position: str
    instructions: str
    room_instructions: str
    judging_criteria: str
    model: str
    color: str
    replaces: str | None = None


class PersonaPage(View, frozen=True, kw_only=True):
    items: list[PersonaView]
    next: str | None = None


class TeamView(View, frozen=True, kw_only=True):
    """`members` and `judge` are names of personas; `judge` is empty if there is none."""

    name: str
    about: str
    members: list[str]
    judge: str


class TeamPage(View, frozen=True, kw_only=True):
    items: list[TeamView]
    next: str | None = None


VIEWS = (PersonaPage, PersonaView, TeamPage)


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["catalogue"])
    _reading(router, parts)
    _writing(router, parts)
    return router


def _reading(router: APIRouter, parts: ApiParts) -> None:
    @router.get("/api/personas", response_class=Response, responses=documented(PersonaPage))
    async def list_personas() -> Response:
        """The personas that debates can use by name, your own first."""
        found = await asyncio.to_thread(parts.personas)
        return answer(PersonaPage(items=[persona_view(entry) for entry in found]))

    @router.get(ONE, response_class=Response, responses=documented(PersonaView))
    async def get_persona(name: PersonaName) -> Response:
        """One persona, by name, by title, or by the beginning of either."""
        return answer(await asyncio.to_thread(_view, parts, name))

    @router.get("/api/teams", response_class=Response, responses=documented(TeamPage))
    async def list_teams() -> Response:
        """The teams for councils and rooms, with the names of their members."""
        found = await asyncio.to_thread(teams.teams)
        rows = [
            TeamView(name=one.name, about=one.about, members=list(one.members), judge=one.judge)
            for one in found
        ]
        return answer(TeamPage(items=rows))


def _writing(router: APIRouter, parts: ApiParts) -> None:
    @router.post(
        "/api/personas",
        status_code=201,
        response_class=Response,
        responses=documented(PersonaView, 201),
    )
    async def add_persona(body: PersonaBody) -> Response:
        """Keep a persona of your own; 409 if you have one of that name."""
        await asyncio.to_thread(own_personas.add, _folder(parts), [_spec(body)])
        view = await asyncio.to_thread(_view, parts, body.name)
        where = f"/api/personas/{quote(body.name, safe='')}"
        return answer(view, 201, {"Location": where})

    @router.put(ONE, response_class=Response, responses=documented(PersonaView))
    async def put_persona(name: PersonaName, body: PersonaBody) -> Response:
        """Replace the persona of exactly that name. A shipped one stays, and your own takes its
        place."""
        await asyncio.to_thread(own_personas.put, _folder(parts), name, _spec(body))
        return answer(await asyncio.to_thread(_view, parts, body.name))

    @router.delete(ONE, status_code=204, response_class=Response, responses=documented(None, 204))
    async def delete_persona(name: PersonaName) -> Response:
        """Remove a persona of your own. A shipped one of that name takes its place again."""
        await asyncio.to_thread(own_personas.remove, _folder(parts), name)
        return Response(status_code=204)


def _folder(parts: ApiParts) -> FilePath:
    if parts.own_personas is None:
        raise Refused("this server does not keep personas")
    return parts.own_personas


def _spec(body: PersonaBody) -> LibrarySpec:
    # In the class that files are read as: what is written is compared with what is read back.
    return LibrarySpec(**body.model_dump())


def _view(parts: ApiParts, name: str) -> PersonaView:
    return persona_view(personas.find_among(name, parts.personas()))


def persona_view(entry: LibraryPersona) -> PersonaView:
    fields = msgspec.structs.asdict(entry.persona)
    return PersonaView(
        **fields,
        role=entry.role,
        # The origin of a user's own is the path of its file, which is nobody's business here.
        origin=OWN if personas.is_own(entry) else entry.origin,
        replaces=entry.replaces or None,
    )
