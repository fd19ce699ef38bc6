"""Commands written to a debate's log, and what to do next. Nothing is run here."""

from __future__ import annotations

from collections.abc import Mapping

from moot.cli.telling import say, tell
from moot.cli.view.console import one_line
from moot.cli.view.debate import ADVICE
from moot.cli.view.json_lines import as_line, whole
from moot.engine.service import GO_ON
from moot.protocol.row import DebateRow
from moot.protocol.words import Status
from moot.store.port import WorkerId
from moot.store.worker_identity import is_gone
from moot.wiring import System

HELD: Mapping[Status, str] = {
    Status.RUNNING: "running in process {pid}; watch it with: moot watch {id}",
    Status.STOPPING: "stopping; process {pid} is finishing the step in flight",
}
ABANDONED: Mapping[Status, str] = {
    Status.RUNNING: (
        "running, but no process has it yet: a server or worker will take it, "
        "or run it here with: moot resume {id}"
    ),
    Status.STOPPING: (
        "stopping, but no process is running it: a server or worker will record the stop, "
        "or continue it here with: moot resume {id}"
    ),
}


async def advice(system: System, debate_id: str, status: Status) -> str:
    """What happens next by itself, and what the person can do."""
    if not status.is_active:
        return ADVICE[status].format(id=debate_id)
    holder = await living_holder(system, debate_id)
    table = ABANDONED if holder is None else HELD
    return table[status].format(id=debate_id, pid=holder.pid if holder else None)


async def living_holder(system: System, debate_id: str) -> WorkerId | None:
    """Who is running the debate, as far as can be seen from here."""
    holder = await system.store.holder(debate_id)
    return None if holder is None or is_gone(holder) else holder


# --- commands -------------------------------------------------------------------------------------


Told = tuple[DebateRow, str]
"""How a debate stands after a command, and what happens next."""

LEAST_OF_ID = 4
"""How many characters of an id a command needs if it cannot be undone."""


async def carry_out(system: System, prefix: str, command: str) -> Told:
    """Give the command. Raises Refused, NotFound or InvalidInput, having changed nothing."""
    debate_id = await system.service.find(prefix)
    return await told(system, await system.service.command(debate_id, command))


async def what_goes(system: System, prefix: str) -> tuple[DebateRow, str]:
    """The debate to be deleted or canceled, and its name and size in words for people.

    Raises NotFound, and InvalidInput for an id that is too short to be certain of.
    """
    row = await system.service.summary(await system.service.find(prefix, least=LEAST_OF_ID))
    files = len((await system.service.state(row.id)).config.attachments)
    parts = [row.id, _counted(row.turns, "turn")] + ([_counted(files, "file")] if files else [])
    return row, f"{one_line(row.name)!r} ({', '.join(parts)})"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


async def go_on(system: System, prefix: str) -> Told:
    """Give the command that continues the debate from where it stands: start, resume or retry."""
    status = (await system.service.state(await system.service.find(prefix))).status
    return await carry_out(system, prefix, GO_ON.get(status, "resume"))


async def delete(system: System, prefix: str) -> Told:
    """Delete the debate; returns it as it was. Raises Refused while it is running."""
    summary, what = await what_goes(system, prefix)
    await system.service.delete(summary.id)
    return summary, f"deleted {what}"


async def rename(system: System, prefix: str, title: str) -> Told:
    """Raises NotFound, or InvalidInput if the title is too long."""
    row = await system.service.rename(await system.service.find(prefix), title)
    return row, f"now called {row.title!r}" if row.title else "has no title now; its topic is shown"


async def told(system: System, summary: DebateRow) -> Told:
    return summary, await advice(system, summary.id, summary.status)


def print_new(summary: DebateRow, text: str, as_json: bool) -> None:
    """The id of a new debate, alone on standard output, and beside it what comes next."""
    if as_json:
        print(as_line(whole(summary)))
    else:
        print(summary.id)
        tell(text, label="")


def print_summary(summary: DebateRow, text: str, as_json: bool) -> None:
    if as_json:
        print(as_line(whole(summary)))
    else:
        say(f"{summary.id}: {text}")
