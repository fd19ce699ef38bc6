"""The terminal of somebody who watches: one text at a time, the rest in its place.

On a terminal the turn at the frontier is shown while it is being written. Elsewhere (a pipe, a log
of CI) only whole turns are printed, without a single control sequence. Turns are shown in an order
that reads like the transcript.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.console import Console

from moot.cli.view.console import stalled
from moot.cli.view.header import header
from moot.cli.view.outcome import closing_box
from moot.cli.view.transcript import TranscriptPrinter
from moot.cli.view.waits import StatusLine, Told, held_briefly, waiting, waiting_briefly
from moot.engine.feed import Item, Stalled, StepBegan, StepHeld, TextVoided, TextWritten
from moot.engine.looking import upcoming
from moot.protocol import events as e
from moot.protocol.deciding import open_steps
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.visibility import Veil, veil_of
from moot.protocol.vocabulary import KINDS, OUTCOME_HIDDEN, REASONS
from moot.protocol.words import Status, StepKind

WHOLE = (StepKind.SCORE, StepKind.CONFIRM, StepKind.VERDICT)
"""Steps whose text is written for the record, and shown only once it is whole, in other words."""
VOID = "ignore the text above: that attempt failed"
UNBROKEN = "the text above is repeated in full below"


class LiveView:
    def __init__(  # noqa: PLR0913 - what is shown, and how, each by name
        self,
        console: Console,
        debate_id: str,
        state: DebateState,
        *,
        hides_private: bool = False,
        is_live: bool = False,
        is_remote: bool = False,
        sources: Sequence[Veil] = (),
    ) -> None:
        self.state = state
        self.began_at = state.seq
        """The last event that was there before the view: what came since has been shown."""
        self._sources = sources
        self.wants_text = is_live
        self._hides_private = hides_private
        self.printer = TranscriptPrinter(
            console, state, hides_private=hides_private, is_brief=True, debate_id=debate_id
        )
        self.is_asking = False
        """Whether a person is typing at the terminal just now."""
        self._debate_id = debate_id
        # Whether another process runs it: then only what is recorded can be seen.
        self._is_remote = is_remote
        self._order = Order(state)
        self._status = StatusLine(console, is_live=is_live)
        self._begun: set[str] = set()
        self._texts: dict[str, str] = {}
        self._notes: dict[str, list[str]] = {}
        self._notices: list[str] = []
        self._current: Step | None = None
        self._rules = format_named(state.config.format)
        self._told_next: tuple[int, tuple[str, ...]] = (0, ())
        self._told = Told(has_status_line=is_live)
        self._held: dict[str, StepHeld] = {}
        self._draw()

    def _draw(self) -> None:
        """Look again at what may be shown: it depends on where the debate stands."""
        self.printer.veil = veil_of(self.state, self._sources)

    @property
    def hint(self) -> str:
        """What a key would do now, shown beside the name of whoever is at work."""
        return self._status.hint

    @hint.setter
    def hint(self, text: str) -> None:
        self._status.hint = text

    # --- the beginning and the end ---

    def begin(self) -> None:
        self.printer.print(header(self._debate_id, self.state))
        self.printer.blank()
        for turn in self.state.transcript():
            self.printer.skip(turn.said)
        if self.state.turns:
            self.note(
                f"continuing after {len(self.state.turns)} turns; read them with: "
                f"moot show {self._debate_id}{'' if self._hides_private else ' --private'}"
            )

    def finish(self) -> None:
        """Show what is left, and the verdict if there is one."""
        self._status.clear()
        if self._current is not None:
            self._drop_current()
        for said in self._order.release_all():
            self._show(said)
        for notes in self._notes.values():
            for note in notes:
                self.printer.note(note)
        self._notes.clear()
        self.printer.settle()
        if self.printer.veil.hides_outcome and self.state.status is Status.COMPLETED:
            self.printer.note(OUTCOME_HIDDEN)
        elif self.state.status is Status.COMPLETED:
            box = closing_box(self.printer.console, self.state, width=self.printer.width)
            if box is not None:
                self.printer.print(box)
                self.printer.blank()

    # --- what happens ---

    def take(self, item: Item) -> None:
        """Show what is new. Events that have been taken already are passed over."""
        match item:
            case e.Recorded(seq=seq, event=event):
                if seq > self.state.seq:
                    waits = dict(self.state.waits)
                    self.state.apply(item)
                    self._draw()
                    is_turn = isinstance(event, e.TurnRecorded)
                    self._recorded(event if is_turn else self.printer.veil.seen(item).event)
                    if over := self._told.over(waits, self.state.waits, item):
                        self.note(over)
            case StepBegan(step):
                self._begun.add(step.key)
                self._held.pop(step.key, None)
                self._advance()
            case StepHeld(step):
                self._begun.add(step.key)
                self._held[step.key] = item
            case TextWritten(step, text):
                self._written(step, text)
            case TextVoided(step):
                self._texts.pop(step.key, None)
                if self._is_current(step):
                    self._drop_current()
            case Stalled(reason):
                self.urge(stalled(reason))

    def note(self, text: str) -> None:
        """Say something between turns. In the middle of one it waits for the turn to be over."""
        waits_for = self._current or (self._order.frontier if self.is_asking else None)
        if waits_for is not None:
            self._notes.setdefault(waits_for.key, []).append(text)
            return
        self._status.clear()
        self.printer.note(text)

    def urge(self, text: str) -> None:
        """Say something now, whatever is being shown: somebody has pressed a key."""
        self._status.clear()
        if self._current is not None:
            self._drop_current(keeps=True)
        self.printer.note(text)

    @property
    def question(self) -> e.QuestionOpened | None:
        """The question that must be answered before the transcript can go on, if there is one."""
        frontier = self._order.frontier
        return self.state.questions.get(frontier.key) if frontier else None

    def tick(self) -> None:
        """Some time has passed: draw the status line again."""
        frontier = self._order.frontier
        wait = self.state.waits.get(frontier.key) if frontier else None
        held = self._held.get(frontier.key) if frontier else None
        now, room = datetime.now(UTC), self._status.room
        if self._current is None and held is not None:
            self._status.draw(held_briefly(held, now, room))
        elif self._current is None and wait is not None:
            self._status.draw(waiting_briefly(wait, now, room))
        elif self._current is None and frontier and frontier.key in self._begun:
            name = self.printer.people.name(frontier.participant)
            self._status.draw(f"{name} is {KINDS[frontier.kind].doing}…{self._next_up(frontier)}")
        elif self._is_remote and frontier and self.state.status.is_active:
            self._status.draw(f"waiting for {self.printer.people.name(frontier.participant)}…")
        else:
            self._status.clear()

    def _next_up(self, current: Step) -> str:
        """Who speaks after the one at work, as far as it is known."""
        if self._told_next[0] != self.state.seq:
            self._told_next = self.state.seq, upcoming(self._rules, self.state)
        told = self._told_next[1]
        after = told[1:] if told[:1] == (current.participant,) else told
        names = ", ".join(self.printer.people.name(one) for one in after[:2])
        return f" (next: {names})" if names else ""

    # --- events ---

    def _recorded(self, event: e.AnyEvent) -> None:
        match event:
            case e.TurnRecorded():
                self._order.hold(event)
            case e.AttemptFailed():
                self._attempt(event)
            case e.ToolUsed():
                self._remark(event.used_by, self._lookup(event))
            case e.StepFailed():
                self._begun.discard(event.failed_key)
            case e.LimitReached():
                self.note(f"{REASONS[event.limit]}: only the closing stage follows")
            case e.NoticePosted():
                self._notices.append(event.text)
            case e.MessageSaid():
                turn = self.state.turn_at(self.state.seq)
                if turn is not None:
                    self._order.hold(turn.said)
            case _:
                pass
        self._advance()

    def _remark(self, key: str, note: str) -> None:
        self._notes.setdefault(key, []).append(note)
        frontier = self._order.frontier
        if frontier is not None and frontier.key == key and self._current is None:
            self._tell(key)

    def _tell(self, key: str) -> None:
        for note in self._notes.pop(key, ()):
            self._status.clear()
            self.printer.note(note)

    def _advance(self) -> None:
        if not self._order.update():
            return
        current = self._current
        if current and current.key not in self.state.turns and not self._order.step(current.key):
            self._drop_current()
        for said in self._order.release(self.printer.veil):
            self._show(said)
        # Only now: a notice is about what was said before it.
        for text in self._notices:
            self.note(text)
        self._notices.clear()
        self._begin_current()

    def _show(self, said: e.TurnRecorded) -> None:
        self._status.clear()
        if self._current is not None and self._current.key == said.step_key:
            self._end_current(said)
        else:
            self._tell(said.step_key)
            self.printer.turn(said)
        self._texts.pop(said.step_key, None)
        self._begun.discard(said.step_key)
        self._held.pop(said.step_key, None)

    # --- the turn that is being written ---

    def _is_current(self, step: Step) -> bool:
        return self._current is not None and self._current.key == step.key

    def _written(self, step: Step, text: str) -> None:
        if step.key in self.state.turns or not text:
            return
        self._held.pop(step.key, None)
        self._texts[step.key] = self._texts.get(step.key, "") + text
        if self._is_current(step):
            self.printer.write(text)
        else:
            self._begin_current()

    def _begin_current(self) -> None:
        step = self._order.frontier
        if self._current is not None or step is None or not self.wants_text:
            return
        text = self._texts.get(step.key, "")
        is_whole = step.kind in WHOLE or step.answer.schema is not None
        if is_whole or not self.printer.shows(step) or not text.strip():
            return
        self._status.clear()
        self._tell(step.key)
        self._current = step
        self.printer.begin(step)
        self.printer.write(text)

    def _end_current(self, said: e.TurnRecorded) -> None:
        written = self._texts.get(said.step_key, "")
        self._current = None
        if said.content.startswith(written):
            self.printer.write(said.content[len(written) :])
            self.printer.end(said)
        elif said.content.strip() == written.strip():
            self.printer.end(said)
        else:
            self.printer.take_back(VOID)
            self.printer.turn(said)
        self._tell(said.step_key)

    def _drop_current(self, *, keeps: bool = False) -> None:
        """End the text on the screen; with `keeps` it is shown again, whole, when it goes on."""
        step, self._current = self._current, None
        if step is None:
            return
        self.printer.take_back(UNBROKEN if keeps else VOID)
        if not keeps:
            self._texts.pop(step.key, None)
            self._tell(step.key)

    def _lookup(self, event: e.ToolUsed) -> str:
        step = self._order.step(event.used_by)
        name = self.printer.people.name(step.participant) if step else event.used_by
        return f"{name} reads the files ({event.tool})"

    def _attempt(self, event: e.AttemptFailed) -> None:
        """Report a failed try: at once if the provider is waited for, which concerns everybody."""
        step = self._order.step(event.attempt_of)
        name = self.printer.people.name(step.participant) if step else event.attempt_of
        wait = self.state.waits.get(event.attempt_of)
        if wait is not None:
            if self._told.is_news(wait, self.state.updated_at):
                self.note(f"{name}: {waiting(wait, datetime.now(UTC))}")
        elif event.code == "unreadable":
            self._remark(event.attempt_of, f"{name}: asked again: {event.error}")
        else:
            note = f"{name}: attempt {event.attempt} failed: {event.error}"
            self._remark(event.attempt_of, note)


class Order:
    """Holds turns back, so that the terminal reads like the transcript.

    Steps overlap, so turns arrive out of order. What may be shown is bounded by the frontier: the
    open step with the lowest place. Everything recorded before the frontier is final; the frontier
    alone may be shown while it is being written; everything behind it waits.
    """

    def __init__(self, state: DebateState) -> None:
        self._state = state
        self._rules = format_named(state.config.format)
        self._held: dict[str, e.TurnRecorded] = {}
        self._open: tuple[Step, ...] = ()
        self.update()

    @property
    def frontier(self) -> Step | None:
        """The open step that comes first in the transcript."""
        return min(self._open, key=lambda step: step.place, default=None)

    def step(self, key: str) -> Step | None:
        """The open step of that key."""
        return next((step for step in self._open if step.key == key), None)

    def update(self) -> bool:
        """Look at the state again. False if it is in the middle of a change: more will follow."""
        steps = open_steps(self._rules, self._state, datetime.now(UTC))
        if steps is None:
            return False
        self._open = steps
        return True

    def hold(self, said: e.TurnRecorded) -> None:
        self._held[said.step_key] = said

    def release(self, veil: Veil) -> list[e.TurnRecorded]:
        """The turns that may be shown now, in order; some must wait until a person has answered."""
        frontier = self.frontier
        ready = (
            said
            for said in self._held.values()
            if (frontier is None or said.place < frontier.place) and not veil.is_early(said)
        )
        return self._given(list(ready))

    def release_all(self) -> list[e.TurnRecorded]:
        """At the end: whatever is left, in order."""
        return self._given(list(self._held.values()))

    def _given(self, ready: list[e.TurnRecorded]) -> list[e.TurnRecorded]:
        for said in ready:
            del self._held[said.step_key]
        return sorted(ready, key=lambda said: said.place)
