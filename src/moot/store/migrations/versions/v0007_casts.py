"""Who takes part in a debate, what came of it, and which debate it was made from.

Only its log knows that of a debate which was made before: its row has no seats, and is written anew
when somebody lists it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_json = sa.Text().with_variant(sa.JSON(), "postgresql")


def upgrade() -> None:
    none = sa.Column("cast_size", sa.BigInteger, nullable=False, server_default=sa.text("0"))
    closed = sa.Column("has_open_cards", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("debates", sa.Column("seats", _json))
    op.add_column("debates", none)
    op.add_column("debates", sa.Column("outcome", _json))
    op.add_column("debates", closed)
    for name in ("spoke_last", "forked_from", "rematch_of"):
        blank = sa.Column(name, sa.Text, nullable=False, server_default=sa.text("''"))
        op.add_column("debates", blank)
