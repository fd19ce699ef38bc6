"""A debate as it stands, printed whole."""

from __future__ import annotations

from collections.abc import Sequence

from moot.cli.advice import ADVICE
from moot.cli.room.screen import print_room
from moot.cli.session import new_console
from moot.cli.view.header import header
from moot.cli.view.json_lines import event_line, is_private
from moot.cli.view.paper import Paper
from moot.cli.view.totals import totals
from moot.cli.view.verdict import closing_box
from moot.protocol.events import NoticePosted, Recorded
from moot.protocol.folding import fold
from moot.protocol.registry import format_named
from moot.protocol.words import Status


def print_transcript(debate_id: str, log: Sequence[Recorded], *, with_private: bool) -> None:
    state = fold(log)
    console = new_console()
    if format_named(state.config.format).is_open_ended:
        print_room(console, debate_id, state)
        return
    paper = Paper(console, state, hides_private=not with_private)
    paper.print(header(debate_id, state))
    paper.blank()
    for turn in state.transcript():
        paper.turn(turn.said)
    for record in state.notices:
        if isinstance(record.event, NoticePosted) and record.event.about:
            paper.note(record.event.text)  # what the turns alone do not tell
    if state.status is Status.COMPLETED:
        box = closing_box(console, state, width=paper.width)
        if box is not None:
            paper.print(box)
            paper.blank()
    # A debate whose process was killed has been standing still since its last event.
    print(totals(state, state.updated_at))
    if state.status is not Status.COMPLETED:
        print(ADVICE[state.status].format(id=debate_id))


def print_events(debate_id: str, log: Sequence[Recorded], *, with_private: bool) -> None:
    for record in log:
        if with_private or not is_private(record.event):
            print(event_line(record, debate_id))
