"""How views become responses, and how the OpenAPI description tells of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from moot.api.problems import MEDIA_TYPE as PROBLEM
from moot.api.views import View

Documented = dict[int | str, dict[str, Any]]

_encode = msgspec.json.Encoder().encode


def answer(view: View, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(_encode(view), status, headers, "application/json")


def documented(
    view: type[msgspec.Struct] | None, *statuses: int, has_tag: bool = False
) -> Documented:
    """For a route: what it answers with, and that everything else is a problem."""
    content = {"application/json": {"schema": _ref(view.__name__)}} if view else None
    good: dict[str, Any] = {"description": "As asked."}
    if content:
        good["content"] = content
    told: Documented = dict.fromkeys(statuses or (200,), good)
    if has_tag:
        told[304] = {"description": "Nothing new since `If-None-Match`."}
    problem = {PROBLEM: {"schema": _ref("Problem")}}
    return {**told, "default": {"description": "A problem.", "content": problem}}


def documented_text(*media_types: str) -> Documented:
    """For a route whose answers are no views."""
    content = {
        kind: {"schema": {} if kind == "application/json" else {"type": "string"}}
        for kind in media_types
    }
    return {**documented(None), 200: {"description": "As asked.", "content": content}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
