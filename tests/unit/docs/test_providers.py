"""The pages of docs/providers: the line on each really makes `moot models` call it ready."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from click.testing import CliRunner
from tests.unit.docs.snippets import ROOT, Snippet, commands

from moot.cli.app import cli
from moot.models.providers import PROVIDERS
from moot.testing.server import ScriptedServer

FOLDER = ROOT / "docs" / "providers"
KEYED = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "openrouter": "openrouter",
    "deepseek": "deepseek",
    "azure": "azure",
    "openai-compatible": "lab",
}
LOCAL = {"ollama": "ollama", "lm-studio": "lmstudio", "vllm": "vllm", "llama-cpp": "llamacpp"}


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for row in PROVIDERS.values():
        for name in (*row.key_variables, row.url_variable):
            monkeypatch.delenv(name or "_", raising=False)
    monkeypatch.delenv("MOOT_MODEL", raising=False)
    monkeypatch.delenv("MOOT_PROVIDERS", raising=False)
    monkeypatch.setenv("MOOT_HOME", str(tmp_path))


def text_of(page: str) -> str:
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


def line_of(page: str) -> dict[str, str]:
    """The variables that the first block of the page sets, with a key in place of dots."""
    block = text_of(page).partition("```sh\n")[2].partition("```")[0]
    found = commands(Snippet(page=page, line=1, language="sh", text=block))
    words = [word for one in found for word in one.words[1:]]
    given = dict(word.partition("=")[::2] for word in words)
    return {name: value.replace("...", "key-of-a-test") for name, value in given.items()}


def listed() -> dict[str, dict[str, Any]]:
    done = CliRunner().invoke(cli, ["models", "--json"])
    return {row["provider"]: row for row in json.loads(done.stdout)["providers"]}


def test_every_page_is_in_the_index_and_tested() -> None:
    pages = {page.stem for page in FOLDER.glob("*.md")} - {"README"}
    assert pages == set(KEYED) | set(LOCAL)
    assert set(re.findall(r"\(([\w-]+)\.md\)", text_of("README"))) == pages


@pytest.mark.parametrize(("page", "provider"), KEYED.items())
def test_the_line_makes_it_ready(page: str, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not listed().get(provider, {"is_usable": False})["is_usable"]
    for name, value in line_of(page).items():
        monkeypatch.setenv(name, value)
    assert listed()[provider]["is_usable"]


@pytest.mark.parametrize(("page", "provider"), LOCAL.items())
async def test_a_local_server_is_found_at_the_address_that_its_page_names(
    page: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = PROVIDERS[provider]
    assert row.url_variable in text_of(page)
    assert f"`nothing answers at {row.base_url}`" in text_of(page)
    async with ScriptedServer() as server:
        monkeypatch.setenv(row.url_variable, server.base_url)
        found = (await asyncio.to_thread(listed))[provider]
    assert (found["is_usable"], found["models"]) == (True, ["scripted"])


@pytest.mark.parametrize(("page", "provider"), {**KEYED, **LOCAL}.items())
def test_it_says_how_to_check_it_and_what_can_go_wrong(page: str, provider: str) -> None:
    text = text_of(page)
    assert re.search(rf"moot (models test|run .*--model) {provider}:", text)
    assert "## What is special" in text
    assert "## Common errors" in text
    row = PROVIDERS.get(provider)
    if row and row.default_model:
        assert f"`{row.default_model}` is the default" in text


async def test_azure_is_asked_as_its_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, dict[str, Any]]] = []

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        asked.append((request.path_qs, request.headers["Authorization"], body))
        said = '{"legs": 8, "why": "It is one."}'
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": said}}
        return web.json_response({"choices": [choice]})

    app = web.Application()
    app.router.add_post("/openai/v1/chat/completions", answer)
    async with TestServer(app) as server:
        monkeypatch.setenv("AZURE_OPENAI_BASE_URL", str(server.make_url("/openai/v1")))
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", "az-key")
        words = ["models", "test", "azure:my-deployment"]
        done = await asyncio.to_thread(CliRunner().invoke, cli, words)
    assert done.exit_code == 0, done.output
    for path, key, body in asked:
        assert (path, key) == ("/openai/v1/chat/completions", "Bearer az-key")
        assert body["model"] == "my-deployment"
        assert "max_completion_tokens" in body
    assert asked
