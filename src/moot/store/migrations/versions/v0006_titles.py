"""The titles that people give to debates. Nobody could give one before: all are blank."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    for name in ("title", "title_folded"):
        blank = sa.Column(name, sa.Text, nullable=False, server_default=sa.text("''"))
        op.add_column("debates", blank)
