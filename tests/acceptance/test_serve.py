"""`moot serve` as a user starts it: a process of its own, killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.terminals import PATIENCE_S, Moot, Provider

Start = Callable[..., "Server"]


class Server:
    """A running `moot serve`, on a port of its own."""

    def __init__(self, provider: Provider, *options: str, **environment: str) -> None:
        names = {"OPENAI_BASE_URL": provider.url, "MOOT_MODEL": "openai:test", **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moot", "serve", "--port", "0", *options],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **names},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.url = line.removeprefix("Moot is at ").strip()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        request = urllib.request.Request(  # noqa: S310 - our own loopback address
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **headers},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:  # noqa: S310
            return json.loads(response.read() or b"null")

    def events(self, debate: str) -> Generator[str, None, None]:
        """The types of events, to the end of the stream, which is the end of the debate."""
        address = f"{self.url}/api/debates/{debate}/events"
        with urllib.request.urlopen(address, timeout=PATIENCE_S) as response:  # noqa: S310
            for line in response:
                if line.startswith(b"event: "):
                    yield line.decode().removeprefix("event: ").strip()

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


@pytest.fixture
def start(home: Path, provider: Callable[..., Provider]) -> Iterator[Start]:
    del home
    running: list[Server] = []
    slow = provider("--latency", "0.05")

    def begin(*options: str, **environment: str) -> Server:
        running.append(Server(slow, *options, **environment))
        return running[-1]

    yield begin
    for server in running:
        server.process.kill()
        server.process.communicate()


NEW = {"format": "rounds", "topic": "Cats or dogs?", "settings": {"max_rounds": 2}, "start": True}


def test_it_runs_what_is_started_and_the_command_line_sees_it(start: Start, moot: Moot) -> None:
    server = start()
    debate = server.ask("POST", "/api/debates", NEW)["id"]
    assert list(server.events(debate))[-1] == "DebateCompleted"
    assert server.ask("GET", f"/api/debates/{debate}")["stop_reason"] == "max_rounds"
    shown = moot("show", debate)
    assert shown.exit_code == 0
    assert "Cats or dogs?" in shown.stdout
    assert server.end(signal.SIGTERM) == 0


def test_it_goes_on_after_kill_9_with_nobody_watching(start: Start) -> None:
    server = start()
    long = {**NEW, "settings": {"max_rounds": 20, "max_total_output_tokens": None}}
    debate = server.ask("POST", "/api/debates", long)["id"]
    with closing(server.events(debate)) as seen:
        assert "TurnRecorded" in seen  # reads as far as the first one
    server.end(signal.SIGKILL)
    again = start()
    events = list(again.events(debate))
    assert events[-1] == "DebateCompleted"
    assert events.count("TurnRecorded") == 41
    assert "DebateRecovered" in events


def test_it_obeys_commands_given_at_another_process(start: Start, moot: Moot) -> None:
    server = start()
    long = {**NEW, "settings": {"max_rounds": 100, "max_total_output_tokens": None}}
    debate = server.ask("POST", "/api/debates", long)["id"]
    assert moot("cancel", debate).exit_code == 0
    assert list(server.events(debate))[-1] == "DebateCanceled"


def test_it_does_not_run_what_nobody_started(start: Start) -> None:
    server = start()
    debate = server.ask("POST", "/api/debates", {**NEW, "start": False})["id"]
    other = server.ask("POST", "/api/debates", NEW)["id"]
    assert list(server.events(other))[-1] == "DebateCompleted"
    assert server.ask("GET", f"/api/debates/{debate}")["status"] == "created"


def test_it_asks_for_the_token_if_there_is_one(start: Start) -> None:
    server = start(MOOT_TOKEN="a-token-of-some-length")
    with pytest.raises(urllib.error.HTTPError) as refused:
        server.ask("GET", "/api/debates")
    with refused.value as response:
        assert response.code == 401
    assert server.ask("GET", "/api/debates", Authorization="Bearer a-token-of-some-length")


def test_it_refuses_to_be_reachable_by_strangers(moot: Moot) -> None:
    refused = moot("serve", "--host", "0.0.0.0")  # noqa: S104 - what is refused
    assert refused.exit_code == 2
    assert "MOOT_TOKEN" in refused.stderr


def test_it_says_that_a_port_is_taken(start: Start, moot: Moot) -> None:
    port = start().url.rpartition(":")[2]
    refused = moot("serve", "--port", port)
    assert refused.exit_code == 2
    assert "choose another port" in refused.stderr


def test_it_ends_soon_with_a_viewer_connected(start: Start) -> None:
    server = start()
    debate = server.ask("POST", "/api/debates", {**NEW, "start": False})["id"]
    viewer = server.events(debate)
    assert next(viewer) == "DebateCreated"
    assert server.end(signal.SIGTERM) == 0
    assert list(viewer) == []


@pytest.mark.parametrize("is_beside", [True, False])
def test_what_the_command_line_deletes_is_gone_from_the_files(
    start: Start, moot: Moot, home: Path, is_beside: bool
) -> None:
    server = start()
    secret = {**NEW, "topic": "CANARY-topic?", "start": True}
    secret["attachments"] = [{"name": "notes.txt", "content": "CANARY-attached " * 50}]
    debates = [server.ask("POST", "/api/debates", {**body})["id"] for body in (secret, NEW)]
    for debate in debates:
        assert list(server.events(debate))[-1] == "DebateCompleted"
    if not is_beside:
        server.end(signal.SIGTERM)
    assert any(b"CANARY" in path.read_bytes() for path in home.iterdir() if path.is_file())
    assert moot("delete", debates[0], "--yes").exit_code == 0
    for path in home.rglob("*"):
        assert path.is_dir() or b"canary" not in path.read_bytes().lower(), path
    assert "Cats or dogs?" in moot("show", debates[1]).stdout
