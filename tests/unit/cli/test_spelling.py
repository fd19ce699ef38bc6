"""Characters that an encoding lacks."""

from __future__ import annotations

import codecs

import pytest

from moot.cli.spelling import SPELLED_OUT, spelled_out

codecs.register_error(SPELLED_OUT, spelled_out)


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
def test_are_spelled_out(text: str, encoding: str, printed: bytes) -> None:
    assert text.encode(encoding, SPELLED_OUT) == printed


def test_are_never_guessed_when_something_is_read() -> None:
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", SPELLED_OUT)
