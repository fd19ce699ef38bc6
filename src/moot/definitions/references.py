"""Personas that a debate file names instead of writing them out.

`- Ada` takes one as she is; `- persona: ada` beside other keys takes her and changes those.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import personas
from moot.definitions.document import Document, Loc
from moot.errors import InvalidInput, NotFound

LISTS = ("debaters", "for", "against", "audience", "participants")
KEY = "persona"


def with_personas(
    document: Document, directory: Path | None
) -> tuple[Document, list[tuple[Loc, InvalidInput]]]:
    """The document with everybody written out, and where it names somebody who is not there."""
    missing: list[tuple[Loc, InvalidInput]] = []
    if not isinstance(document.data, dict):
        return document, missing

    def looked_up(loc: Loc, entry: object) -> object:
        try:
            return _written_out(entry, directory, is_on_roster=loc[0] == "participants")
        except (NotFound, InvalidInput) as error:
            message = error.message if isinstance(error, InvalidInput) else str(error)
            where = (*loc, KEY) if isinstance(entry, dict) else loc
            missing.append((loc, document.error(where, message)))
            return entry

    data: dict[str, Any] = dict(document.data)
    for key in LISTS:
        if isinstance(data.get(key), list):
            data[key] = [looked_up((key, index), entry) for index, entry in enumerate(data[key])]
    if "judge" in data:
        data["judge"] = looked_up(("judge",), data["judge"])
    return msgspec.structs.replace(document, data=data), missing


def _written_out(entry: object, directory: Path | None, *, is_on_roster: bool) -> object:
    changes: dict[Any, Any] = {}
    match entry:
        case str():
            wanted = entry
        case {"persona": str() as wanted, **changes}:
            pass
        case {"persona": _}:
            raise InvalidInput("must be the name of a persona; `moot personas` lists them")
        case _:
            return entry
    found = personas.find(wanted, directory)
    fields = {key: text for key, text in msgspec.structs.asdict(found.persona).items() if text}
    role = {"role": found.role.value} if is_on_roster else {}
    return {**fields, **role, **changes}
