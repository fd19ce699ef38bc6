"""The report of a council: problem, members, clarifications, rounds, synthesis."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from moot.export import wording
from moot.export.council import Council, Round, read_council
from moot.export.document import Entry
from moot.export.markdown import after_label, bullets, plain, said, table
from moot.protocol.events import Recorded
from moot.protocol.vocabulary import SOLUTION_PARTS, doubts


def as_report(log: Sequence[Recorded], debate_id: str) -> str:
    """Raises InvalidInput if the debate is no council."""
    council = read_council(log, debate_id, what="a report")
    parts = [
        *_front(council),
        *problem(council),
        *_members(council),
        *clarified(council),
        *_rounds(council),
        *_ballots(council),
        *_solution(council),
        *_before(council),
        *_remarks(council),
        *_spending(council),
    ]
    return "\n\n".join(parts) + "\n"


def _front(council: Council) -> Iterator[str]:
    document = council.document
    yield f"# Report: {after_label(document.topic)}"
    if missing := wording.unfinished(document):
        yield f"**{plain(missing)}**"
    settings = council.state.config.settings
    yield table(
        ("Fact", "Value"),
        [
            ("Debate", after_label(document.id)),
            ("Status", after_label(wording.status(document))),
            ("Created", wording.moment(council.state.created_at)),
            ("Rounds", f"{len(council.rounds)} of at most {settings.get('rounds', '?')}"),
            ("Decided by", after_label(str(settings.get("decision", "synthesis")))),
        ],
    )


def problem(council: Council) -> Iterator[str]:
    yield "## Problem"
    yield said(council.document.topic)
    files = council.state.config.attachments
    if files:
        yield "Files that everybody could read:"
        rows = [(after_label(one.name), f"{one.size_bytes:,}", one.sha256) for one in files]
        yield table(("File", "Bytes", "SHA-256"), rows)


def _members(council: Council) -> Iterator[str]:
    out = council.solution.sat_out if council.solution else ()
    yield "## Members"
    yield table(
        ("Name", "Role", "Model", ""),
        [
            (
                f"**{after_label(one.name)}**{f', {after_label(one.title)}' if one.title else ''}",
                one.role,
                after_label(one.model),
                "sat out" if one.id in out else "",
            )
            for one in council.document.speakers.values()
            if one.role
        ],
    )


def clarified(council: Council) -> Iterator[str]:
    if not council.clarifications:
        return
    yield "## Clarifications"
    for one in council.clarifications:
        name = after_label(council.document.speaker(one.member).name)
        yield f"{name} asked ({one.iteration}.{one.number}):"
        yield said(one.question)
        if one.answer is None:
            yield "*Not answered yet.*"
        elif one.answer:
            yield "Answer:"
            yield said(one.answer)
        else:
            yield "*No answer was given.*"


def _rounds(council: Council) -> Iterator[str]:
    if council.rounds:
        yield "## Rounds"
    for one in council.rounds:
        yield from _round(one)


def _round(one: Round) -> Iterator[str]:
    yield f"### Round {one.number}"
    for title, entries in (("Proposals", one.proposals), ("Refinements", one.refinements)):
        if entries:
            yield f"#### {title}"
            yield from (part for entry in entries for part in _stated(entry))
        if title == "Proposals" and one.critiques:
            yield "#### Critiques"
            yield from map(_folded, one.critiques)
    for entry in one.evaluations:
        yield "#### Evaluation"
        yield from _stated(entry)
    if one.measured:
        yield f"*{plain(one.measured)}*"


def _stated(entry: Entry) -> Iterator[str]:
    notes = after_label(_plain_notes(entry))
    yield f"**{after_label(entry.speaker.name)}** {notes}".rstrip()
    yield said(entry.turn.said.content)


def _folded(entry: Entry) -> str:
    label = html.escape(wording.one_line(f"{entry.speaker.name} {_plain_notes(entry)}"))
    text = said(entry.turn.said.content)
    return f"<details>\n<summary>{label}</summary>\n\n{text}\n\n</details>"


def _plain_notes(entry: Entry) -> str:
    found = wording.notes(entry)
    return f"({'; '.join(found)})" if found else ""


def _ballots(council: Council) -> Iterator[str]:
    points = council.decision.get("points")
    if not isinstance(points, dict) or not points:
        return
    yield "## Vote"
    yield table(
        ("Proposal of", "Points"),
        [(after_label(str(name)), wording.number(value)) for name, value in points.items()],
    )
    yield plain(chosen(council))


def chosen(council: Council) -> str:
    """Who decided, and how."""
    decision = council.decision
    if decision.get("winner"):
        return f"The proposal of {decision['winner']} was chosen ({decision.get('rule')})."
    if decision.get("tied"):
        tied = ", ".join(map(str, decision["tied"]))
        return f"A tie ({decision.get('rule')}) between {tied}; the judge wrote it up."
    if decision.get("points"):
        return "No ballot could be counted; the judge wrote it up."
    return "The judge made one solution of what the members proposed."


def _solution(council: Council) -> Iterator[str]:
    found = council.solution
    if found is None:
        return
    yield "## Solution"
    yield from (f"**Note.** {after_label(doubt)}" for doubt in doubts(found))
    if found.description:
        yield said(found.description)
    for name, title in SOLUTION_PARTS.items():
        if texts := council.part(name):
            yield f"### {title}"
            yield bullets(texts)
    yield f"**Confidence:** {council.confidence}"


def _before(council: Council) -> Iterator[str]:
    """Was debating worth it? The answer that the members would have given at once."""
    before = council.before_debate
    proposals, ratings = before.get("proposals"), before.get("ratings")
    if not isinstance(proposals, dict) or not proposals:
        return
    yield "## Before the debate"
    yield "What the members rated highest among their first proposals, before any of them changed:"
    for name, text in proposals.items():
        rated = ratings.get(name) if isinstance(ratings, dict) else None
        figure = f" (rated {wording.number(rated)})" if isinstance(rated, int | float) else ""
        yield f"**{after_label(str(name))}**{figure}"
        yield said(str(text))


def _remarks(council: Council) -> Iterator[str]:
    if council.remarks:
        yield "## Notices"
        yield bullets(council.remarks)


def _spending(council: Council) -> Iterator[str]:
    yield "## Spending"
    document = council.document
    rows = [*wording.spending(document), ("Models", ", ".join(document.models) or "none")]
    yield table(("Figure", "Value"), [(label, after_label(value)) for label, value in rows])
    yield f"Made with {after_label(wording.version(document))}."
