"""What the members choose, what they would have chosen before they debated, and which is better.

Ballots are cast on proposals without names, in an order that a hash of their texts fixes: nobody is
favoured by sitting first, and nobody can choose a place. A tie is shown as a tie.

Whether debating was worth it takes one call: first and last proposals, rated by the judge, who
wrote none of them, sees nothing else and cannot tell which is which. A proposal that did not change
is rated once and counts for both, and if none changed nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from string import ascii_uppercase
from typing import Any

import msgspec

from moot.protocol import ballots
from moot.protocol.answers import Answer, Schema, Unreadable
from moot.protocol.formats.council.answers import HIGHEST, LOWEST
from moot.protocol.formats.council.order import COMPARE, CRITICIZE, PROPOSE, VOTE, settings_of
from moot.protocol.formats.council.positions import final_position, has_refined, said, text_of
from moot.protocol.formats.council.seats import active, judge, members
from moot.protocol.labelling import PROPOSAL, named, shuffle_key
from moot.protocol.outcomes import Comparison
from moot.protocol.parsing import read_number, read_object
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState
from moot.protocol.values import Participant


class Candidate(msgspec.Struct, frozen=True):
    label: str
    member: Participant
    text: str


def rule(state: DebateState) -> str:
    return settings_of(state).decision


def is_voted(state: DebateState) -> bool:
    """Whether the members decide, and there is something to choose from."""
    return VOTE.times(settings_of(state)) > 0 and len(candidates(state)) > 1


def candidates(state: DebateState) -> tuple[Candidate, ...]:
    """What can be chosen: the members' last positions, labelled A, B, C."""
    turns = ((one, final_position(state, one.id)) for one in active(state))
    found = [(one, text_of(turn)) for one, turn in turns if turn]
    in_order = sorted(found, key=lambda pair: shuffle_key(state.config.topic, pair[1]))
    return tuple(
        Candidate(label, one, text)
        for label, (one, text) in zip(ascii_uppercase, in_order, strict=False)
    )


def are_in(state: DebateState) -> bool:
    """Whether every member has cast its ballot, or is done without."""
    return all(is_settled(state, VOTE.key(state.round, one.id)) for one in active(state))


def count(state: DebateState) -> dict[str, Any]:
    """The result: points by name, who leads, and every ballot; see `tallied`."""
    names = {one.label: one.member.name for one in candidates(state)}
    is_ranked = rule(state) == "rank"
    cast = {one.name: [names[each] for each in _ballot(state, one)] for one in active(state)}
    found = ballots.tallied(cast, list(names.values()), is_ranked=is_ranked)
    return {
        "rule": rule(state),
        **_named(state, found.leaders),
        "points": found.points,
        "is_majority": found.is_majority,
        "ballots": cast,
    }


def uncounted(state: DebateState) -> tuple[str, ...]:
    """Whose ballot came and counts for nobody, each with the reason."""
    turns = ((one.name, state.turn(VOTE.key(state.round, one.id))) for one in active(state))
    return ballots.uncounted(turns)


def leaders(state: DebateState, result: Mapping[str, Any]) -> list[str]:
    """Who has won, or is tied, by id."""
    named = [result["winner"]] if result["winner"] else result["tied"]
    return [one.id for one in members(state) if one.name in named]


def _ballot(state: DebateState, voter: Participant) -> list[str]:
    return ballots.ranking(state.turn(VOTE.key(state.round, voter.id)))


def _named(state: DebateState, leaders: Sequence[str]) -> dict[str, Any]:
    """A single leader has won; several are tied, and nobody has won."""
    winner = leaders[0] if len(leaders) == 1 else None
    ids = {one.name: one.id for one in members(state)}
    return {
        "winner": winner,
        "winner_id": ids[winner] if winner else None,
        "tied": list(leaders) if len(leaders) > 1 else [],
    }


# --- before the debate ----------------------------------------------------------------------------


def before_debate(state: DebateState) -> dict[str, Any] | None:
    """What the members would have chosen among their first proposals, without any debate.

    Each member rates the others' in its first critiques, which costs no further call; the highest
    mean leads. None if nobody gave a rating that can be read.
    """
    ratings = {one.name: _ratings(state, one.id) for one in members(state)}
    means = {name: round(fmean(rated), 1) for name, rated in ratings.items() if rated}
    if not means:
        return None
    leaders = ballots.leading(means)
    by_name = {one.name: one for one in members(state)}
    turns = {name: said(state, PROPOSE.key(1, by_name[name].id)) for name in leaders}
    return {
        **_named(state, leaders),
        "ratings": means,
        "proposals": {name: text_of(turn) for name, turn in turns.items() if turn},
    }


def _ratings(state: DebateState, member: str) -> list[float]:
    turns = (
        said(state, CRITICIZE.key(1, by.id, member)) for by in members(state) if by.id != member
    )
    given = ((turn.said.data or {}).get("rating") for turn in turns if turn)
    return [float(one) for one in given if one is not None]


# --- was debating worth it? -----------------------------------------------------------------------

BEFORE, AFTER = "before", "after"


class Version(msgspec.Struct, frozen=True):
    """A proposal as it stood before the debate or after it."""

    when: str
    name: str
    text: str


def versions(state: DebateState) -> tuple[Version, ...]:
    """All first proposals, and what came of those whose authors took part to the end."""
    first = ((one, said(state, PROPOSE.key(1, one.id))) for one in members(state))
    last = ((one, final_position(state, one.id)) for one in active(state))
    rows = ((BEFORE, first), (AFTER, last))
    return tuple(
        Version(when, one.name, text_of(turn))
        for when, turns in rows
        for one, turn in turns
        if turn
    )


def labelled(state: DebateState) -> dict[str, str]:
    """The different texts by letter, in an order that nobody has chosen."""
    texts = {one.text for one in versions(state)}
    in_order = sorted(texts, key=lambda text: shuffle_key(state.config.topic, text))
    return dict(zip(ascii_uppercase, in_order, strict=False))


def is_changed(state: DebateState) -> bool:
    """Whether anybody ended with something other than their own first proposal. To end with what
    another member had proposed is a change too, though the text is not new."""
    found = versions(state)
    before, after = (
        {(one.name, one.text) for one in found if one.when == when} for when in (BEFORE, AFTER)
    )
    return not after <= before


def is_rated(state: DebateState) -> bool:
    """Whether the judge is asked: nobody would rate twenty texts by hand."""
    is_asked = COMPARE.times(settings_of(state)) > 0 and not judge(state).is_human
    return is_asked and is_changed(state)


def descriptions(state: DebateState) -> dict[str, str]:
    """What people read behind the letters: `Ada, before`."""
    found = versions(state)
    return {
        label: "; ".join(f"{one.name}, {one.when}" for one in found if one.text == text)
        for label, text in labelled(state).items()
    }


def comparison(state: DebateState) -> Comparison | None:
    """How first and last proposals were rated; None if the judge was not to be asked, or the debate
    ended before anybody could change anything."""
    if not COMPARE.times(settings_of(state)) or not has_refined(state):
        return None
    turn = said(state, COMPARE.key(state.round, judge(state).id))
    ratings = ((turn.said.data or {}).get("ratings") or {}) if turn else {}
    by_text = {text: ratings[label] for label, text in labelled(state).items() if label in ratings}
    rated = [one for one in versions(state) if one.text in by_text]
    halves = [[one for one in rated if one.when == when] for when in (BEFORE, AFTER)]
    if not is_changed(state) or not all(halves):
        return Comparison(is_changed=is_changed(state))
    (before, best_before), (after, best_after) = (_best(half, by_text) for half in halves)
    return Comparison(
        is_changed=True,
        before=before,
        after=after,
        best_before=best_before,
        best_after=best_after,
    )


def _best(found: list[Version], by_text: Mapping[str, float]) -> tuple[float, tuple[str, ...]]:
    most = max(by_text[one.text] for one in found)
    return most, tuple(one.name for one in found if by_text[one.text] == most)


class RatingsAnswer(Answer, frozen=True, kw_only=True):
    """A number for each label. `names` are those behind the labels, for people to read."""

    labels: tuple[str, ...]
    names: Mapping[str, str] = {}

    @property
    def schema(self) -> Schema:
        number = {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}
        ratings = {
            "type": "object",
            "properties": dict.fromkeys(self.labels, number),
            "required": list(self.labels),
            "additionalProperties": False,
        }
        body = {
            "type": "object",
            "properties": {"reasons": {"type": "string"}, "ratings": ratings},
            "required": ["reasons", "ratings"],
            "additionalProperties": False,
        }
        return Schema("ratings", body)

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return found
        given = found.get("ratings")
        if not isinstance(given, dict):
            return Unreadable("ratings must be an object with a number for each letter")
        ratings: dict[str, int | float] = {}
        for label, value in self._sought(given):
            number = read_number(value, lowest=LOWEST, highest=HIGHEST, name=f"ratings.{label}")
            if isinstance(number, Unreadable):
                return number
            ratings[label] = number
        reasons = found.get("reasons")
        return {"reasons": reasons if isinstance(reasons, str) else "", "ratings": ratings}

    def _sought(self, given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """The rating for each label, which may be given as `A`, `a` or `Proposal A`."""
        plain = {
            str(key).strip().upper().removeprefix("PROPOSAL").strip(): given[key] for key in given
        }
        return ((label, plain.get(label)) for label in self.labels)

    def fallback(self, reason: str) -> dict[str, Any]:
        """No rating is made up."""
        return {"reasons": "", "ratings": {}, "reason": reason}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        if data is None or "reason" in data:
            return text
        names = {f"{PROPOSAL} {label}": name for label, name in self.names.items()}
        rows = (f"- {PROPOSAL} {label}: {rated:g}" for label, rated in data["ratings"].items())
        said_ = "\n".join(("First and last proposals, rated without names:", *rows))
        return named(f"{said_}\n\n{data['reasons']}".strip(), names)
