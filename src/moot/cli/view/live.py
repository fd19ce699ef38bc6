"""The terminal of somebody who watches: one text at a time, the rest in its place.

On a terminal the turn at the frontier is shown while it is being written. Elsewhere (a pipe, a log
of CI) only whole turns are printed, without a single control sequence.
"""

from __future__ import annotations

from rich.console import Console

from moot.cli.view.console import duration
from moot.cli.view.header import header
from moot.cli.view.order import Order
from moot.cli.view.outcome import closing_box
from moot.cli.view.status_line import StatusLine
from moot.cli.view.transcript import Paper
from moot.engine.feed import Item, StepBegan, TextVoided, TextWritten
from moot.protocol import events as e
from moot.protocol.allowed import upcoming
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.vocabulary import KINDS
from moot.protocol.words import Status, StepKind

WHOLE = (StepKind.SCORE, StepKind.CONFIRM, StepKind.VERDICT)
"""What is written for the record, and shown in other words."""
AT_ONCE_S = 0.1
VOID = "the text above does not count: that attempt failed"
UNBROKEN = "the text above follows once more, whole"


class LiveView:
    def __init__(
        self,
        console: Console,
        debate_id: str,
        state: DebateState,
        *,
        hides_private: bool = False,
        is_live: bool = False,
        is_remote: bool = False,
    ) -> None:
        self.state = state
        self.wants_text = is_live
        self.paper = Paper(console, state, hides_private=hides_private)
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
        self._form = format_named(state.config.format)
        self._told_next: tuple[int, tuple[str, ...]] = (0, ())

    # --- the beginning and the end ---

    def begin(self) -> None:
        self.paper.print(header(self._debate_id, self.state))
        self.paper.blank()
        for turn in self.state.transcript():
            self.paper.skip(turn.said)
        if self.state.turns:
            self.note(
                f"going on after {len(self.state.turns)} turns; the earlier ones: "
                f"moot show {self._debate_id}"
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
                self.paper.remark(note)
        self._notes.clear()
        self.paper.settle()
        if self.state.status is Status.COMPLETED:
            box = closing_box(self.paper.console, self.state, width=self.paper.width)
            if box is not None:
                self.paper.print(box)
                self.paper.blank()

    # --- what happens ---

    def take(self, item: Item) -> None:
        """Show what is new. Events that have been taken already are passed over."""
        match item:
            case e.Recorded(seq=seq, event=event):
                if seq > self.state.seq:
                    self.state.apply(item)
                    self._recorded(event)
            case StepBegan(step):
                self._begun.add(step.key)
                self._advance()
            case TextWritten(step, text):
                self._written(step, text)
            case TextVoided(step):
                self._texts.pop(step.key, None)
                if self._is_current(step):
                    self._drop_current()

    def note(self, text: str) -> None:
        """Say something between turns. In the middle of one it waits for the turn to be over."""
        if self._current is not None:
            self._notes.setdefault(self._current.key, []).append(text)
            return
        self._status.clear()
        self.paper.note(text)

    def urge(self, text: str) -> None:
        """Say something now, whatever is being shown: somebody has pressed a key."""
        self._status.clear()
        if self._current is not None:
            self._drop_current(keeps=True)
        self.paper.note(text)

    @property
    def question(self) -> e.QuestionOpened | None:
        """The question that the transcript cannot go on without, if a person is asked one."""
        frontier = self._order.frontier
        return self.state.questions.get(frontier.key) if frontier else None

    def tick(self) -> None:
        """Some time has passed."""
        frontier = self._order.frontier
        if self._current is None and frontier and frontier.key in self._begun:
            name = self.paper.people.name(frontier.participant)
            self._status.draw(f"{name} is {KINDS[frontier.kind].doing}…{self._next_up(frontier)}")
        elif self._is_remote and frontier and self.state.status.is_active:
            self._status.draw(f"waiting for {self.paper.people.name(frontier.participant)}…")
        else:
            self._status.clear()

    def _next_up(self, current: Step) -> str:
        """Who speaks after the one at work, as far as it is known."""
        if self._told_next[0] != self.state.seq:
            self._told_next = self.state.seq, upcoming(self._form, self.state)
        told = self._told_next[1]
        after = told[1:] if told[:1] == (current.participant,) else told
        names = ", ".join(self.paper.people.name(one) for one in after[:2])
        return f" (next: {names})" if names else ""

    # --- events ---

    def _recorded(self, event: e.AnyEvent) -> None:
        match event:
            case e.TurnRecorded():
                self._order.hold(event)
            case e.AttemptFailed():
                self._remark(event.attempt_of, self._attempt(event))
            case e.ToolUsed():
                self._remark(event.used_by, self._lookup(event))
            case e.StepFailed():
                self._begun.discard(event.failed_key)
            case e.LimitReached():
                self.note(f"the limit {event.limit} is reached: the debate comes to its close")
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
            self.paper.remark(note)

    def _advance(self) -> None:
        if not self._order.update():
            return
        current = self._current
        if current and current.key not in self.state.turns and not self._order.step(current.key):
            self._drop_current()
        for said in self._order.release():
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
            self.paper.turn(said)
        self._texts.pop(said.step_key, None)
        self._begun.discard(said.step_key)

    # --- the turn that is being written ---

    def _is_current(self, step: Step) -> bool:
        return self._current is not None and self._current.key == step.key

    def _written(self, step: Step, text: str) -> None:
        if step.key in self.state.turns or not text:
            return
        self._texts[step.key] = self._texts.get(step.key, "") + text
        if self._is_current(step):
            self.paper.write(text)
        else:
            self._begin_current()

    def _begin_current(self) -> None:
        step = self._order.frontier
        if self._current is not None or step is None or not self.wants_text:
            return
        text = self._texts.get(step.key, "")
        is_whole = step.kind in WHOLE or step.answer.schema is not None
        if is_whole or not self.paper.shows(step) or not text.strip():
            return
        self._status.clear()
        self._tell(step.key)
        self._current = step
        self.paper.begin(step)
        self.paper.write(text)

    def _end_current(self, said: e.TurnRecorded) -> None:
        written = self._texts.get(said.step_key, "")
        self._current = None
        if said.content.startswith(written):
            self.paper.write(said.content[len(written) :])
            self.paper.end(said)
        elif said.content.strip() == written.strip():
            self.paper.end(said)
        else:
            self.paper.take_back(VOID)
            self.paper.turn(said)
        self._tell(said.step_key)

    def _drop_current(self, *, keeps: bool = False) -> None:
        """End the text on the screen; with `keeps` it is shown again, whole, when it goes on."""
        step, self._current = self._current, None
        if step is None:
            return
        self.paper.take_back(UNBROKEN if keeps else VOID)
        if not keeps:
            self._texts.pop(step.key, None)
            self._tell(step.key)

    def _lookup(self, event: e.ToolUsed) -> str:
        step = self._order.step(event.used_by)
        name = self.paper.people.name(step.participant) if step else event.used_by
        return f"{name} looks into the files ({event.tool})"

    def _attempt(self, event: e.AttemptFailed) -> str:
        step = self._order.step(event.attempt_of)
        name = self.paper.people.name(step.participant) if step else event.attempt_of
        if event.retry_in_s:
            pause = (
                f"in {duration(event.retry_in_s)}" if event.retry_in_s >= AT_ONCE_S else "at once"
            )
            return f"{name}: retrying {pause}: {event.error}"
        if event.code == "unreadable":
            return f"{name}: asking again: {event.error}"
        return f"{name}: attempt {event.attempt} failed: {event.error}"
