"""The one way in for debates that were held elsewhere, for HTTP and the command line.

What is imported twice is there once: its id is made from what it says (see `engine.once`). What
comes with Moot is known by its hash, and nothing else is ever called a sample.
"""

from __future__ import annotations

import asyncio

from moot.definitions import samples
from moot.engine.importing import Imported
from moot.engine.once import Once
from moot.engine.service import Service

# It contains a blank, which no key that a client may give does.
_KEY = "import {sha256}"


class Intake:
    """`secret` is the one behind idempotency keys."""

    def __init__(self, service: Service, secret: bytes) -> None:
        self._service = service
        self._once = Once(service, secret, field="file")

    async def take(self, data: bytes) -> tuple[str, bool]:
        """The id of the debate in that file, and whether it is new here. Raises InvalidInput."""
        return await self._kept(await self._service.read_import(data))

    async def open(self, name: str) -> tuple[str, bool]:
        """The same for the sample of that name. Raises NotFound."""
        return await self._kept(await asyncio.to_thread(samples.read, name))

    async def _kept(self, imported: Imported) -> tuple[str, bool]:
        ours = await asyncio.to_thread(samples.hashes)
        kind = "sample" if imported.sha256 in ours else "file"

        async def make(debate_id: str | None) -> str:
            return await self._service.take_in(imported, kind, debate_id=debate_id)

        return await self._once.made(_KEY.format(sha256=imported.sha256), None, make)
