"""What a council can be told."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from moot.protocol.settings import RoundSettings
from moot.protocol.state import DebateState


class CouncilSettings(RoundSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rounds: Annotated[
        int, Meta(ge=1, le=20, description="Rounds at the most, whatever the termination.")
    ] = 3
    termination: Annotated[
        Literal["fixed", "convergence", "quality"],
        Meta(
            description="fixed: all rounds. convergence: until the members agree. "
            "quality: until the best proposal is good."
        ),
    ] = "fixed"
    threshold: Annotated[
        int,
        Meta(ge=0, le=100, description="The judge's number at which convergence or quality ends."),
    ] = 80
    interactive_clarifications: Annotated[
        bool, Meta(description="Members may ask you questions before they begin.")
    ] = False
    clarifications_max_iterations: Annotated[
        int, Meta(ge=1, le=10, description="Rounds of questions at the most.")
    ] = 3
    clarifications_max_per_agent: Annotated[
        int, Meta(ge=1, le=10, description="Questions of one member in one round of questions.")
    ] = 3
    summary_threshold_tokens: Annotated[
        int,
        Meta(
            ge=100,
            le=10_000_000,
            description="A history longer than this is summarised by whoever has it.",
        ),
    ] = 16_000
    decision: Annotated[
        Literal["synthesis", "vote", "rank"],
        Meta(
            description="synthesis: the judge decides. vote: most votes. "
            "rank: ranked choice (Borda). The judge writes it up."
        ),
    ] = "synthesis"
    max_tool_calls: Annotated[
        int,
        Meta(
            ge=0,
            le=50,
            description="How often a member may look into the council's files before a proposal, "
            "critique or refinement, if its model has tools.",
        ),
    ] = 8
    step_retries: Annotated[
        int, Meta(ge=0, le=3, description="How often a step that failed is tried again, alone.")
    ] = 1
    max_tokens_judge: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of the judge's reply, in tokens.")
    ] = 1500


def settings_of(state: DebateState) -> CouncilSettings:
    return state.settings_as(CouncilSettings)
