"""The texts that debates were given to read, by hash, and which debate has which."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "attachments",
        sa.Column("sha256", _key, primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
    )
    op.create_table(
        "attached",
        sa.Column("debate_id", _key, primary_key=True),
        sa.Column("sha256", _key, primary_key=True),
    )
    op.create_index("attached_by_hash", "attached", ["sha256"])
