"""The debate as a table, one row per turn (RFC 4180). No cell can become a formula.

The last row has the outcome, in one line, with any doubts about it.
"""

from __future__ import annotations

import csv
import io

from moot.export.document import Document, Entry
from moot.protocol.outcome_words import doubts, headline
from moot.protocol.outcomes import Outcome
from moot.protocol.state import DebateState
from moot.protocol.visibility import Shown
from moot.structs import stamp

COLUMNS = (
    "seq",
    "at",
    "stage",
    "round",
    "participant",
    "name",
    "stance",
    "kind",
    "visibility",
    "score",
    "content",
    "model",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "duration_ms",
    "type",
    "included",
    "about",
    "thought_tokens",
    "reasoning",
    "outcome",
    "origin",
)
OUTCOME = COLUMNS.index("outcome")

# What spreadsheets take for the start of a formula (OWASP, "CSV Injection"), full-width forms too.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001
Cell = str | int | float | None


def as_csv(shown: Shown, debate_id: str) -> str:
    document = Document(shown.state, debate_id)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    rows = [_row(document, entry) for entry in document.transcript]
    if rows and document.state.outcome:
        rows[-1][OUTCOME] = _told(document.state, document.state.outcome)
    writer.writerows(map(_safe, row) for row in rows)
    return out.getvalue()


def _told(state: DebateState, outcome: Outcome) -> str:
    doubtful = doubts(outcome, has_open_cards=state.has_open_cards)
    return " ".join((f"{headline(outcome)}.", *doubtful)) if doubtful else headline(outcome)


def _row(document: Document, entry: Entry) -> list[Cell]:
    said = entry.turn.said
    origin = document.state.config.origin
    speaker = document.speaker(said.participant)
    return [
        entry.turn.seq,
        stamp(entry.turn.at),
        said.stage,
        said.round,
        said.participant,
        speaker.name,
        speaker.stance,
        said.kind,
        said.visibility,
        entry.score.value if entry.score else None,
        said.content,
        said.model,
        said.usage.input_tokens,
        said.usage.output_tokens,
        said.usage.cost_usd,
        said.duration_ms,
        entry.turn.type,
        "yes" if entry.turn.included else "no",
        said.about,
        said.usage.thought_tokens,
        said.reasoning,
        None,
        origin.label if origin else None,
    ]


def _safe(cell: Cell) -> Cell:
    if isinstance(cell, str) and cell.startswith(FORMULA_STARTS):
        return "'" + cell
    return cell
