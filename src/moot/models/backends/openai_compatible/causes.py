"""Finds out why a provider refused: from its status, its codes and its words.

Servers agree on little. Codes come first, since they are meant for programs; then what the words
say; the status last. Everything here is pure, and a cause is found for any body at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

import msgspec

FAILURES = range(400, 600)
TRANSIENT = frozenset({408, 409, 425, 500, 502, 503, 504, 529})
"""Besides 429. Any other 5xx is taken for transient too; any other 4xx is final."""

MOST_TEXTS = 12
"""Messages of one error that are read; validators may list hundreds."""


class Cause(StrEnum):
    KEY = "key"
    QUOTA = "quota"
    MODEL = "model"
    PARAMETER = "parameter"
    BUDGET = "budget"
    CONTEXT = "context"
    FILTER = "filter"
    SLIP = "slip"
    """The model wrote a tool call or JSON that its own server rejects: the next may be right."""
    LIMITED = "limited"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"


class Said(msgspec.Struct):
    """What an error's body says. `names` are its codes and types, `param` what it points at."""

    status: int | None = None
    texts: list[str] = []
    names: list[str] = []
    param: str = ""

    @property
    def words(self) -> str:
        """For people: the code, if it is a word, and all that was said, nothing twice."""
        code = next((name for name in self.names if not name.isdigit()), "")
        told: list[str] = [code] if code else []
        told += [text for text in self.texts if not any(text in before for before in told)]
        return ": ".join(told)

    @property
    def everything(self) -> str:
        return " ".join((*self.names, *self.texts))


_NAMED = ("code", "type", "status", "reason")
_TOLD = ("message", "msg", "detail", "error_description", "status_msg", "raw", "failed_generation")
_NESTED = ("error", "errors", "metadata", "innererror", "cause", "details")


def read_said(found: Any) -> Said:
    """What an error says, whatever its shape: text, object, list, or JSON inside of a text."""
    said = Said()
    _gather(found, said, depth=6)
    return said


def _gather(found: Any, said: Said, *, depth: int) -> None:
    if depth < 0 or len(said.texts) >= MOST_TEXTS:
        return
    match found:
        case str() if found.lstrip()[:1] in ("{", "[") and _decoded(found) is not None:
            _gather(_decoded(found), said, depth=depth - 1)
        case str() if found.strip():
            said.texts.append(found.strip())
        case list():
            for one in found[:MOST_TEXTS]:
                _gather(one, said, depth=depth - 1)
        case dict():
            _gather_fields(found, said, depth=depth)
        case _:
            pass


def _gather_fields(found: dict[str, Any], said: Said, *, depth: int) -> None:
    for field in ("code", "status", "status_code", "http_code"):
        said.status = said.status or _status(found.get(field))
    for name in (found.get(field) for field in _NAMED):
        # Codes are single words; xAI writes a sentence in their place.
        if isinstance(name, str) and name:
            (said.texts if " " in name else said.names).append(name)
    param = found.get("param") or _place(found.get("loc"))
    if isinstance(param, str) and not said.param:
        said.param = param
    for field in (*_TOLD, *_NESTED):
        _gather(found.get(field), said, depth=depth - 1)


def _decoded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _status(value: Any) -> int | None:
    if isinstance(value, str) and value.isdigit():
        value = int(value[:9])
    return value if type(value) is int and value in FAILURES else None


def _place(loc: Any) -> str:
    """The dotted path for `["body", "response_format", "type"]`, as Python validators write it."""
    parts = [one for one in loc if isinstance(one, str)] if isinstance(loc, list) else []
    return ".".join(parts[1:] if parts[:1] == ["body"] else parts)


# --- the cause -----------------------------------------------------------------------------------

NAMES: Mapping[str, Cause] = {
    **dict.fromkeys(("insufficient_quota", "billing_hard_limit_reached"), Cause.QUOTA),
    **dict.fromkeys(("billing_not_active", "insufficient_balance", "arrearage"), Cause.QUOTA),
    **dict.fromkeys(("insufficient_credits", "insufficient_funds"), Cause.QUOTA),
    **dict.fromkeys(("exceeded_current_quota_error", "payment_required"), Cause.QUOTA),
    **dict.fromkeys(("invalid_api_key", "authentication_error", "unauthorized"), Cause.KEY),
    **dict.fromkeys(("unauthenticated", "invalid_authentication_error"), Cause.KEY),
    **dict.fromkeys(("incorrect_api_key_error", "authenticationerror"), Cause.KEY),
    **dict.fromkeys(("api_key_invalid", "account_deactivated"), Cause.KEY),
    **dict.fromkeys(("model_not_found", "model_decommissioned", "unknown_model"), Cause.MODEL),
    **dict.fromkeys(("model_not_supported", "invalid_model", "modelnotfound"), Cause.MODEL),
    **dict.fromkeys(("deploymentnotfound", "model_not_available"), Cause.MODEL),
    **dict.fromkeys(("context_length_exceeded", "exceed_context_size_error"), Cause.CONTEXT),
    **dict.fromkeys(("content_filter", "content_policy_violation"), Cause.FILTER),
    **dict.fromkeys(("responsibleaipolicyviolation", "data_inspection_failed"), Cause.FILTER),
    **dict.fromkeys(("datainspectionfailed", "prohibited_content"), Cause.FILTER),
    **dict.fromkeys(("tool_use_failed", "json_validate_failed"), Cause.SLIP),
}
"""Codes and types that leave no doubt, in lower case."""

SOFT_NAMES: Mapping[str, Cause] = {
    **dict.fromkeys(
        ("rate_limit_exceeded", "rate_limit_error", "too_many_requests"), Cause.LIMITED
    ),
    **dict.fromkeys(
        ("rate_limit_reached_error", "resource_exhausted", "throttling"), Cause.LIMITED
    ),
    **dict.fromkeys(("rate_limited", "limit_requests", "ratelimiterror"), Cause.LIMITED),
    **dict.fromkeys(("server_error", "internal_server_error", "api_error"), Cause.UNAVAILABLE),
    **dict.fromkeys(("overloaded_error", "engine_overloaded_error"), Cause.UNAVAILABLE),
    **dict.fromkeys(("service_unavailable", "unavailable", "timeout"), Cause.UNAVAILABLE),
    **dict.fromkeys(("deadline_exceeded", "upstream_error", "internal"), Cause.UNAVAILABLE),
    **dict.fromkeys(("invalid_request_error", "invalid_argument"), Cause.REFUSED),
    **dict.fromkeys(("badrequesterror", "bad_request", "invalid_prompt"), Cause.REFUSED),
}
"""Codes and types that stand in for a status where there is none, in the body of a success."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


_BUDGET = _any(
    r"could not finish the message",
    r"max completion tokens reached",
    r"token limit reached",
    r"(?:output|completion) (?:token )?limit (?:was |has been )?reached",
)
_CONTEXT = _any(
    r"context.{0,20}(?:length|window|size)",
    r"maximum context",
    r"too many tokens",
    r"prompt is too long",
    r"(?:input|prompt|messages?) .{0,40}exceeds? the (?:maximum|available|model)",
    r"exceeds? the available context",
    r"exceeded model token limit",
)
_QUOTA = _any(
    r"insufficient[ _-](?:quota|balance|credits?|funds)",
    r"(?:not enough|out of|no|more|remaining|available|purchase|buy) credits",
    r"credit(?:s| balance) .{0,30}(?:too low|exhausted|depleted|used)",
    r"exceeded your current quota",
    r"billing (?:hard limit|not active|details)",
    r"(?:spend|spending|key|usage) (?:limit|cap) (?:is |has been |was )?(?:reached|exceeded|hit)",
    r"payment required",
    r"in arrears|overdue",
)
_KEY = _any(
    r"api[ _-]?key.{0,40}(?:not valid|invalid|incorrect|missing|expired|not found|required)",
    r"(?:invalid|incorrect|missing|expired|no|bad|wrong) (?:\w+ )?(?:api[ _-]?key|credentials)",
    r"(?:invalid|missing|expired) (?:access |bearer )?token\b",
    r"no auth credentials|user not found|authenticat\w+ (?:failed|fails|error|required)",
    r"login fail",
)
_MODEL = _any(
    r"models?\b.{0,120}(?:not found|does(?: not|n't) exist|not exist|decommissioned|not deployed)",
    r"models?\b.{0,80}has been (?:deprecated|retired|shut down)",
    r"models?\b.{0,80}no longer (?:supported|available)",
    r"(?:no such|unknown|invalid|not a valid|not found the|unable to access) model",
    r"model.{0,60}(?:is not a valid|is not available|is not supported by any|is not loaded)",
    r"no endpoints found for|no allowed providers|model id\b.{0,40}invalid",
    r"(?:does not|don't) have access to (?:the )?model|try pulling it",
    r"not a chat model|only supported in v1/responses",
)
_FILTERED = _any(
    r"content (?:management )?(?:filter|policy)",
    r"flagged|moderation|data inspection|safety (?:system|filter)|prohibited content",
)
_LIMITED = _any(r"rate.?limit", r"too many requests", r"try again in \d", r"throttl")
_OVERLOADED = _any(r"overload", r"temporarily unavailable", r"at capacity", r"try again later")
# A chat template that refuses the messages would refuse them again, whatever the status.
_HOPELESS = _any(r"roles must alternate", r"jinja", r"chat template")

_NO = _any(
    r"not (?:\w+ )?(?:support|allow|permit|recogni|valid|available|compatible)",
    r"unsupported|unrecogni|unknown|unexpected|unavailable|invalid|extra|require|only support",
    r"must (?:be|contain)|can ?not|no endpoints found|fail|(?:enabled|available) only",
)
_JSON = (
    r"response_?format|json_?schema|json_?object|structured[ _]outputs?|json mode|grammar"
    r"|guided|word .json."
)
_NOUN = r"(?:tool|function)s?\b(?: use| call\w*)?"
_NAMING: Mapping[str, re.Pattern[str]] = {
    "json_schema": _any(_JSON),
    "json_object": _any(_JSON),
    "max_completion_tokens": _any(r"max_?completion_?tokens"),
    "max_tokens": _any(r"max_?(?:new_|output_)?tokens"),
    "temperature": _any(r"temperature"),
    "top_p": _any(r"\btop_?p\b"),
    "seed": _any(
        r"['\"`]seed\b",
        r"\bseed['\"`]",
        r"\bseed (?:is|parameter|not)\b",
        r"support(?:s|ed|ing)? (?:the |a )?seed\b",
        r"(?:parameter|argument|field|propert|input|key)\w*:? seed\b",
    ),
    "reasoning_effort": _any(r"reasoning[._ ]?effort", r"\b(?:reasoning|thinking|effort)\b"),
    "stream_options": _any(r"stream_?options", r"include_usage"),
    "tool_choice": _any(r"tool_?choice"),
    "tools": _any(
        r"tools\[\d",
        r"['\"`]tools['\"`]",
        r"\btools param\b",
        r"param\w*:? tools\b",
        r"schema for function",
        r"tool choice requires",
        rf"{_NOUN}.{{0,60}}(?:support|enabled|available|allowed|permitted|requires)",
        rf"support.{{0,40}}{_NOUN}",
    ),
}
_POINTED = {
    "response_format": ("json_schema", "json_object"),
    "reasoning": ("reasoning_effort",),
    "thinking": ("reasoning_effort",),
    "functions": ("tools",),
}
"""Other names under which an error may point at a parameter."""
_LIKELIEST = ("json_schema", "json_object", "reasoning_effort", "tools", "seed", "top_p")
"""Which to leave out first where a server says only that it cannot take them all."""
_SOME_PARAMETER = _any(r"requested parameters", r"unsupported parameters?\b")
_JSON_WORD = _any(r"word .json.")
# What follows one of these is what the server does take.
_ALTERNATIVES = _any(
    r"expected one of", r"(?:supported|allowed|valid) (?:parameter|argument|field)s\b"
)
_MAY_NAME = frozenset({400, 404, 405, 415, 422, 500, 501})


def cause_of(status: int, said: Said, *, has_wait: bool = False) -> Cause:
    """Why the provider refused. `status` is the response's, or 0 if it began as a success.
    `has_wait` means that a pause was asked for: what passes by itself is no used-up quota, whatever
    the words."""
    status = status or said.status or 0
    names = [name.lower() for name in said.names]
    named = next((NAMES[name] for name in names if name in NAMES), None)
    everything = said.everything
    if _BUDGET.search(everything) and status not in (429, *range(500, 600)):
        return Cause.BUDGET
    if named is not None:
        return named
    soft = next((SOFT_NAMES[name] for name in names if name in SOFT_NAMES), None)
    return _by_words(status, everything, has_wait=has_wait) or _by_status(status, soft, everything)


def _by_words(status: int, words: str, *, has_wait: bool) -> Cause | None:
    is_ours = not status or status in range(400, 429)
    says = (
        (Cause.QUOTA, status == 402),  # noqa: PLR2004  HTTP's own number, as below
        (Cause.QUOTA, status < 500 and not has_wait and _QUOTA.search(words)),  # noqa: PLR2004
        (Cause.CONTEXT, is_ours and _CONTEXT.search(words)),
        (Cause.MODEL, status in (400, 403, 404, 410, 422, 0) and _MODEL.search(words)),
        (Cause.KEY, status == 401 or (is_ours and _KEY.search(words))),  # noqa: PLR2004
        (Cause.FILTER, is_ours and _FILTERED.search(words)),
        (Cause.REFUSED, status >= 500 and _HOPELESS.search(words)),  # noqa: PLR2004
    )
    return next((cause for cause, does in says if does), None)


def _by_status(status: int, soft: Cause | None, words: str) -> Cause:
    if status == 429 or (not status and (soft is Cause.LIMITED or _LIMITED.search(words))):  # noqa: PLR2004
        return Cause.LIMITED
    if status == 403:  # noqa: PLR2004  HTTP's own number
        return Cause.KEY
    if status in TRANSIENT or status >= 500:  # noqa: PLR2004  HTTP's own number
        return Cause.UNAVAILABLE
    if soft is not None and not status:
        return soft
    if not status or (status == 400 and _OVERLOADED.search(words)):  # noqa: PLR2004
        return Cause.UNAVAILABLE
    return Cause.REFUSED


def refused_parameter(status: int, said: Said, sent: frozenset[str]) -> str | None:
    """The one of the parameters in `sent` that the server does not take; None if the error is not
    about any of them."""
    status = status or said.status or 400
    words = said.everything
    if status not in _MAY_NAME or (status in (404, 500, 501) and not _NO.search(words)):
        return None
    if pointed := pointed_at(said, sent):
        return pointed
    if said.param.startswith("messages") and not _JSON_WORD.search(words):
        return None
    words = _ALTERNATIVES.split(words, maxsplit=1)[0]
    found = [(place, name) for name in sorted(sent) if (place := _place_of(name, words)) >= 0]
    if found and _NO.search(words):
        return min(found)[1]
    if _SOME_PARAMETER.search(words):
        return next((name for name in _LIKELIEST if name in sent), None)
    return None


def pointed_at(said: Said, sent: frozenset[str]) -> str | None:
    """The parameter that an error names in a field of its own, which leaves no doubt."""
    head = re.split(r"[.\[]", said.param, maxsplit=1)[0]
    names = _POINTED.get(head, (head,))
    return next((name for name in names if name in sent), None)


def _place_of(name: str, words: str) -> int:
    found = _NAMING[name].search(words)
    return found.start() if found else -1


# --- waits ---------------------------------------------------------------------------------------

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?"
_SPAN = re.compile(
    rf"({_NUMBER})\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)(?![a-z])",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    rf"(?:(?:try|retry) (?:again )?(?:in|after)|wait(?: for)?|retrydelay\W{{1,8}}"
    rf"|retry[_-]after\w*\W{{1,8}}|available in)\s*(?:about )?((?:{_NUMBER}\s*[a-z]*\s*){{1,4}})",
    re.IGNORECASE,
)


def wait_in(words: str) -> float | None:
    """The pause that words ask for: "Please try again in 1m2s", `"retryDelay": "48s"`."""
    found = [seconds for match in _AGAIN.finditer(words[:20_000])
             if (seconds := span_s(match[1])) is not None]  # fmt: skip
    return max(found, default=None)


def span_s(text: str) -> float | None:
    """`6m0s`, `350ms`, `1.5` or `22 seconds` in seconds; None if it is no span of time."""
    found = list(_spans(text))
    if found:
        return sum(found)
    try:
        return float(text)
    except ValueError:
        return None


def _spans(text: str) -> Iterator[float]:
    for number, unit in _SPAN.findall(text):
        is_short = unit.lower() in _UNITS
        yield float(number) * _UNITS[unit.lower() if is_short else _long(unit.lower())]


def _long(unit: str) -> str:
    return "ms" if unit.startswith("milli") else unit[0]
