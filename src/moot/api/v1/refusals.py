"""What `/v1` cannot do, told before the answer has begun or, if need be, in the middle of it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from fastapi import Request
from starlette.responses import Response

from moot.api.guards.dialects import ErrorBody, translated
from moot.api.problems import Problem, of_accident, of_error, problem
from moot.errors import MootError


class Refusal(Exception):
    """A problem on its way to the client."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.response = problem(status, code, detail, field=field, headers=headers)
        super().__init__(detail)


async def on_refusal(_request: Request, error: Exception) -> Response:
    """For the app: the response that a Refusal has with it."""
    return response_of(error)


def response_of(error: Exception) -> Response:
    """What a client is told of any error, as a problem: the guards translate it."""
    match error:
        case Refusal():
            return error.response
        case MootError():
            return of_error(error)
        case _:
            return of_accident(error)


def told_of(error: Exception) -> ErrorBody:
    """As `response_of`, in the shape of OpenAI's API: for an answer that has begun already."""
    found = msgspec.json.decode(response_of(error).body, type=Problem)
    return translated(found)[1]
