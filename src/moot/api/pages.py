"""The web page: one document for every address that people see, and the files it is made of.

The page is a program; it holds no data and needs no token. It asks the API for what it shows. Only
the words of `protocol.vocabulary` and what formats are like stand in the document, because it needs
them before anything else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from moot.api import problems
from moot.api.parts import ApiParts
from moot.api.requests import DEBATE_ID
from moot.api.responses import not_modified
from moot.errors import StoreError
from moot.protocol import vocabulary
from moot.protocol.machine import Format
from moot.protocol.registry import FORMATS, worded

WEB = Path(__file__).parents[1] / "web"
STATIC = "/static"
ADDRESSES = ("/", "/new", "/personas", "/panels", "/models", "/judges")
DEBATES = ("/debates/{one}", "/debates/{one}/with", "/debates/{one}/with/{other}")
# Asked for again each time, and mostly answered with 304: a new version is seen at once.
HEADERS = {"Cache-Control": "no-cache"}

WORDS = '<script type="application/json" id="words">{}</script>'
"""Where the words go. A block of data is not a script: the policy does not have to allow it."""

_PAGE = re.compile(
    r"/(?:new|personas|panels|models|judges|favicon\.ico|static/.{1,200}"
    r"|debates/[^/]{1,64}(?:/with(?:/[^/]{1,64})?)?)?"
)
_DATA = re.compile(r"/(?:api|static|v1|mcp)(?:/.*)?", re.DOTALL)
"""Paths at which programs ask: what is not there is a problem, whatever they say they can read."""


def is_page(path: str) -> bool:
    """Whether this is part of the page, which anybody may load."""
    return _PAGE.fullmatch(path) is not None


def told(formats: Mapping[str, Format] = FORMATS) -> dict[str, Any]:
    """What stands in the document: the words, and what is different from format to format."""
    traits = {name: _traits(rules) for name, rules in formats.items()}
    return {**vocabulary.as_data(worded(formats)), "traits": traits}


def _traits(rules: Format) -> dict[str, Any]:
    return {
        "is_open_ended": rules.is_open_ended,
        "is_offered": rules.is_offered,
        "is_pair": rules.is_pair,
        "is_scored": rules.is_scored,
        "documents": list(rules.documents),
    }


@cache
def document() -> tuple[str, str]:
    """The page with the words in it, and its tag."""
    source = (WEB / "index.html").read_text(encoding="utf-8")
    # A `<` could end the element that it stands in.
    words = msgspec.json.encode(told()).decode().replace("<", r"\u003c")
    page = source.replace(WORDS, WORDS.replace("{}", words))
    return page, f'"{hashlib.blake2b(page.encode(), digest_size=9).hexdigest()}"'


def lost(
    request: Request, status: int, headers: Mapping[str, str] | None = None
) -> Response | None:
    """The page, which says that nothing is here, if a browser asks; else None."""
    wants_page = "text/html" in request.headers.get("accept", "")
    # Not `request.url.path`, on which the Host header has an influence.
    is_data = _DATA.fullmatch(request.scope["path"])
    if request.method not in ("GET", "HEAD") or not wants_page or is_data:
        return None
    return HTMLResponse(document()[0], status, {**HEADERS, **(headers or {})})


async def on_http_exception(request: Request, error: Exception) -> Response:
    """The answer at addresses that no route has."""
    is_missing = isinstance(error, HTTPException) and error.status_code == HTTPStatus.NOT_FOUND
    page = lost(request, HTTPStatus.NOT_FOUND) if is_missing else None
    return page or await problems.on_http_exception(request, error)


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    async def show_page(request: Request) -> Response:
        page, tag = document()
        headers = {**HEADERS, "ETag": tag}
        return not_modified(request, tag) or HTMLResponse(page, headers=headers)

    async def show_debates(request: Request) -> Response:
        named = request.path_params.values()
        if all([await _is_there(parts, one) for one in named]):
            return await show_page(request)
        return HTMLResponse(document()[0], HTTPStatus.NOT_FOUND, HEADERS)

    for address in ADDRESSES:
        router.add_api_route(address, show_page, methods=["GET", "HEAD"])
    for address in DEBATES:
        router.add_api_route(address, show_debates, methods=["GET", "HEAD"])

    @router.get("/favicon.ico")
    async def show_icon() -> FileResponse:
        return FileResponse(WEB / "icon.svg", headers=HEADERS, media_type="image/svg+xml")

    return router


async def _is_there(parts: ApiParts, debate_id: str) -> bool:
    """Whether there is such a debate, as far as anybody may know. Without the token, which no
    browser sends with an address, nobody is told that there is no such debate."""
    if not DEBATE_ID.fullmatch(debate_id):
        return False
    if parts.token:
        return True
    try:
        return debate_id in await parts.service.with_prefix(debate_id)
    except StoreError:  # the page will say so, and try again
        return True


class Files(StaticFiles):
    """The files that the page is made of, all below one directory."""

    def __init__(self) -> None:
        super().__init__(directory=WEB)

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(HEADERS)
        return response
