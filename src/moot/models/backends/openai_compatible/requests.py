"""Writes the body of a chat request.

A debate's list of messages only ever grows at its end, so what was encoded for the last call is
kept: the thousandth turn encodes its two new messages and not the thousand before them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from moot.models.endpoint import Endpoint
from moot.models.learning import SAMPLED, Form, limit_field, schema_form
from moot.models.port import ChatRequest, Tool
from moot.protocol.answers import Schema
from moot.protocol.values import Message, Sampling

CACHED_FROM_MESSAGES = 64
"""Shorter lists are encoded each time: that takes microseconds, and memory is dearer."""

MAX_CACHED_BYTES = 16 * 1024 * 1024
"""Encoded messages kept per endpoint; the lists used longest ago go first."""

_encode = msgspec.json.Encoder().encode
_UNSET = Sampling()


class BodyWriter:
    """Writes request bodies in the dialect of one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._messages = EncodedMessages()

    def body(self, request: ChatRequest, *, is_streamed: bool) -> bytes:
        """The whole JSON body."""
        head = _encode(self._parameters(request, is_streamed=is_streamed))
        # The object is closed by hand, so that the messages can be added without a copy of them.
        parts = (head[:-1], b',"messages":[', *self._messages.parts(request.messages), b"]}")
        return b"".join(parts)

    def _parameters(self, request: ChatRequest, *, is_streamed: bool) -> Mapping[str, Any]:
        endpoint, refused = self._endpoint, request.refused
        body: dict[str, Any] = {"model": request.model}
        if request.budget is not None and (field := limit_field(endpoint, request)):
            body[field] = request.budget
        if request.sampling != _UNSET:
            body |= _sampling(request.sampling)
        if request.schema is not None and (form := schema_form(endpoint, refused)) != "none":
            body["response_format"] = _response_format(request.schema, form)
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            if not request.may_call:
                body["tool_choice"] = "none"
        if is_streamed:
            body["stream"] = True
            if endpoint.stream_usage and "stream_options" not in refused:
                body["stream_options"] = {"include_usage": True}
        body.update(endpoint.extra)
        # A field of `extra`, which a user adds to every request, is refused under its own name.
        return {name: body[name] for name in body if name not in refused} if refused else body


def _sampling(sampling: Sampling) -> dict[str, Any]:
    """The sampling that is wished for. Its fields have the same names on the wire."""
    return {name: value for name in SAMPLED if (value := getattr(sampling, name)) is not None}


def _response_format(schema: Schema, form: Form) -> Mapping[str, Any]:
    if form == "json_object":
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.name, "strict": True, "schema": schema.body},
    }


def _tool(tool: Tool) -> Mapping[str, Any]:
    function = {"name": tool.name, "description": tool.about, "parameters": tool.parameters}
    return {"type": "function", "function": function}


class _Encoded(msgspec.Struct):
    """A list of messages, and its encoding: all of them, with commas between."""

    messages: list[Message]
    text: bytearray

    @property
    def size(self) -> int:
        return len(self.text)


class EncodedMessages:
    """Remembers the encoding of long lists of messages, within MAX_CACHED_BYTES."""

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._lists: OrderedDict[tuple[str, ...], _Encoded] = OrderedDict()

    def parts(self, messages: Sequence[Message]) -> Sequence[bytes | bytearray]:
        """The encoded messages with commas between them. Join them before the next call."""
        if len(messages) < CACHED_FROM_MESSAGES:
            # An encoded list, its brackets cut off.
            return (_encode(messages)[1:-1],)
        # The first reply is what tells one debate's list from another's with the same prompts.
        key = tuple(message.content for message in messages[:3])
        known = self._lists.get(key)
        # Lists compare by identity first: for messages that were kept this costs next to nothing.
        if known is not None and known.messages == messages[: len(known.messages)]:
            self._extend(known, messages)
            self._lists.move_to_end(key)
        else:
            self._forget(key)
            known = _Encoded(messages=[], text=bytearray())
            self._lists[key] = known
            self._extend(known, messages)
        self._trim()
        return (known.text,)

    def _extend(self, known: _Encoded, messages: Sequence[Message]) -> None:
        fresh = messages[len(known.messages) :]
        # Keep the list as it came this time: messages made anew compare by identity from now on.
        known.messages = list(messages)
        if not fresh:
            return
        before = known.size
        if known.text:
            known.text += b","
        known.text += _encode(fresh)[1:-1]
        self._size += known.size - before

    def _forget(self, key: tuple[str, ...]) -> None:
        gone = self._lists.pop(key, None)
        if gone is not None:
            self._size -= gone.size

    def _trim(self) -> None:
        while self._size > self._max_bytes:
            self._forget(next(iter(self._lists)))
