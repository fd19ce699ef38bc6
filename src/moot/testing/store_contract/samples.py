"""What every test of the contract begins with: a store, and records and summaries to put into it.

Times differ by microseconds, because those must survive too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from moot.errors import MootError
from moot.protocol.events import (
    AnyEvent,
    DebateCreated,
    DebateStarted,
    MessageSaid,
    Recorded,
    TurnRecorded,
)
from moot.protocol.outcomes import OutcomeStatus, Verdict
from moot.protocol.row import Cursor, DebateRow, Seat
from moot.protocol.values import Config, Usage
from moot.protocol.words import Role, Status, StepKind, Visibility
from moot.store.port import Store, WorkerId

BEGIN = datetime(2026, 11, 15, 12, 30, 59, 123456, tzinfo=UTC)


def at(seq: int) -> datetime:
    return BEGIN + timedelta(seconds=seq, microseconds=seq)


def record(seq: int, event: AnyEvent | None = None) -> Recorded:
    return Recorded(seq, at(seq), event if event is not None else DebateStarted())


def created(topic: str = "Is it so?") -> Recorded:
    config = Config(format="duel", topic=topic, settings={"turns": 6}, participants=())
    return record(1, DebateCreated(config=config))


def turn(seq: int, key: str, content: str = "Indeed.") -> Recorded:
    event = TurnRecorded(
        step_key=key,
        participant="ada",
        kind=StepKind.SPEAK,
        stage="exchange",
        round=1,
        place=(1, 2),
        visibility=Visibility.PUBLIC,
        content=content,
        usage=Usage(input_tokens=3, output_tokens=5, thought_tokens=4, cost_usd=0.25),
    )
    return record(seq, event)


def said(seq: int, content: str) -> Recorded:
    return record(seq, MessageSaid(participant="you", content=content))


SEATS = (
    Seat(id="ada", name="Ada “the 1st”", role=Role.DEBATER, side="for"),
    Seat(id="bo", name="Bo", role=Role.DEBATER, side="against", is_person=True),
)
VERDICT = Verdict(
    status=OutcomeStatus.DECIDED, winner="Bo", winner_id="bo", scores={"Ada": 6.5, "Bo": 8}
)


def summary(debate_id: str, seq: int, **changes: Any) -> DebateRow:
    plain = DebateRow(
        id=debate_id,
        format="duel",
        topic="Is it so?",
        status=Status.RUNNING,
        seq=seq,
        cursor=Cursor(stage="exchange", next_round=seq, next_actor="ada"),
        turns=seq,
        cost_usd=0.1 * seq,
        created_at=at(1),
        updated_at=at(seq),
    )
    return msgspec.structs.replace(plain, **changes)


async def begin(store: Store, debate_id: str, **changes: Any) -> None:
    """Create a debate whose log has one event."""
    await store.create([created()], summary(debate_id, 1, **changes))


def worker(name: str) -> WorkerId:
    return WorkerId(id=name, machine="here", pid=42, started="then")


async def outcome(call: Coroutine[Any, Any, Any]) -> str:
    """`done`, or the code of the error that was raised."""
    try:
        await call
    except MootError as error:
        return error.code
    return "done"


async def outcomes(*calls: Coroutine[Any, Any, Any]) -> list[str]:
    """What came of calls made at the same time."""
    return list(await asyncio.gather(*(outcome(call) for call in calls)))


# --- stores ---------------------------------------------------------------------------------------


OpenStore = Callable[[], Awaitable[Store]]


class Stores:
    """The two handles every test of the contract gets: this process's, and another's."""

    @pytest.fixture
    async def store(self, open_store: OpenStore) -> AsyncIterator[Store]:
        store = await open_store()
        yield store
        await store.close()

    @pytest.fixture
    async def other(self, open_store: OpenStore) -> AsyncIterator[Store]:
        """The same database, opened once more."""
        store = await open_store()
        yield store
        await store.close()
