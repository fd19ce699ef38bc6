"""Every snippet of README and docs is run or checked. What is only parsed says why."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import jsonschema  # type: ignore[import-untyped]  # has no types of its own
import pytest
from click.testing import CliRunner
from tests.unit.api.serving import serving
from tests.unit.docs.snippets import ROOT, SHELLS, Command, Snippet, commands, snippets

from moot.cli.app import cli
from moot.definitions.documents import parse
from moot.definitions.json_schema import debate_schema, panel_schema, persona_schema
from moot.definitions.panels import panel_of
from moot.models.providers import PROVIDERS, with_custom

ALL = list(snippets())

# --- what is not ours to run, and what is checked elsewhere

ELSEWHERE = {
    "README.md": "its program is run by tests/acceptance/test_readme.py",
    "docs/how-to/openai-api.md": "run by tests/acceptance/test_openai_clients.py",
    "docs/how-to/python.md": "its programs are run by tests/acceptance/test_python_programs.py",
    "docs/how-to/write-a-format.md": "played by tests/unit/protocol/test_format_docs.py",
}
ONLY_COMPILED = {"docs/how-to/people.md": "four lines out of a program, about a debate k3f2"}
PROGRAMS = {
    "moot": "parsed below, and run if it is cheap",
    "make": "its targets are compared with the Makefile",
    "curl": "compared with OpenAPI",
    "export": "variables are compared with those that Moot reads",
    "pip": "extras are compared with pyproject.toml",
    "python": "modules are looked up",
    **dict.fromkeys(("ollama", "lms", "vllm", "llama-server"), "a server that is not ours"),
    "claude": "a host that is not ours",
    **dict.fromkeys(
        (
            *("git", "cd", "cat", "source", "jq", "ssh", "openssl", "sqlite3", "pg_dump"),
            *("systemctl", "docker", "sudo", "echo", "printf", "python3"),
        ),
        "a tool of the system",
    ),
}
LANGUAGES = {
    "": "pictures, prompts and messages",
    "text": "help and messages",
    "mermaid": "a picture",
    **dict.fromkeys(("nginx", "ini", "js", "sql"), "configuration of others, or for a browser"),
    **dict.fromkeys((*SHELLS, "python", "yaml", "json", "toml"), "checked below"),
}
INVENTED_VARIABLES = {"LAB_KEY"}
INVENTED_FORMATS = {"circle", "premortem"}
"""What docs/how-to/write-a-format.md has its readers write."""
OF_OTHERS = {"OLLAMA_CONTEXT_LENGTH"}
SHORTENED = re.compile(r"\.\.\.|…")

CHEAP = {("formats",), ("formats", "show"), ("debates",), ("debates", "schema"), ("samples",),
         ("personas",), ("personas", "list"), ("personas", "show"), ("personas", "schema"),
         ("teams",), ("models",)}  # fmt: skip
"""Commands that are run as printed: they change nothing, ask no model and take milliseconds."""


def of(*languages: str) -> list[Snippet]:
    return [one for one in ALL if one.language in languages]


def shell() -> Iterator[Command]:
    for snippet in of(*SHELLS):
        yield from commands(snippet)


def called(program: str) -> list[Command]:
    return [one for one in shell() if Path(one.program).name == program]


def place(one: Any) -> str:
    return str(one.place)


# --- nothing is left out


def test_every_language_is_known() -> None:
    assert {one.language: one.place for one in ALL if one.language not in LANGUAGES} == {}


def test_every_program_is_known() -> None:
    unknown = {
        (one.place, one.program)
        for one in shell()
        if one.program and Path(one.program).name not in PROGRAMS
    }
    assert unknown == set()


def test_every_reason_is_still_needed() -> None:
    pages = {one.page for one in of("python")}
    assert pages == set(ELSEWHERE) | set(ONLY_COMPILED)


# --- shell


@pytest.mark.parametrize("one", called("moot"), ids=place)
def test_moot_takes_the_command(one: Command) -> None:
    command: click.Command = cli
    words = one.words[1:]
    # With its settings: click keeps the names of a help option with the command.
    context = click.Context(cli, info_name="moot", **cli.context_settings)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, f"{one.place}: {' '.join(one.words)}"
        command, words = found, words[1:]
    try:
        command.make_context("moot", words, parent=context)
    except click.exceptions.Exit:  # it was asked for its help
        assert "--help" in words
    except click.UsageError as error:
        pytest.fail(f"{one.place}: {' '.join(one.words)}: {error.message}")


def path_of(one: Command) -> tuple[str, ...]:
    words = one.words[1:]
    group = cli.get_command(click.Context(cli, **cli.context_settings), words[0]) if words else None
    if isinstance(group, click.Group) and len(words) > 1 and words[1] in group.commands:
        return tuple(words[:2])
    return tuple(words[:1])


@pytest.mark.parametrize(
    "one",
    [
        one
        for one in called("moot")
        if path_of(one) in CHEAP and INVENTED_FORMATS.isdisjoint(one.words)
    ],
    ids=place,
)
def test_what_is_cheap_runs_as_printed(
    one: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for row in PROVIDERS.values():
        for name in (*row.key_variables, row.url_variable):
            monkeypatch.delenv(name or "_", raising=False)
    monkeypatch.setenv("MOOT_HOME", str(tmp_path))
    done = CliRunner().invoke(cli, one.words[1:])
    assert done.exit_code == 0, f"{one.place}: {' '.join(one.words)}\n{done.output}"


def test_every_target_of_make_is_there() -> None:
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", made, re.MULTILINE))
    named = {
        word for one in called("make") for word in one.words[1:] if re.fullmatch(r"[a-z-]+", word)
    }
    assert named <= targets
    assert named


def test_every_extra_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {
        extra
        for one in ALL
        for extras in re.findall(r"(?:moot|\.)\[([a-z,]+)\]", one.text)
        for extra in extras.split(",")
    }
    assert named <= set(project["optional-dependencies"])


def test_every_variable_is_one_that_is_read() -> None:
    page = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
    read = set(re.findall(r"`([A-Z][A-Z0-9_]+)`", page)) | INVENTED_VARIABLES | OF_OTHERS
    for one in shell():
        named = set(one.variables) | {word.partition("=")[0] for word in one.words[1:]} \
            if one.program == "export" else set(one.variables)  # fmt: skip
        assert {name for name in named if name.isupper() and name not in read} == set(), one.place


def test_every_server_of_ones_own_is_taken() -> None:
    seen = 0
    for one in shell():
        given = [*one.words, *(f"{name}={value}" for name, value in one.variables.items())]
        for word in given:
            name, _, value = word.partition("=")
            if name == "MOOT_PROVIDERS":
                seen += 1
                assert len(with_custom(json.loads(value))) > len(PROVIDERS), one.place
    assert seen >= 2


# --- HTTP


async def test_every_call_of_curl_is_in_openapi(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        paths = (await on.get("/openapi.json"))["paths"]
    known = {
        (method.upper(), re.compile(re.sub(r"\{\w+\}", "[^/]+", path)))
        for path, methods in paths.items()
        for method in methods
    }
    for one in called("curl"):
        method, path, body = _request(one.words[1:])
        fits = [kind for kind, pattern in known if kind == method and pattern.fullmatch(path)]
        assert fits, f"{one.place}: {method} {path}"
        if body is not None:
            json.loads(body)


def _request(words: list[str]) -> tuple[str, str, str | None]:
    method, path, body = "", "", None
    words = list(words)
    while words:
        word = words.pop(0)
        if word in ("-X", "--request"):
            method = words.pop(0)
        elif word in ("-d", "--data", "--data-binary"):
            given = words.pop(0)
            body = None if given.startswith("@") else given
            method = method or "POST"
        elif word in ("-H", "-o", "--header", "--data-urlencode"):
            words.pop(0)
        elif not word.startswith("-"):
            path = re.sub(r"^(https?://)?[^/]+", "", word).partition("?")[0]
    return method or "GET", path, body


# --- files


@pytest.mark.parametrize("one", of("yaml"), ids=place)
def test_yaml_is_a_file_that_moot_takes(one: Snippet) -> None:
    if one.text.startswith("services:"):
        return  # a compose file, which is Docker's to read
    document = parse(one.text.encode(), one.place)
    data = document.data
    if "about" in data:
        panel_of(document)
        schema = panel_schema()
    else:
        schema = debate_schema() if "topic" in data else persona_schema()
    jsonschema.validate(data, schema, jsonschema.Draft7Validator)


@pytest.mark.parametrize("one", of("json", "toml"), ids=place)
def test_json_and_toml_can_be_read(one: Snippet) -> None:
    if one.language == "toml":
        tomllib.loads(one.text)
    elif not SHORTENED.search(one.text):
        json.loads(one.text)


@pytest.mark.parametrize("one", of("python"), ids=place)
def test_python_can_be_compiled(one: Snippet) -> None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    compile(one.text, one.place, "exec", flags=flags, dont_inherit=True)
