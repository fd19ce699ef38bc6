"""`/api/debates`: finding, reading, naming, commanding and deleting debates, and what is said; and
`/api/search`: what was said in all debates, found by its words.
"""

from __future__ import annotations

import asyncio
import html
import re
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.debate_views import DebateView
from moot.api.parts import ApiParts
from moot.api.responses import (
    answer,
    debate_response,
    documented,
    documented_text,
    not_modified,
    shown_state,
    tag_of,
    tagged,
)
from moot.api.views import ListedDebate, SummaryPage, TurnPage, TurnView, View, listed, turn_view
from moot.engine.reads import FoundDebate, Hit
from moot.engine.service import Service
from moot.errors import NotFound
from moot.export import EXPORTS, render
from moot.protocol.lifecycle import COMMANDS
from moot.protocol.state import DebateState, Turn
from moot.protocol.words import Status, Visibility


class FoundView(ListedDebate, frozen=True, kw_only=True):
    """A row as in the list of debates, and up to three texts of the debate in which something was
    found. A hit's `turn` is the id of a turn. It is null if the hit is in a title, topic or
    outcome, as its `kind` then says."""

    hits: tuple[Hit, ...]


class FoundPage(View, frozen=True, kw_only=True):
    items: tuple[FoundView, ...]
    next: str | None


VIEWS = (FoundPage,)

ABOUT = {
    "start": "Start a debate that was created.",
    "stop": "Finish the step in flight, then stand still; `resume` goes on.",
    "resume": "Go on with a debate that was stopped.",
    "end": "Jump to the closing stage.",
    "cancel": "End at once, without a verdict; what is in flight is aborted.",
    "retry": "Run what is missing of a debate that failed, and nothing else.",
}
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
_ALONE = "sandbox; frame-ancestors 'none'"


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["debates"])
    _debates(router, parts.service)
    _turns(router, parts.service)
    _documents(router, parts.service)
    for name in COMMANDS:
        _add_command(router, parts.service, name)
    _people(router, parts.service)
    _search(router, parts.service)
    return router


def _debates(router: APIRouter, service: Service) -> None:
    @router.get(
        "/api/debates",
        response_class=Response,
        responses=documented(SummaryPage, 200, has_tag=True),
    )
    async def list_debates(  # noqa: PLR0913, PLR0917 - what can be asked for
        request: Request,
        status: Status | None = None,
        format: ask.FormatName = None,  # noqa: A002 - the glossary's word
        door: ask.Door = None,
        q: ask.Search = "",
        limit: ask.Limit = 50,
        cursor: ask.PageCursor = None,
    ) -> Response:
        """Debates, newest first, with status, progress, who takes part and what came of it."""
        page = await service.list(
            status=status, format=format, door=door, query=q, limit=limit, cursor=cursor or None
        )
        items = tuple(listed(row) for row in page.items)
        # Whether the outcome of a fork may be shown is decided in another debate's log.
        tag = tag_of(items, page.next, [(one.gist, one.cast_size) for one in items])
        body = SummaryPage(items=items, next=page.next)
        return not_modified(request, tag) or answer(body, headers={"ETag": tag})

    @router.get(
        "/api/debates/{debate_id}",
        response_class=Response,
        responses=documented(DebateView, 200, has_tag=True),
    )
    async def get_debate(request: Request, debate_id: ask.DebateId) -> Response:
        """Where a debate stands."""
        return await debate_response(service, debate_id, request)

    @router.patch(
        "/api/debates/{debate_id}", response_class=Response, responses=documented(DebateView)
    )
    async def rename_debate(debate_id: ask.DebateId, body: ask.DebateBody) -> Response:
        """Give a debate a title, whatever its status; a blank title removes the one it has."""
        await service.rename(debate_id, body.title)
        return await debate_response(service, debate_id)

    @router.delete(
        "/api/debates/{debate_id}",
        status_code=204,
        response_class=Response,
        responses=documented(None, 204),
    )
    async def delete_debate(debate_id: ask.DebateId) -> Response:
        """Remove a debate and its log. Refused while the debate is running."""
        await service.delete(debate_id)
        return Response(status_code=204)


def _turns(router: APIRouter, service: Service) -> None:
    @router.get(
        "/api/debates/{debate_id}/turns",
        response_class=Response,
        responses=documented(TurnPage, 200, has_tag=True),
    )
    async def list_turns(
        request: Request,
        debate_id: ask.DebateId,
        private: ask.Flag = "0",
        limit: ask.TurnLimit = ask.MAX_TURNS,
        cursor: ask.Offset = 0,
    ) -> Response:
        """The public turns, in the order people read them. With `private=1`, all turns, with their
        prompts and reasoning."""
        tag = tag_of([await service.summary(debate_id)])
        if same := not_modified(request, tag):
            return same
        state, sources = await shown_state(service, debate_id)
        is_private = private == "1"
        turns = _turns_shown(state, is_private=is_private)
        end = cursor + limit
        body = TurnPage(
            items=[turn_view(turn, is_private=is_private) for turn in turns[cursor:end]],
            next=end if end < len(turns) else None,
        )
        return answer(body, headers=tagged(tag, sources))

    @router.patch(
        "/api/debates/{debate_id}/turns/{turn}",
        response_class=Response,
        responses=documented(TurnView),
    )
    async def change_turn(
        debate_id: ask.DebateId, turn: ask.TurnId, body: ask.TurnBody, private: ask.Flag = "0"
    ) -> Response:
        """Include a turn in all later prompts, or exclude it from them."""
        await service.include(debate_id, turn, included=body.included)
        shown, _ = await shown_state(service, debate_id)
        changed = shown.turn_at(turn)
        if changed is None:
            message = f"there is no turn {turn}"
            raise NotFound(message)
        is_private = private == "1"
        view = turn_view(changed, is_private=is_private)
        if view.visibility is Visibility.PRIVATE and not is_private:
            view = msgspec.structs.replace(view, content="", data=None)
        return answer(view)


def _turns_shown(state: DebateState, *, is_private: bool) -> list[Turn]:
    turns = state.transcript()
    if is_private:
        return turns
    return [turn for turn in turns if turn.said.visibility is Visibility.PUBLIC]


def _documents(router: APIRouter, service: Service) -> None:
    @router.get(
        "/api/debates/{debate_id}/export",
        response_class=Response,
        responses=documented_text(*(one.media_type for one in EXPORTS.values())),
    )
    async def export_debate(
        debate_id: ask.DebateId,
        as_: Annotated[str, Query(alias="as", json_schema_extra={"enum": [*EXPORTS]})] = "md",
    ) -> Response:
        """The transcript as a file; of a council also its report and the record of its decision.
        `log` is all that was recorded, for `POST /api/imports`."""
        log, sources = await service.log_and_sources(debate_id)
        files = await service.files(debate_id)
        told = await service.certificate(debate_id)
        text = await asyncio.to_thread(
            render, log, as_, sources, debate_id=debate_id, files=files, certificate=told
        )
        return exported(text, as_, debate_id)


def exported(text: str, as_: str, debate_id: str) -> Response:
    """A document to keep, under a content policy of its own and with no way back to us."""
    headers = {
        "Content-Disposition": f'attachment; filename="moot-{debate_id}{EXPORTS[as_].extension}"',
        "Content-Security-Policy": policy_of(text if as_ == "html" else ""),
    }
    return Response(text, 200, headers, EXPORTS[as_].media_type)


def policy_of(document: str) -> str:
    """The content policy that an HTML document itself declares, and what only a header can say."""
    found = _POLICY.search(document[:4000])
    policy = html.unescape(found[1]) if found else "default-src 'none'"
    return f"{policy}; {_ALONE}"


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


def _people(router: APIRouter, service: Service) -> None:
    @router.post(
        "/api/debates/{debate_id}/answers",
        response_class=Response,
        responses=documented(DebateView),
    )
    async def answer_questions(debate_id: ask.DebateId, body: ask.AnswersBody) -> Response:
        """Answer some or all of the questions that a debate waits for. Either all of the answers
        that are sent are taken, or none."""
        await service.answer_all(debate_id, body.answers)
        return await debate_response(service, debate_id)

    @router.post(
        "/api/debates/{debate_id}/reveal",
        response_class=Response,
        responses=documented(DebateView),
    )
    async def reveal_debate(debate_id: ask.DebateId) -> Response:
        """Play with open cards: show the people who take part what is withheld from their seats."""
        await service.reveal(debate_id)
        return await debate_response(service, debate_id)

    @router.post(
        "/api/debates/{debate_id}/messages",
        response_class=Response,
        responses=documented(DebateView),
    )
    async def say_in_debate(debate_id: ask.DebateId, body: ask.MessageBody) -> Response:
        """Say something; in a room, an empty message lets the members go on."""
        await service.say(debate_id, body.content, participant=body.participant)
        return await debate_response(service, debate_id)


def _search(router: APIRouter, service: Service) -> None:
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
        page = await service.search(
            q, status=status, format=format, limit=limit, cursor=cursor or None
        )
        items = tuple(_found(one) for one in page.items)
        body = FoundPage(items=items, next=page.next)
        # What may be shown of a debate, and its title, change with its log; of forks, see
        # `list_debates`.
        tag = tag_of(items, page.next, [(one.gist, one.hits) for one in items])
        return not_modified(request, tag) or answer(body, headers={"ETag": tag})


def _found(one: FoundDebate) -> FoundView:
    row = listed(one.row)
    fields = {name: getattr(row, name) for name in row.__struct_fields__}
    return FoundView(**fields, hits=one.hits)
