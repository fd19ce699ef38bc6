"""The web page: one document for every address that people see, and the files it is made of.

The page is a program; it holds no data and needs no token. What it shows it asks the API for; only
the words of `protocol.vocabulary`, which it needs before anything else, stand in the document.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from moot.api.responses import not_modified
from moot.protocol import vocabulary

WEB = Path(__file__).parents[1] / "web"
STATIC = "/static"
ADDRESSES = ("/", "/new", "/personas", "/models", "/debates/{debate_id}")
# Asked again each time, and answered 304 mostly: a new version is seen at once.
HEADERS = {"Cache-Control": "no-cache"}

WORDS = '<script type="application/json" id="words">{}</script>'
"""Where the words go. A block of data is no script: the policy does not have to allow it."""

_PAGE = re.compile(r"/(?:new|personas|models|debates/[^/]{1,64}|favicon\.ico|static/.{1,200})?")


def is_page(path: str) -> bool:
    """Whether this is part of the page, which anybody may load."""
    return _PAGE.fullmatch(path) is not None


@cache
def document() -> tuple[str, str]:
    """The page with the words in it, and its tag."""
    source = (WEB / "index.html").read_text(encoding="utf-8")
    # A `<` could end the element that it stands in.
    words = msgspec.json.encode(vocabulary.as_data()).decode().replace("<", r"\u003c")
    page = source.replace(WORDS, WORDS.replace("{}", words))
    return page, f'"{hashlib.blake2b(page.encode(), digest_size=9).hexdigest()}"'


def routes() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    async def show_page(request: Request) -> Response:
        page, tag = document()
        headers = {**HEADERS, "ETag": tag}
        return not_modified(request, tag) or HTMLResponse(page, headers=headers)

    for address in ADDRESSES:
        router.add_api_route(address, show_page, methods=["GET", "HEAD"])

    @router.get("/favicon.ico")
    async def show_icon() -> FileResponse:
        return FileResponse(WEB / "icon.svg", headers=HEADERS, media_type="image/svg+xml")

    return router


class Files(StaticFiles):
    """What the page is made of, below one directory."""

    def __init__(self) -> None:
        super().__init__(directory=WEB)

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(HEADERS)
        return response
