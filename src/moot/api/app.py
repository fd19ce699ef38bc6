"""The app: routes, error handlers and the OpenAPI description inside, guards around all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
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
    mcp,
    mistakes,
    operations,
    pages,
    panels,
    personas,
    problems,
    room,
    sharing,
    v1,
    views,
)
from moot.api.guards.dialects import ErrorBody, is_v1
from moot.api.guards.stack import Guarded
from moot.api.operations import Requests
from moot.api.parts import ApiParts
from moot.api.problems import MEDIA_TYPE as PROBLEM
from moot.api.v1.refusals import Refusal, on_refusal
from moot.errors import MootError

VIEWS: tuple[type[msgspec.Struct], ...] = (
    *debate_views.VIEWS,
    *views.VIEWS,
    *creating.VIEWS,
    *catalogue.VIEWS,
    *imports.VIEWS,
    *judges.VIEWS,
    *panels.VIEWS,
    *personas.VIEWS,
    *debates.VIEWS,
    *sharing.VIEWS,
    *v1.VIEWS,
    problems.Problem,
)
ABOUT = "Durable debates, deliberations and chat rooms between language models and people."

PROBLEMS: Mapping[int, str] = {
    400: "The request, its Host header or its JSON cannot be read.",
    401: "The token is missing or wrong.",
    403: "The Host header or the origin of the request is not allowed.",
    404: "There is no such debate, turn, participant or persona.",
    405: "The method is not possible at this address; `Allow` has those that are.",
    408: "The body took too long to arrive.",
    409: "It does not fit the status of the debate, or something is in its place already.",
    413: "The body is too large, or has too many parts.",
    415: "The body is not sent as JSON.",
    422: "Something that was sent cannot be used; `errors` has all of it, each with its field.",
    500: "A panel's file cannot be read, or something broke; `message` or the log has it.",
    502: "The debate failed, was stopped or called off, or its answer does not fit the schema.",
    429: "Too many requests of this kind; `Retry-After` says when to try again.",
    503: "The database cannot be reached, or the server is full; `Retry-After` says how long.",
}
LIMITED = (
    *("/forks", "/rematches", "/rooms", "/hearings", "/exams"),
    *("/api/debates", "/api/models/test", "/api/imports"),
)
"""The endings of paths to which a client may post only so often in a minute."""


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
        room.routes(parts),
        events.routes(parts),
        sharing.routes(parts),
        catalogue.routes(parts),
        judges.routes(parts, creator),
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


class Described(FastAPI):
    """FastAPI, with views and problems in its description."""

    views: tuple[type[msgspec.Struct], ...] = ()

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            made = get_openapi(
                title=self.title,
                version=self.version,
                description=self.description,
                routes=self.routes,
            )
            _, schemas = msgspec.json.schema_components(
                self.views, ref_template="#/components/schemas/{name}"
            )
            components = made.setdefault("components", {})
            components.setdefault("schemas", {}).update(schemas)
            components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            # Either will do: the token is needed only where one is configured.
            made["security"] = [{}, {"token": []}]
            _add_problems(made["paths"])
            self.openapi_schema = made
        return self.openapi_schema


def _add_problems(paths: Mapping[str, Mapping[str, Any]]) -> None:
    for path, methods in paths.items():
        content = _content(path)
        for method, operation in methods.items():
            for status in _statuses(path, method, operation):
                told = {"description": PROBLEMS[status], "content": content}
                operation["responses"].setdefault(str(status), told)
            if "default" in operation["responses"]:
                operation["responses"]["default"]["content"] = content


def _content(path: str) -> dict[str, Any]:
    """How a problem looks at that path."""
    kind, media_type = (
        (ErrorBody.__name__, "application/json") if is_v1(path) else ("Problem", PROBLEM)
    )
    return {media_type: {"schema": {"$ref": f"#/components/schemas/{kind}"}}}


def _statuses(path: str, method: str, operation: Mapping[str, Any]) -> Iterator[int]:
    """The problems that a call can be answered with."""
    if is_v1(path):
        yield from _of_v1(method)
        return
    yield from (400, 401, 403, 503)
    if "{" in path:
        yield 404
    if "requestBody" in operation:
        yield from (408, 413, 415, 422)
    elif operation.get("parameters"):
        yield 422
    if (
        method != "get"
        or path.endswith(("/turns", "/export"))
        or path == "/api/debates/{debate_id}"
    ):
        yield 409
    if method == "post" and path.endswith(LIMITED):
        yield 429


def _of_v1(method: str) -> Iterator[int]:
    """The problems below `/v1`, where input that cannot be used is a 400."""
    yield from (400, 401, 403, 404, 500, 503)
    if method == "post":
        yield from (408, 413, 429, 502)
