"""Turns the Alembic scripts of `migrations/` into SQL that a backend runs in one transaction.

Alembic never gets a connection: each backend runs the statements on its own driver, together with
the new revision number, so that an interrupted upgrade leaves the old schema and nothing between.
A migration therefore must not read rows in Python; what it moves, it moves in SQL.
Importing this module is slow (SQLAlchemy, Alembic): do so only if there is something to upgrade.
"""

from __future__ import annotations

import functools
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from moot.store.revisions import HEAD, TABLE
from moot.store.sqlite_driver import sqlite3

SCRIPTS = Path(__file__).parent / "migrations"

# `alembic.op`, which the scripts use, is one for the whole process.
_one_at_a_time = threading.Lock()


@functools.cache
def upgrade_statements(dialect: str, current: str | None, target: str = HEAD) -> tuple[str, ...]:
    """The statements that lead from revision `current` (None: nothing there) to `target`."""
    buffer = io.StringIO()
    scripts = ScriptDirectory(str(SCRIPTS))

    def steps(_: Any, __: Any) -> Any:
        return scripts._upgrade_revs(target, current or "base")  # noqa: SLF001 - as Alembic's own command does

    options = {
        "as_sql": True,
        "output_buffer": buffer,
        "fn": steps,
        "starting_rev": current,
        "version_table": TABLE,
        # The backend opens and commits the transaction.
        "transactional_ddl": False,
    }
    context = MigrationContext.configure(dialect_name=dialect, opts=options)
    # Alembic would add RETURNING, which SQLite before 3.35 does not know, to what it writes there.
    context.dialect.insert_returning = context.dialect.update_returning = False
    with _one_at_a_time, Operations.context(context):
        context.run_migrations()
    return tuple(_split(buffer.getvalue()))


def _split(script: str) -> Iterator[str]:
    """Statement by statement; both dialects quote alike, so SQLite's own scanner can tell."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""
