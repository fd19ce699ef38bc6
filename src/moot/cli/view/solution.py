"""What a council came to: the solution in its parts, and what was chosen before the debate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from moot.cli.view.words import clean, one_line

PARTS = {
    "trade_offs": "Trade-offs",
    "recommendations": "Recommendations",
    "unfulfilled_requirements": "Unfulfilled requirements",
    "open_questions": "Open questions",
    "dissent": "Dissent",
}
"""The lists of a solution, in the order in which they are read."""


def is_solution(outcome: Mapping[str, Any]) -> bool:
    return "description" in outcome


def solution_lines(outcome: Mapping[str, Any]) -> Iterator[RenderableType]:
    if outcome.get("status") == "unreadable":
        yield Text("The judge's answer could not be read as a solution; this is its text.", "dim")
        yield Text()
    nothing = "(the judge passed)" if outcome.get("status") == "passed" else "(nothing)"
    yield Text(clean(str(outcome.get("description") or "")).strip() or nothing)
    for name, title in PARTS.items():
        entries = outcome.get(name) or ()
        if entries:
            yield Text()
            yield Text(title, style=Style(bold=True))
        for entry in entries:
            yield Text(f"- {one_line(str(entry), 4000)}")
    yield Text()
    yield Text(_confidence(outcome), style="dim")
    for line in (_decided(outcome.get("decision")), _before(outcome.get("before_debate"))):
        if line:
            yield Text(line, style="dim")


def _confidence(outcome: Mapping[str, Any]) -> str:
    confidence = outcome.get("confidence")
    shown = "unknown" if confidence is None else f"{confidence} of 100"
    rounds = outcome.get("rounds")
    return f"Confidence {shown}, after {rounds} round{'s' if rounds != 1 else ''}."


def _decided(decision: Mapping[str, Any] | None) -> str:
    if not decision or "points" not in decision:
        return ""
    way = "ranked choice" if decision.get("rule") == "rank" else "vote"
    return f"Decided by {way}: {_leader(decision)} ({_figures(decision['points'])})."


def _before(chosen: Mapping[str, Any] | None) -> str:
    if not chosen:
        return ""
    figures = _figures(chosen["ratings"])
    return f"Before the debate the members rated highest: {_leader(chosen)} ({figures})."


def _figures(points: Mapping[str, float]) -> str:
    return ", ".join(f"{clean(str(name))} {n:g}" for name, n in points.items())


def _leader(result: Mapping[str, Any]) -> str:
    if result.get("winner"):
        return clean(str(result["winner"]))
    tied: Sequence[object] = result.get("tied") or ()
    names = " and ".join(clean(str(one)) for one in tied)
    return f"a tie between {names}" if names else "nobody"
