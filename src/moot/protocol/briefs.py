"""What participants are told of their task: for which side, how long to speak, what the judge will
look for, and all of it in one readable text for a person.

A format puts a `brief` into `Step.for_people` of a person's step; models never see it.
By convention the task of `duel/plan` is the template `duel/plan_for_people`, with the same slots.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce

from moot.protocol.quoting import block
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Prompt
from moot.protocol.values import Participant
from moot.protocol.words import Role

# --- how a speaker is asked to speak --------------------------------------------------------------

_COUNT = r"\d+|one|two|three|four|five|six|few|single|short"
_LENGTH = re.compile(
    rf"\b(?:{_COUNT})\s+(?:\w+\s+)?(?:words?|sentences?|paragraphs?)\b", re.IGNORECASE
)


def is_called_as_role(one: Participant) -> bool:
    """Whether the name is nothing but the part they play, such as `Judge`."""
    return one.name.strip().casefold() == one.role.value


def introduced(one: Participant, part: str) -> str:
    """`Ada, the judge`, or `the judge` for one who is called Judge: it is said once."""
    return part if is_called_as_role(one) else f"{one.name}, {part}"


def persona(*fields: str) -> str:
    """The fields of a persona that say anything, with blank lines between them."""
    return "\n\n".join(field.strip() for field in fields if field.strip())


def joined(*parts: str | Prompt) -> Prompt:
    """Paragraphs of several origins, those that are empty left out."""
    said = [
        part if isinstance(part, Prompt) else Prompt("verbatim", {"text": part})
        for part in parts
        if part
    ]
    if not said:
        return Prompt("verbatim", {"text": ""})
    return reduce(lambda one, more: Prompt("joined", {"first": one, "second": more}), said)


# --- how long ------------------------------------------------------------------------------------


def sets_length(one: Participant) -> bool:
    """Whether the persona's own instructions say how long to speak."""
    return _LENGTH.search(one.instructions) is not None


def asked_words(one: Participant, words: int) -> int:
    """How many words to ask for; 0 if the persona sets its own length, or no length is set."""
    return 0 if sets_length(one) else words


def length(one: Participant, words: int) -> str | Prompt:
    """The sentence that asks for a length, to follow what else is asked; "" if there is none."""
    asked = asked_words(one, words)
    return Prompt("length", {"words": str(asked)}) if asked else ""


# --- what the judge looks for --------------------------------------------------------------------


def told_criteria(judge: Participant | None, criteria: str | Prompt) -> str | Prompt:
    """What debaters are told of what the judge looks for; "" if nobody judges."""
    if judge is None:
        return ""
    who = "the judge" if is_called_as_role(judge) else f"the judge, {judge.name},"
    return Prompt("criteria", {"judge": who, "criteria": criteria})


# --- for which side ------------------------------------------------------------------------------


def opposite(one: Participant, roster: Iterable[Participant]) -> str:
    """What the other side argues; "" if that is not known."""
    others = (other.argues for other in roster if other.stance is one.stance.opposite)
    return next((argues for argues in others if argues), "")


# --- what a person is asked, in one readable text -------------------------------------------------

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
