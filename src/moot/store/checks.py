"""What callers ask for, checked here so that every backend refuses alike."""

from __future__ import annotations

import msgspec

from moot.errors import LeaseLost
from moot.protocol.words import Status
from moot.store.paging import After, after_of
from moot.store.port import Lease, Link, WorkerId
from moot.store.rows import check_limit, check_text, utc


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Which debates are wanted, and after which one the page begins."""

    status: Status | None = None
    format: str | None = None
    query: str = ""
    after: After | None = None


def checked_filter(
    status: Status | None, format_: str | None, query: str, limit: int, cursor: str | None
) -> Filter:
    """The filter. Raises InvalidInput for what no store can look for."""
    check_limit(limit)
    check_text(query, "query")
    check_text(format_, "format")
    after = after_of(cursor) if cursor is not None else None
    return Filter(status=status, format=format_, query=query, after=after)


def check_worker(worker: WorkerId) -> None:
    for field in ("id", "machine", "started"):
        check_text(getattr(worker, field), field)


def check_link(link: Link) -> None:
    check_text(link.debate_id, "id")
    check_text(link.token, "token")
    utc(link.made_at)  # raises InvalidInput if it has no zone


def begun(lease: Lease) -> Lease:
    return msgspec.structs.replace(lease, has_begun=True)


def taken_over(lease: Lease) -> LeaseLost:
    return LeaseLost(f"debate {lease.debate_id!r} is not held with fence {lease.fence} any more")
