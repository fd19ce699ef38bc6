"""In which words a problem is told: below `/v1` in those of OpenAI's API, elsewhere in our own.

Routes and guards make problems and know nothing of this. What a client of `/v1` cannot read is
translated on its way out, whoever made it, so that no second set of checks is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Scope, Send

from moot.api.problems import MEDIA_TYPE, Problem
from moot.structs import ready

DOOR = "/v1"
STATUSES: Mapping[str, int] = {
    # Clients of OpenAI's API know no 422, and try again by themselves after a 409.
    "invalid_input": 400,
    "no_model": 503,  # nothing is wrong with the request: the server has no such model
    "refused": 400,
    "format_missing": 400,
}
"""The status below `/v1` of each problem that has another one elsewhere, by the problem's code."""
CODES: Mapping[str, str] = {
    "unauthorized": "invalid_api_key",
    "too_many_questions": "rate_limit_exceeded",
}
"""What OpenAI's API calls a problem for which it has a code of its own, by our code."""
TYPES: Mapping[int, str] = {401: "authentication_error", 403: "permission_error"}
RATE_LIMITED, BROKEN = 429, 500
FINAL = frozenset(
    {
        *("debate_failed", "debate_stopped", "debate_canceled", "no_answer", "schema_not_met"),
        *("no_model", "panel_unreadable"),
    }
)
"""Codes of problems after which clients are told not to ask again at once: it would cost as much
and come to the same."""


class ErrorDetail(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, as OpenAI's clients read it. `param` is the part of the request it is in."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """The body of every response below `/v1` that is an error."""

    error: ErrorDetail


ready(Problem)


def is_v1(path: str) -> bool:
    return path == DOOR or path.startswith(f"{DOOR}/")


def translated(problem: Problem) -> tuple[int, ErrorBody]:
    """The status and the body that tell a client of `/v1` of that problem."""
    status = STATUSES.get(problem.code, problem.status)
    return status, ErrorBody(
        error=ErrorDetail(
            message=_message(problem),
            type=_type(status),
            param=_param(problem.field) if problem.field is not msgspec.UNSET else None,
            code=CODES.get(problem.code, problem.code),
        )
    )


def in_dialect(scope: Scope, send: Send) -> Send:
    """A `send` that tells problems in the words that clients of the requested path read."""
    if not is_v1(scope["path"]):
        return send
    held: list[Message] = []

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and _is_problem(message):
            held.append(message)
        elif held:
            await _send_translated(held.pop(), message, send)
        else:
            await send(message)

    return sending


def _is_problem(start: Message) -> bool:
    return Headers(scope=start).get("content-type") == MEDIA_TYPE


async def _send_translated(start: Message, told: Message, send: Send) -> None:
    if not told.get("body"):  # the answer to a HEAD: it has no body to translate
        await send(start)
        await send(told)
        return
    problem = msgspec.json.decode(told["body"], type=Problem)
    status, error = translated(problem)
    body = msgspec.json.encode(error)
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-type"] = "application/json"
    headers["content-length"] = str(len(body))
    if problem.code in FINAL:
        headers["x-should-retry"] = "false"
    await send({**start, "status": status, "headers": headers.raw})
    await send({**told, "body": body})


def _message(problem: Problem) -> str:
    told: list[tuple[Any, str]] = [(problem.field, problem.detail)]
    if problem.errors is not msgspec.UNSET:
        told = [(one.field, one.detail) for one in problem.errors]
    return "; ".join(_sentence(field, text) for field, text in told)


def _sentence(field: Any, text: str) -> str:
    """`text`, after the name of the field if it begins with a verb: "must not be blank"."""
    is_about_it = field and text.startswith(_VERBS)
    return f"{_param(field)} {text}" if is_about_it else text


_VERBS = ("must", "is ", "are ", "has ", "have ", "needs ", "cannot ")


def _param(field: str) -> str:
    """The name under which the client sent that field."""
    return PARAMS.get(field, field.removeprefix("settings."))


PARAMS: Mapping[str, str] = {"question": "messages", "attachments.0.content": "messages"}
"""The fields of a client's request that the parts of a question are made from."""


def _type(status: int) -> str:
    if status == RATE_LIMITED:
        return "rate_limit_error"
    usual = "server_error" if status >= BROKEN else "invalid_request_error"
    return TYPES.get(status, usual)
