"""Debates that are made from a debate: a rematch, a fork, a room about a council's solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from moot.definitions import casting
from moot.definitions.debate_file import SIDE
from moot.definitions.debates import Cast
from moot.engine.attaching import File
from moot.engine.creation import MAX_TOPIC, NewDebate
from moot.engine.forking import Changes
from moot.errors import InvalidInput, NotFound, Refused
from moot.export import render
from moot.ids import new_seed
from moot.protocol.events import Recorded
from moot.protocol.log import fold
from moot.protocol.outcomes import Solution
from moot.protocol.registry import ROOM, format_named
from moot.protocol.roster import has_two_sides, swapped
from moot.protocol.settings import as_data, frozen
from moot.protocol.values import Config, Participant
from moot.protocol.words import SAMPLE_MODEL, Role, Stance
from moot.staging.request import DebateRequest, ModelChoice
from moot.staging.roster import by_id, check_judge_model, with_models

RECORD = "decision-record"
"""The kind of document that a room is given to discuss; not every format has it."""
_DISCUSSED = "What a council came to (solution.md), on the question: {topic}"


class Rematch(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be different in a rematch. The same participants take part again."""

    swap: bool = False
    """Whether everybody argues the other side."""
    models: ModelChoice = ModelChoice()
    seed: int | None = None
    """The seed for drawing who opens, if that was drawn; None means a new one."""


def discussion(log: Sequence[Recorded], debate_id: str) -> DebateRequest:
    """A room in which the members of a council discuss its solution with the user.

    Raises Refused if there is none. A person who sat in the council is the user here.
    """
    state = fold(log)
    found = state.outcome
    has_record = RECORD in format_named(state.config.format).documents
    if not has_record or not isinstance(found, Solution) or not found.description:
        message = (
            "there is nothing to discuss: only a council that has found a solution can be discussed"
        )
        raise Refused(message)
    seats = (one for one in state.config.participants if one.role is Role.MEMBER)
    return DebateRequest(
        topic=_DISCUSSED.format(topic=state.config.topic)[:MAX_TOPIC],
        format=ROOM,
        participants=tuple(_askable(one) for one in seats if not one.is_human),
        files=(File("solution.md", render(log, RECORD, debate_id=debate_id)),),
    )


def rematch(config: Config, debate_id: str, files: Mapping[str, str], wanted: Rematch) -> NewDebate:
    """The debate of that configuration once more; `files` are the texts it was given, by hash.

    Nothing of what was said goes into it. Raises Refused where there are no sides to swap, and
    InvalidInput for a seed where nothing was drawn.
    """
    if config.hears is not None:
        message = (
            "a hearing has no rematch; ask a bench about the same debate again with: "
            f"moot judge {config.hears.debate}"
        )
        raise Refused(message)
    if config.exam is not None:
        raise Refused("an exam has no rematch; hold it again with `moot judges exam MODEL`")
    rules = format_named(config.format)
    settings = as_data(frozen(rules.settings, config.settings))
    config = msgspec.structs.replace(
        config, participants=tuple(_askable(one) for one in config.participants)
    )
    cast = Cast(participants=config.participants)
    if wanted.swap:
        cast, settings = Cast(participants=_swapped(config)), _other_side(settings)
    if any(draw.name == "order" for draw in config.draws):
        seed = new_seed() if wanted.seed is None else wanted.seed
        cast = casting.reordered(cast.participants, seed)
    elif wanted.seed is not None:
        raise InvalidInput(
            "has no effect: nothing was drawn in that debate; leave it out", field="seed"
        )
    check_judge_model(wanted.models, rules.name, cast.participants)
    return NewDebate(
        topic=config.topic,
        format=rules.name,
        settings=settings,
        participants=with_models(cast.participants, wanted.models),
        seed=cast.seed,
        draws=cast.draws,
        files=tuple(File(one.name, files[one.sha256]) for one in config.attachments),
        # They were given to that debate already, by somebody who insisted.
        allows_secrets=True,
        rematch_of=debate_id,
    )


def changes(
    log: Sequence[Recorded], at: int | None, models: ModelChoice, settings: Mapping[str, Any]
) -> Changes:
    """How a fork of that log after event `at` is to differ, with participants given by id.

    Raises InvalidInput, naming the field, for a name that nobody has who takes part by then.
    """
    shared = log[:at] if at is not None and at > 0 else log
    state = fold(shared)
    roster = tuple(state.participants.values())
    check_judge_model(models, state.config.format, roster)
    single: dict[str, str] = {}
    for who, model in models.single.items():
        try:
            single |= by_id({who: model}, roster)
        except NotFound as error:
            raise InvalidInput(str(error), field=f"changes.models.{who}") from None
    others = msgspec.structs.replace(models, single={})
    pairs = zip(roster, with_models(roster, others), strict=True)
    replaced = {new.id: new.model for old, new in pairs if new.model != old.model}
    return Changes(settings=settings, models={**replaced, **single})


def _askable(one: Participant) -> Participant:
    """The participant; a sample's model, which nobody can call, gives way to the default here."""
    return msgspec.structs.replace(one, model="") if one.model == SAMPLE_MODEL else one


def _swapped(config: Config) -> tuple[Participant, ...]:
    if not has_two_sides(config.participants):
        message = (
            f"there are no sides to swap: nobody in this {config.format} argues for or against"
        )
        raise Refused(message)
    return swapped(config.participants)


def _other_side(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings; in `rounds` they name the side of A too, which is swapped here."""
    if SIDE not in settings:
        return settings
    return {**settings, SIDE: Stance(settings[SIDE]).opposite.value}
