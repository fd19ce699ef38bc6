"""Everything about one format: its stages and settings, read from the tables that run it."""

from __future__ import annotations

from typing import Any

import msgspec

from moot.cli.view.console import print_table
from moot.protocol.machine import Format, mermaid


def as_data(form: Format) -> dict[str, Any]:
    return {
        "name": form.name,
        "about": form.about,
        "when_to_use": form.when_to_use,
        "settings": msgspec.json.schema(form.settings),
        "stages": [{"name": stage.name, "about": stage.about} for stage in form.stages],
        "transitions": [
            {"from": row.source, "event": row.event, "to": row.target} for row in form.transitions
        ],
        "mermaid": mermaid(form),
    }


def print_page(form: Format) -> None:
    print(f"{form.name}: {form.about}\n{form.when_to_use}\n")
    print_table(("stage", "what happens"), [(stage.name, stage.about) for stage in form.stages])
    print()
    rows = [_row(name, row) for name, row in _properties(form).items()]
    print_table(("setting", "default", "bounds", "what it does"), rows)


def _properties(form: Format) -> dict[str, dict[str, Any]]:
    schema = msgspec.json.schema(form.settings)
    definition: dict[str, dict[str, Any]] = schema["$defs"][form.settings.__name__]["properties"]
    return definition


def _row(name: str, row: dict[str, Any]) -> tuple[str, str, str, str]:
    default = row.get("default")
    shown = "none" if default in ("", None) else str(default)
    return name, shown, _bounds(row), str(row.get("description", ""))


def _bounds(row: dict[str, Any]) -> str:
    typed = next((one for one in row.get("anyOf", ()) if one.get("type") != "null"), row)
    if "minimum" in typed or "exclusiveMinimum" in typed:
        low = typed.get("minimum", typed.get("exclusiveMinimum"))
        return f"{low} to {typed.get('maximum', '')}".strip()
    if "maxLength" in typed:
        return f"up to {typed['maxLength']} characters"
    return str(typed.get("type", ""))
