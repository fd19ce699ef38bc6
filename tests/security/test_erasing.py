"""What is deleted is gone: not a word of it is left in the bytes of any file."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest

from moot.protocol.events import DebateCreated, Recorded
from moot.protocol.searching import read_query
from moot.protocol.values import Attachment, Config
from moot.store.backends.sqlite import connection as connections, erasing
from moot.store.backends.sqlite.connection import connect
from moot.store.backends.sqlite.store import SqliteStore
from moot.testing.store_contract.samples import begin, created, record, summary, turn

NAMES = tuple(f"d{number}" for number in range(8))


def canary(name: str) -> str:
    return f"CANARY-{name}-"


def left(folder: Path, name: str) -> dict[str, int]:
    """How often the words of a debate are in each file."""
    word = canary(name).encode()
    counts = {path.name: path.read_bytes().lower().count(word.lower()) for path in folder.iterdir()}
    return {name: count for name, count in counts.items() if count}


def begun(name: str) -> tuple[Recorded, dict[str, str]]:
    text = canary(name) * 40
    sha = hashlib.sha256(text.encode()).hexdigest()
    attached = (Attachment(name="notes.txt", sha256=sha, size_bytes=len(text)),)
    config = Config(
        format="duel", topic=canary(name), settings={}, participants=(), attachments=attached
    )
    return record(1, DebateCreated(config=config)), {sha: text}


async def filled(store: SqliteStore) -> None:
    """Debates whose words lie between those of the others, in every length."""
    chance = random.Random(7)  # noqa: S311 - the same every time
    ends = dict.fromkeys(NAMES, 1)
    for name in NAMES:
        first, files = begun(name)
        await store.create([first], summary(name, 1, topic=canary(name)), files=files)
    for _ in range(400):
        name = chance.choice(NAMES)
        ends[name] += 1
        words = canary(name) * chance.choice((1, 3, 10, 40, 100))
        said = turn(ends[name], f"step/{ends[name]}", words)
        await store.append([said], summary(name, ends[name], topic=canary(name)))


@pytest.fixture(params=["wal", "delete"])
def journal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    mode: str = request.param
    monkeypatch.setattr(connections, "journal_mode", lambda _: mode)
    return mode


async def test_a_deleted_debate_is_in_no_byte_of_the_files(tmp_path: Path, journal: str) -> None:
    store = await SqliteStore.open(tmp_path / "moot.db")
    beside = await SqliteStore.open(tmp_path / "moot.db")
    assert (await store.describe())["journal_mode"] == journal
    await filled(store)
    for number, name in enumerate(NAMES):
        assert left(tmp_path, name)
        await (store if number % 2 else beside).delete(name)
        assert left(tmp_path, name) == {}
        for other in NAMES[number + 1 :]:  # and the others have lost nothing
            assert len(await store.read(other)) == (await beside.summary(other)).seq
            assert await store.files(other)
    await store.close()
    await beside.close()


async def test_the_journal_of_a_large_database_is_emptied_too(
    tmp_path: Path, journal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "MOST_REWRITTEN_BYTES", 0)
    store = await SqliteStore.open(tmp_path / "moot.db")
    await filled(store)
    size = (tmp_path / "moot.db").stat().st_size
    await store.delete(NAMES[0])
    assert left(tmp_path, NAMES[0]) == {}
    assert (tmp_path / "moot.db").stat().st_size >= size  # overwritten, not written anew
    await store.close()
    del journal


async def test_somebody_who_reads_delays_the_erasing_and_not_the_deletion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connections, "journal_mode", lambda _: "wal")
    monkeypatch.setattr(erasing, "BUSY_MS", 1)
    monkeypatch.setattr(erasing, "PAUSES_S", (0.001,))
    store = await SqliteStore.open(tmp_path / "moot.db")
    await filled(store)
    reader = connect(tmp_path / "moot.db")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM events").fetchone()
    await store.delete(NAMES[0])
    assert "still in the journal" in caplog.text
    assert await store.find(NAMES[0]) == []
    reader.close()
    await store.delete(NAMES[1])
    assert left(tmp_path, NAMES[0]) == left(tmp_path, NAMES[1]) == {}
    await store.close()


async def test_copies_in_the_unused_parts_of_pages_are_gone_too(tmp_path: Path) -> None:
    # Rows that SQLite moves to another page when their neighbours go are not overwritten where
    # they were: `secure_delete` alone leaves dozens of these words behind.
    store = await SqliteStore.open(tmp_path / "moot.db")
    for name in NAMES:
        await begin(store, name)
    chance, rows = random.Random(4), []  # noqa: S311 - the same every time
    for number in range(200):
        name = chance.choice(NAMES)
        words = canary(name) * chance.choice((10, 30, 60))
        rows.append((name, number + 2, "2026", "x", f"step/{number}", words))
    writer = connect(tmp_path / "moot.db")
    writer.execute("BEGIN")
    writer.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows)
    writer.execute("COMMIT")
    writer.close()
    for name in NAMES:
        await store.delete(name)
        assert left(tmp_path, name) == {}
    await store.close()


def unlike(chance: random.Random) -> str:
    """A word that no other has a part of: an index keeps only where a word differs from the one
    before it."""
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(16))


@pytest.mark.parametrize("most_rewritten", [0, erasing.MOST_REWRITTEN_BYTES])
async def test_its_words_are_not_in_the_index_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_rewritten: int
) -> None:
    monkeypatch.setattr(erasing, "MOST_REWRITTEN_BYTES", most_rewritten)
    store = await SqliteStore.open(tmp_path / "moot.db")
    chance = random.Random(7)  # noqa: S311 - the same every time
    words = {name: [unlike(chance) for _ in range(300)] for name in NAMES}
    for name in NAMES:
        titled = {"topic": words[name][0], "title": words[name][1]}
        await store.create([created(words[name][0])], summary(name, 1, **titled))
    for seq in range(2, 30):
        for name in NAMES:
            said = turn(seq, f"step/{seq}", " ".join(words[name][seq * 10 : seq * 10 + 10]))
            titled = {"topic": words[name][0], "title": words[name][1]}
            await store.append([said], summary(name, seq, **titled))

    def parts(name: str) -> int:
        files = [path.read_bytes() for path in tmp_path.iterdir()]
        return sum(word[-9:].encode() in text for word in words[name] for text in files)

    for name in NAMES[::2]:
        assert parts(name)
        await store.delete(name)
        assert parts(name) == 0
    left = [one.row.id for one in (await store.search(read_query(words["d1"][25]))).items]
    assert left == ["d1"]
    await store.close()
