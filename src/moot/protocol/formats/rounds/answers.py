"""The judge's answer, as seed 003 wants it."""

from __future__ import annotations

from typing import Any

from moot.protocol import forms
from moot.protocol.answers import ECHO, Answer, Schema, Unreadable
from moot.protocol.outcomes import HIGHEST, LOWEST
from moot.protocol.parsing import read_number, read_object, words
from moot.protocol.values import Participant
from moot.protocol.winners import meant
from moot.protocol.words import EXPIRED, PASSED

NO_ANSWER = {PASSED: "the judge passed", EXPIRED: "the judge did not answer in time"}


class JudgeAnswer(Answer, frozen=True, kw_only=True):
    """Seed 003, "Structured judge verdict metadata". An unreadable answer decides nothing."""

    debaters: tuple[Participant, Participant]

    @property
    def schema(self) -> Schema:
        score = {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}
        properties = {
            "summary": {"type": "string"},
            "score_a": score,
            "score_b": score,
            "winner": {"type": "string", "enum": ["debater_a", "debater_b", "tie"]},
            "no_new_substantive_arguments": {"type": "boolean"},
        }
        return Schema(
            "judgement",
            {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        )

    @property
    def form(self) -> dict[str, Any]:
        names = [one.name for one in self.debaters]
        winners = [("debater_a", names[0]), ("debater_b", names[1]), ("tie", "A tie")]
        return forms.form(
            forms.number("score_a", f"Score of {names[0]}", minimum=LOWEST, maximum=HIGHEST),
            forms.number("score_b", f"Score of {names[1]}", minimum=LOWEST, maximum=HIGHEST),
            forms.choice("winner", "Winner", winners),
            forms.text("summary", "What decided it"),
            forms.truth("no_new_substantive_arguments", "Nothing new in the latest round"),
        )

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return found
        summary, quiet = found.get("summary"), found.get("no_new_substantive_arguments", False)
        if not isinstance(summary, str) or not summary.strip():
            return Unreadable("summary must be a text", "it gives no reasons")
        if not isinstance(quiet, bool):
            reason = "no_new_substantive_arguments must be true or false"
            return Unreadable(reason, "it does not say whether anything new was said")
        winner = self._winner(found.get("winner"))
        if winner is None:
            wanted = 'winner must be "debater_a", "debater_b" or "tie"'
            return Unreadable(wanted, "it names neither of the two as the winner, nor a tie")
        scores = [
            read_number(found.get(name), lowest=LOWEST, highest=HIGHEST, name=name)
            for name in ("score_a", "score_b")
        ]
        for score, debater in zip(scores, self.debaters, strict=True):
            if isinstance(score, Unreadable):
                return Unreadable(score.reason, f"it has no score from 0 to 10 for {debater.name}")
        return {
            "summary": summary.strip(),
            "score_a": scores[0],
            "score_b": scores[1],
            "winner": winner,
            "no_new_substantive_arguments": quiet,
        }

    def _winner(self, given: object) -> str | None:
        """Models write the id, the letter or the name; all of them mean the same."""
        if not isinstance(given, str):
            return None
        said = words(given)
        for letter, debater in zip("ab", self.debaters, strict=True):
            known = (debater.id, debater.name, letter, f"debater {letter}", f"debater_{letter}")
            if said in {words(name) for name in known}:
                return debater.id
        in_short = meant(given, [one.name for one in self.debaters])
        if in_short is not None:
            return next(one.id for one in self.debaters if one.name == in_short)
        return "tie" if said in {("tie",), ("draw",)} else None

    def fallback(self, reason: str) -> dict[str, Any]:
        """DESIGN section 9: shown as "no verdict"."""
        why = NO_ANSWER.get(reason, f"the judge's reply could not be read ({reason})")
        return {
            "summary": f"No verdict: {why}.",
            "score_a": None,
            "score_b": None,
            "winner": "undecided",
            "no_new_substantive_arguments": False,
            "fallback": True,
            "reason": reason,
        }

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        """If the reply could not be read, its own words are shown too, unless they only repeat the
        prompt."""
        if data is None:
            return text
        own = text if data.get("fallback") and data["reason"] != ECHO.reason else ""
        return f"{data['summary']}\n\n{own}".strip()
