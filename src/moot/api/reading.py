"""One debate as a response: folded from its log, with the cursor from its row."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from moot.api.etags import not_modified, tag_of
from moot.api.responses import answer
from moot.api.views import debate_view
from moot.engine.service import Service


async def debate_response(
    service: Service, debate_id: str, request: Request | None = None, *, status: int = 200
) -> Response:
    """The debate; or 304, without reading the log, if the client of `request` has it. Raises
    NotFound."""
    if request is not None and (same := not_modified(request, await _tag(service, debate_id))):
        return same
    row, state = await service.standing(debate_id)
    # The tag is that of what is sent.
    tag = tag_of([msgspec.structs.replace(row, seq=state.seq)])
    return answer(debate_view(debate_id, state, row.cursor), status, {"ETag": tag})


async def _tag(service: Service, debate_id: str) -> str:
    return tag_of([await service.summary(debate_id)])
