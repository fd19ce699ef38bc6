"""Questions by other doors: one debate for each, whoever asks again, and who waits for them."""

from __future__ import annotations

import asyncio

import pytest

from moot.errors import InvalidInput
from moot.store.port import Asked, Store
from moot.testing.store_contract.samples import at, begin
from moot.testing.store_contract.stores import OpenStore, Stores

LONG_S, UP_S = 600.0, 0.0


def asked(fingerprint: str, debate_id: str, *, is_delivered: bool = False) -> Asked:
    return Asked(fingerprint=fingerprint, debate_id=debate_id, at=at(7), is_delivered=is_delivered)


class AskedContract(Stores):
    async def test_keeps_the_first_debate_of_a_question(
        self, store: Store, open_store: OpenStore
    ) -> None:
        assert await store.asked("f") is None
        first = asked("f", "d")  # reserved: there is no such debate yet
        assert await store.keep_asked(first) == first
        assert await store.keep_asked(asked("f", "e")) == first
        assert await store.keep_asked(asked("f", "e"), instead_of="c") == first
        await store.close()
        again = await open_store()
        assert await again.asked("f") == first
        assert await again.asked("F") is None
        await again.close()

    async def test_puts_another_debate_in_the_place_of_one_that_was_answered(
        self, store: Store
    ) -> None:
        await store.keep_asked(asked("f", "d"))
        await store.keep_asked(asked("g", "d"))
        await store.deliver("f", "d")
        await store.deliver("f", "e")
        assert await store.asked("f") == asked("f", "d", is_delivered=True)
        assert await store.asked("g") == asked("g", "d")
        second = asked("f", "e")
        assert await store.keep_asked(second, instead_of="d") == second
        assert await store.keep_asked(asked("f", "x"), instead_of="d") == second
        await store.deliver("f", "d")  # too late: another debate has its place
        assert await store.asked("f") == second

    async def test_keeps_the_form_of_an_answer_for_its_debate(
        self, store: Store, open_store: OpenStore
    ) -> None:
        await store.keep_asked(asked("f", "d"))
        await store.keep_form("f", "e", "{}")  # of another debate
        assert await store.asked("f") == asked("f", "d")
        await store.keep_form("f", "d", '{"né": "\\u0000 \U0001f600"}')
        await store.deliver("f", "d")
        await store.close()
        again = await open_store()
        kept = await again.asked("f")
        assert kept is not None
        assert kept.form == '{"né": "\\u0000 \U0001f600"}'
        assert kept.is_delivered
        second = asked("f", "e")  # asked anew, and nothing has been put into a form yet
        assert await again.keep_asked(second, instead_of="d") == second
        with pytest.raises(InvalidInput):
            await again.keep_form("f", "e", "\ud800")
        assert await again.asked("f") == second
        await again.close()

    async def test_gives_two_who_ask_at_once_one_debate(
        self, store: Store, open_store: OpenStore
    ) -> None:
        other = await open_store()
        places = [asked("f", f"d{number}") for number in range(10)]
        stores = [store, other] * 5
        found = await asyncio.gather(
            *(one.keep_asked(place) for one, place in zip(stores, places, strict=True))
        )
        assert len({one.debate_id for one in found}) == 1
        await other.close()

    async def test_knows_the_debates_for_which_somebody_waited_who_is_gone(
        self, store: Store, open_store: OpenStore
    ) -> None:
        for name in ("a", "b", "c"):
            await store.keep_asked(asked(f"f{name}", name))
        assert await store.unattended() == []
        await store.attend(["a", "b", "nobody"], seconds=UP_S)
        await store.attend(["c"], seconds=LONG_S)
        other = await open_store()
        assert await other.unattended() == ["a", "b"]
        assert await other.unattended(limit=1) == ["a"]
        await other.attend(["b"], seconds=LONG_S)
        await other.leave("a")
        assert await store.unattended() == []
        await store.attend([], seconds=UP_S)
        assert await store.unattended() == []
        await other.close()

    async def test_forgets_what_a_deleted_debate_was_asked_by(self, store: Store) -> None:
        await begin(store, "d")
        await begin(store, "e")
        await store.keep_asked(asked("f", "d"))
        await store.keep_asked(asked("g", "e"))
        await store.attend(["d"], seconds=UP_S)
        await store.delete("d")
        assert await store.asked("f") is None
        assert await store.unattended() == []
        assert await store.asked("g") == asked("g", "e")

    async def test_refuses_a_question_that_cannot_be_stored(self, store: Store) -> None:
        bad = Asked(fingerprint="f", debate_id="d", at=at(7).replace(tzinfo=None))
        for one in (asked("nul \0", "d"), asked("f", "\ud800"), bad):
            with pytest.raises(InvalidInput):
                await store.keep_asked(one)
        with pytest.raises(InvalidInput):
            await store.unattended(limit=0)
        assert await store.asked("f") is None
