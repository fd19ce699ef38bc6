"""`kill -9` at random instants, resumed at once, until the debates are over (P1, P2, P3)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.faults.holding import DONE, Child, Place, books, calls_reach, create, undisturbed

from moot.testing.oracles import (
    Landed,
    check_book,
    check_integrity,
    check_no_secret,
    check_spending,
    check_usage,
    transcript_hash,
)
from moot.testing.server import ScriptedServer

pytestmark = pytest.mark.faults

LATENCY_S = 0.01
SEED = 20261115


class Executioner:
    """Kills child after child, each some calls after its first breath."""

    def __init__(self, server: ScriptedServer, place: Place, debates: Sequence[str]) -> None:
        self.server = server
        self.place = place
        self.debates = debates
        self.landed = Landed()
        self._random = random.Random(SEED)  # noqa: S311 - instants to kill at

    async def run(self, *, kills: int, most_calls: int) -> None:
        """Until so many are dead, or everything is over; then children may live."""
        while self.landed["kill"] < kills and await self._one_life(most_calls):
            pass
        # A debate that may have killed its worker waits while another such one is tried alone.
        for _ in self.debates:
            if await Child(self.place, self.debates).ended() == DONE:
                return
        raise AssertionError("it does not come to an end")

    async def _one_life(self, most_calls: int) -> bool:
        """Whether there may be something left to do."""
        child = Child(self.place, self.debates)
        wanted = len(self.server.calls) + self._random.randint(1, most_calls)
        await calls_reach(self.server, wanted, child)
        await asyncio.sleep(self._random.random() * 2.5 * LATENCY_S)
        was_in_flight = self.server.in_flight
        if not child.kill():
            return False
        self.landed["kill"] += 1
        self.landed["in_flight"] += was_in_flight
        return True


async def _killed(
    place: Place, server: ScriptedServer, home: Path, topics: Sequence[str], *, kills: int
) -> Landed:
    """Debates on these topics, one after the other, each killed again and again."""
    landed = Landed()
    expected = [transcript_hash(book.records) for book in await undisturbed(home, *topics)]
    debates = await create(place, *topics)
    for debate in debates:
        executioner = Executioner(server, place, [debate])
        await executioner.run(kills=kills, most_calls=3)
        landed += executioner.landed
    found = await books(place, debates)
    for book, transcript in zip(found, expected, strict=True):
        check_book(book, transcript=transcript)
    landed["extra"] = check_spending(server.calls, found, kills=landed["kill"], in_flight=2)
    check_usage(server.calls, found)
    return landed


async def test_loses_doubles_and_wastes_nothing_on_sqlite(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=LATENCY_S) as server:
        log_path = tmp_path / "moot.log"
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url, log_path=str(log_path))
        topics = [f"Kill {number}: is it so?" for number in range(26)]
        landed = await _killed(place, server, tmp_path, topics, kills=9)
        print(dict(landed))  # noqa: T201 - shown by pytest -rP, quoted in reports
        landed.must_be(kill=200)
        check_integrity(tmp_path / "home" / "moot.db")
        check_no_secret(tmp_path)


async def test_keeps_many_debates_of_one_process_apart(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=LATENCY_S) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        topics = [f"Many {number}: is it so?" for number in range(8)]
        expected = [transcript_hash(one.records) for one in await undisturbed(tmp_path, *topics)]
        debates = await create(place, *topics)
        executioner = Executioner(server, place, debates)
        await executioner.run(kills=15, most_calls=24)
        executioner.landed.must_be(kill=6)
        found = await books(place, debates)
        for book, transcript in zip(found, expected, strict=True):
            check_book(book, transcript=transcript)
        kills = executioner.landed["kill"]
        extra = check_spending(server.calls, found, kills=kills, in_flight=2 * len(debates))
        print(dict(executioner.landed), extra)  # noqa: T201 - shown by pytest -rP
        check_usage(server.calls, found)
        check_integrity(tmp_path / "home" / "moot.db")


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres")
async def test_loses_doubles_and_wastes_nothing_on_postgres(
    tmp_path: Path, postgres_url: str
) -> None:
    async with ScriptedServer(latency_s=LATENCY_S) as server:
        place = Place(
            home=str(tmp_path / "home"), base_url=server.base_url, database_url=postgres_url
        )
        topics = [f"Kill {number}: is it so?" for number in range(8)]
        landed = await _killed(place, server, tmp_path, topics, kills=8)
        print(dict(landed))  # noqa: T201 - shown by pytest -rP
        landed.must_be(kill=40)


async def test_spends_exactly_what_it_records_when_nothing_happens(tmp_path: Path) -> None:
    async with ScriptedServer() as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        debates = await create(place, "Quiet: is it so?", turns=6)
        assert await Child(place, debates).ended() == 0
        found = await books(place, debates)
        check_book(found[0])
        assert check_spending(server.calls, found) == 0
        assert len(server.calls) == 30
        check_usage(server.calls, found)
