"""`moot show` of a debate that failed says why, as `moot run` does."""

from __future__ import annotations

import pytest
from tests.unit.cli.duels import START, Duel
from tests.unit.protocol.rooms import room

from moot.cli.foreground import endings
from moot.cli.view.debate import print_transcript
from moot.protocol import events as e
from moot.protocol.log import fold

ERROR = "no such \x1b[31mmodel:\n[bold]gpt-0"
WHY = "failed: no such model: [bold]gpt-0"


def failed(created: e.AnyEvent) -> list[e.Recorded]:
    events = (created, e.DebateStarted(), e.DebateFailed(error=ERROR, code="refused"))
    return [e.Recorded(seq, START, event) for seq, event in enumerate(events, 1)]


def test_the_reason_stands_in_the_foot_in_the_words_of_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = failed(Duel().log[0].event)
    print_transcript("x1", log, with_private=False)
    foot = capsys.readouterr().out.splitlines()[-2:]
    assert foot == [WHY, "try again with: moot resume x1"]
    assert foot == endings("x1", fold(log))


def test_the_reason_stands_in_the_foot_of_a_room(capsys: pytest.CaptureFixture[str]) -> None:
    log = failed(e.DebateCreated(config=room()))
    print_transcript("x1", log, with_private=False)
    foot = capsys.readouterr().out.splitlines()[-2:]
    assert foot == [WHY, "come back with: moot room x1"]
