"""The figures: what is measured for each, and the target that issue 2 sets for it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

import msgspec

from benchmarks.duel import CHAIN
from benchmarks.measure import Job, Used
from benchmarks.processes import measured, server, turns_measured


class Effort(msgspec.Struct, frozen=True, kw_only=True):
    """How much is measured: a quick look, or a run whose figures can be quoted."""

    rounds: int
    repeat: int
    many: int
    most: int
    debates: int
    latencies_s: tuple[float, ...]


FULL = Effort(rounds=4, repeat=8, many=200, most=1000, debates=4, latencies_s=(0.1, 0.05))
QUICK = Effort(rounds=1, repeat=4, many=20, most=100, debates=1, latencies_s=(0.05,))


class Figure(msgspec.Struct, kw_only=True):
    """One line of the table. Without a target it is only shown."""

    name: str
    value: float
    unit: str = ""
    target: float | None = None

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "PASS" if self.value <= self.target else "MISS"


Section = Callable[[Effort], Iterator[Figure]]


def _least_cpu(found: Sequence[Used]) -> float:
    """The repetition that other processes disturbed the least."""
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
    found: dict[str, list[Used]] = {name: [] for name in peers}
    with server() as provider:
        for _ in range(effort.rounds):
            for name, (peer, is_streamed) in peers.items():
                job = Job(url=provider.url, repeat=effort.repeat, is_streamed=is_streamed)
                found[name] += measured(peer, job)
    cpu = {name: _least_cpu(used) for name, used in found.items()}
    for name, least in cpu.items():
        yield Figure(name=f"CPU per call, {name}", value=least, unit="ms")
    yield Figure(name="moot / bare", value=cpu["moot"] / cpu["bare"], target=0.2)
    ratio = cpu["moot streamed"] / cpu["bare"]
    yield Figure(name="moot streamed / bare", value=ratio, target=0.35)
    ratio = cpu["moot streamed"] / cpu["bare streamed"]
    yield Figure(name="moot streamed / bare streamed", value=ratio)
    yield Figure(name="moot / langgraph", value=cpu["moot"] / cpu["langgraph"])


def paced_stream(effort: Effort) -> Iterator[Figure]:
    """A stream as providers send it: 2 ms between tokens, so that each arrives by itself."""
    with server(gap_s=0.002) as provider:
        job = Job(url=provider.url, repeat=min(effort.rounds, 2), is_streamed=True)
        bare, moot = (_least_cpu(measured(peer, job)) for peer in ("bare", "moot"))
    yield Figure(name="CPU per call, bare streamed at 2 ms a token", value=bare, unit="ms")
    yield Figure(name="CPU per call, moot streamed at 2 ms a token", value=moot, unit="ms")
    yield Figure(name="moot streamed / bare streamed, 2 ms a token", value=moot / bare)


def many_at_once(effort: Effort) -> Iterator[Figure]:
    """LangGraph does a quarter of the duels, or it would take most of the run."""
    wall = {}
    peers = {"langgraph": effort.many // 4, "bare": effort.many, "moot": effort.many}
    with server(latency_s=0.05) as provider:
        for peer, at_once in peers.items():
            before = provider.cpu_s()
            (used,) = measured(peer, Job(url=provider.url, at_once=at_once))
            wall[peer] = used.wall_s
            yield Figure(
                name=f"{at_once} duels at once at 50 ms, {peer}", value=used.wall_s, unit="s"
            )
        # Moot came last and asks the most of the server: if that is idle then, it always was.
        busy = (provider.cpu_s() - before) / wall["moot"]
    yield Figure(name="part of a core the server used meanwhile", value=busy)
    # With few duels both do little but wait, and the ratio says nothing.
    target = 0.2 if effort is FULL else None
    yield Figure(name="wall time, moot / bare", value=wall["moot"] / wall["bare"], target=target)


def most_at_once(effort: Effort) -> Iterator[Figure]:
    """Memory of debates in flight, and whether a crowd makes each call dearer."""
    with server(latency_s=0.05) as provider:
        few = _least_cpu(measured("moot", Job(url=provider.url, at_once=10, repeat=effort.repeat)))
        (crowd,) = measured("moot", Job(url=provider.url, at_once=effort.most))
    name = f"{effort.most} duels at once"
    yield Figure(name="CPU per call, 10 duels at once", value=few, unit="ms")
    yield Figure(name=f"CPU per call, {name}", value=crowd.cpu_ms_per_call, unit="ms")
    ratio = crowd.cpu_ms_per_call / few
    yield Figure(name=f"CPU per call, {effort.most} / 10 at once", value=ratio, target=1.2)
    value = crowd.rss_kb_per_duel
    yield Figure(name=f"memory per debate, {name}", value=value, unit="kB", target=150)
    at_once = effort.most // 4
    with server(latency_s=0.05, words=400) as provider:
        (used,) = measured("moot", Job(url=provider.url, at_once=at_once))
    name = f"memory per debate, {at_once} duels at once, 400-token replies"
    yield Figure(name=name, value=used.rss_kb_per_duel, unit="kB")


def one_duel(effort: Effort) -> Iterator[Figure]:
    """How close to the longest chain of dependent calls a duel comes."""
    for latency_s in effort.latencies_s:
        with server(latency_s=latency_s) as provider:
            chain_s = CHAIN * provider.latency_s()
            for is_streamed in (False, True):
                job = Job(url=provider.url, repeat=3, is_streamed=is_streamed)
                wall = min(used.wall_s for used in measured("moot", job))
                watched = ", streamed" if is_streamed else ""
                name = f"one duel at {latency_s * 1000:.0f} ms{watched}, of {CHAIN} latencies"
                yield Figure(name=name, value=wall / chain_s, target=1.1)


def long_debate(effort: Effort) -> Iterator[Figure]:
    """Turn 1,000 against turn 10: prompts of 300 characters, replies of about 700."""
    for is_shared, view in ((False, "own history"), (True, "transcript")):
        with server(words=132) as provider:
            job = Job(url=provider.url, kind="long", size=1010, is_shared=is_shared)
            debates = [turns_measured(job) for _ in range(effort.debates)]
        early, late = _around(debates, 10, 4), _around(debates, 1000, 10)
        yield Figure(name=f"CPU of turn 10, {view}", value=early, unit="ms")
        yield Figure(name=f"CPU of turn 1,000, {view}", value=late, unit="ms")
        target = None if is_shared else 1.2
        yield Figure(name=f"turn 1,000 / turn 10, {view}", value=late / early, target=target)


def _around(debates: Sequence[Sequence[float]], turn: int, reach: int) -> float:
    """What turns around one cost where little disturbed them: the lowest fifth ends there."""
    costs = [cost for costs in debates for cost in costs[turn - 1 - reach : turn + reach]]
    return statistics.quantiles(costs, n=5)[0]


SECTIONS: dict[str, Section] = {
    "cpu": cpu_per_call,
    "stream": paced_stream,
    "many": many_at_once,
    "most": most_at_once,
    "one": one_duel,
    "long": long_debate,
}
