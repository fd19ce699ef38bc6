"""What a server logs: faults with their traceback, repeated failures once, secrets never."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from moot.cli.logs import (
    MOST_KINDS,
    REPEATS_EVERY_S,
    KeyedFormatter,
    OnceHandler,
    faults_told,
    redactor,
)
from moot.errors import InvalidInput
from moot.settings import load_settings

KEY = "sk-CANARY-0123456789"


class Log:
    """A logger of its own, whose clock is moved by hand."""

    def __init__(self, home: Path) -> None:
        self.now = 0.0
        self.stream = io.StringIO()
        self.handler = OnceHandler(lambda: self.now)
        self.handler.setStream(self.stream)
        secrets = {"LAB_API_KEY": KEY, "ODD": "odd-but-secret", "MOOT_TOKEN": "t" * 20}
        settings = load_settings(
            home=home,
            providers={"lab": {"key_env": "ODD"}},
            database_url="postgresql://moot:pass-word-1@db/moot",
        )
        redact = redactor(settings, secrets)
        self.handler.setFormatter(KeyedFormatter(redact, has_tracebacks=True))
        self.logger = logging.Logger("test")  # noqa: LOG001 - nobody else's
        self.logger.addHandler(self.handler)

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    one = Log(tmp_path)
    yield one
    one.handler.close()


def test_a_failure_that_repeats_itself_is_said_once_and_then_counted(log: Log) -> None:
    for number in range(10_000):
        log.logger.error("accept failed", extra={"error": f"[Errno 24] on {number}"})
    assert len(log.lines) == 1
    log.now = REPEATS_EVERY_S
    log.handler.tell_repeats()
    assert [line.split(" ", 1)[1] for line in log.lines] == [
        "ERROR accept failed error=[Errno 24] on 0",
        "ERROR accept failed (9999 more since then) error=[Errno 24] on 0",
    ]
    log.handler.tell_repeats()
    assert len(log.lines) == 2


def test_one_that_goes_on_costs_a_line_a_minute(log: Log) -> None:
    for second in range(600):
        log.now = float(second)
        log.logger.warning("store unavailable", extra={"debate": f"d{second % 7}"})
    assert len(log.lines) == 10
    assert "debate=d0" in log.lines[0]
    # Whose debates they were is said with the count.
    assert all(f"d{number}" in log.lines[1] for number in range(7))


def test_one_that_comes_again_much_later_is_said_again(log: Log) -> None:
    log.logger.warning("store unavailable")
    log.now = 2 * REPEATS_EVERY_S
    log.logger.warning("store unavailable")
    assert [line.split(" ", 1)[1] for line in log.lines] == ["WARNING store unavailable"] * 2


def test_different_failures_and_plain_lines_are_all_said(log: Log) -> None:
    for number in range(3):
        log.logger.info("step performed", extra={"step": number})
        log.logger.warning(("first", "second", "third")[number])
        log.logger.warning("store unavailable", extra={"error": "abc"[number]})
    assert len(log.lines) == 9


def test_kinds_that_nobody_has_an_end_of_cost_bounded_memory(log: Log) -> None:
    for number in range(5 * MOST_KINDS):
        log.logger.warning("%s", number)  # one kind
        letters = "x" * (number % 190) + "y" * (number // 190)
        log.logger.warning(letters)
    assert len(log.handler._failures) <= MOST_KINDS


def test_what_was_held_back_is_said_at_the_end(log: Log) -> None:
    log.logger.warning("x")
    log.logger.warning("x")
    log.handler.close()
    assert "(1 more since then)" in log.lines[-1]


def test_a_fault_has_its_traceback_and_no_secret(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOOT_DEBUG", raising=False)
    told = f"{KEY} odd-but-secret {'t' * 20} pass-word-1 Bearer abcdefghijkl redis://u:secret@h/0"
    try:
        raise ZeroDivisionError(told)
    except ZeroDivisionError:
        log.logger.exception("request broke", extra={"incident": "abc", "error": told})
    text = log.stream.getvalue()
    assert "incident=abc" in log.lines[0]
    assert "Traceback" in text
    assert "raise ZeroDivisionError(told)" in text
    for secret in ("CANARY", "odd-but-secret", "tttt", "pass-word-1", "abcdefghijkl", "u:secret"):
        assert secret not in text


def test_a_warning_has_no_traceback(log: Log) -> None:
    log.logger.warning("expected", exc_info=ValueError("x"))
    assert len(log.lines) == 1


def test_what_ends_the_process_is_logged_unless_it_explains_itself(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING, logger="moot")
    with pytest.raises(InvalidInput), faults_told():
        raise InvalidInput("a port is taken")
    assert not caplog.records
    with pytest.raises(KeyError), faults_told():
        raise KeyError("of ours")
    assert caplog.records[0].exc_info is not None
