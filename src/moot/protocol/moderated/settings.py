"""The settings of every moderated format."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from moot.protocol.settings import RoundSettings


class ModeratedSettings(RoundSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_tokens: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of one statement, in tokens.")
    ] = 500
    max_tokens_moderator: Annotated[
        int,
        Meta(
            ge=16,
            le=100_000,
            description="Length of what the moderator says before the end, in tokens.",
        ),
    ] = 400
    max_tokens_summary: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of the moderator's summary, in tokens.")
    ] = 800
