"""What to do next about a debate, by how it stands and whether anybody is running it."""

from __future__ import annotations

from collections.abc import Mapping

from moot.protocol.words import Status
from moot.store.port import WorkerId
from moot.store.worker_identity import is_gone
from moot.wiring import System

ADVICE: Mapping[Status, str] = {
    Status.CREATED: "not begun; begin it with: moot start {id}, or run it here: moot resume {id}",
    Status.RUNNING: "running; if its process is gone, go on with: moot resume {id}",
    Status.WAITING: "waiting for an answer; give it with: moot answer {id}",
    Status.STOPPING: "stopping; if its process is gone, go on with: moot resume {id}",
    Status.STOPPED: "stopped; go on with: moot resume {id}",
    Status.FAILED: "failed; try again with: moot resume {id}",
    Status.COMPLETED: "completed; see it with: moot show {id}",
    Status.CANCELED: "canceled; see what was said with: moot show {id}",
}
"""Where nothing is known but the status."""

HELD: Mapping[Status, str] = {
    Status.RUNNING: "running in process {pid}; watch it with: moot watch {id}",
    Status.STOPPING: "stopping; process {pid} finishes the step in flight first",
}
ABANDONED: Mapping[Status, str] = {
    Status.RUNNING: (
        "running, and nobody has it yet: a running server or worker will go on with it; "
        "or run it here: moot resume {id}"
    ),
    Status.STOPPING: (
        "stopping, though nobody is running it: a server or worker will note the stop; "
        "or go on with it here: moot resume {id}"
    ),
}


async def advice(system: System, debate_id: str, status: Status) -> str:
    """What happens next by itself, and what the person may do."""
    if not status.is_active:
        return ADVICE[status].format(id=debate_id)
    holder = await living_holder(system, debate_id)
    table = ABANDONED if holder is None else HELD
    return table[status].format(id=debate_id, pid=holder.pid if holder else None)


async def living_holder(system: System, debate_id: str) -> WorkerId | None:
    """Who is running the debate, as far as can be seen from here."""
    holder = await system.store.holder(debate_id)
    return None if holder is None or is_gone(holder) else holder
