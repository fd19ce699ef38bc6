"""What must be refused, and that a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from moot.errors import Conflict, InvalidInput, LeaseLost
from moot.protocol.events import Recorded
from moot.protocol.outcomes import Verdict
from moot.protocol.row import Cursor, DebateRow, Seat
from moot.protocol.words import Status
from moot.store.port import Store
from moot.testing.store_contract.samples import (
    SEATS,
    VERDICT,
    at,
    begin,
    created,
    record,
    said,
    summary,
    turn,
    worker,
)
from moot.testing.store_contract.stores import Stores

UNSTORABLE = ("a NUL \0 inside", "half a pair \ud83d alone")

CONFLICTS: dict[str, list[Recorded]] = {
    "an earlier sequence number": [record(2)],
    "the same sequence number": [record(3)],
    "a gap": [record(5)],
    "a step key of the log": [turn(4, "a")],
    "a step key of the log, later": [record(4), turn(5, "a")],
    "a step key twice": [turn(4, "b"), turn(5, "b")],
}


def _seat(name: str) -> Seat:
    return msgspec.structs.replace(SEATS[0], name=name)


def _verdict(winner: str) -> Verdict:
    return msgspec.structs.replace(VERDICT, winner=winner)


INVALID: dict[str, tuple[list[Recorded], DebateRow]] = {
    "nothing": ([], summary("d", 3)),
    "a hole": ([record(4), record(6)], summary("d", 6)),
    "another end": ([record(4)], summary("d", 5)),
    "no time zone": ([Recorded(4, at(4).replace(tzinfo=None), said(4, "").event)], summary("d", 4)),
    "a NUL in an event": ([said(4, UNSTORABLE[0])], summary("d", 4)),
    "a surrogate in an event": ([said(4, UNSTORABLE[1])], summary("d", 4)),
    "a NUL in a step key": ([turn(4, UNSTORABLE[0])], summary("d", 4)),
    "a NUL in the cursor": ([record(4)], summary("d", 4, cursor=Cursor(stage=UNSTORABLE[0]))),
    "a NUL in the cast": ([record(4)], summary("d", 4, cast=(_seat(UNSTORABLE[0]),))),
    "a surrogate in the cast": ([record(4)], summary("d", 4, cast=(_seat(UNSTORABLE[1]),))),
    "a NUL in the outcome": ([record(4)], summary("d", 4, outcome=_verdict(UNSTORABLE[0]))),
    "a NUL in a speaker": ([record(4)], summary("d", 4, spoke_last=UNSTORABLE[0])),
    "a huge number": ([record(4)], summary("d", 4, calls=2**63)),
}


async def _log_of_three(store: Store) -> None:
    await store.create([created(), turn(2, "a"), record(3)], summary("d", 3))


async def _assert_unchanged(store: Store) -> None:
    assert await store.read("d") == [created(), turn(2, "a"), record(3)]
    assert await store.summary("d") == summary("d", 3)


class RefusalContract(Stores):
    @pytest.mark.parametrize("why", CONFLICTS)
    async def test_refuses_an_append_with(self, store: Store, why: str) -> None:
        await _log_of_three(store)
        records = CONFLICTS[why]
        with pytest.raises(Conflict):
            await store.append(records, summary("d", records[-1].seq, status=Status.FAILED))
        await _assert_unchanged(store)

    @pytest.mark.parametrize("why", INVALID)
    async def test_refuses_as_invalid(self, store: Store, why: str) -> None:
        await _log_of_three(store)
        with pytest.raises(InvalidInput):
            await store.append(*INVALID[why])
        await _assert_unchanged(store)

    @pytest.mark.parametrize("records", [[], [record(2)], [created(), record(3)]])
    async def test_refuses_to_begin_with(self, store: Store, records: Sequence[Recorded]) -> None:
        with pytest.raises(InvalidInput):
            await store.create(records, summary("d", records[-1].seq if records else 1))
        assert await store.find("") == []

    @pytest.mark.parametrize("text", UNSTORABLE)
    async def test_refuses_text_no_database_keeps(self, store: Store, text: str) -> None:
        await _log_of_three(store)
        for call in (
            begin(store, text),
            begin(store, "x", topic=text),
            store.repair(summary("d", 3, topic=text)),
            store.read(text),
            store.summary(text),
            store.delete(text),
            store.find(text),
            store.list(query=text),
            store.list(format=text),
            store.enlist(worker(text), ttl_s=60),
            store.claim("d", text),
            store.claim(text, "w"),
            store.holder(text),
            store.retire(text),
        ):
            with pytest.raises(InvalidInput):
                await call
        await _assert_unchanged(store)
        assert await store.find("") == ["d"]

    async def test_refuses_an_append_with_another_fence(self, store: Store) -> None:
        await _log_of_three(store)
        for fence in (1, 7):
            with pytest.raises(LeaseLost):
                await store.append([record(4)], summary("d", 4), fence=fence)
        await _assert_unchanged(store)
        await store.append([record(4)], summary("d", 4), fence=0)

    async def test_says_lease_lost_before_it_says_conflict(self, store: Store) -> None:
        await _log_of_three(store)
        with pytest.raises(LeaseLost):
            await store.append([record(2)], summary("d", 2), fence=7)
        await _assert_unchanged(store)
