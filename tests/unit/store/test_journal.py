"""Which SQLite builds may use a write-ahead log."""

from __future__ import annotations

import pytest

from moot.store.backends.sqlite.journal import Version, has_wal_reset_bug, journal_mode

BUILDS: dict[Version, str] = {
    (3, 6, 23): "delete",
    (3, 7, 0): "delete",
    (3, 40, 1): "delete",
    (3, 44, 5): "delete",
    (3, 44, 6): "wal",
    (3, 45, 0): "delete",
    (3, 49, 2): "delete",
    (3, 50, 6): "delete",
    (3, 50, 7): "wal",
    (3, 51, 0): "delete",
    (3, 51, 2): "delete",
    (3, 51, 3): "wal",
    (3, 52, 0): "wal",
    (4, 0, 0): "wal",
}


@pytest.mark.parametrize("version", BUILDS)
def test_chooses_the_journal_by_the_build(version: Version) -> None:
    assert journal_mode(version) == BUILDS[version]


def test_knows_that_the_bug_came_with_the_write_ahead_log() -> None:
    assert not has_wal_reset_bug((3, 6, 23))
    assert has_wal_reset_bug((3, 7, 0))
