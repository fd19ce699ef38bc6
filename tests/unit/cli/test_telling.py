"""Notices on stderr are wrapped at words where they are read, and whole lines everywhere else."""

from __future__ import annotations

import io
import os
import sys

import pytest

from moot.cli.telling import tell

NOTICE = (
    "The embedded model, local:smollm2, is a toy for trying things out; for arguments worth "
    "reading use a model of your own: https://example.org/a-long-address/that-must-stay-whole"
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2


def told(monkeypatch: pytest.MonkeyPatch, text: str, columns: int) -> list[str]:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(os, "get_terminal_size", lambda _fd: os.terminal_size((columns, 24)))
    tell(text)
    return terminal.getvalue().splitlines()


@pytest.mark.parametrize("columns", [60, 80])
def test_it_wraps_at_words_to_the_width_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    lines = told(monkeypatch, NOTICE, columns)
    assert " ".join(lines) == f"moot: {NOTICE}"
    assert max(map(len, lines)) <= columns
    assert len(lines) > 1


def test_lines_stay_lines_and_what_is_indented_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = told(monkeypatch, "Said:\n\n  one two three four five six", 20)
    assert lines == ["moot: Said:", "", "  one two three four", "  five six"]


def test_in_a_pipe_a_line_stays_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    tell(NOTICE)
    assert capsys.readouterr().err == f"moot: {NOTICE}\n"
