"""How often the rule certifies, and how often rightly, for benches of made-up judges; and how often
the intervals of audits and exams hold what was planted in a judge.

`python -m benchmarks.verdicts` prints the tables; `--hearings 500` is a quicker look.
"""

from __future__ import annotations

import argparse
from random import Random

import msgspec

from benchmarks.verdicts.judges import CON, PRO, Nature, bench, gate, heard
from benchmarks.verdicts.planted import RUNS, Planted, audits_covered, exams_covered
from moot.protocol.hearing.certificate import CertificateStatus, Finding
from moot.protocol.hearing.plan import Plan

SEED = 1


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table."""

    name: str
    judges: int = 3
    nature: Nature = Nature()
    repeats: int = 0


BENCHES = (
    Bench(name="three judges"),
    Bench(name="three sharp ones", nature=Nature(sharpness=8)),
    Bench(name="three that lean to the first name", nature=Nature(leaning=2)),
    Bench(name="three coins", nature=Nature(sharpness=0)),
    Bench(name="three that see the name only", nature=Nature(sharpness=0, leaning=40)),
    Bench(
        name="nine with one large error, one look", judges=9, nature=Nature(shared=1.2), repeats=1
    ),
    Bench(name="three that go by length", nature=Nature(by_length=2)),
    Bench(name="three of the family of one side", nature=Nature(for_kin=1)),
    Bench(name="nine coins", judges=9, nature=Nature(sharpness=0)),
)


class Tally:
    """What came of many hearings; a bench whose finding was stable was asked a second time."""

    def __init__(self) -> None:
        self.hearings = self.stable = self.right = self.same = self.other = 0
        self.ballots = self.gated = 0

    def take(self, found: Finding, ballots: int, truth: str) -> None:
        self.hearings += 1
        self.ballots += ballots
        if found.status is CertificateStatus.STABLE:
            self.stable += 1
            self.right += found.winner == truth

    def again(self, first: Finding, second: Finding) -> None:
        """Count the same bench's second hearing about the same debate: whether the same side leads,
        and whether it certifies another."""
        counts = second.counts
        self.same += bool(counts) and max(counts, key=lambda one: counts[one]) == first.winner
        self.other += second.winner not in (None, first.winner)

    def row(self) -> tuple[str, ...]:
        stable = max(1, self.stable)
        shares = (self.gated / self.hearings, self.stable / self.hearings)
        figures = (*shares, self.right / stable, self.same / stable, self.other / stable)
        return (*(f"{one:.3f}" for one in figures), f"{self.ballots / self.hearings:.1f}")


def tallied(one: Bench, hearings: int) -> Tally:
    draw = Random(SEED)  # noqa: S311 - the same judges in every run
    plan = Plan(judges=tuple(f"j{number}" for number in range(one.judges)), repeats=one.repeats)
    tally = Tally()
    for _ in range(hearings):
        margin = draw.gauss(0, 1)
        vote = bench(draw, one.judges, one.nature, margin)
        found, cast = heard(plan, vote)
        tally.take(found, len(cast), PRO if margin > 0 else CON)
        tally.gated += gate(plan, vote) is not None
        if found.status is CertificateStatus.STABLE:
            tally.again(found, heard(plan, vote)[0])
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hearings", type=int, default=2000)
    hearings = parser.parse_args().hearings
    heads = ("usual gate", "stable", "right", "same again", "opposite", "ballots")
    print(f"{'':38}" + "".join(f"{head:>12}" for head in heads))
    for one in BENCHES:
        cells = "".join(f"{cell:>12}" for cell in tallied(one, hearings).row())
        print(f"{one.name:38}{cells}")
    print_coverage()


def print_coverage() -> None:
    rows = {
        "audit of 48 debates": audits_covered(Planted(family=0), 48),
        "audit of 48 debates, with kin": audits_covered(Planted(), 48),
        "exam of 10 pairs of each kind": exams_covered(Planted(), 10),
    }
    print(f"\nPlanted effects inside their 95 % intervals, of {RUNS}:")
    for name, shares in rows.items():
        print(f"{name:38}" + ", ".join(f"{one} {share:.3f}" for one, share in shares.items()))


if __name__ == "__main__":
    main()
