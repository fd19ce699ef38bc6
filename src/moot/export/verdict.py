"""How a debate came out, read from the outcome of whatever format it had.

What is missing is said to be missing; a winner who has the lower score is shown so, not swapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from moot.export.document import Document, Speaker
from moot.protocol.parsing import same_name
from moot.protocol.words import StepKind, Visibility

RULINGS = {True: "PREMISE UPHELD", False: "PREMISE REJECTED"}
NOBODY = ("undecided", "none", "draw", "tie")

UNREADABLE = "The judge's answer could not be read, so there is no verdict."
NO_SCORES = "The scores could not be read; the winner is the one the judge confirmed."
CONTESTED = "Contested: the judge named a winner and gave the other side the higher score."

# Keys that are told in words; every other key of an outcome is listed as it is.
TOLD = frozenset(
    {"winner", "winner_id", "scores", "premise_upheld", "confirmed_winner", "status"}
    | {"is_contested", "fallback", "reasoning", "reason", "summary", "description", "by", "by_id"}
)


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """`announcement_of` is the sequence number of the turn that is the announcement, if one is.

    `title` is what to call it: a verdict, or the summary of a debate in which nobody was to win.
    """

    title: str
    headline: str
    winner: Speaker | None
    ruling: str | None
    scores: tuple[tuple[str, Speaker | None, str], ...]
    warnings: tuple[str, ...]
    announcement: str
    announcer: Speaker | None
    announcement_of: int | None
    others: tuple[tuple[str, str], ...]


def verdict(document: Document) -> Verdict | None:
    """None if the debate has no outcome: unfinished, canceled, or without a judge."""
    outcome = document.state.outcome
    if outcome is None:
        return None
    winner = _winner(document, outcome)
    upheld = outcome.get("premise_upheld")
    announced = _announced(document, outcome)
    reason = next(
        (
            outcome[k]
            for k in ("reasoning", "summary", "description", "reason")
            if _is_text(outcome, k)
        ),
        "",
    )
    return Verdict(
        title=_title(outcome),
        headline=_headline(outcome, winner),
        winner=winner,
        ruling=RULINGS[upheld] if isinstance(upheld, bool) else None,
        scores=_scores(document, outcome),
        warnings=tuple(_warnings(outcome)),
        announcement=announced[1] if announced else reason,
        announcer=announced[0] if announced else None,
        announcement_of=announced[2] if announced else None,
        others=tuple((_label(k), _shown(v)) for k, v in outcome.items() if k not in TOLD),
    )


def _is_text(outcome: Mapping[str, Any], key: str) -> bool:
    return isinstance(outcome.get(key), str) and bool(outcome[key].strip())


def find_speaker(document: Document, name: object) -> Speaker | None:
    """The participant with that id or name."""
    if isinstance(name, str) and name in document.speakers:
        return document.speakers[name]
    return next((one for one in document.speakers.values() if same_name(name, one.name)), None)


def _winner(document: Document, outcome: Mapping[str, Any]) -> Speaker | None:
    given = outcome.get("winner_id") or outcome.get("winner")
    return find_speaker(document, given)


def _is_summary(outcome: Mapping[str, Any]) -> bool:
    """Whether it tells who summed up instead of who won."""
    return "by_id" in outcome


def _is_solution(outcome: Mapping[str, Any]) -> bool:
    """Whether it is what a council came to."""
    return "recommendations" in outcome


def _title(outcome: Mapping[str, Any]) -> str:
    if _is_summary(outcome):
        return "Summary"
    if _is_solution(outcome):
        return "Solution"
    return "Verdict" if "winner" in outcome else "Outcome"


def _headline(outcome: Mapping[str, Any], winner: Speaker | None) -> str:
    named = outcome.get("winner")
    if winner is not None:
        return f"{winner.name} wins"
    if isinstance(named, str) and named.lower() not in NOBODY:
        return f"{named} wins"
    if _is_summary(outcome):
        return f"Summed up by {outcome.get('by')}"
    if _is_solution(outcome):
        return "What the council came to"
    return "No verdict" if "winner" in outcome else "Outcome"


def _warnings(outcome: Mapping[str, Any]) -> list[str]:
    found = []
    status = outcome.get("status")
    if status == "unreadable" or outcome.get("fallback") is True:
        found.append(UNREADABLE)
    if status == "scores_unknown":
        found.append(NO_SCORES)
    if outcome.get("is_contested") is True:
        found.append(CONTESTED)
    if outcome.get("fallback") is True and _is_text(outcome, "reason"):
        found.append(str(outcome["reason"]))
    return found


def _scores(
    document: Document, outcome: Mapping[str, Any]
) -> tuple[tuple[str, Speaker | None, str], ...]:
    scores = outcome.get("scores")
    if not isinstance(scores, dict):
        return ()
    rows = []
    for key, value in scores.items():
        speaker = find_speaker(document, key)
        rows.append((speaker.name if speaker else str(key), speaker, _shown(value)))
    return tuple(rows)


def _announced(document: Document, outcome: Mapping[str, Any]) -> tuple[Speaker, str, int] | None:
    kind = StepKind.SUMMARIZE if _is_summary(outcome) else StepKind.VERDICT
    for entry in reversed(document.transcript):
        said = entry.turn.said
        if said.kind is kind and said.visibility is Visibility.PUBLIC:
            return (entry.speaker, said.content, entry.turn.seq) if said.content.strip() else None
    return None


def _label(key: str) -> str:
    return key.replace("_", " ").strip().capitalize()


def _shown(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return "; ".join(_shown(one) for one in value) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{_label(str(k))}: {_shown(v)}" for k, v in value.items()) or "none"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
