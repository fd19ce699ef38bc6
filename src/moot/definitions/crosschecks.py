"""What the keys of a debate file mean for one another, checked on the plain data.

On the data and not on a checked model: so everything that is wrong is told at once, also where
something else is wrong too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.definitions.document import Document, Loc
from moot.definitions.references import LISTS
from moot.errors import InvalidInput, NotFound
from moot.protocol.names import find_clash
from moot.protocol.registry import format_named
from moot.protocol.settings import Settings, read_settings
from moot.protocol.words import Stance

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
    """Everything that is wrong between keys. Raises NotFound for a format that no file names."""
    if isinstance(document.data, dict):
        yield from _ways(document)
        yield from _names(document)
        yield from _sides(document)
        yield from _settings(document)


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
                yield document.error((used[way][0],), f"needs `{key}` beside it")


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
        message = f"{second} is the same as, or looks like, {first}; change one of them"
        yield document.error((*loc, "name"), message)


def _sides(document: Document) -> Iterator[InvalidInput]:
    stances = [entry.get("stance") for loc, entry in people(document) if loc[0] == "debaters"]
    if len(stances) == len(_SIDES) and stances[0] in _SIDES and stances[0] == stances[1]:
        message = f"both debaters are {stances[0]}; one must be pro and the other con"
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


def _settings(document: Document) -> Iterator[InvalidInput]:
    """Asks the format, here rather than when the debate is created: only here is there a line."""
    given = _given(document)
    for key in TOP:
        if key in document.data and key in given:
            message = f"is also given at the top as `{key}`; keep one"
            yield document.error(("settings", key), message)
    top = {key: document.data[key] for key in TOP if key in document.data}
    name = document.data.get("format", "duel")
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
