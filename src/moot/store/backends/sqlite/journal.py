"""Which journal a SQLite build may be trusted with.

A build with the WAL-reset bug must never be allowed to write a write-ahead log: it can lose
committed transactions (sqlite.org/wal.html, "The WAL-Reset Bug"; docs/decisions/0001).
"""

from __future__ import annotations

Version = tuple[int, int, int]

_FIRST_WITH_BUG: Version = (3, 7, 0)
_FIRST_WITHOUT: Version = (3, 51, 3)
# Branches that got the fix afterwards: from this release on.
_FIXED_BRANCHES: dict[tuple[int, int], int] = {(3, 44): 6, (3, 50): 7}


def has_wal_reset_bug(version: Version) -> bool:
    fixed_from = _FIXED_BRANCHES.get(version[:2])
    if fixed_from is not None and version[2] >= fixed_from:
        return False
    return _FIRST_WITH_BUG <= version < _FIRST_WITHOUT


def journal_mode(version: Version) -> str:
    """`wal` where it is safe, else `delete`. Both are used with synchronous=FULL."""
    is_too_old = version < _FIRST_WITH_BUG  # there was no write-ahead log yet
    return "delete" if is_too_old or has_wal_reset_bug(version) else "wal"
