"""The words for what is known of a judge: part of the vocabulary.

A figure is told with its interval and its n, or it is said that there is not enough. What was not
tested as a cause is never called one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, assert_never

from moot.protocol.answer_words import plural
from moot.protocol.hearing.audit import JudgeAudit
from moot.protocol.hearing.exam import Exam
from moot.protocol.hearing.statistics import Estimate, Figure, Inestimable, NotEnough
from moot.protocol.outcomes import ExamReport


class FigureWord(NamedTuple):
    """What a figure is called, what it counts, and how to read it."""

    label: str
    unit: str
    about: str


AUDIT: Mapping[str, FigureWord] = {
    "order_flips": FigureWord(
        "order flips", "debates", "how often it says something else if the names are exchanged"
    ),
    "leaning": FigureWord(
        "leaning to X", "debates", "its votes for the side that is called X; 0.50 is none"
    ),
    "repeat_flips": FigureWord(
        "repeat flips", "debates", "how often it says something else if it is asked again"
    ),
    "unreadable": FigureWord("unreadable", "calls", "calls that gave no ballot"),
    "echoes": FigureWord("echoes", "calls", "calls that gave back what was asked"),
    "goes_with_length": FigureWord(
        "goes with length",
        "debates",
        "0 if its votes do not go with the number of words, 1 if twice the words have twice the "
        "odds; longer speeches may be better ones",
    ),
    "own_family": FigureWord(
        "own family",
        "debates",
        "how much more often than others it votes for models of its family, from -1 to 1",
    ),
    "agreement": FigureWord(
        "agrees with people", "labels", "labelled debates in which it says what the label says"
    ),
}
"""The figures of an audit, in the order in which people read them."""

EXAM: Mapping[str, FigureWord] = {
    "leaning": FigureWord(
        "leaning to X",
        "pairs",
        "its votes for X where both sides say the same, a tie counted as half; 0.50 is none",
    ),
    "length": FigureWord(
        "for the longer",
        "pairs",
        "its votes for the side that says the same in twice the words, a tie counted as half; "
        "0.50 is none",
    ),
    "competence": FigureWord(
        "finds the flaw",
        "pairs",
        "answers that name the side without an invented quotation or a false conclusion; a coin "
        "would name it in half",
    ),
    "own_family": FigureWord(
        "own family", "pairs", "its votes for its own family where both sides are as good"
    ),
}
"""The figures of an exam."""


TITLE = "Exam"
UNREADABLE_SHARE = 0.5
"""If at least this share of the answers, two for each pair, cannot be read, no figure is a
headline."""


def exam_headline(report: ExamReport) -> str:
    """An exam in one line: whether the judge finds flaws, or that it was not examined in full."""
    if not report.is_finished:
        return f"Not finished: {report.model} was not asked everything"
    if report.exam.unreadable >= UNREADABLE_SHARE * 2 * report.exam.pairs:
        return f"{report.model} could not be examined: most of its answers could not be read"
    match report.exam.competence:
        case Estimate(value=value):
            return f"{report.model} finds the flaw in {float(f'{value:.2f}'):.0%} of its answers"
        case _:
            return f"{report.model} was examined, but too few pairs were about flaws"


def exam_lines(report: ExamReport) -> tuple[str, ...]:
    """A line for each figure, and what it means."""
    found = exam_figures(report.exam)
    lines = [
        f"{EXAM[name].label}: {told(figure, EXAM[name].unit)} ({EXAM[name].about})"
        for name, figure in found.items()
    ]
    lines.append(f"unreadable: {plural(report.exam.unreadable, 'answer')}")
    if report.left_out:
        lines.append(f"left out: {'; '.join(report.left_out)}")
    return tuple(lines)


NOT_ALL = "An exam tells how a judge votes where the answer is plain. Real debates are not."


def told(figure: Figure, unit: str) -> str:
    """`0.12 (0.05 to 0.24), 41 debates`, or why there is no figure."""
    match figure:
        case Estimate(value=value, low=low, high=high, n=n):
            return f"{value:.2f} ({low:.2f} to {high:.2f}), {n} {unit}"
        case NotEnough(n=n, needed=needed):
            return f"not enough: {n} of {needed} {unit}"
        case Inestimable(why=why):
            return f"cannot be estimated: {why}"
        case _:
            assert_never(figure)


def audit_figures(found: JudgeAudit) -> dict[str, Figure]:
    """The figures of an audit, by their names in AUDIT."""
    return {name: getattr(found, name) for name in AUDIT}


def exam_figures(found: Exam) -> dict[str, Figure]:
    """The figures of an exam, by their names in EXAM; without kin, if no pair was about that."""
    figures: dict[str, Figure] = {name: getattr(found, name) for name in EXAM}
    kin = figures["own_family"]
    if isinstance(kin, NotEnough) and kin.n == 0:
        del figures["own_family"]
    return figures
