"""A debate of thousands of turns, written straight into a database before a server opens it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.registry import format_named
from moot.protocol.row import Cursor
from moot.protocol.settings import as_data, read_settings
from moot.protocol.values import Config
from moot.protocol.words import StepKind, Visibility
from moot.settings import load_settings
from moot.testing.clock import START
from moot.wiring import open_store

PIECE = "A sentence that says as much as most sentences in a long debate do, and no more. "


async def write_long_debate(home: Path, turns: int) -> tuple[str, int]:
    """Its id, and the number of the event in its middle."""
    form = format_named("rounds")
    settings = read_settings(form.settings, {"max_rounds": 100})
    roster = form.cast(settings, form.default_roster)
    config = Config(
        format="rounds",
        topic="How long is long?",
        settings=as_data(settings),
        participants=tuple(roster),
    )
    happened: list[e.AnyEvent] = [
        e.DebateCreated(config=config),
        e.DebateStarted(),
        e.StageEntered(stage="debate", round=1, by="START"),
        *(_turn(number, roster[number % 2].id) for number in range(turns)),
        e.StopRequested(),
        e.DebateStopped(),
    ]
    records = [
        e.Recorded(seq, START + timedelta(seconds=seq), event)
        for seq, event in enumerate(happened, 1)
    ]
    store = await open_store(load_settings(home=home))
    try:
        await store.create(records, fold(records).summary("long", Cursor(stage="debate")))
    finally:
        await store.close()
    return "long", turns // 2 + 3


def _turn(number: int, participant: str) -> e.TurnRecorded:
    round_ = number // 2 + 1
    return e.TurnRecorded(
        step_key=f"debate/{round_}/{participant}/speak",
        participant=participant,
        kind=StepKind.SPEAK,
        stage="debate",
        round=round_,
        place=(round_, number % 2),
        visibility=Visibility.PUBLIC,
        model="scripted",
        content=f"Statement {number + 1}. " + PIECE * (1 + number % 5),
    )
