"""What formats and providers are called where somebody chooses one: part of the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class FormatWord(NamedTuple):
    """A format by what it does."""

    name: str
    end: str
    """How one may end."""
    asks: str
    """The question it is for."""
    roles: tuple[str, ...]
    """Whom it seats."""
    length: str
    """The setting that makes it short or long."""
    unit: str
    """What that counts."""
    short: int
    long: int
    """Its figures beside the default."""
    joins: str = ""
    """What stands between the first two seats, if they read as a sentence."""
    nick: str = ""
    """The name where there is little room, if it is another."""


FORMATS: Mapping[str, FormatWord] = {
    "duel": FormatWord(
        name="Two sides and a judge",
        end="“Paloma won, 8 to 7: she answered the night bus.”",
        asks="Who makes the stronger case?",
        roles=("debater", "judge"),
        length="turns",
        unit="statement",
        short=4,
        long=10,
        joins="against",
    ),
    "council": FormatWord(
        name="A council that writes an answer",
        end="“One table, and a key per person. Pilar dissents.”",
        asks="What should we do?",
        roles=("member", "judge"),
        length="rounds",
        unit="round",
        short=2,
        long=5,
        nick="A council",
    ),
    "room": FormatWord(
        name="A room to talk in",
        end="“Irmgard: a shower, then. Not a home.”",
        asks="Join in, or just listen.",
        roles=("member",),
        length="max_messages",
        unit="message",
        short=20,
        long=120,
        nick="A room",
    ),
    "rounds": FormatWord(
        name="A short exchange in rounds",
        end="“Against, on the cost of waiting: nothing new was said in round 4.”",
        asks="Who makes the stronger case?",
        roles=("debater", "judge"),
        length="max_rounds",
        unit="round",
        short=2,
        long=8,
        joins="against",
    ),
    "standard": FormatWord(
        name="An open panel with a moderator",
        end="“Samuel sums up: flats above, a market below, and no new car park.”",
        asks="What is there to be said?",
        roles=("moderator", "debater"),
        length="max_rounds",
        unit="round",
        short=3,
        long=8,
        joins="leads",
    ),
    "custom": FormatWord(
        name="A panel with a set number of rounds",
        end="“Three blame Victor, one blames the reader.”",
        asks="What is there to be said?",
        roles=("moderator", "debater"),
        length="max_rounds",
        unit="round",
        short=2,
        long=6,
        joins="leads",
    ),
    "classic": FormatWord(
        name="Openings, rebuttals and summaries",
        end="“Both sides now agree on the pilot, and on nothing else.”",
        asks="What is there to be said?",
        roles=("moderator", "debater"),
        length="free_rounds",
        unit="round",
        short=1,
        long=4,
        joins="leads",
    ),
    "poll": FormatWord(
        name="A poll of models that answer alone",
        end="“4 of 5 say yes. One says: not before spring.”",
        asks="What do they say, each for itself?",
        roles=("member",),
        length="samples",
        unit="answer",
        short=1,
        long=5,
        nick="A poll",
    ),
    "hearing": FormatWord(
        name="A bench asked about a debate",
        end="“Stable: Paloma. Three judges, whichever name she had.”",
        asks="Would others say so, too?",
        roles=("judge",),
        length="repeats",
        unit="ballot",
        short=0,
        long=3,
        nick="A hearing",
    ),
    "exam": FormatWord(
        name="An exam for a judge",
        end="“It finds the flaw in 85 % of its answers.”",
        asks="Can this judge be trusted?",
        roles=("judge",),
        length="step_retries",
        unit="retry",
        short=0,
        long=2,
        nick="An exam",
    ),
}
"""Formats in plain words, those that most people want first."""

PROVIDERS: Mapping[str, str] = {
    "openai": "OpenAI",
    "deepseek": "DeepSeek",
    "openrouter": "OpenRouter",
    "xai": "xAI",
    "lmstudio": "LM Studio",
    "vllm": "vLLM",
    "llamacpp": "llama.cpp",
}
"""Providers whose name is not just the id with a capital."""
