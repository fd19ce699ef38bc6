"""Keeps a provider's key out of what comes back from it.

A gateway that repeats its request, or a model that was shown its headers, would otherwise put the
key into the log, the exports and the prompts of every other provider (P10). Errors are the
adapters' business: they quote a provider only after taking keys out.
"""

from __future__ import annotations

import msgspec

from moot.models.endpoint import Endpoint
from moot.models.port import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Learned,
    OnText,
    TellsLearned,
)
from moot.protocol.values import Function

REDACTED = "[key]"
MIN_SECRET_CHARS = 8
"""Shorter ones (`none`, `ollama`) are no secrets, and are words that a model may well say."""


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
        said = (reply.content, reply.model, *(one.function.arguments for one in reply.tool_calls))
        if not any(self._secret in text for text in said):
            return reply
        return msgspec.structs.replace(
            reply,
            content=self._without(reply.content),
            model=self._without(reply.model),
            tool_calls=tuple(
                msgspec.structs.replace(
                    one,
                    function=Function(one.function.name, self._without(one.function.arguments)),
                )
                for one in reply.tool_calls
            ),
        )

    def learned(self, model: str) -> Learned:
        """See `port.TellsLearned`."""
        backend = self._backend
        return backend.learned(model) if isinstance(backend, TellsLearned) else Learned()

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
