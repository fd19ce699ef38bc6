"""Where the lines of a room come from: a terminal with a prompt, or whatever stdin is."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from moot.cli.room.commands import COMMANDS
from moot.protocol.state import DebateState

LONGEST_LINE = 1_000_000


class Interrupted(Exception):
    """Ctrl-C at the prompt."""


class Lines(Protocol):
    is_script: bool

    def printing(self) -> AbstractContextManager[Any]:
        """While inside, what is printed stands above the prompt."""

    async def next(self) -> str | None:
        """The next line, None at the end. Raises Interrupted."""


class Script:
    """Lines of a file or a pipe."""

    is_script = True

    def printing(self) -> AbstractContextManager[Any]:
        return nullcontext()

    async def next(self) -> str | None:
        line = await asyncio.to_thread(sys.stdin.readline, LONGEST_LINE)
        return line.rstrip("\n") if line else None


def completions(state: DebateState, text: str) -> Iterator[tuple[str, int]]:
    """What could be meant by the end of `text`, and how many characters it replaces."""
    head, _, word = text.rpartition(" ")
    names = [one.name for one in state.participants.values()]
    if not head and word.startswith("/"):
        yield from _beginning((f"/{name} " for name in COMMANDS), word)
    elif word.startswith("@"):
        yield from _beginning((f"@{name} " for name in names), word)
    elif head.startswith("/"):
        command = COMMANDS.get(head.split(" ")[0][1:])
        if command is not None and command.takes_member:
            yield from _beginning(names, word)


def _beginning(words: Iterable[str], begun: str) -> Iterator[tuple[str, int]]:
    wanted = begun.casefold()
    return ((word, len(begun)) for word in words if word.casefold().startswith(wanted))


def at_terminal(state: Callable[[], DebateState], toolbar: Callable[[], str]) -> Lines:
    """A prompt with completion by Tab, history, and a line below that says what goes on."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.patch_stdout import patch_stdout

    class Names(Completer):
        def get_completions(
            self, document: Document, complete_event: CompleteEvent
        ) -> Iterator[Completion]:
            del complete_event
            for word, length in completions(state(), document.text_before_cursor):
                yield Completion(word, start_position=-length)

    class Prompt:
        is_script = False

        def __init__(self) -> None:
            self._session: PromptSession[str] = PromptSession(
                completer=Names(),
                complete_while_typing=False,
                bottom_toolbar=toolbar,
                refresh_interval=0.5,
            )

        def printing(self) -> AbstractContextManager[Any]:
            return patch_stdout(raw=True)

        async def next(self) -> str | None:
            try:
                return await self._session.prompt_async("> ")
            except EOFError:
                return None
            except KeyboardInterrupt:
                raise Interrupted from None

    return Prompt()
