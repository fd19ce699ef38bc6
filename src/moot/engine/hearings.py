"""The hearings of a debate, read from the rows that are kept beside the logs.

The certificate that counts is that of the newest hearing that was held to its end. A hearing that
was stopped, has failed or was canceled never takes an earlier one's place.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from moot.protocol.outcomes import Certificate
from moot.protocol.registry import format_of
from moot.protocol.row import DebateRow
from moot.protocol.state import DebateState
from moot.protocol.words import Status

MOST = 50
"""The most hearings of one debate that are listed, the newest first."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """One hearing of a debate. `certificate` is None while it is not over."""

    id: str
    status: Status
    created_at: datetime
    cost_usd: float | None = None
    certificate: Certificate | None = None


def heard(rows: Sequence[DebateRow]) -> tuple[Heard, ...]:
    """The hearings in these rows, in their order."""
    return tuple(
        Heard(
            id=row.id,
            status=row.status,
            created_at=row.created_at,
            cost_usd=row.cost_usd,
            certificate=row.outcome if isinstance(row.outcome, Certificate) else None,
        )
        for row in rows
    )


def heard_itself(row: DebateRow, shown: DebateState) -> Heard | None:
    """The debate itself as a hearing, if it is one or ended with one, as far as it is shown."""
    told = with_debate(row.id, format_of(shown.config).certificate(shown))
    if told is None:
        return None
    return Heard(id=row.id, status=row.status, created_at=row.created_at, certificate=told)


def with_debate(debate_id: str, told: Certificate | None) -> Certificate | None:
    """The certificate of a debate's own bench with the debate's id, which its log does not know.
    The certificate of a hearing is about another debate, and stays as it is."""
    if told is None or told.debate:
        return told
    return msgspec.structs.replace(told, debate=debate_id)


def newest(hearings: Sequence[Heard]) -> Heard | None:
    """The hearing whose certificate counts: the first that has one and was held to its end."""
    ended = (one for one in hearings if one.certificate is not None)
    return next((one for one in ended if one.certificate and one.certificate.is_finished), None)
