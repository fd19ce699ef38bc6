"""What is kept beside the log: the texts that debates were given, links, labels, and questions by
other doors.

Of a text there is one, for as long as one of its debates is there; of a link one for each debate,
until it is revoked; of a label one for each debate and person, until it is taken back; of a
question one debate, whoever asks again. What belongs to a debate goes with it.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import msgspec
import pytest

from moot.errors import Conflict, InvalidInput, NotFound
from moot.protocol.events import DebateCreated, Recorded
from moot.protocol.values import Attachment, Config
from moot.store.port import Asked, Label, Link, Store
from moot.testing.store_contract.samples import (
    OpenStore,
    Stores,
    at,
    begin,
    created,
    outcomes,
    record,
    summary,
)

# --- the texts that debates were given ------------------------------------------------------------


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


# --- links by which strangers may read a debate ---------------------------------------------------


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


# --- labels ---------------------------------------------------------------------------------------


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


# --- questions that came by other doors -----------------------------------------------------------


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
