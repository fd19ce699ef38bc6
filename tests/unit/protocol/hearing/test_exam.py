"""What the answers of an exam say of a judge."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from benchmarks.verdicts.planted import Planted, exam_answers, exams_covered

from moot.protocol.hearing.certificate import TIE
from moot.protocol.hearing.exam import Exam, ExamAnswer, Kind, exam
from moot.protocol.hearing.plan import Order
from moot.protocol.hearing.statistics import Estimate, Figure, NotEnough

X_IN = {Order.ONE: "left", Order.TWO: "right"}
Y_IN = {Order.ONE: "right", Order.TWO: "left"}
Says = Callable[[Order], str | None]


def asked(kind: Kind, pairs: int, says: Says) -> list[ExamAnswer]:
    """The side on the left is the padded, flawed or kin one."""
    return [
        ExamAnswer(
            pair=f"{kind}-{number}",
            kind=kind,
            order=order,
            winner=says(order),
            first=X_IN[order],
            marked=None if kind is Kind.MIRRORED else "left",
        )
        for number in range(pairs)
        for order in Order
    ]


def estimate(figure: Figure) -> Estimate:
    assert isinstance(figure, Estimate)
    assert 0 <= figure.low <= figure.value <= figure.high <= 1
    return figure


@pytest.mark.parametrize(
    ("says", "share"),
    [
        (X_IN.get, 1.0),
        (Y_IN.get, 0.0),
        (lambda _: "left", 0.5),
        (lambda _: TIE, 0.5),
        (lambda order: TIE if order is Order.ONE else "right", 0.75),
    ],
)
def test_it_calls_a_preference_between_equals_leaning(says: Says, share: float) -> None:
    found = exam(asked(Kind.MIRRORED, 10, says))
    assert (estimate(found.leaning).value, estimate(found.leaning).n) == (share, 10)
    assert found.length == found.competence == NotEnough(n=0, needed=8)


@pytest.mark.parametrize(("kind", "name"), [(Kind.PADDED, "length"), (Kind.KIN, "own_family")])
def test_it_finds_whom_a_judge_prefers_whatever_it_leans_to(kind: Kind, name: str) -> None:
    def value(says: Says) -> float:
        return estimate(getattr(exam(asked(kind, 10, says)), name)).value

    assert value(lambda _: "left") == 1.0
    assert value(lambda _: "right") == 0.0
    assert value(X_IN.get) == value(Y_IN.get) == 0.5


def test_it_calls_competent_who_names_the_side_without_the_flaw() -> None:
    invented, loose = Kind.INVENTED, Kind.NON_SEQUITUR
    found = exam(asked(invented, 5, lambda _: "right") + asked(loose, 5, lambda _: "left"))
    assert (estimate(found.competence).value, estimate(found.competence).n) == (0.5, 10)
    for spoilt in (TIE, None):
        found = exam(asked(invented, 10, lambda _, said=spoilt: said))  # type: ignore[misc]
        assert estimate(found.competence).value == 0.0


def test_it_leaves_out_pairs_that_were_read_in_one_order_only() -> None:
    answers = asked(Kind.MIRRORED, 10, lambda order: "left" if order is Order.ONE else None)
    found = exam(answers)
    assert found.leaning == NotEnough(n=0, needed=8)
    assert (found.pairs, found.unreadable) == (10, 10)


def test_it_says_not_enough_of_few_pairs_or_none() -> None:
    few = exam(asked(Kind.MIRRORED, 7, X_IN.get))
    assert few.leaning == NotEnough(n=7, needed=8)
    nothing = NotEnough(n=0, needed=8)
    assert exam([]) == Exam(
        pairs=0,
        unreadable=0,
        leaning=nothing,
        length=nothing,
        own_family=nothing,
        competence=nothing,
    )


def test_it_is_the_same_for_the_same_answers_in_any_order() -> None:
    draw = Random(4)  # noqa: S311 - the same answers in every run
    answers = list(exam_answers(draw, Planted(), 10))
    found = exam(answers)
    draw.shuffle(answers)
    assert exam(answers) == found


@pytest.mark.parametrize(
    "nature",
    [Planted(), Planted(leaning=0, length=0, family=0), Planted(leaning=2, length=2, family=2)],
    ids=["some", "none", "much"],
)
def test_it_holds_what_was_planted_in_at_least_93_of_100_exams(nature: Planted) -> None:
    shares = exams_covered(nature, pairs=10)
    assert set(shares) == {"leaning", "length", "own_family", "competence"}
    assert min(shares.values()) >= 0.93, shares
