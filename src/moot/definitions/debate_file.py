"""From a document to a definition, or to every mistake in it.

The plain data is checked, not a validated model, so that all mistakes are told at once, even where
something else is wrong too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import personas
from moot.definitions.casting import seat
from moot.definitions.documents import Document, Loc, together
from moot.definitions.schema import Checked, DebateFile, ParticipantSpec, check
from moot.definitions.values import Definition, NamedModel, Pools
from moot.errors import InvalidInput, NotFound
from moot.protocol.names import find_clash
from moot.protocol.registry import USUAL, format_named
from moot.protocol.settings import Settings, read_settings
from moot.protocol.values import Participant
from moot.protocol.words import Role, Stance

JUDGING = (Role.JUDGE, Role.MODERATOR)
"""The roles that use the judge's model."""
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
    if format is not None and isinstance(document.data, dict):
        format_named(format)  # not the file's mistake: it raises NotFound, without a line
        document = msgspec.structs.replace(document, data={**document.data, "format": format})
    document, file = read_as(DebateFile, document, directory)
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


def read_as(
    kind: type[Checked],
    document: Document,
    directory: Path | None,
    found: Iterable[InvalidInput] = (),
) -> tuple[Document, Checked]:
    """The document with everybody written out, and as that kind of file.

    Raises InvalidInput with all that is wrong; of two mistakes in one field, the one that was
    `found` before is told.
    """
    document, missing = with_personas(document, directory)
    file, wrong = check(document, kind)
    # A persona that was not found is not written out either: what is wrong for that reason would
    # be noise.
    gone = tuple(".".join(str(part) for part in loc) for loc, _ in missing)
    wrong = [one for one in wrong if not _is_in(one, gone)]
    told = [*found, *(error for _, error in missing), *wrong, *mistakes(document)]
    if file is None or told:
        raise together(told)
    return document, file


def _is_in(mistake: InvalidInput, fields: tuple[str, ...]) -> bool:
    field = mistake.field or ""
    return any(field == one or field.startswith(f"{one}.") for one in fields)


def _settings(file: DebateFile) -> dict[str, Any]:
    top = zip(TOP, (file.premise, file.turns), strict=True)
    return {**file.settings, **{key: value for key, value in top if value is not None}}


def _pools(file: DebateFile) -> Pools | None:
    if not (file.pro and file.con):
        return None
    pro, con, audience = (
        tuple(spec.seated() for spec in specs)
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
        (spec.seated(), Role.DEBATER, Stance(spec.stance or Stance.NONE)) for spec in file.debaters
    ]
    judge = [(file.judge.seated(), Role.JUDGE, Stance.NONE)] if file.judge else []
    return seat([*chairs, *judge])


def _roster(specs: list[ParticipantSpec]) -> tuple[Participant, ...]:
    seated = seat((spec.seated(), Role(spec.role), Stance(spec.stance)) for spec in specs)
    pairs = zip(seated, specs, strict=True)
    return tuple(msgspec.structs.replace(chair, muted=spec.muted) for chair, spec in pairs)


def _models(document: Document) -> Iterator[NamedModel]:
    for loc, entry in people(document):
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


# --- what the keys mean for one another -----------------------------------------------------------


# The three ways to say who takes part: the keys of each, and those it cannot do without.
WAYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "debaters": (("debaters", "judge"), ("debaters",)),
    "pools": (("for", "against", "audience"), ("for", "against")),
    "participants": (("participants",), ("participants",)),
}
# The settings that may stand at the top of a file.
TOP = ("premise", "turns")
SIDE = "stance_a"
POOLED = "cannot be used together with `for`: the pools say who is for and against"
SIDED = "cannot be used together with a `stance`: the debaters say which side they are on"

_SIDES = frozenset({Stance.PRO, Stance.CON})


def mistakes(document: Document) -> Iterator[InvalidInput]:
    """Everything that is wrong between keys. Raises NotFound for an unknown format, if it does not
    stand in a file."""
    if isinstance(document.data, dict):
        yield from _ways(document)
        yield from _names(document)
        yield from _sides(document)
        yield from _setting_mistakes(document)


def _ways(document: Document) -> Iterator[InvalidInput]:
    used = {way: [key for key in keys if key in document.data] for way, (keys, _) in WAYS.items()}
    chosen = [way for way, keys in used.items() if keys]
    if len(chosen) > 1:
        first, extra = (used[way][0] for way in chosen[:2])
        advice = "use debaters with judge, or for with against and audience, or participants"
        yield document.error((extra,), f"cannot be used together with `{first}`: {advice}")
    for way in chosen:
        for key in WAYS[way][1]:
            if key not in document.data:
                yield document.error((used[way][0],), f"also needs `{key}`")


def people(document: Document) -> Iterator[tuple[Loc, dict[str, Any]]]:
    """Everybody who is written out in the document."""
    for key in LISTS:
        entries = document.data.get(key)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict):
                yield (key, index), entry
    if isinstance(judge := document.data.get("judge"), dict):
        yield ("judge",), judge


def _names(document: Document) -> Iterator[InvalidInput]:
    found = [(loc, entry.get("name")) for loc, entry in people(document)]
    named = [(loc, name) for loc, name in found if isinstance(name, str)]
    clash = find_clash([name for _, name in named])
    if clash:
        (_, first), (loc, second) = (named[index] for index in clash)
        message = f"{second} is the same name as {first}, or looks like it; change one of them"
        yield document.error((*loc, "name"), message)


def _sides(document: Document) -> Iterator[InvalidInput]:
    stances = [entry.get("stance") for loc, entry in people(document) if loc[0] == "debaters"]
    if len(stances) == len(_SIDES) and stances[0] in _SIDES and stances[0] == stances[1]:
        message = f"both debaters are {stances[0]}; make one of them pro and the other con"
        yield document.error(("debaters", 1, "stance"), message)
    if SIDE not in _given(document):
        return
    if "for" in document.data:
        yield document.error(("settings", SIDE), POOLED)
    elif any(entry.get("stance") in _SIDES for _, entry in people(document)):
        yield document.error(("settings", SIDE), SIDED)


def _given(document: Document) -> dict[str, Any]:
    settings = document.data.get("settings")
    return dict(settings) if isinstance(settings, dict) else {}


def _setting_mistakes(document: Document) -> Iterator[InvalidInput]:
    """What the format says is wrong. It is asked here and not when the debate is created, because
    only here is the line known."""
    given = _given(document)
    for key in TOP:
        if key in document.data and key in given:
            message = f"is also given at the top level as `{key}`; keep one of them"
            yield document.error(("settings", key), message)
    top = {key: document.data[key] for key in TOP if key in document.data}
    name = document.data.get("format", USUAL)
    if not isinstance(name, str):
        return
    try:
        kind = format_named(name).settings
    except NotFound as error:
        if document.source is None:
            raise
        yield document.error(("format",), str(error))
        return
    for wrong in setting_mistakes(kind, {**given, **top}):
        setting = (wrong.field or "").removeprefix("settings.")
        loc: Loc = (setting,) if setting in top else ("settings", setting)
        yield document.error(loc, wrong.message)


def setting_mistakes(kind: type[Settings], given: Mapping[str, Any]) -> list[InvalidInput]:
    """Every setting that will not do by itself, or else what is wrong with them together."""
    found = [one for key in given for one in _wrong(kind, {key: given[key]}, key)]
    return found or _wrong(kind, given)


def _wrong(kind: type[Settings], given: Mapping[str, Any], key: str = "") -> list[InvalidInput]:
    try:
        read_settings(kind, given)
    except InvalidInput as error:
        # Alone, a setting may lack another that stands beside it in the file.
        return [error] if (error.field or "").startswith(f"settings.{key}") else []
    return []


# --- personas that a file names instead of writing them out ---------------------------------------


LISTS = ("debaters", "for", "against", "audience", "participants")
KEY = "persona"


def with_personas(
    document: Document, directory: Path | None
) -> tuple[Document, list[tuple[Loc, InvalidInput]]]:
    """The document with everybody written out, and an error for each unknown persona."""
    missing: list[tuple[Loc, InvalidInput]] = []
    if not isinstance(document.data, dict):
        return document, missing

    def looked_up(loc: Loc, entry: object) -> object:
        try:
            return _written_out(entry, directory, is_on_roster=loc[0] == "participants")
        except (NotFound, InvalidInput) as error:
            message = error.message if isinstance(error, InvalidInput) else str(error)
            where = (*loc, KEY) if isinstance(entry, dict) else loc
            missing.append((loc, document.error(where, message)))
            return entry

    data: dict[str, Any] = dict(document.data)
    for key in LISTS:
        if isinstance(data.get(key), list):
            data[key] = [looked_up((key, index), entry) for index, entry in enumerate(data[key])]
    if "judge" in data:
        data["judge"] = looked_up(("judge",), data["judge"])
    return msgspec.structs.replace(document, data=data), missing


def _written_out(entry: object, directory: Path | None, *, is_on_roster: bool) -> object:
    changes: dict[Any, Any] = {}
    match entry:
        case str():
            wanted = entry
        case {"persona": str() as wanted, **changes}:
            pass
        case {"persona": _}:
            raise InvalidInput("must be the name of a persona; `moot personas` lists them")
        case _:
            return entry
    found = personas.find(wanted, directory)
    fields = {key: text for key, text in msgspec.structs.asdict(found.persona).items() if text}
    role = {"role": found.role.value} if is_on_roster else {}
    return {**fields, **role, **changes}
