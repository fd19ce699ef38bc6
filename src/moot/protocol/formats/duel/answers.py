"""Scores and verdicts: their shapes, how they are read, and what follows from them.

A person who judges fills in one form for a statement and one for the verdict. The steps are those
of seed 001: what is filled in at once stands in the log as evaluation and score, or as
deliberation, confirmation, record and announcement.

DESIGN section 9: a missing verdict is never replaced by an invented one; a winner that contradicts
the scores is kept and flagged, not swapped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moot.protocol import forms
from moot.protocol.answers import ECHO, Answer, Schema, Unreadable
from moot.protocol.outcomes import HIGHEST, LOWEST, OutcomeStatus, is_contested
from moot.protocol.parsing import is_record, read_object, read_whole
from moot.protocol.winners import chosen, is_tie, meant, names_winner, otherwise, upholds
from moot.protocol.words import PASSED

REASONING = "reasoning"
EXAMPLE = (8, 6)
"""The scores in the example of `duel/record`, where the first debater wins."""
NAMED_NOBODY = "the judge confirmed nobody, and neither weighing nor announcing named the winner"
NO_WINNER = "it names neither of the two as the winner"
CALLED_TIE = "it calls the debate a tie, and a duel is to have a winner"
_WHOLE = {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def score_field(name: str, label: str) -> forms.Field:
    """A field for a whole number within the bounds of a score."""
    return forms.number(name, label, minimum=LOWEST, maximum=HIGHEST, is_whole=True)


_SCORE = Schema("score", _object({"score": _WHOLE, "reasoning": {"type": "string"}}))


class ScoreAnswer(Answer, frozen=True, kw_only=True):
    """`{"score": 7, "reasoning": "..."}`, the score whole and within bounds (seed 001, 3b)."""

    @property
    def schema(self) -> Schema:
        return _SCORE

    @property
    def form(self) -> dict[str, Any]:
        return forms.form(
            score_field("score", "Score"),
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
    """One of the names. A text with no name or several is an answer too: nobody (seed 001, 5b)."""

    names: tuple[str, ...]

    @property
    def form(self) -> dict[str, Any]:
        return forms.form(
            forms.choice("winner", "Winner", zip(self.names, self.names, strict=True))
        )

    def written(self, filled: dict[str, Any]) -> str:
        return str(filled["winner"])

    def read(self, text: str) -> dict[str, Any]:
        return {"confirmed_winner": chosen(text, self.names)}


class VerdictAnswer(Answer, frozen=True, kw_only=True):
    """`{"winner": name, "scores": {name: whole number}}` (seed 001, 5c).

    With `confirmed` set, no other winner is accepted. `named` is whom the judge has called the
    winner before, if anybody. The figures of the example are an echo unless the winner was
    confirmed or named before, and whoever it names if no statement was scored before: then nobody
    can say that the judge has ever thought of a figure.
    """

    names: tuple[str, ...]
    confirmed: str | None = None
    named: str | None = None
    has_scored: bool = True

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
                score_field(f"score_{number}", f"Score of {name}")
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
        if isinstance(scores, Unreadable):
            return scores
        if tuple(scores.values()) == EXAMPLE:
            is_meant = winner != self.names[0] or winner in (self.confirmed, self.named)
            if not (is_meant and self.has_scored):
                return ECHO
        return {"winner": winner, "scores": scores}

    def fallback(self, reason: str) -> dict[str, Any]:
        """No winner and no scores, only the reason."""
        return {"winner": None, "scores": None, "reason": reason}

    def _winner(self, given: object) -> str | Unreadable:
        winner = meant(given, self.names)
        if winner is None:
            wanted = "winner must be " + " or ".join(f"'{name}'" for name in self.names)
            return Unreadable(wanted, CALLED_TIE if is_tie(given) else NO_WINNER)
        if self.confirmed and winner != self.confirmed:
            wanted = f"winner must be '{self.confirmed}', as you confirmed"
            return Unreadable(wanted, f"it names {winner}, and the judge had confirmed another")
        return winner

    def _scores(self, given: object) -> dict[str, int] | Unreadable:
        if not isinstance(given, dict):
            wanted = "scores must be an object with a score for each name"
            return Unreadable(wanted, "it has no scores")
        scores: dict[str, int] = {}
        for name in self.names:
            value = next((given[key] for key in given if meant(key, self.names) == name), None)
            score = read_whole(value, lowest=LOWEST, highest=HIGHEST, name=f"the score of {name}")
            if isinstance(score, Unreadable):
                return score
            scores[name] = score
        return scores


class AnnouncementAnswer(Answer, frozen=True, kw_only=True):
    """Free text that carries the verdict it announces, which was settled before it was written.

    With `unnamed` set, only the record names that winner: unless the announcement names them too,
    there is no verdict. If it names somebody else, the verdict stands and is contested.
    """

    verdict: Mapping[str, Any]
    names: tuple[str, ...] = ()
    unnamed: str | None = None

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        if not text.strip():
            return Unreadable("the reply was empty")
        if is_record(text):
            return Unreadable("it is a JSON object where words to the debaters were asked for")
        return {**self._verdict(text), "reasoning": text}

    def fallback(self, reason: str) -> dict[str, Any]:
        del reason
        return {**self._verdict(""), "reasoning": ""}

    def _verdict(self, text: str) -> Mapping[str, Any]:
        if self.unnamed is not None and not names_winner(text, self.unnamed, self.names):
            return {**self.verdict, **_nobody(NAMED_NOBODY)}
        return compared(self.verdict, text, self.names)


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
    read = extracted if extracted and extracted["winner"] else None
    winner: str | None = read["winner"] if read else confirmed
    if winner is None:
        return {"confirmed_winner": None, **_nobody((extracted or {}).get("reason", ""))}
    scores: dict[str, int] | None = dict(read["scores"]) if read else None
    return {
        "winner": winner,
        "winner_id": next((key for key, name in names.items() if name == winner), None),
        "scores": scores,
        "premise_upheld": winner == upholds if upholds else None,
        "confirmed_winner": confirmed,
        "is_unconfirmed": confirmed is None,
        "status": OutcomeStatus.DECIDED if read else OutcomeStatus.SCORES_UNKNOWN,
        "is_contested": is_contested(winner, scores),
    }


def compared(verdict: Mapping[str, Any], text: str, names: Sequence[str]) -> Mapping[str, Any]:
    """The verdict, contested if the judge's own words call somebody else the winner, or say of the
    premise what would make somebody else the winner."""
    winner = verdict.get("winner")
    if winner is None:
        return verdict
    told = otherwise(text, winner, names)
    if told is None and (is_upheld := verdict.get("premise_upheld")) is not None:
        is_other = upholds(text) is (not is_upheld)
        told = next((name for name in names if name != winner), None) if is_other else None
    return {**verdict, "told": told, "is_contested": True} if told else verdict


def _nobody(reason: str) -> dict[str, Any]:
    """No verdict, and why."""
    return {
        "winner": None,
        "winner_id": None,
        "scores": None,
        "premise_upheld": None,
        "is_unconfirmed": False,
        "status": OutcomeStatus.UNREADABLE,
        "is_contested": False,
        "reason": reason,
    }


# --- what a person fills in -----------------------------------------------------------------------


class PersonsRecord(VerdictAnswer, frozen=True, kw_only=True):
    """Winner and scores as a person has filled them in: the figures of the example are no echo."""

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        said = None if isinstance(found, Unreadable) else found.get("winner")
        named = meant(said, self.names)
        return VerdictAnswer(names=self.names, confirmed=named).read(text)


class PersonsVerdict(Answer, frozen=True, kw_only=True):
    """Winner, scores and reasons in one form; `ids` maps participants to names, `upholds` is the
    name of the one who argued FOR the premise."""

    ids: Mapping[str, str]
    upholds: str | None = None

    @property
    def form(self) -> dict[str, Any]:
        names = tuple(self.ids.values())
        return forms.form(
            forms.choice("winner", "Winner", zip(names, names, strict=True)),
            *(
                score_field(f"score_{number}", f"Score of {name}")
                for number, name in enumerate(names, 1)
            ),
            forms.text(REASONING, "Why"),
        )

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        given = read_object(text)
        filled = given if isinstance(given, Unreadable) else forms.filled_in(self.form, given)
        if isinstance(filled, Unreadable):
            return filled
        record = PersonsRecord(names=tuple(self.ids.values()))
        extracted = record.read(record.written(filled))
        if isinstance(extracted, Unreadable):
            return extracted
        verdict = self._settled(extracted["winner"], extracted)
        reasons = filled[REASONING]
        return {**compared(verdict, reasons, tuple(self.ids.values())), REASONING: reasons}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        return str(data[REASONING]) if data else text

    def fallback(self, reason: str) -> dict[str, Any]:
        status = OutcomeStatus.PASSED if reason == PASSED else OutcomeStatus.MISSING
        return {**self._settled(None, None), "status": status, REASONING: ""}

    def _settled(self, winner: str | None, extracted: Mapping[str, Any] | None) -> dict[str, Any]:
        return settle(self.ids, confirmed=winner, extracted=extracted, upholds=self.upholds)
