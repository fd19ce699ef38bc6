"""The contract every queue keeps: four verbs, specified by their docstrings.

A job says "advance this debate" and no more. Nothing may depend on a job: doing one twice,
late, or for a debate that needs nothing does no harm; if one is lost, a reconciler makes another.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from typing import Protocol

LATER_S = (0.5, 1.0, 2.0)
"""After these pauses a job that is LATER comes back; then it is forgotten."""


class Outcome(enum.Enum):
    """What came of a job."""

    DONE = "done"
    LATER = "later"
    """Somebody else has the debate, or the store is away: try again in a while."""
    ELSEWHERE = "elsewhere"
    """This process is leaving: somebody else should take the debate, at once."""


Handle = Callable[[str], Awaitable[Outcome]]
"""Advances a debate for as long as it has something to run."""


class Queue(Protocol):
    """Opened by its backend, which brings the queue's own schema up to date if it has one."""

    async def enqueue(self, *debate_ids: str) -> None:
        """Have each of these debates advanced, by somebody, soon.

        When it returns, the jobs last as long as the queue does: a queue in a database outlives
        this process. At most one job waits for a debate; a debate that is at work gets one more, so
        that what happens meanwhile is not missed. Raises StoreUnavailable.
        """

    async def consume(self, handle: Handle, *, concurrency: int) -> None:
        """Take jobs and do them, at most `concurrency` at once, until cancelled.

        Outlives a restart of the database; jobs at work go on meanwhile. A job that is LATER comes
        back a few times and is then forgotten; one that raises is put aside, and logged. Jobs of a
        consumer that died are done by others. When cancelled, the jobs at work are cancelled too
        and handed back.
        """

    def rest(self) -> None:
        """Take no more jobs out, for this process is leaving; those at work go on."""

    async def close(self) -> None:
        """Release everything; a second call does nothing."""
