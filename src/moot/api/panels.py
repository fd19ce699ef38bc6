"""`/api/panels`: the panels, changes to those that are the user's own, and questions for them.

Changing a panel changes no debate: each keeps what it was created with. The files that a panel's
own file names are not told here, and cannot be named here.
"""

from __future__ import annotations

import asyncio
from pathlib import Path as FilePath
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.creating import MADE, Creator
from moot.api.parts import ApiParts
from moot.api.responses import answer, documented
from moot.api.views import View
from moot.definitions import own_panels, panels
from moot.definitions.own_panels import panel_of_debate
from moot.definitions.panels import PanelSpec
from moot.definitions.schema import POOL_MAX, SETTINGS_MAX
from moot.definitions.values import Panel
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.row import Seat

ALL = "/api/panels"
ONE = ALL + "/{name}"
FILES = ("attach", "context_directory")
"""Keys of a panel's file that name files, which no client may do."""
OF_PANEL = ("name", "about", "from")

Somebody = str | dict[str, Any]
"""A persona by name, by name with changes, or written out; see `definitions.panels`."""
People = Annotated[list[Somebody], Field(max_length=POOL_MAX)]

PanelName = Annotated[str, Path(max_length=100, description="The name of a panel.")]


class PanelBody(PanelSpec):
    """A panel of the user's own, with the keys of its file; or `from` a debate, whose set-up it
    takes over without what belonged to the question."""

    from_: ask.SentDebateId | None = Field(
        default=None, alias="from", description="The id of a debate, instead of a set-up."
    )
    premise: str | None = None
    turns: int | None = None
    format: str | None = None
    settings: Annotated[dict[str, Any], Field(max_length=SETTINGS_MAX)] | None = None
    participants: People | None = None
    debaters: People | None = None
    judge: Somebody | None = None
    pro: People | None = Field(default=None, alias="for")
    con: People | None = Field(default=None, alias="against")
    audience: People | None = None

    @property
    def sent(self) -> dict[str, Any]:
        """The keys and values as a file would have them."""
        given = self.model_dump(by_alias=True, exclude_unset=True)
        if "limits" in given:
            given["limits"] = _said(given["limits"])
        return _said(given)


def _said(given: dict[str, Any]) -> dict[str, Any]:
    """`given` without what is null: null is as good as left out, and no file may say it."""
    return {key: value for key, value in given.items() if value is not None}


class PanelView(View, frozen=True, kw_only=True):
    """A panel with the keys of its file; what the file does not say is null, or the default.

    `cast` are those who take part, as far as that is known before somebody asks; where participants
    are drawn, the first who could be. `is_own` says that it is the user's own, and `replaces` that
    it takes the place of a shipped one.
    """

    name: str
    about: str
    format: str
    is_own: bool
    replaces: bool
    cast: tuple[Seat, ...]
    team: str | None
    limits: dict[str, Any]
    settings: dict[str, Any]
    premise: str | None
    turns: int | None
    participants: list[Any] | None
    debaters: list[Any] | None
    judge: Any
    pro: list[Any] | None = msgspec.field(name="for")
    con: list[Any] | None = msgspec.field(name="against")
    audience: list[Any] | None
    answer: str
    task_model: str
    thinking: str
    thinking_field: str
    usage: str
    inherit: bool
    grace_seconds: int


class BrokenView(View, frozen=True, kw_only=True):
    """A file of the user's own that is no panel because of a mistake; `detail` says which."""

    file: str
    detail: str


class PanelPage(View, frozen=True, kw_only=True):
    """`broken` are files of the user's own that cannot be asked until they are put right."""

    items: list[PanelView]
    next: str | None = None
    broken: tuple[BrokenView, ...] = ()


VIEWS = (BrokenView, PanelPage, PanelView)


def routes(parts: ApiParts, creator: Creator) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["panels"])
    _reading(router, parts)
    _writing(router, parts)
    _asking(router, parts, creator)
    return router


def _reading(router: APIRouter, parts: ApiParts) -> None:
    @router.get(ALL, response_class=Response, responses=documented(PanelPage))
    async def list_panels() -> Response:
        """The panels that can be asked, your own first."""
        return answer(await asyncio.to_thread(_page, parts))

    @router.get(ONE, response_class=Response, responses=documented(PanelView))
    async def get_panel(name: PanelName) -> Response:
        """One panel, by its name."""
        return answer(await asyncio.to_thread(_view, parts, name))


def _writing(router: APIRouter, parts: ApiParts) -> None:
    @router.post(
        ALL, status_code=201, response_class=Response, responses=documented(PanelView, 201)
    )
    async def add_panel(body: PanelBody) -> Response:
        """Keep a panel of your own, or make one from a debate; 409 if you have one of that name."""
        data = await _data(parts, body)
        await asyncio.to_thread(own_panels.add, _folder(parts), data, parts.own_personas)
        view = await asyncio.to_thread(_view, parts, body.name)
        return answer(view, 201, {"Location": f"{ALL}/{body.name}"})

    @router.put(ONE, response_class=Response, responses=documented(PanelView))
    async def put_panel(name: PanelName, body: PanelBody) -> Response:
        """Replace the panel of that name. A shipped one stays, and your own takes its place."""
        data, folder = await _data(parts, body), _folder(parts)

        def put() -> None:
            own_panels.put(folder, name, data, parts.own_personas, kept=FILES)

        await asyncio.to_thread(put)
        return answer(await asyncio.to_thread(_view, parts, body.name))

    @router.delete(ONE, status_code=204, response_class=Response, responses=documented(None, 204))
    async def delete_panel(name: PanelName) -> Response:
        """Remove a panel of your own. A shipped one of that name takes its place again."""
        await asyncio.to_thread(own_panels.remove, _folder(parts), name)
        return Response(status_code=204)


def _asking(router: APIRouter, parts: ApiParts, creator: Creator) -> None:
    @router.post(f"{ONE}/questions", **MADE)
    async def ask_panel(
        request: Request, name: PanelName, body: ask.QuestionBody, key: ask.IdempotencyKey = None
    ) -> Response:
        """Ask a panel: create the debate in which it answers, and start it if asked to. 200 if this
        key has created it before."""
        panel = await asyncio.to_thread(_found, parts, name)
        return await creator.answer(request, lambda: creator.ask_panel(panel, body, key))


def _folder(parts: ApiParts) -> FilePath:
    if parts.own_panels is None:
        raise Refused("this server does not keep panels")
    return parts.own_panels


async def _data(parts: ApiParts, body: PanelBody) -> dict[str, Any]:
    """The panel as a file would have it."""
    sent = body.sent
    if body.from_ is None:
        return sent
    for key in sent:
        if key not in OF_PANEL:
            raise InvalidInput("cannot be used together with `from`", field=key)
    try:
        config = (await parts.service.state(body.from_)).config
    except NotFound as error:
        raise InvalidInput(str(error), field="from") from None
    return panel_of_debate(config, name=body.name, about=body.about)


def _found(parts: ApiParts, name: str) -> Panel:
    return panels.find_among(name, parts.asker.panels())


def _view(parts: ApiParts, name: str) -> PanelView:
    return _view_of(_found(parts, name), parts.own_personas)


def _page(parts: ApiParts) -> PanelPage:
    found = parts.asker.panels()
    return PanelPage(
        items=[_view_of(one, parts.own_personas) for one in found],
        broken=tuple(BrokenView(file=one.file, detail=one.detail) for one in found.broken),
    )


def _view_of(panel: Panel, personas: FilePath | None) -> PanelView:
    written = panel.document.data
    own_keys = {key: getattr(panel, key) for key in PanelSpec.model_fields}
    shipped = {panels.fold(one.name) for one in panels.all_shipped()}
    return PanelView(
        **{**own_keys, "limits": dict(panel.limits), "team": panel.team or None},
        format=panel.format,
        is_own=panel.is_own,
        replaces=panel.is_own and panels.fold(panel.name) in shipped,
        cast=panels.cast_of(panel, personas),
        settings=written.get("settings", {}),
        pro=written.get("for"),
        con=written.get("against"),
        **{key: written.get(key) for key in ("premise", "turns", "judge", "audience")},
        **{key: written.get(key) for key in ("participants", "debaters")},
    )
