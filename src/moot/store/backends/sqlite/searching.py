"""The index of texts, in FTS5. What writes runs inside the transaction of its caller.

The index keeps no texts: to take one out, its words must be given again, so they are made anew from
the log. A debate that is not in `indexed_debates` has nothing in the index, and an append leaves it
so; the next search adds all of it at once. A SQLite without FTS5, or one that is older than the
index, looks through the texts themselves; what it writes makes the whole index void.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

import msgspec

from moot.errors import MootError
from moot.protocol.events import Recorded
from moot.protocol.searching import FOUND_IN, Term, Wanted, found, indexed, text_of
from moot.store.backends.sqlite.connection import primary_code
from moot.store.backends.sqlite.listing import filtered, selected
from moot.store.backends.sqlite.log import moment_of
from moot.store.pages import Filter, best_of, most_of
from moot.store.port import MOST_HITS, Found
from moot.store.rows import recorded
from moot.store.sqlite_driver import sqlite3

SEQ_BITS = 24
"""How many bits of a row's number are for the event; a debate has far fewer events."""
TITLE, TOPIC = 0, 1
AT_ONCE = 16
"""Debates that are indexed in one transaction: others want to write too."""

Texts = Sequence[tuple[int, str]]
"""Words for the index, with the number of their event."""

# The words of a title (event 0), the topic and public texts, and nothing else of them: texts are
# not kept a second time (`content`), nor their lengths, which only a ranking needs (`columnsize`).
TEXTS = "CREATE VIRTUAL TABLE texts USING fts5(words, content='', columnsize=0, tokenize='ascii')"

# ruff: noqa: S608 - built from the tables here, never from input
# Not with a SELECT for the number: SQLite would make a savepoint, at which FTS5 writes out all it
# has, and that costs several times what the words themselves do.
_ADD = "INSERT INTO texts (rowid, words) VALUES (?, ?)"
_TAKE_OUT = "INSERT INTO texts (texts, rowid, words) VALUES ('delete', ?, ?)"
_SECURE = "INSERT INTO texts (texts, rank) VALUES ('secure-delete', {})"
_READ = (
    "SELECT seq, at, body FROM events WHERE debate_id = ? "
    f"AND type IN ({', '.join(repr(one) for one in FOUND_IN)}) ORDER BY seq"
)
_MISSING = "SELECT id FROM debates WHERE id NOT IN (SELECT debate_id FROM indexed_debates) LIMIT ?"
_MATCHING = (
    "id IN (SELECT debate_id FROM indexed_debates WHERE number IN "
    f"(SELECT rowid >> {SEQ_BITS} FROM texts WHERE texts MATCH ?))"
)
_IN_THESE = (
    f"SELECT rowid FROM texts WHERE texts MATCH ? AND rowid >> {SEQ_BITS} IN "
    "(SELECT value FROM json_each(?))"
)


# --- the index itself ---


def prepare(connection: sqlite3.Connection) -> None:
    """Make the index if it is not there and this SQLite can have one; empty it if it is void."""
    if not _is_there(connection):
        _in_transaction(connection, _make)
    is_known = connection.execute("SELECT 1 FROM indexed_debates").fetchone() is not None
    if not is_usable(connection):
        if is_known:
            connection.execute("DELETE FROM indexed_debates")
    elif not is_known and connection.execute("SELECT 1 FROM texts_idx").fetchone():
        _in_transaction(connection, _empty)


def is_usable(connection: sqlite3.Connection) -> bool:
    """Whether this SQLite has FTS5, and is new enough for what is in the file."""
    return _can(connection, "SELECT rowid FROM texts WHERE texts MATCH 'a' LIMIT 1")


def _can(connection: sqlite3.Connection, statement: str) -> bool:
    """Whether this SQLite can execute the statement; if so, it has done it."""
    try:
        connection.execute(statement).fetchall()
    except sqlite3.OperationalError as error:
        if primary_code(error) != sqlite3.SQLITE_ERROR:
            raise
        return False
    return True


def _is_there(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE name = 'texts'"
    return connection.execute(query).fetchone() is not None


def _make(connection: sqlite3.Connection) -> None:
    if not _is_there(connection) and _can(connection, TEXTS):
        # Fewer merges for an append, and more parts to look into for a search, which is rarer.
        connection.execute("INSERT INTO texts (texts, rank) VALUES ('automerge', 16)")


def _empty(connection: sqlite3.Connection) -> None:
    """Empty the index: a SQLite that cannot use it has written to the database since."""
    if connection.execute("SELECT 1 FROM indexed_debates").fetchone() is None:
        connection.execute("INSERT INTO texts (texts) VALUES ('delete-all')")


def _in_transaction(
    connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], None]
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


# --- what is in it ---


def words_in(records: Iterable[Recorded]) -> Texts:
    return [(record.seq, indexed(text)) for record in records if (text := text_of(record.event))]


def begin(connection: sqlite3.Connection, debate_id: str, title: str, texts: Texts) -> None:
    """Add a debate that is not in the index."""
    connection.execute("INSERT INTO indexed_debates (debate_id) VALUES (?)", (debate_id,))
    add(connection, debate_id, [(TITLE, indexed(title)), *texts] if title else texts)


def add(connection: sqlite3.Connection, debate_id: str, texts: Texts) -> None:
    number = _number_of(connection, debate_id)
    if number is None:
        return
    for seq, words in texts:
        connection.execute(_ADD, ((number << SEQ_BITS) + seq, words))


def retitle(connection: sqlite3.Connection, debate_id: str, title: str) -> None:
    """Replace the title in the index, before its row is."""
    query = "SELECT title FROM debates WHERE id = ?"
    row = connection.execute(query, (debate_id,)).fetchone()
    number = _number_of(connection, debate_id)
    if row is None or number is None or row[0] == title:
        return
    if row[0]:
        _take_out(connection, number, [(TITLE, indexed(row[0]))])
    if title:
        add(connection, debate_id, [(TITLE, indexed(title))])


def remove(connection: sqlite3.Connection, debate_id: str) -> None:
    """Take everything of a debate out of the index, before it is deleted; its words are overwritten
    there too."""
    number = _number_of(connection, debate_id)
    if number is None:
        return
    query = "SELECT title FROM debates WHERE id = ?"
    (title,) = connection.execute(query, (debate_id,)).fetchone()
    texts = words_in(_texts(connection, debate_id))
    _take_out(connection, number, [(TITLE, indexed(title)), *texts] if title else texts)
    connection.execute("DELETE FROM indexed_debates WHERE number = ?", (number,))


def _take_out(connection: sqlite3.Connection, number: int, texts: Texts) -> None:
    rows = [((number << SEQ_BITS) + seq, words) for seq, words in texts]
    # Switched on only for this: while it is on, adding words costs half as much again.
    is_secure = _can(connection, _SECURE.format(1))
    connection.executemany(_TAKE_OUT, rows)
    if is_secure:
        connection.execute(_SECURE.format(0))
    else:  # before 3.42, deleted words stay in the file until they are merged
        connection.execute("INSERT INTO texts (texts) VALUES ('optimize')")


def _number_of(connection: sqlite3.Connection, debate_id: str) -> int | None:
    query = "SELECT number FROM indexed_debates WHERE debate_id = ?"
    row = connection.execute(query, (debate_id,)).fetchone()
    return int(row[0]) if row is not None else None


def _texts(connection: sqlite3.Connection, debate_id: str) -> Iterator[Recorded]:
    """The events of a debate that have texts. One that cannot be read has none to find."""
    for seq, at, body in connection.execute(_READ, (debate_id,)).fetchall():
        with suppress(msgspec.MsgspecError, MootError):
            yield recorded(seq, moment_of(at), body)


def has_missing(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute(_MISSING, (1,)).fetchall())


def catch_up(connection: sqlite3.Connection) -> None:
    """Add the next few debates that an earlier version wrote."""
    for (debate_id,) in connection.execute(_MISSING, (AT_ONCE,)).fetchall():
        query = "SELECT title FROM debates WHERE id = ?"
        (title,) = connection.execute(query, (debate_id,)).fetchone()
        begin(connection, debate_id, title, words_in(_texts(connection, debate_id)))


# --- searching ---


def search(
    connection: sqlite3.Connection, wanted: Wanted, limits: Filter, count: int
) -> list[Found]:
    clauses, values = filtered(limits)
    clauses += [_MATCHING] * len(wanted)
    values += [_match(term) for term in wanted]
    rows = selected(connection, clauses, values, count)
    counts = _counts(connection, [row.id for row in rows], wanted)
    return [
        Found(row=row, hits=_best(connection, row.id, counts.get(row.id, {}), wanted))
        for row in rows
    ]


def _counts(
    connection: sqlite3.Connection, debates: list[str], wanted: Wanted
) -> dict[str, Counter[int]]:
    """How many of the wanted terms each text of these debates has, by its event. One query for each
    term: finding all words with one beginning is most of the work."""
    query = (
        "SELECT number, debate_id FROM indexed_debates "
        "WHERE debate_id IN (SELECT value FROM json_each(?))"
    )
    names = dict(connection.execute(query, (json.dumps(debates),)).fetchall())
    numbers = json.dumps(list(names))
    counts: dict[str, Counter[int]] = {}
    for term in wanted:
        for (row,) in connection.execute(_IN_THESE, (_match(term), numbers)).fetchall():
            seq = row & (1 << SEQ_BITS) - 1
            if seq > TOPIC:
                counts.setdefault(names[row >> SEQ_BITS], Counter())[seq] += 1
    return counts


def _best(
    connection: sqlite3.Connection, debate_id: str, counts: Mapping[int, int], wanted: Wanted
) -> tuple[Recorded, ...]:
    """The events of a debate whose texts have the most of what is wanted."""
    seqs = sorted(counts, key=lambda seq: (-counts[seq], seq))[: MOST_HITS + 1]
    return best_of(_events(connection, debate_id, seqs), wanted)


def _events(connection: sqlite3.Connection, debate_id: str, seqs: list[int]) -> list[Recorded]:
    query = "SELECT seq, at, body FROM events WHERE debate_id = ? AND seq = ?"
    rows = [connection.execute(query, (debate_id, seq)).fetchone() for seq in seqs]
    return [recorded(seq, moment_of(at), body) for seq, at, body in filter(None, rows)]


def _match(term: Term) -> str:
    """Words contain no punctuation, so nothing in this can be taken for syntax."""
    return f'"{" ".join(term.words)}"{" *" if term.is_prefix else ""}'


def looked_through(
    connection: sqlite3.Connection, wanted: Wanted, limits: Filter, count: int
) -> list[Found]:
    """`search` without an index: every text is read."""
    clauses, values = filtered(limits)
    items: list[Found] = []
    for row in selected(connection, clauses, values, -1) if wanted else ():
        records = list(_texts(connection, row.id))
        if found((row.title, *(text_of(one.event) for one in records)), wanted):
            items.append(Found(row=row, hits=most_of(records, wanted)))
        if len(items) == count:
            break
    return items
