"""The files of one debate, as its steps need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.engine.toolbox import Toolbox
from moot.prompts.attached import attached_block
from moot.protocol.values import Attachment

MOST_QUOTED = 24_000
"""Characters of the files that stand in a prompt, of a model with a large or unknown window."""
LEAST_ROOM, MOST_ROOM, ROOM_IF_UNKNOWN = 1000, 12_000, 6000
"""Bounds of one result of a tool, in characters."""


class Files:
    """Read from the store once, for as long as a worker has the debate."""

    def __init__(
        self, attachments: Sequence[Attachment] = (), texts: Mapping[str, str] | None = None
    ) -> None:
        found = texts or {}
        self.named = tuple((one.name, found.get(one.sha256, "")) for one in attachments)
        self._blocks: dict[int, str] = {}

    def __bool__(self) -> bool:
        return bool(self.named)

    def block(self, window: int | None) -> str:
        """What every prompt of a model with that window has of them; "" if there are none.

        At most a quarter of the window: four characters are about one token.
        """
        room = min(MOST_QUOTED, window or MOST_QUOTED)
        if room not in self._blocks:
            self._blocks[room] = attached_block(self.named, room)
        return self._blocks[room]

    def toolbox(self, window: int | None, calls: int) -> Toolbox:
        """The tools, such that all `calls` of a step take up at most a quarter of the window."""
        fair = window // max(1, calls) if window else ROOM_IF_UNKNOWN
        return Toolbox(self.named, room=min(MOST_ROOM, max(LEAST_ROOM, fair)))


NO_FILES = Files()
