"""Reads chat completions: what is in them, however loosely the server keeps to the format.

Unknown fields are ignored, and fields that are only counted or compared may hold anything. What is
not there is said to be not there: usage is then estimated and marked so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from moot.errors import ReplyBroken, ReplyTooLarge
from moot.models.cleaning import MAX_TEXT_CHARS
from moot.models.port import ChatRequest
from moot.protocol.values import Usage
from moot.protocol.words import Finish

MAX_PLAUSIBLE_TOKENS = 10_000_000
"""A count above this, or below zero, is a server's mistake and not a count."""

CHARS_PER_TOKEN = 4

FINISHES: Mapping[str, Finish] = {
    "stop": Finish.STOP,
    "eos": Finish.STOP,
    "end_turn": Finish.STOP,
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "content_filter": Finish.FILTER,
    "safety": Finish.FILTER,
}
"""Everything else is OTHER, also `tool_calls`: that tools are wanted is seen from the calls."""


class TokenDetails(msgspec.Struct, gc=False):
    cached_tokens: Any = None
    reasoning_tokens: Any = None


class WireUsage(msgspec.Struct, gc=False):
    prompt_tokens: Any = None
    completion_tokens: Any = None
    prompt_tokens_details: TokenDetails | None = None
    completion_tokens_details: TokenDetails | None = None
    prompt_cache_hit_tokens: Any = None  # DeepSeek's name for the same


class Text(msgspec.Struct, gc=False):
    """`message` of a whole reply, `delta` of a streamed one. Reasoning is not part of the reply."""

    content: Any = None
    refusal: Any = None
    tool_calls: Any = None


class Choice(msgspec.Struct, gc=False):
    message: Text | None = None
    delta: Text | None = None
    finish_reason: Any = None


class Completion(msgspec.Struct, gc=False):
    """A whole reply, or one chunk of a stream: they differ in `message` and `delta` only."""

    choices: list[Choice] | None = None
    usage: WireUsage | None = None
    model: Any = None
    error: Any = None


class Refusal(msgspec.Struct, gc=False):
    """The body of an error response, in the shapes that are met."""

    error: Any = None
    message: Any = None
    detail: Any = None


Shape = TypeVar("Shape", Completion, Refusal)

_completions = msgspec.json.Decoder(Completion)
_refusals = msgspec.json.Decoder(Refusal)


def read_completion(data: bytes) -> Completion:
    """The completion in `data`. Raises ReplyBroken if there is none, or more than one."""
    try:
        return _completions.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_loosely(data, Completion)


def read_refusal(data: bytes) -> Refusal:
    """The error in `data`. Raises ReplyBroken if it has none in a shape that is known."""
    try:
        return _refusals.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_loosely(data, Refusal)


def _read_loosely(data: bytes, shape: type[Shape]) -> Shape:
    """Forgives what does no harm: a byte order mark, lone surrogates, bad bytes, NaN."""
    try:
        found = json.loads(data.decode("utf-8-sig", "replace"), strict=False)
        return msgspec.convert(found, shape)
    except (ValueError, RecursionError) as error:  # msgspec.ValidationError is a ValueError
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        message = f"the reply is not readable JSON ({len(data)} bytes): {reason[:120]}"
        raise ReplyBroken(message) from None


def text_of(content: Any) -> str:
    """The text in a `content` field: a string, a list of parts, or nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_part_text(part) for part in content)
    return ""


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text"):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""


def finish_of(reason: Any) -> Finish:
    """Why the model stopped, in our words."""
    return FINISHES.get(reason.lower(), Finish.OTHER) if isinstance(reason, str) else Finish.OTHER


def usage_of(wire: WireUsage | None, request: ChatRequest, content: str) -> Usage:
    """The provider's own count where it makes sense, else an estimate that says so."""
    sent = _count(wire and wire.prompt_tokens)
    received = _count(wire and wire.completion_tokens)
    if wire is not None and sent is not None and received is not None:
        details = wire.prompt_tokens_details
        cached = _count(details and details.cached_tokens) or _count(wire.prompt_cache_hit_tokens)
        parts = wire.completion_tokens_details
        return Usage(
            input_tokens=sent,
            output_tokens=received,
            thought_tokens=min(_count(parts and parts.reasoning_tokens) or 0, received),
            cached_tokens=min(cached or 0, sent),
        )
    return Usage(
        input_tokens=_estimate(sum(len(message.content) for message in request.messages))
        if sent is None
        else sent,
        output_tokens=_estimate(len(content)) if received is None else received,
        is_estimated=True,
    )


def _count(value: Any) -> int | None:
    """`value` if it can be a number of tokens. True is an int in Python, and no count."""
    if type(value) is int and 0 <= value <= MAX_PLAUSIBLE_TOKENS:
        return value
    return None


def _estimate(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def check_length(chars: int) -> None:
    """Raises ReplyTooLarge if a reply's text is longer than any reply may be."""
    if chars > MAX_TEXT_CHARS:
        message = f"the reply has more than {MAX_TEXT_CHARS} characters"
        raise ReplyTooLarge(message)
