"""Every error as `application/problem+json`: `{type, title, status, code, detail, field?}`.

`code` is stable and made for programs, `detail` is a sentence for people. What went wrong inside is
never told: such a problem has an incident number, which is in the log too.
"""

from __future__ import annotations

import hashlib
import logging
import traceback
from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from moot import errors
from moot.errors import InvalidInput, ModelError, MootError, NoModel, NotFound

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 2
MISTAKES_MAX = 50
"""How many mistakes a problem tells."""

TITLES: Mapping[type[MootError], str] = {
    errors.MootError: "Something went wrong",
    errors.InvalidInput: "What was sent cannot be used",
    errors.NotFound: "Not found",
    errors.Refused: "Not possible now",
    errors.FormatMissing: "The debate's format is not installed",
    errors.Busy: "Another worker is busy with it",
    errors.Unfinished: "The debate is not finished",
    errors.Failed: "The debate failed",
    errors.WaitingForPeople: "Somebody has to answer first",
    errors.Stopped: "The debate is stopped",
    errors.Canceled: "The debate was called off",
    errors.IllegalEvent: "The log does not allow this",
    errors.StoreError: "The database refused",
    errors.Conflict: "Somebody else changed it first",
    errors.LeaseLost: "Somebody else has taken over",
    errors.StoreUnavailable: "The database cannot be reached",
    errors.DiskFull: "The disk is full",
    errors.ModelError: "A model could not be called",
    errors.NoModel: "There is no such model here",
    errors.ModelRefused: "The provider refused",
    errors.FunctionFailed: "A model of your own raised an error",
    errors.ParameterRefused: "The provider does not take this parameter",
    errors.KeyRefused: "The provider refused the key",
    errors.QuotaUsedUp: "The quota at the provider is used up",
    errors.ModelNotOffered: "The provider does not offer this model",
    errors.RateLimited: "The provider limits the rate of calls",
    errors.ModelUnavailable: "The provider cannot be reached",
    errors.ReplyBroken: "The model's reply was incomplete",
    errors.BudgetSpent: "The model used up its budget before it answered",
    errors.ReplyTooLarge: "The model's reply was too large",
}
"""A title for every class of `moot.errors`; a test compares them."""

# The messages of these errors are about our insides, and for the log only.
INTERNAL = HTTPStatus.INTERNAL_SERVER_ERROR
HIDDEN: Mapping[type[MootError], str] = {
    errors.StoreUnavailable: "the database cannot be reached now; try again in a moment"
}

STATUS_CODES = {
    HTTPStatus.BAD_REQUEST: "bad_request",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
}


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
DETAILS = {
    HTTPStatus.NOT_FOUND: "there is nothing at this address; /openapi.json lists all calls",
}


class Mistake(msgspec.Struct, frozen=True, kw_only=True):
    """One of several things that are wrong with what was sent."""

    detail: str
    field: str | msgspec.UnsetType = msgspec.UNSET


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """RFC 9457. `field` is a dotted path into what was sent; `incident` is also in the log.

    `errors` has everything that is wrong, the first mistake too, if there are several."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    field: str | msgspec.UnsetType = msgspec.UNSET
    errors: tuple[Mistake, ...] | msgspec.UnsetType = msgspec.UNSET
    incident: str | msgspec.UnsetType = msgspec.UNSET


def problem(  # noqa: PLR0913 - the members of a problem
    status: int,
    code: str,
    detail: str,
    *,
    title: str | None = None,
    field: str | None = None,
    errors: tuple[Mistake, ...] = (),
    incident: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    body = Problem(
        type=f"urn:moot:problem:{code}",
        title=title or HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=detail,
        field=field or msgspec.UNSET,
        errors=errors or msgspec.UNSET,
        incident=incident or msgspec.UNSET,
    )
    return Response(msgspec.json.encode(body), status, headers, MEDIA_TYPE)


def of_error(error: MootError) -> Response:
    """What a client is told of an error that Moot means to raise."""
    if error.http_status == INTERNAL:
        return of_accident(error, code=error.code, title=_title(error))
    return problem(
        error.http_status,
        error.code,
        HIDDEN.get(type(error)) or _detail(error),
        title=_title(error),
        field=error.field if isinstance(error, InvalidInput | NotFound | NoModel) else None,
        errors=_mistakes(error) if isinstance(error, InvalidInput) else (),
        headers=_headers(error),
    )


def of_accident(
    error: BaseException, *, code: str = "internal", title: str | None = None
) -> Response:
    """What a client is told of an error nobody meant to raise: only where to find it in the log."""
    incident = _incident(error)
    log.error("request broke", extra={"incident": incident}, exc_info=error)
    detail = f"this is a bug or a damaged database; the server's log has incident {incident}"
    return problem(INTERNAL, code, detail, title=title, incident=incident)


def _incident(error: BaseException) -> str:
    """A number for the place where `error` was raised: a fault that repeats is logged once."""
    found = [type(error).__name__]
    found += (f"{one.filename}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__))
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:12]


def of_status(status: int, headers: Mapping[str, str] | None = None) -> Response:
    """What a client is told when no route took the request."""
    code = STATUS_CODES.get(HTTPStatus(status), "http_error")
    detail = DETAILS.get(HTTPStatus(status)) or HTTPStatus(status).description or code
    return problem(status, code, detail, headers=headers)


def of_missing(request: Request, status: int) -> Response:
    """As `of_status`, with what would have been possible: other methods, or the path without its
    slash."""
    path = request.url.path
    methods = _methods(request, path)
    if methods and request.method not in methods:
        detail = f"{request.method} is not possible here; use {' or '.join(methods)}"
        allow = {"Allow": ", ".join(methods)}
        return problem(HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", detail, headers=allow)
    if path.endswith("/") and _methods(request, path.rstrip("/")):
        detail = "there is nothing at this address; leave out the slash at its end"
        return problem(HTTPStatus.NOT_FOUND, "not_found", detail)
    return of_status(status)


def _methods(request: Request, path: str) -> list[str]:
    """The methods that are possible at that path."""
    routes = request.app.routes

    def takes(method: str) -> bool:
        scope = {**request.scope, "path": path, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in routes)

    found = [method for method in METHODS if takes(method)]
    # The guards answer HEAD wherever there is a GET.
    return [*found, "HEAD"] if "GET" in found and "HEAD" not in found else found


def _mistakes(error: InvalidInput) -> tuple[Mistake, ...]:
    if not error.others:
        return ()
    return tuple(
        Mistake(detail=one.message, field=one.field or msgspec.UNSET)
        for one in (error, *error.others)[:MISTAKES_MAX]
    )


def _title(error: MootError) -> str:
    return next(TITLES[kind] for kind in type(error).__mro__ if kind in TITLES)


def _detail(error: MootError) -> str:
    # The field has a member of its own.
    return error.message if isinstance(error, InvalidInput) else str(error)


def _headers(error: MootError) -> Mapping[str, str] | None:
    if not error.retryable:
        return None
    asked = error.retry_after_s if isinstance(error, ModelError) else None
    return {"Retry-After": str(max(1, round(asked or RETRY_AFTER_S)))}


# --- for the app ---


async def on_moot_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, MootError)  # noqa: S101 - registered for nothing else
    return of_error(error)


async def on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for nothing else
    if error.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        return of_missing(request, error.status_code)
    return of_status(error.status_code, error.headers)


async def on_accident(_request: Request, error: Exception) -> Response:
    return of_accident(error)
