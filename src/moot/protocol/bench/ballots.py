"""One ballot: how it is asked for, and how it is read. A ballot in doubt is nobody's vote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.protocol import forms
from moot.protocol.answers import ECHO, Answer, Schema, Unreadable
from moot.protocol.echoes import is_copied
from moot.protocol.hearing.certificate import TIE
from moot.protocol.parsing import read_object, words
from moot.protocol.winners import otherwise

LEAST_MARGIN, MOST_MARGIN = 0, 3
MARGINS: Mapping[int, str] = {0: "none", 1: "narrow", 2: "clear", 3: "wide"}
"""What each margin is called. Only a tie has margin 0."""


NO_REASONS = Unreadable("reasons must be a text", "it gives no reasons")


def _number(given: object) -> object:
    """A figure in quotes is a figure."""
    is_quoted = isinstance(given, str) and given.strip() in {str(one) for one in MARGINS}
    return int(str(given)) if is_quoted else given


class HearingBallot(Answer, frozen=True, kw_only=True):
    """Which side made the better case, and by how much; reasons come first.

    `sides` has the ids behind the neutral names, the side listed first in front; `names` has the
    names that people read behind them. `heard` is what was said in the case: copied from there,
    reasons do not count.
    """

    sides: Mapping[str, str]
    heard: str = ""
    names: Mapping[str, str] = {}

    @property
    def schema(self) -> Schema:
        properties = {
            "reasons": {"type": "string"},
            "winner": {"type": "string", "enum": [*self.sides, TIE]},
            "margin": {"type": "integer", "minimum": LEAST_MARGIN, "maximum": MOST_MARGIN},
        }
        body = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return Schema("ballot", body)

    @property
    def form(self) -> dict[str, Any]:
        choices = [*((name, name) for name in self.sides), (TIE, "A tie")]
        margin = forms.number(
            "margin",
            "Margin: 0 only for a tie, 1 narrow, 2 clear, 3 wide",
            minimum=LEAST_MARGIN,
            maximum=MOST_MARGIN,
            is_whole=True,
        )
        return forms.form(
            forms.text("reasons", "What decides it"),
            forms.choice("winner", "The better case", choices),
            margin,
        )

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return found
        reasons, margin = found.get("reasons"), _number(found.get("margin"))
        if not isinstance(reasons, str) or not words(reasons) or is_copied(reasons, self.heard):
            is_copy = isinstance(reasons, str) and words(reasons)
            return ECHO if is_copy else NO_REASONS
        winner = self._winner(found.get("winner"))
        if winner is None:
            wanted = ", ".join(f'"{one}"' for one in self.sides)
            return Unreadable(f'winner must be {wanted} or "{TIE}"', "it names no side, nor a tie")
        if type(margin) is not int or not LEAST_MARGIN <= margin <= MOST_MARGIN:
            bounds = f"from {LEAST_MARGIN} to {MOST_MARGIN}"
            return Unreadable(f"margin must be a whole number {bounds}", "it has no margin")
        if wrong := self._contradiction(reasons, winner, margin):
            return wrong
        side = TIE if winner == TIE else self.sides[winner]
        return {"reasons": reasons.strip(), "winner": side, "margin": margin}

    def _contradiction(self, reasons: str, winner: str, margin: int) -> Unreadable | None:
        if (winner == TIE) is not (margin == 0):
            return Unreadable(
                "margin must be 0 for a tie, and only for a tie",
                "its winner and its margin contradict each other",
            )
        told = otherwise(reasons, None if winner == TIE else winner, tuple(self.sides))
        if told is None:
            return None
        return Unreadable(
            f"reasons call {told} the winner, and winner says {winner}",
            "its reasons and its winner contradict each other",
        )

    def _winner(self, given: object) -> str | None:
        """The neutral name that `given` consists of, or TIE; None for anything else."""
        if not isinstance(given, str):
            return None
        said = words(given)
        known = {words(name): name for name in (*self.sides, TIE)}
        # `A` will do for `Proposal A`.
        known |= {words(name)[-1:]: name for name in self.sides}
        return known.get(said)

    def fallback(self, reason: str) -> dict[str, Any]:
        """A ballot that could not be read is for nobody."""
        return {"reasons": "", "winner": None, "margin": None, "reason": reason}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        if data is None or data["winner"] is None:
            return text
        margin = f", {MARGINS[data['margin']]} margin" if data["margin"] else ""
        head = "A tie" if data["winner"] == TIE else f"{self._who(data['winner'])}{margin}"
        return f"{head}\n\n{data['reasons']}"

    def _who(self, side: str) -> str:
        """`Ada, as X`: people who read the reasons must know whom these call X."""
        label = next(name for name, one in self.sides.items() if one == side)
        return f"{self.names[label]}, as {label}" if label in self.names else label
