"""When a debate that waits has to be looked at again, because somebody's time is up."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_time = sa.Text().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    op.add_column("debates", sa.Column("wake_at", _time))
    due = sa.text("wake_at IS NOT NULL")
    op.create_index(
        "debates_by_waking", "debates", ["wake_at"], sqlite_where=due, postgresql_where=due
    )
