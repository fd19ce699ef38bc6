"""The page around the debate: masthead, cast, scores, sections, verdict, colophon."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from moot.export import wording
from moot.export.colors import tones
from moot.export.document import Document, Section, Speaker, read
from moot.export.ending import Ending, ending
from moot.export.html.chart import chart, scores_table
from moot.export.html.tags import Html, join, lines, tag, text
from moot.export.html.turns import card, entries, notice, ruling, stage
from moot.protocol.events import Recorded


def as_html(log: Sequence[Recorded], debate_id: str) -> str:
    document = read(log, debate_id)
    found = ending(document)
    body = tag(
        "body",
        tag("a", text("Skip to the debate"), class_="skip", href="#debate"),
        _masthead(document, found),
        tag("main", *_main(document, found)),
        _colophon(document),
    )
    page = tag("html", _head(document), Html("\n"), body, lang="en")
    return f"<!doctype html>\n{page}\n"


# --- head ----------------------------------------------------------------------------------------


@cache
def _sheet() -> str:
    return files("moot.export.html").joinpath("style.css").read_text(encoding="utf-8")


def _style(document: Document) -> str:
    """The sheet and one rule per participant. Colours are checked, numbers are our own."""
    rules = (
        f".p{number}{{--light:{tone.light};--dark:{tone.dark}}}"
        for number, tone in tones(document.speakers.values()).items()
    )
    return _sheet() + "\n".join(rules) + "\n"


def _policy(style: str) -> str:
    """Allows this one style sheet, by its hash, and nothing else at all."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _head(document: Document) -> Html:
    style = _style(document)
    return tag(
        "head",
        lines(
            tag("meta", charset="utf-8"),
            # The policy before anything it governs.
            tag("meta", http_equiv="Content-Security-Policy", content=_policy(style)),
            tag("meta", name="referrer", content="no-referrer"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("meta", name="generator", content=wording.version(document)),
            # Without it, browsers ask the server for /favicon.ico.
            tag("link", rel="icon", href="data:,"),
            tag("title", text(wording.one_line(document.topic) + " · a debate")),
            tag("style", Html(style)),
        ),
    )


# --- masthead ------------------------------------------------------------------------------------


def _masthead(document: Document, found: Ending | None) -> Html:
    state = document.state
    made = tag(
        "time", text(wording.moment(state.created_at)), datetime=state.created_at.isoformat()
    )
    kicker = join(text(f"{state.config.format} · "), made)
    missing = wording.unfinished(document)
    return tag(
        "header",
        tag("p", kicker, class_="kicker"),
        tag("h1", text(wording.one_line(document.topic)), dir="auto"),
        _premise(document),
        tag("p", text(missing), class_="unfinished", role="status") if missing else Html(""),
        _result(found),
        class_="masthead",
    )


def _premise(document: Document) -> Html:
    if not document.premise:
        return Html("")
    label = tag("span", text("Premise"), class_="label")
    return tag("p", label, Html(" "), tag("bdi", text(document.premise)), class_="premise")


def _result(found: Ending | None) -> Html:
    if found is None:
        return Html("")
    winner_first = sorted(found.scores, key=lambda row: row.speaker != found.winner)
    scores = " to ".join(row.value for row in winner_first)
    headline = f"{found.headline}, {scores}" if scores and found.winner else found.headline
    inside = [
        ruling(found),
        tag("a", tag("bdi", text(headline)), href="#verdict"),
        tag("span", text(found.flag), class_="flag") if found.flag else Html(""),
    ]
    return tag("p", *(join(one, Html(" ")) for one in inside if one), class_="result")


# --- main ----------------------------------------------------------------------------------------


def _main(document: Document, found: Ending | None) -> Iterator[Html]:
    yield _cast(document)
    yield _scores(document)
    yield _debate(document, found)
    yield _verdict(document, found)


def _part(name: str, title: str, *inside: Html) -> Html:
    heading = tag("h2", text(title), id=f"{name}-title")
    return tag("section", heading, *inside, id=name, class_=name, aria_labelledby=f"{name}-title")


def _cast(document: Document) -> Html:
    people = (_member(one) for one in document.speakers.values())
    return _part("cast", "The cast", tag("ul", *people))


def _member(one: Speaker) -> Html:
    role = ", ".join(part for part in (one.role, one.side, "left" if one.has_left else "") if part)
    return tag(
        "li",
        tag("span", text(role), class_="role"),
        tag("bdi", text(one.name), class_="name"),
        tag("span", text(one.title), class_="title", dir="auto") if one.title else Html(""),
        tag("span", text(one.model), class_="model", dir="auto") if one.model else Html(""),
        class_=f"p{one.number}",
    )


def _scores(document: Document) -> Html:
    if not document.scores:
        return Html("")
    unread = [str(one.statement) for one in document.scores if one.value is None]
    note = f"No score could be read after statement {', '.join(unread)}."
    table = tag("details", tag("summary", text("The scores as a table")), scores_table(document))
    return _part(
        "scores",
        "Running scores",
        tag("figure", chart(document)),
        tag("p", text(note), class_="note") if unread else Html(""),
        table,
    )


def _debate(document: Document, found: Ending | None) -> Html:
    closing = _closing(document, found)
    sections = [one for one in document.sections if one is not closing]
    if not sections:
        return _part("debate", "The debate", tag("p", text("Nothing has been said yet.")))
    has_private = any(entry.is_private for entry in document.transcript)
    switch = _switch() if has_private else Html("")
    told = (notice(one) for one in document.last_notices)
    said = (stage(document, one) for one in sections)
    return _part("debate", "The debate", switch, *said, *told)


def _switch() -> Html:
    box = tag("input", type="checkbox", id="private", checked="checked", autocomplete="off")
    return tag("p", tag("label", box, text(" Show private thoughts")), class_="switch")


def _closing(document: Document, found: Ending | None) -> Section | None:
    """The section that holds the announcement: it is told as the verdict."""
    for section in document.sections[-1:]:
        if found and any(map(found.is_told_in, section.entries)):
            return section
    return None


def _verdict(document: Document, found: Ending | None) -> Html:
    if found is None:
        return Html("")
    closing = _closing(document, found)
    rest = [one for one in closing.entries if not found.is_told_in(one)] if closing else []
    return _part("verdict", found.title, card(found), *entries(document, rest))


# --- colophon ------------------------------------------------------------------------------------


def _colophon(document: Document) -> Html:
    config = document.state.config
    facts = [
        ("Models", ", ".join(document.models) or "none"),
        *wording.spending(document),
        ("Status", wording.status(document)),
        ("Debate", document.id),
    ]
    if config.seed is not None:
        facts.append(("Seed", str(config.seed)))
    facts += [(f"Drawn: {draw.name}", ", ".join(draw.chosen)) for draw in config.draws]
    rows = (
        tag("div", tag("dt", text(label)), tag("dd", text(value), dir="auto"))
        for label, value in facts
    )
    made = tag("p", text(f"Staged with {wording.version(document)}."))
    return tag("footer", tag("dl", *rows, class_="facts"), made)
