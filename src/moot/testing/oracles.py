"""What must be true of every debate, whatever happened to it (RELIABILITY.md, section 2).

Each oracle raises AssertionError and says what is wrong. `Landed` counts the faults, so that a test
can't pass by never failing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from moot.protocol import events as e
from moot.protocol.deciding import cursor_at
from moot.protocol.lifecycle import TITLES
from moot.protocol.log import fold
from moot.protocol.registry import format_named
from moot.protocol.row import Cursor, DebateRow
from moot.protocol.state import DebateState
from moot.protocol.values import Usage
from moot.protocol.words import Status
from moot.store.port import Store
from moot.store.sqlite_driver import sqlite3
from moot.testing.server_ledger import Entry

CANARY_KEY = "sk-CANARY-7f3a9c51d2e84b06"
"""An invented key to plant; it must be found nowhere but in what is sent to its provider."""


class Book(msgspec.Struct, frozen=True, kw_only=True):
    """All that a store knows of one debate."""

    records: tuple[e.Recorded, ...]
    summary: DebateRow

    @property
    def state(self) -> DebateState:
        return fold(self.records)


async def read_book(store: Store, debate_id: str) -> Book:
    return Book(records=tuple(await store.read(debate_id)), summary=await store.summary(debate_id))


# --- one debate ----------------------------------------------------------------------------------


def transcript_hash(records: Iterable[e.Recorded]) -> str:
    """Equal for equal transcripts: what was asked and said, by place, whenever it was recorded."""
    digest = hashlib.sha256()
    for turn in fold(records).transcript():
        # Whatever depends on chance or time is left out: times, attempts, usage, model's speed.
        said = msgspec.structs.replace(turn.said, usage=Usage(), duration_ms=0, attempts=1)
        digest.update(e.encode(said) + b"\n")
    return digest.hexdigest()


def check_log(records: Sequence[e.Recorded]) -> None:
    """Gap-free from 1, no step key twice, nothing but a title after a terminal event, and it
    folds."""
    seqs = [record.seq for record in records]
    assert seqs == list(range(1, len(records) + 1)), f"gaps or repetitions in {seqs}"
    keys = Counter(key for record in records if (key := e.step_key_of(record.event)))
    assert max(keys.values(), default=1) == 1, f"recorded twice: {keys.most_common(3)}"
    course = [record.event for record in records if not isinstance(record.event, TITLES)]
    for event in course[:-1]:
        last_words = (e.DebateCompleted, e.DebateCanceled)
        assert not isinstance(event, last_words), f"events follow {event}"
    fold(records)


def check_cursor(book: Book) -> None:
    """The row beside the log says what the log says."""
    state = book.state
    assert book.summary == state.summary(book.summary.id, cursor_of(state)), book.summary


def cursor_of(state: DebateState) -> Cursor:
    """Where the log says the debate stands."""
    return cursor_at(format_named(state.config.format), state, state.updated_at)


def check_book(book: Book, *, status: Status = Status.COMPLETED, transcript: str = "") -> None:
    """All of the above; `transcript` is the hash of an undisturbed run."""
    check_log(book.records)
    check_cursor(book)
    assert book.state.status is status, (book.state.status, book.state.failure)
    if transcript:
        assert transcript_hash(book.records) == transcript, "the transcript differs"


# --- the provider's ledger -----------------------------------------------------------------------


def calls_recorded(books: Iterable[Book]) -> int:
    """Calls that the logs know of: those that became a turn, and those that came to nothing."""
    return sum(book.state.calls for book in books)


def extra_calls(ledger: Sequence[Entry], books: Iterable[Book]) -> int:
    """Calls that were made and that no log knows of."""
    return len(ledger) - calls_recorded(books)


def check_spending(
    ledger: Sequence[Entry], books: Sequence[Book], *, kills: int = 0, in_flight: int = 1
) -> int:
    """At most one extra call for each that was in flight at a kill, and none without a kill.

    Returns how many there were. `in_flight` is how many calls one victim makes at a time.
    """
    extra = extra_calls(ledger, books)
    assert 0 <= extra <= kills * in_flight, f"{extra} extra calls for {kills} kills"
    return extra


def check_usage(ledger: Iterable[Entry], books: Iterable[Book]) -> None:
    """What was recorded is what the provider counted, each reply once however often it was bought.

    For replies that are a function of their messages, which is what scripted providers give.
    """
    counted: dict[tuple[tuple[str, str], ...], tuple[int, int]] = {}
    for entry in ledger:
        if entry.usage is not None:
            usage = entry.usage["prompt_tokens"], entry.usage["completion_tokens"]
            messages = tuple((role, content) for role, content in entry.messages)
            counted[messages] = usage
    recorded = sum((book.state.usage for book in books), Usage())
    expected = [sum(tokens) for tokens in zip(*counted.values(), strict=True)]
    assert [recorded.input_tokens, recorded.output_tokens] == expected


def most_in_flight(ledger: Iterable[Entry]) -> int:
    """The most calls that were in flight at the same time."""
    moments = [(entry.started_at, 1) for entry in ledger]
    moments += [(entry.ended_at, -1) for entry in ledger if entry.ended_at is not None]
    now = most = 0
    for _, change in sorted(moments):
        now += change
        most = max(most, now)
    return most


# --- files and secrets ---------------------------------------------------------------------------


def check_integrity(path: Path | str) -> None:
    """SQLite finds nothing wrong with the file."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("PRAGMA integrity_check").fetchall()
    assert found == [("ok",)], found


def check_no_secret(*places: Path | str | bytes, secret: str = CANARY_KEY) -> None:
    """The secret is in none of these: texts, files, and all files below directories."""
    for place in places:
        if isinstance(place, Path):
            files = (
                [place] if place.is_file() else [one for one in place.rglob("*") if one.is_file()]
            )
            assert files or place.is_dir(), f"{place} does not exist"
            for file in files:
                assert secret.encode() not in file.read_bytes(), f"the key is in {file}"
        else:
            text = place if isinstance(place, bytes) else place.encode()
            assert secret.encode() not in text, "the key was told"


# --- the faults themselves -----------------------------------------------------------------------


class Landed(Counter[str]):
    """How many faults of each kind really happened."""

    def missing(self, **least: int) -> dict[str, tuple[int, int]]:
        """The kinds of which too few faults landed: how many did, and how many should have."""
        return {kind: (self[kind], count) for kind, count in least.items() if self[kind] < count}

    def must_be(self, **least: int) -> None:
        """Raises AssertionError unless at least so many faults of each kind landed."""
        missing = self.missing(**least)
        assert not missing, f"too few faults landed (is, should be): {missing}"
