"""The box at the end. What is not known is said to be unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.box import ASCII, ROUNDED
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.style import Style
from rich.text import Text

from moot.cli.view.people import People
from moot.cli.view.solution import is_solution, solution_lines
from moot.cli.view.words import clean, one_line
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.words import Role

NOBODY = ("undecided", None)


def closing_box(console: Console, state: DebateState, *, width: int) -> RenderableType | None:
    """What is left to say once all turns are shown; the summary of a debate is one of them."""
    is_told = state.outcome is not None and "by_id" in state.outcome
    return None if is_told else verdict_box(console, state, width=width)


def verdict_box(console: Console, state: DebateState, *, width: int) -> RenderableType:
    """The verdict or the summary of a completed debate, or why there is none."""
    outcome = state.outcome
    if outcome is None:
        return Text(no_verdict(state), style="bold")
    title, lines = _told(state, outcome)
    is_unicode = console.encoding.lower().startswith("utf")
    return Panel(
        Group(*lines),
        title=Text(title, style="bold"),
        title_align="left",
        box=ROUNDED if is_unicode else ASCII,
        border_style=_border(outcome),
        padding=(1, 2),
        width=width,
    )


def _told(state: DebateState, outcome: Mapping[str, Any]) -> tuple[str, Iterator[RenderableType]]:
    """What it is called, and what it says."""
    if is_solution(outcome):
        return "SOLUTION", solution_lines(outcome)
    if "by_id" in outcome:
        return "SUMMARY", _summary(state, outcome)
    return "VERDICT", _lines(state, outcome)


def no_verdict(state: DebateState) -> str:
    if not format_named(state.config.format).gives_verdict:
        return "The debate is over; nobody summed it up."
    judges = [one for one in state.config.participants if one.role is Role.JUDGE]
    return "No verdict: " + ("it did not come to one." if judges else "nobody judged this debate.")


def premise_line(outcome: Mapping[str, Any]) -> str:
    """`PREMISE UPHELD`, `PREMISE REJECTED`, or nothing."""
    match outcome.get("premise_upheld"):
        case True:
            return "PREMISE UPHELD"
        case False:
            return "PREMISE REJECTED"
        case _:
            return ""


def _border(outcome: Mapping[str, Any]) -> str:
    return {True: "green", False: "red"}.get(outcome.get("premise_upheld"), "dim")  # type: ignore[arg-type]


def _lines(state: DebateState, outcome: Mapping[str, Any]) -> Iterator[RenderableType]:
    people = People(state)
    yield _winner(people, outcome)
    yield from (Text(line, style="dim") for line in _doubts(outcome))
    announcement = clean(str(outcome.get("reasoning") or "")).strip()
    if announcement:
        yield Text()
        yield Text(announcement)
    line, premise = premise_line(outcome), str(state.config.settings.get("premise") or "")
    if line and premise:
        yield Text()
        yield Text(line, style=Style(bold=True) + Style.parse(_border(outcome)))
        yield Text(one_line(premise, 2000), style="dim")


def _summary(state: DebateState, outcome: Mapping[str, Any]) -> Iterator[RenderableType]:
    by = str(outcome.get("by_id"))
    style = People(state).style(by) + Style(bold=True)
    yield Text().append("Summed up by ").append(clean(str(outcome.get("by"))), style=style)
    yield Text()
    yield Text(clean(str(outcome.get("summary") or "")).strip())


def _winner(people: People, outcome: Mapping[str, Any]) -> Text:
    winner = outcome.get("winner")
    if winner in NOBODY:
        line = Text().append("No verdict", style="bold")
    else:
        style = people.style(people.id_of(str(winner))) + Style(bold=True)
        line = Text().append(clean(str(winner)), style=style).append(" wins", style="bold")
    scores = outcome.get("scores")
    if isinstance(scores, Mapping):
        points = (f"{clean(str(name))} {score}" for name, score in scores.items())
        line.append("   ").append(" ▸ ".join(points))
    return line


def _doubts(outcome: Mapping[str, Any]) -> Iterator[str]:
    """What a reader must know before trusting the line above."""
    match outcome.get("status"):
        case "unreadable":
            yield "The judge's answers could not be read as a verdict, and none was invented."
        case "scores_unknown":
            yield "Scores unknown: the judge's figures could not be read."
        case _:
            pass
    if outcome.get("fallback"):
        yield one_line(str(outcome.get("reason") or "The judge's answer could not be read."), 400)
    if outcome.get("is_contested"):
        yield "Contested: the judge named a winner who has fewer points."
