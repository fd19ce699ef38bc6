"""How many tokens a text will be, estimated before the call and corrected by what comes back.

An estimate from characters needs no tables and no download. Each model's own ratio is learnt from
the usage it reports, within bounds, so that one odd report cannot spoil it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from moot.protocol.values import Message

# English prose has about four characters a token; we begin a little below and rather overestimate.
FIRST_CHARS_PER_TOKEN = 3.6
# Beyond ASCII a token holds less: Chinese and Japanese about one character, Cyrillic about two.
WIDE_CHAR_WEIGHT = 2.4
CHARS_PER_TOKEN_BOUNDS = (1.0, 8.0)
# What chat templates add around each message.
TOKENS_PER_MESSAGE = 6
# How much one report moves the ratio.
LEARNING_RATE = 0.2
# Shorter reports say more about the template than about the text.
MIN_WEIGHT_TO_LEARN = 200


def text_weight(text: str) -> float:
    """The length of a text in characters of English."""
    if text.isascii():
        return float(len(text))
    wide = sum(character > "\u02ff" for character in text)
    return len(text) + wide * (WIDE_CHAR_WEIGHT - 1)


class TokenEstimator:
    """Estimates for every model, by the full name under which usage was reported."""

    def __init__(self) -> None:
        self._chars_per_token: dict[str, float] = {}

    def chars_per_token(self, model: str) -> float:
        return self._chars_per_token.get(model, FIRST_CHARS_PER_TOKEN)

    def of_text(self, model: str, text: str) -> int:
        """The tokens of a text, 0 for an empty one."""
        return math.ceil(text_weight(text) / self.chars_per_token(model))

    def of_messages(self, model: str, messages: Iterable[Message]) -> int:
        """The tokens of a prompt, with what the chat template adds."""
        return sum(TOKENS_PER_MESSAGE + self.of_text(model, each.content) for each in messages)

    def learn(self, model: str, messages: Iterable[Message], input_tokens: int) -> None:
        """Take note of what a prompt really was. Reports that make no sense are ignored."""
        weight, count = 0.0, 0
        for message in messages:
            weight += text_weight(message.content)
            count += 1
        tokens = input_tokens - count * TOKENS_PER_MESSAGE
        if tokens <= 0 or weight < MIN_WEIGHT_TO_LEARN:
            return
        low, high = CHARS_PER_TOKEN_BOUNDS
        seen = min(high, max(low, weight / tokens))
        before = self._chars_per_token.get(model)
        self._chars_per_token[model] = (
            seen if before is None else before + LEARNING_RATE * (seen - before)
        )

    def fits(
        self, model: str, messages: Iterable[Message], window: int | None, reserve: int
    ) -> bool:
        """Whether a prompt leaves `reserve` tokens for the reply. An unknown window fits all."""
        return window is None or self.of_messages(model, messages) + reserve <= window
