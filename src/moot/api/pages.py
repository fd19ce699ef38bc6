"""The web page: one document for every address that people see, and the files it is made of.

The page is a program; it holds no data and needs no token. What it shows it asks the API for.
"""

from __future__ import annotations

import re
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

WEB = Path(__file__).parents[1] / "web"
STATIC = "/static"
ADDRESSES = ("/", "/new", "/personas", "/models", "/debates/{debate_id}")
# Asked again each time, and answered 304 mostly: a new version is seen at once.
HEADERS = {"Cache-Control": "no-cache"}

_PAGE = re.compile(r"/(?:new|personas|models|debates/[^/]{1,64}|favicon\.ico|static/.{1,200})?")


def is_page(path: str) -> bool:
    """Whether this is part of the page, which anybody may load."""
    return _PAGE.fullmatch(path) is not None


def routes() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    async def show_page() -> FileResponse:
        return FileResponse(WEB / "index.html", headers=HEADERS)

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
