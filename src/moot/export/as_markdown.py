"""The debate as Markdown that reads well as a file and on GitHub.

Everything anybody in the debate said stands in a block quote and is written from `markdown`'s tree,
so that it can neither add a heading nor pass for the document's own words.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from moot.export import wording
from moot.export.document import Document, Entry, Score, Section, Series, Speaker
from moot.export.ending import Ending, ending
from moot.export.markdown import after_label, plain, said, table
from moot.protocol.visibility import Shown


def as_markdown(shown: Shown, debate_id: str) -> str:
    document = Document(shown.state, debate_id)
    found = ending(document)
    parts = [
        *_front(document, found),
        *_cast(document),
        *_debate(document, found),
        *_running_scores(document),
        *_ending(document, found),
        *_spending(document),
    ]
    return "\n\n".join(parts) + "\n"


def _front(document: Document, found: Ending | None) -> Iterator[str]:
    state = document.state
    yield f"# {plain(document.name)}"
    if origin := wording.provenance(document):
        yield f"**{plain(origin)}**"
    if document.topic:
        yield f"**Topic:** {after_label(document.topic)}"
    if document.premise:
        yield f"**Premise:** {after_label(document.premise)}"
    missing = wording.unfinished(document)
    if missing:
        yield f"**{plain(missing)}**"
    if found is not None:
        yield _result(found)
    yield table(("Fact", "Value"), _facts(document))
    if not state.turns:
        yield "Nothing has been said yet."


def _result(found: Ending) -> str:
    parts = [found.ruling, plain(found.headline), *map(plain, found.doubts)]
    return "**Result:** " + ". ".join(part.rstrip(".") for part in parts if part) + "."


def _facts(document: Document) -> Iterator[tuple[str, str]]:
    config = document.state.config
    yield "Debate", after_label(document.id)
    if config.follows:
        yield "Follow-up to", after_label(config.follows)
    yield "Format", after_label(config.format)
    yield "Status", after_label(wording.status(document))
    yield "Created", wording.moment(document.state.created_at)
    yield "Statements", str(document.state.statements)
    if config.attachments:
        yield "Given to read", after_label(", ".join(one.name for one in config.attachments))
    if config.seed is not None:
        yield "Seed", str(config.seed)
    for name, chosen in wording.draws(document):
        yield after_label(name), after_label(chosen)


def _cast(document: Document) -> Iterator[str]:
    yield "## Cast"
    rows = (
        (
            _who(one),
            one.role + (", left" if one.has_left else ""),
            after_label(one.stands),
            after_label(one.model),
        )
        for one in document.speakers.values()
    )
    yield table(("Name", "Role", "Side", "Model"), rows)


def _who(speaker: Speaker) -> str:
    title = f", {after_label(speaker.title)}" if speaker.title else ""
    return f"**{after_label(speaker.name)}**{title}"


def _debate(document: Document, found: Ending | None) -> Iterator[str]:
    if document.sections:
        yield "## The debate"
    for section in document.sections:
        yield from map(_notice, section.notices)
        # The announcement is shown once, with the outcome.
        entries = [one for one in section.entries if not (found and found.is_told_in(one))]
        if entries:
            yield from _section(document, section, entries)
    yield from map(_notice, document.last_notices)


def _section(document: Document, section: Section, entries: list[Entry]) -> Iterator[str]:
    yield f"### {plain(document.heading(section))}"
    for entry in entries:
        yield from _entry(entry)


def _entry(entry: Entry) -> Iterator[str]:
    notes = wording.notes(entry)
    yield from map(_notice, entry.notices)
    if entry.is_skipped:
        return
    yield from _reasoning(entry)
    if entry.score is not None:
        yield _score(entry.score)
        if notes:
            yield f"*{plain('; '.join(notes))}*"
    elif entry.is_private:
        yield _private(entry, notes)
    else:
        yield f"#### {_heading(entry)}"
        if notes:
            yield f"*{plain('; '.join(notes))}*"
        yield said(entry.turn.said.content)


def _notice(told: str) -> str:
    return f"*{plain(told)}*"


def _heading(entry: Entry) -> str:
    number = f"{entry.statement}\\. " if entry.statement else ""
    kind = "" if entry.statement else f", {wording.kind(entry)}"
    side = f" ({after_label(entry.speaker.side)})" if entry.speaker.side else ""
    return f"{number}{after_label(entry.speaker.name)}{side}{kind}"


def _private(entry: Entry, notes: list[str]) -> str:
    label = f"{entry.speaker.name}: private {wording.kind(entry)}"
    return _folded(" · ".join([label, *notes]), entry.turn.said.content)


def _reasoning(entry: Entry) -> Iterator[str]:
    if entry.turn.said.reasoning:
        label = f"{entry.speaker.name}: {wording.reasoning(entry)}"
        yield _folded(label, entry.turn.said.reasoning)


def _folded(label: str, text: str) -> str:
    summary = html.escape(wording.one_line(label))
    return f"<details>\n<summary>{summary}</summary>\n\n{said(text)}\n\n</details>"


def _score(score: Score) -> str:
    who = f"{after_label(score.scorer.name)} scores {after_label(score.scored.name)}"
    if score.value is None:
        return f"**{who}: unreadable.** No score could be read from the reply (private)."
    reason = f" {after_label(score.reasoning)}" if score.reasoning else ""
    return f"**{who}: {wording.number(score.value)}/10** (private).{reason}"


def _running_scores(document: Document) -> Iterator[str]:
    if not document.scores:
        return
    yield "## Running scores"
    lines = document.series
    numbers = sorted({score.statement for score in document.scores})
    header = ("Statement", *(after_label(line.label) for line in lines))
    yield table(header, ((str(number), *_at(number, lines)) for number in numbers))


def _at(number: int, lines: Sequence[Series]) -> Iterator[str]:
    for line in lines:
        own = [one for one in line.scores if one.statement == number]
        yield " ".join(
            "unreadable" if one.value is None else wording.number(one.value) for one in own
        )


def _ending(document: Document, found: Ending | None) -> Iterator[str]:
    if found is None:
        return
    yield f"## {found.title}"
    if found.ruling:
        claim = f": {after_label(document.premise)}" if document.premise else ""
        yield f"**{found.ruling}**{claim}"
    yield f"**{plain(found.headline)}**"
    if found.scores:
        rows = ((after_label(one.name), after_label(one.value)) for one in found.scores)
        yield table(("Name", "Final score"), rows)
    yield from (f"**Note.** {after_label(doubt)}" for doubt in found.doubts)
    if found.announced:
        yield from _reasoning(found.announced)
        yield f"{plain(found.announced.speaker.name)}:"
    if found.text:
        yield said(found.text)
    if found.facts:
        rows = ((after_label(label), after_label(value)) for label, value in found.facts)
        yield table(("Outcome", "Value"), rows)
    yield from _bench(found)


def _bench(found: Ending) -> Iterator[str]:
    """What the debate's own bench came to."""
    headline, *lines = found.bench or ("",)
    if headline:
        yield f"**{plain(headline)}**"
        rows = ((after_label(name), after_label(cast)) for name, cast in found.ballots)
        yield table(("Judge", "Ballots"), rows)
        yield from (plain(line) for line in lines)


def _spending(document: Document) -> Iterator[str]:
    yield "## Spending"
    rows = [*wording.spending(document), ("Models", ", ".join(document.models) or "none")]
    yield table(("Figure", "Value"), ((label, after_label(value)) for label, value in rows))
    yield f"Made with {after_label(wording.version(document))}."
