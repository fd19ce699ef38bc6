"""Judges with planted effects, and how often the intervals of an audit or exam contain them.

A judge's answers about one debate are correlated: for each call it either goes by what it drew for
the debate or draws anew. How often it votes for whom is planted exactly all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random
from statistics import NormalDist, fmean

import msgspec

from benchmarks.verdicts.judges import CON, PRO
from moot.protocol.hearing.audit import JudgeAudit, Vote, audit
from moot.protocol.hearing.exam import Exam, ExamAnswer, Kind, exam
from moot.protocol.hearing.plan import Order
from moot.protocol.hearing.statistics import Estimate, Figure

JUDGE = "planted"
SAME = 0.6
"""How often a call goes by what was drawn for the debate."""
RUNS = 300
SEED = 1
SPREAD = 0.6
"""The standard deviation of the logarithm of the ratio of words."""


class Planted(msgspec.Struct, frozen=True, kw_only=True):
    """On the scale of log odds: `leaning` to X, `length` per logarithm of the ratio of words (an
    exam pads to twice the length), `family` for kin, `sense` against the side with a flaw; and the
    share of calls that are `unreadable`."""

    leaning: float = 0.4
    length: float = 0.8
    family: float = 0.9
    sense: float = 1.5
    unreadable: float = 0.1


def chance(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def voter(draw: Random) -> Callable[[float], bool]:
    """Says yes with the chance it is given, about one debate."""
    fixed = draw.random()
    return lambda share: (fixed if draw.random() < SAME else draw.random()) < share


# Audits


def audit_votes(draw: Random, nature: Planted, debates: int) -> Iterator[Vote]:
    """Votes of the planted judge, which is kin to pro if that is planted, and of two others without
    kin, in both orders."""
    for number in range(debates):
        words = {PRO: round(300 * math.exp(draw.gauss(0, SPREAD))), CON: 300}
        for judge in (JUDGE, "other", "third"):
            kin = PRO if judge == JUDGE and nature.family else None
            family = nature.family if judge == JUDGE else 0.0
            yield from _cast(draw, nature, family, Case(str(number), words, judge, kin))


class Case(msgspec.Struct, frozen=True):
    """What a judge votes on."""

    debate: str
    words: dict[str, int]
    judge: str
    kin: str | None


def _cast(draw: Random, nature: Planted, family: float, case: Case) -> Iterator[Vote]:
    is_yes, can_read = voter(draw), voter(draw)
    ratio = math.log(case.words[PRO] / case.words[CON])
    for order in Order:
        lean = nature.leaning if order is Order.ONE else -nature.leaning
        is_pro = is_yes(chance(nature.length * ratio + lean + family))
        yield Vote(
            debate=case.debate,
            judge=case.judge,
            order=order,
            repeat=1,
            winner=None if can_read(nature.unreadable) else PRO if is_pro else CON,
            first=PRO if order is Order.ONE else CON,
            words=case.words,
            kin=case.kin,
        )


def audit_of(draw: Random, nature: Planted, debates: int) -> JudgeAudit:
    votes = audit_votes(draw, nature, debates)
    return audit(JUDGE, votes, {}, seed=draw.randrange(2**32))


RATIOS = tuple(NormalDist(0, SPREAD).inv_cdf((number + 0.5) / 500) for number in range(500))
"""Logarithms of the ratio of words, as debates have them on average."""


def audit_truths(nature: Planted) -> dict[str, float]:
    """What an endless audit would find; the slope by length only if kinship does not change it."""
    own = [_pro_in(nature, ratio, nature.family) for ratio in RATIOS]
    others = [_pro_in(nature, ratio, 0.0) for ratio in RATIOS]
    truths = {
        "leaning": fmean((one + 1 - two) / 2 for one, two in own),
        "order_flips": fmean(_flip(one, two) for one, two in own),
        "unreadable": nature.unreadable,
    }
    if not nature.family:
        return truths | {"goes_with_length": nature.length}
    return truths | {"own_family": fmean(map(fmean, own)) - fmean(map(fmean, others))}


def _pro_in(nature: Planted, ratio: float, family: float) -> tuple[float, float]:
    """The chance of a vote for pro in each order."""
    odds = nature.length * ratio + family
    return chance(odds + nature.leaning), chance(odds - nature.leaning)


def _flip(one: float, two: float) -> float:
    """The chance that the votes in two orders differ. If both go by one draw, they do when the draw
    lies between their chances."""
    anew = one * (1 - two) + two * (1 - one)
    return SAME**2 * abs(one - two) + (1 - SAME**2) * anew


# Exams


def exam_answers(draw: Random, nature: Planted, pairs: int) -> Iterator[ExamAnswer]:
    """Answers to so many pairs of each kind, in both orders."""
    extra = {
        Kind.MIRRORED: 0.0,
        Kind.PADDED: nature.length * math.log(2),
        Kind.KIN: nature.family,
        Kind.INVENTED: -nature.sense,
        Kind.NON_SEQUITUR: -nature.sense,
    }
    for kind, odds in extra.items():
        for number in range(pairs):
            is_yes = voter(draw)
            for order in Order:
                lean = nature.leaning if order is Order.ONE else -nature.leaning
                yield ExamAnswer(
                    pair=f"{kind}-{number}",
                    kind=kind,
                    order=order,
                    winner=PRO if is_yes(chance(odds + lean)) else CON,
                    first=PRO if order is Order.ONE else CON,
                    marked=None if kind is Kind.MIRRORED else PRO,
                )


def exam_truths(nature: Planted) -> dict[str, float]:
    """What an endless exam would find."""
    return {
        "leaning": chance(nature.leaning),
        "length": fmean(_pro_in(nature, math.log(2), 0.0)),
        "own_family": fmean(_pro_in(nature, 0.0, nature.family)),
        "competence": 1 - fmean(_pro_in(nature, 0.0, -nature.sense)),
    }


# Coverage


def covered(
    run: Callable[[Random], JudgeAudit | Exam], truths: dict[str, float], runs: int = RUNS
) -> dict[str, float]:
    """How often the interval of each figure contains what was planted. Where there is no figure, it
    does not."""
    draw = Random(SEED)  # noqa: S311 - the same judges in every run
    found = [run(draw) for _ in range(runs)]
    return {
        name: sum(_holds(getattr(one, name), truth) for one in found) / runs
        for name, truth in truths.items()
    }


def _holds(figure: Figure, truth: float) -> bool:
    return isinstance(figure, Estimate) and figure.low <= truth <= figure.high


def audits_covered(nature: Planted, debates: int) -> dict[str, float]:
    return covered(lambda draw: audit_of(draw, nature, debates), audit_truths(nature))


def exams_covered(nature: Planted, pairs: int) -> dict[str, float]:
    return covered(lambda draw: exam(exam_answers(draw, nature, pairs)), exam_truths(nature))
