"""Named places where a test may kill this process, or break one of its loops.

`MOOT_FAILPOINT=before_commit:3` ends the process, as `kill -9` would, the third time it gets there;
`MOOT_FAILPOINT=news:1:raise` raises an error there instead, as a mistake in the code would. Without
that variable nothing here does anything. The places:

    claimed                    the lease is ours, nothing has been read yet
    before_send                a call is about to be made
    mid_stream                 a piece of the reply has arrived
    reply_before_transaction   the reply has come, nothing else knows of it
    before_commit              its events are about to be appended
    committed_before_publish   they are in the log, nobody has been told

and once in every turn of each loop that a process has: `news`, `dispatcher`, `reconciler`,
`consumer`, `lease_keeper`, `asking`, `errands` and `http`.
"""

from __future__ import annotations

import os

NAMES = (
    "claimed",
    "before_send",
    "mid_stream",
    "reply_before_transaction",
    "before_commit",
    "committed_before_publish",
)
LOOPS = (
    *("news", "dispatcher", "reconciler", "consumer", "lease_keeper"),
    *("asking", "errands", "http"),
)
KILLED = 137
"""The exit code that a shell reports for a process killed by SIGKILL."""

_armed, _number, _how = (os.environ.get("MOOT_FAILPOINT", "") + "::").split(":")[:3]
_left = int(_number or 1)


def reach(name: str) -> None:
    """Do nothing; or, if this is the place and time, end without a goodbye or raise an error."""
    if name == _armed:
        _count_down()


def _count_down() -> None:
    global _left  # noqa: PLW0603 - one process, one count
    _left -= 1
    if _left:
        return
    if _how == "raise":
        message = f"planted at the failpoint {_armed}"
        raise RuntimeError(message)
    os._exit(KILLED)
