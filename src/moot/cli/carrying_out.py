"""Commands written to the log of a debate, for whoever runs it. Nothing is run here."""

from __future__ import annotations

from moot.cli.advice import advice
from moot.cli.view.json_lines import as_line, whole
from moot.engine.creation import NewDebate
from moot.engine.service import GO_ON
from moot.protocol.row import DebateRow
from moot.wiring import System

Told = tuple[DebateRow, str]
"""How a debate stands after a command, and what happens next."""


async def carry_out(system: System, prefix: str, command: str) -> Told:
    """Raises Refused, NotFound or InvalidInput, having changed nothing."""
    debate_id = await system.service.find(prefix)
    return await told(system, await system.service.command(debate_id, command))


async def go_on(system: System, prefix: str) -> Told:
    """The command that goes on from wherever the debate stands: start, resume or retry."""
    status = (await system.service.state(await system.service.find(prefix))).status
    return await carry_out(system, prefix, GO_ON.get(status, "resume"))


async def write_down(system: System, new: NewDebate, *, start: bool) -> Told:
    """A new debate."""
    debate_id = await system.service.create(new, start=start)
    return await told(system, await system.service.summary(debate_id))


async def delete(system: System, debate_id: str) -> Told:
    """The debate as it was. Raises Refused while it is running."""
    summary = await system.service.summary(debate_id)
    await system.service.delete(debate_id)
    return summary, "deleted"


async def told(system: System, summary: DebateRow) -> Told:
    return summary, await advice(system, summary.id, summary.status)


def print_summary(summary: DebateRow, text: str, as_json: bool) -> None:
    print(as_line(whole(summary)) if as_json else f"{summary.id}: {text}")
