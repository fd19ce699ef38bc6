"""The provider's own book of calls, kept outside the system under test.

What Moot recorded is compared with it: calls that were made and not recorded, or paid for twice,
show only here. Keys are not written to the file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.structs import ready


class Entry(msgspec.Struct, kw_only=True):
    """One call. `outcome` is `started`, then `finished` or `disconnected` (by the client)."""

    number: int
    started_at: float
    model: str
    messages: Sequence[tuple[str, str]]
    is_streamed: bool
    fault: str | None = None
    refused: str | None = None
    reply: Any = None
    usage: Any = None
    outcome: str = "started"
    ended_at: float | None = None


ready(Entry)


class Ledger:
    """All calls in the order they came; in memory, and in a file of JSON lines if one is named.

    Each line is an entry as it stood then: one when the call starts and one when it ends.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.entries: list[Entry] = []
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._file = None if path is None else os.open(path, flags, 0o600)

    def start(self, entry: Entry) -> Entry:
        self.entries.append(entry)
        self._write(entry)
        return entry

    def end(self, entry: Entry, outcome: str) -> None:
        entry.outcome = outcome
        entry.ended_at = time.time()
        self._write(entry)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, entry: Entry) -> None:
        if self._file is not None:
            # Unbuffered: whoever reads the file sees every call that has begun.
            os.write(self._file, msgspec.json.encode(entry) + b"\n")


def read_ledger(path: Path | str) -> list[Entry]:
    """The calls in a ledger's file, each as it ended."""
    lines = Path(path).read_bytes().splitlines()
    entries = (msgspec.json.decode(line, type=Entry) for line in lines)
    return list({entry.number: entry for entry in entries}.values())
