"""The hearings of a debate, and what is known of judges from all hearings in the database.

Everything is read from the rows that are kept beside the logs, and from people's labels; no log is
opened. The certificate that counts is that of the newest hearing that was held to its end: one that
was stopped, has failed or was canceled never takes an earlier one's place. Of judges, only hearings
that were held here tell anything: anybody could have written the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from moot.engine.looking import certificate
from moot.errors import NotFound
from moot.protocol.hearing.audit import JudgeAudit, Labelled, Vote, audits, right, told
from moot.protocol.hearing.plan import Order
from moot.protocol.outcomes import Certificate, ExamReport, HeardJudge, certificate_in
from moot.protocol.registry import EXAM, HEARING, benched, format_of
from moot.protocol.row import DebateRow
from moot.protocol.state import DebateState
from moot.protocol.words import Status
from moot.store.port import Label, Store

MOST = 50
"""The most hearings of one debate that are listed, the newest first."""

NO_LABELS = "unknown: none of the debates that this bench has heard is labelled (`moot label`)"
AT_ONCE = 200
SEED = 1
"""The seed of the bootstraps: the same ballots must give the same figures."""


# --- the hearings of one debate -------------------------------------------------------------------


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """One hearing of a debate. `certificate` is None while it is not over."""

    id: str
    status: Status
    created_at: datetime
    cost_usd: float | None = None
    certificate: Certificate | None = None


def heard(rows: Sequence[DebateRow]) -> tuple[Heard, ...]:
    """The hearings in these rows, in their order."""
    return tuple(
        Heard(
            id=row.id,
            status=row.status,
            created_at=row.created_at,
            cost_usd=row.cost_usd,
            certificate=row.outcome if isinstance(row.outcome, Certificate) else None,
        )
        for row in rows
    )


def heard_itself(row: DebateRow, shown: DebateState) -> Heard | None:
    """The debate itself as a hearing, if it is one or ended with one, as far as it is shown."""
    told = with_debate(row.id, certificate(format_of(shown.config), shown))
    if told is None:
        return None
    return Heard(id=row.id, status=row.status, created_at=row.created_at, certificate=told)


def with_debate(debate_id: str, told: Certificate | None) -> Certificate | None:
    """The certificate of a debate's own bench with the debate's id, which its log does not know.
    The certificate of a hearing is about another debate, and stays as it is."""
    if told is None or told.debate:
        return told
    return msgspec.structs.replace(told, debate=debate_id)


def newest(hearings: Sequence[Heard]) -> Heard | None:
    """The hearing whose certificate counts: the first that has one and was held to its end."""
    ended = (one for one in hearings if one.certificate is not None)
    return next((one for one in ended if one.certificate and one.certificate.is_finished), None)


# --- what all hearings tell of their judges -------------------------------------------------------


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """An exam that a judge has sat: its debate, and when it was over."""

    id: str
    at: datetime
    report: ExamReport


class Judges:
    """Reads all hearings anew each time it is asked."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def right(self, certificate: Certificate) -> str:
        """What follows "Right?" for the bench of that certificate: same models, same prompts."""
        bench = bench_of(certificate)
        labels = labels_by_debate(await self._store.labels())
        if not labels:
            return NO_LABELS
        labelled = []
        for debate, label in labels.items():
            # The newest by this bench. Only labelled debates are read: there may be thousands.
            async for one in self._about(debate):
                if bench_of(one) == bench:
                    labelled.append(_labelled(one, label))
                    break
        if not labelled:
            return NO_LABELS
        return told(await asyncio.to_thread(right, labelled, SEED))

    async def audits(self) -> tuple[JudgeAudit, ...]:
        """What is known of every judge, by its model."""
        votes = [vote async for one in self._certificates() for vote in votes_of(one)]
        labels = labels_by_debate(await self._store.labels())
        return await asyncio.to_thread(audits, votes, labels, SEED)  # it draws thousands of times

    async def exams(self) -> dict[str, Examined]:
        """The newest exam of each model that was held here to its end."""
        found: dict[str, Examined] = {}
        async for row in self._rows(EXAM):
            report = row.outcome
            if isinstance(report, ExamReport) and report.is_finished:
                told = Examined(id=row.id, at=row.updated_at, report=report)
                found.setdefault(report.model, told)
        return found

    async def _certificates(self) -> AsyncIterator[Certificate]:
        """The certificates of all hearings that were held here to their end, the newest first.
        Those that were the last stage of a debate come last: they are that debate's oldest."""
        for form in (HEARING, *benched()):
            async for row in self._rows(form):
                if told := _told(row):
                    yield told

    async def _about(self, debate_id: str) -> AsyncIterator[Certificate]:
        """The certificates of all hearings of that debate, in the order of `_certificates`."""
        try:
            rows = (*await self._store.hearings(debate_id), await self._store.summary(debate_id))
        except NotFound:  # it was deleted a moment ago
            return
        for row in rows:
            if row.status is Status.COMPLETED and (told := _told(row)):
                yield told

    async def _rows(self, format_: str) -> AsyncIterator[DebateRow]:
        """The rows of all completed debates of that format that were held here, newest first."""
        cursor: str | None = None
        while True:
            page = await self._store.list(
                status=Status.COMPLETED, format=format_, limit=AT_ONCE, cursor=cursor
            )
            for row in page.items:
                if not row.was_imported:
                    yield row
            cursor = page.next
            if cursor is None:
                return


def _told(row: DebateRow) -> Certificate | None:
    """The certificate of a debate that was held here to its end."""
    told = with_debate(row.id, certificate_in(row.outcome))
    return told if told is not None and told.is_finished and not row.was_imported else None


def bench_of(certificate: Certificate) -> tuple[int, frozenset[str]]:
    """What makes two benches the same: what they were asked, and the models of all judges."""
    return certificate.prompt, frozenset(one.model for one in certificate.judges)


def labels_by_debate(labels: Iterable[Label]) -> dict[str, str]:
    """Whom people call the winner of each debate; one about which they disagree is left out."""
    found: dict[str, set[str]] = {}
    for one in labels:
        found.setdefault(one.debate_id, set()).add(one.winner)
    return {debate: next(iter(said)) for debate, said in found.items() if len(said) == 1}


def _labelled(certificate: Certificate, label: str) -> Labelled:
    return Labelled(
        debate=certificate.debate,
        label=label,
        winner=certificate.winner_id,
        votes={one.model: one.is_for for one in certificate.judges},
    )


def votes_of(certificate: Certificate) -> Iterator[Vote]:
    """Every ballot of a hearing as audits count it. People are not audited."""
    words = {one.id: one.words for one in certificate.sides}
    firsts = _firsts([one.id for one in certificate.sides])
    for judge in certificate.judges:
        if not judge.is_person:
            yield from _votes(certificate.debate, judge, words, firsts)


def _firsts(sides: Sequence[str]) -> Mapping[Order, str]:
    """Which side is listed first in each order; the audit of names looks at two sides only."""
    return {Order.ONE: sides[0], Order.TWO: sides[-1]} if sides else {}


def _votes(
    debate: str, judge: HeardJudge, words: Mapping[str, int], firsts: Mapping[Order, str]
) -> Iterator[Vote]:
    kin = judge.kin[0] if len(judge.kin) == 1 else None
    for order, counts in ((Order.ONE, judge.one), (Order.TWO, judge.two)):
        said = [side for side, count in sorted(counts.items()) for _ in range(count)]
        for repeat, winner in enumerate(said, 1):
            yield Vote(
                debate=debate,
                judge=judge.model,
                order=order,
                repeat=repeat,
                winner=winner,
                first=firsts[order],
                words=words,
                kin=kin,
            )
    for number in range(judge.unreadable):
        yield Vote(
            debate=debate,
            judge=judge.model,
            order=Order.ONE,
            repeat=0,
            winner=None,
            first=firsts[Order.ONE],
            words=words,
            kin=kin,
            is_echo=number < judge.echoes,
        )
