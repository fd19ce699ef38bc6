"""A form filled in at a terminal, field by field; a mistake is told at once and asked again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from moot.protocol.answers import Unreadable
from moot.protocol.forms import Field, Form, filled_in, is_asked

PASS = "/pass"  # noqa: S105 - a word to type, not a secret


class Reads(Protocol):
    """Where somebody types. None is Ctrl-D: they leave it for later."""

    async def line(self) -> str | None: ...

    async def paragraph(self, *, may_be_empty: bool = False) -> str | None: ...


async def fill_in(
    form: Form, reads: Reads, say: Callable[[str], None]
) -> Mapping[str, Any] | str | None:
    """What was typed into each field; `""` if they pass, None if they leave it for later."""
    values: dict[str, Any] = {}
    for field in form["fields"]:
        if not is_asked(field, values):
            continue
        while True:
            say(f"{label(field)}:")
            typed = await _typed(field, reads)
            if typed is None or typed.strip() == PASS:
                return None if typed is None else ""
            read = filled_in({"fields": [field]}, {field["name"]: _chosen(field, typed)})
            if not isinstance(read, Unreadable):
                values |= read
                break
            say(f"that will not do: {read.reason}")
    return values


async def _typed(field: Field, reads: Reads) -> str | None:
    if field["kind"] in ("long_text", "list"):
        return await reads.paragraph(may_be_empty=not field["required"])
    return await reads.line()


def _chosen(field: Field, typed: str) -> str:
    """The value of the choice whose number was typed."""
    if field["kind"] != "choice" or not typed.strip().isdecimal():
        return typed
    number = int(typed)
    options = field["choices"]
    return str(options[number - 1]["value"]) if 1 <= number <= len(options) else typed


def label(field: Field) -> str:
    """What the field is for, and what may go into it."""
    return f"{field['label']}{_hint(field)}"


def _hint(field: Field) -> str:
    match field["kind"]:
        case "choice":
            options = enumerate(field["choices"], 1)
            hint = ", ".join(f"{number} {one['label']}" for number, one in options)
        case "number" if "minimum" in field and "maximum" in field:
            hint = f"{field['minimum']} to {field['maximum']}"
        case "bool":
            hint = "yes or no"
        case "list":
            hint = "one per line"
        case _:
            hint = ""
    hints = [hint] if hint else []
    hints += [] if field["required"] else ["may be left empty"]
    return f" ({'; '.join(hints)})" if hints else ""
