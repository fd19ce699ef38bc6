"""What somebody wants of a panel, whichever way it was asked: one value from two kinds of bodies.

What clients of OpenAI's API send is read leniently: unknown fields are left alone. A body that
cannot be used is refused before anything is asked; the first mistake is told, with the part of the
request that it is in. It is decided here what is refused, what is ignored (which the client is
told), and what is taken into account. Nothing is asked and nothing is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from moot.api.v1.conversation import Said
from moot.api.v1.schemas import flaws
from moot.errors import InvalidInput
from moot.protocol.answers import Schema
from moot.protocol.words import Effort
from moot.structs import ready

TEXTS = frozenset({"text", "input_text", "output_text", "refusal"})
"""The types of parts that are read; others cannot be put before a panel."""
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
SAMPLED = ("temperature", "top_p", "reasoning_effort")
NEVER = ("frequency_penalty", "presence_penalty", "logit_bias")
"""What no panel takes from a request."""
ANYTHING = Schema(name="object", body={"type": "object"})
"""What `json_object` asks for."""

MOST_STOPS = 4
_PLACE = re.compile(r"(?s)(.*) - at `\$\.?(.*)`\Z")

T = TypeVar("T")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """`sampling` is what applies to everybody in a panel with `inherit`; `ignored` names parameters
    that have no effect. `follows` is the id of an earlier response."""

    model: str
    messages: tuple[Said, ...]
    field: str = "messages"
    """What the client calls the messages."""
    is_streamed: bool = False
    has_usage: bool = False
    """Whether a stream ends with a chunk for what was used."""
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    sampling: Mapping[str, Any] = {}
    schema: Schema | None = None
    user: str = ""
    ignored: tuple[str, ...] = ()
    has_foot: bool = True
    is_background: bool = False
    follows: str = ""

    @property
    def parameters(self) -> tuple[Any, ...]:
        """What distinguishes it from another question with the same messages. Whether it is
        streamed does not: a client that asks once more in another way asks the same question."""
        schema = (self.schema.name, self.schema.body) if self.schema else None
        told = (self.max_tokens, self.stop, self.seed, dict(self.sampling), schema, self.user)
        return (*told, self.follows)


def of_chat(body: ChatBody) -> Wanted:
    """What a chat request wants. Raises InvalidInput for what a panel cannot do."""
    if body.n not in (None, 1):
        raise InvalidInput("must be 1: a panel gives one answer", field="n")
    if body.logprobs or body.top_logprobs:
        raise InvalidInput("cannot be had of a panel", field="logprobs")
    if "audio" in (body.modalities or ()):
        raise InvalidInput("must be text only", field="modalities")
    most = body.max_completion_tokens if body.max_completion_tokens is not None else body.max_tokens
    options = body.stream_options
    return Wanted(
        model=body.model,
        messages=tuple(_of_message(one, n) for n, one in enumerate(body.messages)),
        is_streamed=bool(body.stream),
        has_usage=bool(options and options.include_usage),
        max_tokens=_positive(most, "max_tokens"),
        stop=_stops(body.stop),
        seed=body.seed,
        sampling=_sampling(body, body.reasoning_effort),
        schema=_schema(body.response_format, "response_format"),
        user=body.user or "",
        ignored=tuple(_ignored(body, (body.tools, body.functions), body.function_call)),
        has_foot=body.moot is None or body.moot.foot,
    )


def of_response(body: ResponseBody) -> Wanted:
    """What a request of the Responses API wants. Raises InvalidInput for what a panel cannot do."""
    if body.top_logprobs:
        raise InvalidInput("cannot be had of a panel", field="top_logprobs")
    if body.conversation is not None:
        message = "is not kept here: send what was said before, or use previous_response_id"
        raise InvalidInput(message, field="conversation")
    schema = _schema(body.text.format if body.text else None, "text.format")
    if body.background and schema:
        message = "cannot be JSON in the background: ask without `background`"
        raise InvalidInput(message, field="text.format")
    return Wanted(
        model=body.model,
        messages=tuple(_of_input(body)),
        field="input",
        is_streamed=bool(body.stream),
        max_tokens=_positive(body.max_output_tokens, "max_output_tokens"),
        sampling=_sampling(body, body.reasoning.effort if body.reasoning else None),
        schema=schema,
        user=body.user or "",
        ignored=tuple(_ignored(body, (body.tools,), None)),
        has_foot=body.moot is None or body.moot.foot,
        is_background=bool(body.background),
        follows=body.previous_response_id or "",
    )


# --- messages ------------------------------------------------------------------------------------


def _of_message(one: MessageBody, number: int) -> Said:
    if one.role not in ROLES:
        message = f"must be one of {', '.join(sorted(ROLES))}"
        raise InvalidInput(message, field=f"messages[{number}].role")
    return Said(one.role, _text(one.content, f"messages[{number}].content"))


def _of_input(body: ResponseBody) -> Iterator[Said]:
    if body.instructions:
        yield Said("system", body.instructions)
    if isinstance(body.input, str):
        yield Said("user", body.input)
        return
    for number, item in enumerate(body.input):
        if said := _of_item(item, f"input[{number}]"):
            yield said


def _of_item(item: ItemBody, field: str) -> Said | None:
    match item.type:
        case "message":
            if item.role not in ROLES:
                message = f"must be one of {', '.join(sorted(ROLES))}"
                raise InvalidInput(message, field=f"{field}.role")
            return Said(item.role, _text(item.content, f"{field}.content"))
        case "function_call":
            return Said("assistant", f"{item.name}({item.arguments})")
        case "function_call_output":
            is_text = isinstance(item.output, str)
            return Said(
                "tool", item.output if is_text else msgspec.json.encode(item.output).decode()
            )
        case _:  # thoughts of ours, references, what other tools did
            return None


def _text(content: str | Sequence[Part] | None, field: str) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    for number, part in enumerate(content):
        if part.type not in TEXTS:
            kind = part.type[:40].removeprefix("input_").removesuffix("_url")
            message = f"a panel reads text only; leave out the {kind}"
            raise InvalidInput(message, field=f"{field}[{number}]")
    return "\n".join(part.text or part.refusal or "" for part in content)


# --- parameters ----------------------------------------------------------------------------------


def _positive(number: int | None, field: str) -> int | None:
    if number is not None and number < 1:
        raise InvalidInput("must be at least 1", field=field)
    return number


def _stops(stop: str | Sequence[str] | None) -> tuple[str, ...]:
    found = (stop,) if isinstance(stop, str) else tuple(stop or ())
    if len(found) > MOST_STOPS:
        message = f"must be at most {MOST_STOPS} texts"
        raise InvalidInput(message, field="stop")
    return tuple(one for one in found if one)


def _sampling(body: ChatBody | ResponseBody, effort: str | None) -> dict[str, Any]:
    known = effort if effort in {one.value for one in Effort} else None
    found = {"temperature": body.temperature, "top_p": body.top_p, "reasoning_effort": known}
    return {name: value for name, value in found.items() if value is not None}


def _schema(form: FormatBody | None, field: str) -> Schema | None:
    match form and form.type:
        case None | "text":
            return None
        case "json_object":
            return ANYTHING
        case "json_schema":
            assert form is not None  # noqa: S101 - it has a type
            found = form.json_schema.schema if form.json_schema else form.schema
            if not isinstance(found, dict):
                raise InvalidInput("needs a schema", field=f"{field}.json_schema.schema")
            if wrong := flaws(found):
                place = "json_schema.schema" if form.json_schema else "schema"
                message = f"is no schema that can be met: {wrong}"
                raise InvalidInput(message, field=f"{field}.{place}")
            name = form.json_schema.name if form.json_schema else form.name
            return Schema(name=name, body=found)
        case _:
            message = "must be text, json_object or json_schema"
            raise InvalidInput(message, field=f"{field}.type")


def _ignored(
    body: ChatBody | ResponseBody, tools: Sequence[Any], function_call: Any
) -> Iterator[str]:
    if any(tools):
        for choice, field in ((body.tool_choice, "tool_choice"), (function_call, "function_call")):
            if choice not in (None, "auto", "none"):
                message = "cannot be met: a panel calls no tools of its client"
                raise InvalidInput(message, field=field)
        yield "tools"
    yield from (name for name in NEVER if getattr(body, name, None) not in (None, 0, 0.0, {}))


# --- what clients send ---


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
