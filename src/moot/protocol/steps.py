"""What a format asks for: steps, and the four things it can say when asked what is next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from moot.protocol.answers import Answer, Text
from moot.protocol.events import AnyEvent, TurnRecorded
from moot.protocol.outcomes import Outcome
from moot.protocol.state import DebateState
from moot.protocol.turns import Turn
from moot.protocol.values import Place
from moot.protocol.words import USER, StepKind, StopReason, View, Visibility


class Prompt(msgspec.Struct, frozen=True):
    """The name of a template and what goes into its slots; a slot may hold another prompt.

    Formats name prompts and never write them, so that texts can be read, compared and translated
    in one place. User text only ever arrives as a slot's value and is never looked at for slots.
    """

    template: str
    slots: Mapping[str, str | Prompt] = {}


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """A turn as somebody's prompt has it: the label of who said it, and what was said."""

    label: str
    text: str


Hears = Callable[[DebateState, Turn, str], Heard]
"""Says what a participant is given of a turn, in place of its speaker's name and its content."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest work a format asks for: one participant, one kind, one prompt.

    `place` is where its turn stands in the transcript. `horizon` is the first place that is not yet
    part of its prompt: its own by default; the start of the group for steps that run side by side,
    so that a prompt never depends on which sibling happened to arrive first. `since` is the first
    place that is part of its prompt: what stands before it has been summarised, or is said in the
    prompt. `included` and `is_pending` are what the turn is recorded as.
    """

    key: str
    participant: str
    kind: StepKind
    stage: str
    round: int
    place: Place
    prompt: Prompt
    system: Prompt
    visibility: Visibility = Visibility.PUBLIC
    view: View = View.OWN
    horizon: Place | None = None
    since: Place | None = None
    max_tokens: int | None = None
    answer: Answer = Text()
    not_before: datetime | None = None
    pause_s: float | None = None
    """The longest that the wait for `not_before` may last, whatever clocks say."""
    model: str = ""
    """The model to ask in place of the participant's own."""
    for_people: Prompt | None = None
    """What a person is asked in place of `prompt`; see `briefs`."""
    about: str = ""
    """Whom it is about, if not its own participant: who is evaluated, scored or criticised."""
    asker: str = ""
    """Whose question it is, if a person is to answer it."""
    along: tuple[Step, ...] = ()
    """Steps of the same person's that the answer to this one answers too; see `occasions`."""
    may_pass: bool = True
    is_owed: bool = False
    """Whether it may begin although a limit is reached: it answers somebody who has been heard, or
    belongs to what was begun side by side. Steps of a stage that closes are owed anyway."""
    tools: int = 0
    """How often it may look into the files of the debate before it answers, if its model can."""
    included: bool = True
    is_pending: bool = False
    silence_s: float | None = None
    """How long the answer may be silent; one that flows may take a call's whole time."""
    hears: Hears | None = None
    """How turns reach its model, where that is not as people read them."""
    is_patient: bool = True
    """Whether to wait as long as a provider asks for. If not, being turned away is a failure."""


def recorded(
    step: Step,
    *,
    content: str,
    data: dict[str, Any] | None,
    flags: tuple[str, ...] = (),
    visibility: Visibility | None = None,
    **rest: Any,
) -> TurnRecorded:
    """The turn of a step; `rest` is what depends on who made it.

    Raises TypeError for what could not be read back: what an answer makes of a text is anybody's
    code, and one such turn would make the whole log unreadable.
    """
    shown = visibility or step.visibility
    for what, value, kind in (
        ("text", content, str),
        ("record", data, dict | None),
        ("visibility", shown, Visibility),
        *(("flag", flag, str) for flag in flags),
    ):
        if not isinstance(value, kind):
            message = f"the turn of {step.key} could not be recorded: its {what} is {value!r:.50}"
            raise TypeError(message)
    return TurnRecorded(
        step_key=step.key,
        participant=step.participant,
        kind=step.kind,
        stage=step.stage,
        round=step.round,
        place=step.place,
        about=step.about,
        content=content,
        data=data,
        included=step.included,
        is_pending=step.is_pending,
        flags=flags,
        visibility=shown,
        **rest,
    )


class Run(msgspec.Struct, frozen=True):
    """Every step whose inputs are in the log and which has no turn yet."""

    steps: tuple[Step, ...]


class Record(msgspec.Struct, frozen=True):
    """Facts to append before anything else is decided: a stage entered, a floor given."""

    events: tuple[AnyEvent, ...]


class Idle(msgspec.Struct, frozen=True):
    """Nothing can run until a person does something."""

    reason: str


class Finish(msgspec.Struct, frozen=True):
    """The debate is over."""

    stop_reason: StopReason
    outcome: Outcome | None = None


Next = Run | Record | Idle | Finish

MOST = 2**31 - 1
"""The highest number of a round, or in a place, that every database can keep."""


def fault_in(step: Step, state: DebateState) -> str | None:
    """Why the step cannot be performed, or what comes of it not be recorded; None if both can be.

    Asked before anything is bought for it. It may be anybody's step, and made with any values.
    """
    if not isinstance(step, Step):
        return f"{step!r:.100} is no step"
    key = step.key
    if not (isinstance(key, str) and key and key.isprintable()):
        return f"{key!r:.100} cannot be the key of a step"
    fault, number, place = None, step.round, step.place
    if step.participant != USER and step.participant not in state.participants:
        fault = f"is for {step.participant!r}, who does not take part"
    elif key in state.turns:
        fault = "has its turn already"
    elif not (isinstance(number, int) and 0 <= number <= MOST):
        fault = f"is in the round {number!r:.30}, which is no number up to {MOST}"
    elif min(place) < -MOST or max(place) > MOST:
        fault = f"has the place {place!r:.30}, which is beyond {MOST}"
    elif step.max_tokens is not None and step.max_tokens < 1:
        fault = f"may have {step.max_tokens} tokens"
    elif step.not_before is not None and step.not_before.tzinfo is None:
        fault = "has a time without a time zone"
    return fault and f"the step {key} {fault}"


class Broken(msgspec.Struct, frozen=True):
    """What stands in place of an answer if the format itself raised an error."""

    error: BaseException
