"""The keys that panel files may have: those of debate files without the topic, and a few more.

Strict, as `schema` is. What one key means for another is in `panels`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from moot.definitions.schema import OF_SLUG, Model, SetUp, Slug, Strict, Topic


class PanelLimits(Strict):
    max_cost_usd: float | None = Field(
        default=None, ge=0, le=100_000, description="Stop when this much is spent, in US dollars."
    )
    max_runtime_seconds: int | None = Field(
        default=None, ge=1, le=2_592_000, description="Stop after this many seconds of running."
    )


class PanelSpec(Strict):
    """What a panel has besides the keys of a debate file, of which it has all but the topic."""

    name: Slug = Field(description=f"What it is asked by: {OF_SLUG}.")
    about: Topic = Field(description="What it is good for, in a sentence.")
    team: Slug | None = Field(
        default=None, description="A team by its name, instead of participants."
    )
    limits: PanelLimits = Field(
        default_factory=PanelLimits, description="What one question may cost at most."
    )
    answer: Literal["outcome", "transcript"] = Field(
        default="outcome",
        description="What is given as the answer: what the debate came to, or all of it.",
    )
    task_model: Model = Field(
        default="",
        description="The model that answers small requests of chat clients, such as for a title.",
    )
    thinking: Literal["steps", "text", "off"] = Field(
        default="steps",
        description="What is shown over /v1 while it works: a line for each step, the texts "
        "themselves, or nothing.",
    )
    thinking_field: Literal["reasoning_content", "reasoning"] = Field(
        default="reasoning_content", description="The field in which clients of /v1 look for it."
    )
    usage: Literal["all", "visible"] = Field(
        default="all",
        description="What /v1 counts as used: all calls, or only the question and the answer.",
    )
    inherit: bool = Field(
        default=False,
        description="Whether temperature and the like of a request over /v1 apply to everybody.",
    )
    grace_seconds: int = Field(
        default=20,
        ge=0,
        le=3600,
        description="How long it goes on after the client of /v1 is gone, before it is stopped.",
    )


class PanelFile(SetUp, PanelSpec):
    """A panel as it stands in its file."""
