"""A finished debate and the names of judges become the hearing in which the bench is asked, and the
name of a judge becomes its exam.

The bench reads what was said in that debate as it stands now; nothing is added to its log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from moot.definitions import exam as pairs
from moot.engine.creation import NewDebate
from moot.errors import InvalidInput, Refused
from moot.models.names import is_known_bare
from moot.models.port import Models
from moot.models.registry import Registry
from moot.protocol.bench.asking import PROMPT
from moot.protocol.bench.benches import is_model, judge_of
from moot.protocol.bench.telling import named_by
from moot.protocol.hearing.case import Case, Hears
from moot.protocol.hearing.exam import Examination
from moot.protocol.hearing.families import family_of, is_same_model
from moot.protocol.registry import EXAM, HEARING, format_of
from moot.protocol.state import DebateState
from moot.protocol.values import Origin
from moot.protocol.words import HUMAN, Role, Status
from moot.staging.benches import judges
from moot.staging.request import Sources

USUAL_JUDGES = 3


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
    found = format_of(state.config).case(state)
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
