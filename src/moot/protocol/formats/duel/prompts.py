"""What the participants of a duel are sent: the prompts of seed 001, word for word, and before them
a block of ours where somebody would not know what it is about."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from moot.protocol.formats.duel.order import DuelOrder, Statement
from moot.protocol.quoting import inset
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt
from moot.protocol.values import Participant
from moot.protocol.words import Role, Stance

SIDES = {Stance.PRO: "FOR", Stance.CON: "AGAINST"}
SILENCE = "(nothing: they passed)"
FIRST_OF_B = 2
"""The number of the statement before which B is told its side."""


@lru_cache(maxsize=1024)
def system(participant: Participant) -> Prompt:
    fields = (
        (participant.personality, participant.judging_criteria)
        if participant.role is Role.JUDGE
        else (participant.personality, participant.position, participant.instructions)
    )
    parts = [field.strip() for field in fields if field.strip()]
    return Prompt("verbatim", {"text": "\n\n".join(parts)})


def side(order: DuelOrder, speaker: Participant) -> Prompt | str:
    premise = order.settings.premise
    if not premise or speaker.role is Role.JUDGE:
        return ""
    return Prompt("duel/side", {"side": SIDES[speaker.stance], "premise": premise})


def plan(state: DebateState) -> Prompt:
    return Prompt("duel/plan", {"topic": state.config.topic})


def think(order: DuelOrder, state: DebateState, statement: Statement) -> Prompt:
    before = order.before(statement)
    if before is None:
        return _opening(order, state, "duel/think_opening")
    # B has not been told its side yet when it thinks for the first time (DESIGN section 9).
    block = side(order, statement.speaker) if statement.number == FIRST_OF_B else ""
    template = "duel/think_final" if _is_final(order, state, statement) else "duel/think"
    return Prompt(template, {"statement": _words(state, before), "side_block": block})


def speak(order: DuelOrder, state: DebateState, statement: Statement) -> Prompt:
    if statement.number == 1:
        return _opening(order, state, "duel/opening")
    is_final = _is_final(order, state, statement)
    return Prompt("duel/respond_final" if is_final else "duel/respond")


def _opening(order: DuelOrder, state: DebateState, template: str) -> Prompt:
    return Prompt(
        template,
        {
            "topic": state.config.topic,
            "side_block": side(order, order.a),
            "opponent": order.b.name,
        },
    )


def _is_final(order: DuelOrder, state: DebateState, statement: Statement) -> bool:
    """The last two statements are each debater's final go; the opening never is."""
    to_come = list(islice(order.coming(state), 3))
    return statement.number > 1 and len(to_come) < 3  # noqa: PLR2004 - the one after the next


def evaluate(order: DuelOrder, state: DebateState, statement: Statement) -> Prompt:
    # The seed never tells the judge what is debated (DESIGN section 9).
    case = _case(order, state) if statement.number == 1 else ""
    slots = {
        "case_block": case,
        "speaker": statement.speaker.name,
        "statement": _words(state, statement),
    }
    return Prompt("duel/evaluate", slots)


def _case(order: DuelOrder, state: DebateState) -> Prompt:
    """The topic, and who argues for what."""
    template = "duel/case_sides" if order.settings.premise else "duel/case_open"
    return Prompt(
        "duel/case", {"topic": state.config.topic, "sides": Prompt(template, _sides(order))}
    )


def _sides(order: DuelOrder) -> dict[str, str]:
    return {
        "a": order.a.name,
        "b": order.b.name,
        "a_side": SIDES.get(order.a.stance, ""),
        "b_side": SIDES.get(order.b.stance, ""),
        "premise": order.settings.premise,
    }


def score(statement: Statement) -> Prompt:
    is_first = statement.number <= FIRST_OF_B
    template = "duel/score_first" if is_first else "duel/score_running"
    return Prompt(template, {"speaker": statement.speaker.name})


def _words(state: DebateState, statement: Statement) -> str:
    turn = state.turns[statement.key]
    return SILENCE if turn.is_silent else inset(turn.said.content)


def deliberate(order: DuelOrder) -> Prompt:
    block = Prompt("duel/premise", _sides(order)) if order.settings.premise else ""
    return Prompt("duel/deliberate", {"premise_block": block})


def verdict(order: DuelOrder) -> Prompt:
    """For people only, who give it all at once."""
    return Prompt("duel/verdict", {**deliberate(order).slots, **confirm(order).slots})


def confirm(order: DuelOrder) -> Prompt:
    return Prompt("duel/confirm", {"a": order.a.name, "b": order.b.name})


def record(order: DuelOrder, confirmed: str | None) -> Prompt:
    slots = {"a": order.a.name, "b": order.b.name, "confirmed_winner": confirmed or ""}
    return Prompt("duel/record" if confirmed else "duel/record_open", slots)
