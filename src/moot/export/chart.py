"""The running scores as inline SVG: statements on x, 0 to 10 on y, one line per debater.

Drawn twice, for wide and narrow screens, because text in a picture must not shrink with it.
The same figures stand in a table below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from moot.export import wording
from moot.export.document import Document, Score, Series
from moot.export.tags import Html, lines, tag, text
from moot.protocol.outcomes import HIGHEST, LOWEST

TOP, BOTTOM, LEFT = 16, 34, 30
LABEL_GAP = 17
MOST_TICKS = 12


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """One size of the drawing. `right` is the room for the names."""

    name: str
    width: int
    height: int
    right: int
    letters: int
    statements: int

    def x(self, statement: int) -> float:
        room = self.width - LEFT - self.right
        return round(LEFT + 14 + (room - 28) * (statement - 1) / max(1, self.statements - 1), 1)

    def y(self, score: float) -> float:
        room = self.height - TOP - BOTTOM
        return round(TOP + room * (HIGHEST - score) / (HIGHEST - LOWEST), 1)


def chart(document: Document) -> Html:
    """The drawing; empty if not a single score could be read."""
    drawn = [line for line in document.series if line.readable]
    if not drawn:
        return Html("")
    count = max(score.statement for score in document.scores)
    wide = Frame(name="wide", width=720, height=280, right=168, letters=16, statements=count)
    narrow = Frame(name="narrow", width=330, height=250, right=92, letters=9, statements=count)
    label = _spoken(drawn)
    return lines(_svg(wide, drawn, label), _svg(narrow, drawn, label))


def _spoken(drawn: Sequence[Series]) -> str:
    told = (f"{line.label} {', '.join(map(_figure, line.scores))}" for line in drawn)
    return "Running scores out of 10, statement by statement: " + "; ".join(told) + "."


def _figure(score: Score) -> str:
    return "unreadable" if score.value is None else wording.number(score.value)


def _svg(frame: Frame, drawn: Sequence[Series], label: str) -> Html:
    return tag(
        "svg",
        *_grid(frame),
        *(_line(frame, line) for line in drawn),
        *_names(frame, drawn),
        class_=f"chart {frame.name}",
        viewBox=f"0 0 {frame.width} {frame.height}",
        role="img",
        aria_label=label,
    )


def _grid(frame: Frame) -> Iterator[Html]:
    end = frame.width - frame.right
    for score in range(LOWEST, HIGHEST + 1, 2):
        y = frame.y(score)
        kind = "axis" if score == LOWEST else "grid"
        yield tag("line", class_=kind, x1=LEFT, x2=end, y1=y, y2=y)
        yield tag("text", text(str(score)), class_="tick", x=LEFT - 8, y=y + 4, text_anchor="end")
    step = -(-frame.statements // MOST_TICKS)
    for number in range(1, frame.statements + 1, step):
        x, y = frame.x(number), frame.height - BOTTOM + 18
        yield tag("text", text(str(number)), class_="tick", x=x, y=y, text_anchor="middle")
    middle = (LEFT + end) / 2
    caption = text("statement")
    yield tag("text", caption, class_="tick", x=middle, y=frame.height - 2, text_anchor="middle")


def _line(frame: Frame, line: Series) -> Html:
    known = line.readable
    runs = [
        _run(frame, one, other, is_gap=line.scores.index(other) - line.scores.index(one) > 1)
        for one, other in pairwise(known)
    ]
    points = [_point(frame, line.label, score) for score in known]
    return tag("g", *runs, *points, class_=f"p{line.scored.number}")


def _run(frame: Frame, one: Score, other: Score, *, is_gap: bool) -> Html:
    """Dashed where a score in between could not be read: nothing was measured there."""
    return tag(
        "line",
        class_="run gap" if is_gap else "run",
        x1=frame.x(one.statement),
        y1=frame.y(one.value or 0),
        x2=frame.x(other.statement),
        y2=frame.y(other.value or 0),
    )


def _point(frame: Frame, label: str, score: Score) -> Html:
    told = f"{label}, statement {score.statement}: {_figure(score)} of 10"
    x, y = frame.x(score.statement), frame.y(score.value or 0)
    return tag("circle", tag("title", text(told)), cx=x, cy=y, r="4.5")


def _names(frame: Frame, drawn: Sequence[Series]) -> Iterator[Html]:
    """A name at the end of each line, pushed apart where they would overlap."""
    ordered = sorted(drawn, key=lambda line: -(line.readable[-1].value or 0))
    x = frame.width - frame.right + 8
    # Nobody may be pushed off the bottom by those still to come.
    lowest = frame.height - BOTTOM - LABEL_GAP * len(ordered)
    y = -float("inf")
    for line in ordered:
        lowest += LABEL_GAP
        last = line.readable[-1]
        y = max(min(frame.y(last.value or 0), lowest), y + LABEL_GAP)
        name = tag("tspan", text(_short(line.label, frame.letters)))
        figure = tag("tspan", text(_figure(last)), class_="figure", dx="6")
        yield tag("text", name, figure, class_=f"label p{line.scored.number}", x=x, y=y + 4)


def _short(label: str, letters: int) -> str:
    if len(label) <= letters:
        return label
    first = label.partition(" ")[0]
    return first if len(first) <= letters else label[: letters - 1] + "…"


def scores_table(document: Document) -> Html:
    """The chart's figures, and the reasons beside them."""
    head = ("Statement", "Debater", "Score", "Judge", "Reason")
    rows = [
        tag(
            "tr",
            tag("th", text(str(score.statement)), scope="row"),
            tag("td", tag("bdi", text(score.scored.name))),
            tag("td", text(_figure(score))),
            tag("td", tag("bdi", text(score.scorer.name))),
            tag("td", text(score.reasoning), dir="auto"),
        )
        for score in document.scores
    ]
    header = tag("thead", tag("tr", *(tag("th", text(one), scope="col") for one in head)))
    table = tag("table", header, tag("tbody", *rows))
    return tag("div", table, class_="scroll", tabindex="0", role="region", aria_label="All scores")
