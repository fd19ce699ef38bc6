"""What a person is asked, in one readable text: who they are, the topic, what was said, what to do.

A format puts such a prompt into `Step.for_people` of a person's step; models never see it.
By convention the task of `duel/plan` is the template `duel/plan_for_people`, with the same slots.
"""

from __future__ import annotations

from moot.protocol.manner import introduced
from moot.protocol.quoting import block
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt
from moot.protocol.values import Participant
from moot.protocol.words import Role

YOU = "You"
"""What a person without a name is called."""
PARTS = {
    Role.MODERATOR: "the moderator of this debate",
    Role.DEBATER: "a debater",
    Role.JUDGE: "the judge of this debate",
    Role.MEMBER: "a member of this debate",
    Role.BENCH: "a judge of the bench",
}


def brief(
    state: DebateState,
    participant: Participant,
    prompt: Prompt,
    *,
    side: str | Prompt = "",
    said: Turn | None = None,
) -> Prompt | None:
    """What `prompt` tells a model, worded for a person in that chair; None if a model has it.

    `side` is what they argue for, `said` what they have to answer or to judge.
    """
    if not participant.is_human:
        return None
    part = PARTS[participant.role]
    heard = _heard(state, said) if said and not said.is_silent else ""
    return Prompt(
        "brief",
        {
            "who": part if participant.name == YOU else introduced(participant, part),
            "topic": state.config.topic,
            "side_block": side or _position(participant),
            "said_block": heard,
            "task": task(prompt),
        },
    )


def _position(participant: Participant) -> Prompt | str:
    """The position that a debater's chair gives them, for where nothing else says it."""
    position = participant.position.strip()
    is_debater = participant.role is Role.DEBATER
    return Prompt("brief_position", {"position": position}) if position and is_debater else ""


def _heard(state: DebateState, turn: Turn) -> Prompt:
    speaker = state.label_of(turn.said.participant)
    return Prompt("brief_said", {"speaker": speaker, "statement": block(turn.said.content)})


def task(prompt: Prompt) -> Prompt:
    """The same task, worded for people."""
    return Prompt(f"{prompt.template}_for_people", prompt.slots)
