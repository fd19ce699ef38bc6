"""What a person is asked, in one readable text: who they are, the topic, what was said, what to do.

A format gives a step of a person's a prompt of this kind in `Step.for_people`; models never see it.
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
"""What a person is called who is given no name."""
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
    """For a person in that chair, what `prompt` tells a model; None for a model.

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
    """What they stand for, where nothing but their chair says it."""
    position = participant.position.strip()
    is_debater = participant.role is Role.DEBATER
    return Prompt("brief_position", {"position": position}) if position and is_debater else ""


def _heard(state: DebateState, turn: Turn) -> Prompt:
    speaker = state.label_of(turn.said.participant)
    return Prompt("brief_said", {"speaker": speaker, "statement": block(turn.said.content)})


def task(prompt: Prompt) -> Prompt:
    """The same task, worded for people."""
    return Prompt(f"{prompt.template}_for_people", prompt.slots)
