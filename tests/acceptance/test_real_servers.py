"""Debates on servers that are not ours: llama.cpp's, and LiteLLM's proxy before a scripted one.

Neither says anything clever. What counts is that every call of every format is accepted the first
time: by a template that wants roles in turn, and by a proxy that rewrites what it is sent.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from tests.acceptance.llama import LAYERS, STRICT, Weights

import moot
from moot.library import Moot
from moot.models.backends.embedded import weights
from moot.models.backends.openai_compatible.adapter import OpenAICompatible
from moot.models.endpoint import Endpoint
from moot.models.port import ChatRequest
from moot.protocol import events as e
from moot.protocol.formats.room import acts as room_acts
from moot.protocol.state import DebateState
from moot.protocol.values import Message, Participant, Sampling
from moot.protocol.words import Role, Status

pytestmark = [pytest.mark.xdist_group("real_servers"), pytest.mark.timeout(180)]

TOPIC = "Is tea better than coffee?"
START_S = 90
MEMBERS = tuple(Participant(id=n.lower(), name=n, role=Role.MEMBER) for n in ("Ada", "Bo"))
PAIR = tuple(Participant(id=n.lower(), name=n, role=Role.DEBATER) for n in ("Ada", "Bo"))
JUDGE = Participant(id="jo", name="Jo", role=Role.JUDGE)

FORMATS: Mapping[str, tuple[tuple[Participant, ...], dict[str, Any]]] = {
    "duel": ((*PAIR, JUDGE), {"turns": 1, "max_tokens": 16}),
    "rounds": ((*PAIR, JUDGE), {"max_rounds": 2, "max_tokens": 16}),
    "council": ((*MEMBERS, JUDGE), {"rounds": 1, "max_tokens": 32}),
    # On a busy machine a small model reads for long before it says its first word.
    "room": (MEMBERS, {"pacing": "manual", "max_tokens": 16, "max_wait": 120}),
}


# --- holding a debate -----------------------------------------------------------------------------


async def held(home: Path, form: str, model: str, **wished: Any) -> DebateState:
    """A short debate of that format to its end, or a room in which everybody spoke twice."""
    participants, settings = FORMATS[form]
    async with moot.open(home=home) as opened:
        debate = await opened.create(
            TOPIC, format=form, participants=participants, model=model, **settings, **wished
        )
        state = await (_talked if form == "room" else _run)(opened, debate.id)
        log = [record.event for record in await opened.service.log(debate.id)]
    _assert_every_call_was_taken(log)
    return state


async def _run(opened: Moot, debate: str) -> DebateState:
    state = await opened.service.run(debate)
    assert state.status is Status.COMPLETED, state.failure
    return state


async def _talked(opened: Moot, debate: str) -> DebateState:
    service = opened.service
    await service.command(debate, "start")
    for text in ("Well?", "Really?"):
        await service.say(debate, text)
        state = await service.run(debate)
        await service.act(debate, room_acts.settled([turn.seq for turn in state.pending]))
    return await service.state(debate)


def _assert_every_call_was_taken(log: Sequence[e.AnyEvent]) -> None:
    """Small models are often unreadable; that is theirs, and no server's refusal."""
    failed = [one for one in log if isinstance(one, e.AttemptFailed | e.StepFailed)]
    refused = [one for one in failed if one.code != "unreadable"]
    assert not refused, refused


def _said(state: DebateState) -> list[e.TurnRecorded]:
    return [turn.said for turn in state.transcript() if turn.said.model]


# --- llama.cpp ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("llama")
    Weights(weights()).write(made / "small.gguf", LAYERS)
    (made / "strict.jinja").write_text(STRICT)
    return made


@contextmanager
def serving(*command: str) -> Iterator[str]:
    """A module of ours in a process of its own, which prints its address as its first line."""
    command = (sys.executable, "-m", *command)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def llama(folder: Path, *template: str) -> AbstractContextManager[str]:
    files = (str(folder / name) for name in ("small.gguf", *template))
    return serving("tests.acceptance.llama", *files)


@pytest.fixture(scope="module")
def own_template(folder: Path) -> Iterator[str]:
    with llama(folder) as url:
        yield f"{url}/v1"


@pytest.fixture(scope="module")
def strict_template(folder: Path) -> Iterator[str]:
    with llama(folder, "strict.jinja") as url:
        yield f"{url}/v1"


@pytest.mark.embedded
def test_the_strict_template_refuses_what_it_should(strict_template: str) -> None:
    for roles in ("uu", "us", "a", "ua"):
        names = {"u": "user", "a": "assistant", "s": "system"}
        messages = [{"role": names[one], "content": "hm"} for one in roles]
        body = {"model": "smollm2", "max_tokens": 1, "messages": messages}
        answer = httpx.post(f"{strict_template}/chat/completions", json=body, timeout=60)
        assert answer.status_code == 400, roles


@pytest.mark.embedded
@pytest.mark.parametrize("form", FORMATS)
async def test_llama_with_a_strict_template_takes_every_call(
    form: str, strict_template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMACPP_BASE_URL", strict_template)
    state = await held(tmp_path, form, "llamacpp:smollm2")
    assert {one.model for one in _said(state)} == {"llamacpp:smollm2"}
    assert all(one.usage.output_tokens for one in _said(state))
    if form == "room":
        assert len(_said(state)) == 2 * len(MEMBERS)


@pytest.mark.embedded
@pytest.mark.parametrize("form", ["duel", "room"])
async def test_llama_with_its_own_template_takes_every_call(
    form: str, own_template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMACPP_BASE_URL", own_template)
    state = await held(tmp_path, form, "llamacpp:smollm2", temperature=0.9, sampling_seed=7)
    wished = Sampling(temperature=0.9, seed=7)
    assert {one.sampling for one in _said(state)} == {wished}
    assert not [one for one in _said(state) if "sampling_ignored" in one.flags]


@pytest.mark.embedded
async def test_no_call_is_written_into_a_connection_that_llama_is_closing(
    own_template: str,
) -> None:
    """It says that it keeps them, and closes each after a streamed reply: of calls that follow
    each other at once, almost every third was lost."""
    model = OpenAICompatible(endpoint=Endpoint(provider="llamacpp", base_url=own_template))
    asked = ChatRequest(
        model="smollm2", messages=(Message(role="user", content="hm"),), max_tokens=2
    )
    try:
        for _ in range(30):
            await model.reply(asked, lambda text: None)
    finally:
        await model.close()


# --- LiteLLM's proxy ------------------------------------------------------------------------------


# It does without `mcp` where there is none, and does not start with one that is too new for it.
WITHOUT_MCP = """
import sys
sys.modules["mcp"] = None
from litellm.proxy.proxy_cli import run_server
run_server()
"""


def _config(base_url: str) -> dict[str, Any]:
    behind = {"model": "openai/scripted", "api_base": base_url, "api_key": "none"}
    return {"model_list": [{"model_name": "scripted", "litellm_params": behind}]}


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def scripted() -> Iterator[str]:
    with serving("moot.testing.server", "--words", "12") as url:
        yield url


@pytest.fixture(scope="module")
def proxy(scripted: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("litellm")
    config = home / "config.yaml"  # JSON is YAML too
    config.write_bytes(msgspec.json.encode(_config(scripted)))
    port = _free_port()
    command = [sys.executable, "-c", WITHOUT_MCP, "--config", str(config)]
    # Without these it looks for prices and news in the network.
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False"}
    with (home / "proxy.log").open("wb") as out:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            cwd=home,
            env={**os.environ, **quiet},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            _await(f"http://127.0.0.1:{port}/health/liveliness", process, home / "proxy.log")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(timeout=30)


def _await(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(url, timeout=5).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    pytest.fail(f"the proxy did not start: {log.read_text()[-2000:]}")


@pytest.mark.xdist_group("litellm")  # it takes seconds to start, so it is started once
@pytest.mark.parametrize("form", FORMATS)
async def test_the_proxy_takes_every_call(
    form: str, proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_PROVIDERS", '{"proxy": {"base_url": "' + proxy + '"}}')
    state = await held(tmp_path, form, "proxy:scripted", temperature=0.5)
    said = _said(state)
    assert said
    assert all(one.usage.output_tokens and not one.usage.is_estimated for one in said)
    assert {one.sampling for one in said} == {Sampling(temperature=0.5)}
