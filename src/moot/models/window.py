"""How much of a history fits into a model's window, and what to leave out when it does not.

Tokens are estimated from characters, calibrated per model by what providers report: exact counts
would need every provider's own tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter

from moot.protocol.values import Message, Usage

CHARACTERS_PER_TOKEN = 4.0
"""What to assume of a model that has not reported anything yet."""
FEWEST, MOST = 1.0, 8.0
"""Bounds of the calibration, so that one absurd report cannot spoil it."""
WEIGHT = 0.2
"""How much the newest report counts."""
LONG = 200
"""A prompt with more messages than this is not worth learning from again."""
PER_MESSAGE = 4
"""Tokens a chat template adds to each message."""
MARGIN = 0.95
"""The part of a window that may be filled: the rest is for the error of the estimate."""


_content: Callable[[Message], str] = attrgetter("content")


def characters_in(messages: Sequence[Message]) -> int:
    # Runs for every call, over histories that may have a thousand messages: no loop of our own.
    return sum(map(len, map(_content, messages)))


class TokenEstimator:
    """Knows each model's characters per token, as far as it has been told."""

    def __init__(self) -> None:
        self._ratios: dict[str, float] = {}

    def learn(self, model: str, messages: Sequence[Message], usage: Usage) -> None:
        """Take a provider's count into account."""
        counted = usage.input_tokens - PER_MESSAGE * len(messages)
        if usage.is_estimated or counted <= 0:
            return
        if len(messages) > LONG and model in self._ratios:
            return  # the shorter prompts before it have told as much, and this one is slow to read
        seen = characters_in(messages) / counted
        ratio = self._ratios.get(model, CHARACTERS_PER_TOKEN)
        self._ratios[model] = min(MOST, max(FEWEST, ratio + WEIGHT * (seen - ratio)))

    def tokens(self, model: str, messages: Sequence[Message]) -> int:
        """About how many tokens these messages are for that model."""
        characters = characters_in(messages)
        ratio = self._ratios.get(model, CHARACTERS_PER_TOKEN)
        return int(characters / ratio) + PER_MESSAGE * len(messages)

    def shorten(
        self, model: str, messages: list[Message], *, window: int | None, reserve: int
    ) -> list[Message]:
        """The messages, without the oldest exchanges if the window cannot hold them all.

        The system prompt and the newest message always stay. What is left begins with a question,
        as providers want it.
        """
        if window is None:
            return messages
        excess = self.tokens(model, messages) - (int(window * MARGIN) - reserve)
        if excess <= 0:
            return messages
        kept = 1 if messages and messages[0].role == "system" else 0
        start = kept
        while start < len(messages) - 1 and (excess > 0 or messages[start].role != "user"):
            excess -= self.tokens(model, messages[start : start + 1])
            start += 1
        return [*messages[:kept], *messages[start:]]
