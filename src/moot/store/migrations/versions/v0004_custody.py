"""Since when a debate is held, and when one in quarantine is tried again.

Deaths beyond the third were counted by another rule: they may have been anybody's doing.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_time = sa.Text().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    op.add_column("debates", sa.Column("claimed_at", _time))
    op.add_column("debates", sa.Column("next_try_at", _time))
    op.execute("UPDATE debates SET claims = 3 WHERE claims > 3")
