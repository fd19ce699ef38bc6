"""Moot's command line in this process, in others and on terminals, for the tests beside it.

Most tests run commands in their own process against models that answer at once; what needs signals,
a second process or a real provider is a process of its own against the scripted server.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from moot.cli.app import cli
from moot.cli.options import Setup
from moot.testing.scripted import ScriptedModel, ScriptedModels, sensible

Moot = Callable[..., Result]
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
PATIENCE_S = 60.0
DUMB = {"PROMPT_TOOLKIT_NO_CPR": "1"}
"""Nobody here answers where the cursor is."""

HUMAN = """
topic: Should people debate machines?
turns: 1
debaters: [{name: Ada, model: human}, {name: Bo}]
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith("MOOT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("MOOT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / "home"


@pytest.fixture
def moot(home: Path) -> Moot:
    def invoke(*arguments: str, script: Any = sensible) -> Result:
        setup = Setup(models=ScriptedModels(ScriptedModel(script)))
        return CliRunner().invoke(cli, arguments, obj=setup)

    return invoke


def the_id(moot: Moot) -> str:
    return str(json.loads(moot("list", "--json", "--limit", "1").stdout)["id"])


class Provider:
    """The scripted server in a process of its own."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "moot.testing.server", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def provider() -> Iterator[Callable[..., Provider]]:
    opened: list[Provider] = []

    def start(*options: str) -> Provider:
        opened.append(Provider(*options))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def environment(server: Provider) -> dict[str, str]:
    return {**os.environ, "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-test"}


def process(server: Provider, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "moot", *arguments],
        env=environment(server),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


RUN = ("run", "remote-work", "--model", "openai:test", "--turns", "1", "--seed", "3")


def read_until(running: subprocess.Popen[str], wanted: str) -> str:
    assert running.stdout is not None
    seen = ""
    while wanted not in seen:
        line = running.stdout.readline()
        assert line, seen
        seen += line
    return seen


class Terminal:
    """A person at a terminal with `moot` in it."""

    def __init__(self, server: Provider, *arguments: str) -> None:
        self._seen = ""
        self._prompts = 0
        self._fd, side = os.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "moot", *arguments],
            env={**environment(server), "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "40"}
            | DUMB,
            stdin=side,
            stdout=side,
            stderr=side,
            start_new_session=True,
            preexec_fn=_own_terminal,  # noqa: PLW1509 - so that Ctrl-C is a signal; no threads here
        )
        os.close(side)

    def echoes(self) -> bool:
        """Whether what is typed would be shown, and given on line by line, as a shell wants it."""
        flags = termios.tcgetattr(self._fd)[3]
        return bool(flags & termios.ECHO and flags & termios.ICANON)

    @property
    def seen(self) -> str:
        """Everything so far, without colours."""
        return re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", self._seen)

    def wait_for(self, text: str) -> None:
        while text not in self.seen:
            assert self._read(), self.seen

    def wait_for_prompt(self) -> None:
        """Until one more prompt than before is ready: then it asks the terminal to mark pastes."""
        self._prompts += 1
        while self._seen.count("\x1b[?2004h") < self._prompts:
            assert self._read(), self.seen

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def exit_code(self, *, keeps: bool = False) -> int:
        """Once it is over; `keeps` leaves the terminal there to be looked at."""
        while self._read():
            pass
        if not keeps:
            os.close(self._fd)
        return self._process.wait(PATIENCE_S)

    def _read(self) -> bool:
        try:
            read = os.read(self._fd, 65536)
        except OSError:  # Linux says so when the other end is closed
            return False
        self._seen += read.decode(errors="replace").replace("\r\n", "\n")
        return bool(read)


def _own_terminal() -> None:
    # As a shell does: tests that were started in the background inherit that it is ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
