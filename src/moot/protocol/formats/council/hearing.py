"""How the turns of a council reach models: without names, and to their authors in the form that was
asked for.

Everybody's own answers come back as the JSON that was asked for, so that no model learns from its
own history to answer in another form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.protocol.formats.council.answers import RECORDS
from moot.protocol.formats.council.ballots import candidates
from moot.protocol.formats.council.labels import critic_label, proposal_label
from moot.protocol.labelling import PROPOSAL, relabelled
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Heard
from moot.protocol.words import StepKind

BALLOT = "A ballot"


def heard(state: DebateState, turn: Turn, reader: str) -> Heard:
    """What `reader` is given of a turn, and under which label."""
    if turn.said.participant == reader:
        return Heard(label="", text=recalled(turn))
    return Heard(label=_label(state, turn), text=_text(state, turn))


def recalled(turn: Turn) -> str:
    """An answer as its author is given it again."""
    answer = RECORDS.get(turn.said.kind)
    data = _read(turn)
    return answer.recalled(data) if answer and data else turn.said.content


def plainly(turn: Turn, *, with_sources: bool = False) -> str:
    """An answer in words, with labels and no names; `with_sources` says whose points were taken
    up, which only the judge can make anything of."""
    answer = RECORDS.get(turn.said.kind)
    data = _read(turn)
    if answer is None or not data:
        return _without_heading(turn)
    return answer.told(data if with_sources else _without_sources(data)) or _without_heading(turn)


def _read(turn: Turn) -> Mapping[str, Any]:
    """The data of an answer that could be read."""
    data = turn.said.data or {}
    return {} if "reason" in data else data


def _without_sources(data: Mapping[str, Any]) -> dict[str, Any]:
    def bare(value: object) -> object:
        entries = value if isinstance(value, list) else ()
        if not any(isinstance(one, dict) for one in entries):
            return value
        return [{**one, "from": ""} if isinstance(one, dict) else one for one in entries]

    return {name: bare(value) for name, value in data.items()}


def _without_heading(turn: Turn) -> str:
    """What a critique says, without the line that tells people whose proposal it is about."""
    content = turn.said.content
    if turn.said.kind is not StepKind.CRITIQUE:
        return content
    heading, _, rest = content.partition("\n\n")
    return rest if rest and heading.startswith("On the proposal of ") else content


def _label(state: DebateState, turn: Turn) -> str:
    said = turn.said
    match said.kind:
        case StepKind.PROPOSE | StepKind.REFINE:
            return proposal_label(state, said.participant)
        case StepKind.CRITIQUE:
            of = said.about
            return f"{critic_label(state, said.participant, of)} on {proposal_label(state, of)}"
        case StepKind.VOTE:
            return BALLOT
        case _:
            return state.label_of(said.participant)


def _text(state: DebateState, turn: Turn) -> str:
    if turn.said.kind is StepKind.VOTE:
        return _ballot(state, turn)
    return plainly(turn, with_sources=True)


def _ballot(state: DebateState, turn: Turn) -> str:
    """A ballot with the debate's labels in place of its own letters, which only voters see."""
    letters = {
        f"{PROPOSAL} {one.label}": proposal_label(state, one.member.id) for one in candidates(state)
    }
    data = _read(turn)
    ranked = " > ".join(letters[f"{PROPOSAL} {one}"] for one in data.get("ranking", ()))
    return f"{ranked or 'spoilt'}\n\n{relabelled(data.get('reasons', ''), letters)}".strip()
