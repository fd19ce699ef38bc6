"""The library at the terminal: personas and panels, listed, shown, and changed by their owner.

A file of the user's own is opened in an editor again and again while it has mistakes; nothing of it
is taken before the last of them is gone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.text import Text

from moot.cli.lines import confirm
from moot.cli.telling import say, tell
from moot.cli.view.console import clean, new_console, print_table
from moot.cli.view.json_lines import as_line
from moot.definitions import own_panels, own_personas, panels, personas, shipped
from moot.definitions.documents import Document, read, read_bytes
from moot.definitions.own_panels import data_of, panel_of_debate
from moot.definitions.own_personas import as_snippet, as_text, values_of
from moot.definitions.personas import is_own
from moot.definitions.schema import LibrarySpec, validate
from moot.definitions.values import LibraryPersona, Panel
from moot.errors import InvalidInput, MootError, Refused
from moot.protocol.values import Config

FIELDS = (
    *("title", "personality", "position", "instructions", "room_instructions"),
    *("judging_criteria", "model", "color"),
)


def print_personas(entries: Sequence[LibraryPersona]) -> None:
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


def print_persona(entry: LibraryPersona) -> None:
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


def add_personas(
    folder: Path, name: str | None, file: str | None, given: Mapping[str, Any]
) -> None:
    fields = _given(given)
    if (name is None) == (file is None) or (file and fields):
        raise click.UsageError("Give a NAME with options, or only --file.")
    specs = personas.specs_of(read(Path(file))) if file else [_spec({"name": name or "", **fields})]
    own_personas.add(folder, specs)
    for spec in specs:
        say(f"added {spec.name} ({spec.role}); see it with: moot personas show {spec.name!r}")


def edit_persona(folder: Path, name: str, file: str | None, given: Mapping[str, Any]) -> None:
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


def remove_persona(folder: Path, name: str, *, is_sure: bool) -> None:
    place = own_personas.find_place(folder, name)
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
    place = own_personas.find_place(folder, found.name)
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


def print_panels(folder: Path, personas: Path, *, only_own: bool, as_json: bool) -> None:
    every = panels.library(folder, personas)
    found = [one for one in every if one.is_own or not only_own]
    for bad in every.broken:
        tell(clean(f"{bad.file} cannot be asked, it has a mistake:\n{bad.error}"))
    if as_json:
        for one in found:
            print(as_line({**data_of(one), "is_own": one.is_own}))
    elif not found:
        say("no panels of your own; save one with: moot panels save ID NAME --about ...")
    else:
        rows = [(one.name, one.format, "you" if one.is_own else "moot", one.about) for one in found]
        print_table(("name", "format", "from", "purpose"), rows)


def print_panel(folder: Path, personas: Path, name: str, *, as_json: bool) -> None:
    """Print the panel as YAML: a user's own as they have written it."""
    found = panels.find(name, folder, personas)
    if as_json:
        print(as_line({**data_of(found), "is_own": found.is_own}))
        return
    place = own_panels.find_place(folder, found.name, personas)
    print(clean(place.text if place else shipped.panel_text(found.name)), end="")


def save_panel(folder: Path, personas: Path, config: Config, *, name: str, about: str) -> None:
    if own_panels.find_file(folder, name):
        message = (
            f"you have a panel called {name} already; save this one under another name, or first "
            f"remove yours with: moot panels remove {name}"
        )
        raise Refused(message)
    made = own_panels.add(folder, panel_of_debate(config, name=name, about=about), personas)
    say(f'saved {made.name} ({made.format}); ask it with: moot ask {made.name} "..."')


def edit_panel(folder: Path, personas: Path, name: str, file: Path | None) -> None:
    found = panels.find(name, folder, personas)
    place = own_panels.find_place(folder, found.name, personas)

    def take(text: str) -> Panel:
        return own_panels.rewrite(folder, found.name, text, place, personas)

    if file is not None:
        panels.panel_of(
            read(file, least=panels.LEAST), personas
        )  # for mistakes to be told with the name of the file
        new = take(read_bytes(file).decode("utf-8-sig"))
    else:
        text = place.text if place else shipped.panel_text(found.name)
        new = edited(text, take, is_new=place is None)
    if found.is_own:
        say(f"changed {new.name}")
    else:
        say(f"your own {new.name} now replaces the one that comes with moot")


def remove_panel(folder: Path, name: str, *, is_sure: bool) -> None:
    if path := own_panels.find_file(folder, name):
        check_sure(f"{name} ({path.name})", is_sure=is_sure)
    own_panels.remove(folder, name)
    say(f"removed {name}")


def check_panels(files: Sequence[Path], personas: Path) -> None:
    """Check the files, and say who takes part. Raises InvalidInput or NotFound for the first one
    that is not in order."""
    for file in files:
        found = panels.panel_of(read(file, least=panels.LEAST), personas)
        who = ", ".join(seat.name for seat in panels.cast_of(found, personas))
        say(f"{file}: {found.name} is in order ({found.format}{f': {who}' if who else ''})")


T = TypeVar("T")
NOTHING_CHANGED = "nothing was changed"


def edited(text: str, take: Callable[[str], T], *, is_new: bool) -> T:
    """What `take` returns for the edited text; after a mistake, the text can be edited further.

    `is_new` says that the text is not the user's own yet: if it is left as it is, nothing is taken.
    Raises Refused if nothing was changed, and whatever `take` raises.
    """
    before = text
    while True:
        written = click.edit(text, extension=".yaml")
        if written is None or (written == before and is_new):
            raise Refused(NOTHING_CHANGED)
        try:
            return take(written)
        except MootError as error:
            if not isinstance(error, InvalidInput) or not sys.stdin.isatty():
                raise
            tell(str(error))
            if not confirm("Edit it again?", is_usual=True):
                raise Refused(NOTHING_CHANGED) from None
            text = written


def check_sure(what: str, *, is_sure: bool) -> None:
    """Ask whether `what` is to be removed for good. Raises Refused if it is not."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        message = "nothing was removed: add --yes where there is no terminal to ask at"
        raise Refused(message)
    if not confirm(f"Remove {what} for good?"):
        raise Refused("nothing was removed")
