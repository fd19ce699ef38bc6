"""What a debate ended with, in a box. What is not known is said to be unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from rich.box import ASCII, ROUNDED
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.style import Style
from rich.text import Text

from moot.cli.telling import say
from moot.cli.view.console import WIDEST, clean, new_console, one_line
from moot.cli.view.header import People
from moot.protocol import certificate_words, judge_words
from moot.protocol.outcome_words import counted, doubts, headline, own_text, parts, title, worth
from moot.protocol.outcomes import (
    Certificate,
    ExamReport,
    Outcome,
    Solution,
    Summary,
    Verdict,
    certificate_in,
)
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.vocabulary import OPEN_CARDS, OUTCOME_HIDDEN, PREMISE, early
from moot.protocol.words import Role

BORDERS: Mapping[bool | None, str] = {True: "green", False: "red", None: "dim"}
"""The colour of the box, by whether the premise was upheld."""


def closing_box(console: Console, state: DebateState, *, width: int) -> RenderableType | None:
    """What is left to say once all turns are shown; a summary is one of the turns already."""
    is_told = isinstance(state.outcome, Summary)
    return None if is_told else outcome_box(console, state, width=width)


def outcome_box(console: Console, state: DebateState, *, width: int) -> RenderableType:
    """The outcome of a completed debate, or why there is none."""
    outcome = state.outcome
    if outcome is None:
        cards = f"\n{OPEN_CARDS}" if state.has_open_cards else ""
        return Text(_nothing(state), style="bold").append(cards, style="dim")
    is_unicode = console.encoding.lower().startswith("utf")
    return Panel(
        Group(*_lines(state, outcome)),
        title=Text(title(outcome).upper(), style="bold"),
        title_align="left",
        box=ROUNDED if is_unicode else ASCII,
        border_style=_border(outcome),
        padding=(1, 2),
        width=width,
    )


def outcome_lines(state: DebateState) -> Iterator[RenderableType]:
    """The outcome for a file or a program: no box, and one line for each paragraph."""
    outcome = state.outcome
    if outcome is None:
        yield Text(_nothing(state))
        return
    yield Text(title(outcome).upper())
    yield from _lines(state, outcome)


def _nothing(state: DebateState) -> str:
    if state.has_hidden:
        return OUTCOME_HIDDEN
    if not format_named(state.config.format).gives_verdict:
        return "The debate is over, without a summary."
    judges = [one for one in state.config.participants if one.role is Role.JUDGE]
    return "No verdict: " + ("the debate ended without one." if judges else "there was no judge.")


def _border(outcome: Outcome) -> str:
    return BORDERS[outcome.premise_upheld if isinstance(outcome, Verdict) else None]


def _lines(state: DebateState, outcome: Outcome) -> Iterator[RenderableType]:
    yield from _own_lines(state, outcome)
    if not isinstance(outcome, Certificate) and (told := certificate_in(outcome)):
        yield Text()
        yield from certificate_lines(told, title=f"{certificate_words.TITLE}. ")
        yield Text(certificate_words.NOT_RIGHT, style="dim")


def _own_lines(state: DebateState, outcome: Outcome) -> Iterator[RenderableType]:
    match outcome:
        case Verdict():
            yield from _verdict(state, outcome)
        case Summary():
            line = Text(clean(headline(outcome)), style="bold")
            line.stylize(People(state).style(outcome.by_id), len(line) - len(clean(outcome.by)))
            yield line
            yield Text()
            yield Text(clean(outcome.summary).strip())
            yield from (Text(one, style="dim") for one in _doubts(state, outcome))
        case Solution():
            yield from _solution(state, outcome)
        case Certificate():
            yield from certificate_lines(outcome)
            yield from (Text(one, style="dim") for one in _doubts(state, outcome))
        case ExamReport():
            yield Text(clean(headline(outcome)), style="bold")
            yield Text()
            yield from (Text(clean(one)) for one in judge_words.exam_lines(outcome))
            yield from (Text(one, style="dim") for one in _doubts(state, outcome))
        case _:
            assert_never(outcome)


def _doubts(state: DebateState, outcome: Outcome) -> tuple[str, ...]:
    found = doubts(outcome, has_open_cards=state.has_open_cards)
    return (*found, *early(state.stop_reason))


# --- a certificate --------------------------------------------------------------------------------


def certificate_lines(told: Certificate, title: str = "") -> Iterator[RenderableType]:
    """What a bench came to: the headline, each judge's ballots, and what is to be said of them."""
    yield Text(clean(f"{title}{certificate_words.headline(told)}"), style="bold")
    yield Text()
    yield from _table(told)
    yield Text()
    yield from (Text(clean(one)) for one in certificate_words.lines(told))


def print_certificate(told: Certificate) -> None:
    """Print a certificate below the debate that the bench was asked about."""
    console = new_console()
    width = min(console.width, WIDEST)
    for line in ("", *certificate_lines(told, title=f"{certificate_words.TITLE}. ")):
        console.print(line, width=width)
    console.print(Text(certificate_words.NOT_RIGHT, style="dim"), width=width)


def print_right(right: str) -> None:
    """Print whether the bench of a certificate is right, as far as people have said who was."""
    say(f"Right? {right[:1].upper()}{right[1:]}{'' if right.endswith('.') else '.'}")


def _table(told: Certificate) -> Iterator[Text]:
    rows = [[one_line(clean(cell)) for cell in row] for row in certificate_words.table(told)]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = (
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        )
        yield Text("   ".join(cells).rstrip(), style="" if number else "dim")


# --- a verdict -----------------------------------------------------------------------------------


def _verdict(state: DebateState, verdict: Verdict) -> Iterator[RenderableType]:
    line = Text().append(clean(headline(verdict)), style="bold")
    if verdict.winner and verdict.winner_id:
        line.stylize(People(state).style(verdict.winner_id), 0, len(clean(verdict.winner)))
    if verdict.scores:
        points = (f"{clean(name)} {score}" for name, score in verdict.scores.items())
        line.append("   ").append(" ▸ ".join(points))
    yield line
    yield from (Text(one, style="dim") for one in _doubts(state, verdict))
    if reasoning := clean(verdict.reasoning).strip():
        yield Text()
        if verdict.winner is None and not verdict.is_tie:
            yield Text("What the judge said:", style="dim")  # nobody has won, whatever it says
        yield Text(reasoning)
    premise = state.settings.premise
    if verdict.premise_upheld is not None and premise:
        style = Style(bold=True) + Style.parse(_border(verdict))
        yield Text()
        yield Text(PREMISE[verdict.premise_upheld].upper(), style=style)
        yield Text(one_line(premise, 2000), style="dim")


# --- a solution ----------------------------------------------------------------------------------


def _solution(state: DebateState, solution: Solution) -> Iterator[RenderableType]:
    if solution.asked:
        yield Text(clean(headline(solution)), style="bold")
        yield from (Text(f"- {one_line(one, 4000)}") for one in counted(solution))
    doubtful = _doubts(state, solution)
    yield from (Text(one, style="dim") for one in doubtful)
    description = clean(own_text(solution)).strip()
    if description or not (doubtful or solution.asked):
        yield from (Text(),) if doubtful or solution.asked else ()
        yield Text(description or "(nothing)")
    for name, heading in parts(solution).items():
        entries: Sequence[str] = getattr(solution, name)
        if entries:
            yield Text()
            yield Text(heading, style=Style(bold=True))
        for entry in entries:
            yield Text(f"- {one_line(entry, 4000)}")
    yield from _facts(solution)


def _facts(solution: Solution) -> Iterator[RenderableType]:
    facts = (
        _confidence(solution),
        _decided(solution.decision),
        _before(solution.before_debate),
        worth(solution),
    )
    lines = [one for one in facts if one]
    yield from (Text(),) if lines else ()
    yield from (Text(line, style="dim") for line in lines)


def _confidence(solution: Solution) -> str:
    """How sure they are; "" where nobody was asked."""
    if solution.asked:
        return ""
    confidence = solution.confidence
    shown = "unknown" if confidence is None else f"{confidence} of 100"
    rounds = solution.rounds
    return f"Confidence {shown}, after {rounds} round{'s' if rounds != 1 else ''}."


def _decided(decision: Mapping[str, Any]) -> str:
    if "points" not in decision:
        return ""
    way = "ranked choice" if decision.get("rule") == "rank" else "vote"
    return f"Decided by {way}: {_leader(decision)} ({_figures(decision['points'])})."


def _before(chosen: Mapping[str, Any] | None) -> str:
    if not chosen:
        return ""
    figures = _figures(chosen["ratings"])
    return f"Rated highest in the first critiques: {_leader(chosen)} ({figures})."


def _figures(points: Mapping[str, float]) -> str:
    return ", ".join(f"{clean(str(name))} {n:g}" for name, n in points.items())


def _leader(result: Mapping[str, Any]) -> str:
    if result.get("winner"):
        return clean(str(result["winner"]))
    tied: Sequence[object] = result.get("tied") or ()
    names = " and ".join(clean(str(one)) for one in tied)
    return f"a tie between {names}" if names else "nobody"
