"""Everything else that is wrong with a request, once one thing is.

Whoever fills in a form wants to know all of it at once. Each check looks at one part of the request
by itself, so that a mistake in one does not hide the mistakes in another. Nothing is created here,
and what the checks let pass is still refused by `stage` if it does not fit together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from moot.definitions import debates, teams
from moot.definitions.casting import Named, written_out
from moot.definitions.debate_file import setting_mistakes
from moot.definitions.values import Team
from moot.engine.creation import roster_mistakes
from moot.errors import InvalidInput, MootError, NoModel, NotFound, joined
from moot.models.port import Models
from moot.protocol.registry import USUAL, format_named
from moot.protocol.values import Participant
from moot.protocol.words import HUMAN
from moot.staging.request import DebateRequest, ModelChoice, Sources

Refusal = InvalidInput | NotFound | NoModel


def with_all(error: Refusal, request: DebateRequest, sources: Sources) -> MootError:
    """The error itself if nothing else is wrong, or else all mistakes as one."""
    return together(error, mistakes(request, sources))


def together(error: Refusal, others: Iterator[InvalidInput]) -> MootError:
    """That error and the others, one for each field; itself if there are no others."""
    first = _invalid(error)
    told = {one.field: one for one in (first, *first.others)}
    known = len(told)
    for one in others:
        told.setdefault(one.field, one)
    return error if len(told) == known else joined([first, *list(told.values())[known:]])


def mistakes(request: DebateRequest, sources: Sources) -> Iterator[InvalidInput]:
    """What is wrong with any part of the request by itself, each by its field."""
    for check in CHECKS:
        try:
            yield from check(request, sources)
        except (InvalidInput, NotFound, NoModel) as error:
            found = _invalid(error)
            yield from (found, *found.others)


def _invalid(error: Refusal) -> InvalidInput:
    if isinstance(error, InvalidInput):
        return error
    return InvalidInput(str(error), field=error.field)


def usual_format(request: DebateRequest) -> str:
    """The format, where the request names none."""
    return teams.usual_format() if request.team else USUAL


# --- one part each -------------------------------------------------------------------------------

Check = Callable[[DebateRequest, Sources], Iterator[InvalidInput]]


def _topic(request: DebateRequest, _sources: Sources) -> Iterator[InvalidInput]:
    if request.file is None:
        debates.from_topic(request.topic)
    yield from ()


def _format(request: DebateRequest, _sources: Sources) -> Iterator[InvalidInput]:
    if request.format:
        format_of(request.format)
    yield from ()


def _settings(request: DebateRequest, _sources: Sources) -> Iterator[InvalidInput]:
    if request.file is not None and not request.format:
        return  # only the file knows which settings there are
    try:
        kind = format_named(request.format or usual_format(request)).settings
    except NotFound:
        return
    for one in setting_mistakes(kind, request.settings):
        yield from (one, *one.others)


def _team(request: DebateRequest, _sources: Sources) -> Iterator[InvalidInput]:
    if request.team:
        team_of(request.team)
    yield from ()


def _personas(request: DebateRequest, sources: Sources) -> Iterator[InvalidInput]:
    named = any(isinstance(one, Named) for one in request.participants)
    if named:
        written_out(request.participants, USUAL, sources.personas)
    yield from ()


def _roster(request: DebateRequest, _sources: Sources) -> Iterator[InvalidInput]:
    full = [one for one in request.participants if isinstance(one, Participant)]
    if len(full) == len(request.participants):
        yield from roster_mistakes(tuple(full))
        return
    for index, one in enumerate(request.participants):
        if isinstance(one, Participant):
            for mistake in roster_mistakes((one,)):
                field = (mistake.field or "").replace("participants.0", f"participants.{index}")
                yield InvalidInput(mistake.message, field=field)


def model_mistakes(request: DebateRequest, sources: Sources) -> Iterator[InvalidInput]:
    """The models of the request that would be used and cannot be had."""
    of_people = {
        f"participants.{index}.model": one.model
        for index, one in enumerate(request.participants)
        if one.model and not request.models.everyone
    }
    return chain(
        missing_models(of_people, sources.models), choice_mistakes(request.models, sources.models)
    )


CHECKS: tuple[Check, ...] = (_topic, _format, _settings, _team, _personas, _roster, model_mistakes)


# --- parts that are looked up by name ------------------------------------------------------------


def format_of(name: str) -> str:
    """The name, if there is such a format. Raises NotFound with the field."""
    try:
        rules = format_named(name)
    except NotFound as error:
        raise NotFound(str(error), field="format") from None
    if not rules.is_offered:
        raise InvalidInput(rules.when_to_ask, field="format")
    return rules.name


def team_of(name: str) -> Team:
    """The team of that name. Raises NotFound with the field."""
    try:
        return teams.team(name)
    except NotFound as error:
        raise NotFound(str(error), field="team") from None


def choice_mistakes(
    choice: ModelChoice, models: Models, *, single: str = "models"
) -> Iterator[InvalidInput]:
    """The models of a choice that cannot be had; `single` is the field of those by participant."""
    wanted = {"model": choice.everyone, "judge_model": choice.judges}
    wanted |= {f"{single}.{who}": model for who, model in choice.single.items()}
    return missing_models({field: name for field, name in wanted.items() if name}, models)


def missing_models(wanted: Mapping[str, str], models: Models) -> Iterator[InvalidInput]:
    """Those of the models, by their fields, that cannot be had."""
    for field, name in wanted.items():
        if name == HUMAN:
            continue
        try:
            models.get(name)
        except NoModel as error:
            yield InvalidInput(str(error), field=field)
