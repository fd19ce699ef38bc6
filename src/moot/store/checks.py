"""What callers ask for, checked here so that every backend refuses alike."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from moot.errors import LeaseLost
from moot.protocol.words import Status
from moot.store.paging import After, after_of
from moot.store.port import Asked, Label, Lease, Link, WorkerId
from moot.store.rows import check_limit, check_text, utc


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Which debates are wanted, and after which one the page begins."""

    status: Status | None = None
    format: str | None = None
    door: str | None = None
    query: str = ""
    after: After | None = None


def checked_filter(
    status: Status | None,
    format_: str | None,
    query: str,
    limit: int,
    cursor: str | None,
    *,
    door: str | None = None,
) -> Filter:
    """The filter. Raises InvalidInput for what no store can look for."""
    check_limit(limit)
    check_text(query, "query")
    check_text(format_, "format")
    check_text(door, "door")
    after = after_of(cursor) if cursor is not None else None
    return Filter(status=status, format=format_, door=door, query=query, after=after)


def check_worker(worker: WorkerId) -> None:
    for field in ("id", "machine", "started"):
        check_text(getattr(worker, field), field)


def check_ids(debate_ids: Collection[str] | None) -> None:
    for one in debate_ids or ():
        check_text(one, "id")


def check_link(link: Link) -> None:
    check_text(link.debate_id, "id")
    check_text(link.token, "token")
    utc(link.made_at)  # raises InvalidInput if it has no zone


def check_label(label: Label) -> None:
    check_text(label.debate_id, "id")
    for field in ("by", "winner", "note"):
        check_text(getattr(label, field), field)
    utc(label.at)  # raises InvalidInput if it has no zone


def check_asked(asked: Asked, instead_of: str | None) -> None:
    check_text(asked.fingerprint, "fingerprint")
    check_text(asked.debate_id, "id")
    check_text(instead_of, "id")
    check_text(asked.form, "form")
    utc(asked.at)  # raises InvalidInput if it has no zone


def check_form(fingerprint: str, debate_id: str, form: str) -> None:
    check_text(fingerprint, "fingerprint")
    check_text(debate_id, "id")
    check_text(form, "form")


def begun(lease: Lease) -> Lease:
    return msgspec.structs.replace(lease, has_begun=True)


def taken_over(lease: Lease) -> LeaseLost:
    return LeaseLost(f"debate {lease.debate_id!r} is not held with fence {lease.fence} any more")
