"""Any legal log, drawn by Hypothesis, and a way to compare states in full."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
from hypothesis import strategies as st
from tests.unit.protocol.playing import ADA, BO, JUDGE, NOON

from moot.protocol import events as e
from moot.protocol.copying import slots_of
from moot.protocol.lifecycle import LIFECYCLE
from moot.protocol.log import begin
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant, Usage
from moot.protocol.words import (
    Finish,
    Pacing,
    Role,
    StepKind,
    StopReason,
    Visibility,
)

CONFIG = Config(format="duel", topic="T", settings={"turns": 6}, participants=(ADA, BO, JUDGE))
WORDS = st.text(max_size=20)
KEYS = st.sampled_from([f"exchange/{n}/{who}/speak" for n in range(4) for who in ("ada", "bo")])
NAMES = st.sampled_from(["ada", "bo", "judith", "guest"])
USAGE = st.builds(
    Usage,
    input_tokens=st.integers(0, 1000),
    output_tokens=st.integers(0, 1000),
    cached_tokens=st.integers(0, 10),
    cost_usd=st.none() | st.integers(0, 8).map(lambda eighths: eighths / 8),
    is_estimated=st.booleans(),
)
DATA = st.none() | st.dictionaries(WORDS, st.integers(0, 10) | WORDS | st.booleans(), max_size=3)

# The reasons are drawn from the words, the ids from those above: laws hold for all of them.
BUILDERS: dict[type[e.Event], st.SearchStrategy[Any]] = {
    e.DebateCreated: st.just(e.DebateCreated(config=CONFIG)),
    e.DebateStarted: st.just(e.DebateStarted()),
    e.StopRequested: st.just(e.StopRequested()),
    e.DebateStopped: st.builds(e.DebateStopped, reason=st.sampled_from(StopReason)),
    e.DebateResumed: st.just(e.DebateResumed()),
    e.DebateRecovered: st.just(e.DebateRecovered()),
    e.ClockJumped: st.builds(e.ClockJumped, ran_s=st.integers(0, 9).map(float)),
    e.DebateSuspended: st.just(e.DebateSuspended()),
    e.EndRequested: st.just(e.EndRequested()),
    e.DebateCanceled: st.just(e.DebateCanceled()),
    e.DebateFailed: st.builds(e.DebateFailed, error=WORDS, code=WORDS, step_key=st.none() | KEYS),
    e.DebateRetried: st.just(e.DebateRetried()),
    e.DebateCompleted: st.builds(
        e.DebateCompleted, stop_reason=st.sampled_from(StopReason), outcome=DATA
    ),
    e.StageEntered: st.builds(e.StageEntered, stage=WORDS, round=st.integers(1, 9), by=WORDS),
    e.LimitReached: st.builds(
        e.LimitReached, limit=st.sampled_from(StopReason), observed=st.floats(0, 1e6)
    ),
    e.TurnRecorded: st.builds(
        e.TurnRecorded,
        step_key=KEYS,
        participant=NAMES,
        kind=st.sampled_from(StepKind),
        stage=WORDS,
        round=st.integers(1, 9),
        place=st.lists(st.integers(0, 9), min_size=1, max_size=3).map(tuple),
        visibility=st.sampled_from(Visibility),
        content=WORDS,
        data=DATA,
        prompt=WORDS,
        model=st.sampled_from(["", "test:model"]),
        usage=USAGE,
        duration_ms=st.integers(0, 9999),
        attempts=st.integers(1, 3),
        finish=st.sampled_from(Finish),
        flags=st.lists(WORDS, max_size=2).map(tuple),
        included=st.booleans(),
        is_pending=st.booleans(),
    ),
    e.AttemptFailed: st.builds(
        e.AttemptFailed,
        attempt_of=KEYS,
        attempt=st.integers(1, 3),
        code=WORDS,
        error=WORDS,
        model=WORDS,
        usage=USAGE,
        duration_ms=st.integers(0, 9999),
        reply=WORDS,
        retry_in_s=st.none() | st.floats(0, 60),
    ),
    e.ToolUsed: st.builds(
        e.ToolUsed,
        used_by=KEYS,
        exchange=st.integers(1, 3),
        tool=WORDS,
        arguments=WORDS,
        call_id=WORDS,
        result_sha256=WORDS,
        result_chars=st.integers(0, 999),
        is_error=st.booleans(),
        duration_ms=st.integers(0, 99),
        said=WORDS,
        model=st.sampled_from(["", "test:model"]),
        usage=USAGE,
    ),
    e.StepFailed: st.builds(
        e.StepFailed, failed_key=KEYS, code=WORDS, error=WORDS, attempts=st.integers(1, 3)
    ),
    e.QuestionOpened: st.builds(
        e.QuestionOpened,
        question_id=KEYS,
        participant=NAMES,
        kind=st.sampled_from(StepKind),
        stage=WORDS,
        round=st.integers(1, 9),
        text=WORDS,
        asker=st.just("") | NAMES,
        form=DATA,
        may_pass=st.booleans(),
        expires_at=st.none() | st.just(NOON),
    ),
    e.QuestionClosed: st.builds(e.QuestionClosed, question_id=KEYS),
    e.StepRetried: st.builds(e.StepRetried, failed_key=KEYS),
    e.NoticePosted: st.builds(e.NoticePosted, code=WORDS, text=WORDS, participant=NAMES),
    e.MessageSaid: st.builds(e.MessageSaid, participant=NAMES, content=WORDS),
    e.ParticipantJoined: st.builds(
        e.ParticipantJoined,
        participant=st.builds(
            Participant, id=NAMES, name=WORDS, role=st.sampled_from(Role), muted=st.booleans()
        ),
    ),
    e.ParticipantLeft: st.builds(e.ParticipantLeft, participant=NAMES),
    e.ParticipantMuted: st.builds(e.ParticipantMuted, participant=NAMES),
    e.ParticipantUnmuted: st.builds(e.ParticipantUnmuted, participant=NAMES),
    e.TurnIncluded: st.builds(e.TurnIncluded, turn=st.integers(1, 30)),
    e.TurnExcluded: st.builds(e.TurnExcluded, turn=st.integers(1, 30)),
    e.PacingChanged: st.builds(e.PacingChanged, pacing=st.sampled_from(Pacing)),
    e.SettingsChanged: st.builds(
        e.SettingsChanged,
        settings=st.fixed_dictionaries({"max_tokens": st.integers(16, 1000)}),
    ),
    e.CardsOpened: st.builds(e.CardsOpened),
    e.DebateRenamed: st.builds(e.DebateRenamed, title=WORDS),
}

ANY_EVENT: st.SearchStrategy[e.AnyEvent] = st.one_of(*BUILDERS.values())

# What would end most logs early is drawn rarely, or no log would ever be long.
RARE = (e.DebateCanceled, e.DebateCompleted, e.DebateFailed)


def _is_possible(state: DebateState, event: e.AnyEvent) -> bool:
    """Whether the fold accepts it, besides the table: checked against the rules as documented."""
    match event:
        case e.TurnRecorded(step_key=key):
            return key not in state.turns
        case e.ParticipantLeft(participant=who) | e.ParticipantMuted(participant=who):
            return who in state.participants
        case e.ParticipantUnmuted(participant=who):
            return who in state.participants
        case e.TurnIncluded(turn=seq) | e.TurnExcluded(turn=seq):
            return state.turn_at(seq) is not None
        case _:
            return True


@st.composite
def legal_logs(
    draw: Callable[[st.SearchStrategy[Any]], Any], *, most: int = 25
) -> list[e.Recorded]:
    """A log that every reader must accept, from its creation on."""
    now = NOON
    log = [e.Recorded(1, now, e.DebateCreated(config=CONFIG))]
    state = begin(log[0])
    for _ in range(draw(st.integers(0, most))):
        kinds = [kind for kind in LIFECYCLE[state.status] if kind not in RARE]
        if draw(st.integers(0, 9)) == 9:
            kinds = list(LIFECYCLE[state.status])
        if not kinds:
            break
        event = draw(BUILDERS[draw(st.sampled_from(kinds))])
        if not _is_possible(state, event):
            continue
        now += timedelta(seconds=draw(st.integers(0, 100)))
        log.append(e.Recorded(state.seq + 1, now, event))
        state.apply(log[-1])
    return log


def snapshot(state: DebateState) -> dict[str, str]:
    """Everything a state holds, as text that can be compared."""
    return {slot: repr(getattr(state, slot)) for slot in slots_of(DebateState)}


def stored(record: e.Recorded) -> e.Recorded:
    """The record after it has been written and read again."""
    return msgspec.structs.replace(record, event=e.decode(e.encode(record.event)))
