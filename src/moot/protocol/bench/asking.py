"""The ballots of a bench as a debate has them: which are to be cast now, how they are asked for and
read, and what the ballots cast so far say.

A ballot counts once it is recorded, whatever anybody wishes afterwards: nothing here looks at
whether a turn is included. A ballot in doubt is nobody's vote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from moot.protocol import forms
from moot.protocol.answers import ECHO, Answer, Schema, Unreadable
from moot.protocol.briefs import brief, introduced, persona
from moot.protocol.echoes import is_copied
from moot.protocol.hearing.case import Case
from moot.protocol.hearing.certificate import TIE, Ballot, Finding, certify, due
from moot.protocol.hearing.plan import Order, Plan, Slot
from moot.protocol.parsing import read_object, words
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step
from moot.protocol.turns import Turn
from moot.protocol.values import Participant, Place
from moot.protocol.winners import otherwise
from moot.protocol.words import StepKind, View

STAGE = "hearing"
PROMPT = 1
"""The version of what judges are asked. A change to `prompts/templates/hearing` that could change a
vote must raise it by one, so that figures of two versions are never mixed."""
NOT_WHOLE = frozenset({"shortened", "overfull"})
"""The flags of a ballot whose judge may not have read all that was said."""
ORDERS = tuple(Order)
NOWHERE: Place = (-1,)
"""Before everything: not even the notes that people left at checkpoints reach a judge."""
FIRST: Place = (0,)


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """Judges, what they are asked about, and in which order. `before` is the place in the
    transcript behind which their ballots stand."""

    case: Case
    plan: Plan
    judges: tuple[Participant, ...]
    max_tokens: int
    before: Place = ()

    def seat(self, judge: str) -> int:
        return next(number for number, one in enumerate(self.judges) if one.id == judge)


def key_of(slot: Slot) -> str:
    return f"{STAGE}/{slot.key}"


# --- what is in -----------------------------------------------------------------------------------


def ballots(state: DebateState, bench: Bench) -> tuple[Ballot, ...]:
    """The ballots that were cast, and an empty one for each that is done without."""
    return tuple(_ballots(state, bench.plan))


def _ballots(state: DebateState, plan: Plan) -> Iterator[Ballot]:
    seen: set[tuple[str, Order, str]] = set()
    for slot in all_slots(plan):
        turn = state.turn(key_of(slot))
        if turn is not None:
            said = (slot.judge, slot.order, turn.said.content)
            ballot = _ballot(slot, turn)
            is_copy = ballot.winner is not None and said in seen and slot.judge not in plan.people
            seen.add(said)
            yield msgspec.structs.replace(ballot, is_copy=is_copy)
        elif is_settled(state, key_of(slot)):
            yield Ballot(slot=slot, winner=None)


def all_slots(plan: Plan) -> Iterator[Slot]:
    for look in plan.looks:
        yield from plan.slots(look)


def _ballot(slot: Slot, turn: Turn) -> Ballot:
    data = (turn.said.data or {}) if is_counted(turn) else {}
    return Ballot(slot=slot, winner=data.get("winner"), margin=data.get("margin"))


def is_counted(turn: Turn) -> bool:
    """Whether a ballot counts: not if its judge passed, or did not read all of the case."""
    return not turn.is_silent and NOT_WHOLE.isdisjoint(turn.said.flags)


def why_not(turn: Turn) -> str:
    """Why a ballot counts for nobody; "" if it counts."""
    if turn.is_silent:
        return "no ballot was cast"
    if not is_counted(turn):
        return "the transcript does not fit the model's window"
    data = turn.said.data or {}
    return "" if data.get("winner") is not None else str(data.get("reason") or "unreadable")


def found(state: DebateState, bench: Bench) -> Finding:
    """What follows from the ballots that are in."""
    return certify(bench.plan, ballots(state, bench))


# --- what is to be cast ---------------------------------------------------------------------------


def due_look(state: DebateState, bench: Bench) -> int:
    """The look for which ballots are still to be cast; 0 if there is none."""
    slots = due(bench.plan, ballots(state, bench))
    return slots[0].look if slots else 0


def steps(state: DebateState, bench: Bench) -> tuple[Step, ...]:
    """All ballots that may be cast now, side by side: no judge knows of another."""
    slots = due(bench.plan, ballots(state, bench))
    return tuple(_step(state, bench, slot) for slot in slots)


def _step(state: DebateState, bench: Bench, slot: Slot) -> Step:
    seat = bench.seat(slot.judge)
    return ballot_step(
        state,
        Asked(
            key=key_of(slot),
            case=bench.case,
            order=slot.order,
            judge=bench.judges[seat],
            stage=STAGE,
            round=slot.look,
            place=(*bench.before, slot.look, slot.repeat, seat, ORDERS.index(slot.order)),
            max_tokens=bench.max_tokens,
            names={one.id: one.name for one in bench.case.sides},
            before=bench.before,
        ),
    )


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One ballot that is asked for; `names` are those of the sides, for people to read."""

    key: str
    case: Case
    order: Order
    judge: Participant
    stage: str
    round: int
    place: Place
    max_tokens: int
    names: Mapping[str, str]
    before: Place = ()
    """The place behind which ballots stand."""


def ballot_step(state: DebateState, asked: Asked) -> Step:
    """The step in which that ballot is cast."""
    case, judge = asked.case, asked.judge
    prompt = Prompt(f"hearing/{_kind(case)}", _slots(case, asked.order))
    labels = case.names(asked.order)
    return Step(
        key=asked.key,
        participant=judge.id,
        kind=StepKind.VOTE,
        stage=asked.stage,
        round=asked.round,
        place=asked.place,
        prompt=prompt,
        system=_system(case, judge),
        view=View.BLANK,
        # A person reads no other ballot before they have cast their own.
        horizon=(asked.before or FIRST) if judge.is_human else NOWHERE,
        max_tokens=asked.max_tokens,
        answer=HearingBallot(
            sides={label: side for side, label in sorted(labels.items(), key=lambda one: one[1])},
            heard=case.read_in(asked.order),
            names={labels[side]: name for side, name in asked.names.items()},
        ),
        for_people=brief(state, judge, prompt),
    )


def _kind(case: Case) -> str:
    return "proposals" if case.are_proposals else "sides"


def _slots(case: Case, order: Order) -> Mapping[str, str]:
    argued = case.sides_in(order)
    premise = case.neutral_in(case.premise.strip(), order)
    return {
        "topic": case.neutral_in(case.topic, order),
        "premise_block": f"Premise: {premise}" if premise else "",
        "sides_block": f"The sides:\n{argued}" if argued else "",
        "said": case.read_in(order),
        "names": _listed([f'"{name}"' for name in sorted(case.names(order).values())]),
    }


def _listed(names: list[str]) -> str:
    return ", ".join(names)


def _system(case: Case, judge: Participant) -> Prompt:
    told = persona(judge.personality, judge.judging_criteria)
    slots = {
        "who": introduced(judge, "a judge"),
        "persona_block": told,
    }
    if not case.are_proposals:
        slots |= dict(zip(("first", "second"), case.pair, strict=True))
    return Prompt(f"hearing/{_kind(case)}_system", slots)


# --- one ballot, as it is asked for and read ------------------------------------------------------

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
