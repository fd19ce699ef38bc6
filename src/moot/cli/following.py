"""A debate shown while other processes run it. Nothing here changes it, whatever is pressed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from moot.cli.advice import advice, living_holder
from moot.cli.exit_codes import ExitCode
from moot.cli.foreground import say_ending, ticking
from moot.cli.interrupts import ignore_interrupts
from moot.cli.view.views import View
from moot.errors import StoreUnavailable
from moot.protocol.events import Recorded
from moot.protocol.words import Status
from moot.wiring import System


async def follow_debate(system: System, debate_id: str, view: View, *, upto: int) -> ExitCode:
    """Until the debate is over or a signal comes. Of the past, up to event `upto`, only turns."""
    try:
        with _leaving_on_signals():
            async with ticking(view):
                await _follow(system, debate_id, view, upto)
    except asyncio.CancelledError:
        view.urge(f"no longer watching; come back with: moot watch {debate_id}")
        return ExitCode.INTERRUPTED
    view.finish()
    return say_ending(debate_id, view)


async def show_debate(system: System, debate_id: str, view: View) -> None:
    """The same for a process that runs the debate and has its own way with signals."""
    async with ticking(view):
        await _follow(system, debate_id, view, upto=view.state.seq + 1)
    view.finish()
    say_ending(debate_id, view)


async def _follow(system: System, debate_id: str, view: View, upto: int) -> None:
    standing: Status | None = None
    async with system.service.following(debate_id) as viewer:
        if view.state.seq >= upto:
            standing = await _tell(system, debate_id, view, None)
        async for item in viewer.items(after=view.state.seq):
            view.take(item)
            if isinstance(item, Recorded) and item.seq >= upto:
                standing = await _tell(system, debate_id, view, standing)
    if not view.state.status.is_terminal:
        await system.service.summary(debate_id)  # raises NotFound: it was deleted meanwhile
        message = f"debate {debate_id} can no longer be read; try again: moot watch {debate_id}"
        raise StoreUnavailable(message)


async def _tell(system: System, debate_id: str, view: View, before: Status | None) -> Status:
    """Say how the debate stands now, unless it simply goes on."""
    status = view.state.status
    if status is before or status.is_terminal:
        return status
    # Whoever has made it run is about to; only at the first look may it be abandoned.
    goes_on = status is Status.RUNNING and (
        before is not None or await living_holder(system, debate_id) is not None
    )
    if not goes_on:
        view.urge(f"{await advice(system, debate_id, status)} (still watching)")
    return status


@contextmanager
def _leaving_on_signals() -> Iterator[None]:
    """Cancels whoever is inside when Ctrl-C or SIGTERM comes."""
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    with suppress(NotImplementedError, RuntimeError):  # Windows, or not the main thread
        for one in signals:
            loop.add_signal_handler(one, task.cancel if task else lambda: None)
    try:
        yield
    finally:
        with suppress(NotImplementedError, RuntimeError):
            loop.remove_signal_handler(signal.SIGTERM)
        ignore_interrupts()
