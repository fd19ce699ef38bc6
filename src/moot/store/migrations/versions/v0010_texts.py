"""The index of texts, and how many statements a debate will have where that is known.

Debates that are there already are added to the index by the first search.

SQLite's index itself is made when the file is opened, if that SQLite can have one.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

STATEMENTS = {
    "sqlite": (
        """\
CREATE TABLE indexed_debates (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  debate_id TEXT NOT NULL UNIQUE
)""",
    ),
    "postgresql": (
        """\
CREATE TABLE texts (
  debate_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  words TSVECTOR NOT NULL,
  PRIMARY KEY (debate_id, seq)
)""",
        "CREATE INDEX texts_by_words ON texts USING gin (words)",
    ),
}


def upgrade() -> None:
    op.add_column("debates", sa.Column("statements_planned", sa.BigInteger))
    for statement in STATEMENTS[op.get_context().dialect.name]:
        op.execute(statement)
