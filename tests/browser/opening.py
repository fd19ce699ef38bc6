"""A real Chromium on a real `moot serve`, whose models are a scripted provider in this process.

What the provider says is chosen by the topic, which every prompt of a debate's first turns has; so
tests share one server and do not disturb each other. `hold` makes it wait until it is let go.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect, sync_playwright

from moot.testing.server import ScriptedServer
from moot.testing.server_ledger import Entry
from moot.testing.server_wire import ChatCall

PATIENCE_S = float(os.environ.get("PATIENCE_S", "60"))
PATIENCE_MS = PATIENCE_S * 1000
CHROMIUM = (
    os.environ.get("CHROMIUM")
    or shutil.which("chromium-headless-shell")
    or shutil.which("chromium")
    or "/usr/bin/chromium"
)
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
OPENAI = {"OPENAI_API_KEY": "sk-test", "MOOT_MODEL": "openai:test"}

expect.set_options(timeout=PATIENCE_MS)

Says = Callable[[ChatCall], str | None]


class _Server(ScriptedServer):
    """Waits before it answers, for as long as the provider says."""

    gates: dict[str, asyncio.Event]

    async def _answer(self, call: ChatCall, entry: Entry) -> None:
        text = "\n".join(content for _, content in call.messages)
        for word, gate in list(self.gates.items()):
            if word in text:
                await gate.wait()
        await super()._answer(call, entry)


class Provider:
    """The scripted provider, in a thread of its own."""

    def __init__(self) -> None:
        self._says: dict[str, Says] = {}
        self._loop = asyncio.new_event_loop()
        self._faults: dict[str, str] = {}
        self._server = _Server(script=self._script, faults=self._fault, word_delay_s=0.002)
        self._server.gates = {}
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._run(self._server.__aenter__())
        self.url = self._server.base_url

    def say(self, word: str, says: Says | str) -> None:
        """What is said where `word` is in the prompts; None takes the usual reply."""
        self._says[word] = says if callable(says) else lambda _call: says

    def misbehave(self, word: str, fault: str | None) -> None:
        """Fail so (see `server_faults.FAULTS`) where `word` is in the prompts; None: no longer."""
        self._faults.pop(word, None)
        if fault:
            self._faults[word] = fault

    def _fault(self, call: ChatCall) -> str | None:
        text = "\n".join(content for _, content in call.messages)
        return next((fault for word, fault in self._faults.items() if word in text), None)

    def hold(self, word: str) -> Callable[[], None]:
        """Answer no call with `word` in its prompts until what is returned is called."""
        gate = self._server.gates[word] = asyncio.Event()

        def let_go() -> None:
            self._server.gates.pop(word, None)
            self._loop.call_soon_threadsafe(gate.set)

        return let_go

    def wait_for_call(self, word: str) -> None:
        """Until there is a call with `word` in its prompts: a stop lets it come to its end."""
        deadline = time.monotonic() + PATIENCE_S
        while not any(
            word in text for call in list(self._server.calls) for _, text in call.messages
        ):
            assert time.monotonic() < deadline, f"nobody asked about {word!r}"
            time.sleep(0.02)

    def slow_down(self, word_delay_s: float) -> None:
        """From now on, so long for every word."""
        self._server._word_delay_s = word_delay_s

    def _script(self, call: ChatCall) -> str | None:
        text = "\n".join(content for _, content in call.messages)
        for word, says in self._says.items():
            if word in text and (said := says(call)) is not None:
                return said
        return None

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def close(self) -> None:
        self._run(self._server.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()


class Server:
    """`moot serve` in a process of its own; it can be killed and started again on its port."""

    def __init__(self, home: Path, provider_url: str, *options: str, **environment: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MOOT_")}
        self._environment = {
            **kept,
            **OPENAI,
            "MOOT_HOME": str(home),
            "OPENAI_BASE_URL": provider_url,
            **environment,
        }
        self._options = options
        self.token = environment.get("MOOT_TOKEN", "")
        self.url = ""
        self.start()

    def start(self) -> None:
        port = self.url.rpartition(":")[2] or "0"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moot", "serve", "--port", port, *self._options],
            stdout=subprocess.PIPE,
            text=True,
            env=self._environment,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Moot is at "), line
        self.url = line.removeprefix("Moot is at ").strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(  # noqa: S310 - our own loopback address
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers=headers,
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:  # noqa: S310
                return json.loads(response.read() or b"null")
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    def create(self, topic: str, *, start: bool = False, **body: Any) -> str:
        """A debate, and its id. A duel of two statements unless the body says otherwise."""
        given: dict[str, Any] = {"format": "duel", "topic": topic, "start": start, **body}
        if given["format"] == "duel":
            given["settings"] = {"turns": 2, **given.get("settings", {})}
            given.setdefault("participants", DUEL)
        return str(self.ask("POST", "/api/debates", given)["id"])


DUEL = [
    {"name": "Ada", "role": "debater", "stance": "pro", "title": "Planner"},
    {"name": "Bob", "role": "debater", "stance": "con"},
    {"name": "Jo", "role": "judge"},
]


class Sight:
    """What must never be seen: broken scripts, dialogs, violations of the policy, other hosts."""

    def __init__(self, context: BrowserContext, page: Page, origin: str) -> None:
        self.bad: list[str] = []
        self.outside: list[str] = []
        self.page = page
        self._origin = origin
        context.add_init_script(
            "addEventListener('securitypolicyviolation', (e) =>"
            " console.error('POLICY ' + e.violatedDirective + ' ' + e.blockedURI));"
        )
        context.on("page", self._watch)
        self._watch(page)

    def _watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.bad.append(f"error: {error}"))
        page.on("dialog", self._asked_in_a_dialog)
        page.on("console", self._said)
        page.on("request", self._asked)

    def _asked_in_a_dialog(self, dialog: Dialog) -> None:
        self.bad.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _said(self, message: Any) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.bad.append(f"console: {message.text}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self._origin, "blob:", "data:", "about:")):
            self.outside.append(request.url)

    def check(self) -> None:
        assert not self.bad, self.bad
        assert not self.outside, self.outside


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for each file of tests: while it is open, nothing else in this process can have a loop
    of its own, and other tests that come to the same worker want one."""
    if not Path(CHROMIUM).exists():
        pytest.fail(f"{CHROMIUM} is missing: apt-get install chromium, or set CHROMIUM")
    flags = (*FLAGS, "--no-sandbox") if os.geteuid() == 0 else FLAGS
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=list(flags))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    opened = Provider()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Server]:
    opened = Server(tmp_path_factory.mktemp("moot") / "home", provider.url)
    yield opened
    opened.kill()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    with watched(browser, server.url) as sight:
        yield sight.page


@pytest.fixture
def sight(browser: Browser, server: Server) -> Iterator[Sight]:
    with watched(browser, server.url) as seen:
        yield seen


@contextmanager
def watched(browser: Browser, url: str, **options: Any) -> Iterator[Sight]:
    """A page of its own; at the end, nothing bad may have been seen on it."""
    options.setdefault("viewport", {"width": 1280, "height": 900})
    context = browser.new_context(base_url=url, reduced_motion="reduce", **options)
    context.set_default_timeout(PATIENCE_MS)
    try:
        sight = Sight(context, context.new_page(), url)
        yield sight
        sight.check()
    finally:
        context.close()
