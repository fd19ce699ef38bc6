"""Rows of debates as they are listed: whole, and without what views of a debate would not show.

A debate that cannot be read must not keep others from the list.
"""

from __future__ import annotations

import msgspec

from moot.engine.live_debates import LiveDebates
from moot.errors import MootError
from moot.protocol.row import DebateRow
from moot.protocol.visibility import veil_of

UNREADABLE = (MootError, msgspec.MsgspecError)
"""What is raised by a log that is damaged or was deleted meanwhile, or by a full disk."""


async def completed(row: DebateRow, debates: LiveDebates) -> DebateRow:
    """The row with all that its log knows: one that an earlier version wrote is written anew. The
    row as it is, if the log cannot be read or the row cannot be written."""
    if row.cast is not None:
        return row
    try:
        async with debates.open(row.id) as live:
            return await live.row()
    except UNREADABLE:
        return row


async def shown(row: DebateRow, debates: LiveDebates) -> DebateRow:
    """The row without the outcome of a fork that its source's people may not know yet."""
    if row.outcome is None or not row.forked_from:
        return row
    is_hidden = await _hides_outcome(row.id, debates)
    return msgspec.structs.replace(row, outcome=None) if is_hidden else row


async def _hides_outcome(debate_id: str, debates: LiveDebates) -> bool:
    try:
        async with debates.open(debate_id) as live:
            sources = await debates.veiled_sources(live.state.config)
            return veil_of(live.state, tuple(sources.values())).hides_outcome
    except UNREADABLE:  # then nobody can say
        return True
