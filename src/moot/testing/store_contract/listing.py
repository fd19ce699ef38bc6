"""Lists, pages, search, and ids that people begin to type."""

from __future__ import annotations

import base64

import pytest

from moot.errors import InvalidInput
from moot.protocol.events import DebateRenamed
from moot.protocol.words import Status
from moot.store.port import Page, Store
from moot.testing.store_contract.samples import at, begin, record, summary
from moot.testing.store_contract.stores import Stores


def ids(page: Page) -> list[str]:
    return [item.id for item in page.items]


FOREIGN_CURSORS = (
    "",
    "x",
    "not a cursor",
    "ü",
    base64.urlsafe_b64encode(b'["yesterday","d"]').decode(),
    base64.urlsafe_b64encode(b'["2026-01-01T00:00:00","d"]').decode(),
    base64.urlsafe_b64encode(b'["2026-01-01T00:00:00Z","d\\u0000"]').decode(),
    base64.urlsafe_b64encode(b'["2026-01-01T00:00:00Z","d",1]').decode(),
)


class ListContract(Stores):
    async def test_lists_nothing_of_nothing(self, store: Store) -> None:
        assert await store.list() == Page(items=())

    async def test_lists_the_newest_first(self, store: Store) -> None:
        for name, age in (("b", 2), ("a", 1), ("d", 3), ("c", 3)):
            await begin(store, name, created_at=at(age))
        assert ids(await store.list()) == ["d", "c", "b", "a"]

    async def test_pages_through_all_without_gap_or_repetition(self, store: Store) -> None:
        names = [f"d{number}" for number in range(7)]
        for number, name in enumerate(names):
            await begin(store, name, created_at=at(number // 3))
        seen: list[str] = []
        page = await store.list(limit=2)
        while page.next is not None:
            assert len(page.items) == 2
            seen += ids(page)
            await begin(store, f"newer{len(seen)}", created_at=at(50))
            page = await store.list(limit=2, cursor=page.next)
        assert seen + ids(page) == names[::-1]

    async def test_lists_the_hearings_of_a_debate(self, store: Store) -> None:
        for name, hears in (("a", ""), ("b", "a"), ("c", "b"), ("d", "a")):
            await begin(store, name, created_at=at(1), hears=hears)
        for name, found in (("a", ["d", "b"]), ("b", ["c"]), ("", []), ("e", [])):
            assert [row.id for row in await store.hearings(name)] == found
        assert [row.id for row in await store.hearings("a", limit=1)] == ["d"]
        assert (await store.summary("d")).hears == "a"

    async def test_lists_those_that_came_by_a_door(self, store: Store) -> None:
        for name, origin in (("a", "v1"), ("b", "import/file"), ("c", ""), ("d", "v12")):
            await begin(store, name, created_at=at(1), origin=origin)
        wanted = {"v1": ["a"], "import": ["b"], "import/file": ["b"], "": ["c"], "mcp": []}
        for door, found in wanted.items():
            assert ids(await store.list(door=door)) == found

    async def test_has_no_next_page_when_the_last_one_is_full(self, store: Store) -> None:
        for name in "ab":
            await begin(store, name)
        assert (await store.list(limit=2)).next is None

    async def test_lists_what_an_append_made_of_it(self, store: Store) -> None:
        await begin(store, "d")
        await store.append([record(2)], summary("d", 2, status=Status.WAITING))
        assert await store.list(status=Status.RUNNING) == Page(items=())
        (found,) = (await store.list(status=Status.WAITING)).items
        assert found == summary("d", 2, status=Status.WAITING)

    async def test_counts_debates_by_their_status(self, store: Store) -> None:
        assert await store.count() == {}
        for number in range(3):
            await begin(store, f"d{number}")
        before = await store.count()
        await store.delete("d0")
        (status,) = before
        assert (before[status], await store.count()) == (3, {status: 2})

    async def test_filters_by_status_format_and_query_at_once(self, store: Store) -> None:
        await begin(store, "a", status=Status.FAILED, topic="Cats")
        await begin(store, "b", format="room", topic="Cats")
        await begin(store, "c", topic="Dogs")
        await begin(store, "d", topic="cats")
        assert ids(await store.list(status=Status.RUNNING, format="duel", query="CAT")) == ["d"]

    @pytest.mark.parametrize(
        ("query", "topic"),
        [
            ("ÜBER", "Nichts über alles"),
            ("straße", "DIE STRASSE"),
            ("привет", "ПРИВЕТ!"),
            ("100%", "Is 100% possible?"),
            ("_", "snake_case"),
            ("\\", "back\\slash"),
            ("'", "it's"),
            ("👩🏽‍🚀", "an 👩🏽‍🚀"),
        ],
    )
    async def test_finds_by_topic_ignoring_case_and_wildcards(
        self, store: Store, query: str, topic: str
    ) -> None:
        await begin(store, "right", topic=topic)
        await begin(store, "wrong", topic="1000 plain words (.*)")
        assert ids(await store.list(query=query)) == ["right"]

    async def test_finds_by_title_and_by_topic_what_an_append_has_renamed(
        self, store: Store
    ) -> None:
        await begin(store, "d", topic="Cats or dogs?")
        await begin(store, "other", topic="Trams")
        named = summary("d", 2, topic="Cats or dogs?", title="Die STRASSE")
        await store.append([record(2, DebateRenamed(title="Die STRASSE"))], named)
        for query in ("straße", "DOGS", "Die"):
            assert ids(await store.list(query=query)) == ["d"]
        assert await store.summary("d") == named
        await store.append([record(3, DebateRenamed(title=""))], summary("d", 3, title=""))
        assert ids(await store.list(query="straße")) == []

    async def test_repairs_a_title_too(self, store: Store) -> None:
        await begin(store, "d")
        assert await store.repair(summary("d", 1, title="Ours"))
        assert ids(await store.list(query="ours")) == ["d"]

    @pytest.mark.parametrize("cursor", FOREIGN_CURSORS)
    async def test_refuses_a_cursor_it_did_not_make(self, store: Store, cursor: str) -> None:
        with pytest.raises(InvalidInput):
            await store.list(cursor=cursor)

    async def test_refuses_a_limit_below_one(self, store: Store) -> None:
        await begin(store, "d")
        for call in (
            store.list(limit=0),
            store.read("d", limit=-1),
            store.abandoned(limit=0),
            store.due(at(1), limit=0),
            store.misled(limit=0),
        ):
            with pytest.raises(InvalidInput):
                await call

    async def test_finds_ids_by_their_beginning(self, store: Store) -> None:
        for name in ("abc", "abd", "ab", "b", "aB", "a_c", "ä"):
            await begin(store, name)
        assert await store.find("ab") == ["ab", "abc", "abd"]
        assert await store.find("abc") == ["abc"]
        assert await store.find("a") == ["aB", "a_c", "ab", "abc", "abd"]
        assert await store.find("%") == []
        assert await store.find("zz") == []

    async def test_finds_at_most_ten_ids(self, store: Store) -> None:
        names = [f"d{number:02}" for number in range(12)]
        for name in reversed(names):
            await begin(store, name)
        assert await store.find("d") == names[:10]
        assert await store.find("") == names[:10]
