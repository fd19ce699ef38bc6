"""Notices on stderr are wrapped at words where they are read, and whole lines everywhere else;
characters that an encoding lacks are spelled out."""

from __future__ import annotations

import codecs
import io
import os
import sys

import pytest

from moot.cli.telling import SPELLED_OUT, spelled_out, tell

codecs.register_error(SPELLED_OUT, spelled_out)

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


@pytest.mark.parametrize(
    ("text", "encoding", "printed"),
    [
        ("Ada \u25b8 Bo \u2026", "ascii", b"Ada > Bo ..."),
        ("\u2500\u2500 round", "ascii", b"-- round"),
        ("M\u00fcller \u00b7 \u6f22", "ascii", b"M?ller - ?"),
        ("M\u00fcller", "latin-1", "M\u00fcller".encode("latin-1")),
        ("\u25c6", "utf-8", "\u25c6".encode()),
    ],
)
def test_characters_that_an_encoding_lacks_are_spelled_out(
    text: str, encoding: str, printed: bytes
) -> None:
    assert text.encode(encoding, SPELLED_OUT) == printed


def test_characters_are_never_guessed_when_something_is_read() -> None:
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", SPELLED_OUT)
