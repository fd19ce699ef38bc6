"""The queue in Postgres: pgqueuer's tables and statements, with a consumer of our own.

pgqueuer's own loop ends with its connection and then waits for the jobs at work before it says so;
ours keeps them, connects again and goes on.
"""

from __future__ import annotations

from moot.queue.backends.pgqueuer.queue import PgQueue

__all__ = ["PgQueue"]
