"""What an answer took: all calls, by model, or only what the client has sent and is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add

from moot.models.messages import CHARACTERS_PER_TOKEN
from moot.protocol import events as e
from moot.protocol.values import Usage
from moot.protocol.words import USER


def tokens_in(text: str) -> int:
    """About how many tokens that is; at least one if there is any text."""
    return -(-len(text) // int(CHARACTERS_PER_TOKEN))


def by_model(log: Sequence[e.Recorded]) -> dict[str, Usage]:
    """What each model took since the user last answered. What was used before that was told with
    the question that the user has answered."""
    found: dict[str, Usage] = {}
    for model, usage in _paid(log):
        found[model] = found.get(model, Usage()) + usage
    return found


def total(usage: Mapping[str, Usage]) -> Usage:
    return reduce(add, usage.values(), Usage())


def visible(asked: str, answered: str) -> Usage:
    """What a client can see of it, estimated: its request and the answer."""
    return Usage(
        input_tokens=tokens_in(asked), output_tokens=tokens_in(answered), is_estimated=True
    )


def _paid(log: Sequence[e.Recorded]) -> Iterator[tuple[str, Usage]]:
    for record in log[_since(log) :]:
        match record.event:
            case (
                e.TurnRecorded(model=model, usage=usage)
                | e.AttemptFailed(model=model, usage=usage)
                | e.ToolUsed(model=model, usage=usage)
            ) if usage != Usage():
                yield model or "unknown", usage
            case _:
                pass


def _since(log: Sequence[e.Recorded]) -> int:
    for place in reversed(range(len(log))):
        event = log[place].event
        if isinstance(event, e.TurnRecorded) and event.participant == USER:
            return place + 1
    return 0
