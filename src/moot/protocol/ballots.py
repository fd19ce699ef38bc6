"""Ballots: choosing among texts without names, and counting what was chosen.

Formats say what can be chosen and who may choose. A spoilt ballot counts for nobody, and a tie is a
tie: nothing here breaks one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from moot.protocol.answers import Answer, Schema, Unreadable
from moot.protocol.labelling import PROPOSAL, named
from moot.protocol.parsing import read_object
from moot.protocol.turns import Turn
from moot.protocol.vocabulary import FLAGS

SAME = 1e-9


class BallotAnswer(Answer, frozen=True, kw_only=True):
    """A choice of one of `labels`, or with `is_ranked` a ranking of all of them, the best first.

    `noun` is what stands before each label; `names` are the names behind the labels, for people to
    read.
    """

    labels: tuple[str, ...]
    is_ranked: bool = False
    names: Mapping[str, str] = {}
    noun: str = PROPOSAL

    @property
    def schema(self) -> Schema:
        label = {"type": "string", "enum": list(self.labels)}
        most = len(self.labels)
        ranking = {"type": "array", "items": label, "minItems": most, "maxItems": most}
        name, shape = ("ranking", ranking) if self.is_ranked else ("choice", label)
        body = {
            "type": "object",
            "properties": {"reasons": {"type": "string"}, name: shape},
            "required": ["reasons", name],
            "additionalProperties": False,
        }
        return Schema("ballot", body)

    @property
    def form(self) -> dict[str, Any]:
        choices = [{"value": one, "label": f"{self.noun} {one}"} for one in self.labels]
        ballot = (
            {"name": "ranking", "label": "All letters, the best first", "kind": "list"}
            if self.is_ranked
            else {"name": "choice", "label": "Choice", "kind": "choice", "choices": choices}
        )
        reasons = {"name": "reasons", "label": "Reasons", "kind": "long_text", "required": False}
        return {"fields": [{**ballot, "required": True}, reasons]}

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return found
        given = found.get("ranking") if self.is_ranked else [found.get("choice")]
        ranking = [self._label(one) for one in given] if isinstance(given, list) else []
        wanted = len(self.labels) if self.is_ranked else 1
        chosen = [one for one in dict.fromkeys(ranking) if one is not None]
        if len(chosen) != wanted or len(ranking) != wanted:
            which = "ranking must have each of" if self.is_ranked else "choice must be one of"
            return Unreadable(f"{which} {', '.join(self.labels)}" + " once" * self.is_ranked)
        reasons = found.get("reasons")
        return {"ranking": chosen, "reasons": reasons if isinstance(reasons, str) else ""}

    def _label(self, given: object) -> str | None:
        """The label that is meant by `B`, `b` or `Proposal B`; None if it is no label."""
        if not isinstance(given, str):
            return None
        noun = re.escape(self.noun)
        bare = re.sub(rf"^{noun}\s+", "", given.strip().strip(".'\"[]"), flags=re.IGNORECASE)
        return next((one for one in self.labels if one == bare.upper()), None)

    def fallback(self, reason: str) -> dict[str, Any]:
        """A spoilt ballot counts for nobody."""
        return {"ranking": [], "reasons": "", "reason": reason}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        if data is None or "reason" in data:
            return text
        names = {f"{self.noun} {label}": name for label, name in self.names.items()}
        ballot = " > ".join(f"{self.noun} {label}" for label in data["ranking"])
        return named(f"{ballot}\n\n{data['reasons']}".strip(), names)


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What the ballots came to. `leaders` has several names if there is a tie, and is empty if no
    ballot counts."""

    points: dict[str, int]
    leaders: tuple[str, ...]
    is_majority: bool
    """Whether more than half of the ballots are for the one leader; a ranking has no majority."""


def tallied(
    ballots: Mapping[str, Sequence[str]], candidates: Sequence[str], *, is_ranked: bool
) -> Tally:
    """One vote is one point; a ranking of n candidates gives n-1 points to its first, n-2 to its
    second, and so on (Borda). `ballots` are by voter, each with candidates only."""
    points = dict.fromkeys(candidates, 0)
    for ballot in ballots.values():
        for place, one in enumerate(ballot):
            points[one] += len(points) - 1 - place if is_ranked else 1
    cast = sum(bool(ballot) for ballot in ballots.values())
    ahead = leading(points) if cast else []
    is_majority = len(ahead) == 1 and not is_ranked and 2 * points[ahead[0]] > cast
    return Tally(points=points, leaders=tuple(ahead), is_majority=is_majority)


def leading(points: Mapping[str, float]) -> list[str]:
    """Whoever has the most points: several if they are equal."""
    most = max(points.values(), default=0)
    return [name for name, one in points.items() if most - one < SAME]


# --- the turns that have ballots ------------------------------------------------------------------


def ranking(turn: Turn | None) -> list[str]:
    """The labels that a ballot chooses, the best first; none if it is spoilt, or was excluded."""
    return list((turn.said.data or {}).get("ranking", ())) if turn and turn.is_heard else []


def uncounted(ballots: Iterable[tuple[str, Turn | None]]) -> tuple[str, ...]:
    """Whose ballot came and counts for nobody, each with the reason."""
    return tuple(
        f"{name}: no ballot ({_why(turn)})" for name, turn in ballots if turn and not ranking(turn)
    )


def _why(turn: Turn) -> str:
    if not turn.included:
        return "it was excluded"
    reason = (turn.said.data or {}).get("reason") or "unreadable"
    return FLAGS.get(reason, reason)
