"""Debates as they stand: one printed whole, many as a list, or what a search has found in them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, TypeVar

from rich.console import Console
from rich.text import Text

from moot.cli.telling import say, tell
from moot.cli.view.console import (
    brief,
    clean,
    duration,
    new_console,
    one_line,
    print_table,
    table_width,
)
from moot.cli.view.header import header, totals, why_failed
from moot.cli.view.json_lines import event_line, is_private
from moot.cli.view.outcome import closing_box
from moot.cli.view.room import print_room
from moot.cli.view.transcript import TranscriptPrinter
from moot.cli.view.waits import waiting
from moot.engine.reads import TITLE, TOPIC, FoundDebate, Hit, SearchPage
from moot.protocol.events import NoticePosted, Recorded
from moot.protocol.outcome_words import gist, trust_in
from moot.protocol.registry import format_named
from moot.protocol.row import DebateRow
from moot.protocol.searching import Piece
from moot.protocol.state import DebateState
from moot.protocol.visibility import Veil, shown
from moot.protocol.vocabulary import ORIGIN_LABELS, STATUSES, TRUST
from moot.protocol.words import USER, Status, Visibility

T = TypeVar("T")
Figure = tuple[Callable[[DebateRow], str], Literal["left", "right"]]
"""How the cells of a column are written, and to which side they are aligned."""

ADVICE: Mapping[Status, str] = {
    Status.CREATED: "not started; start it with: moot start {id}, or run it here: moot resume {id}",
    Status.RUNNING: "running; if its process is gone, continue with: moot resume {id}",
    Status.WAITING: "waiting for an answer; answer with: moot answer {id}",
    Status.STOPPING: "stopping; if its process is gone, continue with: moot resume {id}",
    Status.STOPPED: "stopped; continue with: moot resume {id}",
    Status.FAILED: "failed; try again with: moot resume {id}",
    Status.COMPLETED: "completed; see it with: moot show {id}",
    Status.CANCELED: "canceled; see what was said with: moot show {id}",
}
"""What to do next, where nothing is known but the status."""

WITHHELD = (
    "what others plan and think, and how they are judged, is hidden until the debate is over, "
    "because a person takes part; to see it now: {reveal}"
)

WITHHELD_ELSEWHERE = (
    "what others planned and thought, and how they were judged, is hidden until the debate that "
    "this one was forked from is over, because a person takes part there; to see it now: {reveal}"
)

TONES: Mapping[str, str] = {"live": "cyan", "wait": "yellow", "bad": "red", "done": "green"}
"""The colours of the tones that the vocabulary gives to statuses."""
SHORT_ID = 8
NARROW, WIDE = 60, 120
"""Below the first width, a terminal has no room for figures; from the second on, topics and
outcomes stand side by side."""
LONGEST_NAME = 300
IN_GIST = frozenset({"missing", "unreadable", "passed", "tie"})
"""Doubts that the gist of an outcome mentions already."""
INDENT = "  "
_DAY_S = 86_400


def print_transcript(
    debate_id: str,
    log: Sequence[Recorded],
    sources: Sequence[Veil] = (),
    *,
    with_private: bool,
    veiled_by: Sequence[str] = (),
) -> None:
    """Print the debate as it stands. `veiled_by` are the debates in which cards can be opened to
    see what is hidden here."""
    state = shown(log, sources).state
    console = new_console()
    if format_named(state.config.format).is_open_ended:
        print_room(console, debate_id, state, with_private=with_private)
        return
    printer = TranscriptPrinter(console, state, hides_private=not with_private)
    printer.print(header(debate_id, state))
    printer.blank()
    _print_turns(printer, state)
    if state.status is Status.COMPLETED:
        box = closing_box(console, state, width=printer.width)
        if box is not None:
            printer.print(box)
            printer.blank()
    _tell_of_the_rest(debate_id, state, veiled_by or (debate_id,), with_private=with_private)
    # A debate whose process was killed has been standing still since its last event.
    say(totals(state, state.updated_at))
    for wait in state.waits.values():
        say(waiting(wait, datetime.now(UTC)))
    if state.status is Status.FAILED:
        say(why_failed(state))
        say(f"try again with: moot resume {debate_id}")
    elif state.status is not Status.COMPLETED:
        say(ADVICE[state.status].format(id=debate_id))


def _print_turns(printer: TranscriptPrinter, state: DebateState) -> None:
    """Print all turns, with the notices about steps between them, where people were told them."""
    events = ((record.seq, record.event) for record in state.notices)
    told = deque(
        (seq, one.text) for seq, one in events if isinstance(one, NoticePosted) and one.about
    )
    for turn in state.transcript():
        while told and told[0][0] < turn.seq:
            printer.note(told.popleft()[1])
        printer.turn(turn.said)
    for _seq, text in told:
        printer.note(text)


def _tell_of_the_rest(
    debate_id: str, state: DebateState, veiled_by: Sequence[str], *, with_private: bool
) -> None:
    """Say what was left out, on stderr: it is not part of the transcript, which may go into a
    file."""
    private = sum(turn.said.visibility is Visibility.PRIVATE for turn in state.turns.values())
    if private and not with_private:
        turns = f"{private} private turn{'s' if private != 1 else ''}"
        told = f"{turns} not shown; see everything with: moot show {debate_id} --private"
        tell(told, label="")
    elif state.has_hidden:
        told = WITHHELD if veiled_by[0] == debate_id else WITHHELD_ELSEWHERE
        reveal = ", then: ".join(f"moot reveal {one}" for one in veiled_by)
        tell(told.format(reveal=reveal), label="")


def print_events(
    debate_id: str, log: Sequence[Recorded], sources: Sequence[Veil] = (), *, with_private: bool
) -> None:
    for record in shown(log, sources).log:
        if with_private or not is_private(record.event):
            print(event_line(record, debate_id, with_private=with_private))


def list_debates(items: Sequence[DebateRow], *, has_more: bool, is_filtered: bool = False) -> None:
    if not items:
        none = "no debates yet; try one with: moot run remote-work"
        say("no debate matches; see them all with: moot list" if is_filtered else none)
        return
    width = table_width(new_console())
    figures = _figures(items) if width >= NARROW else {}
    has_column = width >= WIDE and any(map(_came_to, items))
    titles = ("id", "status", *figures, "topic", *_if(has_column, "outcome"))
    rows = (
        (
            Text(item.id[:SHORT_ID], style="bold"),
            Text(str(item.status), style=TONES.get(STATUSES[item.status].tone, "")),
            *(Text(show(item), justify=justify) for show, justify in figures.values()),
            *_subject(item, has_column=has_column),
        )
        for item in items
    )
    print_table(titles, rows, first=SHORT_ID, wrapped=1 + has_column, width=width)
    if has_more:
        say("there are more: use --limit, --status or --query")


def _figures(items: Sequence[DebateRow]) -> Mapping[str, Figure]:
    """The columns that a narrow terminal can do without, by title."""
    now = datetime.now(UTC)
    thoughts: Figure = (lambda item: brief(item.thought_tokens), "right")
    # Most models do not think first: without thoughts there is no column of zeros.
    thinks = any(item.thought_tokens for item in items)
    return {
        "format": (lambda item: item.format, "left"),
        # In a council nobody makes statements: there every turn is something said.
        "said": (lambda item: str(item.statements or item.turns), "right"),
        "tokens": (lambda item: brief(item.output_tokens - item.thought_tokens), "right"),
        **({"thoughts": thoughts} if thinks else {}),
        "created": (lambda item: _age(item.created_at, now), "right"),
    }


def _subject(item: DebateRow, *, has_column: bool) -> tuple[Text, ...]:
    """Topic and outcome; in one cell, one below the other, if the outcome has no column."""
    topic = Text(one_line(item.name, LONGEST_NAME))
    if made_from := "rematch" if item.rematch_of else "fork" if item.forked_from else "":
        topic.append(f"  {made_from}", style="dim")
    elif item.origin:  # not for a fork, which goes on here
        topic.append(f"  {ORIGIN_LABELS.get(item.origin, item.origin)}", style="dim")
    outcome = _came_to(item)
    if has_column:
        return topic, Text(outcome)
    return (topic.append(f"\n{outcome}", style="dim") if outcome else topic,)


def _came_to(item: DebateRow) -> str:
    """What came of a debate that is over, and how far that can be relied on."""
    if item.outcome is None or item.status is not Status.COMPLETED:
        return ""
    found = trust_in(item)
    label = f" · {TRUST[found]}" if found and found not in IN_GIST else ""
    return one_line(gist(item.outcome), LONGEST_NAME) + label


def _if(wanted: bool, cell: T) -> tuple[T, ...]:
    return (cell,) if wanted else ()


def _age(then: datetime, now: datetime) -> str:
    seconds = max(0.0, (now - then).total_seconds())
    if seconds < _DAY_S:
        return f"{duration(round(seconds)).replace('.0', '')} ago"
    return then.astimezone().strftime("%Y-%m-%d")


# --- found by a search ---------------------------------------------------------------------------


def print_found(page: SearchPage, query: str) -> None:
    """Print a line for each debate, and below it the passages that were found."""
    console = new_console()
    if not page.items:
        say(f"nothing found for: {one_line(query)}")
        return
    console = new_console(table_width(console))
    for one in page.items:
        _print_wrapped(console, _found_line(one), "")
        for hit in one.hits:
            if hit.kind not in (TITLE, TOPIC):
                _print_wrapped(console, _hit_line(one, hit), INDENT)
    if page.next is not None:
        say("there are more: use --limit, --status or --format")


def _found_line(found: FoundDebate) -> Text:
    row = found.row
    line = Text(row.id[:SHORT_ID], style="bold")
    line.append("  ")
    line.append(str(row.status), style=TONES.get(STATUSES[row.status].tone, ""))
    return line.append(f"  {one_line(row.name, LONGEST_NAME)}")


def _hit_line(found: FoundDebate, hit: Hit) -> Text:
    line = Text(f"{_who(found, hit)}: ", style="dim")
    return line.append_text(_pieces(hit.snippet))


def _who(found: FoundDebate, hit: Hit) -> str:
    if hit.turn is None:
        return hit.kind
    names = {seat.id: seat.name for seat in found.row.cast or ()} | {USER: "you"}
    return clean(names.get(hit.participant, hit.participant))


def _pieces(snippet: Sequence[Piece]) -> Text:
    text = Text()
    for piece in snippet:
        text.append(clean(piece.text), style="bold reverse" if piece.is_match else "not dim")
    return text


def _print_wrapped(console: Console, text: Text, indent: str) -> None:
    for line in text.wrap(console, console.width - len(indent)):
        line.rstrip()
        console.print(Text(indent).append_text(line), soft_wrap=True)
