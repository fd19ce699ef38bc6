"""The texts that debates were given: each kept once, for as long as one of its debates is there."""

from __future__ import annotations

import hashlib

import pytest

from moot.errors import Conflict, InvalidInput, NotFound
from moot.protocol.events import DebateCreated, Recorded
from moot.protocol.values import Attachment, Config
from moot.store.port import Store
from moot.testing.store_contract.samples import begin, outcomes, record, summary
from moot.testing.store_contract.stores import OpenStore, Stores

PLAN = "Build it of stone.\n\tOr of “wood”. 🪵\n"
NOTES = "Nobody has asked for windows."


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def given(*texts: str) -> list[Recorded]:
    """The log of a debate that was given these texts."""
    attachments = tuple(
        Attachment(name=f"{number}.txt", sha256=sha(text), size_bytes=len(text.encode()))
        for number, text in enumerate(texts)
    )
    config = Config(
        format="duel", topic="Is it so?", settings={}, participants=(), attachments=attachments
    )
    return [record(1, DebateCreated(config=config))]


def files(*texts: str) -> dict[str, str]:
    return {sha(text): text for text in texts}


class AttachmentContract(Stores):
    async def test_keeps_what_a_debate_was_given(self, store: Store, open_store: OpenStore) -> None:
        await store.create(given(PLAN, NOTES), summary("d", 1), files=files(PLAN, NOTES))
        await begin(store, "e")
        assert await store.files("d") == files(PLAN, NOTES)
        assert await store.files("e") == await store.files("nobody") == {}
        await store.close()
        again = await open_store()
        assert await again.files("d") == files(PLAN, NOTES)
        assert await again.read("d") == given(PLAN, NOTES)
        await again.close()

    async def test_lets_debates_share_files_until_the_last_is_gone(self, store: Store) -> None:
        await store.create(given(PLAN, NOTES), summary("d", 1), files=files(PLAN, NOTES))
        await store.create(given(PLAN), summary("fork", 1))
        await store.delete("d")
        assert await store.files("d") == {}
        assert await store.files("fork") == files(PLAN)
        with pytest.raises(NotFound):  # the notes went with the only debate that had them
            await store.create(given(PLAN, NOTES), summary("late", 1))
        await store.delete("fork")
        with pytest.raises(NotFound):
            await store.create(given(PLAN), summary("late", 1))
        assert await store.find("late") == []

    async def test_creates_nothing_if_a_file_is_missing(self, store: Store) -> None:
        with pytest.raises(NotFound):
            await store.create(given(PLAN, NOTES), summary("d", 1), files=files(PLAN))
        assert await store.find("d") == []
        with pytest.raises(NotFound):  # not even half of it
            await store.create(given(PLAN), summary("d", 1))

    async def test_refuses_files_that_cannot_be_stored_alike(self, store: Store) -> None:
        for text in ("nul \0", "half \ud800"):
            named = given(PLAN)
            with pytest.raises(InvalidInput):
                await store.create(named, summary("d", 1), files={sha(PLAN): text})
        assert await store.find("d") == []

    async def test_keeps_the_files_of_a_debate_that_is_created_twice(self, store: Store) -> None:
        await store.create(given(PLAN), summary("d", 1), files=files(PLAN))
        with pytest.raises(Conflict):
            await store.create(given(NOTES), summary("d", 1), files=files(NOTES))
        assert await store.files("d") == files(PLAN)

    async def test_ignores_files_that_no_attachment_names(self, store: Store) -> None:
        await store.create(given(PLAN), summary("d", 1), files=files(PLAN, NOTES))
        assert await store.files("d") == files(PLAN)

    async def test_loses_no_file_while_others_delete(
        self, store: Store, open_store: OpenStore
    ) -> None:
        other = await open_store()
        for number in range(10):
            await store.create(given(PLAN), summary(f"old{number}", 1), files=files(PLAN))
            done = await outcomes(
                store.delete(f"old{number}"),
                other.create(given(PLAN), summary(f"new{number}", 1), files=files(PLAN)),
            )
            assert done == ["done", "done"]
            assert await store.files(f"new{number}") == files(PLAN)
            await other.delete(f"new{number}")
        await other.close()
