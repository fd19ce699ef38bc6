"""What the options of `moot` itself say, and how a command opens the system with them."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from moot.cli.logs import is_debugging, set_up_logs

if TYPE_CHECKING:
    from moot.models.port import Models
    from moot.settings import MootSettings
    from moot.wiring import System

T = TypeVar("T")


@dataclass
class Setup:
    """What the options of `moot` say; in tests, `models` replaces the real ones.

    `is_process`: whether the process ends with the command, so that signals may stay ignored.
    """

    home: str | None = None
    is_verbose: bool = False
    models: Models | None = None
    is_process: bool = False
    has_begun: bool = False
    """Whether the command got as far as doing anything."""

    @property
    def shows_log(self) -> bool:
        """Whether log lines go to stderr, in which case nothing on the screen may be redrawn."""
        return self.is_verbose or bool(os.environ.get("MOOT_LOG_LEVEL")) or is_debugging()

    def settings(self) -> MootSettings:
        from moot.settings import load_settings

        return load_settings(home=self.home, log_level="INFO" if self.is_verbose else None)

    @asynccontextmanager
    async def open(self, *, has_worker: bool = False) -> AsyncIterator[System]:
        """The system, open. Commands that only read need no worker."""
        from moot.wiring import open_system

        settings = self.settings()
        set_up_logs(is_shown=self.shows_log)
        async with open_system(settings, models=self.models, has_worker=has_worker) as system:
            yield system

    def run(
        self, work: Callable[[System], Coroutine[Any, Any, T]], *, has_worker: bool = False
    ) -> T:
        """What `work` returns when it is given the open system."""
        from moot.engine.loops import run

        async def opened() -> T:
            async with self.open(has_worker=has_worker) as system:
                self.has_begun = True
                return await work(system)

        with nullcontext() if self.is_process else _interrupts_restored():
            return run(opened())


@contextmanager
def _interrupts_restored() -> Iterator[None]:
    """Restores the handling of Ctrl-C, for programs that go on after the command, such as tests."""
    import signal

    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, before)


def discard_output() -> None:
    """Discard standard output, because its reader has gone: what is still buffered must not cause
    an error when the process ends."""
    with suppress(OSError, ValueError):  # not a file, as in tests
        nothing = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nothing, sys.stdout.fileno())
        finally:
            os.close(nothing)


pass_setup = click.make_pass_decorator(Setup, ensure=True)
