"""The user's own personas, changed: added, replaced, removed.

Everything is checked before anything is written. Debates keep what they were created with, so
nothing here can change one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import keeping
from moot.definitions.documents import located, parse, read_bytes
from moot.definitions.personas import (
    USER_FILES_MAX,
    all_shipped,
    find,
    library,
    own,
    own_files,
    specs_of,
)
from moot.definitions.schema import LibrarySpec
from moot.definitions.values import LibraryPersona
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.names import NAME_MAX, find_clash, fold_name


def add(directory: Path, specs: Sequence[LibrarySpec]) -> None:
    """Keep new personas, all or none. Raises Refused if one of the names is taken, or if there are
    too many."""
    with keeping.locked(directory, "personas"):
        taken = {fold_name(entry.name) for entry in own(directory)}
        for spec in specs:
            if fold_name(spec.name) in taken:
                message = f"you have a persona called {spec.name} already"
                raise Refused(message)
            _check_look_alike(directory, spec.name)
        _add_files(directory, [(spec, as_text(spec)) for spec in specs])


def put(directory: Path, name: str, spec: LibrarySpec) -> None:
    """Replace the persona of that name. A shipped one is left alone: the user's own comes first.

    Raises NotFound, or Refused if the new name is taken.
    """
    with keeping.locked(directory, "personas"):
        place = find_place(directory, name)
        _check_rename(directory, name, spec.name, place)
        if place is None:
            _shipped(directory, name)
            _add_files(directory, [(spec, as_text(spec))])
        else:
            replace(place, spec)


def rewrite(directory: Path, name: str, text: str, before: Place | None) -> LibrarySpec:
    """Replace the persona of that name by YAML that a person wrote, comments and all.

    Raises Refused if the file is no longer as it was `before`.
    """
    spec = one_of(text, "what you wrote")
    with keeping.locked(directory, "personas"):
        place = find_place(directory, name)
        keeping.check_unchanged(_text(before), _text(place))
        _check_rename(directory, name, spec.name, place)
        if place is None:
            _shipped(directory, name)
            _add_files(directory, [(spec, text)])
        elif place.is_alone:
            keeping.write(place.path, text)
        else:
            document = keeping.load(place.text)
            document["personas"][place.index] = keeping.load(text)
            write_list(place, document, swapped(place, spec))
    return spec


def remove(directory: Path, name: str) -> None:
    """Remove the persona of exactly that name. Raises NotFound, or Refused for a shipped one."""
    with keeping.locked(directory, "personas"):
        place = find_place(directory, name)
        if place is None:
            shipped = _shipped(directory, name)
            message = f"{shipped.name} comes with Moot and cannot be removed"
            raise Refused(message)
        if len(place.specs) == 1:
            keeping.remove(place.path)
            return
        document = keeping.load(place.text)
        del document["personas"][place.index]
        write_list(place, document, [one for one in place.specs if one is not place.spec])


# --- checks ---


def _check_rename(directory: Path, name: str, new: str, place: Place | None) -> None:
    if fold_name(name) == fold_name(new):
        return
    if place is None:
        shipped = _shipped(directory, name)
        message = (
            f"must stay {shipped.name}: that persona comes with Moot; add yours under another name"
        )
        raise InvalidInput(message, field="name")
    if any(fold_name(entry.name) == fold_name(new) for entry in own(directory)):
        message = f"you have a persona called {new} already"
        raise Refused(message)
    _check_look_alike(directory, new, but=name)


def _check_look_alike(directory: Path, name: str, but: str = "") -> None:
    """Raises InvalidInput for a name that only looks like another, because that would deceive. The
    very same name is allowed: it takes the place of a shipped one."""
    allowed = {fold_name(name), fold_name(but)}
    for entry in library(directory):
        if fold_name(entry.name) not in allowed and find_clash([entry.name, name]):
            message = f"looks too much like {entry.name}; choose another name"
            raise InvalidInput(message, field="name")


def _shipped(directory: Path, name: str) -> LibraryPersona:
    """The shipped persona of exactly that name. Raises NotFound with suggestions."""
    for entry in all_shipped():
        if fold_name(entry.name) == fold_name(name):
            return entry
    close = find(name, directory)
    message = f"there is no persona called {name[:NAME_MAX]}; did you mean {close.name}?"
    raise NotFound(message)


# --- files ---


def _add_files(directory: Path, new: Sequence[tuple[LibrarySpec, str]]) -> None:
    texts = [(spec.name, text) for spec, text in new]
    keeping.add(directory, texts, most=USER_FILES_MAX, what="persona")


def _text(place: Place | None) -> str | None:
    return place.text if place else None


# --- where a persona stands, and how it is written there ------------------------------------------


FIELDS = tuple(LibrarySpec.model_fields)
ORDER = ("name", "role", "title", "color", "model")
"""What comes first in a file; the long texts follow."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a persona stands: the file, what is in it, and the position in its list."""

    path: Path
    text: str
    specs: list[LibrarySpec]
    index: int
    is_alone: bool

    @property
    def spec(self) -> LibrarySpec:
        return self.specs[self.index]


def find_place(directory: Path, name: str) -> Place | None:
    """Where the user's own persona of exactly that name stands, if there is one."""
    for path in own_files(directory):
        raw = read_bytes(path, follow_links=False)
        document = parse(raw, str(path))
        specs = specs_of(document)
        for index, spec in enumerate(specs):
            if fold_name(spec.name) == fold_name(name):
                return Place(
                    path=path,
                    text=raw.decode("utf-8-sig"),
                    specs=specs,
                    index=index,
                    is_alone="personas" not in document.data,
                )
    return None


def one_of(text: str, source: str) -> LibrarySpec:
    """The one persona in the YAML; raises InvalidInput with every mistake in it."""
    specs = specs_of(parse(text.encode("utf-8", "surrogateescape"), source))
    if len(specs) != 1:
        raise located("must have one persona and no more", source, None)
    return specs[0]


def as_text(spec: LibrarySpec) -> str:
    """The persona as a file."""
    given = given_of(spec)
    ordered = {key: given[key] for key in (*ORDER, *given) if key in given}
    return keeping.written(
        lambda style: keeping.dump(keeping.styled(ordered, style)),
        lambda text: _is_read_as(text, [spec]),
    )


def as_snippet(place: Place) -> str:
    """What a person is given to edit: the file, or the persona's part of it."""
    if place.is_alone:
        return place.text
    return keeping.dump(keeping.load(place.text)["personas"][place.index])


def values_of(spec: LibrarySpec) -> dict[str, str]:
    return {key: getattr(spec, key) for key in FIELDS}


def given_of(spec: LibrarySpec) -> dict[str, str]:
    """The fields that are not empty."""
    return {key: value for key, value in values_of(spec).items() if value}


def replace(place: Place, spec: LibrarySpec) -> None:
    """Replace the persona at that place; what did not change is not touched."""

    def changed(style: keeping.Style) -> str:
        document = keeping.load(place.text)
        entry = document if place.is_alone else document["personas"][place.index]
        keeping.update(entry, given_of(spec), given_of(place.spec), style)
        return keeping.dump(document)

    expected = swapped(place, spec)
    keeping.write(place.path, keeping.written(changed, lambda text: _is_read_as(text, expected)))


def write_list(place: Place, document: Any, expected: list[LibrarySpec]) -> None:
    """Write the document, once it is certain that it will be read as `expected`."""
    text = keeping.dump(document)
    if not _is_read_as(text, expected):
        raise InvalidInput(keeping.UNWRITABLE)
    keeping.write(place.path, text)


def swapped(place: Place, spec: LibrarySpec) -> list[LibrarySpec]:
    """All personas in the file, with `spec` instead of the one at that place."""
    return [spec if one is place.spec else one for one in place.specs]


def _is_read_as(text: str, expected: list[LibrarySpec]) -> bool:
    try:
        return specs_of(parse(text.encode(), None)) == expected
    except InvalidInput:
        return False
