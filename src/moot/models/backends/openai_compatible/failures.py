"""Turns everything that is not a reply into the one tree of errors, in words that help.

What a provider says is untrusted: it is cleaned, cut short, and keys are taken out of it, because
providers echo them.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from moot.errors import ModelError, ModelRefused, ModelUnavailable, RateLimited, ReplyBroken
from moot.models.backends.openai_compatible.replies import read_refusal
from moot.models.cleaning import clean_text
from moot.models.endpoint import Endpoint

MAX_RETRY_AFTER_S = 300.0
"""The longest pause a provider can ask for; beyond that we try, and hear it again."""

MAX_QUOTE_CHARS = 300
"""How much of a provider's own words an error carries."""

MIN_SECRET_CHARS = 8
"""A header's value of this length may be a key."""

TRANSIENT = frozenset({408, 409, 425, 500, 502, 503, 504, 529})
"""Besides 429. Any other 5xx is taken for transient too; any other 4xx is final."""

REDIRECTS = range(300, 400)
FAILURES = range(400, 600)

ADVICE: Mapping[int, str] = {
    400: "the request was not understood",
    401: "the key in {key_name} was refused; set one that is valid",
    402: "the account has no credit left",
    403: "the key in {key_name} may not do this",
    404: "no such model or address: check the model's name {model!r} and the base URL {base_url}",
    413: "the request is too large for this provider",
    422: "the request was not understood",
}

_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window|size)|maximum context|too many tokens|prompt is too long"
    r"|exceeds? the available context",
    re.IGNORECASE,
)
_SPENT = re.compile(r"insufficient_quota|billing_hard_limit")
_KEYS = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.-]{4,}|\bAIza[\w-]{10,}|\bBearer\s+[^\s\"',;]+",
    re.IGNORECASE,
)


def response_error(
    endpoint: Endpoint, model: str, status: int, headers: Mapping[str, str], body: bytes
) -> ModelError:
    """The error that a response with this status means."""
    if status in REDIRECTS:
        target = quote(endpoint, headers.get("Location", "somewhere else"))
        advice = "redirects are not followed: set the base URL to where the server is"
        return ModelRefused(f"{endpoint.provider}: {status} to {target}; {advice}")
    words = _words(endpoint, body)
    return _error(endpoint, model, status, words, retry_after_s(headers))


def stated_error(endpoint: Endpoint, model: str, error: object) -> ModelError:
    """The error that a server put into the body of a response which began as a success."""
    code = error.get("code") if isinstance(error, dict) else None
    words = quote(endpoint, _spoken(error))
    if type(code) is int and code in FAILURES:
        return _error(endpoint, model, code, words, None)
    return ModelUnavailable(f"{endpoint.provider}: broke off the reply: {words}")


def transport_error(endpoint: Endpoint, error: Exception) -> ModelError:
    """The error that a failed connection means: nothing listens, reset, DNS, TLS."""
    reason = quote(endpoint, _refusal(error) or str(error)) or type(error).__name__
    return ModelUnavailable(f"{endpoint.provider}: no connection to {endpoint.shown_url}: {reason}")


def _refusal(error: Exception) -> str:
    """What the system says of it, such as `connection refused`; aiohttp adds where, twice."""
    cause = getattr(error, "os_error", None)
    number = cause.errno if isinstance(cause, ConnectionError | TimeoutError) else None
    return os.strerror(number).lower() if number is not None else ""


def cut_off(endpoint: Endpoint, error: Exception) -> ModelError:
    """The error for a connection that ended inside the reply."""
    reason = quote(endpoint, str(error)) or type(error).__name__
    return ReplyBroken(f"the connection ended inside the reply: {reason}")


def too_slow(endpoint: Endpoint, deadline_s: float) -> ModelError:
    return ModelUnavailable(f"{endpoint.provider}: no whole reply within {deadline_s:g} s")


def quote(endpoint: Endpoint, text: str) -> str:
    """A provider's words, fit to be shown: clean, short, on one line, and without any key."""
    line = " ".join(clean_text(text[: MAX_QUOTE_CHARS * 20]).split())
    for secret in _secrets(endpoint):
        line = line.replace(secret, "[key]")
    line = _KEYS.sub("[key]", line)
    return line if len(line) <= MAX_QUOTE_CHARS else line[: MAX_QUOTE_CHARS - 1] + "…"


def _secrets(endpoint: Endpoint) -> Iterator[str]:
    if key := endpoint.api_key.strip():
        yield key
    # Short values (`true`, `application/json`) are no keys, and would garble the message.
    yield from (value for value in endpoint.headers.values() if len(value) >= MIN_SECRET_CHARS)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The pause asked for, between 0 and MAX_RETRY_AFTER_S; None if none was asked for."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _sane(milliseconds / 1000)
    value = headers.get("Retry-After")
    seconds = _number(value)
    if seconds is not None:
        return _sane(seconds)
    try:
        return _sane(parsedate_to_datetime(value or "").timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _error(
    endpoint: Endpoint, model: str, status: int, words: str, pause_s: float | None
) -> ModelError:
    said = f"{endpoint.provider}: {status}" + (f": {words}" if words else "")
    if status == 429 and not _SPENT.search(words):  # noqa: PLR2004  HTTP's own number
        return RateLimited(said, retry_after_s=pause_s)
    if status in TRANSIENT or status >= 500:  # noqa: PLR2004  HTTP's own number
        return ModelUnavailable(said, retry_after_s=pause_s)
    return ModelRefused(f"{endpoint.provider}: {_advice(endpoint, model, status, words)} ({said})")


def _advice(endpoint: Endpoint, model: str, status: int, words: str) -> str:
    if _TOO_LONG.search(words):
        return f"the messages do not fit into the context window of {model!r}"
    if _SPENT.search(words):
        return ADVICE[402]
    advice = ADVICE.get(status, "the request was refused, and would be again")
    return advice.format(key_name=endpoint.key_name, model=model, base_url=endpoint.shown_url)


def _words(endpoint: Endpoint, body: bytes) -> str:
    """What the provider said: the message in its JSON, or the text of its page."""
    try:
        refusal = read_refusal(body)
    except ReplyBroken:
        # Tags say nothing to people; a proxy's page has one sentence that does.
        page = re.sub(r"<(?:style|script|head)\b.*?</(?:style|script|head)>|<[^>]*>", " ",
                      body.decode("utf-8", "replace"), flags=re.DOTALL | re.IGNORECASE)  # fmt: skip
        return quote(endpoint, page)
    return quote(endpoint, _spoken(refusal.error or refusal.message or refusal.detail))


def _spoken(error: Any) -> str:
    """The text in an `error` field: `{"message", "code"}`, or the text itself."""
    if isinstance(error, dict):
        parts = [error.get("code"), error.get("message")]
        return ": ".join(part for part in parts if isinstance(part, str) and part)
    return error if isinstance(error, str) else ""


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _sane(seconds: float) -> float:
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)
