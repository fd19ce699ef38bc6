"""How the debate came out, as a card: ruling, winner, scores, doubts, announcement."""

from __future__ import annotations

from moot.export.ending import Ending
from moot.export.html.tags import Html, prose, tag, text


def card(found: Ending) -> Html:
    headline = tag("p", tag("bdi", text(found.headline)), class_="headline")
    return tag(
        "div",
        tag("p", ruling(found)) if found.ruling else Html(""),
        headline,
        _finals(found),
        *(tag("p", text(doubt), class_="warning", role="note") for doubt in found.doubts),
        _announcement(found),
        _facts(found),
        class_=f"card p{found.winner.number}" if found.winner else "card",
    )


def _finals(found: Ending) -> Html:
    if not found.scores:
        return Html("")
    rows = (
        tag(
            "div",
            tag("dt", tag("bdi", text(one.name))),
            tag("dd", text(one.value)),
            class_=f"p{one.speaker.number}" if one.speaker else None,
        )
        for one in found.scores
    )
    return tag("dl", *rows, class_="finals")


def _announcement(found: Ending) -> Html:
    if not found.text:
        return Html("")
    entry = found.announced
    if entry is None:
        return tag("div", prose(found.text), class_="said")
    by = tag("p", text("— "), tag("bdi", text(entry.speaker.name)), class_="by")
    return tag("div", prose(found.text), by, class_="said", id=f"turn-{entry.turn.seq}")


def _facts(found: Ending) -> Html:
    if not found.facts:
        return Html("")
    rows = (
        tag("div", tag("dt", text(label)), tag("dd", text(value), dir="auto"))
        for label, value in found.facts
    )
    return tag("dl", *rows, class_="facts")


def ruling(found: Ending) -> Html:
    if not found.ruling:
        return Html("")
    kind = "upheld" if found.is_upheld else "rejected"
    return tag("strong", text(found.ruling), class_=f"ruling {kind}")
