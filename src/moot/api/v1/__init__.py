"""`/v1`: panels as models, for every client that speaks OpenAI's API.

Rule 1: only panels can be asked; no name leads to a model of a provider.
Rule 2: a question is one debate, paid for once, however often its client loses patience.
Rule 3: a GET never runs anything.

    bodies wanted conversation     what clients send, and what they want by it
    models chat responses          the routes, one noun to a file
    door asked course wire         a question's way: in, to its debate, along it, and back
    thinking replies forms usage   what a client is told of it
    objects told                   in which words it is told
    tasks                          requests that are no questions for a panel
"""

from __future__ import annotations

from fastapi import APIRouter

from moot.api.parts import ApiParts
from moot.api.v1 import chat, models, responses
from moot.api.v1.door import Door
from moot.api.v1.schemes import VIEWS

__all__ = ["VIEWS", "routes"]


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter()
    door = Door(parts)
    for one in (models.routes(door.panels), chat.routes(door), responses.routes(door)):
        router.include_router(one)
    return router
