"""What both APIs tell besides the answer: how it was made, and what it took."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from moot.api.v1.replies import Reply
from moot.protocol import certificate_words
from moot.protocol.outcomes import Certificate
from moot.protocol.values import Usage

PIECE = 48
"""About how many characters of an answer make a piece: pieces end where a word does."""
_PIECE = re.compile(rf"(?s).{{1,{PIECE}}}\S*\s?|.+")


def pieces(text: str) -> Iterator[str]:
    """The text in pieces, which make up the whole text."""
    for found in _PIECE.finditer(text):
        yield found[0]


def moot_of(reply: Reply) -> dict[str, Any]:
    """Where the answer comes from. `certificate` is what a bench said about the debate, if one was
    asked."""
    return {
        "debate": reply.debate_id or None,
        "status": reply.status.value if reply.status else None,
        "url": reply.url or None,
        "task": reply.task or None,
        "certificate": _certificate(reply.certificate),
        "cost_usd": reply.cost_usd if reply.debate_id else reply.usage.cost_usd,
        "usage_by_model": _by_model(reply.by_model),
    }


def _certificate(told: Certificate | None) -> dict[str, Any] | None:
    if told is None:
        return None
    return {
        "status": told.status.value,
        "winner": told.winner,
        "headline": certificate_words.headline(told),
        "lines": [*certificate_words.lines(told), certificate_words.NOT_RIGHT],
        "votes": told.votes,
        "ballots": told.ballots,
    }


def _by_model(models: Mapping[str, Usage]) -> dict[str, Any]:
    return {
        model: {
            "input_tokens": one.input_tokens,
            "output_tokens": one.output_tokens,
            "reasoning_tokens": one.thought_tokens,
            "cached_tokens": one.cached_tokens,
            "cost_usd": one.cost_usd,
        }
        for model, one in models.items()
    }
