"""Which schema this code reads and writes.

A database of an unknown revision must never be written to.
"""

from __future__ import annotations

from moot.errors import StoreUnavailable

REVISIONS = (
    *("0001", "0002", "0003", "0004", "0005", "0006", "0007"),
    *("0008", "0009", "0010", "0011", "0012", "0013", "0014"),
)
"""Every revision that `migrations/` has a file for, oldest first (a test compares them)."""

HEAD = REVISIONS[-1]

TABLE = "moot_revision"
"""Where a database keeps its revision: one row, `version_num`."""


def needs_upgrade(current: str | None) -> bool:
    """Whether a database of revision `current` (None: an empty one) is older than this code.

    Raises StoreUnavailable if it is newer.
    """
    if current is not None and current not in REVISIONS:
        message = (
            f"the database has schema {current}, which this version of moot does not know "
            f"(it knows up to {HEAD}): upgrade moot"
        )
        raise StoreUnavailable(message)
    return current != HEAD
