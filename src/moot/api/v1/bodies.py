"""What clients of OpenAI's API send, read leniently: unknown fields are left alone.

A body that cannot be used is refused before anything is asked; the first mistake is told, with the
part of the request that it is in.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from moot.errors import InvalidInput
from moot.structs import ready

MOST_STOPS = 4
_PLACE = re.compile(r"(?s)(.*) - at `\$\.?(.*)`\Z")

T = TypeVar("T")


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a message. If it is not text, nothing but its type is looked at."""

    type: str = "text"
    text: str | None = None
    refusal: str | None = None


class MessageBody(msgspec.Struct, frozen=True, kw_only=True):
    """Thoughts that a client sends back (`reasoning_content`, `reasoning`) are not read."""

    role: str
    content: str | list[Part] | None = None
    name: str | None = None


class SchemaBody(msgspec.Struct, frozen=True, kw_only=True):
    name: str = "answer"
    schema: dict[str, Any] | None = None


class FormatBody(msgspec.Struct, frozen=True, kw_only=True):
    """`response_format` has the schema in `json_schema`; `text.format` has it beside the type."""

    type: str = "text"
    json_schema: SchemaBody | None = None
    name: str = "answer"
    schema: dict[str, Any] | None = None


class StreamOptions(msgspec.Struct, frozen=True, kw_only=True):
    include_usage: bool | None = None


class Extra(msgspec.Struct, frozen=True, kw_only=True):
    """What only Moot understands."""

    foot: bool = True
    """Whether the answer ends with a line about the debate."""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """What both ways of asking have in common."""

    model: str
    stream: bool | None = None
    temperature: float | None = None
    top_p: float | None = None
    tools: list[Any] | None = None
    tool_choice: Any = None
    top_logprobs: int | None = None
    user: str | None = None
    moot: Extra | None = None


class ChatBody(Asking, frozen=True, kw_only=True):
    """`POST /v1/chat/completions`."""

    messages: list[MessageBody]
    stream_options: StreamOptions | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    n: int | None = None
    logprobs: bool | None = None
    modalities: list[str] | None = None
    functions: list[Any] | None = None
    function_call: Any = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    logit_bias: Any = None
    response_format: FormatBody | None = None


class TextBody(msgspec.Struct, frozen=True, kw_only=True):
    format: FormatBody | None = None


class ReasoningBody(msgspec.Struct, frozen=True, kw_only=True):
    effort: str | None = None


class ItemBody(msgspec.Struct, frozen=True, kw_only=True):
    """An item of `input`: a message, a call of a tool of the client's, or what that call gave."""

    type: str = "message"
    role: str = ""
    content: str | list[Part] | None = None
    name: str = ""
    arguments: str = ""
    output: Any = None


class ResponseBody(Asking, frozen=True, kw_only=True):
    """`POST /v1/responses`."""

    input: str | list[ItemBody]
    instructions: str | None = None
    previous_response_id: str | None = None
    conversation: Any = None
    background: bool | None = None
    max_output_tokens: int | None = None
    text: TextBody | None = None
    reasoning: ReasoningBody | None = None
    include: list[str] | None = None


ready(ChatBody, ResponseBody)


def read(data: bytes, kind: type[T]) -> T:
    """The body. Raises InvalidInput with the part that is wrong."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise _mistake(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"the body is not JSON: {str(error).removeprefix('JSON is malformed: ')}"
        raise InvalidInput(message) from None


def _mistake(told: str) -> InvalidInput:
    """What msgspec tells, such as `Expected str, got int - at $.model`, in our words and with its
    place."""
    found = _PLACE.match(told)
    what, place = (found[1], found[2]) if found else (told, "")
    if missing := re.search(r"missing required field `(\w+)`", what):
        return InvalidInput("is required", field=".".join(filter(None, (place, missing[1]))))
    what = what.replace("Expected", "must be").replace("`", "").replace("got", "not")
    return InvalidInput(what, field=place or None)
