"""The user's own panels, changed: added, replaced, removed. One file has one panel.

Everything is checked before anything is written. Debates keep what they were created with, so
nothing here can change one.

A panel that is made from a debate is its set-up without what belonged to its question. What was
said, the topic, the premise, what the council was told at the beginning and the files stay behind.
Whoever took part keeps the seat, the words and the model they had.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import keeping
from moot.definitions.debate_file import SIDE
from moot.definitions.documents import Document, parse, read_bytes
from moot.definitions.panels import (
    LEAST,
    NAME_MAX,
    PanelLimits,
    PanelSpec,
    all_shipped,
    find_among,
    fold,
    library,
    panel_of,
)
from moot.definitions.personas import USER_FILES_MAX, own_files
from moot.definitions.values import Panel
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.registry import format_named
from moot.protocol.settings import SAMPLING, Settings, as_data, frozen, read_settings
from moot.protocol.values import NO_WISHES, Config, Participant, Persona, Sampling
from moot.protocol.words import SAMPLE_MODEL, Stance

Data = Mapping[str, Any]
"""A panel as it stands in a file: keys and values."""
ORDER = ("name", "about", "format", "team")
"""What comes first in a file."""
FOLDER = "panels"

TOPICAL = frozenset({"premise", "answers"})
"""Settings that belong to one question."""
LIMITS = frozenset(PanelLimits.model_fields)


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a panel stands: the file, what is in it, and the panel."""

    path: Path
    text: str
    data: Data
    panel: Panel


def add(directory: Path, data: Data, personas: Path | None = None) -> Panel:
    """Keep a new panel. Raises Refused if there is one of that name, or if there are too many."""
    panel = panel_of(Document(data=dict(data)), personas)
    with keeping.locked(directory, FOLDER):
        _check_free(directory, panel.name, personas)
        _write_new(directory, panel.name, as_text(data))
    return panel


def put(
    directory: Path,
    name: str,
    data: Data,
    personas: Path | None = None,
    *,
    kept: Collection[str] = (),
) -> Panel:
    """Replace the panel of that name. A shipped one is left alone: the user's own comes first.

    Keys that are `kept` stay as they are in the file. Raises NotFound, or Refused if the new name
    is taken.
    """
    with keeping.locked(directory, FOLDER):
        place = find_place(directory, name, personas)
        before = place.data if place else {}
        whole = {**data, **{key: before[key] for key in kept if key in before}}
        panel = panel_of(Document(data=whole), personas)
        _check_rename(directory, name, panel.name, place, personas)
        if place is None:
            _write_new(directory, panel.name, as_text(whole))
        else:
            keeping.write(place.path, _changed(place, whole))
    return panel


def rewrite(
    directory: Path, name: str, text: str, before: Place | None, personas: Path | None = None
) -> Panel:
    """Replace the panel of that name by YAML that a person wrote, comments and all.

    Raises Refused if the file is no longer as it was `before`.
    """
    panel = panel_of(
        parse(text.encode("utf-8", "surrogateescape"), "what you wrote", least=LEAST), personas
    )
    with keeping.locked(directory, FOLDER):
        place = find_place(directory, name, personas)
        keeping.check_unchanged(_text(before), _text(place))
        _check_rename(directory, name, panel.name, place, personas)
        if place is None:
            _write_new(directory, panel.name, text)
        else:
            keeping.write(place.path, text)
    return panel


def remove(directory: Path, name: str) -> None:
    """Remove the panel of that name. Raises NotFound, or Refused for a shipped one.

    Its file need not be in order: whoever cannot put a file right must be able to remove it.
    """
    with keeping.locked(directory, FOLDER):
        if path := find_file(directory, name):
            keeping.remove(path)
            return
        raise _not_own(directory, name)


def _not_own(directory: Path, name: str) -> Refused | NotFound:
    """The error that says why no panel of that name can be removed."""
    if shipped := next((one for one in all_shipped() if fold(one.name) == fold(name)), None):
        return Refused(f"{shipped.name} comes with Moot and cannot be removed")
    names = ", ".join(sorted(filter(None, map(_name_in, own_files(directory)))))
    hint = f"your own are: {names}" if names else "you have none of your own"
    return NotFound(f"you have no panel called {name[:NAME_MAX]!r}; {hint}")


def find_file(directory: Path, name: str) -> Path | None:
    """The file of the user's own panel of that name, which need not be in order: a file in which no
    name can be read is found by the name of the file."""
    named = {path: fold(_name_in(path)) for path in own_files(directory)}
    by_file = (path for path in named if not named[path] and fold(path.stem) == fold(name))
    return next((path for path in named if named[path] == fold(name)), next(by_file, None))


def _name_in(path: Path) -> str:
    try:
        data = parse(read_bytes(path, follow_links=False), None).data
    except (InvalidInput, NotFound):
        return ""
    return str(data.get("name", "")) if isinstance(data, dict) else ""


# --- checks ---


def _check_free(directory: Path, name: str, personas: Path | None) -> None:
    found = library(directory, personas)
    if any(fold(one.name) == fold(name) for one in found if one.is_own):
        message = f"you have a panel called {name} already; change that one, or use another name"
        raise Refused(message)
    if bad := found.broken_named(name):
        message = f"you have a panel called {name} already, in {bad.file}, which has a mistake"
        raise Refused(message)


def _check_rename(
    directory: Path, name: str, new: str, place: Place | None, personas: Path | None
) -> None:
    if place is None:
        shipped = find_among(name, library(directory, personas))
        if fold(shipped.name) != fold(new):
            message = (
                f"must stay {shipped.name}, which comes with Moot; add yours under another name"
            )
            raise InvalidInput(message, field="name")
    elif fold(new) != fold(name):
        _check_free(directory, new, personas)


# --- files ---


def find_place(directory: Path, name: str, personas: Path | None = None) -> Place | None:
    """Where the user's own panel of that name stands, if there is one that is in order."""
    for path in own_files(directory):
        with suppress(InvalidInput, NotFound):  # broken, or removed since the folder was listed
            place = _place(path, personas)
            if fold(place.panel.name) == fold(name):
                return place
    return None


def _place(path: Path, personas: Path | None) -> Place:
    raw = read_bytes(path, follow_links=False)
    document = parse(raw, str(path), least=LEAST)
    panel = panel_of(document, personas)
    return Place(path=path, text=raw.decode("utf-8-sig"), data=document.data, panel=panel)


def data_of(panel: Panel) -> dict[str, Any]:
    """The panel as it stands in a file, without what has its default."""
    usual = {key: field.default for key, field in PanelSpec.model_fields.items()}
    given = {key: getattr(panel, key) for key in PanelSpec.model_fields}
    nothing: tuple[Any, ...] = (None, "", {})
    told = {
        key: value for key, value in given.items() if value != usual[key] and value not in nothing
    }
    return {**told, **panel.document.data}


def as_text(data: Data) -> str:
    """The panel as a file. Raises InvalidInput if it cannot be written as one."""
    ordered = {key: data[key] for key in (*ORDER, *data) if key in data}
    return keeping.written(
        lambda style: keeping.dump(keeping.styled(ordered, style)),
        lambda text: is_read_as(text, data),
        keeping.EXACT,
    )


def _changed(place: Place, data: Data) -> str:
    """The file with this data in it; what did not change is not touched."""

    def text(style: keeping.Style) -> str:
        document = keeping.load(place.text)
        keeping.update(document, data, place.data, style)
        return keeping.dump(document)

    return keeping.written(text, lambda made: is_read_as(made, data), keeping.EXACT)


def is_read_as(text: str, data: Data) -> bool:
    """Whether the text is read as exactly those keys and values."""
    try:
        return bool(parse(text.encode(), None).data == data)
    except InvalidInput:
        return False


def _text(place: Place | None) -> str | None:
    return place.text if place else None


def _write_new(directory: Path, name: str, text: str) -> None:
    keeping.add(directory, [(name, text)], most=USER_FILES_MAX, what="panel")


# --- made from a debate ---


def panel_of_debate(config: Config, *, name: str, about: str) -> dict[str, Any]:
    """The panel that holds such debates, as it stands in a file; `panel_of` checks it."""
    kind = format_named(config.format).settings
    settings = frozen(kind, config.settings)
    told = _unusual(settings)
    if any(one.stance is not Stance.NONE for one in config.participants):
        told.pop(SIDE, None)  # the participants say it themselves
    limits = {key: told.pop(key) for key in sorted(LIMITS & told.keys())}
    asked = [text for text in (config.topic, settings.premise) if text.strip()]
    people = [
        seat_of(_unasked(one, asked), settings.sampling(one.role)) for one in config.participants
    ]
    parts = {"settings": told, "participants": people, "limits": limits}
    return {
        "name": name,
        "about": about,
        "format": config.format,
        **{key: value for key, value in parts.items() if value},
    }


def _unasked(one: Participant, asked: Sequence[str]) -> Participant:
    """The participant without a position on that very question, as those drawn for a duel have."""
    is_on_it = any(text in one.position for text in asked)
    return msgspec.structs.replace(one, position="") if is_on_it else one


def _unusual(settings: Settings) -> dict[str, Any]:
    """The settings that differ from their defaults."""
    usual = as_data(read_settings(type(settings), {}))
    return {
        key: msgspec.to_builtins(value)
        for key, value in as_data(settings).items()
        if value != usual[key] and key not in TOPICAL
    }


def seat_of(one: Participant, usual: Sampling = NO_WISHES) -> dict[str, Any]:
    """A participant as a file has it, without what is so by default."""
    stance = {"stance": one.stance.value} if one.stance is not Stance.NONE else {}
    muted = {"muted": True} if one.muted else {}
    persona = {key: getattr(one, key) for key in Persona.__struct_fields__}
    told = {**persona_of(Persona(**persona)), "role": one.role.value, **stance, **muted}
    return {**told, **wishes_of(one.sampling, usual)}


def persona_of(one: Persona) -> dict[str, Any]:
    """A persona as a file has it."""
    fields = {key: getattr(one, key) for key in Persona.__struct_fields__}
    told = {key: text for key, text in fields.items() if text}
    if one.model == SAMPLE_MODEL:  # not a real model: the default of this machine takes its place
        told.pop("model")
    return told


def wishes_of(sampling: Sampling, usual: Sampling = NO_WISHES) -> dict[str, Any]:
    """The wishes for a model that differ from those for all, by their names in files."""
    found = {name: getattr(sampling, field) for name, field in SAMPLING.items()}
    return {
        name: msgspec.to_builtins(value)
        for name, value in found.items()
        if value is not None and value != getattr(usual, SAMPLING[name])
    }
