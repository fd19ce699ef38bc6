"""The personas as a list, and everything about one of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from moot.cli.view.console import clean, new_console, print_table
from moot.definitions.personas import is_own
from moot.definitions.values import LibraryPersona

FIELDS = ("title", "personality", "position", "instructions", "judging_criteria", "model", "color")


def print_list(entries: Sequence[LibraryPersona]) -> None:
    if not entries:
        print("none; add one with: moot personas add NAME --personality ...")
        return
    rows = [(e.name, e.title, str(e.role), origin(e)) for e in entries]
    print_table(("name", "title", "role", "from"), rows)


def origin(entry: LibraryPersona) -> str:
    """Where it comes from, in the words of a list."""
    if not is_own(entry):
        return entry.origin
    instead = f", instead of the one of {entry.replaces}" if entry.replaces else ""
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
