"""The debate as Markdown that reads well as a file and on GitHub.

Everything anybody in the debate said stands in a block quote and is written from `markup`'s tree,
so that it can neither add a heading nor pass for the document's own words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

from moot.export import wording
from moot.export.document import Document, Entry, Score, Section, Series, Speaker, read
from moot.export.markup import (
    Block,
    Break,
    Bullets,
    Code,
    CodeBlock,
    Emphasis,
    Heading,
    Inline,
    Link,
    Paragraph,
    Quote,
    Rule,
    Strong,
    Text,
    blocks,
)
from moot.export.verdict import Verdict, verdict
from moot.protocol.events import Recorded

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")
_NO_START = "x"
_LINE_START = re.compile(r"^(\s*)(#|\+|-|=|:|(?P<number>\d{1,9})(?=[.)]))")


def as_markdown(log: Sequence[Recorded], debate_id: str) -> str:
    document = read(log, debate_id)
    found = verdict(document)
    parts = [
        *_front(document, found),
        *_cast(document),
        *_debate(document, found),
        *_running_scores(document),
        *_verdict(document, found),
        *_spending(document),
    ]
    return "\n\n".join(parts) + "\n"


# --- text ----------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Somebody's text on one line, with nothing in it that Markdown or HTML would act on."""
    return _escaped(wording.one_line(text))


def _escaped(text: str) -> str:
    safe = _SPECIAL.sub(r"\\\1", _ENTITY.sub("&amp;", text))
    safe = safe.replace("<", "&lt;").replace(">", "&gt;")
    match = _LINE_START.match(safe)
    if match is None:
        return safe
    at = match.end() if match["number"] else match.end() - 1
    return safe[:at] + "\\" + safe[at:]


def _inlines(parts: Iterable[Inline]) -> str:
    lines = [""]
    for part in parts:
        if isinstance(part, Break):
            lines[-1] += "\\"
            lines.append("")
        else:
            lines[-1] = _with(lines[-1], part)
    return "\n".join(lines)


def _with(line: str, part: Inline) -> str:
    """The line and one part more. A `!` before a link would make an image of it."""
    if isinstance(part, Link) and line.endswith("!"):
        line = line[:-1] + "\\!"
    return line + _inline(part, at_start=not line)


def _inline(part: Inline, *, at_start: bool) -> str:
    match part:
        case Text(text):
            # What is not at the start of a line needs no escape there: put one letter before it.
            return _escaped(text.lstrip()) if at_start else _escaped(_NO_START + text)[1:]
        case Break():
            return " "
        case Code(text):
            return _code(text)
        case Strong(parts):
            return f"**{_inside(parts)}**"
        case Emphasis(parts):
            return f"*{_inside(parts)}*"
        case Link(parts, url):
            return f"[{_inside(parts)}](<{html.escape(url)}>)"


def _inside(parts: tuple[Inline, ...]) -> str:
    # The mark before it is where the line starts.
    return reduce(_with, parts, _NO_START)[len(_NO_START) :]


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _block(block: Block) -> str:
    match block:
        case Paragraph(parts):
            return _inlines(parts)
        case Heading(parts):
            return f"**{_inside(parts)}**" if parts else ""
        case Bullets(items, start):
            return "\n".join(_items(items, start))
        case Quote(inside):
            return _quoted("\n\n".join(map(_block, inside)))
        case CodeBlock(text):
            longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
            fence = "`" * max(3, longest + 1)
            return f"{fence}\n{text}\n{fence}"
        case Rule():
            return "* * *"


def _items(items: Iterable[tuple[Inline, ...]], start: int | None) -> Iterator[str]:
    for number, item in enumerate(items, start or 0):
        mark = "- " if start is None else f"{number}. "
        yield mark + _inlines(item).replace("\n", "\n" + " " * len(mark))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def said(text: str) -> str:
    """Somebody's whole text as a block quote."""
    return _quoted("\n\n".join(filter(None, map(_block, blocks(text)))) or "(nothing)")


# --- parts ---------------------------------------------------------------------------------------


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _front(document: Document, found: Verdict | None) -> Iterator[str]:
    state = document.state
    yield f"# {plain(document.topic)}"
    if document.premise:
        yield f"**Premise:** {_after_label(document.premise)}"
    missing = wording.unfinished(document)
    if missing:
        yield f"**{plain(missing)}**"
    if found is not None:
        yield _result(found)
    yield _table(("Fact", "Value"), _facts(document))
    if not state.turns:
        yield "Nothing has been said yet."


def _after_label(text: str) -> str:
    return _escaped(_NO_START + wording.one_line(text))[1:]


def _result(found: Verdict) -> str:
    parts = [found.ruling, plain(found.headline), *map(plain, found.warnings)]
    return "**Result:** " + ". ".join(part.rstrip(".") for part in parts if part) + "."


def _facts(document: Document) -> Iterator[tuple[str, str]]:
    config = document.state.config
    yield "Debate", _after_label(document.id)
    yield "Format", _after_label(config.format)
    yield "Status", _after_label(wording.status(document))
    yield "Created", wording.moment(document.state.created_at)
    yield "Statements", str(document.state.statements)
    if config.seed is not None:
        yield "Seed", str(config.seed)
    for draw in config.draws:
        yield f"Drawn: {_after_label(draw.name)}", _after_label(", ".join(draw.chosen))


def _cast(document: Document) -> Iterator[str]:
    yield "## Cast"
    rows = (
        (
            _who(one),
            one.role + (", left" if one.has_left else ""),
            one.side,
            _after_label(one.model),
        )
        for one in document.speakers.values()
    )
    yield _table(("Name", "Role", "Side", "Model"), rows)


def _who(speaker: Speaker) -> str:
    title = f", {_after_label(speaker.title)}" if speaker.title else ""
    return f"**{_after_label(speaker.name)}**{title}"


def _debate(document: Document, found: Verdict | None) -> Iterator[str]:
    if document.sections:
        yield "## The debate"
    for section in document.sections:
        entries = [one for one in section.entries if not _is_announcement(one, found)]
        if entries:
            yield from _section(document, section, entries)


def _is_announcement(entry: Entry, found: Verdict | None) -> bool:
    """It is shown once, with the verdict."""
    return found is not None and entry.turn.seq == found.announcement_of


def _section(document: Document, section: Section, entries: list[Entry]) -> Iterator[str]:
    yield f"### {plain(document.heading(section))}"
    for entry in entries:
        yield from _entry(entry)


def _entry(entry: Entry) -> Iterator[str]:
    notes = wording.notes(entry)
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


def _heading(entry: Entry) -> str:
    number = f"{entry.statement}\\. " if entry.statement else ""
    kind = "" if entry.statement else f", {wording.KINDS[entry.turn.said.kind]}"
    side = f" ({entry.speaker.side})" if entry.speaker.side else ""
    return f"{number}{_after_label(entry.speaker.name)}{side}{kind}"


def _private(entry: Entry, notes: list[str]) -> str:
    label = f"{entry.speaker.name}: private {wording.KINDS[entry.turn.said.kind]}"
    summary = html.escape(wording.one_line(" · ".join([label, *notes])))
    text = said(entry.turn.said.content)
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


def _score(score: Score) -> str:
    who = f"{_after_label(score.scorer.name)} scores {_after_label(score.scored.name)}"
    if score.value is None:
        return f"**{who}: unreadable.** No score could be read from the reply (private)."
    reason = f" {_after_label(score.reasoning)}" if score.reasoning else ""
    return f"**{who}: {wording.number(score.value)}/10** (private).{reason}"


def _running_scores(document: Document) -> Iterator[str]:
    if not document.scores:
        return
    yield "## Running scores"
    lines = document.series
    numbers = sorted({score.statement for score in document.scores})
    header = ("Statement", *(_after_label(line.label) for line in lines))
    yield _table(header, ((str(number), *_at(number, lines)) for number in numbers))


def _at(number: int, lines: Sequence[Series]) -> Iterator[str]:
    for line in lines:
        own = [one for one in line.scores if one.statement == number]
        yield " ".join(
            "unreadable" if one.value is None else wording.number(one.value) for one in own
        )


def _verdict(document: Document, found: Verdict | None) -> Iterator[str]:
    if found is None:
        return
    yield "## Verdict"
    if found.ruling:
        claim = f": {_after_label(document.premise)}" if document.premise else ""
        yield f"**{found.ruling}**{claim}"
    yield f"**{plain(found.headline)}**"
    if found.scores:
        rows = ((_after_label(name), _after_label(value)) for name, _who, value in found.scores)
        yield _table(("Name", "Final score"), rows)
    yield from (f"**Note.** {_after_label(warning)}" for warning in found.warnings)
    if found.announcement:
        if found.announcer:
            yield f"{plain(found.announcer.name)}:"
        yield said(found.announcement)
    if found.others:
        rows = ((_after_label(label), _after_label(value)) for label, value in found.others)
        yield _table(("Outcome", "Value"), rows)


def _spending(document: Document) -> Iterator[str]:
    yield "## Spending"
    rows = [*wording.spending(document), ("Models", ", ".join(document.models) or "none")]
    yield _table(("Figure", "Value"), ((label, _after_label(value)) for label, value in rows))
    yield f"Made with {_after_label(wording.version(document))}."
