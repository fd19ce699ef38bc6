"""The views of a running debate: what they can do, and which one the options ask for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Protocol

from rich.console import Console

from moot.cli.options import discard_output
from moot.cli.telling import tell
from moot.cli.view.console import WIDEST, new_console, one_line
from moot.cli.view.json_lines import JsonView
from moot.cli.view.live import LiveView
from moot.cli.view.outcome import outcome_box, outcome_lines
from moot.cli.view.waits import waiting
from moot.engine.feed import Item
from moot.protocol import events as e
from moot.protocol.events import QuestionOpened
from moot.protocol.state import DebateState
from moot.protocol.visibility import Veil, veil_of
from moot.protocol.vocabulary import KINDS, OUTCOME_HIDDEN
from moot.protocol.words import Status

TRIES_TO_TELL = 3
"""How many tries fail before even the quiet view says that it waits for a provider."""


class View(Protocol):
    state: DebateState
    wants_text: bool

    @property
    def question(self) -> QuestionOpened | None:
        """What a person must be asked before the view can go on, if it can ask."""

    def begin(self) -> None:
        """Before the first item."""

    def take(self, item: Item) -> None:
        """Show what is new; what has been taken already is passed over."""

    def urge(self, text: str) -> None:
        """Say something at once: somebody has pressed a key."""

    def tick(self) -> None:
        """Some time has passed."""

    def finish(self) -> None:
        """After the last item: whatever is left, and the result."""


class QuietView:
    wants_text = False
    question = None

    def __init__(
        self, console: Console, state: DebateState, *, sources: Sequence[Veil] = ()
    ) -> None:
        self.state = state
        self._sources = sources
        self._console = console

    def begin(self) -> None:
        pass

    def take(self, item: Item) -> None:
        if isinstance(item, e.Recorded) and item.seq > self.state.seq:
            self.state.apply(item)
            key = item.event.attempt_of if isinstance(item.event, e.AttemptFailed) else ""
            wait = self.state.waits.get(key)
            if wait is not None and wait.attempts == TRIES_TO_TELL:
                self.urge(waiting(wait, datetime.now(UTC)))

    def urge(self, text: str) -> None:
        tell(text)

    def tick(self) -> None:
        pass

    def finish(self) -> None:
        if self.state.status is not Status.COMPLETED:
            return
        if veil_of(self.state, self._sources).hides_outcome:
            self._console.print(OUTCOME_HIDDEN, soft_wrap=True)
            return
        if self._console.is_terminal:
            width = min(self._console.width, WIDEST)
            self._console.print(outcome_box(self._console, self.state, width=width))
            return
        for line in outcome_lines(self.state):
            self._console.print(line, soft_wrap=True)


class ProgressView(QuietView):
    """One line on standard error for each turn; the outcome is left to whoever asked for it."""

    def __init__(self, debate_id: str, state: DebateState, *, is_quiet: bool) -> None:
        super().__init__(new_console(), state)
        self._debate_id = debate_id
        self._is_quiet = is_quiet

    def begin(self) -> None:
        self._report(f"debate {self._debate_id} ({self.state.config.format})")

    def take(self, item: Item) -> None:
        is_new = isinstance(item, e.Recorded) and item.seq > self.state.seq
        super().take(item)
        if is_new and isinstance(item, e.Recorded) and isinstance(item.event, e.TurnRecorded):
            who = self.state.participants.get(item.event.participant)
            name = who.name if who else item.event.participant
            self._report(f"{one_line(name)}: {KINDS[item.event.kind].noun}")

    def finish(self) -> None:
        pass

    def _report(self, text: str) -> None:
        if not self._is_quiet:
            tell(text, label="")


# --- output that nobody reads any more -----------------------------------------------------------


class ReadView:
    """A view as long as somebody reads it; after that, only its state is kept up to date."""

    def __init__(self, view: View, on_unread: Callable[[], None]) -> None:
        self._view = view
        self._on_unread = on_unread
        self.is_unread = False
        self.wants_text = view.wants_text

    @property
    def state(self) -> DebateState:
        return self._view.state

    @state.setter
    def state(self, state: DebateState) -> None:
        self._view.state = state

    @property
    def question(self) -> QuestionOpened | None:
        return None if self.is_unread else self._view.question

    def begin(self) -> None:
        self.write(self._view.begin)

    def take(self, item: Item) -> None:
        self.write(lambda: self._view.take(item))
        # The view may have been behind, or have failed before or after it took the item. Whatever
        # cannot be taken here is taken when the log is read at the end.
        if self.is_unread and isinstance(item, e.Recorded) and item.seq == self.state.seq + 1:
            self.state.apply(item)

    def urge(self, text: str) -> None:
        self.write(lambda: self._view.urge(text))

    def tick(self) -> None:
        self.write(self._view.tick)

    def finish(self) -> None:
        self.write(self._view.finish)

    def write(self, how: Callable[[], object]) -> None:
        """Call `how`, which writes where the view does; if nobody reads there any more, stop."""
        if self.is_unread:
            return
        try:
            how()
        except BrokenPipeError:
            self.is_unread = True
            discard_output()
            self._on_unread()


# --- which one -----------------------------------------------------------------------------------


def new_view(  # noqa: PLR0913 - what the options say, each by name
    debate_id: str,
    state: DebateState,
    *,
    as_json: bool,
    is_quiet: bool,
    hides_private: bool,
    shows_log: bool,
    is_remote: bool = False,
    sources: Sequence[Veil] = (),
) -> View:
    """`sources` are the veils of the debates that this one was forked from."""
    if as_json:
        return JsonView(debate_id, state, hides_private=hides_private, sources=sources)
    console = new_console()
    if is_quiet:
        return QuietView(console, state, sources=sources)
    is_live = sys.stdout.isatty() and not console.is_dumb_terminal and not shows_log
    return LiveView(
        console,
        debate_id,
        state,
        hides_private=hides_private,
        is_live=is_live,
        is_remote=is_remote,
        sources=sources,
    )
