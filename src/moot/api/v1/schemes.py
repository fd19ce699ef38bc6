"""How the OpenAPI description tells of `/v1`: bodies and answers in the shapes of OpenAI's API."""

from __future__ import annotations

from typing import Any

import msgspec

from moot.api.guards.dialects import ErrorBody
from moot.api.responses import Documented
from moot.api.v1.bodies import ChatBody, ResponseBody
from moot.api.v1.models import VIEWS as MODELS

CHAT_ANSWER = "A `chat.completion` with `moot` beside `usage`; streamed, its chunks."
RESPONSE_ANSWER = "A `response` with `moot` beside `usage`; streamed, its events."
VIEWS: tuple[type[msgspec.Struct], ...] = (*MODELS, ChatBody, ResponseBody, ErrorBody)
JSON = "application/json"


def body_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The description of a request's body, which FastAPI does not know: we read it ourselves."""
    schema = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema}}}}


def answer_of(about: str) -> Documented:
    content = {JSON: {"schema": {"type": "object"}}}
    # How an error looks is filled in by `description`.
    return {200: {"description": about, "content": content}, "default": {"description": "Error."}}


def streamed_or(about: str) -> Documented:
    """As `answer_of`, for an answer that comes as a stream if asked for."""
    told = answer_of(about)
    told[200]["content"]["text/event-stream"] = {"schema": {"type": "string"}}
    return told
