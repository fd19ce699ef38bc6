"""How a room looks in a terminal. Whole lines only, so that they can stand above the prompt."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.console import Console
from rich.style import Style
from rich.text import Text

from moot.cli.lines import PROMPT
from moot.cli.telling import say
from moot.cli.view.console import WIDEST, Flow, clean, clock
from moot.cli.view.header import NAMED, People, header, totals, why_failed
from moot.cli.view.waits import waiting
from moot.protocol.events import AnyEvent, NoticePosted
from moot.protocol.formats.room.floor import floor_of
from moot.protocol.formats.room.notices import PAUSED_RATE_LIMIT, RATE_LIMIT, RATE_LIMITED
from moot.protocol.state import DebateState, Turn
from moot.protocol.values import Participant
from moot.protocol.vocabulary import FLAGS, message_type
from moot.protocol.words import USER, Status, Visibility

DIM = Style(dim=True)
SYSTEM = Style(dim=True, italic=True)
ERROR = Style(color="red")
PALETTE = ("teal", "purple", "orange", "green", "blue", "red", "olive", "fuchsia")
"""Colours of members whose persona has none, in the order in which they joined."""


class Screen:
    def __init__(self, console: Console, state: DebateState) -> None:
        self.console = console
        self.state = state
        self._people = People(state)
        self._flow: Flow | None = None
        self._line_begun = ""

    @property
    def width(self) -> int:
        return min(self.console.width, WIDEST)

    def header(self, debate_id: str) -> None:
        self.console.print(header(debate_id, self.state), width=self.width)
        self.console.line()

    # --- turns ---

    def turn(self, turn: Turn) -> None:
        """A whole turn, with what has become of it."""
        marks = [f"#{turn.seq}"]
        if turn.is_pending:
            marks.append("pending")
        elif not turn.included:
            marks.append("excluded")
        self.begin(turn.said.participant, " · ".join(marks))
        self.write(turn.said.content)
        self.end(flags=turn.said.flags)

    def begin(self, participant: str, note: str = "") -> None:
        heading = Text(clean(self.state.label_of(participant)), style=self._style(participant))
        heading.append(f"  {note}" if note else "", style=DIM)
        self.console.print(heading)
        self._flow = Flow(self._out, width=self.width, indent="  ")

    def write(self, text: str) -> None:
        if self._flow is not None:
            self._flow.feed(clean(text))

    def end(self, note: str = "", flags: tuple[str, ...] = ()) -> None:
        if self._flow is not None:
            self._flow.finish()
            self._flow = None
        notes = [*(FLAGS.get(flag, flag) for flag in flags), *([note] if note else [])]
        if notes:
            self.console.print(Text("  " + " · ".join(notes), style=DIM))
        self.console.line()

    def _out(self, piece: str) -> None:
        """Print whole lines only: the prompt is drawn again below every print, and a line that was
        only begun would be lost."""
        whole, end, self._line_begun = (self._line_begun + piece).rpartition("\n")
        if end:
            self.console.out(whole, highlight=False)

    def _style(self, participant: str) -> Style:
        bold = Style(bold=True)
        found = self._people.get(participant)
        if participant == USER or found is None:
            return bold
        if found.color:
            return self._people.style(participant) + bold
        everybody = [*self.state.participants, *self.state.left]
        color = PALETTE[everybody.index(participant) % len(PALETTE)]
        return Style(color=NAMED[color]) + bold

    # --- everything else ---

    def posted(self, event: AnyEvent) -> None:
        if isinstance(event, NoticePosted):
            self.notice(event.code, event.text)

    def notice(self, code: str, text: str) -> None:
        is_error = message_type(code) == "error"
        self._line(text, ERROR if is_error else SYSTEM)

    def say(self, text: str) -> None:
        """Something for the person at the terminal."""
        self._line(text, DIM)

    def typed(self, text: str) -> None:
        """What the person at the terminal has entered, as it stood at the prompt."""
        for line in clean(text).splitlines():
            self._line(f"{PROMPT}{line}", Style())

    def refuse(self, text: str) -> None:
        self._line(f"! {text}", Style(color="yellow"))

    def _line(self, text: str, style: Style) -> None:
        for line in clean(text).splitlines() or [""]:
            self.console.print(Text(line, style=style), width=self.width, soft_wrap=False)


def advice(state: DebateState, notice: NoticePosted) -> str:
    """What to do about a rate limit that has just been told of; nothing for other notices."""
    if notice.code not in (RATE_LIMIT, PAUSED_RATE_LIMIT):
        return ""
    limits = floor_of(state).limits
    one = state.participants.get(notice.participant)
    until = limits.until(one) if one else None
    if until is None:
        return ""
    return f" (at {clock(until)}): use /retry then, or an empty line to continue"


def held_back(state: DebateState, now: datetime) -> str:
    """Who of those with the floor is held back by a rate limit, and until when; or nothing."""
    floor = floor_of(state)
    members = (state.participants[one] for one in floor.speakers(state))
    limits = {one.label: floor.limits.until(one) for one in members}
    held = {label: until for label, until in limits.items() if until is not None and until > now}
    if not held:
        return ""
    names = ", ".join(f"[{label}]" for label in held)
    return f"waiting for {names}, rate limited until {clock(max(held.values()))}"


def why_paused(state: DebateState, now: datetime) -> str:
    """Why auto mode has stopped, and until when where that is known; or nothing."""
    floor = floor_of(state)
    limit = floor.limits.longest
    if floor.paused == RATE_LIMITED and limit is not None and limit.until > now:
        return f"rate limited until {clock(limit.until)}"
    return floor.paused or ""


def roster(state: DebateState) -> list[str]:
    """Who is here, a line each: model, skips, and how full the window is."""
    return [_member(state, one) for one in state.participants.values()] or ["nobody"]


def _member(state: DebateState, one: Participant) -> str:
    floor = floor_of(state)
    skips = floor.skip_counts.get(one.id, 0)
    share = None if one.is_human else floor.loads.share(one)
    assumed = "assumed " if one.is_window_assumed else ""
    parts = (
        one.label,
        one.model,
        "muted" if one.muted else "",
        f"skipped {skips} {'time' if skips == 1 else 'times'}" if skips else "",
        f"{share:.0%} of its {assumed}window used" if share is not None else "",
    )
    return " · ".join(part for part in parts if part)


def print_room(console: Console, debate_id: str, state: DebateState, *, with_private: bool) -> None:
    """A room as it stands: what was said, and what people were told, in the order of reading."""
    screen = Screen(console, state)
    screen.header(debate_id)
    told = [(record.seq, record.event) for record in state.notices]
    shown = 0
    for turn in state.transcript():
        while shown < len(told) and told[shown][0] < turn.seq:
            screen.posted(told[shown][1])
            shown += 1
        if not turn.is_silent and turn.said.visibility is Visibility.PUBLIC:
            screen.turn(turn)
            if with_private and turn.said.reasoning:
                screen.say(f"thought before this (private): {turn.said.reasoning}")
                console.line()
    for _seq, event in told[shown:]:
        screen.posted(event)
    say(totals(state, state.updated_at))
    for wait in state.waits.values():
        say(waiting(wait, datetime.now(UTC)))
    if state.status is Status.FAILED:
        say(why_failed(state))
    over = state.status.is_terminal
    say("the room is closed" if over else f"come back with: moot room {debate_id}")
