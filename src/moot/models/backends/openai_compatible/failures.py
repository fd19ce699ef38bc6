"""Turns everything that is not a reply into the one tree of errors, in words that help.

What a provider says is untrusted: it is cleaned, cut short, and keys are taken out of it, because
providers echo them.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any

import aiohttp
import msgspec

from moot.errors import (
    BudgetSpent,
    KeyRefused,
    ModelError,
    ModelNotOffered,
    ModelRefused,
    ModelUnavailable,
    ParameterRefused,
    QuotaUsedUp,
    RateLimited,
    ReplyBroken,
)
from moot.models.backends.openai_compatible.causes import (
    Cause,
    Said,
    cause_of,
    pointed_at,
    read_said,
    refused_parameter,
    span_s,
    wait_in,
)
from moot.models.cleaning import clean_text
from moot.models.endpoint import Endpoint
from moot.models.port import PARAMETERS
from moot.protocol.values import Usage
from moot.structs import ready

MAX_RETRY_AFTER_S = 300.0
"""The longest pause granted to a provider; after that we try, and may be told to wait again."""

MAX_QUOTE_CHARS = 300
"""How much of a provider's own words an error carries."""

MIN_SECRET_CHARS = 8
"""A header's value of at least this length may be a key."""

REDIRECTS = range(300, 400)

ADVICE: Mapping[Cause, str] = {
    Cause.KEY: "the key in {key_name} was refused; set one that is valid and may do this",
    Cause.QUOTA: "quota used up: add credit or raise the limit there, or take another model",
    Cause.MODEL: "{model!r} is not offered here: check the name, and whether it was retired",
    Cause.PARAMETER: "{parameter} was refused",
    Cause.CONTEXT: "the messages do not fit into the context window of {model!r}",
    Cause.FILTER: "the provider's content filter refused the messages; say it in other words",
}
STATUS_ADVICE: Mapping[int, str] = {
    400: "the request was not understood",
    404: "no such address, or no model {model!r}: check the base URL {base_url} and the name",
    413: "the request is too large for this provider",
    422: "the request was not understood",
}
REFUSALS: Mapping[Cause, type[ModelRefused]] = {
    Cause.KEY: KeyRefused,
    Cause.QUOTA: QuotaUsedUp,
    Cause.MODEL: ModelNotOffered,
}
SPENT = (
    "the whole budget went into thoughts, and nothing was said: raise max_tokens,"
    " or set reasoning_effort=low"
)

_KEYS = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.-]{4,}|\bAIza[\w-]{10,}|\bBearer\s+[^\s\"',;]+",
    re.IGNORECASE,
)


_TIME_IS_A_DATE = 10**8
"""A number of seconds above this is a date; above a thousand times this, one in milliseconds."""


class Asked(msgspec.Struct, kw_only=True, dict=True):
    """What was asked of whom. `body` is the request as it was sent."""

    endpoint: Endpoint
    model: str
    body: bytes = b""

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The parameters a server may have refused: all of them if what was sent is unknown."""
        if not self.body:
            return PARAMETERS
        sent = msgspec.json.decode(self.body, type=_Sent)
        names = {name for name in _Sent.__struct_fields__ if getattr(sent, name) is not None}
        if isinstance(sent.response_format, dict):
            names.add(str(sent.response_format.get("type")))
        return PARAMETERS & names


class _Sent(msgspec.Struct):
    """The fields of a request that a server may refuse."""

    response_format: Any = None
    max_tokens: Any = None
    max_completion_tokens: Any = None
    temperature: Any = None
    top_p: Any = None
    seed: Any = None
    reasoning_effort: Any = None
    stream_options: Any = None
    tools: Any = None
    tool_choice: Any = None


ready(_Sent)


def response_error(
    asked: Asked, status: int, headers: Mapping[str, str], body: bytes
) -> ModelError:
    """The error that a response with this status means."""
    endpoint = asked.endpoint
    if status in REDIRECTS:
        target = quote(endpoint, headers.get("Location", "somewhere else"))
        advice = "redirects are not followed: set the base URL to where the server is"
        return ModelRefused(f"{endpoint.provider}: {status} to {target}; {advice}")
    text = body.decode("utf-8", "replace")
    return _error(asked, status, read_said(_content(text)), retry_after_s(headers, text))


def stated_error(asked: Asked, error: object) -> ModelError:
    """The error that a server put into the body of a response which began as a success."""
    said = read_said(error)
    return _error(asked, said.status or 0, said, retry_after_s({}, json.dumps(error, default=str)))


def budget_spent(endpoint: Endpoint, usage: Usage | None = None, words: str = "") -> BudgetSpent:
    """The error for a model that thought until nothing was left for its answer."""
    said = f" ({words})" if words else ""
    return BudgetSpent(f"{endpoint.provider}: {SPENT}{said}", usage=usage)


def filtered(endpoint: Endpoint) -> ModelError:
    """The error for a reply of which a filter left nothing."""
    advice = "say it in other words, or take another model"
    return ModelRefused(f"{endpoint.provider}: its content filter withheld the reply; {advice}")


def transport_error(endpoint: Endpoint, error: Exception) -> ModelError:
    """The error that a failed connection means: nothing listens, reset, DNS, TLS."""
    reason = quote(endpoint, _system_words(error) or str(error)) or type(error).__name__
    return ModelUnavailable(f"{endpoint.provider}: no connection to {endpoint.shown_url}: {reason}")


def unreachable(endpoint: Endpoint, within_s: float) -> ModelError:
    """The error for a host that does not answer at all, not even with a refusal."""
    where = endpoint.shown_url
    return ModelUnavailable(f"{endpoint.provider}: no connection to {where} within {within_s:g} s")


def _system_words(error: Exception) -> str:
    """The system's words, such as `connection refused`; aiohttp's own name the address twice."""
    cause = getattr(error, "os_error", None)
    number = cause.errno if isinstance(cause, ConnectionError | TimeoutError) else None
    return os.strerror(number).lower() if number is not None else ""


def cut_off(endpoint: Endpoint, error: Exception) -> ModelError:
    """The error for a connection that ended inside the reply."""
    if isinstance(error, aiohttp.ClientPayloadError):  # its words name a status that nobody sent
        return ReplyBroken("the connection ended inside the reply")
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


def retry_after_s(headers: Mapping[str, str], words: str = "") -> float | None:
    """The pause asked for, between 0 and MAX_RETRY_AFTER_S; None if none was asked for.

    Of several pauses plainly asked for, the longest counts: Azure sends 0 milliseconds beside one
    second. The time at which a limit is reset is only a hint, for want of anything better.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    now = _their_time(headers)
    asked = (
        None if milliseconds is None else milliseconds / 1000,
        _moment_s(headers.get("Retry-After"), now),
        wait_in(words),
    )
    found = [seconds for seconds in asked if seconds is not None]
    hint = _reset_s(headers, now) if not found else None
    return _sane(max(found)) if found else hint if hint is None else _sane(hint)


def _their_time(headers: Mapping[str, str]) -> float:
    """The time by the server's clock if it tells, else by ours. The server's dates are meant by its
    own clock, and ours may be wrong. Read once; from then on a pause is a number of seconds."""
    try:
        return parsedate_to_datetime(headers.get("Date", "")).timestamp()
    except (ValueError, OverflowError):
        return time.time()


def _moment_s(value: str | None, now: float) -> float | None:
    """How many seconds from now: `value` is a number, a span, or a date of HTTP or ISO."""
    text = (value or "").strip()
    if not text:
        return None
    seconds = _number(text)
    if seconds is None:
        seconds = span_s(text)
    if seconds is None:
        return _until(text, now)
    if seconds > _TIME_IS_A_DATE:
        return seconds / (1000 if seconds > _TIME_IS_A_DATE * 1000 else 1) - now
    return seconds


def _until(text: str, now: float) -> float | None:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            return read(text).timestamp() - now
        except (ValueError, OverflowError):
            continue
    return None


def _reset_s(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until the limit that was reached is reset, by `x-ratelimit-reset-…` and its kin."""
    resets: dict[bool, list[float]] = {True: [], False: []}
    for name, value in headers.items():
        lower = name.lower()
        if "ratelimit" in lower.replace("-", "") and "reset" in lower:
            remaining = headers.get(lower.replace("reset", "remaining"), "")
            seconds = _moment_s(value, now)
            if seconds is not None:
                resets[_number(remaining) == 0].append(seconds)
    return max(resets[True]) if resets[True] else min(resets[False], default=None)


def _error(asked: Asked, status: int, said: Said, pause_s: float | None) -> ModelError:
    endpoint = asked.endpoint
    cause = cause_of(status, said, has_wait=bool(pause_s))
    parameter = refused_parameter(status, said, asked.parameters) if _may_be(cause) else None
    if cause is Cause.CONTEXT:
        # "max_tokens must be at most 8192, the context window ...": the number itself is wrong.
        parameter = pointed_at(said, asked.parameters)
    if parameter is not None and not (cause is Cause.MODEL and _names_model(said)):
        cause = Cause.PARAMETER
    words = quote(endpoint, said.words)
    shown = f"{status}: {words}" if status and words else words or str(status)
    plain = f"{endpoint.provider}: {shown}"
    match cause:
        case Cause.LIMITED:
            return RateLimited(plain, retry_after_s=pause_s)
        case Cause.UNAVAILABLE:
            return ModelUnavailable(plain, retry_after_s=pause_s)
        case Cause.BUDGET:
            return budget_spent(endpoint, words=shown)
        case Cause.SLIP:
            return ReplyBroken(shown)
        case _:
            advice = _advice(asked, cause, status, parameter)
            return _refusal(cause, f"{endpoint.provider}: {advice} ({shown})", parameter)


def _refusal(cause: Cause, message: str, parameter: str | None) -> ModelRefused:
    if cause is Cause.PARAMETER:
        return ParameterRefused(message, parameter=parameter or "")
    return REFUSALS.get(cause, ModelRefused)(message)


def _advice(asked: Asked, cause: Cause, status: int, parameter: str | None) -> str:
    advice = ADVICE.get(cause) or STATUS_ADVICE.get(status, "the request was refused")
    endpoint = asked.endpoint
    return advice.format(
        key_name=endpoint.key_name,
        model=asked.model,
        base_url=endpoint.shown_url,
        parameter=parameter,
    )


def _may_be(cause: Cause) -> bool:
    """Whether an error with this cause may be about a parameter."""
    return cause in (Cause.REFUSED, Cause.MODEL, Cause.UNAVAILABLE)


def _names_model(said: Said) -> bool:
    return any("model" in name.lower() for name in said.names)


def _content(text: str) -> Any:
    """What a body holds: its JSON, or the text of its page."""
    try:
        return json.loads(text.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError):
        # Tags say nothing to people; a proxy's page has one sentence that does.
        page = r"<(?:style|script|head)\b.*?</(?:style|script|head)>|<[^>]*>"
        return re.sub(page, " ", text, flags=re.DOTALL | re.IGNORECASE)


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _sane(seconds: float) -> float:
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)
