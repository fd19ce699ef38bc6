"""Pages of lists and searches, alike in every backend: which debates are wanted, where a page ends,
and which texts of a debate a search shows.

A cursor is opaque to callers, and never trusted when it comes back.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from moot.errors import InvalidInput
from moot.protocol.events import DebateCompleted, DebateCreated, Recorded
from moot.protocol.row import DebateRow
from moot.protocol.searching import Wanted, had, text_of
from moot.protocol.words import Status
from moot.store.port import MOST_HITS, Found, FoundPage, Page
from moot.store.rows import check_limit, check_text, utc
from moot.structs import ready


class After(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The last summary of the page before: the next page begins after it."""

    created_at: datetime
    id: str


ready(After)


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


def cursor_of(summary: DebateRow) -> str:
    after = After(utc(summary.created_at), summary.id)
    return base64.urlsafe_b64encode(msgspec.json.encode(after)).decode().rstrip("=")


def after_of(cursor: str) -> After:
    """What `cursor_of` was given. Raises InvalidInput for anything else."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        after = msgspec.json.decode(
            base64.b64decode(padded, altchars=b"-_", validate=True), type=After
        )
        check_text(after.id, "cursor")
        utc(after.created_at)
    except (binascii.Error, UnicodeEncodeError, msgspec.MsgspecError, InvalidInput):
        raise InvalidInput("use the `next` of an earlier page", field="cursor") from None
    return after


def page_of(summaries: Sequence[DebateRow], limit: int) -> Page:
    """The page. If there is a next one, `summaries` has one more than fits into this one."""
    items = tuple(summaries[:limit])
    return Page(items=items, next=cursor_of(items[-1]) if len(summaries) > limit else None)


def found_page(items: Sequence[Found], limit: int) -> FoundPage:
    """`page_of`, for what a search found."""
    page = page_of([one.row for one in items], limit)
    return FoundPage(items=tuple(items[:limit]), next=page.next)


# --- the texts that a search shows ----------------------------------------------------------------


def most_of(records: Iterable[Recorded], wanted: Wanted) -> tuple[Recorded, ...]:
    """The events whose texts have the most of what is wanted, and at least some of it."""
    some = [one for one in records if not isinstance(one.event, DebateCreated)]
    counts = {one.seq: len(had(text_of(one.event), wanted)) for one in some}
    some = [one for one in some if counts[one.seq]]
    some.sort(key=lambda one: (-counts[one.seq], one.seq))
    return best_of(some[: MOST_HITS + 1], wanted)


def best_of(records: Sequence[Recorded], wanted: Wanted) -> tuple[Recorded, ...]:
    """The first of `records`, without an outcome that has nothing wanted beyond what a turn has."""
    turns = [one for one in records if not isinstance(one.event, DebateCompleted)]
    if len(turns) < len(records):
        told = [had(text_of(one.event), wanted) for one in turns]
        records = [
            one
            for one in records
            if one in turns or not any(had(text_of(one.event), wanted) <= some for some in told)
        ]
    return tuple(records[:MOST_HITS])
