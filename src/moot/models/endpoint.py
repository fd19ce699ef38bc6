"""Where a provider is reached, with which key, and how its dialect differs.

The key is never shown, and never let in again. A gateway that repeats its request, or a model that
was shown its headers, would otherwise put it into the log, the exports and the prompts of every
other provider (P10). Errors are the adapters' business: they quote a provider only after taking
keys out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec

from moot.models.port import ChatModel, ChatReply, ChatRequest, OnText
from moot.protocol.values import Function

REDACTED = "[key]"
MIN_SECRET_CHARS = 8
"""Shorter ones (`none`, `ollama`) are no secrets, and are words that a model may well say."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One OpenAI-compatible server.

    `provider` is for messages and logs. `extra` is merged into every request's body.
    `max_tokens_field` is for models whose names begin with a match of the pattern `own_names`, if
    there is one; all others get `max_tokens`. `key_variable` is where the key was read, so that an
    error can say what to set. The key, and headers, which may hold one, are never shown: not in
    repr, logs or errors.
    """

    provider: str
    base_url: str
    api_key: str = ""
    headers: Mapping[str, str] = {}
    max_tokens_field: str = "max_tokens"
    own_names: str = ""
    schema_support: Literal["json_schema", "json_object", "none"] = "json_schema"
    stream_usage: bool = True
    extra: Mapping[str, Any] = {}
    max_concurrent: int = 64
    key_variable: str = ""

    @property
    def key_name(self) -> str:
        """The environment variable a person would set, such as `DEEPSEEK_API_KEY`."""
        return self.key_variable or f"{self.provider.upper().replace('-', '_')}_API_KEY"

    def tokens_field(self, model: str) -> str:
        """The parameter that bounds the length of what this model writes."""
        return self.max_tokens_field if _is_own(self.own_names, model) else "max_tokens"

    @property
    def shown_url(self) -> str:
        """The base URL without user, password and query, which may be secrets too."""
        return re.sub(r"//[^/@]*@", "//", self.base_url).partition("?")[0]

    def __repr__(self) -> str:
        return f"Endpoint(provider={self.provider!r}, base_url={self.shown_url!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("provider", self.provider), ("base_url", self.shown_url)]


@lru_cache(maxsize=1024)
def _is_own(pattern: str, model: str) -> bool:
    return re.match(pattern, model) is not None


# --- the key, kept out of what comes back ---------------------------------------------------------


def redacting(backend: ChatModel, endpoint: Endpoint) -> ChatModel:
    """`backend`, with its key taken out of every reply; `backend` itself if there is no key."""
    secret = endpoint.api_key.strip()
    return Redacting(backend, secret) if len(secret) >= MIN_SECRET_CHARS else backend


class Redacting:
    """A ChatModel around another."""

    def __init__(self, backend: ChatModel, secret: str) -> None:
        self._backend = backend
        self._secret = secret

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """See `port.ChatModel`."""
        sink = Sink(on_text, self._secret) if on_text is not None else None
        reply = await self._backend.reply(request, sink)
        if sink is not None:
            sink.finish()
        arguments = (one.function.arguments for one in reply.tool_calls)
        said = (reply.content, reply.thought, reply.model, *arguments)
        if not any(self._secret in text for text in said):
            return reply
        return msgspec.structs.replace(
            reply,
            content=self._without(reply.content),
            thought=self._without(reply.thought),
            model=self._without(reply.model),
            tool_calls=tuple(
                msgspec.structs.replace(
                    one,
                    function=Function(one.function.name, self._without(one.function.arguments)),
                )
                for one in reply.tool_calls
            ),
        )

    def _without(self, text: str) -> str:
        return text.replace(self._secret, REDACTED)

    async def close(self) -> None:
        await self._backend.close()


class Sink:
    """Passes text on, and holds back an end that could be the beginning of the secret."""

    def __init__(self, on_text: OnText, secret: str) -> None:
        self._on_text = on_text
        self._secret = secret
        self._held = ""

    def __call__(self, piece: str) -> None:
        text = (self._held + piece).replace(self._secret, REDACTED)
        cut = self._certain(text)
        self._held = text[cut:]
        if cut:
            self._on_text(text[:cut])

    def finish(self) -> None:
        """Pass on the rest, now that nothing follows."""
        rest, self._held = self._held, ""
        if rest:
            self._on_text(rest)

    def _certain(self, text: str) -> int:
        """How much of `text` cannot be the beginning of the secret."""
        start = max(0, len(text) - len(self._secret) + 1)
        while (start := text.find(self._secret[0], start)) >= 0:
            if self._secret.startswith(text[start:]):
                return start
            start += 1
        return len(text)
