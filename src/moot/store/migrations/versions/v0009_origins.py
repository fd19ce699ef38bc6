"""By which door a debate came; those that are there were all begun where they are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    blank = sa.Column("origin", sa.Text, nullable=False, server_default=sa.text("''"))
    op.add_column("debates", blank)
