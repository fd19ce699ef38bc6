"""Whole debates in bad weather: every way a provider can misbehave, at any call, streamed and not.

What each fault means for one call is in `tests/contract/test_provider_weather`. Here it is what the
debate makes of it: it ends well or fails with a reason, and its books agree with the provider's.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from tests.faults.holding import MODEL, ROSTER

from moot.engine.creation import NewDebate
from moot.models.backends.openai_compatible import exchange
from moot.models.backends.openai_compatible.adapter import OpenAICompatible
from moot.models.endpoint import Endpoint, redacting
from moot.protocol.words import Status
from moot.settings import load_settings
from moot.testing.oracles import (
    CANARY_KEY,
    Book,
    Landed,
    check_book,
    check_no_secret,
    extra_calls,
    read_book,
)
from moot.testing.scripted import ScriptedModels
from moot.testing.server import ScriptedServer
from moot.testing.server_faults import FAULTS
from moot.testing.server_wire import ChatCall
from moot.wiring import System, open_system

pytestmark = pytest.mark.faults

SLOW = {"never_a_byte", "drip"}
"""They cost a whole deadline each."""
HEAVY = {"huge_body", "gzip_bomb", "long_line"}
EVERY = sorted(set(FAULTS) - SLOW - HEAVY)
DEBATES = 12
SEED = 20261115


class Weather:
    """One fault in four calls, drawn from all of them in turn, so that each has its day."""

    def __init__(self) -> None:
        self.landed = Landed()
        self._chance = random.Random(SEED)  # noqa: S311 - which calls go wrong
        self._left: list[str] = []

    def __call__(self, _call: ChatCall) -> str | None:
        if self._chance.random() > 0.25:
            return None
        if not self._left:
            self._left = self._chance.sample(EVERY, len(EVERY))
        fault = self._left.pop()
        self.landed[fault] += 1
        return fault


async def _held(system: System, debate: str, *, wants_text: bool) -> Book:
    """The debate, tried again by a patient person until nothing more comes of it."""
    for _ in range(60):
        async for _item in system.service.play(debate, text=wants_text):
            pass
        book = await read_book(system.store, debate)
        if book.state.status is Status.COMPLETED:
            return book
        # Never silently: it says which step, and why.
        assert book.state.status is Status.FAILED
        assert book.state.failure is not None
        assert book.state.failure.error
        assert book.state.failure.step_key
        check_book(book, status=Status.FAILED)
    raise AssertionError("it does not come to an end")


@pytest.mark.parametrize("wants_text", [False, True], ids=["whole", "streamed"])
async def test_ends_well_or_says_why_and_keeps_its_books(
    wants_text: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # How long a stream that has all of its reply may take to say so.
    monkeypatch.setattr(exchange, "FINISH_GRACE_S", 0.05)
    weather = Weather()
    settings = load_settings(home=tmp_path / "home")
    async with ScriptedServer(faults=weather) as server:
        endpoint = Endpoint(provider="openai", base_url=server.base_url, api_key=CANARY_KEY)
        adapter = OpenAICompatible(endpoint=endpoint)
        models = ScriptedModels(redacting(adapter, endpoint))
        async with open_system(settings, models=models) as system:
            debates = [
                await system.service.create(
                    NewDebate(
                        topic=f"Weather {number}: is it so?",
                        settings={"turns": 4},
                        participants=ROSTER,
                    )
                )
                for number in range(DEBATES)
            ]
            async with asyncio.timeout(60):
                found = await asyncio.gather(
                    *(_held(system, debate, wants_text=wants_text) for debate in debates)
                )
        failures = sum(
            type(record.event).__name__ == "DebateFailed"
            for book in found
            for record in book.records
        )
    for book in found:
        check_book(book)
        assert all(turn.said.model == MODEL for turn in book.state.transcript())
    # Nothing was killed, so every call that was made is in a log, with what it cost. A connection
    # that is reset after a whole reply goes back to the pool, and the next try on it may be in the
    # log without ever having arrived.
    assert -weather.landed["reset_after_body"] <= extra_calls(server.calls, found) <= 0
    missed = set(EVERY) - set(weather.landed)
    print(  # noqa: T201 - shown by pytest -rP
        f"{len(server.calls)} calls, {weather.landed.total()} faults, {failures} failures, "
        f"not met: {missed}"
    )
    assert len(missed) < 10
    assert weather.landed.total() > 50
    check_no_secret(tmp_path)
