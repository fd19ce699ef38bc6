"""Lines that a person types: prompt_toolkit at a terminal, plain lines of stdin everywhere else.

Nothing else reads a line, so that editing, history and Ctrl-C are the same wherever one is typed.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import click

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.output import Output

PROMPT = "> "
LONGEST_LINE = 1_000_000
MENU_LINES = 8

Complete = Callable[[str], Iterable[tuple[str, int]]]
"""Completions for the end of a text, each with how many characters of the text it replaces."""


class Interrupted(click.Abort):
    """Ctrl-C at the prompt."""


class Lines(Protocol):
    is_script: bool

    def printing(self) -> AbstractContextManager[Any]:
        """While inside, what is printed stands above the prompt."""

    async def line(self) -> str | None:
        """The next line, None at the end (Ctrl-D). Raises Interrupted."""


def open_lines(complete: Complete | None = None, toolbar: Callable[[], str] | None = None) -> Lines:
    """A prompt with completion by Tab, history, and a line below it; or whatever stdin is. A line
    vanishes from the prompt once it is entered: the caller shows it where it belongs."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return Prompt(complete, toolbar, erases=True) if is_terminal else Script()


class Script:
    """Lines of a file or a pipe."""

    is_script = True

    def printing(self) -> AbstractContextManager[Any]:
        return nullcontext()

    async def line(self) -> str | None:
        line = await asyncio.to_thread(sys.stdin.readline, LONGEST_LINE)
        return line.rstrip("\n") if line else None


class Prompt:
    """Lines of a terminal."""

    is_script = False

    def __init__(
        self,
        complete: Complete | None = None,
        toolbar: Callable[[], str] | None = None,
        text: str = PROMPT,
        *,
        erases: bool = False,
    ) -> None:
        self._complete = complete
        self._toolbar = toolbar
        self._text = text
        self._erases = erases
        self._printing: Awaitable[None] | None = None

    @cached_property
    def _session(self) -> PromptSession[str]:
        """Made only when the first line is read: most debates ask a person nothing."""
        from prompt_toolkit import PromptSession

        return PromptSession(
            completer=_completer(self._complete) if self._complete else None,
            complete_while_typing=False,
            reserve_space_for_menu=MENU_LINES if self._complete else 0,
            bottom_toolbar=self._toolbar,
            refresh_interval=0.5 if self._toolbar else 0,
            output=_output(),
            erase_when_done=self._erases,
        )

    def printing(self) -> AbstractContextManager[Any]:
        from prompt_toolkit.patch_stdout import patch_stdout

        return patch_stdout(raw=True)

    async def line(self) -> str | None:
        try:
            # The key is read here; a SIGINT, unlike it, is for whoever holds the debate.
            return await self._session.prompt_async(self._text, handle_sigint=False)
        except EOFError:
            return None
        except KeyboardInterrupt:
            raise Interrupted from None

    def above(self, how: Callable[[], None]) -> None:
        """Print something, above the prompt if there is one just now."""
        if "_session" not in self.__dict__ or not self._session.app.is_running:
            how()
            return
        from prompt_toolkit.application import run_in_terminal

        self._printing = run_in_terminal(how)


def _output() -> Output | None:
    """The terminal on which to draw the prompt: stderr if stdout goes to another program."""
    from prompt_toolkit.output import create_output

    terminal = next((one for one in (sys.stdout, sys.stderr) if one.isatty()), None)
    return create_output(stdout=terminal) if terminal else None


def _completer(complete: Complete) -> Completer:
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

    class Words(Completer):
        def get_completions(
            self, document: Document, complete_event: CompleteEvent
        ) -> Iterator[Completion]:
            del complete_event
            for word, length in complete(document.text_before_cursor):
                yield Completion(word, start_position=-length)

    return Words()


async def paragraph(
    lines: Lines, *, may_be_empty: bool = False, is_whole: Callable[[str], bool] = lambda _: False
) -> str | None:
    """Everything up to an empty line or Ctrl-D; None for Ctrl-D before anything was written.

    A first line for which `is_whole` is true is returned at once.
    """
    written: list[str] = []
    while True:
        line = await lines.line()
        if line is None:
            return "\n".join(written) if written else None
        if line.strip():
            written.append(line)
            if len(written) == 1 and is_whole(line):
                return line
        elif written or may_be_empty:
            return "\n".join(written)


async def everything(lines: Lines) -> str:
    """All lines up to the end, empty ones too."""
    written: list[str] = []
    while (line := await lines.line()) is not None:
        written.append(line)
    return "\n".join(written)


def confirm(question: str, *, is_usual: bool = False) -> bool:
    """Whether the person at the terminal agrees; `is_usual` is what an empty line means."""
    answers = {"y": True, "yes": True, "n": False, "no": False, "": is_usual}
    asked = Prompt(text=f"{question} [{'Y/n' if is_usual else 'y/N'}]: ")
    while True:
        line = asyncio.run(asked.line())
        if line is None:
            raise Interrupted
        if (answer := answers.get(line.strip().lower())) is not None:
            return answer
