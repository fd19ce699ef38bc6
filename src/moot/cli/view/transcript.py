"""How turns look: headings, texts, scores, notes. Prints, and can take back the last turn.

The same calls print `moot show` and, piece by piece, a debate that is being held: what is streamed
ends up looking exactly like what is printed whole.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.control import Control
from rich.segment import ControlType
from rich.style import Style
from rich.text import Text

from moot.cli.view.console import WIDEST, Flow, clean, one_line
from moot.cli.view.header import People
from moot.protocol.answers import ECHO
from moot.protocol.events import TurnRecorded
from moot.protocol.occasions import is_left_out
from moot.protocol.outcomes import Solution
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.visibility import Spoken, Veil
from moot.protocol.vocabulary import FLAGS, KINDS, NO_SCORE
from moot.protocol.words import HIDDEN, PASSED, UNSPOKEN, StepKind, Visibility

INDENT = "  "
DIM = Style(dim=True)
LONGEST_NOTE = 10_000
"""How many characters of a remark are shown where no terminal bounds it."""
BRIEF = 400
"""How many characters of a model's thoughts are shown while a debate is held."""
BOXED = (StepKind.VERDICT, StepKind.SYNTHESIZE)


class TranscriptPrinter:
    def __init__(
        self,
        console: Console,
        state: DebateState,
        *,
        hides_private: bool = False,
        is_brief: bool = False,
        debate_id: str = "",
    ) -> None:
        self.console = console
        self.people = People(state)
        self._state = state
        self._hides_private = hides_private
        # Of a debate that is being held, only the beginning of what was thought is shown.
        self._is_brief = is_brief
        self._debate_id = debate_id
        self.veil = Veil()
        """What may not be shown now; the view of a debate that is being held keeps it current."""
        self._section: tuple[str, int] | None = None
        self._scores = ScoreBoard(self.people)
        self._flow: Flow | None = None
        self._streamed_at_width = 0
        self._is_loose = False

    @property
    def width(self) -> int:
        return min(self.console.width, WIDEST)

    def shows(self, said: Spoken) -> bool:
        """Whether the turn is shown. Scores are, for the audience; a verdict and a solution are
        not, because they have a box of their own."""
        if self.veil.hides(said) or is_left_out(said) or self._was_typed(said):
            return False
        if _is_score(said):
            return True
        is_private = said.visibility is Visibility.PRIVATE
        is_boxed = said.kind in BOXED and not self._is_replaced(said)
        return not is_boxed and not (is_private and self._hides_private)

    def _is_replaced(self, said: Spoken) -> bool:
        """Whether the box shows something else, because this could not be read. A reply that only
        repeats the prompt says nothing and is shown nowhere."""
        if said.kind is not StepKind.SYNTHESIZE or not isinstance(said, TurnRecorded):
            return False
        # While a debate is held the turn comes before the outcome is recorded.
        state = self._state
        match state.outcome or format_named(state.config.format).outcome(state):
            case Solution(decision={"is_solution": True}, reason=reason):
                return reason != ECHO.reason and bool(said.content.strip())
            case _:
                return False

    def _was_typed(self, said: Spoken) -> bool:
        """Whether a person who takes part has just written it for themselves."""
        chair = self._state.participants.get(said.participant)
        is_own = chair is not None and chair.is_human
        is_note = said.visibility is Visibility.PRIVATE and said.kind is not StepKind.SCORE
        return self._is_brief and is_own and is_note

    # --- whole turns ---

    def turn(self, said: TurnRecorded) -> None:
        """Print the turn, if it is to be shown at all."""
        if not self.shows(said):
            if said.visibility is Visibility.PUBLIC:
                self._reasoning(said)
        elif _is_score(said):
            self._section_of(said)
            self._score(said)
            self._reasoning(said)
        else:
            self.begin(said)
            self.write(_content(said))
            self.end(said)

    def skip(self, said: TurnRecorded) -> None:
        """Take account of a turn that an earlier run has shown."""
        self._section = (said.stage, said.round)
        if _is_score(said) and not self.veil.hides(said):
            self._scores.take(self._folded(said))

    def _folded(self, said: TurnRecorded) -> TurnRecorded:
        """The turn as the state has it, which knows whom it is about in logs of 0.1 too."""
        turn = self._state.turns.get(said.step_key)
        return turn.said if turn else said

    def _score(self, said: TurnRecorded) -> None:
        line, reason = self._scores.take(self._folded(said))
        self.print(Text(INDENT).append_text(line))
        if reason:
            self._flowed(reason, DIM)
        self.blank()

    # --- a turn in pieces ---

    def begin(self, said: Spoken) -> None:
        """Print the heading, and make a place for the text."""
        self._section_of(said)
        self.print(self._heading(said))
        style = DIM if said.visibility is Visibility.PRIVATE else Style()
        self._flow = self._new_flow(style)
        self._streamed_at_width = self.console.width

    def write(self, piece: str) -> None:
        assert self._flow is not None, "begin comes first"  # noqa: S101 - a bug, not an input
        self._flow.feed(clean(piece))

    def end(self, said: TurnRecorded) -> None:
        self._end_flow()
        for flag in said.flags:
            if flag not in UNSPOKEN:
                self.note(FLAGS.get(flag, flag))
        self.blank()
        self._reasoning(said)

    def _reasoning(self, said: TurnRecorded) -> None:
        """Print what its author thought before the turn, where private turns are shown."""
        if not said.reasoning or self._hides_private or self.veil.is_drawn:
            return
        name, style = self.people.name(said.participant), self.people.style(said.participant)
        heading = Text().append(name, style=style + DIM)
        self.print(heading.append(" thought before this (private)", style=DIM))
        text = said.reasoning
        if self._is_brief and len(text) > BRIEF:
            rest = f"moot show {self._debate_id} --private"
            text = f"{text[:BRIEF].rstrip()} … (the rest: {rest})"
        self._flowed(text, DIM)
        self.blank()

    def take_back(self, otherwise: str) -> None:
        """Erase what was written of the current turn; where that is impossible, say `otherwise`."""
        flow, self._flow = self._flow, None
        if flow is None:
            return
        flow.finish()
        rows = flow.lines + 1  # with the heading
        is_whole = self.console.width == self._streamed_at_width
        if is_whole and rows < self.console.height - 1:
            up = Control((ControlType.CURSOR_UP, rows), (ControlType.CURSOR_MOVE_TO_COLUMN, 0))
            self.console.control(up)
            for _ in range(rows):
                self.console.control(Control((ControlType.ERASE_IN_LINE, 2)))
                self.console.line()
            self.console.control(up)
        else:
            self.note(otherwise)

    # --- everything else ---

    def note(self, text: str) -> None:
        """Print one dim line; several follow each other without a blank line."""
        limit = 400 if self.console.is_terminal else LONGEST_NOTE
        flow = self._new_flow(DIM, is_remark=True)
        flow.feed(clean(f"· {one_line(text, limit)}"))
        flow.finish()
        self._is_loose = True

    def say(self, text: str) -> None:
        """Something for the person at the terminal, in plain type."""
        if not text:
            self.blank()
        flow = self._new_flow(Style(), indent="", is_remark=True)
        flow.feed(clean(text))
        flow.finish()

    def quote(self, text: str) -> None:
        """A text of several lines, dim."""
        self._flowed(text, DIM)

    def print(self, renderable: RenderableType) -> None:
        self.settle()
        self.console.print(renderable, width=self.width)

    def blank(self) -> None:
        self.console.line()
        self._is_loose = False

    def settle(self) -> None:
        """Print a blank line after notes, before anything else is printed."""
        if self._is_loose:
            self.blank()

    def _flowed(self, text: str, style: Style) -> None:
        flow = self._new_flow(style)
        flow.feed(clean(text))
        flow.finish()

    def _new_flow(self, style: Style, *, indent: str = INDENT, is_remark: bool = False) -> Flow:
        """A `Flow` to the console. In a pipe or a file, a remark stays on one line, because
        programs search there line by line."""

        def write(piece: str) -> None:
            self.console.out(piece, style=style, end="", highlight=False)

        is_whole = is_remark and not self.console.is_terminal
        return Flow(write, width=LONGEST_NOTE if is_whole else self.width, indent=indent)

    def _end_flow(self) -> None:
        if self._flow is not None:
            self._flow.finish()
            self._flow = None

    def _section_of(self, said: Spoken) -> None:
        section = (said.stage, said.round)
        if section == self._section:
            return
        self._section = section
        is_round = said.round > 1 or said.stage == "exchange"
        stage = clean(said.stage).replace("_", " ")
        title = f"{stage} · round {said.round}" if is_round else stage
        line = "─" * max(3, self.width - cell_len(title) - 4)
        self.print(Text(f"── {title} {line}", style=DIM, no_wrap=True, overflow="crop"))
        self.blank()

    def _heading(self, said: Spoken) -> Text:
        name, style = self.people.name(said.participant), self.people.style(said.participant)
        if said.visibility is Visibility.PRIVATE:
            heading = Text().append(name, style=style + DIM)
            return heading.append(f" {_doing(said)} (private)", style=DIM)
        heading = Text().append(name, style=style + Style(bold=True))
        details = (self.people.side(said.participant), self._number(said))
        return heading.append("".join(f" · {part}" for part in details if part), style=DIM)

    def _number(self, said: Spoken) -> str:
        if said.kind is not StepKind.SPEAK:
            return KINDS[said.kind].does
        before = [
            turn
            for turn in self._state.turns.values()
            if turn.said.kind is StepKind.SPEAK
            and turn.said.visibility is Visibility.PUBLIC
            and turn.place < said.place
        ]
        turns = self._state.settings.statements
        return f"{len(before) + 1} of {turns}" if turns else ""


def _is_score(said: Spoken) -> bool:
    """Whether it is shown as a score: a hidden one is not."""
    is_hidden = isinstance(said, TurnRecorded) and HIDDEN in said.flags
    return said.kind is StepKind.SCORE and not is_hidden


def _doing(said: Spoken) -> str:
    match said:
        case TurnRecorded(kind=StepKind.CONFIRM, data={"confirmed_winner": _}):
            return "names the winner"
        case TurnRecorded(kind=StepKind.CONFIRM, data={"scores": _}):
            return "records the scores"
        case _:
            return KINDS[said.kind].does


def _content(said: TurnRecorded) -> str:
    """The text of a turn; what was written as JSON is said in words."""
    unspoken = [flag for flag in said.flags if flag in UNSPOKEN]
    if unspoken:
        return f"({unspoken[0]})"
    match said.data:
        case {"winner": str(winner), "scores": dict(scores)} if said.kind is StepKind.CONFIRM:
            points = ", ".join(f"{name} {score}" for name, score in scores.items())
            return f"{winner} wins: {points}"
        case _:
            return said.content or "(nothing)"


# --- the running score ---------------------------------------------------------------------------


UNKNOWN = "?"


class ScoreBoard:
    """How many points everybody has after the turns that were taken account of."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._points: dict[str, int] = {}
        self._order: list[str] = []

    def take(self, said: TurnRecorded) -> tuple[Text, str]:
        """The line to show after this score, and the judge's reason."""
        scored = said.about
        if scored not in self._order:
            self._order.append(scored)
        before = self._points.get(scored)
        points = (said.data or {}).get("score")
        if not isinstance(points, int):
            why = "passed" if PASSED in said.flags else NO_SCORE
            note = why + (", the last one stands" if before is not None else "")
            return self._line(scored, f" ({note})"), ""
        self._points[scored] = points
        change = (
            "" if before is None else f" ({points - before:+d})" if points != before else " (=)"
        )
        return self._line(scored, change), str((said.data or {}).get("reasoning") or "")

    def _line(self, scored: str, change: str) -> Text:
        line = Text().append("◆ ", style="dim")
        for index, one in enumerate(self._order):
            if index:
                line.append(" ▸ ", style="dim")
            line.append(self._people.name(one), style=self._people.style(one))
            line.append(f" {self._points.get(one, UNKNOWN)}", style=Style(bold=True))
            if one == scored:
                line.append(change, style="dim")
        return line
