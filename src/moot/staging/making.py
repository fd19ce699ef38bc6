"""From a request to a debate that `Service.create` can freeze into the log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.context import Found, read_context
from moot.definitions import debates, teams
from moot.definitions.casting import written_out
from moot.definitions.debates import Cast, Definition
from moot.engine.creation import NewDebate, seat
from moot.errors import InvalidInput, NoModel, NotFound
from moot.ids import new_seed
from moot.models.port import Models
from moot.protocol.machine import Format
from moot.protocol.registry import format_named
from moot.protocol.settings import OF_JUDGES, read_settings
from moot.protocol.values import Participant
from moot.protocol.words import Role
from moot.staging.mistakes import (
    format_of,
    model_mistakes,
    team_of,
    usual_format,
    with_all,
)
from moot.staging.request import DebateRequest, Me, ModelChoice, Sources, Wish
from moot.staging.roster import check_judge_model, own_judges, with_me, with_models, with_wishes


def stage(request: DebateRequest, sources: Sources) -> NewDebate:
    """The debate, complete. Blocks: reads files.

    Raises InvalidInput with everything that is wrong; NotFound or NoModel if that is just one name
    that means nothing here.
    """
    try:
        return _staged(request, sources)
    except (InvalidInput, NotFound, NoModel) as error:
        raise with_all(error, request, sources) from None


def _staged(request: DebateRequest, sources: Sources) -> NewDebate:
    definition = _definition(request, sources.personas)
    _check_models(definition, request, sources.models)
    _check_chosen(request, sources)
    found = _found(request, definition, sources.root)
    cast = _cast(definition, request)
    rules = format_named(definition.format)
    # Seated first: a judge that the format adds is given its model like any other.
    roster = _roster(rules, definition, cast, request, sources)
    _check_judging(request, rules.name, roster)
    for me in request.me:
        roster = _seated(roster, me, is_bare=request.is_bare)
    return NewDebate(
        topic=definition.topic,
        format=rules.name,
        settings=definition.settings,
        participants=with_wishes(with_models(roster, _models(request)), request.wishes),
        seed=cast.seed,
        draws=cast.draws,
        files=(*request.files, *found.files),
        allows_secrets=request.allow_secret_files,
        left_out=found.told(),
        follows=request.follows,
        origin=request.origin,
    )


def _roster(
    rules: Format,
    definition: Definition,
    cast: Cast,
    request: DebateRequest,
    sources: Sources,
) -> tuple[Participant, ...]:
    """Everybody in their seats. Settings that do not go together are the file's mistake, where
    the request has none."""
    try:
        settings = read_settings(rules.settings, definition.settings)
        people = cast.participants
        bench = own_judges(settings, people, sources, form=rules.name)
        return seat(rules, settings, (*people, *bench))
    except InvalidInput as error:
        is_of_file = (error.field or "").startswith("settings.") and not request.settings
        if not (is_of_file and definition.source):
            raise
        raise InvalidInput(error.message, field=error.field, source=definition.source) from None


def _models(request: DebateRequest) -> ModelChoice:
    """Members of a team may have models of their own, which come before the one for everybody."""
    if not request.team:
        return request.models
    return msgspec.structs.replace(request.models, everyone="", usual=request.models.everyone)


# --- what is to be debated -----------------------------------------------------------------------


def _definition(request: DebateRequest, personas: Path | None) -> Definition:
    if request.team and request.participants:
        raise InvalidInput("cannot be used together with `participants`", field="team")
    form = format_of(request.format) if request.format else None
    team = team_of(request.team) if request.team else None
    # Line ends as other systems write them are no reason to refuse a topic.
    topic = request.topic.replace("\r\n", "\n").replace("\r", "\n")
    if request.file is not None:
        found = debates.load(request.file, personas, format=form)
        if topic:
            found = debates.on(found, topic)
    else:
        found = debates.from_topic(
            topic, format=form or usual_format(request), settings=dict(request.settings)
        )
    if team:
        found = debates.between(found, teams.members(team, found.format, personas))
    elif request.participants:
        people = written_out(request.participants, found.format, personas)
        found = debates.between(found, people)
    return debates.changed(found, settings={**request.settings, **_for_all(request.wishes)})


def _for_all(wishes: Sequence[Wish]) -> dict[str, Any]:
    """The settings that are wished for the whole debate, judges included."""
    wide = {wish.name: wish.value for wish in wishes if not wish.who}
    return {**dict.fromkeys(f"{name}{OF_JUDGES}" for name in wide), **wide}


def _check_models(definition: Definition, request: DebateRequest, models: Models) -> None:
    def is_replaced(is_judge: bool) -> bool:
        is_out = is_judge and not request.with_judge
        return is_out or request.models.replaces(is_judge=is_judge)

    debates.check_models(definition, models.get, is_replaced=is_replaced)


def _check_chosen(request: DebateRequest, sources: Sources) -> None:
    """Raises NoModel for the first model of the request that cannot be had."""
    for one in model_mistakes(request, sources):
        raise NoModel(one.message, field=one.field)


def _found(request: DebateRequest, definition: Definition, root: Path | None) -> Found:
    """The files that the request names, and those the debate file names, relative to itself."""
    there = Path.cwd() / Path(definition.source or "").parent
    attach = [*request.attach, *(str(there / path) for path in definition.attach)]
    directory = request.context_directory
    if not directory and definition.context_directory:
        directory = str(there / definition.context_directory)
    if not directory and not attach:
        return Found()
    if root is None:
        message = (
            "this server reads no files: it was started without MOOT_CONTEXT_ROOT; "
            "send them as `attachments`"
        )
        raise InvalidInput(message, field="context_directory")
    return read_context(
        root, directory=directory, attach=attach, allows_secrets=request.allow_secret_files
    )


# --- who takes part ------------------------------------------------------------------------------


def _cast(definition: Definition, request: DebateRequest) -> Cast:
    """Everybody as they are named or drawn, or the format's own roster if it has one."""
    roster = format_named(definition.format).default_roster
    if not roster or definition.participants or definition.pools:
        seed = new_seed() if request.seed is None else request.seed
        return debates.cast(definition, seed=seed, with_judge=request.with_judge)
    kept = tuple(one for one in roster if request.with_judge or one.role is not Role.JUDGE)
    return Cast(participants=kept)


def _seated(roster: tuple[Participant, ...], me: Me, *, is_bare: bool) -> tuple[Participant, ...]:
    try:
        return with_me(roster, me, is_bare=is_bare)
    except NotFound as error:
        raise NotFound(str(error), field="me.as" if me.seat else "me.name") from None


def _check_judging(request: DebateRequest, form: str, roster: Sequence[Participant]) -> None:
    """Raises InvalidInput for a wish about the judge that cannot be fulfilled."""
    if not request.with_judge and any(one.role is Role.JUDGE for one in roster):
        message = f"is not possible: a {form} always ends with its judge"
        raise InvalidInput(message, field="with_judge")
    check_judge_model(request.models, form, roster)
