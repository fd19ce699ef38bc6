"""Moot itself, through its service: SQLite on disk at the default durability, the real adapter."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks import duel, measure
from benchmarks.long_debate import LONG, register, turn_costs
from benchmarks.reading import reading_costs
from moot.engine.creation import NewDebate
from moot.engine.loops import run as run_loop
from moot.engine.service import Service
from moot.protocol.values import Participant
from moot.protocol.words import Role, Status
from moot.settings import load_settings
from moot.wiring import open_system

MODEL = "bench:scripted"
MAX_CONCURRENT = 4096


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Service]:
    """A system in a directory of its own, its only provider the benchmark's server."""
    provider = {"base_url": url, "max_concurrent": MAX_CONCURRENT}
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as home:
        settings = load_settings(home=home, providers={"bench": provider})
        async with open_system(settings) as system:
            yield system.service


def new_duel() -> NewDebate:
    debaters = tuple(
        Participant(id=name.lower(), name=name, role=Role.DEBATER, personality=_persona(name))
        for name in duel.NAMES
    )
    judge = Participant(id="judge", name="Judge", role=Role.JUDGE, personality=_persona("Judge"))
    return NewDebate(
        topic=duel.TOPIC,
        settings={"turns": duel.TURNS, "model_debater": MODEL, "model_judge": MODEL},
        participants=(*debaters, judge),
    )


def _persona(name: str) -> str:
    return duel.PERSONA.replace("{name}", name)


async def run(service: Service, *, is_streamed: bool) -> None:
    """One duel from creation to verdict, read by a watcher if it is streamed."""
    debate_id = await service.create(new_duel())
    if is_streamed:
        async for _ in service.play(debate_id, text=True):
            pass
        state = await service.state(debate_id)
    else:
        state = await service.run(debate_id)
    assert state.status is Status.COMPLETED, state.failure
    assert state.calls == duel.CALLS, state.calls


async def main() -> None:
    job = measure.job_from_arguments()
    register()
    if job.kind == "read":
        measure.tell(await reading_costs(job))
        return
    async with opened(job.url) as service:
        if job.kind == LONG:
            measure.tell(await turn_costs(service, job, MODEL))
        else:
            measure.tell(
                await measure.duels(job, lambda: run(service, is_streamed=job.is_streamed))
            )


if __name__ == "__main__":
    run_loop(main())
