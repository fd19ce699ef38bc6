"""`/api/debates/{id}/label` and `/labels`: what people say about who made the better case."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import StringConstraints
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.bench_views import LabelView, label_view
from moot.api.parts import ApiParts
from moot.api.requests import Strict
from moot.api.responses import answer, documented
from moot.api.views import View
from moot.engine.beside_the_log import MAX_BY, MAX_NOTE, case_of, stance_of
from moot.errors import NotFound, Refused
from moot.protocol.names import NAME_MAX
from moot.protocol.state import DebateState
from moot.protocol.words import USER

By = Annotated[str, StringConstraints(max_length=MAX_BY)]
PATH = "/api/debates/{debate_id}/label"


class SideView(View, frozen=True, kw_only=True):
    """Somebody who can be named as the winner; `stance` is `pro`, `con`, or "" for a proposal."""

    id: str
    name: str
    stance: str


class LabelPage(View, frozen=True, kw_only=True):
    """The labels of a debate, in the order of who gave them. `sides` are those who can be named:
    nobody, if the debate cannot be labelled."""

    items: list[LabelView]
    sides: list[SideView]


VIEWS = (LabelView, LabelPage)


class LabelBody(Strict):
    """Who made the better case: the id or the name of a side, `pro`, `con`, or `tie`. `by` is who
    says so; labelling again replaces what they said."""

    winner: Annotated[str, StringConstraints(max_length=2 * NAME_MAX)]
    by: By = USER
    note: Annotated[str, StringConstraints(max_length=MAX_NOTE)] = ""


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["judges"])
    labels = parts.service.labels

    @router.get(f"{PATH}s", response_class=Response, responses=documented(LabelPage))
    async def list_labels(debate_id: ask.DebateId) -> Response:
        """What people have said about who made the better case, and who can be named."""
        sides = _sides(await parts.service.state(debate_id))
        given = await labels.of(debate_id)
        return answer(LabelPage(items=[label_view(one) for one in given], sides=sides))

    @router.put(PATH, response_class=Response, responses=documented(LabelView))
    async def label_debate(debate_id: ask.DebateId, body: LabelBody) -> Response:
        """Say who really made the better case in a finished debate."""
        given = await labels.give(debate_id, body.winner, by=body.by, note=body.note)
        return answer(label_view(given))

    @router.delete(PATH, status_code=204, response_class=Response, responses=documented(None, 204))
    async def unlabel_debate(
        debate_id: ask.DebateId, by: Annotated[str, Query(max_length=MAX_BY)] = USER
    ) -> Response:
        """Take back the label that `by` has given."""
        if not await labels.take_back(debate_id, by=by):
            message = f"{by} has not labelled debate {debate_id}"
            raise NotFound(message)
        return Response(status_code=204)

    return router


def _sides(state: DebateState) -> list[SideView]:
    """Who can be named: nobody, where a label would be refused."""
    try:
        sides = case_of(state).sides
    except Refused:
        return []
    return [SideView(id=one.id, name=one.name, stance=stance_of(state, one)) for one in sides]
