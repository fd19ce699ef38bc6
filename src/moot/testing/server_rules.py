"""What a strict server takes: it checks what it is sent, refuses as real ones do, and thinks first.

    async with ScriptedServer(rules=Rules(refuses={"temperature"}, thoughts=700)) as server:

A request that breaks a rule is answered with an error, and the ledger books it with `refused` and
the reason: a parameter's name, or what is wrong with messages or schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from moot.testing.server_wire import Answer, WireMessage, WireRequest, text_of_thoughts

Wording = Callable[[str], tuple[int, Any]]
"""The status and the body by which a parameter is refused."""

OUT_OF_ROOM = (
    "Could not finish the message because max_tokens or model output limit was reached."
    " Please try again with higher max_tokens."
)


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """`thoughts` tokens are thought before each answer and count towards the budget. What does not
    fit is cut off; if nothing is left, that is an error if `is_blunt`. A token is a word."""

    refuses: frozenset[str] = frozenset()
    wording: str = "openai"
    thoughts: int = 0
    is_blunt: bool = False
    output_limit: int | None = None


class Refusal(msgspec.Struct, frozen=True):
    """`reason` is for the ledger."""

    reason: str
    status: int
    body: Any


def refusal(rules: Rules, request: WireRequest) -> Refusal | None:
    """The first reason why the request is not taken; None if it is."""
    for name, is_sent in SENT.items():
        if name in rules.refuses and is_sent(request):
            return Refusal(name, *WORDINGS[rules.wording](name))
    limit, budget = rules.output_limit, request.budget
    if limit is not None and budget is not None and budget > limit:
        words = f"max_tokens is too large: {budget}. This model supports at most {limit}"
        return _refused("output_limit", f"{words} completion tokens.", "max_tokens")
    if wrong := misshapen(request.messages):
        return _refused(wrong, wrong)
    schema = request.schema
    if schema is not None and (loose := loose_parts(schema)):
        words = f"Invalid schema for response_format: {loose[0]}"
        return _refused(loose[0], words, "response_format")
    if rules.is_blunt and budget is not None and budget <= rules.thoughts:
        return _refused("budget", OUT_OF_ROOM)
    return None


def think(rules: Rules, request: WireRequest, answer: Answer) -> None:
    """Put thoughts before the answer, and cut both off where the budget ends."""
    words = answer.content.split(" ")
    room = request.budget
    if room is not None and room < rules.thoughts + len(words):
        kept = max(0, room - rules.thoughts)
        answer.content, answer.finish_reason = " ".join(words[:kept]), "length"
        answer.tool_calls = ()
        written, thoughts = room, room - kept
    else:
        written, thoughts = rules.thoughts + len(words), rules.thoughts
    answer.thought = text_of_thoughts(thoughts)
    sent = answer.usage["prompt_tokens"]
    answer.usage = {
        "prompt_tokens": sent,
        "completion_tokens": written,
        "total_tokens": sent + written,
        "completion_tokens_details": {"reasoning_tokens": thoughts},
    }


# Whether each parameter is sent, by Moot's names for them (`moot.models.port.PARAMETERS`).

SENT: Mapping[str, Callable[[WireRequest], bool]] = {
    "max_tokens": lambda sent: sent.max_tokens is not None,
    "max_completion_tokens": lambda sent: sent.max_completion_tokens is not None,
    "json_schema": lambda sent: _format(sent) == "json_schema",
    "json_object": lambda sent: _format(sent) == "json_object",
    "tools": lambda sent: sent.tools is not None,
    "tool_choice": lambda sent: sent.tool_choice is not None,
    "stream_options": lambda sent: sent.stream_options is not None,
    "temperature": lambda sent: sent.temperature is not None,
    "top_p": lambda sent: sent.top_p is not None,
    "seed": lambda sent: sent.seed is not None,
    "reasoning_effort": lambda sent: sent.reasoning_effort is not None,
}


def _format(sent: WireRequest) -> str:
    return str((sent.response_format or {}).get("type", ""))


# How it is refused. The words are ours, the shapes are those of the servers named.


def _field(name: str) -> str:
    return "response_format" if name.startswith("json_") else name


def _refused(reason: str, message: str, param: str | None = None) -> Refusal:
    return Refusal(reason, 400, _error(message, param))


def _error(message: str, param: str | None, code: str | None = None) -> Any:
    return {
        "error": {
            "message": message,
            "type": "invalid_request_error",
            "param": param,
            "code": code,
        }
    }


def _openai(name: str) -> tuple[int, Any]:
    if name == "temperature":
        words = "Unsupported value: 'temperature' does not support 0 with this model."
        return 400, _error(words, name, "unsupported_value")
    if name.startswith("json_"):
        words = f"Invalid parameter: 'response_format' of type '{name}' is not supported here."
        return 400, _error(words, "response_format")
    other = "max_completion_tokens" if name == "max_tokens" else "max_tokens"
    hint = f" Use '{other}' instead." if name.startswith("max_") else ""
    words = f"Unsupported parameter: '{name}' is not supported with this model.{hint}"
    return 400, _error(words, name, "unsupported_parameter")


def _vllm(name: str) -> tuple[int, Any]:
    words = f"[{{'type': 'extra_forbidden', 'loc': ('body', '{_field(name)}'), 'msg': 'Extra'}}]"
    return 400, {"object": "error", "message": words, "type": "BadRequestError", "code": 400}


def _fastapi(name: str) -> tuple[int, Any]:
    where = ["body", _field(name)]
    return 422, {"detail": [{"type": "extra_forbidden", "loc": where, "msg": "Extra inputs"}]}


def _ollama(name: str) -> tuple[int, Any]:
    return 400, {"error": f"this model does not support the parameter {name}"}


def _deepseek(name: str) -> tuple[int, Any]:
    said = "This response_format type is unavailable now"
    words = said if name.startswith("json_") else f"unknown parameter {name}"
    return 400, _error(words, None, "invalid_request_error")


WORDINGS: Mapping[str, Wording] = {
    "openai": _openai,
    "vllm": _vllm,
    "fastapi": _fastapi,
    "ollama": _ollama,
    "deepseek": _deepseek,
}


# The shape of messages and schemas


def misshapen(messages: Sequence[WireMessage]) -> str:
    """What a strict chat template says against these messages; "" if it takes them."""
    body = messages[1:] if messages and messages[0].role == "system" else messages
    if any(one.role == "system" for one in body):
        return "There is one system message, and it comes first."
    if not body or body[-1].role not in ("user", "tool"):
        return "The last message must be of the role user or tool."
    if any(not (one.text.strip() or one.tool_calls) for one in messages):
        return "Messages must have content."
    # As templates count: calls of tools and their results stand between a question and its answer.
    turns = [one.role for one in body if one.role != "tool" and not one.tool_calls]
    if turns[:1] != ["user"] or any(one == other for one, other in pairwise(turns)):
        return "Conversation roles must alternate user/assistant/user/assistant/..."
    return _unanswered(body)


def _unanswered(body: Sequence[WireMessage]) -> str:
    open_calls: list[str] = []
    for one in body:
        if one.role == "tool":
            if one.tool_call_id not in open_calls:
                return "A tool message must answer a call before it."
            open_calls.remove(one.tool_call_id)
        elif open_calls:
            return "Every call of a tool must be answered."
        else:
            open_calls = [call["id"] for call in one.tool_calls or ()]
    return "Every call of a tool must be answered." if open_calls else ""


def loose_parts(schema: Any) -> list[str]:
    """What strict mode does not take in a schema, and where."""
    return list(_loose(schema, "schema"))


def _loose(schema: Any, where: str) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        if set(schema.get("required", ())) != set(properties):
            yield f"{where}: 'required' must have every property"
        if schema.get("additionalProperties") is not False:
            yield f"{where}: 'additionalProperties' must be false"
        for name, part in properties.items():
            yield from _loose(part, f"{where}.{name}")
    yield from _loose(schema.get("items"), f"{where}[]")
    for option in schema.get("anyOf", ()):
        yield from _loose(option, where)
