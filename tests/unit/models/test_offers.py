from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from moot.errors import ModelNotOffered
from moot.models.endpoint import Endpoint
from moot.models.offers import nearest, offered

KEY = "sk-CANARY-0123456789"
LISTED = {"data": [{"id": "models/gemini-9-flash"}, {"id": "gemini-9"}, {"id": f"x-{KEY}"}]}
ANSWERS = {
    "a list": (200, LISTED, ("gemini-9-flash", "gemini-9")),
    "none": (200, {"data": None}, ()),
    "no such page": (404, {"error": "no"}, ()),
    "something else": (200, ["what?"], ()),
}


@pytest.mark.parametrize(("status", "body", "wanted"), ANSWERS.values(), ids=ANSWERS)
async def test_reads_what_a_server_lists(
    status: int, body: object, wanted: tuple[str, ...]
) -> None:
    async def listed(request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == f"Bearer {KEY}"
        return web.json_response(body, status=status)

    app = web.Application()
    app.router.add_get("/v1/models", listed)
    async with TestServer(app) as server:
        endpoint = Endpoint(provider="p", base_url=str(server.make_url("/v1")), api_key=KEY)
        assert await offered(endpoint) == wanted


async def test_a_server_that_is_away_offers_nothing() -> None:
    assert await offered(Endpoint(provider="p", base_url="http://127.0.0.1:9/v1")) == ()


def test_names_at_most_three_and_only_what_is_like_it() -> None:
    error = ModelNotOffered("openai: no such model")
    names = ["gpt-6", "gpt-6-mini", "gpt-6-nano", "gpt-6-pro", "whisper-1", "gpt-7"]
    told = str(nearest("gpt-6-min", names, error))
    assert told.startswith("gpt-6-min is not offered here; nearest: gpt-6-mini, ")
    assert told.count(",") == 2
    assert nearest("claude", ["whisper-1"], error) is error
    assert nearest("gpt-6", [], error) is error
