"""From a document to a definition: what the keys of a debate file mean for one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import personas
from moot.definitions.casting import seat
from moot.definitions.document import Document, Loc
from moot.definitions.explain import validate
from moot.definitions.schema import DebateFile, DebaterSpec, ParticipantSpec, PersonaSpec
from moot.definitions.values import Definition, Pools
from moot.errors import InvalidInput, NotFound
from moot.protocol.names import find_clash
from moot.protocol.registry import format_named
from moot.protocol.settings import read_settings
from moot.protocol.values import Participant
from moot.protocol.words import Role, Stance

# The three ways to say who takes part: the keys of each, and those it cannot do without.
WAYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "debaters": (("debaters", "judge"), ("debaters",)),
    "pools": (("for", "against", "audience"), ("for", "against")),
    "participants": (("participants",), ("participants",)),
}
# The settings that may stand at the top of a file.
TOP = ("premise", "turns")
_LISTS = ("debaters", "for", "against", "audience", "participants")


def define(document: Document, directory: Path | None = None) -> Definition:
    """The definition; raises InvalidInput with the line and the field of the first mistake."""
    document = _with_personas(document, directory)
    file = validate(document, DebateFile)
    _check_way(document)
    _check_names(document, file)
    settings = _settings(document, file)
    _check_settings(document, file.format, settings)
    return Definition(
        format=file.format,
        topic=file.topic,
        settings=settings,
        participants=_participants(document, file),
        pools=_pools(file),
        source=document.source,
    )


def _with_personas(document: Document, directory: Path | None) -> Document:
    """The document with every persona that is only named replaced by the persona of that name."""
    if not isinstance(document.data, dict):
        return document
    data: dict[str, Any] = dict(document.data)
    for key in _LISTS:
        if isinstance(data.get(key), list):
            entries = enumerate(data[key])
            data[key] = [_looked_up(document, (key, i), entry, directory) for i, entry in entries]
    if "judge" in data:
        data["judge"] = _looked_up(document, ("judge",), data["judge"], directory)
    return msgspec.structs.replace(document, data=data)


def _looked_up(document: Document, loc: Loc, entry: object, directory: Path | None) -> object:
    if not isinstance(entry, str):
        return entry
    try:
        found = personas.find(entry, directory)
    except NotFound as error:
        raise document.error(loc, str(error)) from error
    fields = {key: text for key, text in msgspec.structs.asdict(found.persona).items() if text}
    return {**fields, "role": found.role.value} if loc[0] == "participants" else fields


def _check_way(document: Document) -> None:
    used = {way: [key for key in keys if key in document.data] for way, (keys, _) in WAYS.items()}
    chosen = [way for way, keys in used.items() if keys]
    if len(chosen) > 1:
        first, extra = (used[way][0] for way in chosen[:2])
        advice = "use debaters with judge, or for with against and audience, or participants"
        raise document.error((extra,), f"cannot be used together with `{first}`: {advice}")
    for way in chosen:
        for key in WAYS[way][1]:
            if key not in document.data:
                raise document.error((used[way][0],), f"needs `{key}` beside it")


def _check_names(document: Document, file: DebateFile) -> None:
    named = list(_named(file))
    clash = find_clash([spec.name for _, spec in named])
    if clash:
        (_, first), (loc, second) = (named[index] for index in clash)
        message = f"{second.name} is the same as, or looks like, {first.name}; change one of them"
        raise document.error((*loc, "name"), message)


def _named(file: DebateFile) -> Iterator[tuple[Loc, PersonaSpec]]:
    lists = zip(
        _LISTS, (file.debaters, file.pro, file.con, file.audience, file.participants), strict=True
    )
    for key, specs in lists:
        yield from (((key, index), spec) for index, spec in enumerate(specs or ()))
    if file.judge:
        yield ("judge",), file.judge


def _settings(document: Document, file: DebateFile) -> dict[str, Any]:
    settings = dict(file.settings)
    for key, value in zip(TOP, (file.premise, file.turns), strict=True):
        if value is None:
            continue
        if key in settings:
            raise document.error(
                ("settings", key), f"is also given at the top as `{key}`; keep one"
            )
        settings[key] = value
    if file.pro and "stance_a" in settings:
        message = "cannot be used together with `for`: the pools say who is for and against"
        raise document.error(("settings", "stance_a"), message)
    return settings


def _check_settings(document: Document, name: str, settings: Mapping[str, Any]) -> None:
    """Asks the format, here rather than when the debate is created: only here is there a line."""
    try:
        read_settings(format_named(name).settings, settings)
    except NotFound as error:
        if document.source is None:
            raise
        raise document.error(("format",), str(error)) from error
    except InvalidInput as error:
        setting = (error.field or "").removeprefix("settings.")
        is_at_top = setting in TOP and setting in document.data
        loc: Loc = (setting,) if is_at_top else ("settings", setting)
        raise document.error(loc, error.message) from error


def _pools(file: DebateFile) -> Pools | None:
    if not (file.pro and file.con):
        return None
    pro, con, audience = (
        tuple(spec.persona() for spec in specs)
        for specs in (file.pro, file.con, file.audience or [])
    )
    return Pools(pro=pro, con=con, audience=audience)


def _participants(document: Document, file: DebateFile) -> tuple[Participant, ...]:
    if file.participants:
        return _roster(file.participants)
    if not file.debaters:
        return ()
    sides = zip(file.debaters, _stances(document, file.debaters), strict=True)
    chairs = [(spec.persona(), Role.DEBATER, stance) for spec, stance in sides]
    judge = [(file.judge.persona(), Role.JUDGE, Stance.NONE)] if file.judge else []
    return seat([*chairs, *judge])


def _roster(specs: list[ParticipantSpec]) -> tuple[Participant, ...]:
    seated = seat((spec.persona(), Role(spec.role), Stance(spec.stance)) for spec in specs)
    pairs = zip(seated, specs, strict=True)
    return tuple(msgspec.structs.replace(chair, muted=spec.muted) for chair, spec in pairs)


def _stances(document: Document, debaters: list[DebaterSpec]) -> list[Stance]:
    """What is given; what is not is left to the format, whose settings may have a say in it."""
    stances = [Stance(spec.stance) if spec.stance else Stance.NONE for spec in debaters]
    if stances[0] is not Stance.NONE and stances[0] is stances[1]:
        message = f"both debaters are {stances[0]}; one must be pro and the other con"
        raise document.error(("debaters", 1, "stance"), message)
    return stances
