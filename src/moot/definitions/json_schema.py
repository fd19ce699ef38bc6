"""JSON Schemas of debate, panel and persona files, so that editors can complete and check them.

Made from the models that read the files (`schema`) and the settings of the formats, so that there
is one description of a file. A schema says less than the reader: it must never refuse a file that
the reader takes.

    python -m moot.definitions.json_schema    writes src/moot/data/*.schema.json anew

Draft 7, which every editor knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from pydantic import BaseModel

from moot.definitions import teams
from moot.definitions.debate_file import KEY, LISTS, TOP, WAYS
from moot.definitions.panels import PanelFile, PanelLimits
from moot.definitions.schema import (
    DebateFile,
    DebaterSpec,
    LibrarySpec,
    ParticipantSpec,
    SeatSpec,
)
from moot.protocol.machine import Format
from moot.protocol.registry import offered

Schema = dict[str, Any]

DRAFT = "http://json-schema.org/draft-07/schema#"
DATA = Path(__file__).parents[1] / "data"
NAMED = {
    "type": "string",
    "minLength": 1,
    "description": "The name of a persona you have; `moot personas` lists them.",
}
WHOM: Mapping[str, type[BaseModel]] = {
    **dict.fromkeys(LISTS, SeatSpec),
    "debaters": DebaterSpec,
    "judge": SeatSpec,
    "participants": ParticipantSpec,
}
"""Who may stand under each key."""


@cache
def debate_schema() -> Schema:
    """The schema of debate files, for every format there is."""
    known = offered()
    together = [*_formats(known), *_ways(), _sides()]
    return _titled("A debate for Moot", _set_up(DebateFile, known, together))


@cache
def panel_schema() -> Schema:
    """The schema of panel files: as for debates, without a topic, for formats that have an end."""
    closed = {name: rules for name, rules in offered().items() if not rules.is_open_ended}
    together = [*_formats(closed, team=teams.usual_format()), *_ways(), _sides(), _alone()]
    made = _set_up(PanelFile, closed, together)
    limits = made["properties"]["limits"]
    made["properties"]["limits"] = _object(PanelLimits) | {"description": limits["description"]}
    made["properties"]["team"]["enum"] = [one.name for one in teams.teams()]
    return _titled("A panel for Moot", made)


def _set_up(file: type[BaseModel], formats: Mapping[str, Format], together: list[Schema]) -> Schema:
    """A file that says who debates by which rules; `together` has the rules between its keys."""
    made = _object(file)
    properties = made["properties"]
    properties["format"] |= {"enum": list(formats), "enumDescriptions": [*_abouts(formats)]}
    for key, kind in WHOM.items():
        entry = {"$ref": f"#/definitions/{kind.__name__}"}
        if key in LISTS:
            properties[key]["items"] = entry
        else:
            properties[key] = {"allOf": [entry], "description": properties[key]["description"]}
    made["allOf"] = together
    kinds = dict.fromkeys(WHOM.values())
    made["definitions"] = {
        **{kind.__name__: _entry(kind) for kind in kinds},
        **{_settings_of(name): _settings(rules) for name, rules in formats.items()},
    }
    return made


@cache
def persona_schema() -> Schema:
    """The schema of persona files: one persona, or several below `personas`."""
    one = _object(LibrarySpec)
    entry = {"$ref": "#/definitions/persona"}
    several = {
        "type": "object",
        "required": ["personas"],
        "additionalProperties": False,
        "properties": {
            "personas": {
                "type": "array",
                "minItems": 1,
                "maxItems": 50,
                "items": entry,
                "description": "Several personas in one file.",
            }
        },
    }
    made = {
        "if": {"type": "object", "required": ["personas"]},
        "then": several,
        "else": entry,
        "definitions": {"persona": one},
    }
    return _titled("Personas for Moot", made)


SCHEMAS = {
    "debate.schema.json": debate_schema,
    "panel.schema.json": panel_schema,
    "persona.schema.json": persona_schema,
}


def written(schema: Schema) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _titled(title: str, schema: Schema) -> Schema:
    return {"$schema": DRAFT, "title": title, **schema}


# --- what the models say --------------------------------------------------------------------------


def _object(kind: type[BaseModel]) -> Schema:
    """The fields of a model as they are written in a file. Who takes part is left open."""
    found = kind.model_json_schema(ref_template="#/definitions/{model}")
    fields = {
        name: _plain(one, found.get("$defs", {})) for name, one in found["properties"].items()
    }
    return {
        "type": "object",
        "required": found.get("required", []),
        "additionalProperties": False,
        "properties": fields,
    }


def _plain(field: Schema, shared: Mapping[str, Schema]) -> Schema:
    """The field without what only pydantic needs: a title, and null, which no file may contain."""
    options = [one for one in field.get("anyOf", ()) if one.get("type") != "null"]
    said = {key: value for key, value in field.items() if key not in ("anyOf", "title", "default")}
    made: Schema = {**(options[0] if options else {}), **said}
    if made.get("type") == "array" and "$ref" in made.get("items", {}):
        made.pop("items")
    reference = made.pop("$ref", "").rpartition("/")[2]
    resolved = shared.get(reference, {})
    made |= {key: resolved[key] for key in ("type", "enum") if key in resolved}
    if default := field.get("default"):
        made["default"] = default
    return made


def _entry(kind: type[BaseModel]) -> Schema:
    """One who takes part: the name of a persona, a persona with changes, or written out in full."""
    out = _object(kind)
    required = out.pop("required")
    return {
        **out,
        "type": ["string", "object"],
        "minLength": 1,
        "properties": {KEY: NAMED, **out["properties"]},
        "if": {"type": "object", "not": {"required": [KEY]}},
        "then": {"required": required},
    }


# --- what the formats say -------------------------------------------------------------------------


def _abouts(formats: Mapping[str, Format]) -> Iterator[str]:
    for rules in formats.values():
        yield f"{rules.about} {rules.when_to_use}"


def _settings_of(name: str) -> str:
    return f"settings of {name}"


def _settings(rules: Format) -> Schema:
    """The settings of a format, each with its description, its bounds and its default."""
    found = msgspec.json.schema(rules.settings)
    shared: Mapping[str, Schema] = found.get("$defs", {})
    made = shared[rules.settings.__name__]
    fields = {name: _setting(one, shared) for name, one in made["properties"].items()}
    return {"type": "object", "additionalProperties": False, "properties": fields}


def _setting(field: Schema, shared: Mapping[str, Schema]) -> Schema:
    options = [_resolved(one, shared) for one in field.get("anyOf", ())]
    made = _resolved({key: value for key, value in field.items() if key != "anyOf"}, shared)
    if options:
        made["anyOf"] = options
    return {key: value for key, value in made.items() if not (key == "default" and value is None)}


def _resolved(one: Schema, shared: Mapping[str, Schema]) -> Schema:
    target = shared.get(one.get("$ref", "").rpartition("/")[2], {})
    kept = {key: value for key, value in one.items() if key != "$ref"}
    return {**{key: value for key, value in target.items() if key != "title"}, **kept}


def _formats(formats: Mapping[str, Format], team: str = "") -> Iterator[Schema]:
    """For each format, which settings it has, and which of them may stand at the top of a file.

    `team` is the format that a team has if the file names none.
    """
    for name, rules in formats.items():
        known = rules.settings.__struct_fields__
        refused = {key: False for key in TOP if key not in known}
        settings = {"$ref": f"#/definitions/{_settings_of(name)}"}
        yield {
            "if": _is_of(name, team),
            "then": {"properties": {"settings": settings, **refused}},
        }


def _is_of(name: str, team: str) -> Schema:
    """Whether a file is of that format."""
    is_this: Schema = {"properties": {"format": {"const": name}}}
    named = {**is_this, "required": ["format"]}
    if team == name:
        return {"anyOf": [named, {**is_this, "required": ["team"]}]}
    if name != DebateFile.model_fields["format"].default:
        return named
    return {"anyOf": [named, {**is_this, "not": {"required": ["team"]}}]} if team else is_this


def _alone() -> Schema:
    """A team excludes everybody else."""
    others = [key for keys, _ in WAYS.values() for key in keys]
    return {"if": {"required": ["team"]}, "then": {"properties": dict.fromkeys(others, False)}}


def _ways() -> Iterator[Schema]:
    """The three ways to say who takes part exclude one another; see `debate_file.WAYS`."""
    for keys, needed in WAYS.values():
        others = [key for other, _ in WAYS.values() if other != keys for key in other]
        demand = {"required": list(needed), "properties": dict.fromkeys(others, False)}
        yield {"if": {"anyOf": [{"required": [key]} for key in keys]}, "then": demand}


def _sides() -> Schema:
    def all_are(stance: str) -> Schema:
        entry = {
            "type": "object",
            "required": ["stance"],
            "properties": {"stance": {"const": stance}},
        }
        return {"type": "array", "items": entry}

    alike = [all_are(stance) for stance in ("pro", "con")]
    return {"properties": {"debaters": {"not": {"anyOf": alike}}}}


if __name__ == "__main__":
    for file, make in SCHEMAS.items():
        (DATA / file).write_text(written(make()), encoding="utf-8")
