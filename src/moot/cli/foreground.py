"""A debate in the foreground: run here, or followed while others run it, until it is over.

Signals are obeyed, a person at the terminal is asked, and what to do next is said at the end.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from datetime import UTC, datetime
from typing import Any

from moot.cli.advice import advice, living_holder
from moot.cli.asking import Asker
from moot.cli.exit_codes import OF_STATUSES, ExitCode
from moot.cli.interrupts import (
    ASKED_TO_END,
    HINT,
    KEY,
    EndKey,
    Interrupts,
    can_listen,
    ignore_interrupts,
    off_signals,
    on_signals,
)
from moot.cli.questions import addressed
from moot.cli.telling import LABEL, tell
from moot.cli.view.console import clean
from moot.cli.view.header import totals, why_failed
from moot.cli.view.live import LiveView
from moot.cli.view.views import ReadView, View
from moot.engine.feed import Stalled
from moot.engine.service import Service
from moot.errors import Busy, MootError, StoreUnavailable
from moot.protocol.events import Recorded
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.words import Status
from moot.store.port import ChecksRoom
from moot.wiring import System

KEYS = f"press {KEY} to end the debate early, Ctrl-C to stop it"
AGAIN = f"press {KEY} again to end the debate"
TICK_S = 0.12
LOOK_FOR_ROOM_S = 3.0


async def run_debate(service: Service, debate_id: str, view: View, *, grace_s: float) -> ExitCode:
    """Run it to its end, or to wherever it stops, and say how it stands."""

    def say(text: str) -> None:
        if asker is None:
            read.urge(text)
        else:
            asker.above(lambda: read.urge(text))

    with (
        Interrupts(service, debate_id, say, grace_s) as interrupts,
        _listening(view, interrupts.end, say) as look,
    ):
        asker = _asker(service, debate_id, view, interrupts)
        read = ReadView(view, on_unread=interrupts.drop)
        try:
            async with ticking(read, look):
                read.begin()
                if (shown := _with_key(view)) is not None:
                    shown.note(KEYS)
                await _play(service, debate_id, read, asker, interrupts, look)
        except asyncio.CancelledError:
            if not interrupts.is_last:
                raise
        except MootError as error:
            if not isinstance(error, Busy):
                error.add_note(f"continue with: moot resume {debate_id}")
            raise
        finally:
            if asker is not None:
                await asker.close()
            read.finish()
    read.write(lambda: say_ending(debate_id, view))
    return OF_STATUSES[view.state.status]


async def _play(
    service: Service,
    debate_id: str,
    view: View,
    asker: Asker | None,
    interrupts: Interrupts,
    look: Callable[[], None],
) -> None:
    while True:
        async with aclosing(service.play(debate_id, text=view.wants_text)) as items:
            async for item in items:
                view.take(item)
                look()  # before anybody is asked: then the keyboard is theirs
                if asker is not None:
                    await asker.settle()
                    asker.look()
        await _catch_up(service, debate_id, view)
        if view.state.status is Status.RUNNING and not interrupts.is_asked.is_set():
            continue  # answered in the very moment in which nothing else was left to run
        look()
        is_waiting = view.state.status is Status.WAITING
        if asker is None or not is_waiting or not await asker.answered(interrupts.is_asked):
            break
        await _catch_up(service, debate_id, view)
        if view.state.status not in (Status.RUNNING, Status.WAITING):
            break  # stopped from elsewhere: playing it now would resume it
    await _catch_up(service, debate_id, view)


async def _catch_up(service: Service, debate_id: str, view: View) -> None:
    """Show what was recorded while nobody was playing: answers, and commands from elsewhere."""
    for record in await service.log(debate_id, after=view.state.seq):
        view.take(record)


def _asker(service: Service, debate_id: str, view: View, interrupts: Interrupts) -> Asker | None:
    """A person is asked only at a terminal, and only if the debate is shown there."""
    if not isinstance(view, LiveView) or not view.wants_text or not sys.stdin.isatty():
        return None
    return Asker(service, debate_id, view, interrupts.interrupt)


def _with_key(view: View) -> LiveView | None:
    """The view, if a key may end the debate: it is shown at a terminal, and it has an end."""
    if not isinstance(view, LiveView) or not view.wants_text or not can_listen():
        return None
    return None if format_named(view.state.config.format).is_open_ended else view


@contextmanager
def _listening(
    view: View, on_end: Callable[[], None], say: Callable[[str], None]
) -> Iterator[Callable[[], None]]:
    """While inside, the key ends the debate; the yielded function decides when to listen."""
    shown = _with_key(view)
    if shown is None:
        yield lambda: None
        return
    has_people = any(one.is_human for one in shown.state.participants.values())
    with EndKey(on_end, (lambda: say(AGAIN)) if has_people else None) as key:

        def look() -> None:
            is_running = shown.state.status is Status.RUNNING and not shown.state.ending
            is_free = is_running and shown.question is None and not shown.is_asking
            shown.hint = HINT if is_free else ""
            key.look(is_free=is_free)

        yield look


@asynccontextmanager
async def ticking(view: View, also: Callable[[], None] = lambda: None) -> AsyncIterator[None]:
    async def tick() -> None:
        while True:
            also()
            view.tick()
            await asyncio.sleep(TICK_S)

    async with _beside(tick()):
        yield


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


# --- the end -------------------------------------------------------------------------------------


def say_ending(debate_id: str, view: View) -> ExitCode:
    """Say what the debate took, how it stands and what to do next; returns the exit code for how
    it stands."""
    state = view.state
    say = view.printer.say if isinstance(view, LiveView) else _say_error
    if isinstance(view, LiveView):
        say(totals(state, datetime.now(UTC)))
    for line in endings(debate_id, state):
        if state.status is not Status.COMPLETED or isinstance(view, LiveView):
            say(line)
    return OF_STATUSES[state.status]


def endings(debate_id: str, state: DebateState) -> list[str]:
    """How it stands, and what to do next."""
    go_on = f"continue with: moot resume {debate_id}"
    is_conversation = format_named(state.config.format).is_open_ended
    match state.status:
        case Status.COMPLETED:
            return [f"see it again with: moot show {debate_id} --private"]
        case Status.FAILED:
            return [why_failed(state), f"try again with: moot resume {debate_id}"]
        case Status.WAITING if is_conversation and not state.questions:
            return [f"waiting for you; say something with: moot room {debate_id}"]
        case Status.WAITING:
            give = f"waiting for an answer; answer with: moot answer {debate_id}"
            return [*_questions(state), give, f"or, at a terminal, {go_on}"]
        case Status.CANCELED:
            return ["canceled"]
        case _:
            return [f"stopped; {go_on}"]


def _questions(state: DebateState) -> list[str]:
    lines: list[str] = []
    for question in state.questions.values():
        lines += [clean(addressed(question, state)), clean(question.text), ""]
    return lines


def _say_error(line: str) -> None:
    tell(line, label=LABEL if line else "")


# --- a debate that other processes run ------------------------------------------------------------


async def follow_debate(system: System, debate_id: str, view: View, *, upto: int) -> ExitCode:
    """Show the debate until it is over or a signal comes. Of its past, up to event `upto`, only
    turns are shown."""
    try:
        with _leaving_on_signals():
            async with ticking(view), _beside(_watch_room(system, view)):
                await _follow(system, debate_id, view, upto)
    except asyncio.CancelledError:
        view.urge(
            f"stopped watching; the debate is not affected. Watch again: moot watch {debate_id}"
        )
        return ExitCode.INTERRUPTED
    view.finish()
    return say_ending(debate_id, view)


async def _watch_room(system: System, view: View) -> None:
    """Say that the disk is full: the process that runs the debate can neither record that nor
    tell us."""
    told = ""
    while isinstance(system.store, ChecksRoom):
        await asyncio.sleep(LOOK_FOR_ROOM_S)
        reason = ""
        if view.state.status.is_active:
            try:
                await system.store.check_room()
            except StoreUnavailable as error:
                reason = str(error)
        if reason != told:
            view.take(Stalled(reason))
        told = reason


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
        await system.service.summary(debate_id)  # raises NotFound if it was deleted meanwhile
        message = f"debate {debate_id} can no longer be read; try again: moot watch {debate_id}"
        raise StoreUnavailable(message)


async def _tell(system: System, debate_id: str, view: View, before: Status | None) -> Status:
    """Say how the debate stands now, unless it simply goes on."""
    status = view.state.status
    if status is before or status.is_terminal:
        return status
    # Whoever set it running is about to run it; only at the first look can it be abandoned.
    if status is Status.RUNNING and before is not None:
        return status
    is_held = await living_holder(system, debate_id) is not None
    if is_held and status is Status.RUNNING:
        return status
    if status.is_active and not is_held:
        # Read last: whoever let go of the debate had by then written all that is still to be shown.
        row = await system.service.summary(debate_id)
        if row.seq > view.state.seq:
            return status
    view.urge(f"{await advice(system, debate_id, status)} (still watching)")
    return status


@contextmanager
def _leaving_on_signals() -> Iterator[None]:
    """Cancels the task inside when Ctrl-C or SIGTERM comes."""
    task = asyncio.current_task()
    on_signals(task.cancel if task else lambda: None, *ASKED_TO_END)
    try:
        yield
    finally:
        off_signals(signal.SIGTERM)
        ignore_interrupts()
