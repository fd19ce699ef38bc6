"""Where a debate stands, as it is sent back: all of it that may be shown."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from moot.api.views import (
    NO_BENCHES,
    Benches,
    CertificateView,
    HeardView,
    HearsView,
    LabelView,
    SamplingView,
    UsageView,
    View,
    sampling_view,
    usage_view,
)
from moot.engine.looking import allowed, looked_at, upcoming
from moot.protocol.events import NoticePosted
from moot.protocol.lifecycle import commands_for
from moot.protocol.machine import Format
from moot.protocol.occasions import heading
from moot.protocol.outcome_words import doubts, headline
from moot.protocol.outcomes import Outcome
from moot.protocol.registry import FORMATS, format_named
from moot.protocol.row import Cursor
from moot.protocol.settings import as_data
from moot.protocol.state import DebateState
from moot.protocol.values import Attachment, Draw, ForkPoint, Origin, Participant
from moot.protocol.vocabulary import WARNINGS, message_type, provenance
from moot.protocol.words import Pacing, Status, StepKind, StopReason


class ParticipantView(Participant, frozen=True, kw_only=True, omit_defaults=False):
    sampling: SamplingView = SamplingView()
    has_left: bool = False


class OriginView(Origin, frozen=True, kw_only=True, omit_defaults=False):
    """Where a debate came from. If `door` is `import`, `kind` is `sample` for one that comes with
    Moot, else `file`. If it is `v1` or `mcp`, `client` asked `panel`; if it is blank, `panel` was
    asked by an ordinary door."""


class QuestionView(View, frozen=True, kw_only=True):
    """What the debate asks a person. `title` is the question in one line, `text` all of it."""

    id: str
    participant: str
    kind: StepKind
    stage: str
    round: int
    title: str
    text: str
    asker: str
    form: dict[str, Any] | None
    may_pass: bool
    expires_at: datetime | None


class NoticeView(View, frozen=True, kw_only=True):
    """`type` is `system` or `error`."""

    seq: int
    at: datetime
    type: str
    code: str
    text: str
    participant: str


class WaitView(View, frozen=True, kw_only=True):
    """A step that waits for a provider. `reason` says what is the matter, `next_try_at` when it is
    tried next; if that time has passed, it is being tried now."""

    participant: str
    step_key: str
    model: str
    code: str
    reason: str
    attempts: int
    since: datetime
    next_try_at: datetime


class FailureView(View, frozen=True, kw_only=True):
    code: str
    error: str
    step_key: str | None


if TYPE_CHECKING:

    class OwnViews(View, frozen=True, kw_only=True):
        """What only debates of one format have to show, in a field with the name of the format. The
        field is null in debates of any other format."""

else:
    OwnViews = msgspec.defstruct(
        "OwnViews",
        [(one.name, one.view_type | None, None) for one in FORMATS.values() if one.view_type],
        bases=(View,),
        frozen=True,
        kw_only=True,
    )


class DebateView(OwnViews, frozen=True, kw_only=True):
    """Where a debate stands after event `seq`. `commands` are those that would not be refused now.

    `title` is the name that somebody gave it, or blank. `rematch_of` is the debate of which it is a
    rematch, or blank; `follows` is the debate whose answer it follows up, or blank. `origin` says
    by which door it came, if not by an ordinary one, and which panel was asked; `provenance` is
    what must be shown above everything else if it was not held here. `outcome` is what the debate
    ended with, whatever its `type`; `headline` is the same in one line, and `doubts` has what a
    reader must know before trusting it. `warnings` were known at its creation; `waiting` has the
    steps that wait for a provider; `stalled` says why nothing can be recorded just now, such as a
    full disk, and is null otherwise. `is_veiled` says that something is withheld because a person
    takes part who may not know it; `has_open_cards` says that a person who takes part had it shown
    before the end. `hears` is what a hearing is about; `can_be_heard` says whether a bench can be
    asked about the debate now; `hearings` are those that were asked for, newest first.
    `certificate` is what the newest hearing that was held to its end concluded. If there is none,
    it is what the debate's own bench concluded, and its `hearing` is the debate itself. `labels`
    say who really made the better case, in the view of people.
    """

    id: str
    format: str
    topic: str
    title: str
    status: Status
    cursor: Cursor
    settings: dict[str, Any]
    participants: list[ParticipantView]
    questions: list[QuestionView]
    notices: list[NoticeView]
    warnings: list[str]
    waiting: list[WaitView]
    stalled: str | None
    upcoming: list[str]
    allows: list[str]
    pending: list[int]
    pacing: Pacing
    is_veiled: bool
    has_open_cards: bool
    usage: UsageView
    cost_usd: float | None
    stop_reason: StopReason | None
    failure: FailureView | None
    outcome: Outcome | None
    headline: str | None
    doubts: list[str]
    commands: list[str]
    limits_reached: dict[str, float]
    turns: int
    statements: int
    calls: int
    runtime_s: float
    seed: int | None
    draws: list[Draw]
    attachments: list[Attachment]
    moot_version: str
    forked_from: ForkPoint | None
    rematch_of: str
    follows: str
    hears: HearsView | None
    can_be_heard: bool
    certificate: CertificateView | None
    hearings: list[HeardView]
    labels: list[LabelView]
    origin: OriginView | None
    provenance: str
    created_at: datetime
    updated_at: datetime
    seq: int


VIEWS = (DebateView,)


def debate_view(
    debate_id: str,
    state: DebateState,
    cursor: Cursor,
    stalled: str = "",
    *,
    shown: DebateState | None = None,
    benches: Benches = NO_BENCHES,
) -> DebateView:
    """`shown` is the debate as far as it may be seen, if that is not all of it; `benches` is what
    benches and people said about it."""
    is_veiled = shown is not None and shown is not state
    shown = shown or state
    config = state.config
    rules = format_named(config.format)
    everybody = [*state.participants.values(), *state.left.values()]
    has_view = rules.view_type and rules.name in DebateView.__struct_fields__
    view = looked_at(rules, "view", lambda: rules.view(shown), otherwise=None) if has_view else None
    own: dict[str, Any] = {rules.name: view} if has_view else {}
    return DebateView(
        id=debate_id,
        format=config.format,
        topic=config.topic,
        title=state.title,
        status=state.status,
        cursor=cursor,
        settings=as_data(state.settings),
        participants=[_participant(one, has_left=one.id in state.left) for one in everybody],
        questions=_questions(state),
        notices=_notices(shown),
        warnings=[one.text for one in _notices(shown) if one.code in WARNINGS],
        waiting=_waiting(state),
        stalled=stalled or None,
        upcoming=list(upcoming(rules, state)),
        allows=list(allowed(rules, state)),
        pending=[turn.seq for turn in state.pending],
        pacing=state.pacing,
        is_veiled=is_veiled,
        has_open_cards=state.has_open_cards,
        usage=usage_view(state.usage),
        cost_usd=state.usage.cost_usd,
        stop_reason=state.stop_reason,
        failure=_failure(shown),
        outcome=shown.outcome,
        headline=headline(shown.outcome) if shown.outcome else None,
        doubts=_doubts(shown),
        **own,
        commands=list(commands_for(state.status)),
        limits_reached={limit.value: observed for limit, observed in state.limits.items()},
        turns=len(state.turns),
        statements=state.statements,
        calls=state.calls,
        runtime_s=state.timeline.runtime_s(state.updated_at),
        seed=config.seed,
        draws=list(config.draws),
        attachments=list(config.attachments),
        moot_version=config.moot_version,
        forked_from=config.forked_from,
        rematch_of=config.rematch_of,
        follows=config.follows,
        hears=HearsView(debate=config.hears.debate, at=config.hears.at) if config.hears else None,
        can_be_heard=state.status is Status.COMPLETED and _can_be_heard(rules, state),
        certificate=benches.certificate,
        hearings=list(benches.hearings),
        labels=list(benches.labels),
        origin=OriginView(**msgspec.structs.asdict(config.origin)) if config.origin else None,
        provenance=provenance(config),
        created_at=state.created_at,
        updated_at=state.updated_at,
        seq=state.seq,
    )


def _can_be_heard(rules: Format, state: DebateState) -> bool:
    ask = rules.can_be_heard
    return looked_at(rules, "can_be_heard", lambda: bool(ask(state)), otherwise=False)


def _doubts(state: DebateState) -> list[str]:
    found = doubts(state.outcome, has_open_cards=state.has_open_cards) if state.outcome else ()
    return list(found)


def _failure(state: DebateState) -> FailureView | None:
    failed = state.failure
    if failed is None:
        return None
    return FailureView(code=failed.code, error=failed.error, step_key=failed.step_key)


def _questions(state: DebateState) -> list[QuestionView]:
    return [
        QuestionView(
            id=one.question_id,
            participant=one.participant,
            kind=one.kind,
            stage=one.stage,
            round=one.round,
            title=heading(one, state),
            text=one.text,
            asker=one.asker,
            form=one.form,
            may_pass=one.may_pass,
            expires_at=one.expires_at,
        )
        for one in state.questions.values()
    ]


def _notices(state: DebateState) -> list[NoticeView]:
    return [
        NoticeView(
            seq=record.seq,
            at=record.at,
            type=message_type(record.event.code),
            code=record.event.code,
            text=record.event.text,
            participant=record.event.participant,
        )
        for record in state.notices
        if isinstance(record.event, NoticePosted)
    ]


def _waiting(state: DebateState) -> list[WaitView]:
    return [
        WaitView(
            participant=one.participant,
            step_key=one.step_key,
            model=one.model,
            code=one.code,
            reason=one.reason,
            attempts=one.attempts,
            since=one.since,
            next_try_at=one.next_try_at,
        )
        for one in state.waits.values()
    ]


def _participant(one: Participant, *, has_left: bool) -> ParticipantView:
    fields = {**msgspec.structs.asdict(one), "sampling": sampling_view(one.sampling)}
    return ParticipantView(**fields, has_left=has_left)
