from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from moot.models.cleaning import TextCleaner, clean_text

# Dense in what matters: the beginnings, middles and ends of everything that is removed.
NASTY = st.text(
    st.sampled_from(
        "a1;m[]\\PX \x07\x1b\x9b\x9c\x90\x00\r\n\t\u202e\ufeff\ud83d\ude00é\u200b\u200d\ufe0f"
        "\U000e0041\U000e0101"
    )
    | st.characters(),
    max_size=60,
)


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("plain text\n\twith lines", "plain text\n\twith lines"),
        ("\ufeffstarts with a mark", "starts with a mark"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://evil.example\x1b\\link", "link"),
        ("\x1bcreset", "reset"),
        ("\u202eevil\u202c \u2066x\u2069", "evil x"),
        ("half \ud83d!", "half \ufffd!"),
        ("\ud83d\ude00", "\U0001f600"),
        ("עברית\u200f (marks of a script stay)", "עברית\u200f (marks of a script stay)"),
        ("no\u200e Eng\u200flish\u00ad wo\u034frd\u061c", "no English word"),
        (
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        ),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4"),
        ("\x1b]0;ti\ntle\x07text", "0;ti\ntletext"),
        ("\r\x1b[0m\n", "\n\n"),
        ("\ud83d\ud83d\ude00\ude00", "\ufffd\U0001f600\ufffd"),
        ("e\u0301 is not composed", "e\u0301 is not composed"),
        ("hid\U000e0068\U000e0069den", "hidden"),
        ("ig\u200bnore\u2060 th\u200dis\u200b", "ignore this"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
        (
            "\u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3",
            "\u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3",
        ),
        ("\U0001f600\ufe01\u200b\u200c\u200d!", "\U0001f600\ufe01\u200b!"),
        ("\U0001f600\ufe01\ufe02\ufe03\u200b\u200c\u200d!", "\U0001f600\ufe01!"),
        ("x\U000e0101\ufe03", "x"),
    ],
)
def test_removes_what_harms_and_nothing_else(dirty: str, clean: str) -> None:
    assert clean_text(dirty) == clean


def test_cuts_what_is_too_long() -> None:
    assert clean_text("abcdef", max_chars=3) == "abc"
    assert clean_text("\x00abcdef", max_chars=3) == "abc"


def test_returns_clean_text_itself() -> None:
    text = "nothing to do" * 1000
    assert clean_text(text) is text


def test_gives_up_on_an_endless_escape_sequence() -> None:
    cleaner = TextCleaner()
    shown = cleaner.feed("\x1b]" + "x" * 2000)
    assert shown.endswith("x")
    assert "\x1b" not in shown


@given(NASTY)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once


@given(NASTY)
def test_leaves_only_text_that_every_store_accepts(text: str) -> None:
    clean = clean_text(text)
    clean.encode()
    assert not set(clean) & set("\x00\x07\x1b\x9b\r\u202e\ufeff")


@given(st.lists(NASTY, max_size=8))
def test_pieces_come_out_as_the_whole_does(pieces: list[str]) -> None:
    cleaner = TextCleaner()
    shown = [cleaner.feed(piece) for piece in pieces]
    shown.append(cleaner.finish())
    assert "".join(shown) == clean_text("".join(pieces))


def cost(text: str) -> float:
    """The least of some measurements, each whole and in a stream."""

    def once() -> float:
        started = time.process_time()
        clean_text(text)
        TextCleaner().feed(text)
        return time.process_time() - started

    return min(once() for _ in range(3))


# What begins a sequence and does not end it; half of each text has to be looked at to find out.
@pytest.mark.parametrize(
    "hostile",
    [
        "\x90",
        "\x1b]",
        "\x9b",
        "\x90" + "x" * 1023,
        "\x1b[" + "0" * 64,
        "\x1b" + " " * 8,
        "é\u200d\ufe0f",
    ],
)
def test_hostile_text_costs_as_much_as_any_other(hostile: str) -> None:
    size = 10_000
    text = (hostile * size)[:size]
    assert cost(text) < 8 * cost("\x00" * size)
