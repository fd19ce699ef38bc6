"""What `moot list` shows of each debate."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from moot.cli.view.console import brief
from moot.cli.view.debate import list_debates
from moot.protocol.row import Cursor, DebateRow
from moot.protocol.words import Status


def row(**more: Any) -> DebateRow:
    now = datetime.now(UTC)
    return DebateRow(
        id="k3f2abcdxyz",
        format="duel",
        topic="Cats or dogs?",
        status=Status.COMPLETED,
        seq=9,
        cursor=Cursor(),
        statements=6,
        created_at=now,
        updated_at=now,
        **more,
    )


def test_answers_and_thoughts_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    thoughtful = row(output_tokens=12_650, thought_tokens=12_340)
    list_debates([thoughtful, row(output_tokens=77)], has_more=False)
    titles, first, second = (line.split() for line in capsys.readouterr().out.splitlines())
    assert titles == ["id", "status", "format", "said", "tokens", "thoughts", "begun", "topic"]
    assert first[:6] == ["k3f2abcd", "completed", "duel", "6", "310", "12.3k"]
    assert second[:6] == ["k3f2abcd", "completed", "duel", "6", "77", "0"]


def test_there_is_no_column_for_thoughts_that_nobody_had(
    capsys: pytest.CaptureFixture[str],
) -> None:
    list_debates([row(output_tokens=77)], has_more=False)
    titles, first = (line.split() for line in capsys.readouterr().out.splitlines())
    assert titles == ["id", "status", "format", "said", "tokens", "begun", "topic"]
    assert first[4] == "77"


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (9_999, "9999"), (10_000, "10k"), (12_345, "12.3k"), (3_100_000, "3.1M")],
)
def test_a_figure_takes_little_room(number: int, shown: str) -> None:
    assert brief(number) == shown
