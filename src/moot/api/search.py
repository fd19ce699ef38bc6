"""`/api/search`: what was said in all debates, found by its words."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.parts import ApiParts
from moot.api.responses import answer, documented, not_modified, tag_of
from moot.api.views import ListedDebate, View, listed
from moot.engine.reads import FoundDebate, Hit
from moot.protocol.words import Status


class FoundView(ListedDebate, frozen=True, kw_only=True):
    """A row as in the list of debates, and up to three texts of the debate in which something was
    found. A hit's `turn` is the id of a turn. It is null if the hit is in a title, topic or
    outcome, as its `kind` then says."""

    hits: tuple[Hit, ...]


class FoundPage(View, frozen=True, kw_only=True):
    items: tuple[FoundView, ...]
    next: str | None


VIEWS = (FoundPage,)


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])

    @router.get(
        "/api/search",
        response_class=Response,
        responses=documented(FoundPage, 200, has_tag=True),
    )
    async def search_debates(
        request: Request,
        q: ask.Words = "",
        status: Status | None = None,
        format: ask.FormatName = None,  # noqa: A002 - the glossary's word
        limit: ask.Limit = 20,
        cursor: ask.PageCursor = None,
    ) -> Response:
        """Debates in whose title, topic, public turns or outcome all words occur, newest first.

        Words are found by their beginnings, ignoring case and accents, each anywhere in the debate.
        Words in double quotes are found as a phrase. Nothing else has a special meaning.
        """
        page = await parts.service.search(
            q, status=status, format=format, limit=limit, cursor=cursor or None
        )
        items = tuple(_found(one) for one in page.items)
        body = FoundPage(items=items, next=page.next)
        # What may be shown of a debate, and its title, change with its log; of forks, see
        # `list_debates`.
        tag = tag_of(items, page.next, [(one.gist, one.hits) for one in items])
        return not_modified(request, tag) or answer(body, headers={"ETag": tag})

    return router


def _found(one: FoundDebate) -> FoundView:
    row = listed(one.row)
    fields = {name: getattr(row, name) for name in row.__struct_fields__}
    return FoundView(**fields, hits=one.hits)
