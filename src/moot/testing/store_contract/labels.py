"""Labels: one for each debate and person, beside the log, until they are taken back or deleted."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from moot.errors import InvalidInput, NotFound
from moot.store.port import Label, Store
from moot.testing.store_contract.samples import at, begin, created, outcomes, summary
from moot.testing.store_contract.stores import OpenStore, Stores


def label(debate_id: str, by: str = "user", **changes: Any) -> Label:
    plain = Label(debate_id=debate_id, by=by, winner="ada", note="“So” 👍", at=at(7))
    return msgspec.structs.replace(plain, **changes)


class LabelContract(Stores):
    async def test_keeps_one_label_for_a_debate_and_person(
        self, store: Store, open_store: OpenStore
    ) -> None:
        await begin(store, "d")
        assert await store.labels() == await store.labels(["d"]) == ()
        await store.label(label("d"))
        changed = label("d", winner="tie", note="", at=at(8))
        await store.label(changed)
        other = label("d", "User")  # compared to the letter: this is somebody else
        await store.label(other)
        await store.close()
        again = await open_store()
        assert await again.labels() == await again.labels(["d"]) == (other, changed)
        assert await again.read("d") == [created()]
        assert await again.summary("d") == summary("d", 1)
        await again.close()

    async def test_lists_labels_of_all_debates_or_of_some(self, store: Store) -> None:
        given = [label(one, by) for one in ("d", "e", "f") for by in ("Zoë", "ada", "é")]
        for one in ("f", "d", "e"):
            await begin(store, one)
        for kept in reversed(given):
            await store.label(kept)
        assert await store.labels() == tuple(given)
        assert await store.labels({"f", "d", "nobody"}) == (*given[:3], *given[6:])
        assert await store.labels(()) == await store.labels(["nobody"]) == ()

    async def test_takes_a_label_back(self, store: Store) -> None:
        await begin(store, "d")
        await begin(store, "e")
        kept = label("d", "bo"), label("e")
        for one in (label("d"), *kept):
            await store.label(one)
        assert await store.unlabel("d", "user") is True
        for debate_id, by in (("d", "user"), ("d", "Bo"), ("nobody", "user"), ("e", "")):
            assert await store.unlabel(debate_id, by) is False
        assert await store.labels() == kept

    async def test_removes_labels_with_their_debate(self, store: Store) -> None:
        await begin(store, "d")
        await begin(store, "e")
        for one in (label("d"), label("d", "bo"), label("e")):
            await store.label(one)
        await store.delete("d")
        assert await store.labels() == (label("e"),)
        await begin(store, "d")  # made again under its key, with the same id
        assert await store.labels(["d"]) == ()

    async def test_refuses_a_label_that_cannot_be_kept(self, store: Store) -> None:
        with pytest.raises(NotFound):
            await store.label(label("nobody"))
        await begin(store, "d")
        await store.label(label("d"))
        for bad in (
            label("d", "nul \0"),
            label("d", winner="nul \0"),
            label("d", note="half a pair \ud83d alone"),
            label("d", at=at(8).replace(tzinfo=None)),
        ):
            with pytest.raises(InvalidInput):
                await store.label(bad)
        for call in (
            store.unlabel("nul \0", "user"),
            store.unlabel("d", "nul \0"),
            store.labels(["nul \0"]),
        ):
            with pytest.raises(InvalidInput):
                await call
        assert await store.labels() == (label("d"),)

    async def test_leaves_no_label_behind_that_races_with_a_deletion(
        self, store: Store, open_store: OpenStore
    ) -> None:
        other = await open_store()
        for number in range(10):
            await begin(store, f"d{number}")
            await outcomes(
                other.label(label(f"d{number}", "ada")),
                store.label(label(f"d{number}", "bo")),
                store.delete(f"d{number}"),
            )
            assert await store.labels() == ()
        await other.close()
