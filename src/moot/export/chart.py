"""The running scores as inline SVG: statements on x, 0 to 10 on y, one line per debater.

The colours are those of the cast, here and elsewhere in a document. A log's own are used only as
`#rrggbb`, and only once made legible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from moot.export import wording
from moot.export.document import Document, Score, Series, Speaker
from moot.export.tags import Html, lines, tag, text
from moot.protocol.outcomes import HIGHEST, LOWEST

TOP, BOTTOM, LEFT = 16, 34, 30
LABEL_GAP = 17
MOST_TICKS = 12

LIGHT_PAGE, DARK_PAGE = "#f5f2ea", "#1f2024"
"""The tinted surfaces of `style.css`, a little harder to read on than its page."""
AA = 4.5
"""WCAG 2.2, 1.4.3: contrast of text with its background."""

PALETTE = ("#1f6f8b", "#b0492f", "#5b6470", "#6d5aa8", "#3d7a4b", "#9a6a14", "#a63f6e", "#43648f")

# The colour words a debate file may use, which a log then contains.
WORDS = {
    "black": "#000000",
    "silver": "#c0c0c0",
    "gray": "#808080",
    "grey": "#808080",
    "white": "#ffffff",
    "maroon": "#800000",
    "red": "#ff0000",
    "purple": "#800080",
    "fuchsia": "#ff00ff",
    "green": "#008000",
    "lime": "#00ff00",
    "olive": "#808000",
    "yellow": "#ffff00",
    "navy": "#000080",
    "blue": "#0000ff",
    "teal": "#008080",
    "aqua": "#00ffff",
    "orange": "#ffa500",
    "cyan": "#00ffff",
}

_HEX = re.compile(r"#[0-9a-f]{6}")
_TOO_CLOSE = 48
_STEPS = 20

Rgb = tuple[int, int, int]


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


# --- the colours of the cast ---


class Tones(msgspec.Struct, frozen=True):
    """One participant's colour on the light and on the dark page."""

    light: str
    dark: str


def tones(speakers: Iterable[Speaker]) -> dict[int, Tones]:
    """A legible colour for everyone, by number; no two alike while the palette lasts."""
    taken: list[Rgb] = []
    found: dict[int, Tones] = {}
    for speaker in speakers:
        own = valid(speaker.color)
        choices = [own, *PALETTE] if own else list(PALETTE)
        color = next((one for one in choices if _is_free(_rgb(one), taken)), choices[0])
        taken.append(_rgb(color))
        found[speaker.number] = Tones(legible(color, LIGHT_PAGE), legible(color, DARK_PAGE))
    return found


def valid(color: str) -> str | None:
    """The colour as `#rrggbb`, or None if it is neither that nor one of `WORDS`."""
    lower = color.lower()
    return lower if _HEX.fullmatch(lower) else WORDS.get(lower)


def legible(color: str, page: str) -> str:
    """The nearest mix of the colour with black or white that reads on the page."""
    target: Rgb = (0, 0, 0) if _luminance(_rgb(page)) > 0.5 else (255, 255, 255)  # noqa: PLR2004 - half
    for step in range(_STEPS + 1):
        mixed = _mix(_rgb(color), target, step / _STEPS)
        if contrast(mixed, page) >= AA:
            return mixed
    return "#000000" if target == (0, 0, 0) else "#ffffff"


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    dark, light = sorted((_luminance(_rgb(one)), _luminance(_rgb(other))))
    return (light + 0.05) / (dark + 0.05)


def _rgb(color: str) -> Rgb:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _mix(color: Rgb, target: Rgb, share: float) -> str:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(color, target, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _is_free(color: Rgb, taken: list[Rgb]) -> bool:
    return all(
        sum(abs(a - b) for a, b in zip(color, one, strict=True)) >= _TOO_CLOSE for one in taken
    )


def _luminance(color: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004 - sRGB
