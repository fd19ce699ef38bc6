"""Turns as readers see them: statements with their scores beside them, private turns folded; and
how the debate came out, as a card: ruling, winner, scores, doubts, announcement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from moot.export import wording
from moot.export.document import Document, Entry, Score, Section
from moot.export.ending import Ending
from moot.export.html.tags import Html, prose, tag, text


def stage(document: Document, section: Section) -> Html:
    heading = tag("h3", text(document.heading(section)))
    kind = "stage private" if section.is_private else "stage"
    return tag("section", heading, *entries(document, section.entries), class_=kind)


def entries(document: Document, shown: Iterable[Entry]) -> Iterator[Html]:
    for entry in shown:
        yield from map(notice, entry.notices)
        if entry.is_skipped:
            continue
        if entry.score is None:
            yield _private(entry) if entry.is_private else _public(document, entry)
        elif entry.score.value is None:
            yield _private(entry)  # beside the statement stands that it could not be read


def notice(told: str) -> Html:
    """Something people were told, and no model."""
    return tag("p", text(told), class_="notice", dir="auto")


def _public(document: Document, entry: Entry) -> Html:
    who, notes = entry.speaker, wording.notes(entry)
    number = (
        tag("span", text(str(entry.statement)), class_="number") if entry.statement else Html("")
    )
    aside = who.side or ("" if entry.statement else wording.kind(entry))
    heading = tag(
        "h4",
        number,
        tag("bdi", text(who.name), class_="name"),
        tag("span", text(aside), class_="side") if aside else Html(""),
    )
    said = tag(
        "div",
        heading,
        tag("p", text("; ".join(notes)), class_="note") if notes else Html(""),
        prose(entry.turn.said.content),
        class_="said",
    )
    scores = [_score(one) for one in document.scores_of(entry.statement)] if entry.statement else []
    margin = tag("div", *scores, class_="margin") if scores else Html("")
    excluded = "" if entry.turn.included else " excluded"
    return tag(
        "article", said, margin, class_=f"turn p{who.number}{excluded}", id=f"turn-{entry.turn.seq}"
    )


def _score(score: Score) -> Html:
    if score.value is None:
        figure = tag("p", text("No score"), class_="figure missing")
        reason = "The reply could not be read."
    else:
        out_of = tag("span", text("/10"))
        figure = tag("p", text(wording.number(score.value)), out_of, class_="figure")
        reason = score.reasoning
    by = tag("p", tag("bdi", text(score.scorer.name)), text(", in private"), class_="by")
    name = f"Private score by {score.scorer.name}"
    said = tag("p", text(reason), dir="auto")
    return tag("aside", figure, said, by, class_="score", aria_label=name)


def _private(entry: Entry) -> Html:
    who, notes = entry.speaker, wording.notes(entry)
    summary = tag(
        "summary",
        tag("bdi", text(who.name), class_="name"),
        tag("span", text(f"private {wording.kind(entry)}"), class_="kind"),
        tag("span", text("; ".join(notes)), class_="note") if notes else Html(""),
    )
    body = tag("div", prose(entry.turn.said.content), class_="said")
    kinds = f"private thought p{who.number}"
    return tag("details", summary, body, class_=kinds, id=f"turn-{entry.turn.seq}")


# --- how it came out ------------------------------------------------------------------------------


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
