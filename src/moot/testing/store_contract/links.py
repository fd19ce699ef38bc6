"""Links by which strangers may read a debate: one for each, until it is revoked or deleted."""

from __future__ import annotations

import msgspec
import pytest

from moot.errors import InvalidInput, NotFound
from moot.store.port import Link, Store
from moot.testing.store_contract.samples import at, begin, outcomes
from moot.testing.store_contract.stores import OpenStore, Stores


def link(debate_id: str, token: str, **changes: object) -> Link:
    plain = Link(debate_id=debate_id, token=token, has_private=False, made_at=at(7))
    return msgspec.structs.replace(plain, **changes)


class LinkContract(Stores):
    async def test_keeps_one_link_for_a_debate(self, store: Store, open_store: OpenStore) -> None:
        await begin(store, "d")
        assert await store.link("d") is None
        first = link("d", "One_1-a", has_private=True)
        assert await store.share(first) == first
        assert await store.share(link("d", "two")) == first
        await store.close()
        again = await open_store()
        assert await again.link("d") == await again.link_by("One_1-a") == first
        for wrong in ("one_1-a", "One_1-", "One_1-a ", "One%", "two", ""):
            assert await again.link_by(wrong) is None
        await again.close()

    async def test_makes_another_one_after_it_is_revoked(self, store: Store) -> None:
        await begin(store, "d")
        await begin(store, "e")
        await store.share(link("d", "one"))
        other = await store.share(link("e", "other"))
        assert await store.revoke("d") is True
        assert await store.revoke("d") is await store.revoke("nobody") is False
        assert await store.link_by("one") is await store.link("d") is None
        assert await store.link_by("other") == other
        two = link("d", "two")
        assert await store.share(two) == two
        assert await store.link_by("one") is None

    async def test_removes_the_link_with_its_debate(self, store: Store) -> None:
        await begin(store, "d")
        await store.share(link("d", "one"))
        await store.delete("d")
        assert await store.link_by("one") is await store.link("d") is None
        await begin(store, "d")  # made again under its key, with the same id
        assert await store.link("d") is None

    async def test_refuses_a_link_to_nothing(self, store: Store) -> None:
        with pytest.raises(NotFound):
            await store.share(link("nobody", "one"))
        assert await store.link_by("one") is None
        await begin(store, "d")
        for bad in (link("d", "nul \0"), link("d", "one", made_at=at(7).replace(tzinfo=None))):
            with pytest.raises(InvalidInput):
                await store.share(bad)
        assert await store.link("d") is None

    async def test_leaves_no_link_behind_that_races_with_a_deletion(
        self, store: Store, open_store: OpenStore
    ) -> None:
        other = await open_store()
        for number in range(10):
            await begin(store, f"d{number}")
            await outcomes(
                other.share(link(f"d{number}", f"a{number}")),
                store.share(link(f"d{number}", f"b{number}")),
                store.delete(f"d{number}"),
            )
            assert await store.link(f"d{number}") is None
        await other.close()
