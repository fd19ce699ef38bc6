"""Scores and verdicts: their shapes, how they are read, and what follows from them.

DESIGN section 9: a missing verdict is never replaced by an invented one; a winner that contradicts
the scores is kept and flagged, not swapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.protocol import forms
from moot.protocol.answers import Answer, Schema, Unreadable
from moot.protocol.outcomes import HIGHEST, LOWEST
from moot.protocol.parsing import find_name, read_object, read_whole, same_name

_WHOLE = {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


class ScoreAnswer(Answer, frozen=True, kw_only=True):
    """`{"score": 7, "reasoning": "..."}`, the score whole and within bounds (seed 001, 3b)."""

    @property
    def schema(self) -> Schema:
        return Schema("score", _object({"score": _WHOLE, "reasoning": {"type": "string"}}))

    @property
    def form(self) -> dict[str, Any]:
        return forms.form(
            forms.number("score", "Score", minimum=LOWEST, maximum=HIGHEST),
            forms.text("reasoning", "Why", required=False),
        )

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return found
        score = read_whole(found.get("score"), lowest=LOWEST, highest=HIGHEST, name="score")
        if isinstance(score, Unreadable):
            return score
        reasoning = found.get("reasoning")
        return {"score": score, "reasoning": reasoning if isinstance(reasoning, str) else ""}


class NameAnswer(Answer, frozen=True, kw_only=True):
    """One of the names. None or several of them is an answer too: nobody (seed 001, 5b)."""

    names: tuple[str, ...]

    @property
    def form(self) -> dict[str, Any]:
        return forms.form(
            forms.choice("winner", "Winner", zip(self.names, self.names, strict=True))
        )

    def written(self, filled: dict[str, Any]) -> str:
        return str(filled["winner"])

    def read(self, text: str) -> dict[str, Any]:
        return {"confirmed_winner": find_name(text, self.names)}


class VerdictAnswer(Answer, frozen=True, kw_only=True):
    """`{"winner": name, "scores": {name: whole number}}` (seed 001, 5c).

    With `confirmed` set, no other winner is accepted.
    """

    names: tuple[str, ...]
    confirmed: str | None = None

    @property
    def schema(self) -> Schema:
        winners = [self.confirmed] if self.confirmed else list(self.names)
        scores = _object(dict.fromkeys(self.names, _WHOLE))
        winner = {"type": "string", "enum": winners}
        return Schema("verdict", _object({"winner": winner, "scores": scores}))

    @property
    def form(self) -> dict[str, Any]:
        winners = [self.confirmed] if self.confirmed else list(self.names)
        return forms.form(
            forms.choice("winner", "Winner", zip(winners, winners, strict=True)),
            *(
                forms.number(f"score_{number}", f"Score of {name}", minimum=LOWEST, maximum=HIGHEST)
                for number, name in enumerate(self.names, 1)
            ),
        )

    def written(self, filled: dict[str, Any]) -> str:
        scores = {name: filled[f"score_{number}"] for number, name in enumerate(self.names, 1)}
        return super().written({"winner": filled["winner"], "scores": scores})

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return found
        winner = self._winner(found.get("winner"))
        if isinstance(winner, Unreadable):
            return winner
        scores = self._scores(found.get("scores"))
        return scores if isinstance(scores, Unreadable) else {"winner": winner, "scores": scores}

    def _winner(self, given: object) -> str | Unreadable:
        winner = next((name for name in self.names if same_name(given, name)), None)
        if winner is None:
            return Unreadable("winner must be " + " or ".join(f"'{name}'" for name in self.names))
        if self.confirmed and winner != self.confirmed:
            return Unreadable(f"winner must be '{self.confirmed}', as you confirmed")
        return winner

    def _scores(self, given: object) -> dict[str, int] | Unreadable:
        if not isinstance(given, dict):
            return Unreadable("scores must be an object with a score for each name")
        scores: dict[str, int] = {}
        for name in self.names:
            value = next((given[key] for key in given if same_name(key, name)), None)
            score = read_whole(value, lowest=LOWEST, highest=HIGHEST, name=f"the score of {name}")
            if isinstance(score, Unreadable):
                return score
            scores[name] = score
        return scores


class AnnouncementAnswer(Answer, frozen=True, kw_only=True):
    """Free text that carries the verdict it announces, which was settled before it was written."""

    verdict: Mapping[str, Any]

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        if not text.strip():
            return Unreadable("the reply was empty")
        return {**self.verdict, "reasoning": text}

    def fallback(self, reason: str) -> dict[str, Any]:
        del reason
        return {**self.verdict, "reasoning": ""}


def settle(
    names: Mapping[str, str],
    *,
    confirmed: str | None,
    extracted: Mapping[str, Any] | None,
    upholds: str | None,
) -> dict[str, Any]:
    """The verdict that confirmation and extraction amount to.

    `names` maps participant ids to names, `upholds` is the name of the one who argued FOR the
    premise, or None without a premise.
    """
    winner: str | None = extracted["winner"] if extracted else confirmed
    scores: dict[str, int] | None = dict(extracted["scores"]) if extracted else None
    status = "decided" if extracted else "scores_unknown" if winner else "unreadable"
    return {
        "winner": winner,
        "winner_id": next((key for key, name in names.items() if name == winner), None),
        "scores": scores,
        "premise_upheld": winner == upholds if winner and upholds else None,
        "confirmed_winner": confirmed,
        "status": status,
        "is_contested": _is_contested(winner, scores),
    }


def _is_contested(winner: str | None, scores: Mapping[str, int] | None) -> bool:
    if winner is None or scores is None:
        return False
    return any(score > scores[winner] for score in scores.values())
