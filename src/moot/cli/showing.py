"""A debate as it stands, printed whole."""

from __future__ import annotations

from collections.abc import Sequence

from moot.cli.session import new_console
from moot.cli.view.header import header
from moot.cli.view.json_lines import event_line
from moot.cli.view.paper import Paper
from moot.cli.view.totals import totals
from moot.cli.view.verdict import verdict_box
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.state import fold
from moot.protocol.words import Status, Visibility

ADVICE = {
    Status.CREATED: "begin it with: moot resume {id}",
    Status.RUNNING: "running; if its process is gone, go on with: moot resume {id}",
    Status.WAITING: "waiting for an answer; go on with: moot resume {id}",
    Status.STOPPED: "stopped; go on with: moot resume {id}",
    Status.FAILED: "failed; try again with: moot resume {id}",
}


def print_transcript(debate_id: str, log: Sequence[Recorded], *, with_private: bool) -> None:
    state = fold(log)
    console = new_console()
    paper = Paper(console, state, hides_private=not with_private)
    paper.print(header(debate_id, state))
    paper.blank()
    for turn in state.transcript():
        paper.turn(turn.said)
    if state.status is Status.COMPLETED:
        paper.print(verdict_box(console, state, width=paper.width))
        paper.blank()
    # A debate whose process was killed has been standing still since its last event.
    print(totals(state, state.updated_at))
    if state.status is not Status.COMPLETED:
        print(ADVICE.get(state.status, str(state.status)).format(id=debate_id))


def print_events(debate_id: str, log: Sequence[Recorded], *, with_private: bool) -> None:
    for record in log:
        event = record.event
        is_private = isinstance(event, TurnRecorded) and event.visibility is Visibility.PRIVATE
        if with_private or not is_private:
            print(event_line(record, debate_id))
