"""The reference of files as Markdown: what Moot keeps where, and what files it reads and writes.

`make references` writes it to `docs/reference/files.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from moot.definitions.json_schema import debate_schema, panel_schema, persona_schema
from moot.export.as_csv import COLUMNS
from moot.protocol.registry import offered
from moot.protocol.settings import Settings

INTRODUCTION = """# Files

<!-- Made by `make references`; do not edit. -->

## Where Moot keeps things

`moot doctor` prints the directories it uses. Without `MOOT_HOME`, data and configuration are
in the system's usual places: on Linux `~/.local/share/moot/` and `~/.config/moot/`.
"""

HOME: Mapping[str, str] = {
    "moot.db": (
        "the embedded database with all debates (SQLite), unless `MOOT_DATABASE_URL` names another;"
        " `moot.db-wal` and `moot.db-shm` belong to it while it is open"
    ),
    "panels/*.yaml": "[your own panels](../how-to/panels.md)",
    "personas/*.yaml": "[your own personas](../how-to/personas.md)",
    "secret": (
        "the server's secret for `Idempotency-Key`;"
        " [back it up](../how-to/run-it-for-real.md#backups) with the database"
    ),
    "config.toml": (
        "the defaults set by `moot models use`, and the names of keys in the keyring, but never"
        " a key; without `MOOT_HOME` it is in the configuration directory"
    ),
}

DEBATES = """## Debate files

YAML files that `moot run FILE` runs; [how to write one](../how-to/write-a-debate.md).
`moot debates schema` prints the same as a JSON Schema.
Only `topic` is required. Name who takes part in one of three ways, never two at once: `debaters`
and `judge`; or `for`, `against` and `audience`; or `participants`.
"""

PANELS = """## Panel files

YAML files in `panels/`, one panel in each, which `moot ask NAME` asks;
[how to write one](../how-to/panels.md). `moot panels schema` prints the JSON Schema.
A panel has the fields of a debate file except `topic`, and these, of which `name` and `about` are
required. `team` takes the place of everybody else who takes part.
"""

CSV: Mapping[str, str] = {
    "seq": "the turn's place in the log",
    "at": "when it was recorded",
    "stage": "the stage",
    "round": "the round",
    "participant": "the participant's id",
    "name": "their name",
    "stance": "their side",
    "kind": "what was done: speak, think, score ...",
    "visibility": "public or private",
    "score": "the score a statement got",
    "content": "the text",
    "model": "the model",
    "input_tokens": "tokens it read",
    "output_tokens": "tokens it wrote, thoughts included",
    "cost_usd": "what it cost, empty if the price is not known",
    "duration_ms": "how long the call took",
    "type": "what a reader would call it: statement, thought ...",
    "included": "whether it is in later prompts, yes or no",
    "about": "the participant that a score or critique is about",
    "thought_tokens": "the part of output_tokens spent on thinking first",
    "reasoning": "what the model thought first, if its provider shows it",
    "outcome": "in the last row only: the outcome in one line, with any doubts about it",
    "origin": "`import/file` or `import/sample` if the debate was not held here; `v1` or `mcp` if "
    "a panel was asked by that door",
}

EXPORTS: Mapping[str, str] = {
    "html": "one self-contained page without scripts",
    "md": "Markdown",
    "answer": "the outcome alone, in Markdown, as `moot ask` prints it",
    "json": (
        "everything, for analysis: `debate`, `turns`, `notices`, `failed_attempts`, `tools_used`"
    ),
    "csv": "one row for each turn; the columns are below",
    "report": "a council's report, in Markdown",
    "decision-record": "a council's decision record, in Markdown",
    "log": "every [event](events.md) as JSON lines; `moot import` reads it",
}


def reference() -> str:
    debate, persona = debate_schema(), persona_schema()
    seat = debate["definitions"]["ParticipantSpec"]["properties"]
    library = persona["definitions"]["persona"]["properties"]
    parts = [
        INTRODUCTION,
        *_table(("file in `MOOT_HOME`", "what it is"), _coded(HOME)),
        DEBATES,
        *_fields(debate["properties"]),
        "### Who takes part\n",
        (
            "Each entry is the name of a persona, or has these fields. With `persona`, the "
            "other fields change that persona; without it, `name` is required.\n"
        ),
        *_fields(seat),
        (
            "`role` and `muted` are for `participants` only, where `role` is required "
            "unless the `persona` has one."
        ),
        "`stance` is for `debaters` and `participants`.\n",
        "### Settings\n",
        "Every format has these settings:\n",
        *_fields(_common()),
        *_own_settings(),
        PANELS,
        *_fields(_of_panels()),
        "Fields of `limits`:\n",
        *_fields(panel_schema()["properties"]["limits"]["properties"]),
        "## Persona files\n",
        (
            "A file has one persona, or several as a list under `personas`. `moot personas "
            "schema` prints the JSON Schema.\n"
        ),
        *_fields(library),
        "## Exports\n",
        "`moot export ID --as FORMAT`; [which one to take](../how-to/export.md).\n",
        *_table(("as", "what it is"), _coded(EXPORTS)),
        "### Columns of the CSV\n",
        *_table(("column", "meaning"), _coded({name: CSV[name] for name in COLUMNS})),
    ]
    return "\n".join(parts)


def _of_panels() -> dict[str, Any]:
    """The fields of panel files that debate files do not have."""
    shared = debate_schema()["properties"]
    fields = panel_schema()["properties"]
    return {name: field for name, field in fields.items() if name not in shared}


def _common() -> dict[str, Any]:
    """The settings of every format, taken from the duel, whose defaults are those of all."""
    duel = debate_schema()["definitions"]["settings of duel"]["properties"]
    return {name: duel[name] for name in Settings.__struct_fields__}


def _own_settings() -> Iterator[str]:
    shared = _common()
    for name in offered():
        fields = debate_schema()["definitions"][f"settings of {name}"]["properties"]
        own = {key: field for key, field in fields.items() if shared.get(key) != field}
        yield f"Settings of `{name}`:\n"
        yield from _fields(own)


def _fields(fields: Mapping[str, Any]) -> Iterator[str]:
    rows = (
        (f"`{name}`", _value(field), _default(field), field["description"])
        for name, field in fields.items()
    )
    yield from _table(("field", "value", "default", "meaning"), rows)


def _value(field: Mapping[str, Any]) -> str:
    if "allOf" in field:
        return "a participant"
    if "anyOf" in field:
        return " or ".join(_value(one) for one in field["anyOf"])
    if "enum" in field:
        return ", ".join(f"`{one}`" for one in field["enum"])
    return KINDS[field["type"]](field)


def _text(field: Mapping[str, Any]) -> str:
    most = field.get("maxLength")
    return f"text of up to {most:,} characters" if most else "text"


def _list(field: Mapping[str, Any]) -> str:
    most = field["maxItems"]
    what = " texts" if field.get("items", {}).get("type") == "string" else ""
    exactly = most == field.get("minItems")
    return f"a list of {most}{what}" if exactly else f"a list of up to {most}{what}"


KINDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "string": _text,
    "integer": lambda field: f"a whole number {_span(field)}",
    "number": lambda field: f"a number {_span(field)}",
    "array": _list,
    "boolean": lambda _: "`true` or `false`",
    "null": lambda _: "`null`",
    "object": lambda _: "fields and values",
}


def _span(field: Mapping[str, Any]) -> str:
    most = f"{field['maximum']:,}"
    if "exclusiveMinimum" in field:
        return f"above {field['exclusiveMinimum']}, up to {most}"
    return f"from {field['minimum']} to {most}"


def _default(field: Mapping[str, Any]) -> str:
    default = field.get("default")
    if default is None or default in ("", []):
        return ""
    if default == ():
        return "none"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _coded(rows: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    return ((f"`{name}`", about) for name, about in rows.items())


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


if __name__ == "__main__":
    print(reference(), end="")
