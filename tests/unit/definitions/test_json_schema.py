"""The JSON Schemas of files: up to date, and of one mind with the reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # has no types of its own
import pytest
from click.testing import CliRunner

from moot.cli.app import cli
from moot.definitions import shipped
from moot.definitions.debate_file import define
from moot.definitions.documents import parse
from moot.definitions.json_schema import (
    DATA,
    SCHEMAS,
    debate_schema,
    panel_schema,
    persona_schema,
    written,
)
from moot.definitions.panels import PanelFile, panel_of
from moot.definitions.personas import specs_of
from moot.definitions.schema import DebateFile
from moot.errors import InvalidInput
from moot.protocol.registry import offered

PAIR = "topic: T\ndebaters:\n  - name: Ada\n  - name: Bob\n"
TAKEN = {
    "a topic": "topic: T",
    "personas by name": "topic: T\nformat: council\nparticipants: [architect, security]",
    "a persona with changes": "topic: T\ndebaters:\n  - {persona: ada, model: human}\n  - surgeon\n"
    "judge: {persona: logic}\n",
    "pools": "topic: T\nfor: [{name: Ada}]\nagainst: [{name: Bob}]\naudience: [{name: Jo}]",
    "settings that may be empty": "topic: T\nsettings: {max_cost_usd: null, temperature: 1}",
    "a colour in capitals": PAIR + "    color: Red\n",
    "every wish for a model": PAIR + "    reasoning_effort: low\n    temperature: 0\n    top_p: 1\n"
    "    sampling_seed: 7\n",
    "a council": "topic: T\nformat: council\nsettings: {answers: ['How many? Two.']}",
}
REFUSED = {
    "no topic": "turns: 6",
    "an empty topic": "topic: ''",
    "a key that does not exist": "topic: T\ntopics: U",
    "a key of nobody's": PAIR + "    nmae: Bo\n",
    "a number as text": "topic: T\nturns: 'six'",
    "too many turns": "topic: T\nturns: 101",
    "a format that does not exist": "topic: T\nformat: duell",
    "a setting of another format": "topic: T\nformat: duel\nsettings: {max_rounds: 3}",
    "a setting of another format, duel unsaid": "topic: T\nsettings: {max_rounds: 3}",
    "a setting out of bounds": "topic: T\nformat: council\nsettings: {rounds: 99}",
    "a word that a setting does not know": "topic: T\nformat: council\nsettings: {decision: coin}",
    "turns where there are rounds": "topic: T\nformat: rounds\nturns: 6",
    "one debater": "topic: T\ndebaters: [{name: Ada}]",
    "a judge without debaters": "topic: T\njudge: {name: Jo}",
    "for without against": "topic: T\nfor: [{name: Ada}]",
    "two ways at once": PAIR + "participants: [{name: Cy, role: judge}]\n",
    "both on one side": PAIR.replace("Ada", "Ada\n    stance: pro") + "    stance: pro\n",
    "somebody without a name": "topic: T\ndebaters: [{title: A}, {name: Bob}]",
    "somebody without a role": "topic: T\nformat: council\nparticipants: [{name: A}, {name: B}]",
    "a colour without quotes": PAIR + "    color: #aa0000\n",
    "a colour that does not exist": PAIR + "    color: blurple\n",
    "a model with a space": PAIR + "    model: gpt 6\n",
    "a name with brackets": PAIR.replace("Ada", "'[Ada]'"),
    "a temperature as text": PAIR + "    temperature: hot\n",
    "an effort that does not exist": PAIR + "    reasoning_effort: enormous\n",
    "a list where text belongs": "topic: [T]",
    "settings that are a list": "topic: T\nsettings: [turns]",
}
PANEL = "name: board\nabout: What for.\n"
PANELS_TAKEN = {
    "a name and what it is for": PANEL,
    "a team, whose format is a council's": PANEL + "team: design\nsettings: {rounds: 1}",
    "a team with its format": PANEL + "team: design\nformat: council\nsettings: {rounds: 1}",
    "a duel, unsaid": PANEL + "settings: {turns: 2}\npremise: It is so.",
    "personas by name": PANEL + "format: council\nparticipants: [architect, security]",
    "how it answers": PANEL + "limits: {max_cost_usd: 0.5}\nanswer: transcript\ninherit: true\n"
    "thinking: text\nusage: visible\ngrace_seconds: 0\ntask_model: openai:gpt-6-luna",
}
PANELS_REFUSED = {
    "no name": "about: A.",
    "a name of two words": PANEL.replace("board", "my board"),
    "nothing that it is for": "name: board",
    "a topic": PANEL + "topic: T",
    "a key of nobody's": PANEL + "limts: {}",
    "a format without an end": PANEL + "format: room",
    "a team that does not exist": PANEL + "team: nobody",
    "the beginning of a team": PANEL + "team: des",
    "a team and others": PANEL + "team: design\nparticipants: [ada, bo]",
    "a setting of a duel for a team": PANEL + "team: design\nsettings: {turns: 2}",
    "a setting of a council, duel unsaid": PANEL + "settings: {rounds: 2}",
    "a limit that does not exist": PANEL + "limits: {max_turns: 1}",
    "a limit out of bounds": PANEL + "limits: {max_cost_usd: -1}",
    "an answer that does not exist": PANEL + "answer: verdict",
}
PERSONAS_REFUSED = {
    "no name": "role: judge",
    "a role that does not exist": "name: Zed\nrole: king",
    "none": "personas: []",
    "one without a name": "personas: [{title: A}]",
    "a key beside them": "personas: [{name: Zed}]\nname: Zed",
}


def data(text: str) -> Any:
    return parse(text.encode(), "d.yaml").data


def is_valid(schema: dict[str, Any], value: object) -> bool:
    return bool(jsonschema.Draft7Validator(schema).is_valid(value))


@pytest.mark.parametrize("file", SCHEMAS)
def test_what_is_shipped_is_what_is_made(file: str) -> None:
    made = "python -m moot.definitions.json_schema"
    assert (DATA / file).read_text(encoding="utf-8") == written(SCHEMAS[file]()), made
    jsonschema.Draft7Validator.check_schema(SCHEMAS[file]())


@pytest.mark.parametrize("name", shipped.names())
def test_every_shipped_debate_is_valid(name: str) -> None:
    jsonschema.validate(shipped.debate(name).data, debate_schema(), jsonschema.Draft7Validator)


def test_every_shipped_file_of_personas_is_valid() -> None:
    for document in shipped.personas():
        jsonschema.validate(document.data, persona_schema(), jsonschema.Draft7Validator)


def test_every_shipped_panel_is_valid() -> None:
    for document in shipped.panels().values():
        jsonschema.validate(document.data, panel_schema(), jsonschema.Draft7Validator)


@pytest.mark.parametrize("text", PANELS_TAKEN.values(), ids=PANELS_TAKEN)
def test_a_panel_that_the_reader_takes_is_valid(text: str) -> None:
    panel_of(parse(text.encode(), "d.yaml"))
    jsonschema.validate(data(text), panel_schema(), jsonschema.Draft7Validator)


@pytest.mark.parametrize("text", PANELS_REFUSED.values(), ids=PANELS_REFUSED)
def test_a_panel_that_the_reader_refuses_is_not(text: str) -> None:
    with pytest.raises(InvalidInput):
        panel_of(parse(text.encode(), "d.yaml"))
    assert not is_valid(panel_schema(), data(text))


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_what_the_reader_takes_is_valid(text: str) -> None:
    define(parse(text.encode(), "d.yaml"))
    jsonschema.validate(data(text), debate_schema(), jsonschema.Draft7Validator)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_the_reader_refuses_is_not(text: str) -> None:
    with pytest.raises(InvalidInput):
        define(parse(text.encode(), "d.yaml"))
    assert not is_valid(debate_schema(), data(text))


@pytest.mark.parametrize("text", PERSONAS_REFUSED.values(), ids=PERSONAS_REFUSED)
def test_personas_that_the_reader_refuses_are_not(text: str) -> None:
    with pytest.raises(InvalidInput):
        specs_of(parse(text.encode(), "d.yaml"))
    assert not is_valid(persona_schema(), data(text))


def test_a_persona_alone_and_several_are_valid() -> None:
    for text in ("name: Zed\ntitle: Sailor", "personas: [{name: Zed, role: judge}, {name: Ann}]"):
        specs_of(parse(text.encode(), "d.yaml"))
        assert is_valid(persona_schema(), data(text))


def test_every_key_and_every_setting_has_a_description() -> None:
    schema = debate_schema()
    assert set(schema["properties"]) == {
        field.alias or name for name, field in DebateFile.model_fields.items()
    }
    panel = panel_schema()
    assert set(panel["properties"]) == {
        field.alias or name for name, field in PanelFile.model_fields.items()
    }
    for field in (
        *panel["properties"].values(),
        *panel["properties"]["limits"]["properties"].values(),
    ):
        assert field.get("description"), field
    described = [
        schema,
        *schema["definitions"].values(),
        persona_schema()["definitions"]["persona"],
    ]
    assert len(described) == 1 + 3 + len(offered()) + 1
    for one in described:
        assert all(field.get("description") for field in one["properties"].values()), one


@pytest.mark.parametrize("noun", ["debates", "panels", "personas"])
def test_the_command_line_prints_it(noun: str) -> None:
    done = CliRunner().invoke(cli, [noun, "schema"])
    assert done.stdout == (DATA / f"{noun.removesuffix('s')}.schema.json").read_text("utf-8")


def test_the_schemas_are_in_the_package() -> None:
    assert Path(str(DATA)).name == "data"
    assert sorted(one.name for one in DATA.glob("*.schema.json")) == sorted(SCHEMAS)
