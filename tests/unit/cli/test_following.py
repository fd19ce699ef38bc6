"""A debate that is watched while other processes run it."""

from __future__ import annotations

from typing import Any

from tests.unit.engine.bench import bench

from moot.cli.foreground import follow_debate
from moot.engine.feed import Item
from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.state import DebateState
from moot.protocol.words import Status


class Watching:
    """A view that keeps what it is urged to say."""

    wants_text = False
    question = None

    def __init__(self, state: DebateState) -> None:
        self.state = state
        self.urged: list[str] = []

    def take(self, item: Item) -> None:
        if isinstance(item, e.Recorded):
            self.state.apply(item)

    def urge(self, text: str) -> None:
        self.urged.append(text)

    def begin(self) -> None: ...
    def tick(self) -> None: ...
    def finish(self) -> None: ...


async def test_it_does_not_call_abandoned_what_has_ended_meanwhile() -> None:
    async with bench() as it:
        debate_id = await it.create()
        await it.service.run(debate_id)
        log = await it.service.log(debate_id)
        read = max(one.seq for one in log if isinstance(one.event, e.TurnRecorded))
        view: Any = Watching(fold(log[:read]))

        await follow_debate(it.system, debate_id, view, upto=read)

    assert view.state.status is Status.COMPLETED
    assert view.urged == []


async def test_it_says_so_if_nobody_runs_it() -> None:
    async with bench() as it:
        debate_id = await it.create()
        await it.service.command(debate_id, "start")
        log = await it.service.log(debate_id)
        view: Any = Watching(fold(log))

        class Told(Exception): ...

        def told(text: str) -> None:
            view.urged.append(text)
            raise Told

        view.urge = told
        try:
            await follow_debate(it.system, debate_id, view, upto=log[-1].seq)
        except* Told:
            pass

    assert ["no process has it yet" in one for one in view.urged] == [True]
