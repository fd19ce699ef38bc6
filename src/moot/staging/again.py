"""Debates that are made from a debate: a rematch, a fork, a room about a council's solution, and a
hearing, in which a bench is asked about it. The name of a judge becomes its exam.

The bench reads what was said in that debate as it stands now; nothing is added to its log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from moot.definitions import casting, exam as pairs
from moot.definitions.debate_file import SIDE
from moot.definitions.debates import Cast
from moot.engine.attaching import File
from moot.engine.creation import MAX_TOPIC, NewDebate
from moot.engine.forking import Changes
from moot.engine.looking import on_demand
from moot.errors import InvalidInput, NotFound, Refused
from moot.export import render
from moot.ids import new_seed
from moot.models.names import is_known_bare
from moot.models.port import Models
from moot.models.registry import Registry
from moot.protocol.bench.asking import PROMPT
from moot.protocol.bench.benches import is_model, judge_of
from moot.protocol.bench.telling import named_by
from moot.protocol.events import Recorded
from moot.protocol.hearing.case import Case, Hears
from moot.protocol.hearing.exam import Examination
from moot.protocol.hearing.families import family_of, is_same_model
from moot.protocol.log import fold
from moot.protocol.outcomes import Solution
from moot.protocol.registry import EXAM, HEARING, ROOM, format_named, format_of
from moot.protocol.roster import has_two_sides, swapped
from moot.protocol.settings import as_data, frozen
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Origin, Participant
from moot.protocol.words import HUMAN, SAMPLE_MODEL, Role, Stance, Status
from moot.staging.request import DebateRequest, ModelChoice, Sources
from moot.staging.roster import by_id, check_judge_model, judges, with_models

RECORD = "decision-record"
"""The kind of document that a room is given to discuss; not every format has it."""
_DISCUSSED = "What a council came to (solution.md), on the question: {topic}"

USUAL_JUDGES = 3


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


# --- hearings and exams ---


class HearingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`bench` are the judges: models, `human`, personas, or a team by its name; if it is empty,
    Moot looks for models of different families that are ready here."""

    bench: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}
    origin: Origin | None = None


def case_of(state: DebateState, debate_id: str) -> Case:
    """What a bench can be asked about that debate. Raises Refused if nothing, or nothing yet."""
    if state.status is not Status.COMPLETED:
        message = (
            f"debate {debate_id} is not over ({state.status}); a bench is asked about what has "
            "been said to the end"
        )
        raise Refused(message)
    rules = format_of(state.config)
    with on_demand(rules):
        found = rules.case(state)
    if found is None:
        message = (
            f"there is nothing to judge in debate {debate_id}: a bench chooses between two sides "
            f"that have spoken, or between proposals, and this {state.config.format} has neither"
        )
        raise Refused(message)
    return found


def hearing(
    state: DebateState, debate_id: str, wanted: HearingRequest, sources: Sources
) -> NewDebate:
    """The hearing, complete. Blocks: reads personas, and may check which models are ready.

    Raises Refused if there is nothing to judge, InvalidInput or NotFound for a bench that cannot
    be had.
    """
    case = case_of(state, debate_id)
    hears = Hears(
        debate=debate_id,
        at=state.seq,
        case=case,
        verdict=named_by(state.outcome, case),
        prompt=PROMPT,
    )
    bench = tuple(one.strip() for one in wanted.bench if one.strip())
    return NewDebate(
        topic=state.config.topic,
        format=HEARING,
        settings=wanted.settings,
        participants=judges(
            bench or _usual(case, sources.models), Role.JUDGE, sources, form=HEARING
        ),
        origin=wanted.origin,
        hears=hears,
    )


# --- who judges -----------------------------------------------------------------------------------


def _usual(case: Case, models: Models) -> tuple[str, ...]:
    """Ready models of different families that took no part. Raises InvalidInput unless two are."""
    spoke = {model for side in case.sides for model in side.models}
    found: list[str] = []
    for model in _ready(models):
        is_own = any(is_same_model(model, one) for one in spoke)
        families = {family_of(one) or one for one in found}
        if not is_own and (family_of(model) or model) not in families:
            found.append(model)
    if len(found) < 2:  # noqa: PLR2004 - of one, no second judge could say otherwise
        ready = f" ({found[0]} is ready here)" if found else ""
        message = (
            "fewer than two models are ready here that took no part in the debate; name the "
            f"judges{ready}, for example openai:gpt-6-luna,deepseek:deepseek-flash"
        )
        raise InvalidInput(message, field="bench")
    return tuple(found[:USUAL_JUDGES])


def _ready(models: Models) -> Sequence[str]:
    """The default model of every provider that can be used, the embedded toy left out."""
    if not isinstance(models, Registry):
        return ()
    return [
        line.default_model
        for line in models.available()
        if line.is_usable and line.default_model and line.provider != "local"
    ]


# --- exams ----------------------------------------------------------------------------------------

EXAM_TOPIC = "Exam for a judge: short debates in which the answer is known"


def exam(model: str, settings: Mapping[str, Any], origin: Origin | None = None) -> NewDebate:
    """The exam of that judge, with all pairs that come with this version. Blocks: reads them.

    Raises InvalidInput for a judge that is no model.
    """
    if model == HUMAN or not (is_model(model) or is_known_bare(model)):
        message = "must be a model, as provider:name; `moot models` lists those you can use"
        raise InvalidInput(message, field="model")
    return NewDebate(
        topic=EXAM_TOPIC,
        format=EXAM,
        settings=settings,
        participants=(judge_of(model, Role.JUDGE, ()),),
        origin=origin,
        exam=Examination(version=pairs.version(), pairs=pairs.pairs()),
    )
