"""The documents that a format writes of its own debates, in Markdown: its blocks, escaped."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from typing import assert_never

from moot.engine.looking import on_demand
from moot.errors import InvalidInput
from moot.export import wording
from moot.export.document import Document, Entry, Speaker
from moot.export.markdown import after_label, bullets, plain, said, table
from moot.protocol import documents as d
from moot.protocol.registry import FORMATS
from moot.protocol.visibility import Shown


def writer(name: str) -> Callable[[Shown, str], str]:
    """The function that writes the document of that name."""

    def write(shown: Shown, debate_id: str) -> str:
        document = Document(shown.state, debate_id)
        heading, *parts = [
            part for block in _written(document, name) for part in _parts(document, block)
        ]
        origin = wording.provenance(document)
        told = [f"**{plain(origin)}**"] if origin else []
        return "\n\n".join([heading, *told, *parts]) + "\n"

    return write


def _written(document: Document, name: str) -> list[d.Block]:
    """The blocks of the document. Raises InvalidInput if the debate's format writes none of that
    name, and Refused if it makes a mistake."""
    of = document.state.config.format
    rules = FORMATS.get(of)
    if rules is None or name not in rules.documents:
        what = name.replace("-", " ")
        makers = " or ".join(one.name for one in FORMATS.values() if name in one.documents)
        message = (
            f"a {what} can only be made from a debate of the format {makers}, and this one is "
            f"{of}; export it as md or html"
        )
        raise InvalidInput(message, field="as")
    with on_demand(rules):
        return list(rules.documents[name](document.state))


def _parts(document: Document, block: d.Block) -> Iterator[str]:
    match block:
        case d.Heading(level, text):
            yield f"{'#' * level} {plain(text)}"
        case d.Line():
            yield _line(block)
        case d.Said(text):
            yield said(text)
        case d.Stated(turn, is_folded):
            entry = Entry(turn=turn, speaker=document.speaker(turn.said.participant))
            yield from [_folded(entry)] if is_folded else _stated(entry)
        case d.Bullets(texts):
            yield bullets(texts)
        case d.Table(header=header, rows=rows):
            cells = (tuple(after_label(_shown(document, one)) for one in row) for row in rows)
            yield table(header, cells)
        case d.Facts(rows):
            values = ((label, after_label(_shown(document, value))) for label, value in rows)
            yield "\n".join(f"- {label}: {value}" for label, value in values)
        case d.Roster() | d.Unfinished() | d.Spending():
            yield from _of_every_debate(document, block)
        case other:
            assert_never(other)


def _of_every_debate(
    document: Document, block: d.Roster | d.Unfinished | d.Spending
) -> Iterator[str]:
    match block:
        case d.Roster(notes):
            cast = (one for one in document.speakers.values() if one.role)
            rows = [_seat(one, notes.get(one.id, "")) for one in cast]
            yield table(("Name", "Role", "Model", ""), rows)
        case d.Unfinished():
            missing = wording.unfinished(document)
            yield from [f"**{plain(missing)}**"] if missing else []
        case d.Spending():
            yield from _spending(document)
        case other:
            assert_never(other)


def _shown(document: Document, value: str | d.Fact) -> str:
    if not isinstance(value, d.Fact):
        return value
    state = document.state
    match value:
        case d.Fact.DEBATE:
            return document.id
        case d.Fact.STATUS:
            return wording.status(document)
        case d.Fact.CREATED:
            return wording.moment(state.created_at)
        case d.Fact.UPDATED:
            return wording.moment(state.updated_at)
        case other:
            assert_never(other)


def _line(line: d.Line) -> str:
    if line.aside:
        return f"*{plain(line.aside)}*"
    if line.label:
        return f"**{after_label(line.label)}** {after_label(line.text)}".rstrip()
    return plain(line.text)


def _stated(entry: Entry) -> Iterator[str]:
    notes = after_label(_notes(entry))
    yield f"**{after_label(entry.speaker.name)}** {notes}".rstrip()
    yield said(entry.turn.said.content)


def _folded(entry: Entry) -> str:
    label = html.escape(wording.one_line(f"{entry.speaker.name} {_notes(entry)}"))
    text = said(entry.turn.said.content)
    return f"<details>\n<summary>{label}</summary>\n\n{text}\n\n</details>"


def _notes(entry: Entry) -> str:
    found = wording.notes(entry)
    return f"({'; '.join(found)})" if found else ""


def _seat(one: Speaker, note: str) -> tuple[str, ...]:
    title = f", {after_label(one.title)}" if one.title else ""
    return (f"**{after_label(one.name)}**{title}", one.role, after_label(one.model), note)


def _spending(document: Document) -> Iterator[str]:
    rows = [*wording.spending(document), ("Models", ", ".join(document.models) or "none")]
    yield table(("Figure", "Value"), [(label, after_label(value)) for label, value in rows])
    yield f"Made with {after_label(wording.version(document))}."
