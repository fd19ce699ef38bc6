"""A person who judges a duel: one form for a statement, one for the verdict.

The steps are those of seed 001: what is filled in at once stands in the log as evaluation and
score, or as deliberation, confirmation, record and announcement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.protocol import forms
from moot.protocol.answers import Answer, Unreadable
from moot.protocol.formats.duel.answers import VerdictAnswer, compared, score_field, settle
from moot.protocol.outcomes import OutcomeStatus
from moot.protocol.parsing import read_object
from moot.protocol.winners import meant
from moot.protocol.words import PASSED

REASONING = "reasoning"


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
