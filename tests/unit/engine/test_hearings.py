"""What is known of judges is read from hearings, and from debates that had a bench of their own."""

from __future__ import annotations

from tests.unit.engine.bench import bench, finished

from moot.api.views import benches_view
from moot.engine.hearings import NO_LABELS, heard_itself
from moot.protocol.outcomes import Verdict, certificate_in
from moot.protocol.words import Status

BENCH = ("lab:one", "lab:two", "lab:three")


async def test_a_debates_own_bench_is_audited_and_told_of() -> None:
    async with bench() as table:
        debate = await table.create(bench=list(BENCH), hearing="1")
        state = await finished(table.start(debate), Status.COMPLETED)
        assert isinstance(state.outcome, Verdict)
        told = certificate_in(state.outcome)
        assert told is not None
        assert told.is_finished
        row = await table.service.summary(debate)
        assert certificate_in(row.outcome) == told
        judges = table.service.judges
        audited = await judges.audits()
        assert sorted(one.judge for one in audited) == sorted(BENCH)
        assert {(one.debates, one.calls) for one in audited} == {(1, 2)}
        assert await judges.right(told) == NO_LABELS
        own = heard_itself(row, state)
        shown = benches_view((), NO_LABELS, (), own).certificate
        assert shown is not None
        assert (shown.hearing, shown.certificate.debate) == (debate, debate)
