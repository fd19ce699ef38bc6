"""How the debate came out, as a card: ruling, winner, scores, doubts, announcement."""

from __future__ import annotations

from moot.export.document import Document
from moot.export.html.prose import prose
from moot.export.html.tags import Html, tag, text
from moot.export.verdict import Verdict


def card(document: Document, found: Verdict) -> Html:
    headline = tag("p", tag("bdi", text(found.headline)), class_="headline")
    return tag(
        "div",
        tag("p", ruling(found)) if found.ruling else Html(""),
        headline,
        _finals(found),
        *(tag("p", text(warning), class_="warning", role="note") for warning in found.warnings),
        _announcement(document, found),
        _others(found),
        class_=f"card p{found.winner.number}" if found.winner else "card",
    )


def _finals(found: Verdict) -> Html:
    if not found.scores:
        return Html("")
    rows = (
        tag(
            "div",
            tag("dt", tag("bdi", text(name))),
            tag("dd", text(value)),
            class_=f"p{who.number}" if who else None,
        )
        for name, who, value in found.scores
    )
    return tag("dl", *rows, class_="finals")


def _announcement(document: Document, found: Verdict) -> Html:
    if not found.announcement:
        return Html("")
    turn = document.state.turn_at(found.announcement_of) if found.announcement_of else None
    by = (
        tag("p", text("— "), tag("bdi", text(found.announcer.name)), class_="by")
        if found.announcer
        else Html("")
    )
    name = f"turn-{turn.seq}" if turn else None
    return tag("div", prose(found.announcement), by, class_="said", id=name)


def _others(found: Verdict) -> Html:
    if not found.others:
        return Html("")
    rows = (
        tag("div", tag("dt", text(label)), tag("dd", text(value), dir="auto"))
        for label, value in found.others
    )
    return tag("dl", *rows, class_="facts")


def ruling(found: Verdict) -> Html:
    if not found.ruling:
        return Html("")
    kind = "upheld" if found.ruling.endswith("UPHELD") else "rejected"
    return tag("strong", text(found.ruling), class_=f"ruling {kind}")
