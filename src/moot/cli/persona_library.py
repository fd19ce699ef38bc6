"""The library of personas: as a list, one by one, and changed by its owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from moot.cli.editing import check_sure, edited
from moot.cli.telling import say
from moot.cli.view.console import clean, new_console, print_table
from moot.definitions import own_personas, personas
from moot.definitions.documents import Document, read
from moot.definitions.own_personas import as_snippet, as_text, find_place, values_of
from moot.definitions.personas import is_own
from moot.definitions.schema import LibrarySpec, validate
from moot.definitions.values import LibraryPersona
from moot.errors import InvalidInput

FIELDS = (
    *("title", "personality", "position", "instructions", "room_instructions"),
    *("judging_criteria", "model", "color"),
)


def print_list(entries: Sequence[LibraryPersona]) -> None:
    if not entries:
        say("no personas here; add one with: moot personas add NAME --personality ...")
        return
    rows = [(e.name, e.title, str(e.role), origin(e)) for e in entries]
    print_table(("name", "title", "role", "from"), rows)


def origin(entry: LibraryPersona) -> str:
    """Where it comes from, in the words of a list."""
    if not is_own(entry):
        return entry.origin
    instead = f", replaces the one from {entry.replaces}" if entry.replaces else ""
    return f"you ({Path(entry.origin).name}){instead}"


def print_page(entry: LibraryPersona) -> None:
    console = new_console()
    heading = Text().append(clean(entry.name), style="bold")
    console.print(heading.append(f" · {entry.role} · from {clean(origin(entry))}", style="dim"))
    for field in FIELDS:
        text = clean(getattr(entry.persona, field)).strip()
        if text:
            console.print()
            console.print(Text(field.replace("_", " "), style="dim"))
            console.print(Text(text))


# --- what `moot personas add`, `edit` and `remove` do ---------------------------------------------


def add(folder: Path, name: str | None, file: str | None, given: Mapping[str, Any]) -> None:
    fields = _given(given)
    if (name is None) == (file is None) or (file and fields):
        raise click.UsageError("Give a NAME with options, or only --file.")
    specs = personas.specs_of(read(Path(file))) if file else [_spec({"name": name or "", **fields})]
    own_personas.add(folder, specs)
    for spec in specs:
        say(f"added {spec.name} ({spec.role}); see it with: moot personas show {spec.name!r}")


def edit(folder: Path, name: str, file: str | None, given: Mapping[str, Any]) -> None:
    fields = _given(given)
    if file and fields:
        raise click.UsageError("Give options, or only --file.")
    found = personas.find(name, folder)
    if not file and not fields:
        _edit_by_hand(folder, found)
        return
    new = _only(file) if file else _spec({**values_of(_spec_of(found)), **fields})
    own_personas.put(folder, found.name, new)
    _say_changed(found, new)


def remove(folder: Path, name: str, *, is_sure: bool) -> None:
    place = find_place(folder, name)
    if place is not None:
        check_sure(f"{place.spec.name} ({place.path.name})", is_sure=is_sure)
    own_personas.remove(folder, name)
    say(f"removed {place.spec.name if place else name}")


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _spec(fields: dict[str, Any]) -> LibrarySpec:
    return validate(Document(data=fields), LibrarySpec)


def _spec_of(entry: LibraryPersona) -> LibrarySpec:
    return _spec({**_fields_of(entry), "role": entry.role.value})


def _fields_of(entry: LibraryPersona) -> dict[str, str]:
    import msgspec

    return {key: str(text) for key, text in msgspec.structs.asdict(entry.persona).items()}


def _only(file: str) -> LibrarySpec:
    specs = personas.specs_of(read(Path(file)))
    if len(specs) != 1:
        raise InvalidInput("must contain exactly one persona", source=file)
    return specs[0]


def _edit_by_hand(folder: Path, found: LibraryPersona) -> None:
    place = find_place(folder, found.name)
    text = as_snippet(place) if place else as_text(_spec_of(found))
    new = edited(
        text,
        lambda written: own_personas.rewrite(folder, found.name, written, place),
        is_new=place is None,
    )
    _say_changed(found, new)


def _say_changed(found: LibraryPersona, new: LibrarySpec) -> None:
    if personas.is_own(found):
        say(f"changed {new.name}")
    else:
        say(f"your own {new.name} now replaces the one that comes with moot")
