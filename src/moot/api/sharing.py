"""Links by which anybody may read one debate, and the page that they lead to.

The page is the HTML export and nothing else: it is rendered by the same rule as every view, runs no
script and leads nowhere. Whoever knows the address needs no token, so nothing that costs much may
happen each time that somebody asks for it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from datetime import datetime
from functools import partial

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from moot.api import requests as ask
from moot.api.debates import policy_of
from moot.api.guards.tokens import SHARED
from moot.api.parts import ApiParts
from moot.api.responses import answer, documented
from moot.api.views import View
from moot.engine.service import Service
from moot.errors import NotFound
from moot.export import message, render, render_public
from moot.protocol.visibility import Veil
from moot.store.port import Link

MOST_KEPT, MOST_KEPT_BYTES = 100, 32_000_000
"""Of rendered pages, at most. The page that was used last is kept even if it alone is larger."""
UNLISTED = {"X-Robots-Tag": "noindex, nofollow"}
NOWHERE = message(
    "This link leads nowhere",
    "The debate may have been deleted, the link may have been taken back, or a part of the address "
    "may be missing.",
    "Ask the person who gave it to you for a new one.",
)


class LinkView(View, frozen=True, kw_only=True):
    """`url` is right for whoever reaches this server as this client did; `private` says whether the
    link shows private plans and thoughts."""

    url: str
    path: str
    private: bool
    made_at: datetime


class LinkPage(View, frozen=True, kw_only=True):
    """One link, or none."""

    items: list[LinkView]
    next: None = None


VIEWS = (LinkView, LinkPage)


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["links"])
    _links(router, parts.service)
    _page(router, Pages(parts.service))
    return router


def _links(router: APIRouter, service: Service) -> None:
    address = "/api/debates/{debate_id}/links"

    @router.post(address, response_class=Response, responses=documented(LinkView))
    async def share_debate(
        request: Request, debate_id: ask.DebateId, body: ask.LinkBody | None = None
    ) -> Response:
        """The read-only link of a debate, made now if it has none."""
        wanted = body or ask.LinkBody()
        link = await service.links.share(debate_id, private=wanted.private)
        return answer(_view(request, link))

    @router.get(address, response_class=Response, responses=documented(LinkPage))
    async def list_links(request: Request, debate_id: ask.DebateId) -> Response:
        """The read-only link of a debate, if it has one."""
        link = await service.links.of(debate_id)
        return answer(LinkPage(items=[_view(request, link)] if link else []))

    @router.delete(
        address, status_code=204, response_class=Response, responses=documented(None, 204)
    )
    async def revoke_links(debate_id: ask.DebateId) -> Response:
        """Take back the link of a debate: nobody can read the debate by it any more."""
        await service.links.revoke(debate_id)
        return Response(status_code=204)


def _view(request: Request, link: Link) -> LinkView:
    path = SHARED + link.token
    # The Host header was checked: it is one of our names.
    origin = f"{request.scope['scheme']}://{request.headers['host']}"
    return LinkView(url=origin + path, path=path, private=link.has_private, made_at=link.made_at)


def _page(router: APIRouter, pages: Pages) -> None:
    # A path, whatever it is: an address that was not copied whole is answered like a wrong one.
    @router.get(SHARED + "{token:path}", include_in_schema=False)
    async def show_shared(token: str) -> Response:
        found = await pages.find(token)
        if found is None:
            headers = {**UNLISTED, "Content-Security-Policy": policy_of(NOWHERE)}
            return HTMLResponse(NOWHERE, 404, headers)
        return HTMLResponse(
            found.content, 200, {**UNLISTED, "Content-Security-Policy": found.policy}
        )


class _Stamp(msgspec.Struct, frozen=True):
    """What a page was made of: the same stamp, the same page."""

    created_at: datetime
    seq: int
    has_private: bool
    sources: tuple[Veil, ...]


class _Rendered(msgspec.Struct, frozen=True):
    stamp: _Stamp
    content: bytes
    policy: str


class Pages:
    """Rendered pages. They are rendered in a thread, one at a time, and again only if there is
    something new."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._kept: OrderedDict[str, _Rendered] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()

    async def find(self, token: str) -> _Rendered | None:
        """The page that a token leads to now; None if there is no such link, or no debate."""
        link = await self._service.links.by(token)
        if link is None:
            return None
        try:
            stamp = await self._stamp(link)
            if known := self._known(link, stamp):
                return known
            async with self._one_at_a_time:
                return self._known(link, stamp) or self._keep(link, await self._made(link, stamp))
        except NotFound:  # deleted meanwhile
            return None

    async def _stamp(self, link: Link) -> _Stamp:
        row = await self._service.summary(link.debate_id)
        sources: tuple[Veil, ...] = ()
        if row.forked_from:  # what may be seen of it is decided in other debates too
            _, state = await self._service.standing(link.debate_id)
            sources = await self._service.sources(state.config)
        return _Stamp(row.created_at, row.seq, link.has_private, sources)

    def _known(self, link: Link, stamp: _Stamp) -> _Rendered | None:
        found = self._kept.get(link.debate_id)
        if found is None or found.stamp != stamp:
            return None
        self._kept.move_to_end(link.debate_id)
        return found

    async def _made(self, link: Link, stamp: _Stamp) -> _Rendered:
        log, sources = await self._service.log_and_sources(link.debate_id)
        write = partial(render, as_="html") if link.has_private else render_public
        text = await asyncio.to_thread(write, log, sources=sources, debate_id=link.debate_id)
        return _Rendered(stamp, text.encode(), policy_of(text))

    def _keep(self, link: Link, made: _Rendered) -> _Rendered:
        self._kept[link.debate_id] = made
        self._kept.move_to_end(link.debate_id)
        while len(self._kept) > MOST_KEPT or (len(self._kept) > 1 and self._is_much()):
            self._kept.popitem(last=False)
        return made

    def _is_much(self) -> bool:
        return sum(len(one.content) for one in self._kept.values()) > MOST_KEPT_BYTES
