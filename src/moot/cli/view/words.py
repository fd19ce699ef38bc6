"""Untrusted text made fit for a terminal, and the words the view has for things."""

from __future__ import annotations

from collections.abc import Mapping

from moot.models.cleaning import clean_text
from moot.protocol.words import StepKind

_TAB = "    "


def clean(text: str) -> str:
    """`text` without anything a terminal would obey."""
    return clean_text(text).replace("\t", _TAB)


def one_line(text: str, limit: int = 160) -> str:
    """The same on one line, cut where a reader has seen enough."""
    joined = " ".join(clean(text).split())
    return joined if len(joined) <= limit else joined[: limit - 1].rstrip() + "…"


DONE: Mapping[StepKind, str] = {
    StepKind.PLAN: "plans",
    StepKind.THINK: "thinks",
    StepKind.EVALUATE: "weighs it",
    StepKind.SCORE: "scores",
    StepKind.DELIBERATE: "deliberates",
    StepKind.CONFIRM: "settles the verdict",
    StepKind.SUMMARIZE: "sums up",
    StepKind.ANSWER: "answers",
}
"""What stands beside the name over a turn that is no statement."""

DOING: Mapping[StepKind, str] = {
    StepKind.PLAN: "is planning",
    StepKind.THINK: "is thinking",
    StepKind.SPEAK: "is about to speak",
    StepKind.EVALUATE: "is weighing the argument",
    StepKind.SCORE: "is scoring",
    StepKind.DELIBERATE: "is deliberating",
    StepKind.CONFIRM: "is settling the verdict",
    StepKind.VERDICT: "is announcing the verdict",
    StepKind.ASK: "is looking for questions",
    StepKind.SUMMARIZE: "is summing up",
    StepKind.PROPOSE: "is writing a proposal",
    StepKind.CRITIQUE: "is criticising a proposal",
    StepKind.REFINE: "is refining the proposal",
    StepKind.VOTE: "is voting",
    StepKind.SYNTHESIZE: "is writing the solution",
    StepKind.ANSWER: "is asked",
}
"""What the status line says while there is nothing to read yet."""


def done(kind: StepKind) -> str:
    return DONE.get(kind, str(kind))


def doing(kind: StepKind) -> str:
    return DOING.get(kind, f"is at work ({kind})")


def duration(seconds: float) -> str:
    """`0.8 s`, `42 s`, `3 min 5 s`, `1 h 2 min`."""
    minute, hour = 60, 3600
    if seconds < 10:  # noqa: PLR2004 - below ten the tenths can be felt
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < minute:
        return f"{whole} s"
    if whole < hour:
        return f"{whole // minute} min {whole % minute} s"
    return f"{whole // hour} h {whole % hour // minute} min"
