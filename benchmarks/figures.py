"""The figures: what is measured for each, and the target that is set for it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from benchmarks.duel import CHAIN
from benchmarks.figure import Attempt, Figure, figure
from benchmarks.measure import Job, Used
from benchmarks.processes import costs_measured, measured, server


class Effort(msgspec.Struct, frozen=True, kw_only=True):
    """How much is measured: a quick look, or a run whose figures can be quoted."""

    rounds: int
    repeat: int
    many: int
    most: int
    debates: int
    turns: int
    latencies_s: tuple[float, ...]


FULL = Effort(
    rounds=4, repeat=8, many=200, most=1000, debates=4, turns=5000, latencies_s=(0.1, 0.05)
)
QUICK = Effort(rounds=1, repeat=4, many=20, most=100, debates=1, turns=1000, latencies_s=(0.05,))

Section = Callable[[Effort], Iterator[Figure]]


def _least_cpu(found: Sequence[Used]) -> float:
    """CPU per call of the repetition that other processes disturbed the least."""
    return min(used.cpu_ms_per_call for used in found)


def cpu_per_call(effort: Effort) -> Iterator[Figure]:
    """One duel at a time, no latency. Peers take turns, so that a noisy minute hits all alike."""
    peers = {
        "bare": ("bare", False),
        "bare streamed": ("bare", True),
        "langgraph": ("langgraph", False),
        "moot": ("moot", False),
        "moot streamed": ("moot", True),
    }
    found: dict[str, list[Attempt[list[Used]]]] = {name: [] for name in peers}
    with server() as provider:
        for _ in range(effort.rounds):
            for name, (peer, is_streamed) in peers.items():
                if any(attempt.is_failed for attempt in found[name]):
                    continue
                job = Job(url=provider.url, repeat=effort.repeat, is_streamed=is_streamed)
                found[name].append(measured(peer, job))

    def cpu(name: str) -> float:
        return min(_least_cpu(attempt.result) for attempt in found[name])

    def ratio(name: str, other: str) -> Callable[[], float]:
        return lambda: cpu(name) / cpu(other)

    for name in peers:
        yield figure(f"CPU per call, {name}", partial(cpu, name), "ms")
    yield figure("moot / bare", ratio("moot", "bare"), most=0.2)
    yield figure("moot streamed / bare", ratio("moot streamed", "bare"), most=0.3)
    yield figure("moot streamed / bare streamed", ratio("moot streamed", "bare streamed"))
    yield figure("moot / langgraph", ratio("moot", "langgraph"))


def paced_stream(effort: Effort) -> Iterator[Figure]:
    """A stream as providers send it: 2 ms between tokens, so that each arrives by itself."""
    with server(gap_s=0.002) as provider:
        job = Job(url=provider.url, repeat=min(effort.rounds, 2), is_streamed=True)
        bare, moot = measured("bare", job), measured("moot", job)
    yield figure("CPU per call, bare streamed, 2 ms a token", lambda: _least_cpu(bare.result), "ms")
    yield figure("CPU per call, moot streamed, 2 ms a token", lambda: _least_cpu(moot.result), "ms")
    yield figure(
        "moot streamed / bare streamed, 2 ms a token",
        lambda: _least_cpu(moot.result) / _least_cpu(bare.result),
    )


def many_at_once(effort: Effort) -> Iterator[Figure]:
    """LangGraph does a quarter of the duels, or it would take most of the run."""
    found: dict[str, Attempt[list[Used]]] = {}
    peers = {"langgraph": effort.many // 4, "bare": effort.many, "moot": effort.many}

    def wall_s(peer: str) -> float:
        return found[peer].result[0].wall_s

    with server(latency_s=0.05) as provider:
        for peer, at_once in peers.items():
            before = provider.cpu_s()
            found[peer] = measured(peer, Job(url=provider.url, at_once=at_once))
            name = f"{at_once} duels at once at 50 ms, {peer}"
            yield figure(name, partial(wall_s, peer), "s")
        # Moot came last and asks the most of the server: if it is mostly idle then, it always was.
        used_s = provider.cpu_s() - before
    yield figure("part of a core the server used meanwhile", lambda: used_s / wall_s("moot"))
    # With few duels both do little but wait, and the ratio says nothing.
    target = 0.2 if effort is FULL else None
    yield figure("wall time, moot / bare", lambda: wall_s("moot") / wall_s("bare"), most=target)


def most_at_once(effort: Effort) -> Iterator[Figure]:
    """Memory of debates in flight, and whether a crowd makes each call dearer."""
    with server(latency_s=0.05) as provider:
        few = measured("moot", Job(url=provider.url, at_once=10, repeat=effort.repeat))
        crowd = measured("moot", Job(url=provider.url, at_once=effort.most))

    def few_ms() -> float:
        return _least_cpu(few.result)

    def crowd_ms() -> float:
        return _least_cpu(crowd.result)

    name = f"{effort.most} duels at once"
    yield figure("CPU per call, 10 duels at once", few_ms, "ms")
    yield figure(f"CPU per call, {name}", crowd_ms, "ms")
    name_of_ratio = f"CPU per call, {effort.most} / 10 at once"
    yield figure(name_of_ratio, lambda: crowd_ms() / few_ms(), most=1.2)
    yield _memory(f"memory per debate, {name}", crowd, most=150)
    at_once = effort.most // 4
    with server(latency_s=0.05, words=400) as provider:
        wordy = measured("moot", Job(url=provider.url, at_once=at_once))
    yield _memory(f"memory per debate, {at_once} duels at once, 400-token replies", wordy)


def _memory(name: str, found: Attempt[list[Used]], most: float | None = None) -> Figure:
    return figure(name, lambda: found.result[0].rss_kb_per_duel, "kB", most=most)


def one_duel(effort: Effort) -> Iterator[Figure]:
    """How close to the longest chain of dependent calls a duel comes."""
    for latency_s in effort.latencies_s:
        with server(latency_s=latency_s) as provider:
            chain_s = CHAIN * provider.latency_s()
            for is_streamed in (False, True):
                found = measured("moot", Job(url=provider.url, repeat=3, is_streamed=is_streamed))
                watched = ", streamed" if is_streamed else ""
                name = f"one duel at {latency_s * 1000:.0f} ms{watched}, of {CHAIN} latencies"
                yield _of_chain(name, found, chain_s)


def _of_chain(name: str, found: Attempt[list[Used]], chain_s: float) -> Figure:
    return figure(name, lambda: min(used.wall_s for used in found.result) / chain_s, most=1.1)


def long_debate(effort: Effort) -> Iterator[Figure]:
    """Turn 1,000 against turn 10: prompts of 300 characters, replies of about 700."""
    for is_shared, view, target in ((False, "own history", 1.2), (True, "transcript", 1.5)):
        with server(words=132) as provider:
            job = Job(url=provider.url, kind="long", size=1010, is_shared=is_shared)
            debates = [costs_measured(job) for _ in range(effort.debates)]
        yield from _compared(debates, view, target)


def _compared(
    debates: Sequence[Attempt[list[float]]], view: str, target: float
) -> Iterator[Figure]:
    def early_ms() -> float:
        return _around([one.result for one in debates], 10, 4)

    def late_ms() -> float:
        return _around([one.result for one in debates], 1000, 10)

    yield figure(f"CPU of turn 10, {view}", early_ms, "ms")
    yield figure(f"CPU of turn 1,000, {view}", late_ms, "ms")
    yield figure(f"turn 1,000 / turn 10, {view}", lambda: late_ms() / early_ms(), most=target)


def _around(debates: Sequence[Sequence[float]], turn: int, reach: int) -> float:
    """What the turns around `turn` cost if little disturbs them: the top of the cheapest fifth."""
    costs = [cost for costs in debates for cost in costs[turn - 1 - reach : turn + reach]]
    return statistics.quantiles(costs, n=5)[0]


def reading(effort: Effort) -> Iterator[Figure]:
    """`GET /api/debates/{id}` of a debate that is running, short and long."""
    short, long = (
        costs_measured(Job(url="", kind="read", size=turns)) for turns in (50, effort.turns)
    )

    def short_ms() -> float:
        return min(short.result)

    def long_ms() -> float:
        return min(long.result)

    yield figure("CPU of GET /api/debates/{id}, 50 turns", short_ms, "ms")
    yield figure(f"CPU of GET /api/debates/{{id}}, {effort.turns:,} turns", long_ms, "ms")
    name = f"GET /api/debates/{{id}}, {effort.turns:,} turns / 50 turns"
    yield figure(name, lambda: long_ms() / short_ms(), most=1.5)


SECTIONS: dict[str, Section] = {
    "cpu": cpu_per_call,
    "stream": paced_stream,
    "many": many_at_once,
    "most": most_at_once,
    "one": one_duel,
    "long": long_debate,
    "read": reading,
}
