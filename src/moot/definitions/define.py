"""From a document to a definition, or to every mistake in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import crosschecks
from moot.definitions.document import Document, together
from moot.definitions.explain import check
from moot.definitions.references import with_personas
from moot.definitions.schema import DebateFile, ParticipantSpec
from moot.definitions.seating import seat
from moot.definitions.values import Definition, NamedModel, Pools
from moot.errors import InvalidInput
from moot.protocol.registry import format_named
from moot.protocol.values import Participant
from moot.protocol.words import Role, Stance

JUDGING = (Role.JUDGE, Role.MODERATOR)
"""Those for whom the judge's model is."""
MODELS = {"model_debater": False, "model_judge": True}
"""The settings that name a model, and whether it is the judge's."""


def define(
    document: Document,
    directory: Path | None = None,
    *,
    format: str | None = None,  # noqa: A002 - the word of the glossary
) -> Definition:
    """The definition; raises InvalidInput with the lines and fields of all mistakes.

    A `format` takes the place of the one that the document names.
    """
    document, missing = with_personas(document, directory)
    if format is not None and isinstance(document.data, dict):
        format_named(format)  # not the file's mistake: it raises NotFound, without a line
        document = msgspec.structs.replace(document, data={**document.data, "format": format})
    file, wrong = check(document, DebateFile)
    # Who was not found is not written out either: to say that as well would be noise.
    gone = tuple(".".join(str(part) for part in loc) for loc, _ in missing)
    wrong = [one for one in wrong if not _is_in(one, gone)]
    found = [*(error for _, error in missing), *wrong, *crosschecks.mistakes(document)]
    if file is None or found:
        raise together(found)
    return Definition(
        format=file.format,
        topic=file.topic,
        settings=_settings(file),
        participants=_participants(file),
        pools=_pools(file),
        source=document.source,
        models=tuple(_models(document)),
        attach=tuple(file.attach),
        context_directory=file.context_directory,
    )


def _is_in(mistake: InvalidInput, fields: tuple[str, ...]) -> bool:
    field = mistake.field or ""
    return any(field == one or field.startswith(f"{one}.") for one in fields)


def _settings(file: DebateFile) -> dict[str, Any]:
    top = zip(crosschecks.TOP, (file.premise, file.turns), strict=True)
    return {**file.settings, **{key: value for key, value in top if value is not None}}


def _pools(file: DebateFile) -> Pools | None:
    if not (file.pro and file.con):
        return None
    pro, con, audience = (
        tuple(spec.persona() for spec in specs)
        for specs in (file.pro, file.con, file.audience or [])
    )
    return Pools(pro=pro, con=con, audience=audience)


def _participants(file: DebateFile) -> tuple[Participant, ...]:
    if file.participants:
        return _roster(file.participants)
    if not file.debaters:
        return ()
    # A side that is not given is left to the format, whose settings may have a say in it.
    chairs = [
        (spec.persona(), Role.DEBATER, Stance(spec.stance or Stance.NONE)) for spec in file.debaters
    ]
    judge = [(file.judge.persona(), Role.JUDGE, Stance.NONE)] if file.judge else []
    return seat([*chairs, *judge])


def _roster(specs: list[ParticipantSpec]) -> tuple[Participant, ...]:
    seated = seat((spec.persona(), Role(spec.role), Stance(spec.stance)) for spec in specs)
    pairs = zip(seated, specs, strict=True)
    return tuple(msgspec.structs.replace(chair, muted=spec.muted) for chair, spec in pairs)


def _models(document: Document) -> Iterator[NamedModel]:
    for loc, entry in crosschecks.people(document):
        if model := entry.get("model"):
            is_judge = loc[0] in ("judge", "audience") or entry.get("role") in JUDGING
            place = (*loc, "model")
            yield _named(document, model, place, is_judge=is_judge)
    settings = document.data.get("settings", {})
    for key, is_judge in MODELS.items():
        if model := settings.get(key):
            yield _named(document, model, ("settings", key), is_judge=is_judge)


def _named(
    document: Document, model: str, loc: tuple[str | int, ...], *, is_judge: bool
) -> NamedModel:
    field = ".".join(str(part) for part in loc)
    return NamedModel(model=model, field=field, line=document.line(loc), is_judge=is_judge)
