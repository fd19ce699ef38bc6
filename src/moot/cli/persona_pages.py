"""Everything about one persona."""

from __future__ import annotations

from rich.text import Text

from moot.cli.session import new_console
from moot.cli.view.words import clean
from moot.definitions.values import LibraryPersona

FIELDS = ("title", "personality", "position", "instructions", "judging_criteria", "model", "color")


def print_page(entry: LibraryPersona) -> None:
    console = new_console()
    heading = Text().append(clean(entry.persona.name), style="bold")
    console.print(heading.append(f" · {entry.role} · from {clean(entry.origin)}", style="dim"))
    for field in FIELDS:
        text = clean(getattr(entry.persona, field)).strip()
        if text:
            console.print()
            console.print(Text(field.replace("_", " "), style="dim"))
            console.print(Text(text))
