"""The SQLite that is used everywhere: a newer build than Python's own, where there is one.

Pythons come with the SQLite of their distribution, and most of those still have the WAL-reset bug,
for which commits must be made in a slower way (docs/decisions/0001-sqlite-journal-mode.md).
One process must never open one file with both: closing a file in one library drops the other's
locks. So nothing in Moot imports `sqlite3` but this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
else:
    try:
        from pysqlite3 import dbapi2 as sqlite3
    except ImportError:
        import sqlite3

# The driver looks for an adapter of every value that is neither a number nor a text. Where there is
# none, the search takes longer than binding all the others: these two have one that does nothing.
for plain in (type(None), bool):
    sqlite3.register_adapter(plain, lambda value: value)

__all__ = ["sqlite3"]
