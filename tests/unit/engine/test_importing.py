"""Nothing in a file from elsewhere is trusted: it is taken whole, or refused with its line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.golden import replay
from tests.unit.protocol.playing import NOON, Play, duel, play, rounds

from moot.engine import importing
from moot.engine.importing import read_log
from moot.errors import InvalidInput
from moot.protocol import events as e
from moot.protocol.log import fold, written
from moot.protocol.registry import FORMATS
from moot.protocol.values import Attachment, ForkPoint, Origin

NOW = NOON + timedelta(days=30)
# But one, whose attachments are not kept with it.
GOLDEN = sorted(set(replay.HERE.glob("*.jsonl")) - {replay.HERE / "duel_contested.jsonl"})
NOTES = "bees\n"
SHA = hashlib.sha256(NOTES.encode()).hexdigest()


def finished(**changes: Any) -> list[e.Recorded]:
    config = msgspec.structs.replace(
        rounds(max_rounds=1),
        attachments=(Attachment(name="notes.md", sha256=SHA, size_bytes=5),),
        **changes,
    )
    return play(config).log


def exported(**changes: Any) -> list[Any]:
    """The lines of a good file, as data: header, events, one attachment."""
    text = written(finished(**changes), {SHA: NOTES}, "d1")
    return [msgspec.json.decode(line) for line in text.splitlines()]


def joined(lines: list[Any]) -> bytes:
    return b"".join(
        (line if isinstance(line, bytes) else msgspec.json.encode(line)) + b"\n" for line in lines
    )


def test_takes_in_what_was_exported() -> None:
    log = finished()
    imported = read_log(written(log, {SHA: NOTES}, "d1").encode(), NOW)
    assert list(imported.log) == log
    assert (imported.texts, imported.debate) == ({SHA: NOTES}, "d1")


def test_knows_a_debate_again_wherever_it_has_been() -> None:
    first = read_log(joined(exported()), NOW)
    log = first.named("file")
    again = read_log(written(log, first.texts, "another").encode(), NOW)
    assert again.sha256 == first.sha256
    config = log[0].event.config  # type: ignore[union-attr]
    assert config.origin == Origin(door="import", kind="file", sha256=first.sha256, debate="d1")


def test_believes_nothing_that_it_says_of_where_it_comes_from() -> None:
    claims: dict[str, Any] = {
        "origin": Origin(door="import", kind="sample"),
        "forked_from": ForkPoint(debate="here", at=3),
        "rematch_of": "here",
    }
    imported = read_log(joined(exported(**claims)), NOW)
    assert imported.sha256 == read_log(joined(exported()), NOW).sha256
    config = imported.log[0].event.config  # type: ignore[union-attr]
    assert (config.origin, config.forked_from, config.rematch_of) == (None, None, "")


def test_cleans_every_text() -> None:
    lines = exported()
    turn = next(line for line in lines[1:-1] if line["event"]["type"] == "TurnRecorded")
    turn["event"]["content"] = "red \x1b[31malert\x07 \u202eback"
    imported = read_log(joined(lines), NOW)
    event = imported.log[turn["seq"] - 1].event
    assert isinstance(event, e.TurnRecorded)
    assert event.content == "red alert back"


def put(path: str, value: Any) -> Callable[[list[Any]], None]:
    def change(lines: list[Any]) -> None:
        *way, last = (int(part) if part.lstrip("-").isdigit() else part for part in path.split("/"))
        found: Any = lines
        for part in way:
            found = found[part]
        found[last] = value

    return change


def cut(first: int, count: int = 1, **header: int) -> Callable[[list[Any]], None]:
    def change(lines: list[Any]) -> None:
        lines[0].update(header)
        del lines[first : first + count]

    return change


DEEP = b'{"seq":3,"at":"2026-03-01T12:00:00Z","event":' + b"[" * 60 + b"]" * 60 + b"}"
SIZE = len(exported())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (put("0", {"hello": 1}), "line 1: it is no log of a debate"),
        (put("0", b"\xff\xfe"), "line 1: it is no log of a debate"),
        (put("0/version", 2), "line 1: it is of version 2"),
        (put("0/events", 30_000), "line 1: 1 to 20,000 events"),
        (put("0/events", 3), "it is not whole"),
        (cut(4), "it is not whole"),
        (cut(4, events=SIZE - 3), "line 5: event 4 is expected here, and this is event 5"),
        (put("3", b"{"), "line 4: it cannot be read"),
        (put("3", DEEP), "line 4: it is nested deeper than 40 levels"),
        (put("3/more", 1), "line 4: it cannot be read"),
        (put("3/at", "2026-03-01T12:00:00"), "line 4: its time"),
        (put("3/at", "2126-03-01T12:00:00Z"), "line 4: its time"),
        (put("3/event/type", "DebateInvented"), "line 4: it is no event that this version"),
        (put("3/event/wings", 2), "line 4: this version of Moot does not know 'wings'"),
        (put("4/event/usage", {"input_tokens": -1}), "line 5: usage: nobody can have used that"),
        (put("4/event/round", 2**60), "line 5: a number in it is too large"),
        (put("4/event/content", "x" * 1_000_001), "line 5: a text in it is longer than"),
        (put("1/event/config/format", "joust"), "line 2: there is no format"),
        (put("1/event/config/topic", " "), "line 2: topic: must have 1 to"),
        (put("1/event/config/settings", {"max_rounds": "many"}), "line 2: "),
        (put("1/event/config/participants/0/name", "\u200b"), "line 2: participants.0.name"),
        (put("1/event/config/participants/0/name", "Bo"), "could not be told apart"),
        (put("1/event/type", "DebateStarted"), "line 2: "),
        (put("2/event/type", "DebateCompleted"), "line 3: "),
        (put("-1/content", "wasps"), f"line {SIZE}: the text does not match its hash"),
        (cut(SIZE - 1, attachments=0), "are not those that the debate was given"),
        (cut(SIZE - 2, events=SIZE - 3), "the debate is running: only one that is over"),
    ],
)
def test_refuses_with_the_line(change: Callable[[list[Any]], None], told: str) -> None:
    lines = exported()
    change(lines)
    with pytest.raises(InvalidInput) as caught:
        read_log(joined(lines), NOW)
    assert told in str(caught.value)


def test_looks_at_nothing_that_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match=r"it has 8,000,001 bytes"):
        read_log(b" " * (importing.MAX_BYTES + 1), NOW)
    with pytest.raises(InvalidInput, match="more than 20,201 lines"):
        read_log(b"\n" * 20_300, NOW)
    monkeypatch.setattr(importing, "MAX_PARTS", 5)
    with pytest.raises(InvalidInput, match="line 1: it has more than 5 strings"):
        read_log(joined(exported()), NOW)


def test_takes_in_a_debate_that_was_canceled() -> None:
    called_off = Play(FORMATS["duel"], duel(turns=2)).run(most=3)
    called_off.append(e.DebateCanceled())
    imported = read_log(written(called_off.log, {}, "d2").encode(), NOW)
    assert len(imported.log) == len(called_off.log)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_takes_in_the_logs_of_every_version(path: Path) -> None:
    log = replay.read_log(path)
    imported = read_log(written(log, {}, "old").encode(), log[-1].at)
    assert len(imported.log) == len(log)
    assert fold(imported.log).outcome == fold(log).outcome
