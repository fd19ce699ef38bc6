"""Standard input and output, taken for the protocol alone until the process ends.

Whatever else is printed, now or when buffers are flushed at the very end, by us or by a child, goes
to standard error; a child that reads finds nothing. A thread reads, because nothing else can wait
for every kind of input. Nobody ever waits for that thread, so that the process can always end.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

AT_ONCE = 65_536
MOST_WAITING = 100
"""How many messages may have been read that nobody has dealt with yet."""


class Pipes:
    """The two ends, as `mcp.server.stdio` wants them: one to iterate over by lines, one to write
    to."""

    def __init__(self) -> None:
        self._reading, self._writing = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    # --- reading ---

    async def __aiter__(self) -> AsyncIterator[str]:
        lines: asyncio.Queue[bytes | None] = asyncio.Queue(MOST_WAITING)
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop, lines), daemon=True).start()
        while (line := await lines.get()) is not None:
            yield line.decode(errors="replace")

    def _read(self, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None]) -> None:
        def put(line: bytes | None) -> None:
            putting = lines.put(line)
            try:
                asyncio.run_coroutine_threadsafe(putting, loop).result()
            except RuntimeError:  # the process is ending
                putting.close()
                raise

        begun: list[bytes] = []
        with suppress(RuntimeError, OSError, asyncio.CancelledError):
            while read := os.read(self._reading, AT_ONCE):
                first, *others = read.split(b"\n")
                begun.append(first)
                for other in others:
                    put(b"".join(begun))
                    begun = [other]
            put(None)

    # --- writing ---

    async def write(self, text: str) -> None:
        """Write all of it. In a thread: a host that does not read must hold up nobody else."""
        await asyncio.to_thread(self._write, text.encode(errors="replace"))

    async def flush(self) -> None:
        """Does nothing, because nothing is kept back."""

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._writing, view) :]
