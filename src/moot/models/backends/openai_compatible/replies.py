"""Reads chat completions: what is in them, however loosely the server keeps to the format.

Unknown fields are ignored, and fields that are only counted or compared may hold anything. What is
missing is reported as missing: usage is then estimated and marked so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from moot.errors import ReplyBroken, ReplyTooLarge
from moot.models.cleaning import MAX_TEXT_CHARS, clean_text
from moot.models.port import ChatRequest
from moot.models.thoughts import MAX_THOUGHT_CHARS
from moot.protocol.values import Usage
from moot.protocol.words import Finish
from moot.structs import ready

MAX_PLAUSIBLE_TOKENS = 10_000_000
"""A count above this, or below zero, is a server's mistake and not a count."""

MAX_PLAUSIBLE_USD = 1_000.0
"""The most that one reply can cost; a server that says more means another unit."""

CHARS_PER_TOKEN = 4

FINISHES: Mapping[str, Finish] = {
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence"), Finish.STOP),
    **dict.fromkeys(("complete", "completed"), Finish.STOP),
    **dict.fromkeys(("length", "max_tokens", "model_length", "max_output_tokens"), Finish.LENGTH),
    **dict.fromkeys(("model_context_window_exceeded", "token_limit"), Finish.LENGTH),
    **dict.fromkeys(("content_filter", "content_filtered", "safety", "sensitive"), Finish.FILTER),
    **dict.fromkeys(("prohibited_content", "blocklist", "recitation", "spii"), Finish.FILTER),
    **dict.fromkeys(("refusal", "guardrail_intervened"), Finish.FILTER),
}
"""Everything else is OTHER, even `tool_calls`: that tools are wanted is seen from the calls."""

BROKEN_OFF = frozenset(
    {"error", "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled"}
)
"""Reasons to stop that mean the reply broke off half-way (OpenRouter, Z.AI, DeepSeek, vLLM)."""


class WireUsage(msgspec.Struct, gc=False):
    prompt_tokens: Any = None
    completion_tokens: Any = None
    total_tokens: Any = None
    prompt_tokens_details: Any = None
    completion_tokens_details: Any = None
    reasoning_tokens: Any = None
    num_cached_tokens: Any = None  # Perplexity, Fireworks
    cached_tokens: Any = None  # Moonshot, Together
    prompt_cache_hit_tokens: Any = None  # DeepSeek
    cache_read_input_tokens: Any = None  # gateways to Anthropic
    input_tokens: Any = None
    output_tokens: Any = None
    cost: Any = None
    cost_details: Any = None
    is_byok: Any = None


ready(WireUsage)


class Text(msgspec.Struct, gc=False):
    """`message` of a whole reply, `delta` of a streamed one. Thoughts have many names."""

    content: Any = None
    refusal: Any = None
    tool_calls: Any = None
    reasoning_content: Any = None  # DeepSeek, Qwen, vLLM, llama.cpp, xAI, Z.AI, Moonshot
    reasoning: Any = None  # OpenRouter, Groq, Ollama, Together, Cerebras
    reasoning_details: Any = None  # OpenRouter, MiniMax
    thinking: Any = None
    thinking_blocks: Any = None  # LiteLLM


class Choice(msgspec.Struct, gc=False):
    message: Text | None = None
    delta: Text | None = None
    finish_reason: Any = None
    error: Any = None  # OpenRouter
    usage: Any = None  # Moonshot


class Completion(msgspec.Struct, gc=False):
    """A whole reply, or one chunk of a stream: they differ in `message` and `delta` only."""

    choices: list[Choice] | None = None
    usage: WireUsage | None = None
    model: Any = None
    error: Any = None


class Oddities(msgspec.Struct, gc=False):
    """What a few servers put beside a completion, read only when it is needed: fields cost time."""

    x_groq: Any = None
    base_resp: Any = None  # MiniMax
    message: Any = None
    detail: Any = None


_completions = msgspec.json.Decoder(Completion)
_oddities = msgspec.json.Decoder(Oddities)


def stated_usage(completion: Completion, data: bytes) -> WireUsage | None:
    """The usage, also from where Moonshot and Groq put it. `data` is the completion as it came."""
    if completion.usage is not None:
        return completion.usage
    found = completion.choices[0].usage if completion.choices else None
    if found is None and b"x_groq" in data:
        found = _detail(_read_oddities(data).x_groq, "usage")
    return msgspec.convert(found, WireUsage) if isinstance(found, dict) else None


def stated_error(completion: Completion, data: bytes) -> object:
    """What the server says went wrong, wherever in the body it stands; None if nothing did."""
    if completion.error:
        return completion.error
    if completion.choices:
        choice = completion.choices[0]
        reason = choice.finish_reason
        if choice.error:
            return choice.error
        is_broken_off = isinstance(reason, str) and reason.lower() in BROKEN_OFF
        return f"it stopped with {reason!r}" if is_broken_off else None
    if completion.usage is not None:
        return None
    odd = _read_oddities(data)
    if _detail(odd.base_resp, "status_code"):
        return {"message": _detail(odd.base_resp, "status_msg")}
    said = odd.message or odd.detail
    return said if isinstance(said, str | list) else None


def _read_oddities(data: bytes) -> Oddities:
    try:
        return _oddities.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Oddities()


def read_completion(data: bytes) -> Completion:
    """The completion in `data`. Raises ReplyBroken if there is none, or more than one."""
    try:
        return _completions.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_loosely(data)


def _read_loosely(data: bytes) -> Completion:
    """Forgives what does no harm: a byte order mark, lone surrogates, bad bytes, NaN, a list."""
    try:
        found = json.loads(data.decode("utf-8-sig", "replace"), strict=False)
        found = found[0] if isinstance(found, list) and len(found) == 1 else found
        return msgspec.convert(found, Completion)
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


def thought_of(text: Text) -> str:
    """The thought in a message or in a piece of one, under whichever name it came.

    Some servers send the same thought under two names: the first that holds any text counts.
    """
    fields = (text.reasoning_content, text.reasoning, text.reasoning_details, text.thinking)
    for field in (*fields, text.thinking_blocks):
        if field and (thought := _thought(field)):
            return thought
    if isinstance(text.content, list):
        return "".join(_thought(part) for part in text.content if _is_thought(part))
    return ""


def _is_thought(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind.startswith(("thinking", "reasoning", "thought"))


def _thought(found: Any, depth: int = 4) -> str:
    """The text in `found`: itself, that of a list's items, or that of a field that servers use."""
    if isinstance(found, str):
        return found
    if isinstance(found, list) and depth:
        return "".join(_thought(one, depth - 1) for one in found)
    if isinstance(found, dict) and depth:
        names = ("text", "thinking", "summary", "content", "reasoning")
        return next((text for one in names if (text := _thought(found.get(one), depth - 1))), "")
    return ""


def joined_thoughts(*thoughts: str) -> str:
    """Thoughts from fields of their own and thoughts aloud as one text, clean and bounded."""
    if not any(thoughts):
        return ""
    found = (clean_text(thought, max_chars=MAX_THOUGHT_CHARS).strip() for thought in thoughts)
    return "\n\n".join(thought for thought in found if thought)[:MAX_THOUGHT_CHARS]


def finish_of(reason: Any) -> Finish:
    """Why the model stopped, in our words."""
    return FINISHES.get(reason.lower(), Finish.OTHER) if isinstance(reason, str) else Finish.OTHER


def usage_of(wire: WireUsage | None, request: ChatRequest, written: int, thought: int = 0) -> Usage:
    """The provider's own count where it makes sense, else an estimate that says so.

    `written` and `thought` are the characters of the answer and of the thoughts that were shown.
    """
    wire = wire or WireUsage()
    sent = _count(wire.prompt_tokens, wire.input_tokens)
    received = _count(wire.completion_tokens, wire.output_tokens)
    is_estimated = sent is None or received is None
    if sent is None:
        sent = _estimate(sum(len(message.content) for message in request.messages))
    if received is None:
        received = _estimate(written) + _estimate(thought)
    cached = _cached(wire)
    total = _count(wire.total_tokens)
    if not is_estimated and total is not None and total > sent + received:
        if cached and total == sent + received + cached:
            sent += cached  # these are not counted in what was sent
        else:
            received = total - sent  # thoughts are not counted in the answer: xAI, Gemini
    return Usage(
        input_tokens=sent,
        output_tokens=received,
        thought_tokens=min(received, _thought_tokens(wire, received, written, thought)),
        cached_tokens=min(cached, sent),
        cost_usd=_cost_usd(wire),
        is_estimated=is_estimated,
    )


def _cached(wire: WireUsage) -> int:
    return _first(
        _detail(wire.prompt_tokens_details, "cached_tokens"),
        wire.num_cached_tokens,
        wire.cached_tokens,
        wire.prompt_cache_hit_tokens,
        wire.cache_read_input_tokens,
    )


def _thought_tokens(wire: WireUsage, received: int, written: int, thought: int) -> int:
    stated = _detail(wire.completion_tokens_details, "reasoning_tokens")
    if count := _first(stated, wire.reasoning_tokens):
        return count
    answer = _count(wire.completion_tokens)
    if answer is not None and answer < received:
        return received - answer
    # Thoughts that are shown but not counted get their share of what was written, by length.
    return round(received * thought / (written + thought)) if thought else 0


def _cost_usd(wire: WireUsage) -> float | None:
    """What the provider says it cost; with a key of one's own, plus the upstream charge."""
    if wire.cost is None:
        return None
    cost = _price(_detail(wire.cost, "total_cost") if isinstance(wire.cost, dict) else wire.cost)
    upstream = _price(_detail(wire.cost_details, "upstream_inference_cost") if wire.is_byok else 0)
    return None if cost is None else cost + (upstream or 0.0)


def _price(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= MAX_PLAUSIBLE_USD else None


def _detail(details: Any, name: str) -> Any:
    return details.get(name) if isinstance(details, dict) else None


def _count(value: Any, other: Any = None) -> int | None:
    """The first that can be a number of tokens. True is an int in Python, but no count."""
    if type(value) is int and 0 <= value <= MAX_PLAUSIBLE_TOKENS:
        return value
    return None if other is None else _count(other)


def _first(*values: Any) -> int:
    """The first of the values that counts anything; 0 if none does, as in most replies."""
    for value in values:
        if value is not None and (count := _count(value)):
            return count
    return 0


def _estimate(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def check_length(chars: int) -> None:
    """Raises ReplyTooLarge if a reply's text is longer than any reply may be."""
    if chars > MAX_TEXT_CHARS:
        message = f"the reply has more than {MAX_TEXT_CHARS} characters"
        raise ReplyTooLarge(message)
