"""What benches said about a debate, and what people say of it, as it is sent back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from moot.api.views import View
from moot.engine.hearings import Heard, newest
from moot.protocol import certificate_words
from moot.protocol.outcome_words import headline
from moot.protocol.outcomes import Certificate
from moot.protocol.words import Status
from moot.store.port import Label


class CertificateView(View, frozen=True, kw_only=True):
    """What a bench concluded in the hearing `hearing`, with the words for it: `headline`,
    `meaning`, `lines`, and `table`, whose first row is the header. `right` says whether the bench
    is right, as far as people's labels tell."""

    hearing: str
    headline: str
    meaning: str
    lines: list[str]
    table: list[tuple[str, str, str]]
    right: str
    certificate: Certificate


class HeardView(View, frozen=True, kw_only=True):
    """One hearing of a debate; `headline` is "" while it has no certificate."""

    id: str
    status: Status
    headline: str
    created_at: datetime
    cost_usd: float | None


class LabelView(View, frozen=True, kw_only=True):
    """Who made the better case, as the person `by` says: the id of a side, or `tie`."""

    winner: str
    by: str
    note: str
    at: datetime


class HearsView(View, frozen=True, kw_only=True):
    """Which debate a hearing is about, and as of which event."""

    debate: str
    at: int


class Benches(msgspec.Struct, frozen=True, kw_only=True):
    """What the benches that were asked about a debate concluded, and people's labels of it."""

    certificate: CertificateView | None = None
    hearings: tuple[HeardView, ...] = ()
    labels: tuple[LabelView, ...] = ()


NO_BENCHES = Benches()


def label_view(label: Label) -> LabelView:
    return LabelView(winner=label.winner, by=label.by, note=label.note, at=label.at)


def benches_view(
    hearings: Sequence[Heard], right: str, labels: Sequence[Label], own: Heard | None = None
) -> Benches:
    """`own` is the debate itself, if it ended with a hearing of its own: that one counts until
    another hearing has been held to its end."""
    counts = newest(hearings) or own
    return Benches(
        certificate=_certificate(counts, right) if counts else None,
        hearings=tuple(
            HeardView(
                id=one.id,
                status=one.status,
                headline=headline(one.certificate) if one.certificate else "",
                created_at=one.created_at,
                cost_usd=one.cost_usd,
            )
            for one in hearings
        ),
        labels=tuple(map(label_view, labels)),
    )


def _certificate(found: Heard, right: str) -> CertificateView | None:
    told = found.certificate
    if told is None:
        return None
    return CertificateView(
        hearing=found.id,
        headline=headline(told),
        meaning=certificate_words.MEANINGS[told.status],
        lines=list(certificate_words.lines(told)),
        table=list(certificate_words.table(told)),
        right=right,
        certificate=told,
    )
