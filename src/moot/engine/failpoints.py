"""Named places where a test may kill this process.

`MOOT_FAILPOINT=before_commit:3` ends the process, as `kill -9` would, the third time it gets there.
Without that variable nothing here does anything. The places:

    claimed                    the lease is ours, nothing has been read yet
    before_send                a call is about to be made
    mid_stream                 a piece of the reply has arrived
    reply_before_transaction   the reply is there, nothing knows of it
    before_commit              its events are about to be appended
    committed_before_publish   they are in the log, nobody has been told
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
KILLED = 137
"""What a shell says of a process that ended by SIGKILL."""

_armed, _, _number = os.environ.get("MOOT_FAILPOINT", "").partition(":")
_left = int(_number or 1)


def reach(name: str) -> None:
    """Go on, or end here without a goodbye if this is the place and the time."""
    if name == _armed:
        _count_down()


def _count_down() -> None:
    global _left  # noqa: PLW0603 - one process, one count
    _left -= 1
    if _left == 0:
        os._exit(KILLED)
