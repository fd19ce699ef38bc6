"""`moot serve` as a model, for the real clients and from outside: time-outs, kills, restarts."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openai
import pytest
from tests.acceptance.terminals import PATIENCE_S, Provider
from tests.acceptance.test_serve import Server

ONE_RUN = 10
PANEL = """
name: quick
about: Two debate a statement each; a judge decides.
format: duel
settings: {turns: 1}
debaters: [{name: Ada, personality: You are Ada.}, {name: Bob, personality: You are Bob.}]
judge: {name: Jo, personality: You are Jo.}
"""
QUESTION: list[Any] = [{"role": "user", "content": "Tabs or spaces?"}]
CLIENT = """
import sys, openai
client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="sk-me", max_retries=0)
stream = client.chat.completions.create(
    model="moot/quick", stream=True, messages=[{"role": "user", "content": "Tabs or spaces?"}]
)
for chunk in stream:
    delta = chunk.choices[0].delta
    print(getattr(delta, "reasoning_content", None) or delta.content or "", flush=True)
"""


class House:
    """A provider with a ledger, and servers on one database before it."""

    def __init__(self, provider: Callable[..., Provider], home: Path, latency_s: str) -> None:
        self.ledger = home.parent / "calls.jsonl"
        self._provider = provider("--latency", latency_s, "--ledger", str(self.ledger))
        self._running: list[Server] = []
        (home / "panels").mkdir(parents=True)
        (home / "panels" / "quick.yaml").write_text(PANEL)

    def serve(self) -> Server:
        self._running.append(Server(self._provider))
        return self._running[-1]

    def calls(self) -> int:
        """How many calls were made and answered."""
        lines = self.ledger.read_text().splitlines() if self.ledger.exists() else []
        return sum(1 for line in lines if json.loads(line).get("outcome", "finished") == "finished")

    @contextmanager
    def held(self) -> Iterator[None]:
        """The provider answers nobody meanwhile: no debate can come to its end."""
        self._provider.process.send_signal(signal.SIGSTOP)
        yield
        self._provider.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        for one in self._running:
            one.process.kill()
            one.process.communicate()


@pytest.fixture
def house(home: Path, provider: Callable[..., Provider]) -> Iterator[House]:
    one = House(provider, home, "0.15")
    yield one
    one.close()


@pytest.fixture
def slow_house(home: Path, provider: Callable[..., Provider]) -> Iterator[House]:
    one = House(provider, home, "0.5")
    yield one
    one.close()


def client_of(server: Server, **options: Any) -> openai.OpenAI:
    given: dict[str, Any] = {"timeout": PATIENCE_S, "max_retries": 0, "api_key": "sk-me", **options}
    return openai.OpenAI(base_url=f"{server.url}/v1", **given)


def ids_of(server: Server) -> list[str]:
    return [one["id"] for one in server.ask("GET", "/api/debates")["items"]]


def answer_of(server: Server) -> Any:
    with client_of(server) as client:
        return client.chat.completions.create(model="moot/quick", messages=QUESTION)


def test_a_second_of_patience_and_two_retries_pay_once(house: House) -> None:
    server = house.serve()
    # Held: the client's own pauses are long enough for a panel to answer its last try.
    with (
        house.held(),
        client_of(server, timeout=0.3, max_retries=2) as hasty,
        pytest.raises(openai.APITimeoutError),
    ):
        hasty.chat.completions.create(model="moot/quick", messages=QUESTION)
    answer = answer_of(server)
    assert ids_of(server) == [answer.moot["debate"]]
    assert house.calls() == ONE_RUN


def test_killed_clients_and_a_killed_server_lose_nothing(slow_house: House) -> None:
    house = slow_house
    server = house.serve()
    command = [sys.executable, "-c", CLIENT, server.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        _read_to(client, "plans.")
        with house.held():
            client.kill()
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
                _read_to(other, "plans.")
                assert server.end(signal.SIGKILL) == -signal.SIGKILL
                assert other.wait(PATIENCE_S) != 0
    again = house.serve()
    answer = answer_of(again)
    (debate,) = ids_of(again)
    assert answer.moot["debate"] == debate
    exported = answer.choices[0].message.content.partition("\n\n---\n")[0]
    assert exported.startswith("**")
    # At most what was in flight when the server died: a judge weighs while nobody else speaks.
    assert ONE_RUN <= house.calls() <= ONE_RUN + 2
    assert answer_of(again).moot["debate"] != debate


def _read_to(client: subprocess.Popen[str], words: str) -> None:
    assert client.stdout is not None
    while words not in (line := client.stdout.readline()):
        assert line, f"the client ended before it had read {words!r}"


def programs() -> str:
    """Those of the guide, one after the other, about the panel that is quick."""
    page = Path(__file__).parents[2] / "docs" / "how-to" / "openai-api.md"
    found = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 3
    return "\n".join(found).replace("moot/council", "moot/quick").replace("sleep(1)", "sleep(0.1)")


NO_RAW_MODEL = """
try:
    litellm.completion(
        model="openai/gpt-4o",
        api_base=BASE,
        api_key="x",
        messages=[{"role": "user", "content": "?"}],
    )
except litellm.NotFoundError as error:
    assert "moot/quick" in str(error)
else:
    raise SystemExit("a raw model answered")
assert answer.choices[0].message.reasoning_content
"""


def test_the_programs_of_the_guide_run_with_openai_and_litellm(house: House) -> None:
    server = house.serve()
    base = f"{server.url}/v1"
    code = (programs() + NO_RAW_MODEL).replace("BASE", repr(base))
    ran = subprocess.run(
        [sys.executable, "-c", code.replace("http://127.0.0.1:8420/v1", base)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "Ada plans." in ran.stdout
    assert ran.stdout.count("*moot/quick: ") == 4
    assert len(ids_of(server)) == 4
