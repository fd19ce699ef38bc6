"""Begin, append, read, repair, delete; and that a store can be closed and described.

What must be refused is refused, and a refusal changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

import msgspec
import pytest

from moot.errors import Conflict, InvalidInput, LeaseLost, NotFound, StoreUnavailable
from moot.protocol.events import Recorded, encode
from moot.protocol.outcomes import Outcome, OutcomeStatus, Solution, Summary, Verdict
from moot.protocol.row import Cursor, DebateRow, Seat
from moot.protocol.words import Status, StopReason
from moot.store.migrate import HEAD
from moot.store.port import Store
from moot.testing.store_contract.samples import (
    SEATS,
    VERDICT,
    OpenStore,
    Stores,
    at,
    begin,
    created,
    outcome,
    record,
    said,
    summary,
    turn,
    worker,
)

HARD_TEXTS = (
    "quotes ' \" ` and a backslash \\ and \\u0000 spelt out",
    "emoji 👩🏽‍🚀, combining e\u0301, astral 𐍈",
    "right to left שלום عليكم \u202e\u2066",
    "line\nbreaks\r\n\ttabs \x01\x1f\x7f \u2028",
    "%_ $1 ? :name {} '; DROP TABLE events; --",
    "",
)


# --- what is kept ---------------------------------------------------------------------------------


class LogContract(Stores):
    async def test_returns_what_was_created(self, store: Store) -> None:
        records = [created(), record(2), turn(3, "plan/ada")]
        await store.create(records, summary("d", 3))
        assert await store.read("d") == records
        assert await store.summary("d") == summary("d", 3)

    async def test_refuses_to_create_a_debate_twice(self, store: Store) -> None:
        await begin(store, "d")
        with pytest.raises(Conflict):
            await store.create([created(), record(2)], summary("d", 2))
        assert await store.read("d") == [created()]
        assert await store.summary("d") == summary("d", 1)

    async def test_appends_records_and_replaces_the_summary(self, store: Store) -> None:
        await begin(store, "d")
        after = summary(
            "d",
            3,
            status=Status.COMPLETED,
            cursor=Cursor(),
            stop_reason=StopReason.DONE,
            statements=1,
            calls=2,
            input_tokens=3,
            output_tokens=2**40,
            thought_tokens=2**39,
            cost_usd=None,
            cast=SEATS,
            cast_size=40,
            outcome=VERDICT,
            has_open_cards=True,
            spoke_last="bo",
            forked_from="c",
            rematch_of="b",
            origin="import/file",
        )
        await store.append([turn(2, "a"), turn(3, "b")], after)
        assert await store.read("d") == [created(), turn(2, "a"), turn(3, "b")]
        assert await store.summary("d") == after

    @pytest.mark.parametrize(
        "ended_with",
        [
            None,
            VERDICT,
            Summary(summary="So.", by="Mo", by_id="mo"),
            Solution(status=OutcomeStatus.PASSED, left_out=("Bo: gone",)),
        ],
    )
    async def test_keeps_any_outcome_and_an_empty_cast(
        self, store: Store, ended_with: Outcome | None
    ) -> None:
        await begin(store, "d", cast=(), outcome=ended_with)
        (found,) = (await store.list()).items
        assert found == await store.summary("d") == summary("d", 1, cast=(), outcome=ended_with)

    async def test_an_append_puts_right_who_takes_part_and_where_it_comes_from(
        self, store: Store
    ) -> None:
        await begin(store, "d")
        assert (await store.summary("d")).cast is None
        known = summary("d", 2, cast=SEATS, cast_size=2, forked_from="c", rematch_of="b")
        await store.append([record(2)], known)
        assert await store.summary("d") == known

    async def test_keeps_logs_for_the_next_process(
        self, store: Store, open_store: OpenStore
    ) -> None:
        await begin(store, "d")
        await store.append([turn(2, "a")], summary("d", 2))
        await store.close()
        again = await open_store()
        assert await again.read("d") == [created(), turn(2, "a")]
        await again.close()

    @pytest.mark.parametrize("text", HARD_TEXTS)
    async def test_gives_text_back_byte_for_byte(self, store: Store, text: str) -> None:
        await begin(store, "d", topic=text)
        await store.append([turn(2, "k" + text, text)], summary("d", 2))
        (_, recorded) = await store.read("d")
        assert encode(recorded.event) == encode(turn(2, "k" + text, text).event)
        assert (await store.summary("d")).topic == text

    async def test_gives_times_back_as_the_same_instant_in_utc(self, store: Store) -> None:
        elsewhere = timezone(timedelta(hours=-7, minutes=-30))
        moments = [at(1).replace(microsecond=0), at(2), at(3).astimezone(elsewhere)]
        records = [
            type(event)(event.seq, moment, event.event)
            for event, moment in zip((created(), record(2), record(3)), moments, strict=True)
        ]
        await store.create(records, summary("d", 3, created_at=moments[2]))
        times = [recorded.at for recorded in await store.read("d")]
        assert times == moments
        assert _offsets([*times, (await store.summary("d")).created_at]) == {timedelta(0)}

    async def test_reads_a_part_of_the_log(self, store: Store) -> None:
        await store.create([created(), *map(record, range(2, 8))], summary("d", 7))
        assert [each.seq for each in await store.read("d", after=3)] == [4, 5, 6, 7]
        assert [each.seq for each in await store.read("d", after=3, limit=2)] == [4, 5]
        assert await store.read("d", after=7) == []
        assert await store.read("d", after=99) == []

    async def test_repairs_a_summary_from_the_log(self, store: Store) -> None:
        await begin(store, "d", topic="wrong", status=Status.FAILED, cursor=Cursor())
        right = summary("d", 1, topic="Right", format="rounds")
        assert await store.repair(right)
        assert await store.summary("d") == right
        assert [found.id for found in (await store.list(query="RIGHT")).items] == ["d"]

    @pytest.mark.parametrize("seq", [1, 3])
    async def test_does_not_repair_when_the_log_has_moved(self, store: Store, seq: int) -> None:
        await begin(store, "d")
        await store.append([record(2)], summary("d", 2))
        assert not await store.repair(summary("d", seq, topic="wrong"))
        assert not await store.repair(summary("nobody", 1))
        assert await store.summary("d") == summary("d", 2)

    async def test_deletes_a_debate_and_its_log(self, store: Store) -> None:
        await begin(store, "d")
        await begin(store, "e")
        await store.delete("d")
        assert await outcome(store.read("d")) == "not_found"
        assert await store.read("e") == [created()]
        await begin(store, "d")
        assert await store.read("d") == [created()]

    async def test_does_not_delete_what_has_moved_on(self, store: Store, other: Store) -> None:
        await begin(store, "d")
        await other.append([record(2)], summary("d", 2))
        for seq in (1, 3):
            assert await outcome(store.delete("d", seq=seq)) == "conflict"
        assert len(await store.read("d")) == 2
        assert await outcome(store.delete("nobody", seq=2)) == "not_found"
        await store.delete("d", seq=2)
        assert await outcome(other.read("d")) == "not_found"

    async def test_says_not_found_for_an_unknown_debate(self, store: Store) -> None:
        for call in (
            store.read("nobody"),
            store.read("nobody", after=5),
            store.summary("nobody"),
            store.delete("nobody"),
            store.append([record(2)], summary("nobody", 2)),
        ):
            with pytest.raises(NotFound):
                await call

    async def test_does_nothing_when_closed_twice_and_refuses_afterwards(
        self, store: Store
    ) -> None:
        await begin(store, "d")
        await store.close()
        await store.close()
        for call in (store.append([said(2, "hm")], summary("d", 2)), store.read("d")):
            with pytest.raises(StoreUnavailable):
                await call
        with pytest.raises(StoreUnavailable):
            await asyncio.to_thread(store.enlist_blocking, worker("w"), ttl_s=60)

    async def test_describes_itself(self, store: Store) -> None:
        told = await store.describe()
        assert {"backend", "where", "version", "schema", "journal_mode", "notes"} <= set(told)
        assert told["schema"] == HEAD


def _offsets(moments: list[datetime]) -> set[timedelta | None]:
    return {moment.utcoffset() for moment in moments}


# --- what is refused ------------------------------------------------------------------------------


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
