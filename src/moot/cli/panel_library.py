"""The panels: as a list, one by one, and changed by their owner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from moot.cli.editing import check_sure, edited
from moot.cli.telling import say, tell
from moot.cli.view.console import clean, print_table
from moot.cli.view.json_lines import as_line
from moot.definitions import own_panels, panels, shipped
from moot.definitions.documents import read, read_bytes
from moot.definitions.own_panels import data_of, find_place
from moot.definitions.saving import panel_of_debate
from moot.definitions.values import Panel
from moot.errors import Refused
from moot.protocol.values import Config


def print_list(folder: Path, personas: Path, *, only_own: bool, as_json: bool) -> None:
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


def show(folder: Path, personas: Path, name: str, *, as_json: bool) -> None:
    """Print the panel as YAML: a user's own as they have written it."""
    found = panels.find(name, folder, personas)
    if as_json:
        print(as_line({**data_of(found), "is_own": found.is_own}))
        return
    place = find_place(folder, found.name, personas)
    print(clean(place.text if place else shipped.panel_text(found.name)), end="")


def save(folder: Path, personas: Path, config: Config, *, name: str, about: str) -> None:
    if own_panels.find_file(folder, name):
        message = (
            f"you have a panel called {name} already; save this one under another name, or first "
            f"remove yours with: moot panels remove {name}"
        )
        raise Refused(message)
    made = own_panels.add(folder, panel_of_debate(config, name=name, about=about), personas)
    say(f'saved {made.name} ({made.format}); ask it with: moot ask {made.name} "..."')


def edit(folder: Path, personas: Path, name: str, file: Path | None) -> None:
    found = panels.find(name, folder, personas)
    place = find_place(folder, found.name, personas)

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


def remove(folder: Path, name: str, *, is_sure: bool) -> None:
    if path := own_panels.find_file(folder, name):
        check_sure(f"{name} ({path.name})", is_sure=is_sure)
    own_panels.remove(folder, name)
    say(f"removed {name}")


def check(files: Sequence[Path], personas: Path) -> None:
    """Check the files, and say who takes part. Raises InvalidInput or NotFound for the first one
    that is not in order."""
    for file in files:
        found = panels.panel_of(read(file, least=panels.LEAST), personas)
        who = ", ".join(seat.name for seat in panels.cast_of(found, personas))
        say(f"{file}: {found.name} is in order ({found.format}{f': {who}' if who else ''})")
