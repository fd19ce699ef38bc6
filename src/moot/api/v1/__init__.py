"""`/v1`: panels as models, for every client that speaks OpenAI's API.

Rule 1: only panels can be asked; no name leads to a model of a provider.
Rule 2: a question is one debate, paid for once, however often its client loses patience.
Rule 3: a GET never runs anything.

    wanted conversation            what clients send, and what they want by it
    models chat responses          the routes, one noun to a file, and their words
    door asked course              a question's way: in and back, to its debate, along it
    replies                        what a client is told of it
    tasks schemas                  calls without a debate: small requests, answers in a shape
"""

from __future__ import annotations

from fastapi import APIRouter

from moot.api.parts import ApiParts
from moot.api.v1 import chat, models, responses
from moot.api.v1.door import VIEWS, Door

__all__ = ["VIEWS", "routes"]


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter()
    door = Door(parts)
    for one in (models.routes(door.panels), chat.routes(door), responses.routes(door)):
        router.include_router(one)
    return router
