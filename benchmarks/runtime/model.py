"""The model of all these debates: it always says the same, at once or after a while, and in pieces
if somebody reads along.

It notes when it answered and when it was asked next by the same debate; the time between is what
the runtime adds to a step. It can be held, so that many debates set out together.
"""

from __future__ import annotations

import asyncio
import time

from benchmarks.runtime.share import REPLY, answer
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.protocol.values import Usage
from moot.protocol.words import Finish

VERDICT = (
    '{"summary": "A was more specific.", "score_a": 7, "score_b": 6, "winner": "debater_a", '
    '"no_new_substantive_arguments": false}'
)
WORDS = [f"{word} " for word in REPLY.split()]
PIECES = 20
"""How many pieces a streamed reply comes in."""


class Model:
    """A ChatModel. `overheads_s` has the time between a reply and the debate's next call."""

    def __init__(self, latency_s: float = 0.0) -> None:
        self.latency_s = latency_s
        self.overheads_s: list[float] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.held = 0
        self.replies = 0
        self._answered: dict[str, float] = {}

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        debate_id = request.label.partition("/")[0]
        if answered := self._answered.pop(debate_id, 0.0):
            self.overheads_s.append(time.monotonic() - answered)
        if not self.may_answer.is_set():
            self.held += 1
            await self.may_answer.wait()
            self.held -= 1
        content = await self._content(request, on_text)
        self.replies += 1
        if self.latency_s:
            self._answered[debate_id] = time.monotonic()
        return ChatReply(
            content=content,
            finish=Finish.STOP,
            usage=Usage(input_tokens=100, output_tokens=len(WORDS)),
            model=request.model,
            duration_ms=0,
        )

    async def _content(self, request: ChatRequest, on_text: OnText | None) -> str:
        if not self.latency_s:
            said = await answer()
        elif on_text is None:
            await asyncio.sleep(self.latency_s)
            said = REPLY
        else:
            said = await self._written(on_text)
        return VERDICT if request.schema is not None else said

    async def _written(self, on_text: OnText) -> str:
        started, size = time.monotonic(), len(WORDS) // PIECES
        for number in range(PIECES):
            # A busy process reads late; the model does not write more slowly for that.
            due = started + (number + 1) * self.latency_s / PIECES
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            on_text("".join(WORDS[number * size : (number + 1) * size]))
        return REPLY

    async def close(self) -> None:
        pass
