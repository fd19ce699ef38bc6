"""Logs that were written once and must fold to the same state, and decide the same, for ever."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.golden.replay import HERE, expected_of, read_lines, read_log
from tests.unit.protocol.logs import snapshot

from moot.protocol import events as e
from moot.protocol.folding import fold
from moot.protocol.registry import FORMATS

LOGS = sorted(HERE.glob("*.jsonl"))
golden = pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)


def test_it_has_a_golden_log_of_every_format() -> None:
    created = (read_log(path)[0].event for path in LOGS)
    assert {one.config.format for one in created if isinstance(one, e.DebateCreated)} == {*FORMATS}


@golden
def test_it_reaches_the_recorded_state_by_the_recorded_decisions(path: Path) -> None:
    expected = msgspec.json.decode(path.with_suffix(".expected.json").read_bytes())
    replayed = msgspec.json.decode(msgspec.json.encode(expected_of(read_log(path))))
    # The readable parts first: they say what changed, the digests only that something did.
    for part in ("state", "turns", "decisions", "state_sha256", "decisions_sha256"):
        assert replayed[part] == expected[part]


@golden
def test_it_still_writes_what_it_wrote(path: Path) -> None:
    for line in read_lines(path):
        assert e.encode(e.decode(bytes(line.body))) == bytes(line.body)


@golden
def test_it_folds_from_the_middle_as_from_the_start(path: Path) -> None:
    log = read_log(path)
    for middle in range(1, len(log), 7):
        state = fold(log[:middle])
        for record in log[middle:]:
            state.apply(record)
        assert snapshot(state) == snapshot(fold(log))


def test_it_covers_every_kind_of_event_that_a_version_has_written() -> None:
    kinds = {type(record.event).__name__ for path in LOGS for record in read_log(path)}
    missing = {kind.__name__ for kind in e.Event.__subclasses__()} - kinds
    # A canceled debate says nothing more; a question is closed only by what replaces it.
    assert missing == {"DebateCanceled", "QuestionClosed"}
