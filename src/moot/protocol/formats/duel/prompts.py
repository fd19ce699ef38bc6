"""What the participants of a duel are sent: the prompts of seed 001, word for word, and before them
a block of ours where somebody would otherwise not know what the prompt is about."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from moot.protocol.briefs import asked_words, joined, persona, told_criteria
from moot.protocol.formats.duel.order import DuelOrder, Statement
from moot.protocol.quoting import block, inset
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt
from moot.protocol.values import Participant
from moot.protocol.words import Role, Stance

SIDES = {Stance.PRO: "FOR", Stance.CON: "AGAINST"}
SILENCE = "(nothing: they passed)"
FIRST_OF_B = 2
"""The number of the statement before which B is told its side."""


@lru_cache(maxsize=1024)
def system(one: Participant) -> Prompt:
    fields = (
        (one.personality, one.judging_criteria)
        if one.role is Role.JUDGE
        else (one.personality, one.position, one.instructions)
    )
    return Prompt("verbatim", {"text": persona(*fields)})


def _manner(argued: Prompt | str, judge: Participant | None, words: int) -> Prompt | str:
    """What a debater has to know before the seed's first words: what to argue, before whom, and at
    what length."""
    asked = Prompt("duel/length", {"words": str(words)}) if words else ""
    parts = (argued, told_criteria(judge, _criteria(judge)), asked)
    return joined(*parts) if any(parts) else ""


def _criteria(judge: Participant | None) -> Prompt | str:
    """The judge's own criteria, or what the seed has every judge ask."""
    own = judge.judging_criteria.strip() if judge else ""
    return block(own) if own else Prompt("duel/criteria")


def side(order: DuelOrder, speaker: Participant) -> Prompt | str:
    premise = order.settings.premise
    if speaker.role is Role.JUDGE:
        return ""
    if premise:
        return Prompt("duel/side", {"side": SIDES[speaker.stance], "premise": premise})
    return _argued(order, speaker)


def _argued(order: DuelOrder, speaker: Participant) -> Prompt | str:
    """What the topic gives the speaker to argue, where no premise does."""
    other = order.b if speaker.id == order.a.id else order.a
    if not speaker.argues:
        return ""
    slots = {"argues": speaker.argues, "opponent": other.name, "other": other.argues}
    return Prompt("duel/argues", slots)


def plan(order: DuelOrder, state: DebateState, debater: Participant) -> Prompt:
    words = asked_words(debater, order.settings.words)
    manner = _manner(_argued(order, debater), order.judge, words)
    return Prompt("duel/plan", {"manner_block": manner, "topic": state.config.topic})


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
    has_sides = bool(order.a.argues and order.b.argues)
    template = "case_argues" if has_sides else "case_open"
    if order.settings.premise:
        template = "case_sides"
    sides = Prompt(f"duel/{template}", _sides(order))
    return Prompt("duel/case", {"topic": state.config.topic, "sides": sides})


def _sides(order: DuelOrder) -> dict[str, str]:
    return {
        "a": order.a.name,
        "b": order.b.name,
        "a_side": SIDES.get(order.a.stance, ""),
        "b_side": SIDES.get(order.b.stance, ""),
        "a_argues": order.a.argues,
        "b_argues": order.b.argues,
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
    """The whole verdict in one prompt: for people only, who give it all at once."""
    return Prompt("duel/verdict", {**deliberate(order).slots, **confirm(order).slots})


def confirm(order: DuelOrder) -> Prompt:
    return Prompt("duel/confirm", {"a": order.a.name, "b": order.b.name})


def record(order: DuelOrder, confirmed: str | None) -> Prompt:
    slots = {"a": order.a.name, "b": order.b.name, "confirmed_winner": confirmed or ""}
    return Prompt("duel/record" if confirmed else "duel/record_open", slots)
