"""Debates that kill whoever runs them, in whichever process: what tests have to do with them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from tests.faults.holding import PATIENCE_S
from tests.faults.poisoned import sitecustomize
from tests.faults.poisoned.sitecustomize import (
    BOOK,
    LATE_POISON,
    LEAVING,
    POISON,
    SLUGGISH,
    swallow,
)

from moot.protocol.words import Status
from moot.store.port import Store

__all__ = [
    "LATE_POISON",
    "LEAVING",
    "POISON",
    "SLUGGISH",
    "Mortal",
    "deaths",
    "poison",
    "until_failed",
]


def poison(home: str) -> None:
    """From now on poisonous debates kill this process, and those that it starts."""
    os.environ[BOOK] = str(book(home))
    paths = (str(Path(sitecustomize.__file__).parent), os.environ.get("PYTHONPATH", ""))
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    swallow()


def book(home: str) -> Path:
    path = Path(home)
    path.mkdir(parents=True, exist_ok=True)
    return path / "deaths"


def deaths(home: str) -> int:
    """How many processes have died of a poisonous debate so far."""
    path = book(home)
    return len(path.read_text().splitlines()) if path.exists() else 0


class Mortal(Protocol):
    @property
    def is_alive(self) -> bool: ...

    def replace(self) -> None: ...


async def until_failed(store: Store, slots: Sequence[Mortal], debate: str) -> int:
    """How many workers died before it was given up. They are replaced as they die."""
    died = 0
    async with asyncio.timeout(PATIENCE_S):
        while (await store.summary(debate)).status is not Status.FAILED:
            died += replaced(slots)
            await asyncio.sleep(0.02)
    return died + replaced(slots)


def replaced(slots: Sequence[Mortal]) -> int:
    dead = [slot for slot in slots if not slot.is_alive]
    for slot in dead:
        slot.replace()
    return len(dead)
