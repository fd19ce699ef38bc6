"""What participants of a moderated debate are told: who they are, whose turn it is, what is asked.

The seed's `[SYSTEM]` line comes first, word for word; then where the debate stands and who speaks
next; then the task. All of it is the step's prompt, so it is in the log and in a person's question.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.protocol.briefs import brief, task
from moot.protocol.formats.moderated.order import CONCLUSION, Order, Speech
from moot.protocol.formats.moderated.roster import moderator, speakers
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, Stance, StopReason, View, Visibility

NEXT_NAMES = 3
"""How many of the next speakers a prompt names."""
NOBODY = "nobody, you have the last word"

LIMITS = {
    StopReason.MAX_RUNTIME: "Time limit",
    StopReason.MAX_TOKENS: "Token limit",
    StopReason.MAX_COST: "Cost limit",
}


def step_for(order: Order, state: DebateState, speech: Speech) -> Step:
    """The step that asks for a speech."""
    chair = moderator(state.config)
    is_chair = speech.speaker.role is Role.MODERATOR
    return Step(
        key=speech.key,
        participant=speech.speaker.id,
        kind=speech.kind,
        stage=speech.stage,
        round=speech.round,
        place=order.place(speech),
        prompt=Prompt("moderated/turn", _parts(order, state, speech)),
        system=_moderator(state.config, speech) if is_chair else _debater(state.config, speech),
        for_people=_for_people(order, state, speech) if speech.speaker.is_human else None,
        view=View.TRANSCRIPT,
        max_tokens=speech.max_tokens,
        is_owed=speech.is_answer,
        asker=chair.id if chair and not is_chair else "",
    )


def listed(names: Sequence[str]) -> str:
    """`Ada`, `Ada and Bo`, `Ada, Bo and Cy`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


# --- the step's own prompt ------------------------------------------------------------------------


def _for_people(order: Order, state: DebateState, speech: Speech) -> Prompt | None:
    """The same for a person, with what was said last in place of all that was said."""
    one, parts = speech.speaker, _parts(order, state, speech)
    before = state.transcript_before(order.place(speech))
    return brief(
        state,
        one,
        Prompt("moderated/turn", {**parts, "task": task(parts["task"])}),
        side="" if one.role is Role.MODERATOR else Prompt(f"moderated/side_{one.stance}"),
        said=next((turn for turn in reversed(before) if _is_heard(turn, one)), None),
    )


def _is_heard(turn: Turn, listener: Participant) -> bool:
    is_there = turn.included and not turn.is_silent
    is_public = turn.said.visibility is Visibility.PUBLIC
    return is_there and is_public and turn.said.participant != listener.id


def _parts(order: Order, state: DebateState, speech: Speech) -> dict[str, Prompt]:
    after = _names_after(order, state, speech)
    status = Prompt(
        "moderated/status",
        {
            "stage": speech.stage.replace("_", " "),
            "round": order.shown_round(speech),
            "next": ", ".join(after) or NOBODY,
        },
    )
    next_name = after[0] if after else ""
    return {
        "signal": _signal(state, speech, next_name),
        "status": status,
        "task": _task(state.config, speech, next_name),
    }


def _signal(state: DebateState, speech: Speech, next_name: str) -> Prompt:
    # A moderator who opens the floor opens it for somebody else.
    is_chair = speech.speaker.role is Role.MODERATOR
    slots = {
        "topic": state.config.topic,
        "name": next_name if is_chair else speech.speaker.name,
        "limit": next((LIMITS.get(one, "Limit") for one in state.limits), ""),
    }
    return Prompt(speech.signal, slots)


def _names_after(order: Order, state: DebateState, speech: Speech) -> list[str]:
    if speech.stage == CONCLUSION:
        return []
    return [one.name for one in order.next_speakers(state, NEXT_NAMES + 1)[1:]]


def _task(config: Config, speech: Speech, next_name: str) -> Prompt:
    one = speech.speaker
    slots = {
        "name": one.name,
        "next": next_name,
        "roster": _roster(config),
        "others": listed([other.name for other in _others(config, one)]),
        "opponents": listed([other.name for other in _opponents(config, one)]),
        "side": one.stance,
    }
    return Prompt(speech.task, slots)


def _roster(config: Config) -> str:
    return "\n".join(
        f"- {one.label}" if one.stance is Stance.NONE else f"- {one.label} ({one.stance})"
        for one in speakers(config)
    )


def _others(config: Config, speaker: Participant) -> list[Participant]:
    return [one for one in speakers(config) if one.id != speaker.id]


def _opponents(config: Config, speaker: Participant) -> list[Participant]:
    return [one for one in speakers(config) if one.stance is speaker.stance.opposite]


# --- the system prompt ----------------------------------------------------------------------------


def _moderator(config: Config, speech: Speech) -> Prompt:
    one = speech.speaker
    slots = {
        "name": one.name,
        "topic": config.topic,
        "roster": _roster(config),
        "persona_block": _persona(one),
    }
    return Prompt("moderated/moderator", slots)


def _debater(config: Config, speech: Speech) -> Prompt:
    one = speech.speaker
    slots: dict[str, str | Prompt] = {
        "name": one.name,
        "topic": config.topic,
        "persona_block": _persona(one),
        "side_block": Prompt(f"moderated/side_{one.stance}"),
        "company_block": _company(config, one),
    }
    return Prompt("moderated/debater", slots)


def _persona(one: Participant) -> str:
    fields = (one.personality, one.position, one.instructions)
    return "\n\n".join(field.strip() for field in fields if field.strip())


def _company(config: Config, one: Participant) -> Prompt:
    """Whom one debates with: team and opponents, or simply the others."""
    others = _others(config, one)
    opponents = _opponents(config, one) if one.stance is not Stance.NONE else []
    mates = [other for other in others if other.stance is one.stance]
    if not opponents or len(opponents) + len(mates) < len(others):
        return Prompt("moderated/company", {"others": listed([other.name for other in others])})
    slots = {
        "opponents": listed([other.name for other in opponents]),
        "mates": listed([other.name for other in mates]),
    }
    return Prompt("moderated/company_team" if mates else "moderated/company_opponents", slots)
