"""All critiques of a person in one form: a field for each proposal, by its label.

The log has one turn for each critique, as it has for models; see `occasions`. Where a person leaves
a critique empty, they pass, but the form as a whole must say something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from moot.protocol import forms
from moot.protocol.answers import Unreadable
from moot.protocol.briefs import brief as for_people
from moot.protocol.formats.council.answers import CRITIQUE
from moot.protocol.formats.council.briefing import critiques_prompt
from moot.protocol.formats.council.labels import proposal_label
from moot.protocol.formats.council.records import HIGHEST, LOWEST, RecordAnswer
from moot.protocol.parsing import read_number, read_object
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Participant

TEXT, RATING = "critique", "rating"
NOTHING = "say something about one of the proposals, or pass"


class Remark(RecordAnswer, frozen=True, kw_only=True):
    """What a person says of one proposal, in their own words, and a rating if they like. `labels`
    are the proposals that the form has; a remark without any is part of another remark's form."""

    label: str
    labels: tuple[str, ...] = ()

    @property
    def form(self) -> dict[str, Any] | None:
        fields = (field for label in self.labels for field in _fields(label))
        return forms.form(*fields) if self.labels else None

    @property
    def may_be_left(self) -> bool:
        return True

    def written(self, filled: dict[str, Any]) -> str:
        said = {name: filled.get(_field(name, self.label)) for name in (TEXT, RATING)}
        return msgspec.json.encode(said).decode()

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return self._as_plain(text) if len(self.labels) == 1 and text.strip() else found
        said = found.get(TEXT)
        number = read_number(found.get(RATING), lowest=LOWEST, highest=HIGHEST, name=RATING)
        rating = None if isinstance(number, Unreadable) else number
        if isinstance(said, str) and said.strip():
            return {**self._as_plain(said), RATING: rating}
        return Unreadable(NOTHING) if rating is None else {**self._nothing(), RATING: rating}

    def flags(self, data: dict[str, Any] | None) -> tuple[str, ...]:
        """None: that a person wrote prose is nothing a reader must be told."""
        del data
        return ()


def _field(name: str, label: str) -> str:
    """`critique_b` for Proposal B."""
    return f"{name}_{label.rsplit(maxsplit=1)[-1].lower()}"


def _fields(label: str) -> tuple[forms.Field, forms.Field]:
    rating = forms.number(
        _field(RATING, label), f"Rating of {label}", minimum=LOWEST, maximum=HIGHEST
    )
    said = forms.text(_field(TEXT, label), f"What you think of {label}", required=False)
    return said, {**rating, "required": False}


def one_form(state: DebateState, critic: Participant, steps: Sequence[Step]) -> tuple[Step, ...]:
    """The critiques of one person as one question; one by one if 0.1 has asked them that way."""
    # By seats, not by labels: keys have names, and the order of labels would tell whose they are.
    *along, last = steps
    keys = [step.key for step in along]
    if last.key in state.turns or any(key in state.turns or key in state.questions for key in keys):
        return tuple(steps)
    prompt = critiques_prompt(state, [step.about for step in steps])
    parts = [_part(step, proposal_label(state, step.about)) for step in steps]
    labels = tuple(sorted(proposal_label(state, step.about) for step in steps))
    replace = msgspec.structs.replace
    return (
        replace(
            parts[-1],
            answer=replace(parts[-1].answer, labels=labels),
            for_people=for_people(state, critic, prompt),
            along=tuple(parts[:-1]),
        ),
    )


def _part(step: Step, label: str) -> Step:
    heading = step.answer.heading if isinstance(step.answer, RecordAnswer) else ""
    same = {name: getattr(CRITIQUE, name) for name in ("name", "main", "fields")}
    return msgspec.structs.replace(step, answer=Remark(**same, heading=heading, label=label))
