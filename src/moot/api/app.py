"""The app: routes, error handlers and description inside, guards around all of it."""

from __future__ import annotations

import msgspec
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp

from moot.api import (
    catalogue,
    creating,
    debate_views,
    debates,
    events,
    imports,
    judges,
    labels,
    mcp,
    mistakes,
    operations,
    pages,
    panels,
    personas,
    problems,
    room,
    search,
    sharing,
    v1,
    views,
)
from moot.api.description import Described
from moot.api.guards.stack import Guarded
from moot.api.operations import Requests
from moot.api.parts import ApiParts
from moot.api.v1.refusals import Refusal, on_refusal
from moot.errors import MootError

VIEWS: tuple[type[msgspec.Struct], ...] = (
    *debate_views.VIEWS,
    *views.VIEWS,
    *creating.VIEWS,
    *catalogue.VIEWS,
    *imports.VIEWS,
    *judges.VIEWS,
    *labels.VIEWS,
    *panels.VIEWS,
    *personas.VIEWS,
    *search.VIEWS,
    *sharing.VIEWS,
    *v1.VIEWS,
    problems.Problem,
)
ABOUT = "Durable debates, deliberations and chat rooms between language models and people."


def create_app(parts: ApiParts) -> ASGIApp:
    """All that Moot does over HTTP, as one ASGI app. It opens and closes nothing it is given."""
    requests = Requests()
    creator = creating.Creator(parts)
    app = Described(
        title="Moot",
        version=parts.version or "0",
        description=ABOUT,
        # FastAPI's own documentation pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        # A redirect would be made from the Host header.
        redirect_slashes=False,
        exception_handlers={
            MootError: problems.on_moot_error,
            RequestValidationError: mistakes.on_validation_error(parts),
            HTTPException: pages.on_http_exception,
            Refusal: on_refusal,
            Exception: problems.on_accident,
        },
    )
    app.views = VIEWS
    for router in (
        pages.routes(parts),
        creating.routes(parts, creator),
        debates.routes(parts),
        imports.routes(parts),
        search.routes(parts),
        room.routes(parts),
        events.routes(parts),
        sharing.routes(parts),
        catalogue.routes(parts),
        judges.routes(parts, creator),
        labels.routes(parts),
        personas.routes(parts),
        panels.routes(parts, creator),
        v1.routes(parts),
        operations.routes(parts, requests),
    ):
        # Not `include_router`: it works out all routes once more, at the first request.
        app.router.routes.extend(router.routes)
    app.mount(pages.STATIC, pages.Files())
    if parts.mcp is not None:
        app.router.routes.append(Route(mcp.PATH, parts.mcp))
    return Guarded(app, parts, requests)
