"""The contract every store keeps. Its docstrings are the specification of `tests/contract`.

A store remembers; it never decides. It knows sequence numbers, step keys, leases and fences, and
nothing of formats, models or prompts.

Every method raises InvalidInput, and changes nothing, for what cannot be stored alike in every
database: text with NUL characters or lone surrogates, times without a zone, records that do not
follow one another or do not end where their summary ends. Every method raises StoreUnavailable
while the database is full, locked, read-only or unreachable, and works again by itself afterwards.

Time in leases is the store's own (the database's clock, or the machine's monotonic clock where the
database is a file), so that a wrong wall clock can neither steal nor keep a debate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Protocol, runtime_checkable

import msgspec

from moot.protocol.events import Recorded
from moot.protocol.row import DebateRow
from moot.protocol.searching import Wanted
from moot.protocol.words import Status

SUSPECT_AFTER = 3
"""Deaths in a row after which a debate is tried in a process of its own (`moot.engine.quarantine`).
From there on only the deaths of such processes are counted."""

MOST_HITS = 3
"""Texts of one debate that a search shows."""

NO_FILES: Mapping[str, str] = MappingProxyType({})

DebateIds = list[str]
"""Named here because a method of the port is called `list` too."""

Watched = Callable[[], Collection[str]]
"""Which debates somebody in this process wants to hear of."""
Tell = Callable[[str, int], None]
"""Takes a debate and the sequence number its log is said to reach; 0 if it is said to be gone."""


class WorkerId(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds leases: a random id, and enough to see from the same machine whether it is gone.

    `machine` is equal for two processes exactly if one can see the other's pid (same host, same
    boot, same pid namespace). `started` is the process's start time as the operating system tells
    it, so that a pid used again is not taken for the old process.
    """

    id: str
    machine: str
    pid: int
    started: str


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's timed claim on one debate. `fence` grows with every claim of that debate.

    `deaths` is how many holders in a row had begun to run the debate before this claim, and neither
    got it any further nor released it, as happens if one of its steps kills whoever performs it. At
    most SUSPECT_AFTER of them are counted; deaths beyond that are those of processes that ran
    nothing but this debate.
    """

    debate_id: str
    worker_id: str
    fence: int
    deaths: int = 0
    has_begun: bool = False


class Custody(msgspec.Struct, frozen=True, kw_only=True):
    """Who has a debate, for people who want to know why it does not move.

    `holder` claimed it last and has not given it back; `is_current` says whether its lease has not
    run out, and `since` when it was claimed. `deaths` is as in `Lease`. `next_try_at` is when it is
    tried again after the death of a process that ran nothing else, if there was one.
    """

    holder: WorkerId | None = None
    is_current: bool = False
    since: datetime | None = None
    deaths: int = 0
    next_try_at: datetime | None = None


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Summaries, newest first, and the cursor of the next page or None."""

    items: tuple[DebateRow, ...]
    next: str | None = None


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A way to read one debate, and no other, for whoever knows `token`.

    `has_private` says whether it also shows private turns, and what was thought before the others.
    """

    debate_id: str
    token: str
    has_private: bool
    made_at: datetime


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """Who really made the better case in a debate, as the person `by` says.

    `winner` is the id of a side, or `tie`; whether there is such a side is not the store's to know.
    """

    debate_id: str
    by: str
    winner: str
    note: str = ""
    at: datetime


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Which debate was made of a question that came by another door, such as `/v1`.

    `fingerprint` is the same for the same question by the same client; `is_delivered` says whether
    the client was given the whole answer; `form` is that answer in the form that was asked for, as
    JSON, if it has been put into that form.
    """

    fingerprint: str
    debate_id: str
    at: datetime
    is_delivered: bool = False
    form: str = ""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A debate in which something was found, and the events whose texts have the most of it."""

    row: DebateRow
    hits: tuple[Recorded, ...] = ()


class FoundPage(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, the newest debate first, and the cursor of the next page or None."""

    items: tuple[Found, ...]
    next: str | None = None


class Store(Protocol):
    """Opened by its backend's `open` (which migrates the schema), closed by `close`."""

    async def close(self) -> None:
        """Release everything; a second call does nothing. Leases held are released."""

    # --- the log ---

    async def create(
        self,
        records: Sequence[Recorded],
        summary: DebateRow,
        *,
        files: Mapping[str, str] = NO_FILES,
    ) -> None:
        """Begin a log. `records` start at 1 and are committed with the summary, all or nothing.

        The texts of the attachments that its configuration names are kept with it: they are in
        `files`, by their hash, or in the store already. Raises NotFound if one is in neither, and
        Conflict if the debate exists already.
        """

    async def files(self, debate_id: str) -> dict[str, str]:
        """The texts of a debate's attachments, by their hash; none if there is no such debate."""

    async def append(
        self, records: Sequence[Recorded], summary: DebateRow, *, fence: int | None = None
    ) -> None:
        """Append `records` to the debate `summary.id` and replace its summary, in one transaction.

        Format, topic and time of creation never change, so an append leaves those alone.
        When this returns, the records survive a power cut. When it raises, nothing was written
        (StoreUnavailable excepted: the answer to COMMIT may be lost; read the log to know).
        Raises Conflict if the log's last sequence number is not `records[0].seq - 1`, or if a step
        key is already in the log; LeaseLost if `fence` is given and is not the debate's current
        one; NotFound if there is no such debate.
        Appends of different debates that wait at the same time are committed together.
        Starts the count of deaths anew if the debate is no longer active, and if a worker (with its
        fence) appends more than it can record without having performed a step, such as that it took
        the debate over, where it stands, that a limit is reached, or that a try failed. A debate
        that is given up because it kills its workers keeps SUSPECT_AFTER deaths: nobody else is to
        die of it if it is tried again.
        """

    async def read(
        self, debate_id: str, *, after: int = 0, limit: int | None = None
    ) -> list[Recorded]:
        """The events with a sequence number above `after`, in order, at most `limit`.

        Raises NotFound if there is no such debate.
        """

    async def repair(self, summary: DebateRow) -> bool:
        """Replace the cached summary if the log still ends at `summary.seq`; say whether it did."""

    async def delete(self, debate_id: str, *, seq: int | None = None) -> None:
        """Remove a debate, its log, its link, its labels, the question it was asked by, and the
        files that no other debate has. Raises NotFound.

        Raises Conflict, and removes nothing, if `seq` is given and the log does not end there.
        A store that owns its files overwrites what it removes, in its journal too.
        """

    # --- the list ---

    async def summary(self, debate_id: str) -> DebateRow:
        """The cached summary. Raises NotFound."""

    async def find(self, prefix: str) -> DebateIds:
        """The ids that begin with `prefix` (at most ten, in order), for people who type them."""

    async def list(
        self,
        *,
        status: Status | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        door: str | None = None,
        query: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Summaries, newest first. `query` is looked for in title and topic, ignoring case.

        `door` is a row's origin, or the part of it before the slash; "" finds debates without one.

        `cursor` is an earlier page's `next`; raises InvalidInput for any other text.
        """

    async def hearings(self, debate_id: str, *, limit: int = 50) -> tuple[DebateRow, ...]:
        """The hearings of a debate, newest first, whether the debate itself is there or not."""

    async def search(
        self,
        wanted: Wanted,
        *,
        status: Status | None = None,
        format: str | None = None,  # noqa: A002 - the glossary's word
        limit: int = 50,
        cursor: str | None = None,
    ) -> FoundPage:
        """Debates in which all that is wanted occurs, newest first; nothing if nothing is wanted.

        Each term may occur in the title or in any text that `searching.text_of` finds in events;
        nothing private is searched. Every append and deletion that has returned is taken into
        account, and so are debates that an earlier version wrote: the first search after an upgrade
        indexes them, and goes on where an interrupted one ended. `hits` are at most MOST_HITS,
        those with more of what is wanted first, then the earlier ones; the topic is not among them,
        nor an outcome that says no more than a turn that is. `cursor` as in `list`.
        """

    async def count(self) -> dict[Status, int]:
        """How many debates have each status; statuses that none has are left out."""

    # --- links ---

    async def share(self, link: Link) -> Link:
        """Keep the link unless its debate has one already; return the one it has now.

        Raises NotFound if there is no such debate.
        """

    async def link(self, debate_id: str) -> Link | None:
        """The link of a debate, if it has one."""

    async def link_by(self, token: str) -> Link | None:
        """The link with exactly that token, if there is one."""

    async def revoke(self, debate_id: str) -> bool:
        """Remove the link of a debate; whether it had one."""

    # --- labels ---

    async def label(self, label: Label) -> None:
        """Keep the label, in place of the one that the same person gave the same debate.

        Raises NotFound if there is no such debate. Its log and its summary stay as they are.
        """

    async def unlabel(self, debate_id: str, by: str) -> bool:
        """Remove the label that exactly that person gave a debate; whether there was one."""

    async def labels(self, debate_ids: Collection[str] | None = None) -> tuple[Label, ...]:
        """The labels of these debates, by default of all, by debate and then by who gave them.

        Debates that do not exist have none.
        """

    # --- questions by other doors ---

    async def keep_asked(self, asked: Asked, *, instead_of: str | None = None) -> Asked:
        """Keep `asked` if its fingerprint is free, or belongs to the debate `instead_of`; return
        what has it now. The debate need not exist: its id may be reserved."""

    async def asked(self, fingerprint: str) -> Asked | None:
        """The question that was last kept with that fingerprint, if any."""

    async def deliver(self, fingerprint: str, debate_id: str) -> None:
        """Note that the answer was delivered; does nothing if another debate has that
        fingerprint."""

    async def keep_form(self, fingerprint: str, debate_id: str, form: str) -> None:
        """Keep the answer in the form that was asked for; does nothing if another debate has the
        fingerprint."""

    async def attend(self, debate_ids: Collection[str], *, seconds: float) -> None:
        """Note that somebody waits for these debates, and will for at least `seconds` more.

        Debates that were not asked by another door are left alone.
        """

    async def leave(self, debate_id: str) -> None:
        """Note that nobody has to wait for that debate any more: `unattended` leaves it out."""

    async def unattended(self, *, limit: int = 100) -> DebateIds:
        """Debates that somebody waited for, whose time is up and that nobody has left."""

    # --- leases ---

    async def enlist(self, worker: WorkerId, *, ttl_s: float) -> None:
        """Make `worker` known and keep it alive for `ttl_s` from now; repeat to renew.

        One renewal keeps every lease of the worker. Raises LeaseLost if the worker had expired and
        somebody has taken over one of its debates meanwhile; it must then stop all its work.
        """

    def enlist_blocking(self, worker: WorkerId, *, ttl_s: float) -> None:
        """`enlist` for a thread of its own, so that a blocked event loop loses no lease."""

    async def claim(self, debate_id: str, worker_id: str) -> Lease | None:
        """Take the debate if it is free, already this worker's, or its holder has expired or left.

        Every successful claim raises the fence by one. Returns None if a living worker holds it.
        Raises NotFound for an unknown debate, LeaseLost if `worker_id` is not enlisted and alive.
        """

    async def begin(self, lease: Lease) -> Lease:
        """Note that the lease's worker begins to run the debate, and return the lease that says so.

        From now on it counts as a death if the debate is claimed again before it got any further or
        was released, up to SUSPECT_AFTER in a row. A second call does nothing. Raises LeaseLost if
        the fence has moved on.
        """

    async def count_death(self, lease: Lease, *, next_try_at: datetime) -> None:
        """Note the death of a process in which the lease's worker tried this debate and no other.

        Counts nothing if the debate got any further under that lease, or the fence has moved on.
        """

    async def custody(self, debate_id: str) -> Custody:
        """Who has the debate, and how many of its holders died. Raises NotFound."""

    async def quarantined(self) -> int:
        """How many debates are running or stopping and have SUSPECT_AFTER deaths or more."""

    async def holder(self, debate_id: str) -> WorkerId | None:
        """Who holds the debate's lease, if it has not run out."""

    async def release(self, lease: Lease) -> None:
        """Give the debate back. A worker that does so has not crashed, so no death is counted.

        Does nothing if the fence has moved on.
        """

    async def retire(self, worker_id: str) -> None:
        """Forget a worker and free all it held: it left, or its process is known to be gone."""

    async def workers(self) -> Sequence[WorkerId]:
        """Every worker that has enlisted and was not retired, expired or not."""

    async def has_worker(self) -> bool:
        """Whether any worker is alive, here or elsewhere."""

    async def abandoned(self, *, limit: int = 100) -> DebateIds:
        """Debates whose status is running or stopping and that no living worker holds."""

    async def due(self, now: datetime, *, limit: int = 100) -> DebateIds:
        """Debates that wait and have to be looked at again by `now`, the longest overdue first."""

    async def misled(self, *, limit: int = 100) -> DebateIds:
        """Debates whose row and log end at different events, or whose row has no status that there
        is; no append leaves a row like that."""

    # --- what it is ---

    async def describe(self) -> dict[str, str]:
        """For `moot doctor`: backend, where, version, schema revision, journal mode, and notes."""


@runtime_checkable
class ChecksRoom(Protocol):
    """What a store also does if it writes to a disk of this machine."""

    async def check_room(self) -> None:
        """Raise StoreUnavailable if the next commit would find no room, or may not write."""


@runtime_checkable
class WorksBeside(Protocol):
    """What a store also does if it reads or writes by threads or tasks of its own."""

    async def until_broken(self) -> None:
        """Wait until cancelled; but if one of those threads or tasks dies, raise what it died of.

        From then on every call that needs it raises StoreUnavailable, and so do those under way.
        """


@runtime_checkable
class TellsNews(Protocol):
    """What a store also does if several processes can share it."""

    async def news(self, watched: Watched, tell: Tell) -> None:
        """Until cancelled, call `tell` soon after another process appended to a watched debate.

        It may tell what is known already, and of debates that nobody watches; it tells of nothing
        out of order. Nothing is missed for long: what was appended while the database could not be
        reached is told of when it can be again. Never raises StoreUnavailable.
        """
