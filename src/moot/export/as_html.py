"""The debate as one self-contained HTML file: no script, no request, all text escaped.

`tags` is the only module that writes a tag, also for what models wrote and for what stands around
it all; `chart` draws the scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from moot.export import wording
from moot.export.chart import chart, scores_table, tones
from moot.export.document import Document, Entry, Score, Section, Speaker
from moot.export.ending import Ending, Facts, ending
from moot.export.tags import Html, join, page, prose, tag, text
from moot.protocol.visibility import Shown
from moot.structs import stamp


def as_html(shown: Shown, debate_id: str) -> str:
    return _page(Document(shown.state, debate_id))


def as_public_html(shown: Shown, debate_id: str) -> str:
    """For strangers: statements, scores and outcome; no plans, thoughts, errors or costs."""
    return _page(Document(shown.state, debate_id, is_public=True))


def _page(document: Document) -> str:
    found = ending(document)
    body = tag(
        "body",
        tag("a", text("Skip to the debate"), class_="skip", href="#debate"),
        _masthead(document, found),
        tag("main", *_main(document, found)),
        _colophon(document),
    )
    name = wording.one_line(document.name)
    return page(f"{name} · a debate", body, _tones(document), generator=wording.version(document))


def _tones(document: Document) -> str:
    """One rule per participant. Colours are checked, numbers are our own."""
    rules = (
        f".p{number}{{--light:{tone.light};--dark:{tone.dark}}}"
        for number, tone in tones(document.speakers.values()).items()
    )
    return "\n".join(rules) + "\n"


# --- masthead ------------------------------------------------------------------------------------


def _masthead(document: Document, found: Ending | None) -> Html:
    state = document.state
    made = tag("time", text(wording.moment(state.created_at)), datetime=stamp(state.created_at))
    kicker = join(text(f"{state.config.format} · "), made)
    missing = wording.unfinished(document)
    origin = wording.provenance(document)
    return tag(
        "header",
        tag("p", kicker, class_="kicker"),
        tag("h1", text(wording.one_line(document.name)), dir="auto"),
        tag("p", text(origin), class_="unfinished", role="status") if origin else Html(""),
        _labelled("Topic", document.topic),
        _labelled("Premise", document.premise),
        tag("p", text(missing), class_="unfinished", role="status") if missing else Html(""),
        _result(found),
        class_="masthead",
    )


def _labelled(name: str, words: str) -> Html:
    if not words:
        return Html("")
    label = tag("span", text(name), class_="label")
    return tag("p", label, Html(" "), tag("bdi", text(words)), class_="premise")


def _result(found: Ending | None) -> Html:
    if found is None:
        return Html("")
    winner_first = sorted(found.scores, key=lambda row: row.speaker != found.winner)
    scores = " to ".join(row.value for row in winner_first)
    headline = f"{found.headline}, {scores}" if scores and found.winner else found.headline
    inside = [
        _ruling(found),
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
    role = ", ".join(
        part for part in (one.role, one.stands, "left" if one.has_left else "") if part
    )
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
    has_private = not document.is_public and any(
        one.is_private or one.turn.said.reasoning for one in document.transcript
    )
    switch = _switch() if has_private else Html("")
    said = (part for one in sections for part in _stage(document, one))
    last = (*(closing.notices if closing else ()), *document.last_notices)
    return _part("debate", "The debate", switch, *said, *map(_notice, last))


def _switch() -> Html:
    box = tag("input", type="checkbox", id="private", checked="checked", autocomplete="off")
    return tag("p", tag("label", box, text(" Show private thoughts")), class_="switch")


def _closing(document: Document, found: Ending | None) -> Section | None:
    """The section that holds the announcement, which is shown as the verdict."""
    for section in document.sections[-1:]:
        if found and any(map(found.is_told_in, section.entries)):
            return section
    return None


def _verdict(document: Document, found: Ending | None) -> Html:
    if found is None:
        return Html("")
    closing = _closing(document, found)
    rest = [one for one in closing.entries if not found.is_told_in(one)] if closing else []
    thought = _reasoning(found.announced) if found.announced else Html("")
    return _part("verdict", found.title, thought, _card(found), *_entries(document, rest))


# --- turns: statements with their scores beside them, private turns folded -----------------------


def _stage(document: Document, section: Section) -> Iterator[Html]:
    yield from map(_notice, section.notices)
    said = list(_entries(document, section.entries))
    if document.is_public and not any(said):
        return  # nothing but scores, which stand beside what they are about
    heading = tag("h3", text(document.heading(section)))
    kind = "stage private" if section.is_private else "stage"
    yield tag("section", heading, *said, class_=kind)


def _entries(document: Document, shown: Iterable[Entry]) -> Iterator[Html]:
    for entry in shown:
        yield from map(_notice, entry.notices)
        if entry.is_skipped:
            continue
        yield _reasoning(entry)
        if entry.score is None:
            yield _private(entry) if entry.is_private else _public(document, entry)
        elif entry.score.value is None and not document.is_public:
            yield _private(entry)  # beside the statement it only says "no score"


def _notice(told: str) -> Html:
    """Something that people were told, but no model was."""
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
    scores = [_score(one) for one in document.scores_of.get(entry.statement or 0, ())]
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


def _reasoning(entry: Entry) -> Html:
    """What its author thought before the turn, folded like anything private."""
    if not entry.turn.said.reasoning:
        return Html("")
    who = entry.speaker
    summary = tag(
        "summary",
        tag("bdi", text(who.name), class_="name"),
        tag("span", text(wording.reasoning(entry)), class_="kind"),
    )
    body = tag("div", prose(entry.turn.said.reasoning), class_="said")
    return tag("details", summary, body, class_=f"private thought p{who.number}")


# --- how it came out: ruling, winner, scores, doubts, announcement -------------------------------


def _card(found: Ending) -> Html:
    headline = tag("p", tag("bdi", text(found.headline)), class_="headline")
    return tag(
        "div",
        tag("p", _ruling(found)) if found.ruling else Html(""),
        headline,
        _finals(found),
        *(tag("p", text(doubt), class_="warning", role="note") for doubt in found.doubts),
        _announcement(found),
        _facts(found.facts),
        *_bench(found),
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


def _bench(found: Ending) -> Iterator[Html]:
    """What the debate's own bench came to."""
    headline, *lines = found.bench or ("",)
    if headline:
        yield tag("p", tag("strong", text(headline)), class_="bench")
        yield _facts(found.ballots)
        yield from (tag("p", text(line)) for line in lines)


def _facts(facts: Facts) -> Html:
    if not facts:
        return Html("")
    rows = (
        tag("div", tag("dt", text(label)), tag("dd", text(value), dir="auto"))
        for label, value in facts
    )
    return tag("dl", *rows, class_="facts")


def _ruling(found: Ending) -> Html:
    if not found.ruling:
        return Html("")
    kind = "upheld" if found.is_upheld else "rejected"
    return tag("strong", text(found.ruling), class_=f"ruling {kind}")


# --- colophon ------------------------------------------------------------------------------------


def _colophon(document: Document) -> Html:
    config = document.state.config
    facts = [
        ("Models", ", ".join(document.models) or "none"),
        *(() if document.is_public else wording.spending(document)),
        ("Status", wording.status(document)),
        *(() if document.is_public else (("Debate", document.id),)),
    ]
    if config.follows and not document.is_public:
        facts.append(("Follow-up to", config.follows))
    if config.seed is not None and not document.is_public:
        facts.append(("Seed", str(config.seed)))
    facts += wording.draws(document)
    rows = (
        tag("div", tag("dt", text(label)), tag("dd", text(value), dir="auto"))
        for label, value in facts
    )
    made = tag("p", text(f"Staged with {wording.version(document)}."))
    return tag("footer", tag("dl", *rows, class_="facts"), made)
