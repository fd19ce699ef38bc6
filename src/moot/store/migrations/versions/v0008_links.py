"""By which strangers may read a debate: at most one link for each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_time = sa.Text().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "links",
        sa.Column("debate_id", _key, primary_key=True),
        sa.Column("token", _key, nullable=False),
        sa.Column("has_private", sa.Boolean, nullable=False),
        sa.Column("made_at", _time, nullable=False),
    )
    op.create_index("links_by_token", "links", ["token"], unique=True)
