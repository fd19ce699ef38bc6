"""The cursor of a page of debates: opaque to callers, and never trusted when it comes back."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from datetime import datetime

import msgspec

from moot.errors import InvalidInput
from moot.protocol.row import DebateRow
from moot.store.port import Found, FoundPage, Page
from moot.store.rows import check_text, utc
from moot.structs import ready


class After(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The last summary of the page before: the next page begins after it."""

    created_at: datetime
    id: str


ready(After)


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
