"""How views become responses, with tags, and how the OpenAPI description tells of them.

Tags are weak and made from sequence numbers: a log that has not grown has nothing new to show.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from moot.api.debate_views import debate_view
from moot.api.problems import MEDIA_TYPE as PROBLEM
from moot.api.views import View, benches_view
from moot.engine.hearings import Heard, heard_itself, newest, with_debate
from moot.engine.service import Service
from moot.protocol.outcomes import certificate_in
from moot.protocol.row import DebateRow
from moot.protocol.state import DebateState
from moot.protocol.visibility import Veil, shown as as_shown, through, veil_of
from moot.protocol.words import Status
from moot.store.port import Label

Documented = dict[int | str, dict[str, Any]]

_encode = msgspec.json.Encoder().encode


def answer(view: View, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(_encode(view), status, headers, "application/json")


async def debate_response(
    service: Service, debate_id: str, request: Request | None = None, *, status: int = 200
) -> Response:
    """The debate; or 304, without reading the log, if the client of `request` has it. Raises
    NotFound."""
    if request is not None:
        row = await service.summary(debate_id)
        heard = await _heard(service, row)
        if same := not_modified(request, tag_of([row], service.stalled(debate_id), heard)):
            return same
    row, state = await service.standing(debate_id)
    sources: Sequence[Veil] = ()
    if state.config.forked_from or veil_of(state).is_drawn:
        state = state.copy()  # it could change while what follows is awaited
        sources = await service.sources(state.config)
    veil = veil_of(state, sources)
    if veil.is_drawn:
        log = [record for record in await service.log(debate_id) if record.seq <= state.seq]
        shown = through(veil, log, state).state
    else:
        shown = state
    stalled = service.stalled(debate_id)
    # The tag is that of what is sent.
    heard = await _heard(service, row)
    tag = tag_of([msgspec.structs.replace(row, seq=state.seq)], stalled, heard)
    benches = benches_view(heard.hearings, heard.right, heard.labels, heard_itself(row, shown))
    view = debate_view(debate_id, state, row.cursor, stalled, shown=shown, benches=benches)
    return answer(view, status, tagged(tag, sources))


class _Heard(msgspec.Struct, frozen=True):
    """What benches and people said about a debate, and whether the bench is right."""

    hearings: Sequence[Heard] = ()
    right: str = ""
    labels: Sequence[Label] = ()


async def _heard(service: Service, row: DebateRow) -> _Heard:
    """What was said about the debate in `row`; nothing, if it is not completed."""
    if row.status is not Status.COMPLETED:
        return _Heard()
    hearings = await service.hearings(row.id)
    counts = newest(hearings)
    told = counts.certificate if counts else with_debate(row.id, certificate_in(row.outcome))
    right = await service.judges.right(told) if told and told.is_finished else ""
    return _Heard(hearings, right, await service.labels.of(row.id))


async def shown_state(service: Service, debate_id: str) -> tuple[DebateState, Sequence[Veil]]:
    """Where a debate stands, as far as it may be shown while people take part in it or in the
    debates that it was forked from, and the veils of those debates. Raises NotFound."""
    state = await service.state(debate_id)
    sources = await service.sources(state.config)
    if not veil_of(state, sources).is_drawn:
        return state, sources
    return as_shown(await service.log(debate_id), sources).state, sources


def tagged(tag: str, sources: Sequence[Veil]) -> dict[str, str]:
    """The ETag header; none as long as what is shown depends on other debates, of which the tag
    tells nothing."""
    return {} if sources else {"ETag": tag}


# --- tags ---


def tag_of(summaries: Iterable[DebateRow], *others: object) -> str:
    """The tag of whatever is made from these debates and these other things."""
    digest = hashlib.blake2b(digest_size=9)
    for one in summaries:
        # A debate deleted and created again under its key has the same id, but began later.
        digest.update(f"{one.id} {one.seq} {one.created_at.timestamp()}\n".encode())
    digest.update(repr(others).encode())
    return f'W/"{digest.hexdigest()}"'


def not_modified(request: Request, tag: str) -> Response | None:
    """The 304, if the client has what it asks for."""
    given = request.headers.get("if-none-match", "")
    known = {one.strip().removeprefix("W/") for one in given.split(",")}
    if "*" in known or tag.removeprefix("W/") in known:
        return Response(status_code=304, headers={"ETag": tag})
    return None


# --- the description ---


def documented(
    view: type[msgspec.Struct] | None, *statuses: int, has_tag: bool = False
) -> Documented:
    """For a route: what it answers with, and that everything else is a problem."""
    content = {"application/json": {"schema": _ref(view.__name__)}} if view else None
    good: dict[str, Any] = {"description": "As asked."}
    if content:
        good["content"] = content
    told: Documented = dict.fromkeys(statuses or (200,), good)
    if has_tag:
        told[304] = {"description": "Nothing new since `If-None-Match`."}
    problem = {PROBLEM: {"schema": _ref("Problem")}}
    return {**told, "default": {"description": "A problem.", "content": problem}}


def documented_text(*media_types: str) -> Documented:
    """For a route whose answers are not views."""
    content = {
        kind: {"schema": {} if kind == "application/json" else {"type": "string"}}
        for kind in media_types
    }
    return {**documented(None), 200: {"description": "As asked.", "content": content}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
