"""Where a user's persona stands: in which file, alone or in a list, and how it is written there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import keeping
from moot.definitions.document import located
from moot.definitions.personas import own_files, specs_of
from moot.definitions.schema import LibrarySpec
from moot.definitions.yaml_file import parse, read_bytes
from moot.errors import InvalidInput
from moot.protocol.names import fold_name

FIELDS = tuple(LibrarySpec.model_fields)
ORDER = ("name", "role", "title", "color", "model")
"""What comes first in a file; the long texts follow."""
UNWRITABLE = "cannot be written as YAML; remove unusual characters"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where somebody stands: the file, what is in it, and at which position of its list."""

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
    given = {key: value for key, value in values_of(spec).items() if value}
    ordered = {key: given[key] for key in (*ORDER, *given) if key in given}
    for style in keeping.STYLES:
        text = keeping.dump({key: style(value) for key, value in ordered.items()})
        if _is_read_as(text, [spec]):
            return text
    raise InvalidInput(UNWRITABLE)


def as_snippet(place: Place) -> str:
    """What a person is given to edit: the file, or that part of it."""
    if place.is_alone:
        return place.text
    return keeping.dump(keeping.load(place.text)["personas"][place.index])


def values_of(spec: LibrarySpec) -> dict[str, str]:
    return {key: getattr(spec, key) for key in FIELDS}


def replace(place: Place, spec: LibrarySpec) -> None:
    """Write the one who stands there anew; what did not change is not touched."""
    before, after = values_of(place.spec), values_of(spec)
    for style in keeping.STYLES:
        document = keeping.load(place.text)
        entry = document if place.is_alone else document["personas"][place.index]
        keeping.update(entry, after, before, style)
        text = keeping.dump(document)
        if _is_read_as(text, swapped(place, spec)):
            keeping.write(place.path, text)
            return
    raise InvalidInput(UNWRITABLE)


def write_list(place: Place, document: Any, expected: list[LibrarySpec]) -> None:
    """Write the document, once it is certain that it will be read as `expected`."""
    text = keeping.dump(document)
    if not _is_read_as(text, expected):
        raise InvalidInput(UNWRITABLE)
    keeping.write(place.path, text)


def swapped(place: Place, spec: LibrarySpec) -> list[LibrarySpec]:
    """All who are in the file, with `spec` instead of the one who stands there."""
    return [spec if one is place.spec else one for one in place.specs]


def _is_read_as(text: str, expected: list[LibrarySpec]) -> bool:
    try:
        return specs_of(parse(text.encode(), None)) == expected
    except InvalidInput:
        return False
