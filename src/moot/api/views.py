"""What is sent back: structs, which are cheap to encode and make up the OpenAPI description.

What is sent back of one debate as a whole is in `debate_views`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from moot.engine.hearings import Heard, newest
from moot.protocol import certificate_words
from moot.protocol.outcome_words import gist, headline, trust_in
from moot.protocol.outcomes import Certificate
from moot.protocol.row import DebateRow
from moot.protocol.state import Turn
from moot.protocol.values import Sampling, Usage
from moot.protocol.words import Finish, Status, StepKind, Visibility
from moot.store.port import Label


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The base of everything that is sent back: every field, every time."""


class SamplingView(Sampling, frozen=True, kw_only=True, omit_defaults=False):
    """The wishes for a model. A wish that is null is not sent to it."""


class UsageView(Usage, frozen=True, kw_only=True, omit_defaults=False):
    """`output_tokens` are answers and thoughts together."""

    answer_tokens: int = 0


class TurnMeta(View, frozen=True, kw_only=True):
    model: str
    usage: UsageView
    duration_ms: int
    attempts: int
    finish: Finish
    flags: tuple[str, ...]
    sampling: SamplingView
    prompt: str | UnsetType = UNSET
    reasoning: str | UnsetType = UNSET


class TurnView(View, frozen=True, kw_only=True):
    """`id` is the number of the event that recorded the turn; `type` is `user`, `agent` or
    `pending` (not yet chosen). `about` is the participant that a score or a critique is about."""

    id: int
    seq: int
    type: str
    step_key: str
    at: datetime
    stage: str
    round: int
    participant: str
    kind: StepKind
    about: str
    visibility: Visibility
    included: bool
    pending: bool
    content: str
    data: dict[str, Any] | None
    meta: TurnMeta


class ListedDebate(DebateRow, frozen=True, kw_only=True):
    """A row of the list. `outcome` is shortened, and also null while somebody may not know it.
    `gist` is the outcome in one line, and `trust` is a key of the vocabulary's table that says how
    far it can be relied on. `cast` are the first twelve who take part; null if they could not be
    read."""

    gist: str = ""
    trust: str = ""


class SummaryPage(View, frozen=True, kw_only=True):
    items: tuple[ListedDebate, ...]
    next: str | None


class TurnPage(View, frozen=True, kw_only=True):
    items: list[TurnView]
    next: int | None


class HealthView(View, frozen=True, kw_only=True):
    status: str


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


VIEWS = (SummaryPage, TurnPage, TurnView, HealthView)


def listed(row: DebateRow) -> ListedDebate:
    fields = {name: getattr(row, name) for name in row.__struct_fields__}
    if row.outcome is None:
        return ListedDebate(**fields)
    return ListedDebate(**fields, gist=gist(row.outcome), trust=trust_in(row))


def turn_view(turn: Turn, *, is_private: bool) -> TurnView:
    said = turn.said
    return TurnView(
        id=turn.seq,
        seq=turn.seq,
        type=turn.type,
        step_key=said.step_key,
        at=turn.at,
        stage=said.stage,
        round=said.round,
        participant=said.participant,
        kind=said.kind,
        about=said.about,
        visibility=said.visibility,
        included=turn.included,
        pending=turn.is_pending,
        content=said.content,
        data=said.data,
        meta=TurnMeta(
            model=said.model,
            usage=usage_view(said.usage),
            duration_ms=said.duration_ms,
            attempts=said.attempts,
            finish=said.finish,
            flags=said.flags,
            sampling=sampling_view(said.sampling),
            prompt=said.prompt if is_private else UNSET,
            reasoning=said.reasoning if is_private else UNSET,
        ),
    )


def sampling_view(sampling: Sampling) -> SamplingView:
    return SamplingView(**msgspec.structs.asdict(sampling))


def usage_view(usage: Usage) -> UsageView:
    return UsageView(**msgspec.structs.asdict(usage), answer_tokens=usage.answer_tokens)


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
