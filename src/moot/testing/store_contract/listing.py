"""Lists, pages, ids that people begin to type, and search.

What is found, and in which order, is what the log says at every moment.
"""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import msgspec
import pytest

from moot.errors import InvalidInput
from moot.protocol.events import DebateCompleted, DebateRenamed, Recorded, TurnRecorded
from moot.protocol.searching import read_query
from moot.protocol.words import Status, StopReason, Visibility
from moot.store.port import FoundPage, Page, Store
from moot.testing.store_contract.samples import (
    Stores,
    at,
    begin,
    created,
    outcome,
    record,
    said,
    summary,
    turn,
)

# --- lists ----------------------------------------------------------------------------------------


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


# --- search ---------------------------------------------------------------------------------------


async def told(store: Store, name: str, *texts: str, **changes: Any) -> None:
    """A debate whose first event has the topic, and each further one a public statement."""
    topic = changes.setdefault("topic", "Is it so?")
    await store.create([created(topic)], summary(name, 1, **changes))
    for seq, text in enumerate(texts, 2):
        await store.append([turn(seq, f"step/{seq}", text)], summary(name, seq, **changes))


async def found(store: Store, query: str, **limits: Any) -> list[str]:
    page = await store.search(read_query(query), **limits)
    return [one.row.id for one in page.items]


def hits(page: FoundPage) -> list[list[int]]:
    return [[hit.seq for hit in one.hits] for one in page.items]


def private(seq: int, content: str) -> Recorded:
    event = turn(seq, f"step/{seq}", content).event
    return record(seq, msgspec.structs.replace(event, visibility=Visibility.PRIVATE))


HOSTILE = (
    '"', '""', "*", "a*", "AND", "NOT", "monorail NEAR tram", "monorail OR", "NEAR(monorail tram)",
    "words:monorail", "{words}:monorail", "^monorail", "monorail\0", "(", "monorail)", "';--", "\\",
    "monorail & !tram", "monorail <-> tram", "monorail:*", "-monorail", "\ud800", "'monorail' : A",
    "monorail " * 1200, "x" * 10_000, '"monorail ' * 300, "é" * 3000, "👍", "数" * 5000,
)  # fmt: skip


class SearchContract(Stores):
    async def test_finds_nothing_of_nothing(self, store: Store) -> None:
        await told(store, "d", "A monorail.")
        for query in ("", "  ", "?!", '""', "👍"):
            assert await store.search(read_query(query)) == FoundPage(items=())

    @pytest.mark.parametrize(
        ("query", "text"),
        [
            ("mono", "A MONORAIL, then."),
            ("Ünïc strasse", "Die Straße: unicode"),
            ("istanbul", "İSTANBUL"),
            ("don't", "They don\u2019t."),
            ("数学", "この数学者は"),
            ("हिन्दी", "वह हिन्दी में है"),
            ("ПРИВ", "привет"),
            ("snake", "snake_case"),
            ("3 14", "π ≈ 3.14159"),
            ('"as it is"', "“As it is”, she said"),
            ("and or not near", "Nearly nothing and ordinary"),
        ],
    )
    async def test_finds_words_by_their_beginnings_whatever_the_case_and_the_accents(
        self, store: Store, query: str, text: str
    ) -> None:
        await told(store, "right", text)
        await told(store, "wrong", "It is as plain as that.")
        assert await found(store, query) == ["right"]

    async def test_finds_a_phrase_only_in_its_order(self, store: Store) -> None:
        await told(store, "right", "One two, three.")
        await told(store, "wrong", "Two one three. Two. One twofold three.")
        assert await found(store, '"one two" three') == ["right"]
        assert await found(store, "one two three") == ["wrong", "right"]

    async def test_finds_words_that_stand_in_different_texts_of_one_debate(
        self, store: Store
    ) -> None:
        await told(store, "both", "A monorail.", "A tram.")
        await told(store, "one", "A monorail.")
        await told(store, "other", "A tram.")
        assert await found(store, "monorail tram") == ["both"]
        assert await found(store, "monorail") == ["one", "both"]

    async def test_finds_topic_title_messages_and_outcome(self, store: Store) -> None:
        await told(store, "d", topic="Trains")
        end = DebateCompleted(
            stop_reason=StopReason.DONE,
            outcome={"summary": "Monorails all around", "by": "Mo", "by_id": "mo"},
        )
        await store.append([said(2, "A ferry?"), record(3, end)], summary("d", 3, topic="Trains"))
        for query in ("trains", "ferry", "monorails trains"):
            assert await found(store, query) == ["d"]
        page = await store.search(read_query("monorail ferry trains"))
        assert hits(page) == [[2, 3]]

    async def test_never_finds_what_is_private(self, store: Store) -> None:
        await told(store, "d")
        secret = private(2, "A monorail.")
        prompted = msgspec.structs.replace(
            turn(3, "step/3", "Spoken.").event, prompt="ferry", reasoning="zeppelin"
        )
        await store.append([secret, record(3, prompted)], summary("d", 3))
        for query in ("monorail", "ferry", "zeppelin"):
            assert await found(store, query) == []
        assert await found(store, "spoken") == ["d"]

    async def test_finds_the_last_title_and_no_earlier_one(self, store: Store) -> None:
        await told(store, "d")
        for seq, title in ((2, "Monorails"), (3, "Ferries"), (4, "Ferries again")):
            await store.append(
                [record(seq, DebateRenamed(title=title))], summary("d", seq, title=title)
            )
        assert (await found(store, "monorails"), await found(store, "ferr again")) == ([], ["d"])
        assert await store.repair(summary("d", 4, title="Zeppelins"))
        assert (await found(store, "ferries"), await found(store, "zeppelin")) == ([], ["d"])
        await store.append([record(5, DebateRenamed(title=""))], summary("d", 5))
        assert (await found(store, "zeppelin"), await found(store, "so")) == ([], ["d"])

    async def test_finds_nothing_of_what_was_deleted_or_refused(self, store: Store) -> None:
        await told(store, "d", "A monorail.", title="Ours")
        late = store.append([turn(3, "step/2", "A ferry.")], summary("d", 3))
        beyond = store.append([turn(9, "step/9", "A ferry.")], summary("d", 9))
        again = store.create([created("Ferry")], summary("d", 1))
        assert [await outcome(one) for one in (late, beyond, again)] == ["conflict"] * 3
        assert (await found(store, "ferry"), await found(store, "monorail ours")) == ([], ["d"])
        await store.delete("d")
        assert await found(store, "monorail") == []
        await told(store, "d", "Another.")
        assert (await found(store, "monorail"), await found(store, "another")) == ([], ["d"])

    async def test_shows_the_texts_that_have_the_most_of_it_first(self, store: Store) -> None:
        texts = ("A tram.", "Nothing.", "A tram, a monorail.", "Trams.", "A monorail.", "Tram!")
        await told(store, "d", *texts, topic="A tram, a monorail?")
        assert hits(await store.search(read_query("tram monorail"))) == [[4, 2, 5]]
        (item,) = (await store.search(read_query("monorail"))).items
        assert [one.event.content for one in item.hits if isinstance(one.event, TurnRecorded)] == [
            "A tram, a monorail.",
            "A monorail.",
        ]

    async def test_shows_an_outcome_only_if_no_turn_says_it(self, store: Store) -> None:
        await told(store, "d", "A monorail.")
        end = DebateCompleted(
            stop_reason=StopReason.DONE,
            outcome={"summary": "A monorail.", "by": "Mo", "by_id": "mo"},
        )
        await store.append([record(3, end)], summary("d", 3))
        assert hits(await store.search(read_query("monorail"))) == [[2]]

    async def test_pages_through_all_that_was_found_the_newest_first(self, store: Store) -> None:
        for number in range(7):
            word = "tram" if number == 3 else "monorail"
            await told(store, f"d{number}", f"A {word}.", created_at=at(number // 3))
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = await store.search(read_query("mono"), limit=2, cursor=cursor)
            seen += [one.row.id for one in page.items]
            cursor = page.next
            if cursor is None:
                break
        assert seen == ["d6", "d5", "d4", "d2", "d1", "d0"]

    async def test_filters_what_it_finds_by_status_and_format(self, store: Store) -> None:
        await told(store, "a", "A monorail.", status=Status.FAILED)
        await told(store, "b", "A monorail.", format="room")
        await told(store, "c", "A monorail.")
        assert await found(store, "monorail", status=Status.RUNNING, format="duel") == ["c"]

    async def test_other_processes_find_what_was_appended(self, store: Store, other: Store) -> None:
        await told(store, "d", "A monorail.")
        assert await found(other, "monorail") == ["d"]
        await other.append([turn(3, "step/3", "A ferry.")], summary("d", 3))
        assert await found(store, "ferry monorail") == ["d"]
        await other.delete("d")
        assert await found(store, "monorail") == []

    async def test_finds_what_was_appended_at_the_same_time(self, store: Store) -> None:
        await asyncio.gather(*(told(store, f"d{n}", f"Word{n}x.") for n in range(30)))
        for number in (0, 17, 29):
            assert await found(store, f"word{number}x") == [f"d{number}"]

    @pytest.mark.parametrize("query", HOSTILE)
    async def test_takes_whatever_is_asked_for_words(self, store: Store, query: str) -> None:
        await told(store, "d", "A monorail, a tram: near and not or words a x " + "é" * 3000)
        await store.search(read_query(query))
        assert await found(store, "monorail") == ["d"]

    async def test_keeps_texts_that_no_index_can_hold_whole(self, store: Store) -> None:
        words = " ".join(f"w{number}" for number in range(80_000))
        texts = ("monorail " + words, "monorail " + "x" * 300_000, "monorail " + "数" * 90_000)
        await told(store, "d", *texts, "monorail " * 30_000)
        assert hits(await store.search(read_query("monorail"))) == [[2, 3, 4]]

    async def test_search_refuses_what_listing_refuses(self, store: Store) -> None:
        foreign = base64.urlsafe_b64encode(b'["yesterday","d"]').decode()
        for limits in ({"limit": 0}, {"cursor": "x"}, {"cursor": foreign}, {"format": "a\0"}):
            with pytest.raises(InvalidInput):
                await store.search(read_query("x"), **limits)
