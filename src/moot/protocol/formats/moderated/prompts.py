"""What the participants of a moderated debate are told: who they are, whose turn it is, the task.

The seed's `[SYSTEM]` line comes first, word for word; then where the debate stands and who speaks
after them; then the task. All of it is the step's prompt, so it is in the log and in a person's
question.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.protocol.answers import OnUnreadable, Text
from moot.protocol.briefs import brief, task
from moot.protocol.formats.moderated import roster
from moot.protocol.formats.moderated.order import CONCLUSION, Order, Speech
from moot.protocol.manner import introduced, length, opposite, persona
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, Stance, StepKind, StopReason, View, Visibility

NEXT_NAMES = 3
"""How many of the next speakers a prompt names."""
NOBODY = "nobody, you have the last word"
OTHER_SIDE = "the other side"
OPPOSED = "against that"

LIMITS = {
    StopReason.MAX_RUNTIME: "Time limit",
    StopReason.MAX_TOKENS: "Token limit",
    StopReason.MAX_COST: "Cost limit",
}
REBUTTALS = ("classic/rebuttal_task", "classic/defence_task")
SUMMARY = "classic/summary_task"
PRIVATE_TEXT = Text(on_unreadable=OnUnreadable.RECORD)


def step_for(order: Order, state: DebateState, speech: Speech) -> Step:
    """The step that asks for a speech, or for the thought before it."""
    chair = roster.moderator(state.config)
    is_chair = speech.speaker.role is Role.MODERATOR
    is_thought = speech.kind is StepKind.THINK
    return Step(
        key=speech.key,
        participant=speech.speaker.id,
        kind=speech.kind,
        stage=speech.stage,
        round=speech.round,
        place=order.place(speech),
        prompt=_thought(order, state, speech) if is_thought else _turn(order, state, speech),
        system=_moderator(state.config, speech) if is_chair else _debater(state.config, speech),
        for_people=_for_people(order, state, speech) if speech.speaker.is_human else None,
        visibility=Visibility.PRIVATE if is_thought else Visibility.PUBLIC,
        view=View.TRANSCRIPT,
        max_tokens=speech.max_tokens,
        answer=PRIVATE_TEXT if is_thought else Text(),
        is_owed=speech.is_answer,
        asker=chair.id if chair and not is_chair else "",
    )


def listed(names: Sequence[str]) -> str:
    """`Ada`, `Ada and Bo`, `Ada, Bo and Cy`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


# --- the step's own prompt ------------------------------------------------------------------------


def _turn(order: Order, state: DebateState, speech: Speech) -> Prompt:
    asked = length(speech.speaker, speech.words)
    return Prompt("moderated/turn", {**_parts(order, state, speech), "length": asked})


def _thought(order: Order, state: DebateState, speech: Speech) -> Prompt:
    parts = _parts(order, state, speech)
    return Prompt("moderated/think", {**parts, "name": speech.speaker.name})


def _for_people(order: Order, state: DebateState, speech: Speech) -> Prompt | None:
    """The prompt for a person, with what was said last in place of all that was said."""
    one, parts = speech.speaker, _parts(order, state, speech)
    before = state.transcript_before(order.place(speech))
    return brief(
        state,
        one,
        Prompt("moderated/turn", {**parts, "task": task(parts["task"])}),
        side="" if one.role is Role.MODERATOR else _side(state.config, one),
        said=next((turn for turn in reversed(before) if _is_heard(turn, one)), None),
    )


def _is_heard(turn: Turn, listener: Participant) -> bool:
    is_public = turn.said.visibility is Visibility.PUBLIC
    is_there = turn.included and not turn.is_silent
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
        "task": _task(state, speech, next_name),
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


def _task(state: DebateState, speech: Speech, next_name: str) -> Prompt:
    one, config = speech.speaker, state.config
    slots = {
        "name": one.name,
        "next": next_name,
        "roster": _roster(config),
        "opponents": listed([other.name for other in _opponents(config, one)]),
        "side": one.stance,
    }
    if speech.task in REBUTTALS:
        return _rebuttal(state, speech, slots)
    if speech.task == SUMMARY:
        slots["heard"] = _heard(state, one)
    return Prompt(speech.task, slots)


def _rebuttal(state: DebateState, speech: Speech, slots: dict[str, str]) -> Prompt:
    """The task that fits what was said: somebody who passed cannot be rebutted."""
    opener, rebutter = (_name_of(state, speech.speaker, one) for one in ("opening", "rebuttal"))
    template = speech.task if rebutter else "classic/rebuttal_task"
    if not opener:
        template = "classic/unopened_task"
    return Prompt(template, {**slots, "opener": opener, "rebutter": rebutter})


def _name_of(state: DebateState, one: Participant, part: str) -> str:
    """Who of the other side spoke in that part of the debate; nobody if they passed."""
    stage = f"{one.stance.opposite}_{part}"
    turns = (turn for turn in state.transcript() if turn.said.stage == stage)
    spoken = [turn.said.participant for turn in turns if _is_heard(turn, one)]
    return state.participants[spoken[-1]].name if spoken else ""


def _heard(state: DebateState, one: Participant) -> str:
    """Those of the other side who have spoken so far."""
    spoken = {turn.said.participant for turn in state.transcript() if _is_heard(turn, one)}
    names = [other.name for other in _opponents(state.config, one) if other.id in spoken]
    return listed(names) or OTHER_SIDE


def _roster(config: Config) -> str:
    return "\n".join(f"- {one.label}{_stands(one)}" for one in roster.speakers(config))


def _stands(one: Participant) -> str:
    if one.stance is Stance.NONE:
        return ""
    return f" ({one.stance}: argues {one.argues})" if one.argues else f" ({one.stance})"


def _others(config: Config, speaker: Participant) -> list[Participant]:
    return [one for one in roster.speakers(config) if one.id != speaker.id]


def _opponents(config: Config, speaker: Participant) -> list[Participant]:
    return [one for one in roster.speakers(config) if one.stance is speaker.stance.opposite]


# --- the system prompt ----------------------------------------------------------------------------


def _moderator(config: Config, speech: Speech) -> Prompt:
    one = speech.speaker
    slots = {
        "who": introduced(one, "the moderator"),
        "topic": config.topic,
        "roster": _roster(config),
        "persona_block": persona(one.personality, one.position, one.instructions),
    }
    return Prompt(speech.chair, slots)


def _debater(config: Config, speech: Speech) -> Prompt:
    one = speech.speaker
    slots: dict[str, str | Prompt] = {
        "name": one.name,
        "topic": config.topic,
        "persona_block": persona(one.personality, one.position, one.instructions),
        "side_block": _side(config, one),
        "others_block": _whom_with(config, one),
    }
    return Prompt("moderated/debater", slots)


def _side(config: Config, one: Participant) -> Prompt:
    """What they argue: as the topic has it, as their persona says, or simply pro and con."""
    slots = {"stance": one.stance.upper()}
    if one.argues:
        told = {"argues": one.argues, "other": opposite(one, config.participants) or OPPOSED}
        return Prompt("moderated/side_argues", {**slots, **told})
    if one.position.strip() and one.stance is not Stance.NONE:
        return Prompt("moderated/side_position", slots)
    return Prompt(f"moderated/side_{one.stance}")


def _whom_with(config: Config, one: Participant) -> Prompt:
    """Whom one debates with: team and opponents, or simply the others."""
    others = _others(config, one)
    opponents = _opponents(config, one) if one.stance is not Stance.NONE else []
    mates = [other for other in others if other.stance is one.stance]
    if not opponents or len(opponents) + len(mates) < len(others):
        return Prompt("moderated/others", {"others": listed([other.name for other in others])})
    slots = {
        "opponents": listed([other.name for other in opponents]),
        "mates": listed([other.name for other in mates]),
    }
    return Prompt("moderated/others_team" if mates else "moderated/others_opponents", slots)
