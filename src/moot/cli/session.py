"""A debate run in the foreground: played to a view, stopped by signals, answered by a person."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime

from rich.console import Console

from moot.cli.asking import Asker
from moot.cli.exit_codes import OF_STATUSES, ExitCode
from moot.cli.interrupts import Interrupts
from moot.cli.unread import ReadView
from moot.cli.view.json_lines import JsonView
from moot.cli.view.live import LiveView
from moot.cli.view.port import View
from moot.cli.view.quiet import QuietView
from moot.cli.view.totals import totals
from moot.cli.view.words import clean, one_line
from moot.engine.service import Service
from moot.errors import Busy, MootError
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.words import Status

TICK_S = 0.12


async def run_debate(service: Service, debate_id: str, view: View) -> ExitCode:
    """Run it to its end, or to wherever it stops, and say how it stands."""
    asker = _asker(service, debate_id, view)

    def say(text: str) -> None:
        if asker is not None and asker.is_asking:
            print()  # the cursor stands behind the prompt
        read.urge(text)

    with Interrupts(service, debate_id, say) as interrupts:
        read = ReadView(view, on_unread=interrupts.drop)
        try:
            async with ticking(read):
                read.begin()
                await _play(service, debate_id, read, asker, interrupts)
        except asyncio.CancelledError:
            if not interrupts.is_last:
                raise
        except MootError as error:
            if not isinstance(error, Busy):
                error.add_note(f"go on with: moot resume {debate_id}")
            raise
        finally:
            if asker is not None:
                await asker.close()
            read.finish()
    read.write(lambda: say_ending(debate_id, view))
    return OF_STATUSES[view.state.status]


async def _play(
    service: Service, debate_id: str, view: View, asker: Asker | None, interrupts: Interrupts
) -> None:
    while True:
        async with aclosing(service.play(debate_id, text=view.wants_text)) as items:
            async for item in items:
                view.take(item)
                if asker is not None:
                    asker.look()
        await _catch_up(service, debate_id, view)
        if view.state.status is Status.RUNNING and not interrupts.is_asked.is_set():
            continue  # answered in the very moment in which nothing else was left to run
        is_waiting = view.state.status is Status.WAITING
        if asker is None or not is_waiting or not await asker.answered(interrupts.is_asked):
            break
        await _catch_up(service, debate_id, view)
        if view.state.status not in (Status.RUNNING, Status.WAITING):
            break  # stopped from elsewhere: to play it now would go on with it
    await _catch_up(service, debate_id, view)


async def _catch_up(service: Service, debate_id: str, view: View) -> None:
    """What was recorded while nobody was playing: answers, and commands from elsewhere."""
    for record in await service.log(debate_id, after=view.state.seq):
        view.take(record)


def _asker(service: Service, debate_id: str, view: View) -> Asker | None:
    """A person is asked only at a terminal, and only if the debate is shown there."""
    can_ask = isinstance(view, LiveView) and view.wants_text and sys.stdin.isatty()
    return Asker(service, debate_id, view) if can_ask and isinstance(view, LiveView) else None


@asynccontextmanager
async def ticking(view: View) -> AsyncIterator[None]:
    async def tick() -> None:
        while True:
            view.tick()
            await asyncio.sleep(TICK_S)

    task = asyncio.create_task(tick())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


# --- the end -------------------------------------------------------------------------------------


def say_ending(debate_id: str, view: View) -> ExitCode:
    """What it took, how it stands and what to do next; the exit code says how it stands, too."""
    state = view.state
    say = view.paper.say if isinstance(view, LiveView) else _say_error
    if isinstance(view, LiveView):
        say(totals(state, datetime.now(UTC)))
    for line in endings(debate_id, state):
        if state.status is not Status.COMPLETED or isinstance(view, LiveView):
            say(line)
    return OF_STATUSES[state.status]


def endings(debate_id: str, state: DebateState) -> list[str]:
    """How it stands, and what to do next."""
    go_on = f"go on with: moot resume {debate_id}"
    match state.status:
        case Status.COMPLETED:
            return [f"see it again with: moot show {debate_id} --private"]
        case Status.FAILED:
            error = state.failure.error if state.failure else "unknown"
            return [f"failed: {one_line(error, 1000)}", f"try again with: moot resume {debate_id}"]
        case Status.WAITING if _is_open_ended(state) and not state.questions:
            return [f"nobody has to speak; say something with: moot room {debate_id}"]
        case Status.WAITING:
            give = f"waiting for an answer; give it with: moot answer {debate_id}"
            return [*_questions(state), give, f"or at a terminal, {go_on}"]
        case Status.CANCELED:
            return ["canceled"]
        case _:
            return [f"stopped; {go_on}"]


def _is_open_ended(state: DebateState) -> bool:
    return format_named(state.config.format).is_open_ended


def _questions(state: DebateState) -> list[str]:
    lines: list[str] = []
    for question in state.questions.values():
        asked = clean(state.label_of(question.participant))
        asker = f" by {clean(state.label_of(question.asker))}" if question.asker else ""
        heading = f"{asked} is asked{asker} ({question.question_id}):"
        lines += [heading, clean(question.text), ""]
    return lines


def _say_error(line: str) -> None:
    print(f"moot: {line}" if line else "", file=sys.stderr, flush=True)


# --- which view ----------------------------------------------------------------------------------


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - called while it is handled; rich would end the process here


def new_console() -> Console:
    """Plain where it is not a terminal; never interprets what it is given."""
    return _Console(highlight=False, markup=False, emoji=False)


def new_view(  # noqa: PLR0913 - what the options say, each by name
    debate_id: str,
    state: DebateState,
    *,
    as_json: bool,
    is_quiet: bool,
    hides_private: bool,
    shows_log: bool,
    is_remote: bool = False,
) -> View:
    if as_json:
        return JsonView(debate_id, state, hides_private=hides_private)
    console = new_console()
    if is_quiet:
        return QuietView(console, state)
    is_live = sys.stdout.isatty() and not console.is_dumb_terminal and not shows_log
    return LiveView(
        console,
        debate_id,
        state,
        hides_private=hides_private,
        is_live=is_live,
        is_remote=is_remote,
    )
